import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { sendJson } from '../http/conditional.ts'
import { goneClient } from '../http/gone-client.ts'
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
          'Bookings, cancellations and no-shows of some days, and how much of the open time was booked: by week, and by who or what was booked. Those of one business are counted one at a time; beyond a short queue they answer 503.',
        querystring: NumbersQuery,
        response: { 200: Numbers, ...problems('not_found') },
      },
    },
    async (request, reply) => {
      const { actor, query } = request
      const asked = { query, isGone: goneClient(request) }
      const json = await readNumbers(context, actor, asked, (numbers, slices) => slices.json(numbers))
      return sendJson(reply, json)
    },
  )
}
