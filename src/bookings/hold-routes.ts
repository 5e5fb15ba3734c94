import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Context } from '../context.ts'
import { exampleIds } from '../examples.ts'
import { readClientAddress } from '../http/client-network.ts'
import { createdOnce } from '../http/created-once.ts'
import { Closed, Nothing, PathId, problems } from '../wire.ts'
import { Hold, HoldWithStatus, PlaceHold } from './hold-schemas.ts'
import { placeHold } from './place-hold.ts'
import { presentHold } from './present-hold.ts'
import { releaseHold } from './release-hold.ts'
import { showHold } from './show-hold.ts'

const access = ['session', 'business', 'hub'] as const
const params = Closed({ hold_id: PathId('hold', exampleIds.booking) })
const tags = ['Holds']

/** Placing, showing and releasing holds (contract: Holds). */
export function holdRoutes(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()

  routes.post(
    '/bookings/hold',
    {
      config: { access, idempotent: true },
      schema: {
        operationId: 'placeHold',
        tags,
        summary: 'Hold a slot',
        description:
          'For ten minutes nobody else can hold or book the slot. A session that holds again for an overlapping time replaces its own hold in one step; when the new slot is refused, the old hold stays.',
        querystring: Nothing,
        body: PlaceHold,
        response: {
          201: Hold,
          ...problems('not_found', 'slot_held', 'slot_booked', 'slot_not_offered', 'hold_limit_reached'),
        },
      },
    },
    async (request, reply) => {
      const input = { ...request.body, from: readClientAddress(request.ip) }
      return createdOnce(
        context,
        { request, reply },
        {
          run: (own) => placeHold(own, request.actor, input),
          present: ({ hold, timezone }) => ({ body: presentHold(hold, timezone) }),
        },
      )
    },
  )

  routes.get(
    '/bookings/hold/:hold_id',
    {
      config: { access },
      schema: {
        operationId: 'showHold',
        tags,
        summary: 'Show a hold',
        description: 'A session sees its own holds, business and hub keys all in their reach.',
        params,
        querystring: Nothing,
        response: { 200: HoldWithStatus, ...problems('hold_not_found') },
      },
    },
    async (request) => {
      const { hold, status } = await showHold(context, request.actor, request.params.hold_id)
      return { ...presentHold(hold, hold.timezone), status }
    },
  )

  routes.delete(
    '/bookings/hold/:hold_id',
    {
      config: { access },
      schema: {
        operationId: 'releaseHold',
        tags,
        summary: 'Release a hold',
        description: 'Its slot is free at once. A hold that has ended already stays as it is.',
        params,
        querystring: Nothing,
        body: Nothing,
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
