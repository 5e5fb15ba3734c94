import { Type } from 'typebox'
import { exampleClient, exampleIds, exampleTimes } from '../examples.ts'
import {
  Closed,
  Id,
  InstantText,
  Line,
  listParameters,
  Nullable,
  OrNull,
  Page,
  ShownId,
  ShownInstant,
  Text,
} from '../wire.ts'
import type { FieldValue } from './custom-field-rules.ts'

const BookingStatus = Type.Enum(['pending', 'confirmed', 'in_progress', 'completed', 'cancelled'], {
  title: 'BookingStatus',
})

const Notes = Text(1000)
const Email = Type.String({ format: 'email', maxLength: 254 })
const Phone = Type.String({ format: 'phone', maxLength: 32 })

const mostFieldValues = 100

/** Checked further against the service's custom fields. */
const FieldAnswer = Closed({
  field_id: Id,
  value: Type.Optional(Type.Unsafe<FieldValue>({ fieldValue: true })),
})

const Name = Line(1, 100)

/** The body of `POST /bookings`. */
export const ConvertHold = Closed(
  {
    hold_id: Id,
    client: Closed({ first_name: Name, last_name: Name, email: Email, phone: Type.Optional(Phone) }),
    custom_field_values: Type.Optional(
      Type.Array(FieldAnswer, {
        maxItems: mostFieldValues,
        description: 'Answers to the custom fields of the service, each at most once.',
      }),
    ),
    notes: Type.Optional(Notes),
  },
  {
    title: 'ConvertHold',
    description: 'The hold to convert, and for whom.',
    examples: [{ hold_id: exampleIds.booking, client: exampleClient }],
  },
)

/** `notes` and the phone may be cleared with null, `staff_id` null is anyone; the other fields cannot be empty. */
export const ChangeBooking = Closed(
  {
    starts_at: Type.Optional(InstantText),
    ends_at: Type.Optional(InstantText),
    status: Type.Optional(BookingStatus),
    notes: Type.Optional(
      Type.Unsafe<string | null>({ ...Notes, type: ['string', 'null'], description: 'Null clears it.' }),
    ),
    client: Type.Optional(
      Closed(
        {
          first_name: Type.Optional(Name),
          last_name: Type.Optional(Name),
          email: Type.Optional(Email),
          phone: Type.Optional(OrNull(Phone)),
        },
        { description: 'What is to be different about the client.' },
      ),
    ),
    staff_id: Type.Optional(
      Type.Unsafe<string | null>({
        ...Id,
        type: ['string', 'null'],
        description:
          'Who is to give it. Null: anyone who is free; who gives it now keeps it while they work then.',
      }),
    ),
    no_show: Type.Optional(
      Type.Boolean({
        description:
          'True marks a booking that has begun as one to which the client did not come: its status becomes `completed`. Another status takes the mark away, and so does false.',
      }),
    ),
  },
  {
    title: 'ChangeBooking',
    description:
      'What is to be different. With `starts_at` alone the duration stays. A status other than `cancelled` takes the slot of a cancelled booking again.',
    examples: [{ starts_at: '2026-12-02T10:00:00+01:00' }],
  },
)

const Named = { id: ShownId, name: Type.String() }

/** What keys see of a deposit (contract: Deposits). */
export const Payment = Type.Object(
  {
    status: Type.Enum(['due', 'paid', 'expired', 'refunded'], {
      description:
        '`expired`: nothing was paid, and nothing is due any more. `refunded`: the payment processor has given it back.',
    }),
    amount: Type.Integer({ description: 'In minor units: 2500 EUR is 25.00 euros.' }),
    currency: Type.String(),
    provider: Type.Enum(['stripe', 'sandbox']),
    paid_at: Nullable(ShownInstant),
    refunded_at: Nullable(ShownInstant),
  },
  {
    title: 'Payment',
    description: 'The deposit of a booking: shown to business and hub keys, where there is one.',
  },
)

/** A booking on the wire (specification: Booking). */
export const Booking = Type.Object(
  {
    id: ShownId,
    status: BookingStatus,
    starts_at: ShownInstant,
    ends_at: ShownInstant,
    notes: Nullable(Type.String()),
    cancelled_at: Nullable(ShownInstant),
    service: Type.Object({ ...Named, duration_minutes: Type.Integer() }),
    location: Type.Object({ ...Named, timezone: Type.String({ description: 'An IANA name.' }) }),
    client: Type.Object({
      first_name: Type.String(),
      last_name: Type.String(),
      email: Type.String(),
      phone: Nullable(Type.String()),
    }),
    staff: Nullable(Type.Object(Named), { description: 'Null when the service needs nobody.' }),
    custom_field_values: Type.Array(
      Type.Object({ field_id: ShownId, value: Type.Unsafe<FieldValue>({ fieldValue: true }) }),
    ),
    business_id: ShownId,
    created_at: ShownInstant,
    updated_at: ShownInstant,
    no_show: Type.Optional(
      Type.Boolean({ description: 'Whether the client did not come. Shown to business and hub keys.' }),
    ),
    payment: Type.Optional(Payment),
    redirect_url: Type.Optional(
      Type.String({
        description:
          'In the answer to the creation, when the service asks for a deposit: where the client pays it.',
      }),
    ),
    redacted: Type.Optional(
      Type.Literal(true, {
        description:
          'Present when the caller may not see the client: `client` is masked, `notes` null, `custom_field_values` empty.',
      }),
    ),
  },
  {
    title: 'Booking',
    description: 'A booking. Its id is that of the hold that it was made from.',
    examples: [
      {
        id: exampleIds.booking,
        status: 'confirmed',
        starts_at: exampleTimes.startsAt,
        ends_at: exampleTimes.endsAt,
        notes: null,
        cancelled_at: null,
        service: { id: exampleIds.service, name: 'Haircut', duration_minutes: 30 },
        location: { id: exampleIds.location, name: 'Online', timezone: 'Europe/Berlin' },
        client: exampleClient,
        staff: { id: exampleIds.staff, name: 'Anna Weber' },
        custom_field_values: [],
        business_id: exampleIds.business,
        created_at: exampleTimes.createdAt,
        updated_at: exampleTimes.createdAt,
      },
    ],
  },
)

/** The answer to `GET /bookings`. */
export const BookingPage = Page(Booking, {
  title: 'BookingPage',
  description: 'Bookings in the order that was asked for.',
})

/** What `GET /bookings` can be narrowed to. */
export const BookingsQuery = Closed({
  ...listParameters,
  status: Type.Optional(BookingStatus),
  from: Type.Optional(
    Type.String({ ...InstantText, description: 'Only bookings that start at this instant or later.' }),
  ),
  to: Type.Optional(Type.String({ ...InstantText, description: 'Only bookings that start before it.' })),
  service_id: Type.Optional(Id),
  location_id: Type.Optional(Id),
  staff_id: Type.Optional(Id),
  email: Type.Optional(Type.String({ ...Email, description: 'The whole e-mail address of the client.' })),
  q: Type.Optional(
    Type.String({
      ...Line(3, 100),
      description: "A part of the client's name, e-mail or phone; upper and lower case are the same.",
      examples: ['lovelace'],
    }),
  ),
  sort: Type.Optional(
    Type.Enum(['created_at', 'starts_at', '-created_at', '-starts_at'], {
      description:
        'The order, `-` for the latest first; if absent: `-created_at`. A cursor is for one order.',
    }),
  ),
  business_id: Type.Optional(Type.String({ ...Id, description: 'For hub keys: one business of the hub.' })),
})

/** What a cancellation can ask for. */
export const CancelQuery = Closed({
  refund: Type.Optional(
    Type.Enum(['full', 'none'], {
      description:
        'Whether the deposit goes back to the client; if absent: `none`. `full` is refused where none was paid.',
    }),
  ),
})

/** The headers that a change of a booking listens to. */
export const BookingHeaders = Type.Object({
  'if-match': Type.Optional(
    Type.String({
      description:
        'The `ETag` of the booking as it was read: when it has changed meanwhile, the answer is 412.',
      examples: ['"1"'],
    }),
  ),
})
