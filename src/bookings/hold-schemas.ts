import { Type } from 'typebox'
import { exampleIds, exampleTimes } from '../examples.ts'
import { Closed, Id, InstantText, ShownId, ShownInstant } from '../wire.ts'

const wanted = {
  service_id: exampleIds.service,
  location_id: exampleIds.location,
  starts_at: exampleTimes.startsAt,
}

/** The body of `POST /bookings/hold`. */
export const PlaceHold = Closed(
  {
    service_id: Id,
    location_id: Id,
    staff_id: Type.Optional(Id),
    starts_at: InstantText,
  },
  {
    title: 'PlaceHold',
    description:
      'The slot to hold. With `staff_id` that person or nobody, without it whoever is free and has the fewest bookings that day.',
    examples: [wanted],
  },
)

/** Exactly the specification's six fields. */
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

/** A hold on the wire, as it was just placed (specification: Hold). */
export const Hold = Type.Object(holdFields, {
  title: 'Hold',
  description: 'A slot that nobody else can hold or book until `expires_at`.',
  examples: [example],
})

/** The same, as it is shown later. */
export const HoldWithStatus = Type.Object(
  {
    ...holdFields,
    status: Type.Enum(['active', 'expired', 'converted', 'released']),
  },
  {
    title: 'HoldWithStatus',
    description: 'A hold and what has become of it. It can be read for a day after its end.',
    examples: [{ ...example, status: 'active' }],
  },
)
