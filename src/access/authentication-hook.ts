import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type ClientAddress, liesIn, readClientAddress } from '../base/client-network.ts'
import { Problem } from '../base/errors.ts'
import { ownOrigins } from '../base/public-url.ts'
import { isOfApi } from '../http/route-list.ts'
import { scopesOfRoute } from '../http/route-scopes.ts'
import { scopeKey } from '../database/tenant-scope.ts'
import type { Context } from './context.ts'
import { assertMayCall, type Caller, isProgram } from './actor.ts'
import { authenticate, bearerToken, cachedCaller, invalidCredentials } from './authentication.ts'
import { logInToken } from './log-in-cookie.ts'
import { findPerson } from './log-in.ts'
import { findProgramActor } from './program-grant.ts'
import { anonymousQuotas, quotasOfCaller, quotasOfExchange } from './rate-limit-rules.ts'
import type { Quota } from './rate-limit-types.ts'
import type { RateLimiter, RateLimitResult } from './rate-limits.ts'
import { isPersonToken } from './token.ts'
import { inRealTime, realClock, type TestTime } from '../base/clock.ts'
import { inTime, readTestTime } from './test-clock.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The client's address. Set on routes with `access`. */
    client: ClientAddress
    /**
     * Pending while the request is counted in parallel with its handler, on routes with `readsOnly`. Rejects with the
     * refusal.
     */
    counting?: Promise<void> | undefined
    /** The time of a test business whose clock stands still. */
    testTime?: TestTime | undefined
  }
  interface FastifyContextConfig {
    /** The route is about keys, sessions or accounts, which ignore the clock of a test business. */
    inRealTime?: true
    /** Parameters of `WWW-Authenticate` that a 401 of the route adds (RFC 6750). */
    challenge?: string
    /** The route counts for the client's address, not for its key. */
    countsFor?: 'address'
    /**
     * The route changes nothing. Its handler may begin while the request is counted, and its answer waits for the
     * count.
     */
    readsOnly?: true
  }
}

/** Counts requests. Each method throws `rate_limited`. */
interface RequestCounter {
  countCaller(request: FastifyRequest, reply: FastifyReply, caller: Caller): Promise<void>
  /** Returns true if the limits have room, as far as this process knows. */
  hasRoom(request: FastifyRequest, caller: Caller): boolean
  /** Counts a request without a valid key. */
  countAnonymous(request: FastifyRequest, reply: FastifyReply): Promise<void>
}

const subjects: Record<Quota['kind'], string> = {
  key: 'This key or session may make',
  sessions: 'All sessions from one address or IPv6 network together may make',
  exchange: 'One address or IPv6 network may exchange keys for sessions',
  start: 'One address or IPv6 network may open booking pages with',
  feed: 'One address or IPv6 network may read feeds with',
  page: 'One address or IPv6 network may open pages with',
  push: 'One address or IPv6 network may send false reports about calendars with',
  stranger: 'Without a valid key, one address or IPv6 network may make',
  login: 'One address or IPv6 network may try to log in with',
  account: 'Log-in attempts for one account are limited to',
  mail: 'Emails to one address, or for one business, are limited to',
  program: 'Programs from one address or IPv6 network, or all together, may make',
}

const counted = new AsyncLocalStorage<true>()

/**
 * Runs work that sends a request to this server within another request that has been counted. The inner request is
 * authenticated again but not counted.
 */
export function withinCounted<T>(work: () => Promise<T>): Promise<T> {
  return counted.run(true, async () => await work()) // awaited inside, because `inject` begins only then
}

/**
 * Authenticates every request to a route with `access` before its body is read. Refuses in this order: credentials
 * (401), limits (429), then key type, plan and origin (403). Unknown paths and methods of the API count too, so that
 * probing is not free.
 */
export function guardRequests(app: FastifyInstance, context: Context, limiter: RateLimiter): void {
  const ours = ownOrigins(context.config)
  const counter = countRequests(app, context, limiter)
  app.decorateRequest('actor')
  app.decorateRequest('counting')
  app.decorateRequest('client')
  app.decorateRequest('testTime')
  app.addHook('onRequest', async (request, reply) => {
    const { access, people, plan, readsOnly, programs, challenge } = request.routeOptions.config
    if (!access && !isOfApi(request)) return
    request.client = readClientAddress(request.ip)
    let actor: Caller
    try {
      // keys and sessions end in real time
      actor = await inRealTime(() => callerOf(context, request, ours))
    } catch (error) {
      // after any other error, such as an unreachable database, the key may be valid
      if (error instanceof Problem) await counter.countAnonymous(request, reply)
      if (!access) return
      throw withChallenge(error, challenge)
    }
    const { address } = request.client
    request.actor = { ...actor, via: { address, requestId: request.id } } // the actor itself is cached
    if (actor.isTest && 'businessId' in actor.scope) {
      request.testTime = await readTestTime(context, actor.scope.businessId)
      assertLinkHolds(context, actor, request.testTime)
    }
    // repeated refusals cost no read
    if (readsOnly && counter.hasRoom(request, actor)) {
      request.counting = counter.countCaller(request, reply, actor)
      request.counting.catch(() => undefined) // the answer waits for it
    } else {
      await counter.countCaller(request, reply, actor)
    }
    if (!access) return
    const { origin } = request.headers
    const scopes = scopesOfRoute(request.routeOptions)
    // the tools of a program check the role of its person
    const least = programs && isProgram(actor) ? 'staff' : people
    assertMayCall(
      actor,
      { access, people: least, plan, scopes },
      isOwnPage(request, ours) ? undefined : origin,
    )
  })
  // runs the handler within the call, unlike a hook that returns a promise
  app.addHook('preHandler', (request, _reply, done) => {
    const { testTime: time, routeOptions } = request
    inTime(context, routeOptions.config.inRealTime ? undefined : time, done)
  })
}

/** Throws invalid_credentials if the manage link of a test business has ended by its clock. */
function assertLinkHolds({ clock }: Context, actor: Caller, time: TestTime | undefined): void {
  if (actor.type !== 'manage' || actor.endsAt > (time?.now ?? realClock(clock).now())) return
  throw invalidCredentials('The bearer token is unknown, malformed or revoked.')
}

/** Returns the caller of a bearer token, or else of a log-in cookie. Throws if either is invalid. */
async function callerOf(
  context: Context,
  request: FastifyRequest,
  ours: ReadonlySet<string>,
): Promise<Caller> {
  const { authorization } = request.headers
  const ofProgram = bearerToken(authorization) ?? ''
  if (isPersonToken(ofProgram, 'access')) return callerOfProgram(context, request, ofProgram)
  const token = authorization === undefined ? logInToken(request) : undefined
  if (token === undefined) return authenticate(context, authorization)
  assertOwnPage(request, ours)
  const person = await findPerson(context, token)
  if (!person) throw invalidCredentials('The log-in has ended; log in again at /console.')
  return person
}

/** Returns the person for whom a program acts. Its token is for its own routes, and for requests within them. */
async function callerOfProgram(context: Context, request: FastifyRequest, token: string): Promise<Caller> {
  const isHere = request.routeOptions.config.programs ?? counted.getStore()
  if (!isHere) throw invalidCredentials('The token of a program works at /mcp only. Use a key.')
  const actor = await findProgramActor(context, token)
  if (!actor) throw invalidCredentials('The token has expired or was revoked; refresh it, or ask again.')
  return actor
}

/** Adds parameters to the challenge of a 401. */
function withChallenge(error: unknown, challenge: string | undefined): unknown {
  const scheme = error instanceof Problem ? error.parts.headers?.['www-authenticate'] : undefined
  if (!(error instanceof Problem) || scheme === undefined || challenge === undefined) return error
  const header = `${scheme}${scheme.includes(' ') ? ',' : ''} ${challenge}`
  const headers = { ...error.parts.headers, 'www-authenticate': header }
  return new Problem(error.code, error.message, { ...error.parts, headers })
}

const safeMethods = ['GET', 'HEAD', 'OPTIONS']

/** True for methods that change nothing (RFC 9110, 9.2.1). */
export function isReading({ method }: FastifyRequest): boolean {
  return safeMethods.includes(method)
}

/**
 * Browsers send the log-in cookie with every request to this host, whatever its origin. A log-in acts only for pages of
 * this server. Browsers report the origin of a request in `Sec-Fetch-Site`, older ones in `Origin`. Without either,
 * only reads are allowed. Throws origin_not_allowed.
 */
export function assertOwnPage(request: FastifyRequest, ours: ReadonlySet<string>): void {
  const { origin, 'sec-fetch-site': site } = request.headers
  const isSafe = isReading(request)
  const isOwn =
    site !== undefined
      ? site === 'same-origin' || (isSafe && site === 'none') // typed into the address bar
      : origin !== undefined
        ? ours.has(origin) || origin === `${request.protocol}://${request.host}`
        : isSafe
  if (!isOwn)
    throw new Problem(
      'origin_not_allowed',
      'A log-in works on the pages of this server only, not from other websites.',
    )
}

/**
 * True if a page of this server sends the request, such as the booking page, which uses any publishable key. Browsers
 * report this in `Sec-Fetch-Site`, which no script can set, even if PUBLIC_URL differs from the URL they use.
 */
export function isOwnPage({ headers }: FastifyRequest, ours: ReadonlySet<string>): boolean {
  return ours.has(headers.origin ?? '') || headers['sec-fetch-site'] === 'same-origin'
}

/**
 * Sets the rate limit headers on every response of the API. Some responses count nothing: 503 under overload or without
 * the database, 400 of broken HTTP. They report the state last known to this process, without a query to a store.
 */
function countRequests(app: FastifyInstance, context: Context, limiter: RateLimiter): RequestCounter {
  const factor = context.config.rateLimitFactor
  const quotasOf = ({ routeOptions, client }: FastifyRequest, caller: Caller) => {
    if (routeOptions.config.countsFor === 'address') return quotasOfExchange(client, factor)
    const trusted = caller.type === 'session' ? caller.trustedNetworks : []
    const isTrusted = trusted.length > 0 && liesIn(client.address, trusted)
    return quotasOfCaller(caller, isTrusted ? null : client, factor)
  }
  const anonymous = ({ client }: FastifyRequest) => anonymousQuotas(client, factor)

  app.addHook('onSend', (request, reply, payload, done) => {
    const { counting } = request
    if (!counting) return done(null, payload)
    request.counting = undefined // the response that refuses it passes here, too
    counting.then(
      () => done(null, payload),
      (refusal: unknown) => {
        reply.removeHeader('etag') // belongs to the response that is not sent
        done(refusal as Error) // like all errors of this project
      },
    )
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!reply.hasHeader('x-ratelimit-limit') && isOfApi(request)) {
      request.client = readClientAddress(request.ip) // early refusals happen before the other hook
      const caller = cachedCaller(context, request.headers.authorization)
      setLimitHeaders(reply, limiter.peek(caller ? quotasOf(request, caller) : anonymous(request)))
    }
    done(null, payload)
  })
  const count = async (reply: FastifyReply, quotas: Quota[], owner?: string) => {
    if (!counted.getStore()) await countWithin(limiter, reply, quotas, owner)
  }
  return {
    countCaller: (request, reply, caller) => count(reply, quotasOf(request, caller), scopeKey(caller.scope)),
    hasRoom: (request, caller) => limiter.peek(quotasOf(request, caller)).remaining > 0,
    countAnonymous: (request, reply) => count(reply, anonymous(request)),
  }
}

/** Counts a request of a tenant and sets the rate limit headers of its answer. Throws rate_limited. */
export async function countWithin(
  limiter: RateLimiter,
  reply: FastifyReply,
  quotas: Quota[],
  owner?: string,
): Promise<void> {
  const result = await limiter.count(quotas, owner)
  setLimitHeaders(reply, result)
  if (!result.allowed) throw rateLimited(result)
}

function setLimitHeaders(reply: FastifyReply, { limit, remaining, resetsAtSeconds }: RateLimitResult): void {
  void reply.headers({
    'x-ratelimit-limit': limit,
    'x-ratelimit-remaining': remaining,
    'x-ratelimit-reset': resetsAtSeconds,
  })
}

function rateLimited({ kind, limit, unit, retryAfterSeconds }: RateLimitResult): Problem {
  const max = kind === 'exchange' ? `${limit} times` : `${limit} requests`
  return new Problem(
    'rate_limited',
    `${subjects[kind]} ${max} ${unit === 'minute' ? 'a minute' : 'an hour'}; try again in ${retryAfterSeconds} s.`,
    { headers: { 'retry-after': String(retryAfterSeconds) } },
  )
}
