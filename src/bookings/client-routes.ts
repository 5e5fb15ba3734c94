import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { createdOnce } from '../http/created-once.ts'
import { EmptyObject, problems } from '../base/wire.ts'
import type { Context } from './context.ts'
import { exportClient } from './client-export.ts'
import { EraseClient, ErasedClient, ExportClient, ExportedClient } from './client-data-schemas.ts'
import { BlockClient, BlockedClient, ClientPage, ClientsQuery } from './client-schemas.ts'
import { listClients, namedClient } from './client.ts'
import { eraseClient } from './erasure.ts'
import { blockClient, presentBlockedClient, unblockClient } from './strangers.ts'

const access = ['business', 'hub'] as const
const tags = ['Clients']

export function clientRoutes(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()

  routes.get(
    '/clients',
    {
      config: { access, people: 'front_desk' },
      schema: {
        operationId: 'listClients',
        tags,
        summary: 'List clients',
        description:
          'Everybody for whom there is a booking, by name. People who share an e-mail address are listed apart. A page of a search (`q`), or with `before`, may hold fewer than `limit`, even none, while more follow: continue until `next_cursor` is null.',
        querystring: ClientsQuery,
        response: { 200: ClientPage, ...problems('not_found') },
      },
    },
    (request) => listClients(context, request.actor, request.query),
  )

  routes.post(
    '/clients/block',
    {
      config: { access, people: 'front_desk', idempotent: true },
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
      config: { access, people: 'front_desk' },
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

  routes.post(
    '/clients/export',
    {
      config: { access, people: 'owner' },
      schema: {
        operationId: 'exportClient',
        tags,
        summary: 'Give all that is kept about a client',
        description: 'For a client who asks what a business knows. Nobody known gives no bookings.',
        querystring: EmptyObject,
        body: ExportClient,
        response: { 200: ExportedClient, ...problems('not_found') },
      },
    },
    async ({ actor, body: { cursor, ...named } }) => {
      const client = await namedClient(context, actor, named)
      return exportClient(context, actor, { ...client, ...(cursor !== undefined && { cursor }) })
    },
  )

  routes.post(
    '/clients/erase',
    {
      config: { access, people: 'owner' },
      schema: {
        operationId: 'eraseClient',
        tags,
        summary: 'Erase a client',
        description:
          'Names become `Erased`; e-mail, phone, notes and answers go, from everything that is kept. Times and money stay, bookings ahead too. No event, no mail. It cannot be undone; erasing again finds nothing.',
        querystring: EmptyObject,
        body: EraseClient,
        response: { 200: ErasedClient, ...problems('not_found') },
      },
    },
    async ({ actor, body }) => eraseClient(context, actor, await namedClient(context, actor, body)),
  )
}
