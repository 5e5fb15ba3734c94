import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { TokenType } from '../access/token-format.ts'

/** A route of the running service, as clients can call it. */
export interface KnownRoute {
  method: string
  /** With the names of its parameters: `/api/v1/services/:id`. */
  url: string
  /** The key types that may call it; absent where no key is needed. */
  access: readonly TokenType[] | undefined
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Every route that was added so far, HEAD beside each GET included. */
    knownRoutes: KnownRoute[]
  }
}

/** Everything that is answered below this path belongs to the API, an unknown path too. */
const apiPath = /^\/api\/v1(?=[/?]|$)/

/** By its route, or by its path where it has none; an OPTIONS is answered as a preflight, whatever it asks. */
export function isOfApi({ method, routeOptions, originalUrl }: FastifyRequest): boolean {
  return method !== 'OPTIONS' && (apiPath.test(routeOptions.url ?? '') || apiPath.test(originalUrl))
}

/** Keeps a list of the routes. To be called before any is added. */
export function listRoutes(app: FastifyInstance): void {
  const routes: KnownRoute[] = []
  app.decorate('knownRoutes', routes)
  app.addHook('onRoute', (route) => {
    const isOurs = route.url !== '*' && !route.config?.answersWrongMethod // preflights answer on every path
    for (const method of isOurs ? [route.method].flat() : []) {
      routes.push({ method, url: route.url, access: route.config?.access })
    }
  })
}
