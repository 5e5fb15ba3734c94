import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { exampleIds } from '../examples.ts'
import { readClientAddress } from '../http/client-network.ts'
import { createdOnce, type Creation } from '../http/created-once.ts'
import { Closed, Nothing, PathId, problems } from '../wire.ts'
import { etagOf } from './booking-rules.ts'
import {
  Booking,
  BookingHeaders,
  BookingPage,
  BookingsQuery,
  CancelQuery,
  ChangeBooking,
  ConvertHold,
} from './booking-schemas.ts'
import { cancelBooking, changeBooking } from './change-booking.ts'
import { convertHold, type Conversion } from './convert-hold.ts'
import { listBookings } from './list-bookings.ts'
import { presentBooking } from './present-booking.ts'
import { showBooking } from './show-booking.ts'
import { countingRefusals } from './strangers.ts'

const keys = ['business', 'hub'] as const
const creators = ['session', ...keys] as const
const everybody = ['publishable', ...creators] as const
const params = Closed({ id: PathId('booking', exampleIds.booking) })
const tags = ['Bookings']

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
      config: { access: creators, idempotent: true, etag: true },
      schema: {
        operationId: 'createBooking',
        tags,
        summary: 'Turn a hold into a booking',
        description:
          'The booking is confirmed at once and has the id of the hold. A hold converts once. Its slot stays taken until the booking is cancelled. Where the service asks for a deposit, the booking is pending and has `redirect_url`, where the client pays: with the payment it is confirmed; without one it is cancelled when the checkout ends.',
        querystring: Nothing,
        body: ConvertHold,
        response: {
          201: Booking,
          ...problems(
            ...(['hold_not_found', 'hold_expired', 'hold_converted'] as const),
            ...(['booking_limit_reached', 'unavailable'] as const),
          ),
        },
      },
    },
    async (request, reply) => {
      const { actor, body } = request
      const from = readClientAddress(request.ip)
      const creation: Creation<Conversion> = {
        run: (own) => convertHold(own, actor, { ...body, from }),
        present: ({ booking, redirectUrl }) => ({
          body: {
            ...presentBooking(booking, actor),
            ...(redirectUrl !== undefined && { redirect_url: redirectUrl }),
          },
          etag: etagOf(booking),
        }),
      }
      return countingRefusals(context, { actor, from }, () =>
        createdOnce(context, { request, reply }, creation),
      )
    },
  )

  routes.get(
    '/bookings',
    {
      config: { access: keys },
      schema: {
        operationId: 'listBookings',
        tags,
        summary: 'List bookings',
        description:
          'A page at a time, the newest first unless `sort` says otherwise. The agenda of a day is `from`, `to` and `sort=starts_at`. A page of a search (`q`) may hold fewer than `limit`, even none, while more follow: go on until `next_cursor` is null.',
        querystring: BookingsQuery,
        response: { 200: BookingPage },
      },
    },
    async (request) => {
      const { rows, nextCursor } = await listBookings(context, request.actor, request.query)
      return { data: rows.map((row) => presentBooking(row, request.actor)), next_cursor: nextCursor }
    },
  )

  routes.get(
    '/bookings/:id',
    {
      config: { access: everybody, etag: true },
      schema: {
        operationId: 'showBooking',
        tags,
        summary: 'Show a booking',
        description:
          'The session that made it, and business and hub keys, see all of it; others get it with `redacted` true.',
        params,
        querystring: Nothing,
        response: { 200: Booking },
      },
    },
    async (request, reply) =>
      answer(request, reply, await showBooking(context, request.actor, request.params.id)),
  )

  routes.patch(
    '/bookings/:id',
    {
      config: { access: keys, etag: true },
      schema: {
        operationId: 'changeBooking',
        tags,
        summary: 'Reschedule a booking, or change its status, staff member, client or notes',
        description:
          'The old slot is free and the new one taken in one step; a conflict changes nothing. Hours and blocks do not bind keys. What makes no difference is no new version.',
        headers: BookingHeaders,
        params,
        querystring: Nothing,
        body: ChangeBooking,
        response: {
          200: Booking,
          ...problems('slot_held', 'slot_booked', 'slot_not_offered', 'version_conflict'),
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
      config: { access: keys, etag: true },
      schema: {
        operationId: 'cancelBooking',
        tags,
        summary: 'Cancel a booking',
        description:
          'Its slot is free at once. Cancelling again changes nothing, but for a refund that was not asked for before.',
        headers: BookingHeaders,
        params,
        querystring: CancelQuery,
        body: Nothing,
        response: { 200: Booking, ...problems('version_conflict') },
      },
    },
    async (request, reply) => {
      const target = {
        id: request.params.id,
        ifMatch: request.headers['if-match'],
        refund: request.query.refund === 'full',
      }
      return answer(request, reply, await cancelBooking(context, request.actor, target))
    },
  )
}
