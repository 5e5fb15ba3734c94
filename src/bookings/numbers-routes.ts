import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { problems } from '../base/wire.ts'
import type { Context } from './context.ts'
import { Numbers, NumbersQuery } from './numbers-schemas.ts'
import { readNumbers } from './numbers.ts'

export function numbersRoutes(app: FastifyInstance, context: Context): void {
  app.withTypeProvider<TypeBoxTypeProvider>().get(
    '/numbers',
    {
      config: { access: ['business', 'hub'], people: 'manager' },
      schema: {
        operationId: 'showNumbers',
        tags: ['Bookings'],
        summary: 'Show numbers',
        description:
          'Bookings, cancellations and no-shows of some days, and how much of the open time was booked: by week, and by who or what was booked.',
        querystring: NumbersQuery,
        response: { 200: Numbers, ...problems('not_found') },
      },
    },
    (request) => readNumbers(context, request.actor, request.query),
  )
}
