import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import type { TokenType } from '../base/token-types.ts'

interface KnownRoute {
  method: string
  /** Includes the names of its parameters: `/api/v1/services/:id`. */
  url: string
  /** The key types that may call it. Absent if no key is needed. */
  access: readonly TokenType[] | undefined
  /** As it was added. */
  options: RouteOptions
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Every route so far, including HEAD for each GET. */
    knownRoutes: KnownRoute[]
  }
}

/** Every path below this one belongs to the API, even an unknown one. */
const apiPath = /^\/api\/v1(?=[/?]|$)/

/**
 * True if a request belongs to the API, by its route or its path. An OPTIONS never does, because it gets a preflight
 * response.
 */
export function isOfApi({ method, routeOptions, originalUrl }: FastifyRequest): boolean {
  return method !== 'OPTIONS' && (apiPath.test(routeOptions.url ?? '') || apiPath.test(originalUrl))
}

/** Lists the routes in `knownRoutes`. Call it before adding any. */
export function listRoutes(app: FastifyInstance): void {
  const routes: KnownRoute[] = []
  app.decorate('knownRoutes', routes)
  app.addHook('onRoute', (route) => {
    const isOurs = route.url !== '*' && !route.config?.answersWrongMethod // preflights answer on every path
    for (const method of isOurs ? [route.method].flat() : []) {
      routes.push({ method, url: route.url, access: route.config?.access, options: route })
    }
  })
}
