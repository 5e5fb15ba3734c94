import { Type } from 'typebox'
import { Closed, Id, listParameters, Nullable } from '../wire.ts'
import { customFieldTypes } from './catalogue-types.ts'

const Money = Type.Object({ amount: Type.Integer(), currency: Type.String() })

const Hours = { opens: Type.String(), closes: Type.String() }

const WeeklyHours = Type.Array(Type.Object({ weekday: Type.String(), ...Hours }))

const DateOverrides = Type.Array(Type.Object({ date: Type.String(), hours: Type.Array(Type.Object(Hours)) }))

const CustomField = Type.Object({
  id: Type.String(),
  key: Type.String(),
  label: Type.String(),
  type: Type.Enum([...customFieldTypes]),
  required: Type.Boolean(),
  options: Type.Optional(Type.Array(Type.String())),
})

export const Service = Type.Object({
  id: Type.String(),
  business_id: Type.String(),
  name: Type.String(),
  description: Nullable(Type.String()),
  duration_minutes: Type.Integer(),
  buffer_before_minutes: Type.Integer(),
  buffer_after_minutes: Type.Integer(),
  slot_interval_minutes: Type.Integer(),
  min_notice_minutes: Type.Integer(),
  max_advance_days: Nullable(Type.Integer()),
  capacity: Type.Integer(),
  price: Nullable(Money),
  deposit: Nullable(Money),
  location_ids: Type.Array(Type.String()),
  staff_ids: Type.Array(Type.String()),
  custom_fields: Type.Array(CustomField),
  active: Type.Boolean(),
})

export const Location = Type.Object({
  id: Type.String(),
  business_id: Type.String(),
  name: Type.String(),
  timezone: Type.String(),
  address: Nullable(Type.String()),
  weekly_hours: Nullable(WeeklyHours),
  date_overrides: DateOverrides,
  active: Type.Boolean(),
})

/** A staff member; sessions get `id` and `name` only. */
export const StaffMember = Type.Object({
  id: Type.String(),
  name: Type.String(),
  business_id: Type.Optional(Type.String()),
  email: Type.Optional(Nullable(Type.String())),
  location_ids: Type.Optional(Type.Array(Type.String())),
  weekly_hours: Type.Optional(Nullable(WeeklyHours)),
  date_overrides: Type.Optional(DateOverrides),
  active: Type.Optional(Type.Boolean()),
})

export const CatalogueQuery = Closed({ ...listParameters, business_id: Type.Optional(Id) })
