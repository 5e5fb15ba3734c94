import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { countTrial } from '../access/counted-requests.ts'
import type { RateLimiter } from '../access/rate-limits.ts'
import { exampleIds } from '../base/examples.ts'
import { EmptyObject, PathId, problems, StrictObject } from '../base/wire.ts'
import type { Context } from './context.ts'
import { presentOwnServer, removeOwnServer, setOwnServer, showOwnServer } from './own-server.ts'
import { MailServer, SetMailServer } from './own-server-schemas.ts'

const config = { access: [], people: 'owner' } as const
const params = StrictObject({ id: PathId('business', exampleIds.business) })
const tags = ['Businesses']

export function ownServerRoutes(limiter: RateLimiter) {
  return (app: FastifyInstance, context: Context): void => {
    const routes = app.withTypeProvider<TypeBoxTypeProvider>()

    routes.put(
      '/businesses/:id/smtp',
      {
        config,
        schema: {
          operationId: 'setMailServer',
          tags,
          summary: "Send a business's emails through its own server",
          description:
            'Holdfast logs in to the server first, and stores it only if that works. Emails of the business then come from its own address. In production the server needs a public address.',
          params,
          querystring: EmptyObject,
          body: SetMailServer,
          response: { 200: MailServer, ...problems('not_found', 'test_business') },
        },
      },
      async ({ actor, params: { id }, body }) => {
        await countTrial(context, limiter, actor)
        return presentOwnServer(await setOwnServer(context, actor, { id, server: body }))
      },
    )

    routes.get(
      '/businesses/:id/smtp',
      {
        config,
        schema: {
          operationId: 'showMailServer',
          tags,
          summary: 'Show the mail server of a business',
          description: 'Without the password. 404 if its emails go through the server of the operator.',
          params,
          querystring: EmptyObject,
          response: { 200: MailServer, ...problems('not_found') },
        },
      },
      async ({ actor, params: { id } }) => presentOwnServer(await showOwnServer(context, actor, id)),
    )

    routes.delete(
      '/businesses/:id/smtp',
      {
        config,
        schema: {
          operationId: 'removeMailServer',
          tags,
          summary: 'Send emails through the server of the operator again',
          description: 'Holdfast forgets the password. Changes nothing without a server.',
          params,
          querystring: EmptyObject,
          response: { 204: Type.Null({ description: 'The server is forgotten.' }), ...problems('not_found') },
        },
      },
      async (request, reply) => {
        await removeOwnServer(context, request.actor, request.params.id)
        return reply.code(204).send(null)
      },
    )
  }
}
