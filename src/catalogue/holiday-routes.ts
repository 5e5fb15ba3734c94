import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { StrictObject } from '../base/wire.ts'
import { listHolidays } from './holidays.ts'

const HolidaysQuery = StrictObject({
  country: Type.String({ pattern: '^[A-Z]{2}$', description: 'Its ISO 3166 code.', examples: ['AT'] }),
  region: Type.Optional(
    Type.String({ minLength: 1, maxLength: 20, description: 'The code of a state of it.', examples: ['9'] }),
  ),
  year: Type.String({
    pattern: '^(19[7-9]|20\\d)\\d$',
    description: 'From 1970 to 2099.',
    examples: ['2027'],
  }),
})

const HolidayList = Type.Object(
  {
    data: Type.Array(Type.Object({ date: Type.String({ format: 'date' }), name: Type.String() })),
  },
  {
    title: 'HolidayList',
    description: 'The public holidays of a year.',
    examples: [{ data: [{ date: '2027-12-25', name: 'Christmas Day' }] }],
  },
)

/** Suggests public holidays to people, who decide when a location is closed. */
export function holidayRoutes(app: FastifyInstance): void {
  app.withTypeProvider<TypeBoxTypeProvider>().get(
    '/holidays',
    {
      config: { access: [], people: 'staff' },
      schema: {
        operationId: 'listHolidays',
        tags: ['Catalogue'],
        summary: 'List public holidays',
        description:
          'Suggestions for the `date_overrides` of a location, for people who are logged in. Names are in the language of `Accept-Language` if it is known.',
        querystring: HolidaysQuery,
        response: { 200: HolidayList },
      },
    },
    async ({ query: { year, ...place }, headers }) => {
      const [language = 'en'] = /^[a-z]{2,3}/.exec(headers['accept-language'] ?? '') ?? []
      return { data: await listHolidays(place, { year: Number(year), language }) }
    },
  )
}
