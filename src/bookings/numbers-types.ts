import type { Instant } from '../base/instants.ts'

/** A booking, or one service of a visit. Bookings that were cancelled before their confirmation are left out. */
export interface NumbersItem {
  booking_id: string
  booking_starts_at: Instant
  location_id: string
  created_at: Instant
  /** The client's address in small letters, or its stand-in. Empty for erased ones. */
  client: string
  service_id: string
  staff_id: string | null
  starts_at: Instant
  ends_at: Instant
  party_size: number
  /** For one person, in minor units. */
  amount: number | null
  /** Empty: no price. Null: not kept (or no price, in a visit). */
  currency: string | null
  /** The reduction by its coupon for all people, in minor units. */
  discount: number
  /** 1 for a service of a visit, whose steps may leave the person free. */
  is_item: 0 | 1
  /** 1 for a time that the waiting list offered. */
  was_offered: 0 | 1
  /** 1 if it may be charged fees. */
  has_fees: 0 | 1
  state: 'booked' | 'missed' | 'cancelled'
}

/** The amounts of a period in one currency, in minor units. */
export interface NumbersMoney {
  currency: string
  booked: number
  missed: number
}
