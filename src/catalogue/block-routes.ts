import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { exampleIds } from '../base/examples.ts'
import { readInstants } from '../base/instants.ts'
import { presentPage } from '../base/paging.ts'
import { createdOnce } from '../http/created-once.ts'
import { StrictObject, EmptyObject, PathId } from '../base/wire.ts'
import type { Context } from '../access/context.ts'
import { BlockPage, BlocksQuery, BlockWithConflicts, CreateBlock } from './block-schemas.ts'
import {
  createBlock,
  deleteBlock,
  listBlocks,
  presentBlock,
  presentBlockWithConflicts,
  showBlock,
} from './block.ts'

const access = ['business', 'hub'] as const
const params = StrictObject({ id: PathId('block', exampleIds.booking) })
const tags = ['Catalogue']

export function blockRoutes(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()

  routes.post(
    '/blocks',
    {
      config: { access, people: 'staff', idempotent: true },
      schema: {
        operationId: 'createBlock',
        tags,
        summary: 'Block a time',
        description:
          'Sessions cannot book this time at the location, with the staff member or with the resource. Existing holds and bookings stay; the response lists the bookings.',
        querystring: EmptyObject,
        body: CreateBlock,
        response: { 201: BlockWithConflicts },
      },
    },
    async (request, reply) =>
      createdOnce(
        context,
        { request, reply },
        {
          run: (store) =>
            createBlock(context, request.actor, readInstants(request.body, 'starts_at', 'ends_at'), store),
          present: (created) => ({ body: presentBlockWithConflicts(created, request.actor) }),
        },
      ),
  )

  routes.get(
    '/blocks',
    {
      config: { access, people: 'staff' },
      schema: {
        operationId: 'listBlocks',
        tags,
        summary: 'List blocks',
        description: 'Sorted by start.',
        querystring: BlocksQuery,
        response: { 200: BlockPage },
      },
    },
    async (request) => {
      const page = await listBlocks(context, request.actor, request.query)
      return presentPage(page, (block) => presentBlock(block, request.actor))
    },
  )

  routes.get(
    '/blocks/:id',
    {
      config: { access, people: 'staff' },
      schema: {
        operationId: 'showBlock',
        tags,
        summary: 'Show a block',
        description: 'With the bookings that overlap it now.',
        params,
        querystring: EmptyObject,
        response: { 200: BlockWithConflicts },
      },
    },
    async (request) => {
      const found = await showBlock(context, request.actor, request.params.id)
      return presentBlockWithConflicts(found, request.actor)
    },
  )

  routes.delete(
    '/blocks/:id',
    {
      config: { access, people: 'staff' },
      schema: {
        operationId: 'deleteBlock',
        tags,
        summary: 'Delete a block',
        description: 'Its time is bookable again at once.',
        params,
        querystring: EmptyObject,
        body: EmptyObject,
        response: { 204: Type.Null({ description: 'The block is deleted.' }) },
      },
    },
    async (request, reply) => {
      await deleteBlock(context, request.actor, request.params.id)
      return reply.code(204).send(null)
    },
  )
}
