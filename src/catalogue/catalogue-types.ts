/** An amount in minor units of an ISO 4217 currency: 2500 EUR is 25.00 euros. */
export interface Money {
  amount: number
  currency: string
}

export const customFieldTypes = [
  'text',
  'textarea',
  'number',
  'boolean',
  'select',
  'multi_select',
  'date',
  'email',
  'phone',
  'url',
] as const

/** A question that the client answers when booking. */
export interface CustomField {
  id: string
  key: string
  label: string
  type: (typeof customFieldTypes)[number]
  required: boolean
  /** Choices of select and multi_select. */
  options?: string[]
}

/** Opening hours in wall time: `closes` up to 24:00; at or before `opens` it runs past midnight. */
export interface Hours {
  opens: string
  closes: string
}

export type Weekday = 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday'

/** In wall time. */
export type WeeklyHours = (Hours & { weekday: Weekday })[]

/** Hours of one date instead of the weekly ones; none means closed. */
export interface DateOverride {
  date: string
  hours: Hours[]
}

/** Wall times at which slots start, by weekday; on a weekday that is missing, none. */
export type Timetable = { weekday: Weekday; starts: string[] }[]

/** A bookable service; without `staff_ids` it needs no staff. */
export interface Service {
  id: string
  business_id: string
  name: string
  /** Its name in links, unique within the business. */
  slug: string | null
  /** Its place in lists, from 1; null: after those that have one. */
  position: number | null
  category: string | null
  description: string | null
  image_url: string | null
  duration_minutes: number
  buffer_before_minutes: number
  buffer_after_minutes: number
  slot_interval_minutes: number
  /** In place of the grid; null: the grid. */
  timetable: Timetable | null
  min_notice_minutes: number
  max_advance_days: number | null
  cancel_until_minutes: number | null
  reschedule_until_minutes: number | null
  max_reschedules: number
  capacity: number
  price: Money | null
  deposit: Money | null
  location_ids: string[]
  staff_ids: string[]
  custom_fields: CustomField[]
  active: boolean
}

/** `weekly_hours` null: always open. */
export interface Location {
  id: string
  business_id: string
  name: string
  timezone: string
  address: string | null
  /** Where clients meet online (https). */
  online_url: string | null
  weekly_hours: WeeklyHours | null
  date_overrides: DateOverride[]
  active: boolean
}

/** `location_ids` empty: everywhere. `weekly_hours` null: the location's hours. */
export interface StaffMember {
  id: string
  business_id: string
  name: string
  /** Their name in links, unique within the business. */
  slug: string | null
  /** Their place in lists, from 1; null: after those that have one. */
  position: number | null
  description: string | null
  image_url: string | null
  email: string | null
  location_ids: string[]
  weekly_hours: WeeklyHours | null
  date_overrides: DateOverride[]
  active: boolean
}
