import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { cursorOfKey } from '../access/manage-keys.ts'
import type { Context } from '../context.ts'
import { exampleIds } from '../examples.ts'
import { Closed, Nothing, pageOf, PathId } from '../wire.ts'
import { CreateKey, IssuedKey, KeyPage, KeysQuery } from './key-schemas.ts'
import { issueKeyInReach, listKeysInReach, presentKey, revokeKeyInReach } from './keys-in-reach.ts'

const access = ['business', 'hub'] as const
const tags = ['Businesses']
const businessId = PathId('business', exampleIds.business)

/** The keys of a business (contract: Keys, sessions, plans). */
export function businessKeyRoutes(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()

  routes.get(
    '/businesses/:id/keys',
    {
      config: { access },
      schema: {
        operationId: 'listKeys',
        tags,
        summary: 'List the keys of a business',
        description: 'The newest first, revoked ones too. A key itself cannot be read again.',
        params: Closed({ id: businessId }),
        querystring: KeysQuery,
        response: { 200: KeyPage },
      },
    },
    async (request) => {
      const asked = { businessId: request.params.id, query: request.query }
      const { rows, limit, timezone } = await listKeysInReach(context, request.actor, asked)
      return pageOf(rows, limit, { present: (key) => presentKey(key, timezone), cursor: cursorOfKey })
    },
  )

  routes.post(
    '/businesses/:id/keys',
    {
      config: { access },
      schema: {
        operationId: 'createKey',
        tags,
        summary: 'Issue a key for a business',
        description:
          'Only this answer shows the key itself. An `Idempotency-Key` is ignored here: a secret is not kept for a repetition.',
        params: Closed({ id: businessId }),
        querystring: Nothing,
        body: CreateKey,
        response: { 201: IssuedKey },
      },
    },
    async (request, reply) => {
      const asked = { businessId: request.params.id, input: request.body }
      return reply.code(201).send(await issueKeyInReach(context, request.actor, asked))
    },
  )

  routes.delete(
    '/businesses/:id/keys/:key_id',
    {
      config: { access },
      schema: {
        operationId: 'revokeKey',
        tags,
        summary: 'Revoke a key',
        description:
          'Within five seconds no server accepts it, nor the sessions of a publishable key. Revoking it again changes nothing.',
        params: Closed({ id: businessId, key_id: PathId('key', '01a1fa68-4d17-7c55-a1b0-9c53e0d7f2aa') }),
        querystring: Nothing,
        body: Nothing,
        response: { 204: Type.Null({ description: 'It is revoked.' }) },
      },
    },
    async (request, reply) => {
      const { id, key_id: keyId } = request.params
      await revokeKeyInReach(context, request.actor, { businessId: id, keyId })
      return reply.code(204).send(null)
    },
  )
}
