import type { FastifyInstance } from 'fastify'
import { METHODS } from 'node:http'
import { Problem } from '../errors.ts'

/** Every method that can reach a route; a CONNECT never becomes a request. */
const methods = METHODS.filter((method) => method !== 'CONNECT')

/**
 * Answers a known path with another method by 405 and `Allow` (RFC 9110, section 15.5.6). To be
 * called when all routes are known.
 */
export function answerWrongMethods(app: FastifyInstance): void {
  for (const method of methods) {
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method)
  }
  const allowedAt = new Map<string, Set<string>>()
  for (const { method, url } of app.knownRoutes) {
    allowedAt.set(url, (allowedAt.get(url) ?? new Set(['OPTIONS'])).add(method))
  }
  for (const [url, allowed] of allowedAt) {
    const allow = [...allowed].toSorted().join(', ')
    app.route({
      method: methods.filter((method) => !allowed.has(method)),
      url,
      config: { answersWrongMethod: true },
      // before any credentials are asked for
      onRequest: (_request, _reply, done) => {
        done(new Problem('method_not_allowed', `Use one of: ${allow}.`, { headers: { allow } }))
      },
      handler: () => undefined,
    })
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route only says which methods its path has. */
    answersWrongMethod?: boolean
  }
}
