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
  'consent',
] as const

/** A question that the client answers when booking. */
export interface CustomField {
  id: string
  key: string
  /** For a consent, contains at most one link, `[text](https://…)`. */
  label: string
  type: (typeof customFieldTypes)[number]
  required: boolean
  /** Choices of select and multi_select. */
  options?: string[]
}

/** The part of its price that a service charges when booked. `card` charges nothing and saves a card. */
export const paymentModes = ['none', 'deposit', 'full', 'card'] as const

export type PaymentMode = (typeof paymentModes)[number]

/** A part of the price that is charged if the client cancels less than some time before the start. */
export interface Fee {
  within_minutes: number
  /** From 1 to 100. */
  percent: number
}

export const clientFieldUses = ['required', 'optional', 'hidden'] as const

/** The details that a service requires of its clients besides first name and email address. */
export interface ClientFields {
  phone: (typeof clientFieldUses)[number]
  last_name: (typeof clientFieldUses)[number]
}

/**
 * Opening hours in wall time, with `closes` up to 24:00. If `closes` is at or before `opens`, they run past
 * midnight.
 */
export interface Hours {
  opens: string
  closes: string
}

export type Weekday = 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday'

/** Weekly hours in wall time. */
export type WeeklyHours = (Hours & { weekday: Weekday })[]

/** Hours of one date that replace the weekly ones; none means closed. */
export interface DateOverride {
  date: string
  hours: Hours[]
}

/** Wall times at which slots start, by weekday. A missing weekday has none. */
export type Timetable = { weekday: Weekday; starts: string[] }[]

/** A piece of a service's length, with the person or without. */
export interface Step {
  minutes: number
  staffed: boolean
}

export const needTimes = ['all', 'staffed'] as const

/** Rooms or equipment that a service needs, besides a person. */
export interface Need {
  /** In order of preference. One of them serves the need. */
  resource_ids: string[]
  /** The number of alike ones that it takes. */
  quantity: number
  /** The whole time, or the staffed steps only. */
  during: (typeof needTimes)[number]
}

/** Another price or length of a service, given by one person. Steps and duration exclude each other. */
export interface Terms {
  staff_id: string
  price?: Money
  steps?: Step[]
  /** One staffed step of this length. */
  duration_minutes?: number
}

/** The tables of the four kinds. */
export type ItemTable = 'services' | 'locations' | 'staff' | 'resources'

/** One item of each kind, for messages. */
export const itemNouns = {
  services: 'service',
  locations: 'location',
  staff: 'staff member',
  resources: 'resource',
} as const satisfies Record<ItemTable, string>

/** The tables that link services to their locations and staff. */
export type LinkTable = 'service_locations' | 'service_staff'
