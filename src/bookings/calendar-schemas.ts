import { Type } from 'typebox'
import { exampleClient, exampleIds, exampleTimes } from '../base/examples.ts'
import { Id, Nullable, Ruled, ShownId, ShownInstant, StrictObject } from '../base/wire.ts'
import { BookingStatus } from './booking-schemas.ts'
import { calendarErrors, maxCalendarDays } from './calendar-rules.ts'
import { Payment } from './payment-schemas.ts'

const CalendarDate = Type.String({ format: 'date' })

export const CalendarQuery = Ruled(
  StrictObject({
    from: Type.String({
      ...CalendarDate,
      description: 'The first date, in the time zone of the answer.',
      examples: ['2026-12-01'],
    }),
    to: Type.String({
      ...CalendarDate,
      description: `The last date, at most ${maxCalendarDays - 1} days after \`from\`.`,
      examples: ['2026-12-01'],
    }),
    location_id: Type.Optional(
      Type.String({
        ...Id,
        description:
          'One location, in its time zone. If absent, all of them, in the time zone of the business.',
      }),
    ),
    column_id: Type.Optional(Type.String({ ...Id, description: 'One column, by its `id`.' })),
    resources: Type.Optional(
      Type.Enum(['true', 'false'], {
        description: '`true`: also columns for rooms and equipment, with the services that take them.',
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'The `next_cursor` of the answer before: further columns.',
      }),
    ),
    business_id: Type.Optional(
      Type.String({ ...Id, description: 'For hub keys, which need it unless `location_id` is given.' }),
    ),
  }),
  calendarErrors,
)

const Span = Type.Object(
  { starts_at: ShownInstant, ends_at: ShownInstant },
  { title: 'TimeSpan', description: 'From an instant up to another.' },
)
const Named = Type.Object({ id: ShownId, name: Type.String() })

const CalendarColumn = Type.Object(
  {
    id: Type.String({
      format: 'uuid',
      description:
        'The ID of the staff member or resource. A service without staff has a separate ID for each location.',
    }),
    staff: Nullable(Named),
    service: Nullable(Named, { description: 'A service that needs no staff.' }),
    resource: Nullable(Named, { description: 'A room or equipment. Only on request.' }),
    location: Nullable(Named, { description: 'Where that service is given, or the resource is.' }),
    open: Type.Array(Span, { description: 'Opening hours in these days, of staff their own within those.' }),
  },
  {
    title: 'CalendarColumn',
    description: 'Something that bookings take: a staff member, a service or a resource.',
  },
)

/** Fields shared by bookings and holds. */
const taken = {
  id: ShownId,
  column_id: ShownId,
  starts_at: ShownInstant,
  ends_at: ShownInstant,
  taken_from: Type.String({ format: 'date-time', description: 'With the buffer before it.' }),
  taken_until: Type.String({ format: 'date-time', description: 'With the buffer after it.' }),
  party_size: Type.Integer(),
  service: Named,
  location: Named,
  staff: Nullable(Named),
}

const CalendarBooking = Type.Object(
  {
    ...taken,
    item: Type.Object(
      {
        id: ShownId,
        number: Type.Integer({ minimum: 0, description: 'Among the items of the booking, from 0.' }),
        count: Type.Integer({ minimum: 1, description: 'How many items the booking has.' }),
        free: Type.Array(Span, {
          description:
            'Parts of its time that leave the column free for others, such as a colour that works.',
        }),
      },
      {
        description: 'The item of the booking that this is. Times, service and person are those of the item.',
      },
    ),
    version: Type.Integer({ description: 'For `If-Match`.' }),
    status: BookingStatus,
    respond_by: Type.Optional(
      Type.Unsafe<string>({
        ...ShownInstant,
        description: 'Only of a request: when it ends unless the business answers.',
      }),
    ),
    series_id: Type.Optional(
      Type.Unsafe<string>({ ...ShownId, description: 'The series that it belongs to, if it does.' }),
    ),
    no_show: Type.Boolean(),
    deposit_due: Type.Boolean({ description: 'A payment in advance, or a card to save, is due.' }),
    payment_kind: Nullable(Payment.properties.kind),
    client: Type.Object({
      first_name: Type.String(),
      last_name: Type.String(),
      email: Type.String(),
      phone: Nullable(Type.String()),
    }),
    redacted: Type.Optional(Type.Literal(true, { description: 'Present when `client` is masked.' })),
  },
  {
    title: 'CalendarBooking',
    description:
      'A booking that takes its time: not a cancelled one. A visit has an entry with its `id` for each service, in the column of its person.',
  },
)

const CalendarHold = Type.Object(
  { ...taken, expires_at: ShownInstant },
  {
    title: 'CalendarHold',
    description:
      'A time that somebody is about to book. The hold of a visit has an entry with its `id` for each stretch of time that it takes.',
  },
)

const CalendarBlock = Type.Object(
  {
    id: ShownId,
    staff_id: Nullable(ShownId),
    location_id: Nullable(ShownId),
    resource_id: Nullable(ShownId, { description: 'A resource that cannot be used.' }),
    starts_at: ShownInstant,
    ends_at: ShownInstant,
    reason: Nullable(Type.String()),
    busy_elsewhere: Type.Optional(
      Type.Literal(true, { description: 'Present for a time of a busy calendar.' }),
    ),
  },
  { title: 'CalendarBlock', description: 'A time that nobody can book.' },
)

const span = { starts_at: exampleTimes.startsAt, ends_at: exampleTimes.endsAt }

export const Calendar = Type.Object(
  {
    business_id: ShownId,
    timezone: Type.String({ description: 'Of all times: an IANA name.' }),
    starts_at: Type.String({ format: 'date-time', description: 'When the first date begins.' }),
    ends_at: Type.String({ format: 'date-time', description: 'When the last date ends.' }),
    columns: Type.Array(CalendarColumn, {
      description:
        'Staff by name, then services that need none; at most 300, and former ones that are booked.',
    }),
    next_cursor: Nullable(Type.String(), {
      description: 'For further columns, with what is in them; null when these are all.',
    }),
    bookings: Type.Array(CalendarBooking, { description: 'By their start.' }),
    holds: Type.Array(CalendarHold, { description: 'By their start.' }),
    blocks: Type.Array(CalendarBlock, { description: 'By their start.' }),
    complete: Type.Boolean({
      description: 'False where there is more than one answer can hold: ask for fewer days.',
    }),
  },
  {
    title: 'Calendar',
    description: 'Everything that takes time on some days.',
    examples: [
      {
        business_id: exampleIds.business,
        timezone: 'Europe/Berlin',
        starts_at: '2026-12-01T00:00:00+01:00',
        ends_at: '2026-12-02T00:00:00+01:00',
        columns: [
          {
            id: exampleIds.staff,
            staff: { id: exampleIds.staff, name: 'Anna Weber' },
            service: null,
            resource: null,
            location: null,
            open: [{ starts_at: '2026-12-01T09:00:00+01:00', ends_at: '2026-12-01T17:00:00+01:00' }],
          },
        ],
        next_cursor: null,
        bookings: [
          {
            id: exampleIds.booking,
            column_id: exampleIds.staff,
            ...span,
            taken_from: span.starts_at,
            taken_until: span.ends_at,
            party_size: 1,
            service: { id: exampleIds.service, name: 'Haircut' },
            location: { id: exampleIds.location, name: 'Mitte' },
            staff: { id: exampleIds.staff, name: 'Anna Weber' },
            item: { id: exampleIds.booking, number: 0, count: 1, free: [] },
            version: 1,
            status: 'confirmed',
            no_show: false,
            deposit_due: false,
            payment_kind: null,
            client: exampleClient,
          },
        ],
        holds: [],
        blocks: [],
        complete: true,
      },
    ],
  },
)
