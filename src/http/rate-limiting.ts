import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../access/actor.ts'
import { liesIn } from '../access/trusted-networks.ts'
import { Problem } from '../errors.ts'
import { quotasOfCaller, quotasOfExchange, quotasOfStranger, type Quota } from '../rate-limits/quota-rules.ts'
import type { RateLimiter, Verdict } from '../rate-limits/rate-limiter.ts'
import { readClientAddress } from './client-network.ts'
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

interface Parts {
  limiter: RateLimiter
  factor: number
  /** Who sent this credential before, as far as is remembered: for answers that look up nothing. */
  remembered: (authorization: string | undefined) => Caller | undefined
}

/**
 * Shows the limits on every answer of the API (contract, section 9) and gives out what counts requests. Where nothing
 * was counted (503 under overload, or when the key could not be looked up; 400 of broken HTTP), the answer shows
 * what this process knew last, and asks no store.
 */
export function rateLimiting(app: FastifyInstance, { limiter, factor, remembered }: Parts): Counting {
  const ofCaller = ({ routeOptions, ip }: FastifyRequest, caller: Caller) => {
    const client = readClientAddress(ip)
    if (routeOptions.config.countsFor === 'address') return quotasOfExchange(client, factor)
    const trusted = caller.type === 'session' ? caller.trustedNetworks : []
    const isTrusted = trusted.length > 0 && liesIn(client.address, trusted)
    return quotasOfCaller(caller, isTrusted ? null : client, factor)
  }
  const ofStranger = ({ ip }: FastifyRequest) => quotasOfStranger(readClientAddress(ip), factor)

  app.addHook('onSend', (request, reply, payload, done) => {
    if (!reply.hasHeader('x-ratelimit-limit') && isOfApi(request)) {
      const caller = remembered(request.headers.authorization)
      show(reply, limiter.peek(caller ? ofCaller(request, caller) : ofStranger(request)))
    }
    done(null, payload)
  })
  const count = async (reply: FastifyReply, quotas: Quota[]) => {
    const verdict = await limiter.count(quotas)
    show(reply, verdict)
    if (!verdict.allowed) throw refusal(verdict)
  }
  return {
    ofCaller: (request, reply, caller) => count(reply, ofCaller(request, caller)),
    ofStranger: (request, reply) => count(reply, ofStranger(request)),
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
  sessions: 'All sessions from one address or IPv6 network may make together',
  exchange: 'From one address or IPv6 network, keys may be exchanged for sessions',
  stranger: 'Without a valid key, one address or IPv6 network may make',
}

function refusal({ kind, limit, unit, retryAfterSeconds }: Verdict): Problem {
  const most = kind === 'exchange' ? `${limit} times` : `${limit} requests`
  return new Problem(
    'rate_limited',
    `${subjects[kind]} ${most} ${unit === 'minute' ? 'a minute' : 'an hour'}; try again in ${retryAfterSeconds} s.`,
    { headers: { 'retry-after': String(retryAfterSeconds) } },
  )
}
