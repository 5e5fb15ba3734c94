import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Context } from '../context.ts'
import { exampleIds } from '../examples.ts'
import { createdOnce } from '../http/created-once.ts'
import { Closed, Nothing, pageOf, PathId } from '../wire.ts'
import { BlockPage, BlocksQuery, BlockWithConflicts, CreateBlock } from './block-schemas.ts'
import { createBlock, cursorOfBlock, deleteBlock, listBlocks, showBlock } from './manage-blocks.ts'
import { presentBlock, presentBlockWithConflicts } from './present-block.ts'

const access = ['business', 'hub'] as const
const params = Closed({ id: PathId('block', exampleIds.booking) })
const tags = ['Catalogue']

/** Times that nobody can book (contract: The catalogue). */
export function blockRoutes(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()

  routes.post(
    '/blocks',
    {
      config: { access, idempotent: true },
      schema: {
        operationId: 'createBlock',
        tags,
        summary: 'Block a time',
        description:
          'Nobody can book it at the location, or with the staff member, whose business it is of. What is held or booked there already stays; the answer names the bookings.',
        querystring: Nothing,
        body: CreateBlock,
        response: { 201: BlockWithConflicts },
      },
    },
    async (request, reply) =>
      createdOnce(
        context,
        { request, reply },
        {
          run: (own) => createBlock(own, request.actor, request.body),
          present: (created) => ({ body: presentBlockWithConflicts(created) }),
        },
      ),
  )

  routes.get(
    '/blocks',
    {
      config: { access },
      schema: {
        operationId: 'listBlocks',
        tags,
        summary: 'List blocks',
        description: 'By their start, a page at a time.',
        querystring: BlocksQuery,
        response: { 200: BlockPage },
      },
    },
    async (request) => {
      const { rows, limit } = await listBlocks(context, request.actor, request.query)
      return pageOf(rows, limit, { present: presentBlock, cursor: cursorOfBlock })
    },
  )

  routes.get(
    '/blocks/:id',
    {
      config: { access },
      schema: {
        operationId: 'showBlock',
        tags,
        summary: 'Show a block',
        description: 'With the bookings that lie in its time now.',
        params,
        querystring: Nothing,
        response: { 200: BlockWithConflicts },
      },
    },
    async (request) => presentBlockWithConflicts(await showBlock(context, request.actor, request.params.id)),
  )

  routes.delete(
    '/blocks/:id',
    {
      config: { access },
      schema: {
        operationId: 'deleteBlock',
        tags,
        summary: 'Delete a block',
        description: 'Its time can be booked again at once.',
        params,
        querystring: Nothing,
        body: Nothing,
        response: { 204: Type.Null({ description: 'It is gone.' }) },
      },
    },
    async (request, reply) => {
      await deleteBlock(context, request.actor, request.params.id)
      return reply.code(204).send(null)
    },
  )
}
