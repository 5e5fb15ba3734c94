import { Type } from 'typebox'
import { exampleIds, exampleTimes } from '../base/examples.ts'
import { maxCapacity } from '../catalogue/service-rules.ts'
import { StrictObject, Id, InstantText, Nullable, Ruled, ShownId, ShownInstant } from '../base/wire.ts'
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
    },
    {
      title: 'PlaceHold',
      description:
        'The slot to hold, of one service or of several `items`. With `staff_id`, only with that person. Without it, with the free one who has the fewest bookings that day.',
      examples: [wanted],
    },
  ),
  itemsErrors,
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
