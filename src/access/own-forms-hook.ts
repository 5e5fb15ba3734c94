import type { FastifyInstance } from 'fastify'
import { readForms } from '../http/forms.ts'
import { assertOwnPage, isReading } from './authentication-hook.ts'

/**
 * Accepts forms only from pages of this server. The pages themselves open from anywhere, such as from a link
 * in an email.
 */
export function ownFormsOnly(scope: FastifyInstance, ours: ReadonlySet<string>, limitBytes?: number): void {
  readForms(scope, limitBytes)
  scope.addHook('onRequest', (request, _reply, next) => {
    try {
      if (!isReading(request)) assertOwnPage(request, ours)
      next()
    } catch (error) {
      next(error as Error)
    }
  })
}
