import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { markedDevice } from '../../access/device.ts'
import { lacksPlaces } from '../../access/first-owner.ts'
import {
  confirmLogIn,
  goTo,
  type LinkResult,
  logIn,
  logOut,
  maxLogInSeconds,
  setPasswordByLink,
} from '../../access/log-in.ts'
import { deviceCookie, logInCookie, logInToken, originOf } from '../../access/log-in-cookie.ts'
import { maxPasswordLength, minPasswordLength } from '../../access/password-rules.ts'
import type { RateLimiter } from '../../access/rate-limits.ts'
import { ownFormsOnly } from '../../access/own-forms-hook.ts'
import { Problem } from '../../base/errors.ts'
import { ownOrigins } from '../../base/public-url.ts'
import type { Context } from '../../bookings/context.ts'
import { makeFirstBusiness } from '../../catalogue/setup.ts'
import type { Transaction } from '../../database/database.ts'
import { EmptyObject, StrictObject } from '../../base/wire.ts'
import { findVisit } from '../frame/console-page.ts'
import { formMedia as consumes, page, refusedForms, tags } from '../frame/console-route.ts'
import { type LinkKind, sendCodeForm, sendEndedLink, sendLinkForm, sendLogIn } from '../frame/gate-page.ts'
import {
  carriedForm,
  carriesForm,
  carryingLimitBytes,
  type KeptForm,
  showKeptForm,
} from '../frame/kept-form.ts'
import { type ConsoleLanguage, type ConsoleTexts, languageOf, textsOf } from '../frame/texts.ts'
import { emptyBusinessForm, newBusinessOf } from '../site/new-business-form.ts'
import { invitationsPath, isInvited } from './invitation-routes.ts'
import { seeOther as redirect } from '../../pages/page.ts'

type GateTexts = ConsoleTexts['gate']

export const seeOther = { 303: Type.Null({ description: 'To a page of the console.' }) }

/** The page of a form that failed because the session expired, with the input; or the second step. */
export const keptPages = { 200: page, 404: page, 409: page }

const Short = Type.String({ maxLength: 254 })
export const Password = Type.String({ maxLength: 4 * maxPasswordLength })
export const Next = Type.Optional(Type.String({ maxLength: 4_000, description: 'The address to go on to.' }))
export const carrying = { ...carriesForm, additionalProperties: false, maxProperties: 3_100 }
const LogInForm = Type.Object({ email: Short, password: Password, next: Next }, carrying)
const LinkForm = StrictObject({
  token: Short,
  password: Password,
  owner_name: Type.Optional(Short),
  email: Type.Optional(Short),
  name: Type.Optional(Type.String({ maxLength: 1_000, description: 'Of the business.' })),
  timezone: Type.Optional(Short),
  locale: Type.Optional(Short),
  brand_color: Type.Optional(Short),
  'brand_color.own': Type.Optional(Short),
  phone: Type.Optional(Short),
  reply_to_email: Type.Optional(Short),
})
const PlaceForm = StrictObject({ place: Short })

/**
 * Registers logging in and out, and setting a password with a link. Forms are accepted only from pages of
 * this server.
 */
export function logInRoutes(limiter: RateLimiter) {
  return (app: FastifyInstance, context: Context): void => {
    const ours = ownOrigins(context.config)
    void app.register((scope, _options, done) => {
      ownFormsOnly(scope, ours, carryingLimitBytes)
      addLogIn(scope, context, limiter)
      addSecondStep(scope, context, limiter)
      addLinks(scope, context, limiter)
      addLogOut(scope, context)
      done()
    })
  }
}

function addLogIn(app: FastifyInstance, context: Context, limiter: RateLimiter): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  routes.get(
    '/console/login',
    {
      schema: {
        operationId: 'reloadLogIn',
        tags,
        summary: 'Leads to the console',
        description: 'The address that stays in a browser which has just logged in.',
        response: seeOther,
      },
    },
    (_request, reply) => void redirect(reply, '/console'),
  )
  routes.post(
    '/console/login',
    {
      schema: {
        operationId: 'logIn',
        tags,
        summary: 'Log in, as a person',
        description: 'The form of `/console`. An unknown address and a wrong password look alike.',
        consumes,
        body: LogInForm,
        response: { ...keptPages, ...seeOther, 422: page, 429: page, 503: page, ...refusedForms },
      },
    },
    async (request, reply) => {
      const { email, password } = request.body
      const texts = textsOf(request).gate
      const onward = onwardOf(request.body)
      const again = (status: number, message: string) =>
        sendLogIn(context, reply.code(status), { ...onward, email, message })
      if (context.config.oidcOnly) return again(422, texts.oidcOnly)
      if (isWithoutTls(request)) return again(422, texts.needsTls)
      const result = await unlessBusy(logIn(context, limiter, { email, password, origin: originOf(request) }))
      if (!result) return again(503, texts.busy)
      if (result.outcome === 'refused') return again(422, texts.refused)
      if (result.outcome === 'limited')
        return again(429, tooOftenText(texts, limited(reply, result.retryAfterSeconds)))
      const { token } = result
      const { next, kept } = onward
      if (result.outcome === 'in')
        return goIn(context, { request, reply }, { token, path: next, kept, email: result.email })
      if (!kept)
        return goOn(request, reply, { token, path: `/console/code?next=${encodeURIComponent(next)}` })
      return sendCodeForm(
        context,
        reply.header('set-cookie', logInCookie(request, token, maxLogInSeconds)),
        onward,
      )
    },
  )
}

function addSecondStep(app: FastifyInstance, context: Context, limiter: RateLimiter): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  routes.get(
    '/console/code',
    {
      schema: {
        operationId: 'showSecondStep',
        tags,
        summary: 'The page of the second step of a log-in',
        description: 'For a code of an authenticator. The same for everybody.',
        querystring: StrictObject({ next: Next }),
        response: { 200: page },
      },
    },
    (request, reply) => sendCodeForm(context, reply, { next: pathWithin(request.query.next) }),
  )
  routes.post(
    '/console/code',
    {
      schema: {
        operationId: 'confirmLogIn',
        tags,
        summary: 'Take the second step of a log-in',
        description: 'Each code works once. Who has not taken the first step is led back to it.',
        consumes,
        body: Type.Object({ code: Short, next: Next }, carrying),
        response: { ...keptPages, ...seeOther, 422: page, 429: page, ...refusedForms },
      },
    },
    async (request, reply) => {
      const { code } = request.body
      const onward = onwardOf(request.body)
      const token = logInToken(request)
      const origin = originOf(request)
      const result =
        token === undefined ? undefined : await confirmLogIn(context, limiter, { token, code, origin })
      if (!result || result.outcome === 'refused')
        return onward.kept ? sendLogIn(context, reply, onward) : redirect(reply, '/console')
      const texts = textsOf(request).gate
      if (result.outcome === 'limited') {
        const message = tooOftenText(texts, limited(reply, result.retryAfterSeconds))
        return sendCodeForm(context, reply.code(429), { ...onward, message })
      }
      if (result.outcome === 'code')
        return sendCodeForm(context, reply.code(422), { ...onward, message: texts.wrongCode })
      const { token: confirmed, email } = result
      const { next: path, kept } = onward
      return goIn(context, { request, reply }, { token: confirmed, path, kept, email })
    },
  )
}

function addLinks(app: FastifyInstance, context: Context, limiter: RateLimiter): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  const texts: Record<LinkKind, { show: string; use: string; summary: string }> = {
    link: { show: 'showLinkPage', use: 'useLink', summary: 'set a password by a link' },
    first: {
      show: 'showFirstOwnerPage',
      use: 'createFirstOwner',
      summary: 'become the first owner by a link',
    },
  }
  const kinds: LinkKind[] = ['link', 'first']
  for (const kind of kinds) {
    routes.get(
      `/console/${kind}`,
      {
        schema: {
          operationId: texts[kind].show,
          tags,
          summary: `The page on which people ${texts[kind].summary}`,
          description:
            'The same for everybody, and changes nothing. The token is in the fragment of its address.',
          response: { 200: page },
        },
      },
      async (request, reply) => {
        const begins = kind === 'first' && (await lacksPlaces(context))
        const state = emptyBusinessForm(languageOf(request))
        return sendLinkForm(reply, { kind, business: begins ? { state, isFresh: true } : undefined })
      },
    )
    routes.post(
      `/console/${kind}`,
      {
        schema: {
          operationId: texts[kind].use,
          tags,
          summary: `Use a link: ${texts[kind].summary}`,
          description: 'A link works once, for 30 minutes. Ends all log-ins of the person before.',
          consumes,
          body: LinkForm,
          response: { ...seeOther, 404: page, 422: page, 429: page, 503: page, ...refusedForms },
        },
      },
      async (request, reply) => {
        const { token, password, owner_name: name = '', email = '' } = request.body
        const language = languageOf(request)
        const { gate: texts, setUp } = language.texts
        const begun =
          kind === 'first' && (await lacksPlaces(context)) ? businessIn(request.body, language) : undefined
        const owner =
          kind === 'first'
            ? { email, name, makeBusiness: begun && makerOf(context, begun.business) }
            : undefined
        const again = (status: number, message: string) =>
          sendLinkForm(reply.code(status), { kind, token, email, name, business: begun, message })
        if (isWithoutTls(request)) return again(422, texts.needsTls)
        if (begun && Object.keys(begun.state.faults).length > 0)
          return again(422, `${setUp.checkMarked} ${texts.passwordAgain}`)
        const origin = originOf(request)
        const given = { token, password, owner, origin }
        const result = await unlessBusy(setPasswordByLink(context, limiter, given))
        if (!result) return again(503, texts.busy)
        if (result.outcome === 'set') {
          const path = begun ? '/console/start/hours' : '/console'
          if (result.token === undefined) return goOn(request, reply, { token: null, path })
          return goIn(context, { request, reply }, { token: result.token, path, email: result.email })
        }
        if (result.outcome === 'ended') return sendEndedLink(reply)
        if (result.outcome === 'limited')
          return again(429, tooOftenText(texts, limited(reply, result.retryAfterSeconds)))
        const fault = faultText(texts, result.fault)
        const isOfPassword = result.fault.startsWith('password')
        return again(422, isOfPassword ? fault : `${fault} ${texts.passwordAgain}`)
      },
    )
  }
}

/** Returns the first owner's new business. */
function businessIn(sent: Static<typeof LinkForm>, language: ConsoleLanguage) {
  const { name = '', timezone = '', locale = '', phone = '', reply_to_email = '', brand_color = '' } = sent
  const { 'brand_color.own': own = '' } = sent
  const typed = { name, timezone, locale, phone, reply_to_email, brand_color, 'brand_color.own': own }
  const { business, faults } = newBusinessOf(typed, language)
  return { business, state: { typed, faults }, isFresh: false }
}

function makerOf(context: Context, business: ReturnType<typeof newBusinessOf>['business']) {
  return (tx: Transaction) => makeFirstBusiness(context, tx, { business })
}

/** Explains when to try again. */
export function tooOftenText(texts: GateTexts, seconds: number): string {
  return seconds > 90
    ? texts.tooOftenMinutes({ minutes: Math.ceil(seconds / 60) })
    : texts.tooOften({ seconds })
}

/** Explains the fault of a field. */
export function faultText(
  { faults }: GateTexts,
  fault: Extract<LinkResult, { outcome: 'fault' }>['fault'],
): string {
  const text = faults[fault]
  return typeof text === 'string' ? text : text({ least: minPasswordLength, most: maxPasswordLength })
}

function addLogOut(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  routes.post(
    '/console/logout',
    {
      config: { endsLogIn: true },
      schema: {
        operationId: 'logOut',
        tags,
        summary: 'Log out',
        description: 'Ends the log-in on every server.',
        consumes,
        body: EmptyObject,
        response: { ...seeOther, ...refusedForms },
      },
    },
    async (request, reply) => {
      const token = logInToken(request)
      if (token !== undefined) await logOut(context, token)
      return goOn(request, reply, { token: null, path: '/console' })
    },
  )
  routes.post(
    '/console/place',
    {
      schema: {
        operationId: 'goToPlace',
        tags,
        summary: 'Go on at another business or hub of the person',
        description: 'A log-in acts at one place at a time.',
        consumes,
        body: PlaceForm,
        response: { ...seeOther, ...refusedForms },
      },
    },
    async (request, reply) => {
      const visit = await findVisit(context, request)
      if (visit) await goTo(context, visit.person, request.body.place)
      return redirect(reply, '/console')
    },
  )
}

/**
 * Completes a log-in and marks the browser. Leads to the interrupted form, otherwise to the invitations if
 * there are any, or to a page.
 */
export async function goIn(
  context: Context,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { token, path, kept, email }: { token: string; path: string; kept?: KeptForm | undefined; email: string },
): Promise<FastifyReply> {
  const marks = await markedDevice(context, email, originOf(request).devices)
  const cookie = logInCookie(request, token, maxLogInSeconds)
  void reply.header('set-cookie', cookie)
  void reply.header('set-cookie', deviceCookie(request, marks))
  if (kept) return showKeptForm(request, reply, { form: kept, cookie: cookie.split(';', 1)[0] ?? '' })
  return redirect(reply, path === '/console' && (await isInvited(context, token)) ? invitationsPath : path)
}

/** Sets or removes the browser's token, and redirects. */
function goOn(
  request: FastifyRequest,
  reply: FastifyReply,
  { token, path }: { token: string | null; path: string },
): FastifyReply {
  void reply.header('set-cookie', logInCookie(request, token, maxLogInSeconds))
  return redirect(reply, path)
}

/** Returns the page or form that follows a form. */
export function onwardOf(body: Record<string, unknown> & { next?: string }): {
  next: string
  kept: KeptForm | undefined
} {
  const next = pathWithin(body.next)
  return { next, kept: carriedForm(body, next) }
}

/** Returns a path of the console. Forms lead nowhere else. */
export function pathWithin(next: string | undefined): string {
  return next !== undefined && /^\/console(?:[/?][!-~]*)?$/.test(next) ? next : '/console'
}

/** Returns undefined if so many passwords are waiting to be hashed that the page asks for patience. */
export async function unlessBusy<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result
  } catch (error) {
    if (error instanceof Problem && error.code === 'unavailable') return undefined
    throw error
  }
}

/**
 * Browsers keep a secure cookie only over https. They report the scheme that they used, regardless of
 * proxies.
 */
function isWithoutTls(request: FastifyRequest): boolean {
  const { origin } = request.headers
  const isSecured = logInCookie(request, null, 0).endsWith('Secure')
  return isSecured && origin !== undefined && origin.startsWith('http:')
}

/** Reports to programs how long to wait. */
export function limited(reply: FastifyReply, seconds: number): number {
  void reply.header('retry-after', String(seconds))
  return seconds
}
