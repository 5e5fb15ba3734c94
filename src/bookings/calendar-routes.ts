import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Unchanged } from '../availability/availability-schemas.ts'
import { knownTags } from '../http/conditional.ts'
import { problems } from '../base/wire.ts'
import { catalogueCache, presentCalendar, readCalendar } from './calendar.ts'
import { Calendar, CalendarQuery } from './calendar-schemas.ts'
import type { Context } from './context.ts'

export function calendarRoutes(app: FastifyInstance, context: Context): void {
  const calendarContext = { ...context, catalogues: catalogueCache() }
  app.withTypeProvider<TypeBoxTypeProvider>().get(
    '/calendar',
    {
      config: { access: ['business', 'hub'], people: 'staff', etag: true },
      schema: {
        operationId: 'showCalendar',
        tags: ['Bookings'],
        summary: 'Show a calendar',
        description:
          'Bookings, holds, blocks and opening hours of some days, by who or what they take. Send the `ETag` back as `If-None-Match` to poll cheaply. Cancelled bookings take no time and are not in it.',
        querystring: CalendarQuery,
        response: { 200: Calendar, 304: Unchanged, ...problems('not_found') },
      },
    },
    async (request, reply) => {
      const knows = knownTags(request)
      const { tag, calendar } = await readCalendar(calendarContext, request.actor, request.query, knows)
      void reply.header('etag', `"${tag}"`).header('cache-control', 'private, no-cache')
      if (!calendar) return reply.code(304).send(null)
      return presentCalendar(calendar, request.actor)
    },
  )
}
