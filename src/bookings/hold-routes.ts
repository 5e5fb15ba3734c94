import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Context } from '../context.ts'
import { Closed, Nothing, problems } from '../wire.ts'
import { Hold, HoldWithStatus, PlaceHold } from './hold-schemas.ts'
import { placeHold } from './place-hold.ts'
import { presentHold } from './present-hold.ts'
import { releaseHold } from './release-hold.ts'
import { showHold } from './show-hold.ts'

const access = ['session', 'business', 'hub'] as const
const params = Closed({ hold_id: Type.String() })

/** Placing, showing and releasing holds (contract: Holds). */
export function holdRoutes(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()

  routes.post(
    '/bookings/hold',
    {
      config: { access },
      schema: {
        querystring: Nothing,
        body: PlaceHold,
        response: {
          201: Hold,
          ...problems('not_found', 'slot_held', 'slot_not_offered', 'hold_limit_reached', 'unavailable'),
        },
      },
    },
    async (request, reply) => {
      const input = { ...request.body, clientNetwork: request.clientNetwork }
      const { hold, timezone } = await placeHold(context, request.actor, input)
      return reply.code(201).send(presentHold(hold, timezone))
    },
  )

  routes.get(
    '/bookings/hold/:hold_id',
    {
      config: { access },
      schema: {
        params,
        querystring: Nothing,
        response: { 200: HoldWithStatus, ...problems('hold_not_found', 'unavailable') },
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
        params,
        querystring: Nothing,
        body: Nothing,
        response: { 204: Type.Null(), ...problems('hold_not_found', 'hold_converted', 'unavailable') },
      },
    },
    async (request, reply) => {
      await releaseHold(context, request.actor, request.params.hold_id)
      return reply.code(204).send(null)
    },
  )
}
