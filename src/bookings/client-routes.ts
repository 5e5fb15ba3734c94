import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Context } from '../context.ts'
import { createdOnce } from '../http/created-once.ts'
import { formatInstant } from '../instants.ts'
import { Nothing, problems } from '../wire.ts'
import { BlockClient, BlockedClient } from './client-schemas.ts'
import { blockClient, unblockClient } from './strangers.ts'

const access = ['business', 'hub'] as const
const tags = ['Clients']

/** The clients of a business (contract: Strangers). */
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
          'Sessions book nothing for this client any more: 429 `booking_limit_reached`, as for too many bookings. What is booked stays, and keys can still book. Blocking a client again changes nothing.',
        querystring: Nothing,
        body: BlockClient,
        response: { 201: BlockedClient, ...problems('not_found') },
      },
    },
    async (request, reply) =>
      createdOnce(
        context,
        { request, reply },
        {
          run: (own) => blockClient(own, request.actor, request.body),
          present: ({ businessId, timezone, email, blockedAt }) => ({
            body: { business_id: businessId, email, blocked_at: formatInstant(blockedAt, timezone) },
          }),
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
        description: 'A client who was not blocked stays as they are.',
        querystring: Nothing,
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
