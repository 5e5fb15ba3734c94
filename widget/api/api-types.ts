/* The parts of the API that the widget reads. */

export interface Session {
  session_token: string
  expires_at: string
}

export interface Business {
  id: string
  name: string
  timezone: string
  brand_name: string | null
  brand_color: string | null
  brand_logo_url: string | null
  phone: string | null
  reply_to_email: string | null
  imprint_url: string | null
  privacy_url: string | null
  /** The client agrees to them with the booking. */
  terms: string | null
  terms_language: string | null
  /** Clients may agree to text messages. */
  sends_texts?: true
  /** The waiting list is open. */
  sends_offers?: true
  /** A booking can have a coupon. */
  takes_coupons?: true
}

/** Initial data of a booking page: `GET /book/{key}/start`. */
export interface BookingStart {
  show_branding: boolean
  sends_mail?: true
  business: Business
  services: Service[]
  locations: Location[]
  staff: StaffMember[]
  /** Null while the service or location is still to be chosen. */
  first: FirstTimes | null
}

export interface FirstTimes {
  service_id: string
  location_id: string
  staff_id: string | null
  party_size: number
  /** The services of a visit, as requested. */
  items?: string
  soonest: Slot | null
  slots: Slot[]
  /** On several days, earliest first. */
  next: Slot[]
  dates: string[]
}

export interface Money {
  amount: number
  currency: string
}

export interface CustomField {
  id: string
  key: string
  label: string
  type:
    | 'text'
    | 'textarea'
    | 'number'
    | 'boolean'
    | 'select'
    | 'multi_select'
    | 'date'
    | 'email'
    | 'phone'
    | 'url'
    | 'consent'

  required: boolean
  options?: string[]
}

/** Another price or length of a person. */
export interface Terms {
  staff_id: string
  price?: Money
  duration_minutes?: number
  steps?: { minutes: number }[]
}

/** A part of the price for a visitor who cancels late. */
export interface Fee {
  within_minutes: number
  percent: number
}

export interface Service {
  id: string
  slug?: string | null
  name: string
  category: string | null
  description: string | null
  image_url: string | null
  duration_minutes: number
  capacity: number
  price: Money | null
  terms?: Terms[]
  deposit: Money | null
  payment: 'none' | 'deposit' | 'full' | 'card'
  /** Absent on a server of an earlier release, as the next. */
  fees?: Fee[]
  no_show_percent?: number | null
  location_ids: string[]
  staff_ids: string[]
  client_fields: Record<'phone' | 'last_name', 'required' | 'optional' | 'hidden'>
  custom_fields: CustomField[]
  max_advance_days: number | null
  /** Minutes before the start; null for never. */
  cancel_until_minutes: number | null
  reschedule_until_minutes: number | null
  max_reschedules: number
  /** Absent on a server of an earlier release. */
  max_repeats?: number
  /** `request`: the business confirms each booking. Absent on a server of an earlier release. */
  confirmation?: 'automatic' | 'request'
  respond_within_minutes?: number
  /** False: nobody can wait for it. Absent on a server of an earlier release, which has no waiting list. */
  waitlist?: boolean
  active: boolean
}

export interface Location {
  id: string
  name: string
  timezone: string
  address: string | null
  online_url: string | null
  active: boolean
}

export interface StaffMember {
  id: string
  name: string
  description: string | null
  image_url: string | null
}

export interface Slot {
  starts_at: string
  ends_at: string
  staff_ids: string[]
  seats_left: number
  held_by_you?: true
  /** The services of a visit. */
  items?: { service_id: string; starts_at: string; ends_at: string }[]
}

export interface Availability {
  timezone: string
  days: { date: string; slots: Slot[] }[]
}

export interface Hold {
  hold_id: string
  service_id: string
  location_id: string
  starts_at: string
  ends_at: string
  expires_at: string
  items?: { service_id: string; staff_id: string | null; starts_at: string; ends_at: string }[]
  /** All holds of a series, and the times that were not free. */
  series?: { holds: { starts_at: string }[]; skipped: { starts_at: string }[] }
}

export type FieldValue = string | number | boolean | string[]

export interface Booking {
  id: string
  status: 'pending' | 'confirmed' | 'in_progress' | 'completed' | 'cancelled'
  party_size: number
  starts_at: string
  ends_at: string
  service: { id: string; name: string; price: Money | null }
  location: Omit<Location, 'active'>
  client: { first_name: string; last_name: string; email: string }
  staff: { id: string; name: string } | null
  items: BookedItem[]
  /** The price for all people together. */
  price?: Money | null
  /** The reduction by a coupon. */
  discount?: Money & { code: string }
  notes?: string | null
  /** `text`: the consent that the client read. */
  custom_field_values?: { field_id: string; text?: string }[]
  business_id: string
  /** The deposit, in minor units. */
  payment?: Money & { status: 'due' | 'paid' | 'expired' | 'refunded'; refunded_amount?: number }
  redirect_url?: string
  /** The page on which the client manages the booking. */
  manage_url?: string
  /** A request that waits for the answer of the business. */
  respond_by?: string
  /** The reason for a cancellation, if one was given. */
  cancel_reason?: string
}

/** The reduction by a coupon, and the price that remains for all people. */
export interface CheckedCoupon {
  code: string
  discount: Money
  price: Money
}

/** One service of a booking. */
export interface BookedItem {
  service: { id: string; name: string }
  staff: { id: string; name: string } | null
  starts_at: string
  ends_at: string
  party_size: number
}

/** A problem document (RFC 9457). */
export interface ProblemDocument {
  status: number
  code: string
  title: string
  detail: string
  errors?: { pointer: string; code: string; detail: string }[]
  alternatives?: Slot[]
  booking_id?: string
}
