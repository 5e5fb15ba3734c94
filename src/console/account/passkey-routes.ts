import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { refusal } from '../../access/account.ts'
import { deviceOf } from '../../access/log-in.ts'
import { originOf, passkeyBrowser, passkeyCookie } from '../../access/log-in-cookie.ts'
import { ownFormsOnly } from '../../access/own-forms-hook.ts'
import {
  addPasskey,
  logInByPasskey,
  logInOptions,
  maxPasskeys,
  newPasskeyOptions,
  type PasskeySite,
  passkeySite,
  removePasskey,
  renamePasskey,
} from '../../access/passkey.ts'
import type { RateLimiter } from '../../access/rate-limits.ts'
import { Problem } from '../../base/errors.ts'
import { ownOrigins } from '../../base/public-url.ts'
import { EmptyObject, Media, problems, StrictObject } from '../../base/wire.ts'
import type { Context } from '../../bookings/context.ts'
import { seeOther as redirect } from '../../pages/page.ts'
import { type ConsoleVisit, findVisit } from '../frame/console-page.ts'
import { formMedia as consumes, page, refusedForms, tags } from '../frame/console-route.ts'
import { sendLogIn } from '../frame/gate-page.ts'
import { textsOf } from '../frame/texts.ts'
import { accountPath, sayRefused, sendAccountAgain } from './account-routes.ts'
import {
  carrying,
  goIn,
  keptPages,
  limited,
  Next,
  onwardOf,
  Password,
  seeOther,
  tooOftenText,
  unlessBusy,
} from './log-in-routes.ts'
import { carryingLimitBytes } from '../frame/kept-form.ts'
import { sendNewPasskey } from './passkeys-page.ts'

const path = `${accountPath}/passkeys`
const browserBytes = 16
const Credential = Type.String({ maxLength: 16_384, description: 'The JSON of a PublicKeyCredential.' })
const Name = Type.String({ maxLength: 400 })
const Params = StrictObject({ id: Type.String({ format: 'uuid' }) })
const answers = { 200: page, 422: page, 429: page, 503: page, ...seeOther, ...refusedForms }

/** Registers the log-in with a passkey, and the forms for a person's own passkeys. */
export function passkeyRoutes(limiter: RateLimiter) {
  return (app: FastifyInstance, context: Context): void => {
    const ours = ownOrigins(context.config)
    void app.register((scope, _options, done) => {
      ownFormsOnly(scope, ours, carryingLimitBytes)
      addLogIn(scope, context, limiter)
      addNew(scope, context, limiter)
      addChanges(scope, context)
      done()
    })
  }
}

/** Returns the site of passkeys. Throws not_found on a server without a host name. */
function siteOf({ config }: Context): PasskeySite {
  const site = passkeySite(config)
  if (!site) throw new Problem('not_found', 'Passkeys need a server with a host name; set PUBLIC_URL.')
  return site
}

function addLogIn(app: FastifyInstance, context: Context, limiter: RateLimiter): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  routes.post(
    '/console/passkey/options',
    {
      schema: {
        ...{ operationId: 'askForPasskey', tags, consumes },
        summary: 'Begin a log-in with a passkey',
        description:
          'For the script of the log-in page. The challenge is valid for this browser, ten minutes.',
        body: EmptyObject,
        response: {
          200: Media('application/json', 'The options of the request.', Type.Object({})),
          ...refusedForms,
          ...problems('not_found'),
        },
      },
    },
    async (request, reply) => {
      const browser = passkeyBrowser(request) ?? context.ids.bytes(browserBytes).toString('base64url')
      const options = await logInOptions(context, siteOf(context), browser)
      return reply
        .headers({ 'set-cookie': passkeyCookie(request, browser), 'cache-control': 'no-store' })
        .type('application/json; charset=utf-8')
        .send(JSON.stringify(options))
    },
  )
  routes.post(
    '/console/passkey',
    {
      schema: {
        ...{ operationId: 'logInByPasskey', tags, consumes },
        summary: 'Log in with a passkey',
        description: 'The form of `/console`. No second step follows. A challenge works once.',
        body: Type.Object({ credential: Credential, next: Next }, carrying),
        response: { ...keptPages, ...seeOther, 422: page, 429: page, ...refusedForms },
      },
    },
    async (request, reply) => {
      const { gate: texts } = textsOf(request)
      const { next, kept } = onwardOf(request.body)
      const again = (status: number, message: string) =>
        sendLogIn(context, reply.code(status), { next, kept, message })
      const browser = passkeyBrowser(request)
      if (browser === undefined) return again(422, texts.passkeyRefused)
      const result = await logInByPasskey(context, limiter, {
        ...{ site: siteOf(context), browser, origin: originOf(request) },
        response: request.body.credential,
      })
      if (result.outcome === 'refused') return again(422, texts.passkeyRefused)
      if (result.outcome === 'limited')
        return again(429, tooOftenText(texts, limited(reply, result.retryAfterSeconds)))
      const { token, email } = result
      return goIn(context, { request, reply }, { token, path: next, kept, email })
    },
  )
}

/** Runs the work of a form by a person who is logged in. */
async function visited(
  context: Context,
  [request, reply]: [FastifyRequest, FastifyReply],
  work: (visit: ConsoleVisit) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const visit = await findVisit(context, request)
  return visit ? work(visit) : redirect(reply, accountPath)
}

function addNew(app: FastifyInstance, context: Context, limiter: RateLimiter): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  const sendForm = async (
    [request, reply]: [FastifyRequest, FastifyReply],
    visit: ConsoleVisit,
    { name, message }: { name?: string; message?: string } = {},
  ) => {
    const site = siteOf(context)
    const options = await newPasskeyOptions(context, site, visit.person)
    const shown = { visit, site, options, name: name ?? deviceOf(request.headers['user-agent'] ?? '') }
    return sendNewPasskey(reply.code(message === undefined ? 200 : 422), {
      ...shown,
      ...(message !== undefined && { message }),
    })
  }
  routes.post(
    `${path}/new`,
    {
      schema: {
        ...{ operationId: 'beginPasskey', tags, consumes },
        summary: 'Begin to add a passkey',
        description: 'With the present password. The page creates the passkey with a script.',
        body: StrictObject({ 'password-for-passkey': Password }),
        response: { ...answers, ...problems('not_found') },
      },
    },
    (request, reply) =>
      visited(context, [request, reply], async (visit) => {
        const password = request.body['password-for-passkey']
        const asked = { person: visit.person, password, origin: originOf(request) }
        const checked = await unlessBusy(refusal(context, limiter, asked).then((result) => ({ result })))
        return checked && !checked.result
          ? sendForm([request, reply], visit)
          : sayRefused(context, reply, { visit, open: 'passkey', result: checked?.result })
      }),
  )
  routes.post(
    path,
    {
      schema: {
        ...{ operationId: 'addPasskey', tags, consumes },
        summary: 'Add a passkey',
        description: 'That the browser has created for this log-in. At most twenty each.',
        body: StrictObject({ credential: Credential, name: Name }),
        response: { ...answers, ...problems('not_found') },
      },
    },
    (request, reply) =>
      visited(context, [request, reply], async (visit) => {
        const { credential: response, name } = request.body
        const { account, gate } = visit.texts
        const { passkeys: texts } = account
        const { person } = visit
        const outcome = await addPasskey(context, siteOf(context), { person, name, response })
        if (outcome === 'added') return sendAccountAgain(context, reply, { visit, message: texts.added })
        const messages = {
          refused: texts.failed,
          full: texts.full({ most: maxPasskeys }),
          name: gate.faults.name,
        }
        return sendForm([request, reply], visit, { name, message: messages[outcome] })
      }),
  )
}

function addChanges(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  routes.post(
    `${path}/:id`,
    {
      schema: {
        ...{ operationId: 'renamePasskey', tags, consumes },
        summary: 'Rename a passkey',
        description: 'One of the person.',
        params: Params,
        body: StrictObject({ name: Name }),
        response: answers,
      },
    },
    (request, reply) =>
      visited(context, [request, reply], async (visit) => {
        const { account, gate } = visit.texts
        const { id } = request.params
        const isRenamed = await renamePasskey(context, visit.person, { id, name: request.body.name })
        const message = isRenamed ? account.saved : gate.faults.name
        return sendAccountAgain(context, reply, { visit, status: isRenamed ? 200 : 422, message })
      }),
  )
  routes.post(
    `${path}/:id/remove`,
    {
      schema: {
        ...{ operationId: 'removePasskey', tags, consumes },
        summary: 'Remove a passkey',
        description: 'It logs nobody in any more. The device may still list it.',
        params: Params,
        body: EmptyObject,
        response: answers,
      },
    },
    (request, reply) =>
      visited(context, [request, reply], async (visit) => {
        await removePasskey(context, visit.person, request.params.id)
        return sendAccountAgain(context, reply, { visit, message: visit.texts.account.passkeys.removed })
      }),
  )
}
