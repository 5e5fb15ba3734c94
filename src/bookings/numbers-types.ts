import type { Instant } from '../base/instants.ts'

/** A booking, or one service of a visit. Bookings that were never confirmed are left out. */
export interface NumbersItem {
  booking_id: string
  booking_starts_at: Instant
  location_id: string
  created_at: Instant
  /** The ID of the client. Without one, the address in small letters, which is empty for erased ones. */
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
  /** 1 if fees or a payment in advance may have brought money although nobody came. */
  may_recover: 0 | 1
  state: 'booked' | 'missed' | 'cancelled'
}

/** The amounts of a period in one currency, in minor units. */
export interface NumbersMoney {
  currency: string
  booked: number
  missed: number
}
