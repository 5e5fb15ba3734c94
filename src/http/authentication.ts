import type { FastifyInstance } from 'fastify'
import { assertMayCall } from '../access/access-rules.ts'
import type { Caller } from '../access/actor.ts'
import { authenticate } from '../access/authenticate.ts'
import type { Context } from '../context.ts'
import { Problem } from '../errors.ts'
import { ownOrigins } from '../public-address.ts'
import type { Counting } from './rate-limiting.ts'
import { isOfApi } from './route-list.ts'

/**
 * Finds out who calls and whether they may, before the body is read, on every route that names key
 * types. Refusals in the contract's order: credentials (401), limits (429), then key type, plan and
 * origin (403). A path or method that the API does not have is counted like any other, so that asking for it
 * is not free.
 */
export function authentication(app: FastifyInstance, context: Context, count: Counting): void {
  const ours = ownOrigins(context.config)
  app.decorateRequest('actor')
  app.addHook('onRequest', async (request, reply) => {
    const { access } = request.routeOptions.config
    if (!access && !isOfApi(request)) return
    let actor: Caller
    try {
      actor = await authenticate(context, request.headers.authorization)
    } catch (error) {
      // anything but a refusal says nothing of the key: it may be a valid one
      if (error instanceof Problem) await count.ofStranger(request, reply)
      if (!access) return
      throw error
    }
    request.actor = actor
    await count.ofCaller(request, reply, actor)
    if (!access) return
    const { origin } = request.headers
    // the booking page is served from here, for every publishable key
    assertMayCall(actor, access, origin !== undefined && ours.has(origin) ? undefined : origin)
  })
}
