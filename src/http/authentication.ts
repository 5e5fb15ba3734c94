import type { FastifyInstance, FastifyRequest } from 'fastify'
import { assertMayCall } from '../access/access-rules.ts'
import type { Caller } from '../access/actor.ts'
import { authenticate } from '../access/authenticate.ts'
import type { Context } from '../context.ts'

/**
 * Finds out who calls and whether they may, before the body is read, on every route that names key
 * types. Refusals in the contract's order: credentials (401), then key type, plan and origin (403).
 */
export function authentication(app: FastifyInstance, context: Context): void {
  app.decorateRequest('actor')
  app.addHook('onRequest', async (request) => {
    const { access } = request.routeOptions.config
    if (!access) return
    const actor: Caller = await authenticate(context, request.headers.authorization)
    request.actor = actor
    assertMayCall(actor, access, originOf(request))
  })
}

function originOf(request: FastifyRequest): string | undefined {
  return request.headers.origin
}
