import { Type } from 'typebox'
import { exampleIds, exampleTimes } from '../base/examples.ts'
import { StrictObject, Id, InstantText, ShownId, ShownInstant } from '../http/wire.ts'

const wanted = {
  service_id: exampleIds.service,
  location_id: exampleIds.location,
  starts_at: exampleTimes.startsAt,
}

/** The body of `POST /bookings/hold`. */
export const PlaceHold = StrictObject(
  {
    service_id: Id,
    location_id: Id,
    staff_id: Type.Optional(Id),
    starts_at: InstantText,
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
