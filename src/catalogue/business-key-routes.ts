import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { exampleIds } from '../base/examples.ts'
import { presentPage } from '../base/paging.ts'
import { StrictObject, EmptyObject, PathId } from '../base/wire.ts'
import type { Context } from '../access/context.ts'
import {
  changeKeyInScope,
  issueKeyInScope,
  listKeyRequestsInScope,
  listKeysInScope,
  presentKey,
  revokeKeyInScope,
} from './business-keys.ts'
import { ChangeKey, CreateKey, IssuedKey, Key, KeyPage, KeyRequests, KeysQuery } from './key-schemas.ts'

const access = ['business', 'hub'] as const

const tags = ['Businesses']

const businessId = PathId('business', exampleIds.business)

const params = StrictObject({
  id: businessId,
  key_id: PathId('key', '01a1fa68-4d17-7c55-a1b0-9c53e0d7f2aa'),
})

export function businessKeyRoutes(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()

  routes.get(
    '/businesses/:id/keys',
    {
      config: { inRealTime: true, access, people: 'owner', scopes: [] },
      schema: {
        operationId: 'listKeys',
        tags,
        summary: 'List the keys of a business',
        description: 'Newest first, with revoked ones. The key itself is not shown again.',
        params: StrictObject({ id: businessId }),
        querystring: KeysQuery,
        response: { 200: KeyPage },
      },
    },
    async (request) => {
      const asked = { businessId: request.params.id, query: request.query }
      const { page, timezone } = await listKeysInScope(context, request.actor, asked)
      return presentPage(page, (key) => presentKey(key, timezone))
    },
  )

  routes.post(
    '/businesses/:id/keys',
    {
      config: { inRealTime: true, access, people: 'owner' },
      schema: {
        operationId: 'createKey',
        tags,
        summary: 'Issue a key for a business',
        description:
          'Only this response shows the key itself. It ignores `Idempotency-Key`: Holdfast stores no secret for a retry.',
        params: StrictObject({ id: businessId }),
        querystring: EmptyObject,
        body: CreateKey,
        response: { 201: IssuedKey },
      },
    },
    async (request, reply) => {
      const asked = { businessId: request.params.id, input: request.body }
      return reply.code(201).send(await issueKeyInScope(context, request.actor, asked))
    },
  )

  routes.patch(
    '/businesses/:id/keys/:key_id',
    {
      config: { inRealTime: true, access, people: 'owner' },
      schema: {
        operationId: 'changeKey',
        tags,
        summary: 'Change which websites may use a publishable key',
        description: 'Within five seconds every server heeds it, for the sessions of the key, too.',
        params,
        querystring: EmptyObject,
        body: ChangeKey,
        response: { 200: Key },
      },
    },
    async (request) => {
      const { id: businessId, key_id: keyId } = request.params
      return changeKeyInScope(context, request.actor, { businessId, keyId, change: () => request.body })
    },
  )

  routes.get(
    '/businesses/:id/keys/:key_id/requests',
    {
      config: { inRealTime: true, access, people: 'owner', scopes: [] },
      schema: {
        operationId: 'listKeyRequests',
        tags,
        summary: 'List the last 100 requests of a key',
        description:
          'Newest first, without headers, queries and bodies. A request appears after at most two seconds. Sessions are not included.',
        params,
        querystring: EmptyObject,
        response: { 200: KeyRequests },
      },
    },
    async (request) => {
      const { id: businessId, key_id: keyId } = request.params
      return { data: await listKeyRequestsInScope(context, request.actor, { businessId, keyId }) }
    },
  )

  routes.delete(
    '/businesses/:id/keys/:key_id',
    {
      config: { inRealTime: true, access, people: 'owner' },
      schema: {
        operationId: 'revokeKey',
        tags,
        summary: 'Revoke a key',
        description:
          'Within five seconds every server refuses it, and the sessions of a publishable key. Revoking it again changes nothing.',
        params,
        querystring: EmptyObject,
        body: EmptyObject,
        response: { 204: Type.Null({ description: 'The key is revoked.' }) },
      },
    },
    async (request, reply) => {
      const { id, key_id: keyId } = request.params
      await revokeKeyInScope(context, request.actor, { businessId: id, keyId })
      return reply.code(204).send(null)
    },
  )
}
