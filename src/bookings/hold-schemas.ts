import { Type } from 'typebox'
import { exampleIds, exampleTimes } from '../base/examples.ts'
import { maxCapacity } from '../catalogue/service-rules.ts'
import { StrictObject, Id, InstantText, ShownId, ShownInstant } from '../base/wire.ts'

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

/** The body of `POST /bookings/hold`. */
export const PlaceHold = StrictObject(
  {
    service_id: Id,
    location_id: Id,
    staff_id: Type.Optional(Id),
    starts_at: InstantText,
    party_size: Type.Optional(PartySize),
  },
  {
    title: 'PlaceHold',
    description:
      'The slot to hold. With `staff_id`, only with that person. Without it, with the free one who has the fewest bookings that day.',
    examples: [wanted],
  },
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
}

const example = {
  hold_id: exampleIds.booking,
  ...wanted,
  ends_at: exampleTimes.endsAt,
  expires_at: exampleTimes.expiresAt,
}

/** A new hold. */
export const Hold = Type.Object(holdFields, {
  title: 'Hold',
  description: 'A slot that nobody else can hold or book until `expires_at`.',
  examples: [example],
})

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
