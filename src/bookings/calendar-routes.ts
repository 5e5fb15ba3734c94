import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Unchanged } from '../availability/availability-schemas.ts'
import { knownTags, sendJson, sendNotModified } from '../http/conditional.ts'
import { goneClient } from '../http/gone-client.ts'
import { problems } from '../base/wire.ts'
import { presentCalendar, readCalendar } from './calendar.ts'
import { Calendar, CalendarQuery } from './calendar-schemas.ts'
import type { Context } from './context.ts'

export function calendarRoutes(app: FastifyInstance, context: Context): void {
  app.withTypeProvider<TypeBoxTypeProvider>().get(
    '/calendar',
    {
      config: { access: ['business', 'hub'], people: 'staff', etag: true },
      schema: {
        operationId: 'showCalendar',
        tags: ['Bookings'],
        summary: 'Show a calendar',
        description:
          'Bookings, holds, blocks and opening hours of some days, by who or what they take. Send the `ETag` back as `If-None-Match` to poll cheaply. Calendars of one business are read one at a time; beyond a short queue they answer 503. Cancelled bookings take no time and are not in it.',
        querystring: CalendarQuery,
        response: { 200: Calendar, 304: Unchanged, ...problems('not_found') },
      },
    },
    async (request, reply) => {
      const { actor, query } = request
      const asked = { query, knows: knownTags(request), isGone: goneClient(request) }
      const { tag, shown } = await readCalendar(context, actor, asked, async (calendar, { slices }) =>
        slices.json(await presentCalendar(calendar, actor, slices)),
      )
      void reply.header('etag', `"${tag}"`).header('cache-control', 'private, no-cache')
      if (shown === undefined) return sendNotModified(reply)
      return sendJson(reply, shown)
    },
  )
}
