import type { FastifyInstance } from 'fastify'
import { countWithin } from '../access/authentication-hook.ts'
import type { PersonActor } from '../access/actor.ts'
import { logInToken } from '../access/log-in-cookie.ts'
import { findPerson } from '../access/log-in.ts'
import { quotasOfCaller, quotasOfLook } from '../access/rate-limit-rules.ts'
import type { RateLimiter } from '../access/rate-limits.ts'
import { readClientAddress } from '../base/client-network.ts'
import type { Context } from '../bookings/context.ts'
import { scopeKey } from '../database/tenant-scope.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The person logged in on console pages; undefined for nobody. */
    person: PersonActor | undefined
  }
  interface FastifyContextConfig {
    /**
     * True for a console route that serves the same file to everybody. Its requests do not count towards
     * limits.
     */
    isFile?: true
    /** True for the log-out, which people can always use. It happens once for each log-in. */
    endsLogIn?: true
  }
}

/**
 * Counts a person's requests to the console together with those to the API, before bodies are read. Throws
 * rate_limited. Login forms have separate limits for addresses and accounts.
 */
export function consoleLimits(limiter: RateLimiter) {
  return (app: FastifyInstance, context: Context): void => {
    app.decorateRequest('person')
    app.addHook('onRequest', async (request, reply) => {
      const { url = request.url, config } = request.routeOptions // unknown addresses have no route
      if (!/^\/console(?=[/?]|$)/.test(url) || config.isFile) return
      const token = logInToken(request)
      const person = token === undefined ? undefined : await findPerson(context, token)
      request.person = person
      if (!person) {
        if (token === undefined) return // nothing was read from the database
        const client = readClientAddress(request.ip)
        await countWithin(limiter, reply, quotasOfLook('page', client, context.config.rateLimitFactor))
        return
      }
      if (config.endsLogIn) return
      const quotas = quotasOfCaller(person, null, context.config.rateLimitFactor)
      await countWithin(limiter, reply, quotas, scopeKey(person.scope))
    })
  }
}
