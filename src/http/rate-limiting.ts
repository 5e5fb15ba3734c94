import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../access/actor.ts'
import { Problem } from '../errors.ts'
import { quotaOfExchange, quotaOfKey, quotaOfStranger, type Quota } from '../rate-limits/quota-rules.ts'
import type { RateLimiter, Verdict } from '../rate-limits/rate-limiter.ts'
import { isOfApi } from './route-list.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route counts for the client's address, and not for its key. */
    countsFor?: 'address'
  }
}

/** Counts requests by who sends them. Each throws `rate_limited` when there are too many. */
export interface Counting {
  /** A request with a valid key. */
  ofCaller(request: FastifyRequest, reply: FastifyReply, caller: Caller): Promise<void>
  /** A request without one. */
  ofStranger(request: FastifyRequest, reply: FastifyReply): Promise<void>
}

/**
 * Shows the limits on every answer of the API (contract, section 9) and gives out what counts requests.
 * Where nothing was counted, because nobody was asked for a key (404, 405) or it could not be looked up (503),
 * the answer shows what the address has left without a valid key.
 */
export function rateLimiting(
  app: FastifyInstance,
  { limiter, factor }: { limiter: RateLimiter; factor: number },
): Counting {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (reply.hasHeader('x-ratelimit-limit') || !isOfApi(request)) {
      done(null, payload)
      return
    }
    limiter.look(quotaOfStranger(request.clientNetwork, factor)).then((verdict) => {
      show(reply, verdict)
      done(null, payload)
    }, done)
  })
  const count = async (reply: FastifyReply, quota: Quota) => {
    const verdict = await limiter.count(quota)
    show(reply, verdict)
    if (!verdict.allowed) throw refusal(quota, verdict)
  }
  return {
    ofCaller: (request, reply, caller) =>
      count(
        reply,
        request.routeOptions.config.countsFor === 'address'
          ? quotaOfExchange(request.clientNetwork, factor)
          : quotaOfKey(caller, factor),
      ),
    ofStranger: (request, reply) => count(reply, quotaOfStranger(request.clientNetwork, factor)),
  }
}

function show(reply: FastifyReply, { limit, remaining, resetsAtSeconds }: Verdict): void {
  void reply.headers({
    'x-ratelimit-limit': limit,
    'x-ratelimit-remaining': remaining,
    'x-ratelimit-reset': resetsAtSeconds,
  })
}

const subjects: Record<Quota['kind'], string> = {
  key: 'This key or session may make',
  exchange: 'From one address, keys may be exchanged for sessions',
  stranger: 'Without a valid key, one address may make',
}

function refusal({ kind }: Quota, { limit, unit, retryAfterSeconds }: Verdict): Problem {
  const most = kind === 'exchange' ? `${limit} times` : `${limit} requests`
  return new Problem(
    'rate_limited',
    `${subjects[kind]} ${most} ${unit === 'minute' ? 'a minute' : 'an hour'}; try again in ${retryAfterSeconds} s.`,
    { headers: { 'retry-after': String(retryAfterSeconds) } },
  )
}
