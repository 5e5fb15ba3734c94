import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { maxLogInSeconds } from '../../access/log-in.ts'
import { logInCookie, oidcCookie, oidcState, originOf } from '../../access/log-in-cookie.ts'
import {
  limitedReturns,
  logInByProvider,
  OidcProvider,
  OidcRefused,
  oidcReturnPath,
  oidcSeconds,
} from '../../access/oidc.ts'
import type { RateLimiter } from '../../access/rate-limits.ts'
import { Problem } from '../../base/errors.ts'
import { problems, StrictObject } from '../../base/wire.ts'
import type { Context } from '../../bookings/context.ts'
import { seeOther } from '../../pages/page.ts'
import { page, tags } from '../frame/console-route.ts'
import { sendLogIn } from '../frame/gate-page.ts'
import { textsOf } from '../frame/texts.ts'
import { goIn, limited, Next, pathWithin, tooOftenText } from './log-in-routes.ts'

const pages = { 403: page, 422: page, 429: page, 503: page, ...problems('not_found') }

/** Registers the way to the OpenID provider of OIDC_ISSUER and back. Without one, both are not found. */
export function oidcRoutes(limiter: RateLimiter) {
  return (app: FastifyInstance, context: Context): void => {
    const provider = new OidcProvider(context)
    addStart(app, context, provider)
    addReturn(app, context, { provider, limiter })
  }
}

function assertProvider({ config }: Context): void {
  if (config.oidcIssuer === '') throw new Problem('not_found', 'This server has no OpenID provider.')
}

/** Sends the log-in page with the reason of a failure. Rethrows other errors. */
function sendRefusal(context: Context, reply: FastifyReply, error: unknown): Promise<FastifyReply> {
  if (!(error instanceof OidcRefused)) throw error
  const { gate: texts } = textsOf(reply.request)
  const [status, message] = {
    unavailable: [503, texts.oidcUnavailable] as const,
    expired: [422, texts.oidcExpired] as const,
    unverified: [403, texts.oidcUnverified] as const,
  }[error.reason]
  return sendLogIn(context, reply.code(status), { next: '/console', message })
}

function addStart(app: FastifyInstance, context: Context, provider: OidcProvider): void {
  app.withTypeProvider<TypeBoxTypeProvider>().get(
    `${oidcReturnPath}/start`,
    {
      schema: {
        operationId: 'goToProvider',
        tags,
        summary: 'Go to the OpenID provider to log in',
        description: 'The link of the log-in page. A cookie keeps the state, sealed, for ten minutes.',
        querystring: StrictObject({ next: Next }),
        response: { 303: Type.Null({ description: 'To the provider.' }), ...pages },
      },
    },
    async (request, reply) => {
      assertProvider(context)
      try {
        const { address, sealed } = await provider.begin(pathWithin(request.query.next))
        return await seeOther(reply.header('set-cookie', oidcCookie(request, sealed, oidcSeconds)), address)
      } catch (error) {
        return await sendRefusal(context, reply, error)
      }
    },
  )
}

function addReturn(
  app: FastifyInstance,
  context: Context,
  { provider, limiter }: { provider: OidcProvider; limiter: RateLimiter },
): void {
  app.withTypeProvider<TypeBoxTypeProvider>().get(
    oidcReturnPath,
    {
      schema: {
        operationId: 'logInByProvider',
        tags,
        summary: 'Log in with an OpenID provider',
        description: 'The address to which the provider sends the browser. Each code works once.',
        querystring: Type.Object({}, { additionalProperties: true }), // providers add parameters
        response: { 303: Type.Null({ description: 'To a page of the console.' }), ...pages },
      },
    },
    async (request, reply) => {
      assertProvider(context)
      const { gate: texts } = textsOf(request)
      const origin = originOf(request)
      const refused = await limitedReturns(context, limiter, origin)
      if (refused) {
        const message = tooOftenText(texts, limited(reply, refused.retryAfterSeconds))
        return sendLogIn(context, reply.code(429), { next: '/console', message })
      }
      const sealed = oidcState(request) ?? ''
      void reply.header('set-cookie', oidcCookie(request, null, 0)) // a state works once
      try {
        const { email, next } = await provider.finish(request.url.split('?', 2)[1] ?? '', sealed)
        const result = await logInByProvider(context, { email, origin })
        if (result.outcome === 'unknown') {
          const message = texts.oidcUnknown({ email })
          return await sendLogIn(context, reply.code(403), { next, message })
        }
        const { token } = result
        if (result.outcome === 'in') return await goIn(context, { request, reply }, { ...result, path: next })
        void reply.header('set-cookie', logInCookie(request, token, maxLogInSeconds))
        return await seeOther(reply, `/console/code?next=${encodeURIComponent(next)}`)
      } catch (error) {
        return await sendRefusal(context, reply, error)
      }
    },
  )
}
