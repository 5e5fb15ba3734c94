import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { exampleIds } from '../base/examples.ts'
import { readInstants } from '../base/instants.ts'
import { goneClient } from '../http/gone-client.ts'
import { createdOnce } from '../http/created-once.ts'
import { StrictObject, EmptyObject, PathId, problems } from '../base/wire.ts'
import type { Context } from './context.ts'
import { Hold, HoldWithStatus, PlaceHold } from './hold-schemas.ts'
import { placeSeries, presentSeries, withSeriesAlternatives } from './series.ts'
import { oneItem, placeHold, presentHold, releaseHold, showHold } from './hold.ts'

const access = ['session', 'business', 'hub'] as const
const params = StrictObject({ hold_id: PathId('hold', exampleIds.booking) })
const tags = ['Holds']

export function holdRoutes(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()

  routes.post(
    '/bookings/hold',
    {
      config: { access, people: 'staff', idempotent: true },
      schema: {
        operationId: 'placeHold',
        tags,
        summary: 'Hold a slot',
        description:
          'For ten minutes nobody else can hold or book the slot. A session that holds an overlapping time replaces its own hold in one step. When the new slot is refused, the old hold stays. Hours, days off, blocks, notice and grid bind sessions only: to a key, `GET /availability/explain` tells beforehand. With `repeat`, all times of a series are held in one step; a refusal has `conflicts`: each time that is not free, with the reason and other times. A session may repeat a service as often as its `max_repeats`.',
        querystring: EmptyObject,
        body: PlaceHold,
        response: {
          201: Hold,
          ...problems('not_found', 'slot_held', 'slot_booked', 'slot_not_offered', 'hold_limit_reached'),
        },
      },
    },
    async (request, reply) => {
      const from = request.client
      const { repeat, conflicts, ...body } = readInstants(request.body, 'starts_at')
      const input = { ...body, from, isGone: goneClient(request) }
      const { actor } = request
      if (repeat) {
        const wanted = { ...input, repeat, conflicts }
        return createdOnce(
          context,
          { request, reply },
          {
            run: (store) => placeSeries(context, actor, wanted, store),
            looks: true,
            present: (placed) => ({
              body: presentSeries(placed, { actor, showsItems: body.items !== undefined }),
            }),
            complete: (shown) => withSeriesAlternatives(context, actor, { input: wanted, shown }),
          },
        )
      }
      return createdOnce(
        context,
        { request, reply },
        {
          run: (store) => placeHold(context, actor, input, store),
          looks: true,
          present: ({ hold, timezone, items }) => ({
            body: presentHold(hold, {
              ...{ timezone, actor },
              items: request.body.items && (items ?? [oneItem(hold)]),
            }),
          }),
        },
      )
    },
  )

  routes.get(
    '/bookings/hold/:hold_id',
    {
      config: { access, people: 'staff', readsOnly: true },
      schema: {
        operationId: 'showHold',
        tags,
        summary: 'Show a hold',
        description: 'A session sees its own holds; business and hub keys see all in their scope.',
        params,
        querystring: EmptyObject,
        response: { 200: HoldWithStatus, ...problems('hold_not_found') },
      },
    },
    async (request) => {
      const { actor } = request
      const { hold, status, items } = await showHold(context, actor, request.params.hold_id)
      return { ...presentHold(hold, { timezone: hold.timezone, actor, items }), status }
    },
  )

  routes.delete(
    '/bookings/hold/:hold_id',
    {
      config: { access, people: 'staff' },
      schema: {
        operationId: 'releaseHold',
        tags,
        summary: 'Release a hold',
        description:
          'The slot is free at once. A hold that has ended stays as it is. With a hold of a series, the whole series ends.',
        params,
        querystring: EmptyObject,
        body: EmptyObject,
        response: {
          204: Type.Null({ description: 'The hold is over.' }),
          ...problems('hold_not_found', 'hold_converted'),
        },
      },
    },
    async (request, reply) => {
      await releaseHold(context, request.actor, request.params.hold_id)
      return reply.code(204).send(null)
    },
  )
}
