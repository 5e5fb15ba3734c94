import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import type { TokenType } from '../base/token-types.ts'

interface KnownRoute {
  method: string
  /** With the names of its parameters: `/api/v1/services/:id`. */
  url: string
  /** The key types that may call it; absent where no key is needed. */
  access: readonly TokenType[] | undefined
  /** As it was added. */
  options: RouteOptions
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Every route that was added so far, HEAD beside each GET included. */
    knownRoutes: KnownRoute[]
  }
}

/** Every path below this one belongs to the API, an unknown one too. */
const apiPath = /^\/api\/v1(?=[/?]|$)/

/** Whether a request belongs to the API, by its route or its path. An OPTIONS never does: it gets a preflight response. */
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
