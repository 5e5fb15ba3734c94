import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import {
  beginSecondStep,
  changePassword,
  confirmSecondStep,
  endOtherLogIns,
  endSecondStep,
  renewRecoveryCodes,
  showAccount,
} from '../../access/account.ts'
import type { Limited } from '../../access/log-in.ts'
import type { RateLimiter } from '../../access/rate-limits.ts'
import { ownOrigins } from '../../base/public-url.ts'
import type { Context } from '../../bookings/context.ts'
import { EmptyObject, StrictObject } from '../../base/wire.ts'
import { sendAccount, sendNewSecondStep, sendRecoveryCodes } from './account-page.ts'
import { type ConsoleVisit, findVisit } from '../frame/console-page.ts'
import {
  formMedia as consumes,
  ownFormsOnly,
  page,
  refusedForms,
  seeOther as redirect,
  tags,
} from '../frame/console-route.ts'
import { sendLogIn } from '../frame/gate-page.ts'
import { faultText, limited, originOf, Password, seeOther, unlessBusy } from './log-in-routes.ts'

const path = '/console/account'
const answers = { 200: page, 422: page, 429: page, 503: page, ...seeOther, ...refusedForms }

/** A person's own account: password, second step, log-ins. Who is not logged in gets the form. */
export function accountRoutes(limiter: RateLimiter) {
  return (app: FastifyInstance, context: Context): void => {
    const ours = ownOrigins(context.config)
    void app.register((scope, _options, done) => {
      ownFormsOnly(scope, ours)
      addAccount(scope, context)
      addPassword(scope, context, limiter)
      addSecondStep(scope, context, limiter)
      done()
    })
  }
}

/** Sends the account again, with what was done or what is wrong. */
async function again(
  context: Context,
  reply: FastifyReply,
  { visit, status = 200, message }: { visit: ConsoleVisit; status?: number; message?: string },
): Promise<FastifyReply> {
  const account = await showAccount(context, visit.person)
  return sendAccount(reply.code(status), { visit, account, message })
}

/** Sends what a refused password or code says. */
function sayRefused(
  context: Context,
  reply: FastifyReply,
  { visit, result }: { visit: ConsoleVisit; result: Limited | { outcome: 'wrong' } | undefined },
): Promise<FastifyReply> {
  const { account, gate } = visit.texts
  if (!result) return again(context, reply, { visit, status: 503, message: gate.busy })
  if (result.outcome === 'wrong') return again(context, reply, { visit, status: 422, message: account.wrong })
  const message = gate.tooOften(limited(reply, result.retryAfterSeconds))
  return again(context, reply, { visit, status: 429, message })
}

function addAccount(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  routes.get(
    path,
    {
      schema: {
        operationId: 'showAccount',
        tags,
        summary: "A person's own account",
        description: 'Password, second step, and where they are logged in.',
        response: { 200: page },
      },
    },
    async (request, reply) => {
      const visit = await findVisit(context, request)
      return visit ? again(context, reply, { visit }) : sendLogIn(reply, { next: path })
    },
  )
  routes.post(
    `${path}/end-others`,
    {
      schema: {
        operationId: 'endOtherLogIns',
        tags,
        summary: "End all of a person's log-ins but this one",
        description: 'On every server, at once.',
        consumes,
        body: EmptyObject,
        response: answers,
      },
    },
    async (request, reply) => {
      const visit = await findVisit(context, request)
      if (!visit) return redirect(reply, path)
      await endOtherLogIns(context, visit.person)
      return again(context, reply, { visit, message: visit.texts.account.othersEnded })
    },
  )
}

function addPassword(app: FastifyInstance, context: Context, limiter: RateLimiter): void {
  app.withTypeProvider<TypeBoxTypeProvider>().post(
    `${path}/password`,
    {
      schema: {
        operationId: 'changePassword',
        tags,
        summary: "Change one's password",
        description: 'With the present one. All other log-ins and links of the person end.',
        consumes,
        body: StrictObject({ password: Password, next: Password }),
        response: answers,
      },
    },
    async (request, reply) => {
      const visit = await findVisit(context, request)
      if (!visit) return redirect(reply, path)
      const { account, gate } = visit.texts
      const asked = { person: visit.person, origin: originOf(request), ...request.body }
      const result = await unlessBusy(changePassword(context, limiter, asked))
      if (result?.outcome === 'set') return again(context, reply, { visit, message: account.changed })
      if (result?.outcome === 'fault') {
        const message = faultText(gate, `password_${result.fault}`)
        return again(context, reply, { visit, status: 422, message })
      }
      return sayRefused(context, reply, { visit, result })
    },
  )
}

function addSecondStep(app: FastifyInstance, context: Context, limiter: RateLimiter): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  const described = (operationId: string, summary: string, description: string) => ({
    ...{ operationId, tags, summary, description, consumes },
    response: answers,
  })
  const visited = async (
    request: FastifyRequest,
    reply: FastifyReply,
    work: (visit: ConsoleVisit) => Promise<FastifyReply>,
  ) => {
    const visit = await findVisit(context, request)
    return visit ? work(visit) : redirect(reply, path)
  }
  routes.post(
    `${path}/second-step`,
    {
      schema: {
        ...described(
          'beginSecondStep',
          'Set up an authenticator',
          'It counts once a code of it was confirmed.',
        ),
        body: EmptyObject,
      },
    },
    (request, reply) =>
      visited(request, reply, async (visit) => {
        const begun = await beginSecondStep(context, visit.person)
        return begun ? sendNewSecondStep(reply, { visit, ...begun }) : again(context, reply, { visit })
      }),
  )
  routes.post(
    `${path}/second-step/confirm`,
    {
      schema: {
        ...described('confirmSecondStep', 'Confirm an authenticator', 'Shows the recovery codes, once.'),
        body: StrictObject({ code: Type.String({ maxLength: 40 }) }),
      },
    },
    (request, reply) =>
      visited(request, reply, async (visit) => {
        const asked = { person: visit.person, code: request.body.code, origin: originOf(request) }
        const result = await confirmSecondStep(context, limiter, asked)
        if (result.outcome === 'set') return sendRecoveryCodes(reply, { visit, codes: result.codes })
        if (result.outcome === 'limited') return sayRefused(context, reply, { visit, result })
        return again(context, reply, { visit, status: 422, message: visit.texts.gate.wrongCode })
      }),
  )
  routes.post(
    `${path}/second-step/codes`,
    {
      schema: {
        ...described(
          'renewRecoveryCodes',
          'Make new recovery codes',
          'With the present password. Shown once; those before end.',
        ),
        body: StrictObject({ 'password-for-codes': Password }),
      },
    },
    (request, reply) =>
      visited(request, reply, async (visit) => {
        const password = request.body['password-for-codes']
        const asked = { person: visit.person, password, origin: originOf(request) }
        const result = await unlessBusy(renewRecoveryCodes(context, limiter, asked))
        if (result?.outcome !== 'set') return sayRefused(context, reply, { visit, result })
        return sendRecoveryCodes(reply, { visit, codes: result.codes })
      }),
  )
  routes.post(
    `${path}/second-step/end`,
    {
      schema: {
        ...described('endSecondStep', 'Do without an authenticator', 'With the present password.'),
        body: StrictObject({ 'password-to-end': Password }),
      },
    },
    (request, reply) =>
      visited(request, reply, async (visit) => {
        const password = request.body['password-to-end']
        const asked = { person: visit.person, password, origin: originOf(request) }
        const result = await unlessBusy(endSecondStep(context, limiter, asked))
        if (result?.outcome !== 'ended') return sayRefused(context, reply, { visit, result })
        return again(context, reply, { visit, message: visit.texts.account.ended })
      }),
  )
}
