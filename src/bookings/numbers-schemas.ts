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
    staff_id: Type.Optional(
      Type.String({
        ...Id,
        description: 'One staff member, also one who has left. Visits count for their services.',
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
  bookings:
    'That were confirmed and not cancelled, no-shows among them. Requests and unpaid checkouts are not among them. A visit of several services counts once.',
  cancellations: 'Of bookings that were confirmed: checkouts that were given up are not among them.',
  no_shows: 'Bookings to which nobody came.',
  booked_minutes:
    'Without buffers. An appointment that several clients share counts once; of a service without staff that has room for several, each place counts for its part. Steps that leave the person free do not count.',
  new_clients: 'Clients whose first booking of all lies here. Clients who were erased are not counted.',
  returning_clients: 'Other clients with bookings, each once.',
  waitlist_bookings:
    'Freed times that clients of the waiting list were offered and booked. Part of `bookings`.',
  open_minutes: 'Opening hours as they are now, of staff their own within those; blocks are not taken off.',
}

const AmountOfMoney = Type.Integer({ minimum: 0 })
const MoneyByCurrency = Type.Array(
  Type.Object({
    currency: Type.String({ description: 'ISO 4217.' }),
    booked: Type.Integer({
      ...AmountOfMoney,
      description: 'Of bookings that were neither cancelled nor missed.',
    }),
    missed: Type.Integer({ ...AmountOfMoney, description: 'Of no-shows.' }),
  }),
  {
    description:
      'The agreed prices in minor units, for each client of a booking. Amounts of several currencies are never added up.',
  },
)

const MoneyTaken = Type.Array(
  Type.Object({
    currency: Type.String({ description: 'ISO 4217.' }),
    received: Type.Integer({ ...AmountOfMoney, description: 'Payments of clients.' }),
    refunded: Type.Integer({ ...AmountOfMoney, description: 'Refunds to them.' }),
  }),
  {
    description:
      'Online payments and refunds in minor units, on the day when the money moved. A payment for several services of a visit is divided by their prices.',
  },
)

const feeParts = {
  charged: Type.Integer({ ...AmountOfMoney, description: 'All fees.' }),
  received: Type.Integer({ ...AmountOfMoney, description: 'Paid, and not given back.' }),
  waived: Type.Integer({ ...AmountOfMoney, description: 'Waived or refunded.' }),
  due: Type.Integer({ ...AmountOfMoney, description: 'Still due, or being charged.' }),
  kept: Type.Integer({
    ...AmountOfMoney,
    description:
      'Paid in advance for bookings that were missed or cancelled, and not given back. No fee, so not in `charged`.',
  }),
}

const Fees = Type.Array(
  Type.Object({
    currency: Type.String({ description: 'ISO 4217.' }),
    ...feeParts,
    no_show: Type.Object(feeParts, { description: 'Those for no-shows.' }),
    late_cancel: Type.Object(feeParts, { description: 'Those for late cancellations.' }),
  }),
  {
    description:
      'Fees for late cancellations and no-shows, and payments in advance that were kept, in minor units, where the booking starts. Those of a visit are divided by the prices of its services.',
  },
)

const MinutesByHour = Type.Array(Count)

const Period = Type.Object(
  {
    from: Type.String({ ...QueryDate, description: 'The first date.' }),
    to: Type.String({ ...QueryDate, description: 'The last date.' }),
    bookings: Type.Integer({ minimum: 0, description: descriptions.bookings }),
    cancellations: Type.Integer({ minimum: 0, description: descriptions.cancellations }),
    no_shows: Type.Integer({ minimum: 0, description: descriptions.no_shows }),
    booked_minutes: Type.Integer({ minimum: 0, description: descriptions.booked_minutes }),
    open_minutes: Type.Integer({ minimum: 0, description: descriptions.open_minutes }),
    new_clients: Type.Integer({ minimum: 0, description: descriptions.new_clients }),
    returning_clients: Type.Integer({ minimum: 0, description: descriptions.returning_clients }),
    money: MoneyByCurrency,
    waitlist_bookings: Type.Integer({ minimum: 0, description: descriptions.waitlist_bookings }),
    waitlist_money: MoneyByCurrency,
    taken: MoneyTaken,
    fees: Fees,
  },
  {
    title: 'PeriodInNumbers',
    description: 'A week or month, as far as it lies in the days asked for, or all of them.',
  },
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
    waitlist_bookings: CountByWeek,
    booked_minutes: CountByWeek,
    open_minutes: CountByWeek,
    money: MoneyByCurrency,
    hours: Type.Object(
      { booked_minutes: MinutesByHour, open_minutes: MinutesByHour },
      { description: 'By the hour of the local clock, from 0 to 23, of all days together.' },
    ),
  },
  {
    title: 'ColumnInNumbers',
    description:
      'Something that bookings take: a staff member, or a service. A number for each of `weeks`. Each service of a visit counts.',
  },
)

const examplePeriod = {
  ...{ from: '2026-11-02', to: '2026-11-08' },
  ...{ bookings: 31, cancellations: 2, no_shows: 1, booked_minutes: 1_260, open_minutes: 2_400 },
  ...{ new_clients: 6, returning_clients: 22, money: [{ currency: 'EUR', booked: 105_000, missed: 3_500 }] },
  waitlist_bookings: 2,
  waitlist_money: [{ currency: 'EUR', booked: 7_000, missed: 0 }],
  taken: [{ currency: 'EUR', received: 42_000, refunded: 2_500 }],
  fees: [
    {
      ...{ currency: 'EUR', charged: 5_200, received: 3_500, waived: 1_700, due: 0, kept: 2_500 },
      no_show: { charged: 3_500, received: 1_800, waived: 1_700, due: 0, kept: 2_500 },
      late_cancel: { charged: 1_700, received: 1_700, waived: 0, due: 0, kept: 0 },
    },
  ],
}
const exampleHours = (minutes: number) =>
  Array.from({ length: 24 }, (_, hour) => (hour >= 9 && hour < 17 ? minutes : 0))

export const Numbers = Type.Object(
  {
    business_id: ShownId,
    timezone: Type.String({ description: 'Of all times: an IANA name.' }),
    starts_at: Type.String({ format: 'date-time', description: 'When the first date begins.' }),
    ends_at: Type.String({ format: 'date-time', description: 'When the last date ends.' }),
    weeks: Type.Array(Period, { description: 'In the order of time. A booking counts where it starts.' }),
    months: Type.Array(Period, { description: 'The same by calendar month.' }),
    total: Period,
    columns: Type.Array(NumbersColumn, {
      description:
        'Staff by name, then services that need none, then what is not offered any more; those without bookings only among the first 1,000.',
    }),
    services: Type.Array(
      Type.Object(
        {
          id: ShownId,
          name: Type.String(),
          bookings: Type.Integer({
            minimum: 0,
            description: 'Not cancelled. Each service of a visit counts.',
          }),
          seats: Type.Integer({ minimum: 0, description: 'Their clients, such as those of a class.' }),
          money: MoneyByCurrency,
        },
        { title: 'ServiceInNumbers' },
      ),
      { description: 'Booked services, in the order of their first booking.' },
    ),
    hours: Type.Object(
      { booked_minutes: Type.Array(MinutesByHour), open_minutes: Type.Array(MinutesByHour) },
      {
        description:
          'Hours of staff members with opening hours, or of services if there are none. Weekdays begin on Monday, hours go from 0 to 23. A repeated hour counts twice, a skipped one is left out.',
      },
    ),
    lead_times: Type.Array(
      Type.Object(
        { from_days: Count, to_days: Nullable(Count), bookings: Count },
        { title: 'LeadTimeInNumbers' },
      ),
      { description: 'Bookings that were not cancelled, by the days from booking to appointment.' },
    ),
    median_lead_days: Nullable(Count, {
      description: 'Half of the bookings were made at most so many days ahead.',
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
        weeks: [examplePeriod],
        months: [examplePeriod],
        total: examplePeriod,
        columns: [
          {
            id: exampleIds.staff,
            staff: { id: exampleIds.staff, name: 'Anna Weber' },
            service: null,
            location: null,
            ...{ bookings: [31], cancellations: [2], no_shows: [1], waitlist_bookings: [2] },
            ...{ booked_minutes: [1_260], open_minutes: [2_400] },
            money: examplePeriod.money,
            hours: { booked_minutes: exampleHours(252), open_minutes: exampleHours(480) },
          },
        ],
        services: [
          { id: exampleIds.service, name: 'Haircut', bookings: 31, seats: 31, money: examplePeriod.money },
        ],
        hours: {
          booked_minutes: Array.from({ length: 7 }, (_, day) => exampleHours(day < 5 ? 50 : 0)),
          open_minutes: Array.from({ length: 7 }, (_, day) => exampleHours(day < 5 ? 60 : 0)),
        },
        lead_times: [
          { from_days: 0, to_days: 0, bookings: 4 },
          { from_days: 1, to_days: 1, bookings: 27 },
        ],
        median_lead_days: 1,
        complete: true,
      },
    ],
  },
)
