import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { createdOnce } from '../http/created-once.ts'
import { exampleIds } from '../base/examples.ts'
import { presentPage } from '../base/paging.ts'
import { EmptyObject, PathId, problems, StrictObject } from '../base/wire.ts'
import type { Context } from './context.ts'
import { exportClient } from './client-export.ts'
import { EraseClient, ErasedClient, ExportClient, ExportedClient } from './client-data-schemas.ts'
import {
  BlockClient,
  BlockedClient,
  ChangeClient,
  Client,
  ClientPage,
  ClientsQuery,
  CreateClient,
  MergeClient,
} from './client-schemas.ts'
import {
  changeClient,
  createClient,
  listClients,
  mergeClients,
  namedClient,
  presentClient,
  showClient,
} from './client.ts'
import { eraseClient } from './erasure.ts'
import { blockClient, presentBlockedClient, unblockClient } from './strangers.ts'

const access = ['business', 'hub'] as const
const params = StrictObject({ id: PathId('client', exampleIds.client) })
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
          'By name. People who share an e-mail address are listed apart. `q` and `email` also find what they gave in earlier bookings. A page of a search (`q`) may hold fewer than `limit`, even none, while more follow: continue until `next_cursor` is null.',
        querystring: ClientsQuery,
        response: { 200: ClientPage, ...problems('not_found') },
      },
    },
    async (request) => presentPage(await listClients(context, request.actor, request.query), presentClient),
  )

  routes.post(
    '/clients',
    {
      config: { access, people: 'front_desk', idempotent: true },
      schema: {
        operationId: 'createClient',
        tags,
        summary: 'Add a client',
        description:
          'Bookings with this name and e-mail address, or phone number without any, then belong to the client. 409 `client_exists` names the client that has them already, in `client_id`.',
        querystring: EmptyObject,
        body: CreateClient,
        response: { 201: Client, ...problems('not_found', 'client_exists') },
      },
    },
    async (request, reply) =>
      createdOnce(
        context,
        { request, reply },
        {
          run: (store) => createClient(context, request.actor, request.body, store),
          present: (client) => ({ body: presentClient(client) }),
        },
      ),
  )

  routes.get(
    '/clients/:id',
    {
      config: { access, people: 'staff' },
      schema: {
        operationId: 'showClient',
        tags,
        summary: 'Show a client',
        description: 'Staff see the clients of their own appointments.',
        params,
        querystring: EmptyObject,
        response: { 200: Client },
      },
    },
    async (request) => presentClient(await showClient(context, request.actor, request.params.id)),
  )

  routes.patch(
    '/clients/:id',
    {
      config: { access, people: 'front_desk' },
      schema: {
        operationId: 'changeClient',
        tags,
        summary: 'Change a client',
        description:
          'Bookings keep the name and contact that they were made with. Further ones with the earlier name or address still belong to this client.',
        params,
        querystring: EmptyObject,
        body: ChangeClient,
        response: { 200: Client, ...problems('client_exists') },
      },
    },
    async ({ actor, params: { id }, body }) =>
      presentClient(await changeClient(context, actor, { id, change: body })),
  )

  routes.post(
    '/clients/:id/merge',
    {
      config: { access, people: 'front_desk' },
      schema: {
        operationId: 'mergeClient',
        tags,
        summary: 'Merge a client into another',
        description:
          'For one person with two entries. The other client gets the bookings, notes and tags, and the contact that it lacks. Further bookings of either belong to it. It cannot be undone.',
        params,
        querystring: EmptyObject,
        body: MergeClient,
        response: { 200: Client },
      },
    },
    async ({ actor, params: { id }, body }) =>
      presentClient(await mergeClients(context, actor, { id, into: body.into })),
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
      config: { access, people: 'owner', scopes: ['read:clients'] },
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
