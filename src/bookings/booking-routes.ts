import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Context } from '../context.ts'
import { Closed, Nothing, pageOf, problems } from '../wire.ts'
import { etagOf } from './booking-rules.ts'
import { Booking, BookingPage, BookingsQuery, ChangeBooking, ConvertHold } from './booking-schemas.ts'
import { cancelBooking, changeBooking } from './change-booking.ts'
import { convertHold } from './convert-hold.ts'
import { cursorOf, listBookings } from './list-bookings.ts'
import { presentBooking } from './present-booking.ts'
import { showBooking } from './show-booking.ts'

const keys = ['business', 'hub'] as const
const creators = ['session', ...keys] as const
const everybody = ['publishable', ...creators] as const
const params = Closed({ id: Type.String() })

type ShownBooking = Awaited<ReturnType<typeof showBooking>>

function answer(request: FastifyRequest, reply: FastifyReply, booking: ShownBooking) {
  void reply.header('etag', etagOf(booking))
  return presentBooking(booking, request.actor)
}

/** Creating, showing, listing, changing and cancelling bookings (contract: Bookings). */
export function bookingRoutes(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()

  routes.post(
    '/bookings',
    {
      config: { access: creators },
      schema: {
        querystring: Nothing,
        body: ConvertHold,
        response: {
          201: Booking,
          ...problems('hold_not_found', 'hold_converted', 'validation_failed', 'unavailable'),
        },
      },
    },
    async (request, reply) => {
      const booking = await convertHold(context, request.actor, request.body)
      return reply.code(201).send(answer(request, reply, booking))
    },
  )

  routes.get(
    '/bookings',
    {
      config: { access: keys },
      schema: { querystring: BookingsQuery, response: { 200: BookingPage, ...problems('unavailable') } },
    },
    async (request) => {
      const { rows, limit } = await listBookings(context, request.actor, request.query)
      return pageOf(rows, limit, { present: (row) => presentBooking(row, request.actor), cursor: cursorOf })
    },
  )

  routes.get(
    '/bookings/:id',
    {
      config: { access: everybody },
      schema: {
        params,
        querystring: Nothing,
        response: { 200: Booking, ...problems('not_found', 'unavailable') },
      },
    },
    async (request, reply) =>
      answer(request, reply, await showBooking(context, request.actor, request.params.id)),
  )

  routes.patch(
    '/bookings/:id',
    {
      config: { access: keys },
      schema: {
        params,
        querystring: Nothing,
        body: ChangeBooking,
        response: {
          200: Booking,
          ...problems('not_found', 'slot_held', 'version_conflict', 'validation_failed', 'unavailable'),
        },
      },
    },
    async (request, reply) => {
      const target = { id: request.params.id, ifMatch: request.headers['if-match'] }
      return answer(
        request,
        reply,
        await changeBooking(context, request.actor, { target, change: request.body }),
      )
    },
  )

  routes.delete(
    '/bookings/:id',
    {
      config: { access: keys },
      schema: {
        params,
        querystring: Nothing,
        body: Nothing,
        response: { 200: Booking, ...problems('not_found', 'version_conflict', 'unavailable') },
      },
    },
    async (request, reply) => {
      const target = { id: request.params.id, ifMatch: request.headers['if-match'] }
      return answer(request, reply, await cancelBooking(context, request.actor, target))
    },
  )
}
