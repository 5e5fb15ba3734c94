import { Type } from 'typebox'
import { Closed, Id, InstantText, Line, listParameters, Nullable, Page, Text } from '../wire.ts'
import type { FieldValue } from './custom-field-rules.ts'

const BookingStatus = Type.Enum(['pending', 'confirmed', 'in_progress', 'completed', 'cancelled'])

const Notes = Text(1000)
const Email = Type.String({ format: 'email', maxLength: 254 })
const Phone = Type.String({ format: 'phone', maxLength: 32 })

const mostFieldValues = 100

/** Checked further against the service's custom fields. */
const FieldAnswer = Closed({
  field_id: Id,
  value: Type.Optional(Type.Unsafe<FieldValue>({ fieldValue: true })),
})

export const ConvertHold = Closed({
  hold_id: Id,
  client: Closed({
    first_name: Line(1, 100),
    last_name: Line(1, 100),
    email: Email,
    phone: Type.Optional(Phone),
  }),
  custom_field_values: Type.Optional(Type.Array(FieldAnswer, { maxItems: mostFieldValues })),
  notes: Type.Optional(Notes),
})

/** `notes` may be cleared with null; the other fields cannot be empty. */
export const ChangeBooking = Closed({
  starts_at: Type.Optional(InstantText),
  ends_at: Type.Optional(InstantText),
  status: Type.Optional(BookingStatus),
  notes: Type.Optional(Type.Unsafe<string | null>({ ...Notes, type: ['string', 'null'] })),
})

const Named = { id: Type.String(), name: Type.String() }

export const Booking = Type.Object({
  id: Type.String(),
  status: BookingStatus,
  starts_at: Type.String(),
  ends_at: Type.String(),
  notes: Nullable(Type.String()),
  cancelled_at: Nullable(Type.String()),
  service: Type.Object({ ...Named, duration_minutes: Type.Integer() }),
  location: Type.Object({ ...Named, timezone: Type.String() }),
  client: Type.Object({
    first_name: Type.String(),
    last_name: Type.String(),
    email: Type.String(),
    phone: Nullable(Type.String()),
  }),
  staff: Nullable(Type.Object(Named)),
  custom_field_values: Type.Array(
    Type.Object({ field_id: Type.String(), value: Type.Unsafe<FieldValue>({}) }),
  ),
  business_id: Type.String(),
  created_at: Type.String(),
  updated_at: Type.String(),
  redacted: Type.Optional(Type.Literal(true)),
})

export const BookingPage = Page(Booking)

export const BookingsQuery = Closed({
  ...listParameters,
  status: Type.Optional(BookingStatus),
  from: Type.Optional(InstantText),
  to: Type.Optional(InstantText),
  service_id: Type.Optional(Id),
  location_id: Type.Optional(Id),
  staff_id: Type.Optional(Id),
  email: Type.Optional(Email),
  business_id: Type.Optional(Id),
})
