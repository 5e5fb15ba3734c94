import type { FastifyInstance } from 'fastify'
import { countWithin } from '../access/authentication-hook.ts'
import { quotasOfLook } from '../access/rate-limit-rules.ts'
import type { RateLimiter } from '../access/rate-limits.ts'
import { readClientAddress } from '../base/client-network.ts'
import type { Context } from '../bookings/context.ts'
import { consoleLimits } from './console-limits.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True for a public page that reads the database. Its visits count towards the limit of each address. */
    countsVisits?: true
  }
}

/**
 * Counts visits to pages that read the database, before they do so, and requests to the console. Throws
 * rate_limited.
 */
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
