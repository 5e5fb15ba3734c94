import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isSession } from '../access/actor.ts'
import type { RateLimiter } from '../access/rate-limits.ts'
import { hasEmail } from '../base/contact-formats.ts'
import { exampleIds } from '../base/examples.ts'
import { problemKinds } from '../base/errors.ts'
import { readInstants } from '../base/instants.ts'
import { presentPage } from '../base/paging.ts'
import { goneClient } from '../http/gone-client.ts'
import { createdOnce, type Creation } from '../http/created-once.ts'
import { StrictObject, EmptyObject, PathId, problems } from '../base/wire.ts'
import { sendsMail } from '../mails/mail-route.ts'
import { type BatchResult, changeBatch } from './batch.ts'
import type { Context } from './context.ts'
import { countAttemptAtCode } from './coupon.ts'
import { payPart, withLinks, withNewLink } from './manage.ts'
import { etagOf, readIfMatch } from './booking-rules.ts'
import {
  Booking,
  BookingHeaders,
  BookingPage,
  BookingResults,
  BookingsQuery,
  CancelQuery,
  ChangeBooking,
  ChangeBookings,
  ConvertHold,
  HistoryPage,
  HistoryQuery,
  SeriesQuery,
} from './booking-schemas.ts'
import { presentBooking } from './presented-booking.ts'
import { listBookings, showBooking } from './booking.ts'
import { cancelInSeries, changeInSeries, type ChangedInSeries } from './series-change.ts'
import type { Conversion } from './conversion.ts'
import { convertHoldOrSeries } from './series-conversion.ts'
import { listHistory } from './history.ts'
import { countingRefusals } from './strangers.ts'

const keys = ['business', 'hub'] as const
const creators = ['session', ...keys] as const
const everybody = ['publishable', ...creators] as const
const params = StrictObject({ id: PathId('booking', exampleIds.booking) })
const tags = ['Bookings']

/** Returns true if the client gets a confirmation by email. */
function isMailed(
  context: Context,
  { business_id, client_email, status }: { business_id: string; client_email: string; status: string },
  notify = true,
): boolean {
  return sendsMail(context, business_id) && notify && hasEmail(client_email) && status !== 'completed'
}

function presentResult(result: BatchResult) {
  const { id } = result
  if ('booking' in result) return { id, status: 200, etag: etagOf(result.booking) }
  const { code, message: detail, parts } = result.refusal
  const { status, title } = problemKinds[code]
  const { errors, extensions } = parts
  return { id, status, problem: { code, title, detail, ...(errors && { errors }), ...extensions } }
}

export const bookingRoutes =
  (limiter: RateLimiter) =>
  (app: FastifyInstance, context: Context): void => {
    const send = (
      request: FastifyRequest,
      reply: FastifyReply,
      booking: Awaited<ReturnType<typeof showBooking>>,
    ) => {
      void reply.header('etag', etagOf(booking))
      const { actor } = request
      return withLinks(context, { actor, booking }, presentBooking(booking, actor))
    }
    const sendChanged = async (
      request: FastifyRequest,
      reply: FastifyReply,
      { booking, series }: ChangedInSeries,
    ) => ({ ...(await send(request, reply, booking)), ...(series && { series }) })
    const routes = app.withTypeProvider<TypeBoxTypeProvider>()

    routes.post(
      '/bookings',
      {
        config: { access: creators, people: 'staff', idempotent: true, etag: true },
        schema: {
          operationId: 'createBooking',
          tags,
          summary: 'Turn a hold into a booking',
          description:
            'The booking is confirmed at once and has the id of the hold. A hold converts once. Its slot stays taken until the booking is cancelled. With a deposit, the response has `redirect_url`, where the client pays. A booking of a session is then pending: the payment confirms it, and without one it is cancelled when the checkout ends. That of a key or person stands without: it is confirmed, the deposit is due beside it, and `pay_url` stays. What is over is `completed`. With any hold of a series, all its holds become bookings, or none; the answer has the IDs of all in `series`. If a service has `confirmation` `request`, a booking of a session is a request: it is `pending` with `respond_by`, and the business confirms it with `status` `confirmed`, or declines it with `cancelled`. Its deposit is due once it is confirmed.',
          querystring: EmptyObject,
          body: ConvertHold,
          response: {
            201: Booking,
            ...problems(
              ...(['hold_not_found', 'hold_expired', 'hold_converted', 'booking_limit_reached'] as const),
              'slot_not_offered',
              'unavailable',
            ),
          },
        },
      },
      async (request, reply) => {
        const { actor, body } = request
        const from = request.client
        if (isSession(actor) && body.coupon !== undefined)
          await countAttemptAtCode(context, limiter, { scope: actor.scope, from })
        const input = { ...body, from, isGone: goneClient(request) }
        const creation: Creation<Conversion> = {
          run: (store) => convertHoldOrSeries(context, actor, input, store),
          looks: true,
          present: ({ booking, redirectUrl, series }) => ({
            body: {
              ...presentBooking(booking, actor),
              ...(series && { series }),
              ...(redirectUrl !== undefined && { redirect_url: redirectUrl }),
              ...payPart(context, actor, booking),
              ...(isMailed(context, booking, body.notify) && { sends_mail: true }),
            },
            etag: etagOf(booking),
          }),
          complete: (shown, replayed) => withNewLink(context, actor, { shown, replayed }),
        }
        return countingRefusals(context, { actor, from }, () =>
          createdOnce(context, { request, reply }, creation),
        )
      },
    )

    routes.post(
      '/bookings/batch',
      {
        config: { access: keys, people: 'staff', idempotent: true },
        schema: {
          operationId: 'changeBookings',
          tags,
          summary: 'Cancel many bookings, or give them to another person',
          description:
            'Each booking changes as if it were alone, with its event and emails, one after the other. A refusal leaves that booking as it is and does not stop the others: read the `status` of each result. A booking that already is as requested has 200. Repeating a request that failed in between is safe.',
          querystring: EmptyObject,
          body: ChangeBookings,
          response: { 200: BookingResults, ...problems('not_found') },
        },
      },
      async (request, reply) => {
        const { actor, body } = request
        const creation: Creation<BatchResult[]> = {
          status: 200,
          run: async (store) => {
            // each change has its own transaction; after a crash in between, the repetition finds them done
            const results = await changeBatch(context, actor, body)
            await context.db.transaction((tx) => store(tx, results))
            return results
          },
          present: (results) => ({ body: { results: results.map(presentResult) } }),
        }
        return createdOnce(context, { request, reply }, creation)
      },
    )

    routes.get(
      '/bookings',
      {
        config: { access: keys, people: 'staff', readsOnly: true },
        schema: {
          operationId: 'listBookings',
          tags,
          summary: 'List bookings',
          description:
            'Newest first unless `sort` says otherwise. For the agenda of a day, use `from`, `to` and `sort=starts_at`. A page of a search (`q`) may hold fewer than `limit`, even none, while more follow: continue until `next_cursor` is null.',
          querystring: BookingsQuery,
          response: { 200: BookingPage },
        },
      },
      async (request) =>
        presentPage(await listBookings(context, request.actor, request.query), (row) =>
          presentBooking(row, request.actor),
        ),
    )

    routes.get(
      '/bookings/:id',
      {
        config: { access: everybody, people: 'staff', etag: true, readsOnly: true },
        schema: {
          operationId: 'showBooking',
          tags,
          summary: 'Show a booking',
          description:
            'The session that made it, and business and hub keys, see all of it. Others get it with `redacted` true.',
          params,
          querystring: EmptyObject,
          response: { 200: Booking },
        },
      },
      async (request, reply) =>
        send(request, reply, await showBooking(context, request.actor, request.params.id)),
    )

    routes.get(
      '/bookings/:id/history',
      {
        config: { access: keys, people: 'staff' },
        schema: {
          operationId: 'listBookingHistory',
          tags,
          summary: 'List what was done to a booking',
          description: 'The newest first. Kept 400 days.',
          params,
          querystring: HistoryQuery,
          response: { 200: HistoryPage },
        },
      },
      (request) => listHistory(context, request.actor, { ...request.query, id: request.params.id }),
    )

    routes.patch(
      '/bookings/:id',
      {
        config: { access: keys, people: 'staff', etag: true },
        schema: {
          operationId: 'changeBooking',
          tags,
          summary: 'Reschedule a booking, or change its status, staff member, client or notes',
          description:
            'Frees the old slot and takes the new one in one step; a conflict changes nothing. Hours, days off and blocks do not bind keys: `GET /availability/explain` tells beforehand. A cancelled booking is moved only together with another status. A request that changes nothing makes no new version. With `series`, the others of its series change, too: a new time moves all by as much on the wall clock; a refusal has `conflicts`.',
          headers: BookingHeaders,
          params,
          querystring: SeriesQuery,
          body: ChangeBooking,
          response: {
            200: Booking,
            ...problems(
              'slot_held',
              'slot_booked',
              'slot_not_offered',
              'change_not_allowed',
              'version_conflict',
            ),
          },
        },
      },
      async (request, reply) => {
        const target = { id: request.params.id, versions: readIfMatch(request.headers['if-match']) }
        const change = readInstants(request.body, 'starts_at', 'ends_at')
        const { series: reach } = request.query
        return sendChanged(
          request,
          reply,
          await changeInSeries(context, request.actor, { reach, target, change }),
        )
      },
    )

    routes.delete(
      '/bookings/:id',
      {
        config: { access: keys, people: 'staff', etag: true },
        schema: {
          operationId: 'cancelBooking',
          tags,
          summary: 'Cancel a booking',
          description:
            'The slot is free at once. Cancelling again changes nothing, except for a refund not requested before.',
          headers: BookingHeaders,
          params,
          querystring: CancelQuery,
          body: EmptyObject,
          response: { 200: Booking, ...problems('version_conflict') },
        },
      },
      async (request, reply) => {
        const target = {
          id: request.params.id,
          versions: readIfMatch(request.headers['if-match']),
          refund: request.query.refund === 'full',
          notify: request.query.notify !== 'false',
          reach: request.query.series,
        }
        return sendChanged(request, reply, await cancelInSeries(context, request.actor, target))
      },
    )
  }
