import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ManageActor } from '../access/actor.ts'
import { Availability, DatesQuery, Unchanged } from '../availability/availability-schemas.ts'
import { exampleIds } from '../base/examples.ts'
import { readInstant } from '../base/instants.ts'
import { sendConditional } from '../http/conditional.ts'
import { EmptyObject, Media, PathId, problems, StrictObject } from '../base/wire.ts'
import { etagOf, readIfMatch } from './booking-rules.ts'
import { Booking, BookingHeaders, SeriesQuery } from './booking-schemas.ts'
import { presentBooking } from './presented-booking.ts'
import { changeByClient } from './booking.ts'
import type { Context } from './context.ts'
import { cancelByClientInSeries } from './series-change.ts'
import { CancelManaged, Managed, ManageLink, RescheduleManaged } from './manage-schemas.ts'
import { renewLink, showCalendarFile, showManaged, showMoves } from './manage.ts'

const access = ['manage'] as const
const tags = ['Manage link']

/** Returns the actor. `access` allows manage tokens only. */
function clientOf(request: FastifyRequest): ManageActor {
  return request.actor as ManageActor
}

/** Registers the routes for clients with a manage link. */
export function manageRoutes(app: FastifyInstance, context: Context): void {
  showRoutes(app, context)
  changeRoutes(app, context)
}

function showRoutes(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()

  routes.get(
    '/manage',
    {
      config: { access, etag: true, showsOne: true },
      schema: {
        operationId: 'showManagedBooking',
        tags,
        summary: 'Show the booking of a manage link',
        description:
          'All of it, and what the client may do with it now. The token is in the fragment of `manage_url`. It ends a day after the booking, or with a new link.',
        querystring: EmptyObject,
        response: { 200: Managed },
      },
    },
    async (request, reply) => {
      const { booking, body } = await showManaged(context, clientOf(request))
      void reply.header('etag', etagOf(booking))
      return body
    },
  )

  routes.get(
    '/manage/availability',
    {
      config: { access, etag: true },
      schema: {
        operationId: 'showMoves',
        tags,
        summary: 'Show the slots to which the client can move the booking',
        description:
          'What sessions are offered, for the services and the length of the booking: with the same staff, unless the client chose none.',
        querystring: DatesQuery,
        response: { 200: Availability, 304: Unchanged, ...problems('slot_not_offered') },
      },
    },
    async (request, reply) =>
      sendConditional(request, reply, await showMoves(context, clientOf(request), request.query)),
  )

  routes.get(
    '/manage/calendar.ics',
    {
      config: { access },
      schema: {
        operationId: 'showCalendarFile',
        tags,
        summary: 'The calendar file of the booking',
        description: 'An iCalendar file (RFC 5545). Opened again after a change, it replaces the entry.',
        querystring: EmptyObject,
        response: { 200: Media('text/calendar', 'The file.') },
      },
    },
    async (request, reply) =>
      reply
        .type('text/calendar; charset=utf-8')
        .header('content-disposition', 'attachment; filename="appointment.ics"')
        .header('x-content-type-options', 'nosniff')
        .send(await showCalendarFile(context, clientOf(request))),
  )
}

function changeRoutes(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()

  routes.post(
    '/manage/reschedule',
    {
      config: { access, etag: true },
      schema: {
        operationId: 'rescheduleManagedBooking',
        tags,
        summary: 'Move the booking to another slot',
        description:
          'The old slot is free and the new one taken in one step; a conflict changes nothing. Records `booking.updated`.',
        headers: BookingHeaders,
        querystring: EmptyObject,
        body: RescheduleManaged,
        response: {
          200: Booking,
          ...problems(
            'slot_held',
            'slot_booked',
            'slot_not_offered',
            'version_conflict',
            'change_not_allowed',
          ),
        },
      },
    },
    async (request, reply) => {
      const client = clientOf(request)
      const startsAt = readInstant(request.body.starts_at)
      const change = { startsAt, versions: readIfMatch(request.headers['if-match']) }
      const moved = await changeByClient(context, client, change)
      void reply.header('etag', etagOf(moved))
      return presentBooking(moved, client)
    },
  )

  routes.post(
    '/manage/cancel',
    {
      config: { access, etag: true },
      schema: {
        operationId: 'cancelManagedBooking',
        tags,
        summary: 'Cancel the booking',
        description:
          'The slot is free at once. A paid deposit is refunded in full until `cancel_until`, later not at all. Records `booking.cancelled`.',
        headers: BookingHeaders,
        querystring: SeriesQuery,
        body: CancelManaged,
        response: { 200: Booking, ...problems('version_conflict', 'change_not_allowed') },
      },
    },
    async (request, reply) => {
      const client = clientOf(request)
      const { reason } = request.body
      const versions = readIfMatch(request.headers['if-match'])
      const { series: reach } = request.query
      const change = { ...(reason !== undefined && { reason }), versions, reach }
      const { booking, series } = await cancelByClientInSeries(context, client, change)
      void reply.header('etag', etagOf(booking))
      return { ...presentBooking(booking, client), ...(series && { series }) }
    },
  )

  routes.post(
    '/bookings/:id/manage-link',
    {
      config: { access: ['business', 'hub'], people: 'staff' },
      schema: {
        operationId: 'renewManageLink',
        tags,
        summary: 'Make a new manage link',
        description: 'The link before ends, within five seconds on every server.',
        params: StrictObject({ id: PathId('booking', exampleIds.booking) }),
        querystring: EmptyObject,
        body: EmptyObject,
        response: { 201: ManageLink },
      },
    },
    async (request, reply) =>
      reply.code(201).send(await renewLink(context, request.actor, request.params.id)),
  )
}
