/** A step of the booking. */
export type BookingStep = 'service' | 'location' | 'staff' | 'more' | 'time' | 'details' | 'done'

/** The visitor's choices at a step. An ID that is not chosen yet is null. */
export interface StepDetail {
  step: BookingStep
  service_id: string | null
  location_id: string | null
  /** An ID, or `anyone`. Null without staff to choose. */
  staff_id: string | null
}

/** An amount in minor units, such as cents, of a currency (ISO 4217). */
export interface Money {
  amount: number
  currency: string
}

interface Named {
  id: string
  name: string
}

/** A held time. Instants are RFC 3339. */
export interface Held {
  hold_id: string
  service_id: string
  location_id: string
  starts_at: string
  ends_at: string
  /** The hold frees the time at this instant. */
  expires_at: string
}

/** A booking without anything that the client typed. `@holdfast/client` has the whole type. */
export interface Booked {
  id: string
  business_id: string
  /** A request, and a booking whose deposit is due, are `pending`. */
  status: 'pending' | 'confirmed'
  starts_at: string
  ends_at: string
  party_size: number
  service: Named & { price: Money | null }
  location: Named & { timezone: string }
  staff: Named | null
  /** The price for all people together. */
  price?: Money | null
  /** The deadline of the business for a request. */
  respond_by?: string
}

/** Details of the events, by name without `holdfast:`. */
export interface HoldfastDetails {
  ready: StepDetail
  step: StepDetail
  held: { hold: Held }
  booked: { booking: Booked }
  /** `step` is null before the first one. */
  closed: { step: BookingStep | null }
  /** The code of a problem, or `unreachable`. */
  error: { code: string; message: string }
}

export type HoldfastEventName = keyof HoldfastDetails

/** The events of an element or document, by their whole names. */
export type HoldfastEventMap = {
  [Name in HoldfastEventName as `holdfast:${Name}`]: CustomEvent<HoldfastDetails[Name]>
}
