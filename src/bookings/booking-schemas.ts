import { Type } from 'typebox'
import { AuditActor } from '../access/audit-schemas.ts'
import { exampleClient, exampleIds, exampleTimes } from '../base/examples.ts'
import { Metadata, MetadataFilter, ShownMetadata } from '../base/metadata-schemas.ts'
import { Money, TimeZone } from '../catalogue/catalogue-schemas.ts'
import {
  ClientEmail,
  Id,
  InstantText,
  Line,
  listParameters,
  Nullable,
  OrNull,
  Page,
  QueryInstant,
  Ruled,
  ShownId,
  ShownInstant,
  StrictObject,
  Text,
  Trimmed,
  UnlinkedName,
} from '../base/wire.ts'
import { maxTermsLength } from '../catalogue/business-rules.ts'
import { localeErrors } from '../catalogue/mail-settings-rules.ts'
import type { FieldValue } from './custom-field-rules.ts'
import { maxDelaySeconds } from '../mails/mail-rules.ts'
import { CouponCode } from './coupon-schemas.ts'
import { itemMembers, maxItems, PartySize } from './hold-schemas.ts'
import { Payment, PaymentOfBooking } from './payment-schemas.ts'

export const BookingStatus = Type.Enum(['pending', 'confirmed', 'in_progress', 'completed', 'cancelled'], {
  title: 'BookingStatus',
})

const Notes = Text(1000)
const Phone = Type.String({ format: 'phone', maxLength: 32 })

const maxFieldValues = 100

/** Further checked by `customFieldErrors`. */
const FieldAnswer = StrictObject({
  field_id: Id,
  value: Type.Optional(Type.Unsafe<FieldValue>({ fieldValue: true })),
  text: Type.Optional(
    Text(maxTermsLength, {
      description:
        'Of a `consent`: the label that was shown, or the terms of the business. Refused with `text_changed` when it is another by now.',
    }),
  ),
})

const Name = UnlinkedName(100)

const notify = Type.Optional(
  Type.Boolean({ description: 'False: the client gets no mail about this. Not for sessions.' }),
)

/** The body of `POST /bookings`. */
export const ConvertHold = StrictObject(
  {
    hold_id: Id,
    client: StrictObject({
      first_name: Name,
      last_name: Type.Optional(
        Type.String({
          ...Name,
          description: 'Required unless `client_fields` of the service say otherwise.',
        }),
      ),
      email: Type.Optional(ClientEmail({ description: 'Required for sessions.' })),
      phone: Type.Optional(
        Type.String({ ...Phone, description: 'Required if `client_fields` of the service say so.' }),
      ),
    }),
    custom_field_values: Type.Optional(
      Type.Array(FieldAnswer, {
        maxItems: maxFieldValues,
        description: 'Answers to the custom fields of the service, each at most once.',
      }),
    ),
    notes: Type.Optional(Notes),
    locale: Type.Optional(
      Ruled(
        Type.String({
          minLength: 1,
          maxLength: 35,
          description:
            "The client's language (BCP 47), for mails; if absent, or not one of theirs: the business's.",
          examples: ['de'],
        }),
        localeErrors,
      ),
    ),
    time_zone: Type.Optional(
      Type.Unsafe<string>({
        ...TimeZone,
        description:
          "The client's time zone (IANA). Mails about online appointments lead with it, and name the zone if it differs from that of the location.",
        examples: ['America/Los_Angeles'],
      }),
    ),
    text_consent: Type.Optional(
      Text(300, {
        description:
          'The sentence by which the client agreed to text messages about this booking, as it was shown. It is stored with the time. If absent, they get none. Needs a `client.phone` with its country.',
        examples: ['Send me text messages about this appointment'],
      }),
    ),
    fee_consent: Type.Optional(
      Text(1000, {
        description:
          'The sentence about fees to which the client agreed, as it was shown. It is stored with the time. Required for sessions if a service has `fees` or a `no_show_percent`. Without it, no fee applies by itself until the client has saved a card at the checkout.',
        examples: ['If you cancel less than 24 hours before, we charge €30 to your card.'],
      }),
    ),
    coupon: Type.Optional(
      Type.Unsafe<string>({
        ...CouponCode,
        description: 'The code of a coupon, which lowers the price. Not for a series.',
      }),
    ),
    metadata: Type.Optional(
      Type.Unsafe<Record<string, string>>({
        ...Metadata,
        description: 'Joins the `metadata` of the hold.',
      }),
    ),
    notify,
  },
  {
    title: 'ConvertHold',
    description: 'The hold to convert, and for whom.',
    examples: [{ hold_id: exampleIds.booking, client: exampleClient }],
  },
)

export const ChangeBooking = StrictObject(
  {
    starts_at: Type.Optional(InstantText),
    ends_at: Type.Optional(InstantText),
    status: Type.Optional(BookingStatus),
    notes: Type.Optional(
      Type.Unsafe<string | null>({ ...Notes, type: ['string', 'null'], description: 'Null clears it.' }),
    ),
    client: Type.Optional(
      StrictObject(
        {
          first_name: Type.Optional(Name),
          last_name: Type.Optional(OrNull(Name)),
          email: Type.Optional(OrNull(ClientEmail())),
          phone: Type.Optional(OrNull(Phone)),
        },
        { description: 'The client fields to change.' },
      ),
    ),
    staff_id: Type.Optional(
      Type.Unsafe<string | null>({
        ...Id,
        type: ['string', 'null'],
        description:
          'The staff member to assign. Null: anyone who is free; the present one keeps it if they work then.',
      }),
    ),
    items: Type.Optional(
      Type.Array(StrictObject({ ...itemMembers, service_id: Type.Optional(Id), id: Type.Optional(Id) }), {
        minItems: 1,
        maxItems,
        description:
          'Its services, in order, in place of the present ones. With the `id` of a present item, it keeps what is not given. With `starts_at`, all begin then; otherwise when the first of them does.',
      }),
    ),
    party_size: Type.Optional(
      Type.Integer({
        ...PartySize,
        description:
          'For how many people. More need as many free seats. A deposit that is due is then due for all of them; a paid one stays.',
      }),
    ),
    custom_field_values: Type.Optional(
      Type.Array(FieldAnswer, {
        maxItems: maxFieldValues,
        description:
          'All answers to the custom fields of its services, in place of the present ones. With `items`, new services need the answers that they require.',
      }),
    ),
    cancel_reason: Type.Optional(
      Type.String({ ...Text(500), description: 'Why it is cancelled. Only with `status` `cancelled`.' }),
    ),
    no_show: Type.Optional(
      Type.Boolean({
        description:
          'True marks the client of a booking that has begun as absent; its status becomes `completed`. Another status or false removes the mark.',
      }),
    ),
    no_show_fee: Type.Optional(
      Type.Boolean({
        description:
          'Only with `no_show` true. False: the fee for it is not charged. If absent, the fee to which the client agreed is charged.',
      }),
    ),
    metadata: Type.Optional(
      Type.Unsafe<Record<string, string>>({
        ...Metadata,
        description: 'Replaces all.',
      }),
    ),
    notify,
    notify_after_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: maxDelaySeconds,
        description:
          'Delay in seconds of emails about a new time, length, person or status. If the booking is as before by then, no email is sent. For an interface with "Undo".',
      }),
    ),
  },
  {
    title: 'ChangeBooking',
    description:
      'The fields to change. With `starts_at` alone the duration stays. A status other than `cancelled` takes the slot of a cancelled booking again.',
    examples: [{ starts_at: '2026-12-02T10:00:00+01:00' }],
  },
)

/** Maximum number of bookings that one request changes. */
const maxBatch = 50

export const ChangeBookings = StrictObject(
  {
    ids: Type.Array(Id, { minItems: 1, maxItems: maxBatch, uniqueItems: true }),
    change: Type.Enum(['cancel', 'reassign'], {
      description: '`reassign` gives the bookings to another person, at the same time.',
    }),
    staff_id: Type.Optional(
      Type.String({ ...Id, description: 'To reassign: who gets the bookings. Required then.' }),
    ),
    from_staff_id: Type.Optional(
      Type.String({
        ...Id,
        description:
          'To reassign: only the services that this person gives. Bookings that they do not give stay as they are. If absent: all services of each booking.',
      }),
    ),
    cancel_reason: Type.Optional(Type.String({ ...Text(500), description: 'To cancel: why.' })),
    refund: Type.Optional(
      Type.Enum(['full', 'none'], {
        description: 'To cancel: whether to refund the deposits that were paid; if absent: `none`.',
      }),
    ),
    notify,
  },
  {
    title: 'ChangeBookings',
    description: 'The bookings to change, and one change for all of them.',
    examples: [{ ids: [exampleIds.booking], change: 'cancel', cancel_reason: 'Anna is ill' }],
  },
)

export const BookingResults = Type.Object(
  {
    results: Type.Array(
      Type.Object({
        id: ShownId,
        status: Type.Integer({
          description: 'As if it were changed alone: 200, or the status of the refusal.',
        }),
        etag: Type.Optional(Type.String({ description: 'The `ETag` of the booking after the change.' })),
        problem: Type.Optional(
          Type.Unsafe<object>(
            Type.Object(
              { code: Type.String(), title: Type.String(), detail: Type.String() },
              { description: 'Why it stays as it is.', additionalProperties: true },
            ),
          ),
        ),
      }),
    ),
  },
  {
    title: 'BookingResults',
    description: 'The result of each change, in the order of the request.',
    examples: [{ results: [{ id: exampleIds.booking, status: 200, etag: '"2"' }] }],
  },
)

const Named = { id: ShownId, name: Type.String() }

const BookedItem = Type.Object(
  {
    id: ShownId,
    service: Type.Object({ ...Named, duration_minutes: Type.Integer() }),
    staff: Nullable(Type.Object(Named)),
    starts_at: ShownInstant,
    ends_at: ShownInstant,
    party_size: Type.Integer(),
    price: Nullable(Money, { description: 'What all its people pay together; null without a price.' }),
    resources: Type.Optional(
      Type.Array(Type.Object(Named), {
        description: 'The rooms and equipment it uses. Shown to keys and people of the business.',
      }),
    ),
  },
  { title: 'BookedItem', description: 'One service of a booking.' },
)

export const Booking = Type.Object(
  {
    id: ShownId,
    status: BookingStatus,
    starts_at: ShownInstant,
    ends_at: ShownInstant,
    party_size: Type.Integer({ description: 'For how many people: so many seats it takes.' }),
    notes: Nullable(Type.String()),
    cancelled_at: Nullable(ShownInstant),
    respond_by: Type.Optional(
      Type.String({
        format: 'date-time',
        description:
          'Of a request: when it is cancelled unless the business answers. Absent from every other booking.',
      }),
    ),
    service: Type.Object({
      ...Named,
      duration_minutes: Type.Integer(),
      price: Nullable(Money, {
        description:
          'What one person pays, as agreed when it was booked; null without a price. One from before that was kept shows the present price.',
      }),
    }),
    location: Type.Object({
      ...Named,
      address: Nullable(Type.String()),
      timezone: Type.String({ description: 'An IANA name.' }),
      online_url: Nullable(Type.String(), {
        description: 'Where to meet online. Null too when the booking is redacted.',
      }),
    }),
    client: Type.Object({
      id: Type.Optional(
        Type.Unsafe<string>({
          ...ShownId,
          description:
            'The client in `GET /clients/{id}`. Name and contact may differ there: a booking keeps its own. Shown to keys and people; absent for one who was erased.',
        }),
      ),
      first_name: Type.String(),
      last_name: Type.String({ description: 'Empty for one who gave none.' }),
      email: Type.String({ description: 'Empty for one who gave none, or was erased.' }),
      phone: Nullable(Type.String()),
    }),
    staff: Nullable(Type.Object(Named), { description: 'Null when the service needs nobody.' }),
    items: Type.Array(BookedItem, {
      description: 'Its services in order. `service`, `staff` and `party_size` are those of the first.',
    }),
    custom_field_values: Type.Array(
      Type.Object({
        field_id: ShownId,
        value: Type.Unsafe<FieldValue>({ fieldValue: true }),
        text: Type.Optional(
          Type.String({ description: 'Of a `consent`, or of the terms: the text that was shown.' }),
        ),
        agreed_at: Type.Optional(
          Type.Unsafe<string>({ ...ShownInstant, description: 'Of a `consent`: when it was given.' }),
        ),
      }),
    ),
    business_id: ShownId,
    created_at: ShownInstant,
    updated_at: ShownInstant,
    series_id: Type.Optional(
      Type.Unsafe<string>({
        ...ShownId,
        description: 'The series that it belongs to. Absent if it stands alone.',
      }),
    ),
    series: Type.Optional(
      Type.Object(
        { id: ShownId, booking_ids: Type.Array(ShownId) },
        {
          description:
            'The bookings that were made or changed together, the earliest first. Only in the response to a creation or change of several.',
        },
      ),
    ),
    no_show: Type.Optional(
      Type.Boolean({ description: 'Whether the client did not come. Shown to business and hub keys.' }),
    ),
    time_zone: Type.Optional(
      Type.String({ description: "The client's time zone (IANA), if known. Not shown to sessions." }),
    ),
    text_consent: Type.Optional(
      Type.Object(
        { text: Type.String(), agreed_at: ShownInstant },
        { description: 'The sentence by which the client agreed to text messages. Not shown to sessions.' },
      ),
    ),
    fee_consent: Type.Optional(
      Type.Object(
        { text: Type.String(), agreed_at: ShownInstant },
        {
          description:
            'The sentence by which the client agreed to fees for a late cancellation or a no-show. Not shown to sessions.',
        },
      ),
    ),
    cancel_reason: Type.Optional(
      Type.String({
        description: 'Why it was cancelled, if the client or the business said so. Not shown to sessions.',
      }),
    ),
    metadata: Type.Optional(
      Type.Unsafe<Record<string, string>>({
        ...ShownMetadata,
        description: 'Absent without an entry. Not shown to sessions.',
      }),
    ),
    price: Type.Optional(
      Nullable(Money, {
        description:
          'What all people of the booking pay together, as agreed, after its discount; null without a price. Absent when the booking is redacted.',
      }),
    ),
    discount: Type.Optional(
      Type.Object(
        { code: Type.String(), amount: Type.Integer(), currency: Type.String() },
        {
          description:
            'The coupon and what it takes off, which `price` contains and the prices of `items` do not. Absent without one, and when the booking is redacted.',
        },
      ),
    ),
    payment: Type.Optional(Payment),
    payments: Type.Optional(
      Type.Array(PaymentOfBooking, {
        description: 'What is due, paid and refunded. For keys and people; not in lists.',
      }),
    ),
    redirect_url: Type.Optional(
      Type.String({
        description: 'Where the client pays the deposit. Only in the response to the creation.',
      }),
    ),
    pay_url: Type.Optional(
      Type.String({
        description:
          'The page from which the client pays the deposit that is due: send it to them. It opens a new checkout when the one before has ended. For keys and people; not in lists.',
      }),
    ),
    sends_mail: Type.Optional(
      Type.Literal(true, {
        description: 'The client gets a confirmation by mail. Only in the response to the creation.',
      }),
    ),
    manage_url: Type.Optional(
      Type.String({
        description:
          'The page on which the client sees, moves and cancels the booking. Anyone who has it may do so. For keys, people and the session that made the booking; not in lists. Of people, owners alone see that of a booking with a deposit, as it can send the deposit back.',
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
    description: 'A booking. It has the id of its hold.',
    examples: [
      {
        id: exampleIds.booking,
        status: 'confirmed',
        starts_at: exampleTimes.startsAt,
        ends_at: exampleTimes.endsAt,
        party_size: 1,
        notes: null,
        cancelled_at: null,
        service: {
          id: exampleIds.service,
          name: 'Haircut',
          duration_minutes: 30,
          price: { amount: 3500, currency: 'EUR' },
        },
        location: {
          id: exampleIds.location,
          name: 'Online',
          address: null,
          timezone: 'Europe/Berlin',
          online_url: 'https://meet.example.com/salon',
        },
        client: exampleClient,
        staff: { id: exampleIds.staff, name: 'Anna Weber' },
        items: [
          {
            id: exampleIds.booking,
            service: { id: exampleIds.service, name: 'Haircut', duration_minutes: 30 },
            staff: { id: exampleIds.staff, name: 'Anna Weber' },
            starts_at: exampleTimes.startsAt,
            ends_at: exampleTimes.endsAt,
            party_size: 1,
            price: { amount: 3500, currency: 'EUR' },
          },
        ],
        custom_field_values: [],
        business_id: exampleIds.business,
        created_at: exampleTimes.createdAt,
        updated_at: exampleTimes.createdAt,
      },
    ],
  },
)

export const BookingPage = Page(Booking, {
  title: 'BookingPage',
  description: 'Bookings in the requested order.',
})

export const BookingsQuery = StrictObject({
  ...listParameters,
  ids: Type.Optional(
    Type.Array(Id, {
      minItems: 1,
      maxItems: 100,
      uniqueItems: true,
      description: 'May be repeated.',
      examples: [[exampleIds.booking]],
    }),
  ),
  status: Type.Optional(
    Type.Array(BookingStatus, {
      minItems: 1,
      maxItems: 5,
      uniqueItems: true,
      description: 'May be repeated.',
      examples: [['confirmed']],
    }),
  ),
  from: Type.Optional(QueryInstant({ description: 'Only bookings that start at this instant or later.' })),
  to: Type.Optional(QueryInstant({ description: 'Only bookings that start before it.' })),
  updated_since: Type.Optional(
    QueryInstant({
      description: 'Only bookings changed at this instant or later.',
    }),
  ),
  service_id: Type.Optional(Id),
  location_id: Type.Optional(Id),
  staff_id: Type.Optional(Id),
  email: Type.Optional(Trimmed(ClientEmail({ description: 'The whole e-mail address of the client.' }))),
  client_id: Type.Optional(
    Type.String({
      ...Id,
      description: 'A client of `GET /clients`, with all names and addresses they gave.',
    }),
  ),
  series_id: Type.Optional(Type.String({ ...Id, description: 'The dates of one series.' })),
  coupon_id: Type.Optional(
    Type.String({ ...Id, description: 'Bookings with one coupon, also those that were cancelled since.' }),
  ),
  q: Type.Optional(
    Trimmed(
      Type.String({
        ...Line(3, 100),
        description:
          "A part of the client's name, e-mail or phone. Upper and lower case are the same, and so are letters with and without accents.",
        examples: ['lovelace'],
      }),
    ),
  ),
  sort: Type.Optional(
    Type.Enum(['created_at', 'starts_at', '-created_at', '-starts_at'], {
      description:
        'The order, `-` for the latest first; if absent: `-created_at`. A cursor is for one order.',
    }),
  ),
  metadata: Type.Optional(MetadataFilter),
  business_id: Type.Optional(Type.String({ ...Id, description: 'For hub keys: one business of the hub.' })),
})

/** The bookings of a series that a change concerns. */
export const seriesReaches = ['this', 'following', 'all'] as const

export type SeriesReach = (typeof seriesReaches)[number]

const series = Type.Optional(
  Type.Enum([...seriesReaches], {
    description:
      'Of a series: only this booking (if absent), this and the `following`, or `all`. What has begun or is cancelled stays. All change, or none.',
  }),
)

export const SeriesQuery = StrictObject({ series })

export const CancelQuery = StrictObject({
  series,
  refund: Type.Optional(
    Type.Enum(['full', 'none'], {
      description: 'Whether to refund the deposit; if absent: `none`. `full` is refused when none was paid.',
    }),
  ),
  notify: Type.Optional(
    Type.Enum(['true', 'false'], { description: '`false`: the client gets no mail about this.' }),
  ),
})

export const BookingHeaders = Type.Object({
  'if-match': Type.Optional(
    Type.String({
      description: 'The `ETag` of the booking as you read it. If it has changed since, the response is 412.',
      examples: ['"1"'],
    }),
  ),
})

const HistoryEntry = Type.Object(
  {
    at: ShownInstant,
    action: Type.String({ description: 'What was done, such as `booking.cancelled`.' }),
    actor: AuditActor,
    moved: Type.Optional(
      Type.Object(
        { from: ShownInstant, to: ShownInstant },
        { description: 'The start before and after; of the last 30 days.' },
      ),
    ),
  },
  {
    title: 'HistoryEntry',
    description: 'A change of a booking.',
    examples: [
      {
        at: exampleTimes.createdAt,
        action: 'booking.updated',
        actor: { type: 'manage_link', id: exampleIds.booking, name: null },
        moved: { from: exampleTimes.startsAt, to: exampleTimes.endsAt },
      },
    ],
  },
)

export const HistoryPage = Page(HistoryEntry, {
  title: 'HistoryPage',
  description: 'Changes of a booking, the newest first.',
})

export const HistoryQuery = StrictObject(listParameters)
