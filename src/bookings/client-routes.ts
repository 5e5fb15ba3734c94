import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { createdOnce } from '../http/idempotency.ts'
import { EmptyObject, problems } from '../http/wire.ts'
import type { Context } from './context.ts'
import { BlockClient, BlockedClient } from './client-schemas.ts'
import { blockClient, presentBlockedClient, unblockClient } from './strangers.ts'

const access = ['business', 'hub'] as const
const tags = ['Clients']

export function clientRoutes(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()

  routes.post(
    '/clients/block',
    {
      config: { access, idempotent: true },
      schema: {
        operationId: 'blockClient',
        tags,
        summary: 'Block a client',
        description:
          'Sessions can no longer book for this client: 429 `booking_limit_reached`, as for too many bookings. Existing bookings stay, and keys can still book. Blocking a client again changes nothing.',
        querystring: EmptyObject,
        body: BlockClient,
        response: { 201: BlockedClient, ...problems('not_found') },
      },
    },
    async (request, reply) =>
      createdOnce(
        context,
        { request, reply },
        {
          run: (store) => blockClient(context, request.actor, request.body, store),
          present: (client) => ({ body: presentBlockedClient(client) }),
        },
      ),
  )

  routes.delete(
    '/clients/block',
    {
      config: { access },
      schema: {
        operationId: 'unblockClient',
        tags,
        summary: 'Let a client book again',
        description: 'Unblocking a client who is not blocked changes nothing.',
        querystring: EmptyObject,
        body: BlockClient,
        response: { 204: Type.Null({ description: 'The client is not blocked.' }), ...problems('not_found') },
      },
    },
    async (request, reply) => {
      await unblockClient(context, request.actor, request.body)
      return reply.code(204).send(null)
    },
  )
}
