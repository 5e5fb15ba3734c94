import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { exampleIds } from '../base/examples.ts'
import { EmptyObject, PathId, problems, StrictObject } from '../base/wire.ts'
import type { Context } from '../bookings/context.ts'
import { presentPage } from '../base/paging.ts'
import {
  changeCalendarAccount,
  deleteCalendarAccount,
  listCalendarAccounts,
  presentCalendarAccount,
} from './calendar-account.ts'
import {
  CalendarAccount,
  CalendarAccountPage,
  CalendarAccountsQuery,
  ChangeCalendarAccount,
} from './calendar-account-schemas.ts'

const config = { access: ['business', 'hub'], people: 'manager' } as const
const params = StrictObject({ id: PathId('calendar account', exampleIds.calendarAccount) })
const tags = ['Calendars']

/** Registers the API routes for calendar accounts. They are connected in the console. */
export function calendarAccountRoutes(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()

  routes.get(
    '/calendar-accounts',
    {
      config,
      schema: {
        operationId: 'listCalendarAccounts',
        tags,
        summary: 'List calendar accounts',
        description:
          'The newest first, a page at a time. An account is connected in the console, because its password is for people.',
        querystring: CalendarAccountsQuery,
        response: { 200: CalendarAccountPage },
      },
    },
    async (request) =>
      presentPage(await listCalendarAccounts(context, request.actor, request.query), presentCalendarAccount),
  )

  routes.patch(
    '/calendar-accounts/:id',
    {
      config,
      schema: {
        operationId: 'changeCalendarAccount',
        tags,
        summary: 'Choose the calendars of an account',
        description:
          'Calendars in `keeps_busy` are read every minute. Upcoming bookings move to a new `writes_to` within seconds.',
        params,
        querystring: EmptyObject,
        body: ChangeCalendarAccount,
        response: { 200: CalendarAccount, ...problems('not_found', 'calendar_limit_reached') },
      },
    },
    async ({ actor, params: { id }, body }) =>
      presentCalendarAccount(await changeCalendarAccount(context, actor, { id, change: body })),
  )

  routes.delete(
    '/calendar-accounts/:id',
    {
      config,
      schema: {
        operationId: 'deleteCalendarAccount',
        tags,
        summary: 'Disconnect a calendar account',
        description:
          'Its times are bookable again at once. Events that Holdfast wrote stay in the calendar. Google ends the access within seconds; at Microsoft, the person removes it.',
        params,
        querystring: EmptyObject,
        body: EmptyObject,
        response: { 204: Type.Null({ description: 'Disconnected; its password is deleted.' }) },
      },
    },
    async (request, reply) => {
      await deleteCalendarAccount(context, request.actor, request.params.id)
      return reply.code(204).send(null)
    },
  )
}
