import { Type } from 'typebox'
import { Closed, Id, InstantText } from '../wire.ts'

export const PlaceHold = Closed({
  service_id: Id,
  location_id: Id,
  staff_id: Type.Optional(Id),
  starts_at: InstantText,
})

/** Exactly the specification's six fields. */
const holdFields = {
  hold_id: Type.String(),
  service_id: Type.String(),
  location_id: Type.String(),
  starts_at: Type.String(),
  ends_at: Type.String(),
  expires_at: Type.String(),
}

export const Hold = Type.Object(holdFields)

export const HoldWithStatus = Type.Object({
  ...holdFields,
  status: Type.Enum(['active', 'expired', 'converted', 'released']),
})
