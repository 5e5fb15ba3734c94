/* What the widget reads of the API. */

export interface Session {
  session_token: string
  expires_at: string
  show_branding: boolean
  business: {
    id: string
    name: string
    timezone: string
    brand_name: string | null
    brand_color: string | null
    brand_logo_url: string | null
  }
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
  required: boolean
  options?: string[]
}

export interface Service {
  id: string
  name: string
  description: string | null
  duration_minutes: number
  capacity: number
  price: Money | null
  deposit: Money | null
  location_ids: string[]
  staff_ids: string[]
  custom_fields: CustomField[]
  active: boolean
}

export interface Location {
  id: string
  name: string
  timezone: string
  address: string | null
  active: boolean
}

export interface StaffMember {
  id: string
  name: string
}

export interface Slot {
  starts_at: string
  ends_at: string
  staff_ids: string[]
  seats_left: number
  held_by_you?: true
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
}

export type FieldValue = string | number | boolean | string[]

export interface Booking {
  id: string
  status: 'pending' | 'confirmed' | 'in_progress' | 'completed' | 'cancelled'
  starts_at: string
  ends_at: string
  service: { id: string; name: string; price: Money | null }
  location: { id: string; name: string; address: string | null; timezone: string }
  client: { first_name: string; last_name: string; email: string }
  staff: { id: string; name: string } | null
  redirect_url?: string
  /** The page on which the client manages it. */
  manage_url?: string
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
