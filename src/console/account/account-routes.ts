import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import {
  beginSecondStep,
  changeOwnName,
  changePassword,
  confirmSecondStep,
  endOtherLogIns,
  endSecondStep,
  refusal,
  renewRecoveryCodes,
  requestEmail,
  showAccount,
} from '../../access/account.ts'
import type { Limited } from '../../access/log-in.ts'
import { originOf } from '../../access/log-in-cookie.ts'
import { listPasskeys, passkeySite } from '../../access/passkey.ts'
import { listGrants } from '../../access/program-grant.ts'
import type { RateLimiter } from '../../access/rate-limits.ts'
import { countMail } from '../../access/counted-requests.ts'
import { ownFormsOnly } from '../../access/own-forms-hook.ts'
import { Problem } from '../../base/errors.ts'
import { ownOrigins } from '../../base/public-url.ts'
import type { Context } from '../../bookings/context.ts'
import { EmptyObject, problems, StrictObject } from '../../base/wire.ts'
import { tellByMail } from '../../mails/link-mail.ts'
import { consoleCookie, type ConsoleVisit, findVisit } from '../frame/console-page.ts'
import { showNotifications } from '../../push/device.ts'
import { formMedia as consumes, page, refusedForms, tags } from '../frame/console-route.ts'
import { sendLogIn } from '../frame/gate-page.ts'
import { consoleLanguages, languageCookie } from '../frame/texts.ts'
import {
  type Guarded,
  sendAccount,
  sendNewSecondStep,
  sendRecoveryCodes,
  type TypedAccount,
} from './account-page.ts'
import { faultText, limited, Password, seeOther, tooOftenText, unlessBusy } from './log-in-routes.ts'
import { seeOther as redirect } from '../../pages/page.ts'

export const accountPath = '/console/account'
const path = accountPath
const answers = { 200: page, 422: page, 429: page, 503: page, ...seeOther, ...refusedForms }

const Name = Type.String({ maxLength: 400 })
const Email = Type.String({ maxLength: 254 })

/** Returns the address of the account page, with input from before the session expired. */
function keptIn(typed: TypedAccount): string {
  return `${path}?${new URLSearchParams({ ...typed }).toString()}`
}

/**
 * Registers the pages of a person's own account: password, second step, sessions. Visitors get the log-in
 * form.
 */
export function accountRoutes(limiter: RateLimiter) {
  return (app: FastifyInstance, context: Context): void => {
    const ours = ownOrigins(context.config)
    void app.register((scope, _options, done) => {
      ownFormsOnly(scope, ours)
      addAccount(scope, context)
      addWho(scope, context, limiter)
      addPassword(scope, context, limiter)
      addSecondStep(scope, context, limiter)
      done()
    })
  }
}

/** Sends the account page again, with a confirmation or faults. */
export async function sendAccountAgain(
  context: Context,
  reply: FastifyReply,
  {
    visit,
    status = 200,
    ...shown
  }: { visit: ConsoleVisit; status?: number; message?: string; typed?: TypedAccount; open?: Guarded },
): Promise<FastifyReply> {
  const account = await showAccount(context, visit.person)
  const notifications = await showNotifications(context, visit.person)
  const hasPasswords = !context.config.oidcOnly
  const passkeys = {
    site: passkeySite(context.config),
    all: hasPasswords ? await listPasskeys(context, visit.person) : [],
  }
  const programs = await listGrants(context, { userId: visit.person.userId })
  return sendAccount(reply.code(status), {
    ...{ visit, account, notifications, passkeys, programs, hasPasswords },
    ...shown,
  })
}

/** The change to show open again, with its input without secrets. */
interface Refused {
  visit: ConsoleVisit
  typed?: TypedAccount
  open?: Guarded
}

/** Sends the explanation of a refused password or code. */
export function sayRefused(
  context: Context,
  reply: FastifyReply,
  { result, ...shown }: Refused & { result: Limited | { outcome: 'wrong' } | undefined },
): Promise<FastifyReply> {
  const { account, gate } = shown.visit.texts
  if (!result) return sendAccountAgain(context, reply, { ...shown, status: 503, message: gate.busy })
  if (result.outcome === 'wrong')
    return sendAccountAgain(context, reply, { ...shown, status: 422, message: account.wrong })
  const message = tooOftenText(gate, limited(reply, result.retryAfterSeconds))
  return sendAccountAgain(context, reply, { ...shown, status: 429, message })
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
        querystring: StrictObject({
          business: Type.Optional(Type.String({ maxLength: 500 })),
          name: Type.Optional(Name),
          email: Type.Optional(Email),
        }),
        response: { 200: page, ...problems('not_found') },
      },
    },
    async (request, reply) => {
      const { business, ...typed } = request.query
      const visit = await findVisit(context, request, business)
      return visit
        ? sendAccountAgain(context, reply, { visit, typed })
        : sendLogIn(context, reply, { next: request.url })
    },
  )
  routes.post(
    `${path}/language`,
    {
      schema: {
        operationId: 'chooseOwnLanguage',
        tags,
        summary: 'Choose the language of the console',
        description: 'In this browser, for a year.',
        consumes,
        body: StrictObject({
          language: Type.String({ description: 'One of the list; others change nothing.' }),
        }),
        response: answers,
      },
    },
    async (request, reply) => {
      const visit = await findVisit(context, request)
      const chosen = consoleLanguages.find((one) => one === request.body.language)
      if (visit && chosen) void reply.header('set-cookie', consoleCookie(languageCookie(chosen)))
      return redirect(reply, path)
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
      return sendAccountAgain(context, reply, { visit, message: visit.texts.account.othersEnded })
    },
  )
}

/** Adds the form for name and email address. */
function addWho(app: FastifyInstance, context: Context, limiter: RateLimiter): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  const described = (operationId: string, summary: string, description: string) => ({
    ...{ operationId, tags, summary, description, consumes },
    response: answers,
  })
  routes.post(
    `${path}/name`,
    {
      schema: {
        ...described('changeOwnName', "Change one's name", 'At every business or hub of the person.'),
        body: StrictObject({ name: Name }),
      },
    },
    async (request, reply) => {
      const visit = await findVisit(context, request)
      if (!visit) return redirect(reply, keptIn({ name: request.body.name }))
      const { account, gate } = visit.texts
      try {
        await changeOwnName(context, visit.person, request.body.name)
      } catch (error) {
        if (!(error instanceof Problem) || error.code !== 'validation_failed') throw error
        return sendAccountAgain(context, reply, { visit, status: 422, message: gate.faults.name })
      }
      return sendAccountAgain(context, reply, { visit, message: account.saved })
    },
  )
  routes.post(
    `${path}/prove`,
    {
      schema: {
        ...described('proveOwnEmail', "Have a link mailed that proves one's address", 'To the present one.'),
        body: EmptyObject,
      },
    },
    async (request, reply) => {
      const visit = await findVisit(context, request)
      return visit
        ? mailProof(context, limiter, { reply, visit, email: visit.person.email })
        : redirect(reply, path)
    },
  )
  routes.post(
    `${path}/email`,
    {
      schema: {
        ...described(
          'changeOwnEmail',
          'Have a link mailed to a new address',
          'With the present password. The address changes once the link was used.',
        ),
        body: StrictObject({ email: Email, 'password-for-email': Password }),
      },
    },
    async (request, reply) => {
      const visit = await findVisit(context, request)
      if (!visit) return redirect(reply, keptIn({ email: request.body.email }))
      const { email, 'password-for-email': password } = request.body
      const asked = { person: visit.person, password, origin: originOf(request) }
      const refused = await unlessBusy(refusal(context, limiter, asked).then((result) => ({ result })))
      if (!refused?.result) {
        if (refused) return mailProof(context, limiter, { reply, visit, email })
        return sayRefused(context, reply, { visit, typed: { email }, result: undefined })
      }
      return sayRefused(context, reply, { visit, typed: { email }, result: refused.result })
    },
  )
}

/** Emails a link that confirms an address, or explains why not. */
async function mailProof(
  context: Context,
  limiter: RateLimiter,
  { reply, visit, email }: { reply: FastifyReply; visit: ConsoleVisit; email: string },
): Promise<FastifyReply> {
  const { account, gate } = visit.texts
  const mails = tellByMail(context, visit.locale)
  if (!mails)
    return sendAccountAgain(context, reply, { visit, status: 422, message: account.emailWithoutMail })
  try {
    await countMail(context, limiter, { person: visit.person, email })
    await requestEmail(context, visit.person, { email, mails })
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    if (error.code === 'validation_failed')
      return sendAccountAgain(context, reply, {
        ...{ visit, typed: { email } },
        status: 422,
        message: gate.faults.email,
      })
    if (error.code !== 'rate_limited') throw error
    const seconds = limited(reply, Number(error.parts.headers?.['retry-after'] ?? 1))
    return sendAccountAgain(context, reply, { visit, status: 429, message: tooOftenText(gate, seconds) })
  }
  return sendAccountAgain(context, reply, { visit, message: account.emailSent({ email }) })
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
      if (context.config.oidcOnly)
        return sendAccountAgain(context, reply, { visit, status: 422, message: gate.oidcOnly })
      const asked = { person: visit.person, origin: originOf(request), ...request.body }
      const result = await unlessBusy(changePassword(context, limiter, asked))
      if (result?.outcome === 'set') {
        const hasPasskeys = (await listPasskeys(context, visit.person)).length > 0
        const message = hasPasskeys ? `${account.changed} ${account.passkeys.stay}` : account.changed
        return sendAccountAgain(context, reply, { visit, message })
      }
      if (result?.outcome === 'fault') {
        const message = faultText(gate, `password_${result.fault}`)
        return sendAccountAgain(context, reply, { visit, status: 422, message, open: 'password' })
      }
      return sayRefused(context, reply, { visit, open: 'password', result })
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
          'With the present password. It counts once a code of it was confirmed.',
        ),
        body: StrictObject({ 'password-to-begin': Password }),
      },
    },
    (request, reply) =>
      visited(request, reply, async (visit) => {
        const password = request.body['password-to-begin']
        const asked = { person: visit.person, password, origin: originOf(request) }
        const result = await unlessBusy(beginSecondStep(context, limiter, asked))
        if (result?.outcome === 'begun') return sendNewSecondStep(reply, { visit, ...result })
        if (result?.outcome === 'present') return sendAccountAgain(context, reply, { visit })
        return sayRefused(context, reply, { visit, open: 'second-step', result })
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
        return sendAccountAgain(context, reply, { visit, status: 422, message: visit.texts.gate.wrongCode })
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
        if (result?.outcome !== 'set') return sayRefused(context, reply, { visit, open: 'codes', result })
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
        if (result?.outcome !== 'ended') return sayRefused(context, reply, { visit, open: 'end', result })
        return sendAccountAgain(context, reply, { visit, message: visit.texts.account.ended })
      }),
  )
}
