import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { revokeGrant } from '../../access/program-grant.ts'
import { Problem } from '../../base/errors.ts'
import { EmptyObject, StrictObject } from '../../base/wire.ts'
import type { Context } from '../../bookings/context.ts'
import { seeOther } from '../../pages/page.ts'
import { findVisit } from '../frame/console-page.ts'
import { addForms, formMedia as consumes, page, refusedForms, tags } from '../frame/console-route.ts'
import { accountPath, sendAccountAgain } from './account-routes.ts'

/** Registers the form with which people disconnect programs that act for them. */
export function programsRoutes(app: FastifyInstance, context: Context): void {
  addForms(app, context, (scope) => {
    scope.withTypeProvider<TypeBoxTypeProvider>().post(
      `${accountPath}/programs/:id/remove`,
      {
        schema: {
          ...{ operationId: 'disconnectProgram', tags, consumes },
          summary: 'Disconnect a program that acts for a person',
          description: 'At once, on every server. A program that is gone already changes nothing.',
          params: StrictObject({ id: Type.String({ format: 'uuid' }) }),
          body: EmptyObject,
          response: {
            200: page,
            303: Type.Null({ description: 'To the account page, where the log-in is.' }),
            ...refusedForms,
          },
        },
      },
      async (request, reply) => {
        const visit = await findVisit(context, request)
        if (!visit) return seeOther(reply, accountPath)
        const { person } = visit
        await revokeGrant(context, person, { id: request.params.id, userId: person.userId }).catch(
          (error: unknown) => {
            if (!(error instanceof Problem)) throw error // sent twice
          },
        )
        return sendAccountAgain(context, reply, { visit, message: visit.texts.programs.removed })
      },
    )
  })
}
