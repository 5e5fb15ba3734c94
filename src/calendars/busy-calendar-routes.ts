import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { exampleIds } from '../base/examples.ts'
import type { Context } from '../bookings/context.ts'
import { createdOnce } from '../http/created-once.ts'
import { EmptyObject, PathId, problems, StrictObject } from '../base/wire.ts'
import {
  addBusyCalendar,
  deleteBusyCalendar,
  listBusyCalendars,
  presentBusyCalendar,
} from './busy-calendar.ts'
import {
  BusyCalendar,
  BusyCalendarPage,
  BusyCalendarsQuery,
  CreateBusyCalendar,
} from './busy-calendar-schemas.ts'

const access = ['business', 'hub'] as const
const tags = ['Calendars']

/** Registers the API routes that manage busy calendars. */
export function busyCalendarRoutes(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()

  routes.post(
    '/busy-calendars',
    {
      config: { access, people: 'manager', idempotent: true },
      schema: {
        operationId: 'addBusyCalendar',
        tags,
        summary: 'Add a busy calendar',
        description:
          'Nobody can book a staff member at times of their calendar elsewhere. It is fetched within a minute, then every 15 minutes. A staff member can have 5.',
        querystring: EmptyObject,
        body: CreateBusyCalendar,
        response: { 201: BusyCalendar, ...problems('calendar_limit_reached') },
      },
    },
    async (request, reply) =>
      createdOnce(
        context,
        { request, reply },
        {
          run: (store) => addBusyCalendar(context, request.actor, request.body, store),
          present: (created) => ({ body: presentBusyCalendar(created) }),
        },
      ),
  )

  routes.get(
    '/busy-calendars',
    {
      config: { access, people: 'manager' },
      schema: {
        operationId: 'listBusyCalendars',
        tags,
        summary: 'List busy calendars',
        description: 'The newest first, a page at a time, by the hosts of their addresses.',
        querystring: BusyCalendarsQuery,
        response: { 200: BusyCalendarPage },
      },
    },
    (request) => listBusyCalendars(context, request.actor, request.query),
  )

  routes.delete(
    '/busy-calendars/:id',
    {
      config: { access, people: 'manager' },
      schema: {
        operationId: 'deleteBusyCalendar',
        tags,
        summary: 'Delete a busy calendar',
        description: 'Its times are bookable again at once.',
        params: StrictObject({ id: PathId('busy calendar', exampleIds.busyCalendar) }),
        querystring: EmptyObject,
        body: EmptyObject,
        response: { 204: Type.Null({ description: 'Deleted, with its times.' }) },
      },
    },
    async (request, reply) => {
      await deleteBusyCalendar(context, request.actor, request.params.id)
      return reply.code(204).send(null)
    },
  )
}
