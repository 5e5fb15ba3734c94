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
  /** Of a consent: with at most one link, `[text](https://…)`. */
  label: string
  type: (typeof customFieldTypes)[number]
  required: boolean
  /** Choices of select and multi_select. */
  options?: string[]
}

export const clientFieldUses = ['required', 'optional', 'hidden'] as const

/** What a service asks of its clients beside first name and e-mail. */
export interface ClientFields {
  phone: (typeof clientFieldUses)[number]
  last_name: (typeof clientFieldUses)[number]
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

/** The tables of the three kinds. */
export type ItemTable = 'services' | 'locations' | 'staff'
