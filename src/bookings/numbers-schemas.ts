import { Type } from 'typebox'
import { exampleIds } from '../base/examples.ts'
import { Id, Nullable, Ruled, ShownId, StrictObject } from '../base/wire.ts'
import { maxNumbersDays, numbersErrors } from './numbers-rules.ts'

const QueryDate = Type.String({ format: 'date' })

export const NumbersQuery = Ruled(
  StrictObject({
    from: Type.String({
      ...QueryDate,
      description: 'The first date, in the time zone of the answer.',
      examples: ['2026-11-02'],
    }),
    to: Type.String({
      ...QueryDate,
      description: `The last date, at most ${maxNumbersDays - 1} days after \`from\`.`,
      examples: ['2026-11-15'],
    }),
    location_id: Type.Optional(
      Type.String({
        ...Id,
        description:
          'One location, in its time zone. If absent, all of them, in the time zone of the business.',
      }),
    ),
    business_id: Type.Optional(
      Type.String({ ...Id, description: 'For hub keys, which need it unless `location_id` is given.' }),
    ),
  }),
  numbersErrors,
)

const Named = Type.Object({ id: ShownId, name: Type.String() })

const Count = Type.Integer({ minimum: 0 })
const CountByWeek = Type.Array(Count)

const descriptions = {
  bookings: 'That were not cancelled, no-shows among them. A visit of several services counts once.',
  cancellations: 'Of bookings that were confirmed: checkouts that were given up are not among them.',
  no_shows: 'Bookings to which nobody came.',
  booked_minutes:
    'Without buffers. An appointment that several clients share counts once; of a service without staff that has room for several, each place counts for its part. Steps that leave the person free do not count.',
  open_minutes: 'Opening hours as they are now, of staff their own within those; blocks are not taken off.',
}

const Week = Type.Object(
  {
    from: Type.String({ ...QueryDate, description: 'The first date.' }),
    to: Type.String({ ...QueryDate, description: 'The last date.' }),
    bookings: Type.Integer({ minimum: 0, description: descriptions.bookings }),
    cancellations: Type.Integer({ minimum: 0, description: descriptions.cancellations }),
    no_shows: Type.Integer({ minimum: 0, description: descriptions.no_shows }),
    booked_minutes: Type.Integer({ minimum: 0, description: descriptions.booked_minutes }),
    open_minutes: Type.Integer({ minimum: 0, description: descriptions.open_minutes }),
  },
  { title: 'WeekInNumbers', description: 'A week from Monday, as far as it lies in the days asked for.' },
)

const NumbersColumn = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'As that of a column of the calendar.' }),
    staff: Nullable(Named),
    service: Nullable(Named, { description: 'A service that needs no staff.' }),
    location: Nullable(Named, { description: 'Where that service is given.' }),
    bookings: CountByWeek,
    cancellations: CountByWeek,
    no_shows: CountByWeek,
    booked_minutes: CountByWeek,
    open_minutes: CountByWeek,
  },
  {
    title: 'ColumnInNumbers',
    description:
      'Something that bookings take: a staff member, or a service. A number for each of `weeks`. Each service of a visit counts.',
  },
)

export const Numbers = Type.Object(
  {
    business_id: ShownId,
    timezone: Type.String({ description: 'Of all times: an IANA name.' }),
    starts_at: Type.String({ format: 'date-time', description: 'When the first date begins.' }),
    ends_at: Type.String({ format: 'date-time', description: 'When the last date ends.' }),
    weeks: Type.Array(Week, { description: 'In the order of time. A booking counts where it starts.' }),
    columns: Type.Array(NumbersColumn, {
      description:
        'Staff by name, then services that need none, then what is not offered any more; those without bookings only among the first 1,000.',
    }),
    complete: Type.Boolean({
      description: 'False where columns are missing, which `weeks` count all the same: ask for one location.',
    }),
  },
  {
    title: 'Numbers',
    description: 'How many bookings there were, and how busy who was.',
    examples: [
      {
        business_id: exampleIds.business,
        timezone: 'Europe/Berlin',
        starts_at: '2026-11-02T00:00:00+01:00',
        ends_at: '2026-11-09T00:00:00+01:00',
        weeks: [
          {
            ...{ from: '2026-11-02', to: '2026-11-08' },
            ...{ bookings: 31, cancellations: 2, no_shows: 1, booked_minutes: 1_260, open_minutes: 2_400 },
          },
        ],
        columns: [
          {
            id: exampleIds.staff,
            staff: { id: exampleIds.staff, name: 'Anna Weber' },
            service: null,
            location: null,
            ...{ bookings: [31], cancellations: [2], no_shows: [1] },
            ...{ booked_minutes: [1_260], open_minutes: [2_400] },
          },
        ],
        complete: true,
      },
    ],
  },
)
