import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { AuditPage, AuditQuery } from './audit-schemas.ts'
import { listAudit } from './audit.ts'
import type { Context } from './context.ts'

export function auditRoutes(app: FastifyInstance, context: Context): void {
  app.withTypeProvider<TypeBoxTypeProvider>().get(
    '/audit',
    {
      config: { access: ['business', 'hub'], people: 'owner' },
      schema: {
        operationId: 'listAudit',
        tags: ['Audit'],
        summary: 'List changes and their authors',
        description:
          'Every change except holds, the newest first, kept for 400 days. Entries refer to things by ID and contain no data of clients.',
        querystring: AuditQuery,
        response: { 200: AuditPage },
      },
    },
    (request) => listAudit(context, request.actor, request.query),
  )
}
