import type { FastifyInstance } from 'fastify'
import { countWithin } from '../access/authentication-hook.ts'
import { quotasOfLook } from '../access/rate-limit-rules.ts'
import type { RateLimiter } from '../access/rate-limits.ts'
import { readClientAddress } from '../base/client-network.ts'
import type { Context } from '../bookings/context.ts'
import { consoleLimits } from './console-limits.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a page that anybody may open reads the database: each address may open so many of them. */
    countsVisits?: true
  }
}

/** Counts visits of pages that read the database, before they read it, and requests to the console. Throws rate_limited. */
export function pageLimits(limiter: RateLimiter) {
  return (app: FastifyInstance, context: Context): void => {
    consoleLimits(limiter)(app, context)
    app.addHook('onRequest', async (request, reply) => {
      if (!request.routeOptions.config.countsVisits) return
      const client = readClientAddress(request.ip)
      await countWithin(limiter, reply, quotasOfLook('page', client, context.config.rateLimitFactor))
    })
  }
}
