import { Type } from 'typebox'
import { exampleIds, exampleTimes } from '../base/examples.ts'
import { Metadata, ShownMetadata } from '../base/metadata-schemas.ts'
import { maxCapacity, maxRepeats } from '../catalogue/service-rules.ts'
import { StrictObject, Id, InstantText, Nullable, Ruled, ShownId, ShownInstant } from '../base/wire.ts'
import { Slot } from '../availability/availability-schemas.ts'
import { repeatErrors } from './series-rules.ts'
import { itemsErrors } from './visit-rules.ts'

const wanted = {
  service_id: exampleIds.service,
  location_id: exampleIds.location,
  starts_at: exampleTimes.startsAt,
}

/** Further limited by the capacity of the service. */
export const PartySize = Type.Integer({
  minimum: 1,
  maximum: maxCapacity,
  description:
    'For how many people: so many seats of one appointment, at most the capacity of the service. If absent: 1.',
})

/** Most services of one visit. */
export const maxItems = 10

/** A service of a visit. */
export const itemMembers = {
  service_id: Id,
  staff_id: Type.Optional(Id),
  party_size: Type.Optional(PartySize),
  starts: Type.Optional(
    Type.Enum(['after', 'with'], {
      description:
        '`after`: when the item before has ended. `with`: together with it. If absent: `after`. Not for the first.',
    }),
  ),
}

/** The repetition of a hold. Further checked by `repeatErrors`. */
export const Repeat = StrictObject(
  {
    every: Type.Enum(['day', 'week', 'month']),
    interval: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 12,
        description: 'Every so many days, weeks or months. If absent: 1.',
      }),
    ),
    count: Type.Optional(
      Type.Integer({
        minimum: 2,
        maximum: maxRepeats,
        description: 'How many appointments, the first included. Either this or `until`.',
      }),
    ),
    until: Type.Optional(
      Type.String({
        format: 'date',
        maxLength: 10,
        description: `The last local day on which one may begin; at most ${maxRepeats} appointments.`,
        examples: ['2026-12-31'],
      }),
    ),
  },
  {
    title: 'Repeat',
    description: "How often to repeat the hold, at the same wall time in the location's zone.",
    examples: [{ every: 'week', interval: 4, count: 6 }],
  },
)

/** The body of `POST /bookings/hold`. */
export const PlaceHold = Ruled(
  StrictObject(
    {
      service_id: Type.Optional(Id),
      location_id: Id,
      staff_id: Type.Optional(Id),
      starts_at: InstantText,
      party_size: Type.Optional(PartySize),
      items: Type.Optional(
        Type.Array(StrictObject(itemMembers), {
          minItems: 1,
          maxItems,
          description:
            'The services of a visit, in order, in place of `service_id`, `staff_id` and `party_size`. All are held, or nothing.',
        }),
      ),
      repeat: Type.Optional(Repeat),
      conflicts: Type.Optional(
        Type.Enum(['refuse', 'skip'], {
          description:
            'With `repeat`. `refuse`, the default: if one time is not free, nothing is held. `skip`: all that are free are held, at least one.',
        }),
      ),
      metadata: Type.Optional(Metadata),
    },
    {
      title: 'PlaceHold',
      description:
        'The slot to hold, of one service or of several `items`. With `staff_id`, only with that person. Without it, with the free one who has the fewest bookings that day.',
      examples: [wanted],
    },
  ),
  (body: Parameters<typeof itemsErrors>[0] & Parameters<typeof repeatErrors>[0]) => [
    ...itemsErrors(body),
    ...repeatErrors(body),
  ],
)

const holdFields = {
  hold_id: ShownId,
  service_id: ShownId,
  location_id: ShownId,
  starts_at: ShownInstant,
  ends_at: ShownInstant,
  expires_at: ShownInstant,
  party_size: Type.Optional(
    Type.Integer({ description: 'For how many people, where they are more than one.' }),
  ),
  items: Type.Optional(
    Type.Array(
      Type.Object({
        service_id: ShownId,
        staff_id: Nullable(ShownId),
        starts_at: ShownInstant,
        ends_at: ShownInstant,
      }),
      {
        description:
          'The services of a visit. Only if it was asked for with `items`. `service_id` is the first.',
      },
    ),
  ),
  metadata: Type.Optional(
    Type.Unsafe<Record<string, string>>({
      ...ShownMetadata,
      description: 'Absent without an entry. Not shown to sessions.',
    }),
  ),
}

const example = {
  hold_id: exampleIds.booking,
  ...wanted,
  ends_at: exampleTimes.endsAt,
  expires_at: exampleTimes.expiresAt,
}

const SkippedTime = Type.Object(
  {
    starts_at: Type.Unsafe<string>({
      ...ShownInstant,
      description:
        'For a day that the month lacks: on its last day. For a time that the clock skips: as much later as it goes forward.',
    }),
    reason: Type.String({
      description:
        'A `reason` of `slot_not_offered`, or `slot_held` or `slot_booked`. `no_such_day`: the month lacks the day. `time_skipped`: a clock change skips the time.',
    }),
    item: Type.Optional(Type.Integer({ description: 'The item of the visit in the way, from 0.' })),
    booking_id: Type.Optional(
      Type.Unsafe<string>({ ...ShownId, description: 'In a change: the booking that cannot move.' }),
    ),
    alternatives: Type.Array(Slot, { description: 'Up to three free slots near it, at this moment.' }),
  },
  { title: 'SkippedTime', description: 'A time of a series that cannot be had.' },
)

const Series = Type.Object(
  {
    id: ShownId,
    holds: Type.Array(Type.Object({ hold_id: ShownId, starts_at: ShownInstant, ends_at: ShownInstant }), {
      description: 'All holds, the earliest first. The other members of the answer are those of the first.',
    }),
    skipped: Type.Array(SkippedTime),
  },
  { title: 'Series', description: 'The holds of a series. They convert, end and expire together.' },
)

/** A new hold. */
export const Hold = Type.Object(
  { ...holdFields, series: Type.Optional(Series) },
  {
    title: 'Hold',
    description: 'A slot that nobody else can hold or book until `expires_at`.',
    examples: [example],
  },
)

export const HoldWithStatus = Type.Object(
  {
    ...holdFields,
    status: Type.Enum(['active', 'expired', 'converted', 'released']),
  },
  {
    title: 'HoldWithStatus',
    description: 'A hold and its status. You can read it for a day after it has ended.',
    examples: [{ ...example, status: 'active' }],
  },
)
