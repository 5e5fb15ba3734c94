import type { FastifyInstance } from 'fastify'
import { Problem } from '../errors.ts'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/**
 * Answers a known path with another method by 405 and `Allow` (RFC 9110, section 15.5.6). To be
 * called before the routes are added; the answers are added when all of them are known.
 */
export function methodNotAllowed(app: FastifyInstance): { addAnswers: () => void } {
  const known = new Map<string, Set<string>>()
  app.addHook('onRoute', (route) => {
    const allowed = known.get(route.url) ?? new Set(['OPTIONS'])
    for (const method of [route.method].flat()) allowed.add(method)
    known.set(route.url, allowed)
  })
  return {
    addAnswers: () => {
      for (const [url, allowed] of [...known]) {
        if (url === '*') continue
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
    },
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route only says which methods its path has. */
    answersWrongMethod?: boolean
  }
}
