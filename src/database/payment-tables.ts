import type { Generated } from 'kysely'
import type { Instant } from '../instants.ts'

/** `preparing`: the checkout is being opened, and nobody knows its address yet. */
export type PaymentStatus = 'preparing' | 'due' | 'paid' | 'expired' | 'refunded'

/** A checkout at a payment processor, and what came of it. Holds nothing of a card and no secret. */
export interface PaymentsTable {
  id: string
  business_id: string
  /** Of the hold, and of the booking if there ever is one. */
  booking_id: string
  provider: 'stripe' | 'sandbox'
  /** In minor units (ISO 4217). */
  amount: number
  currency: string
  status: PaymentStatus
  /** Of what was ordered: the same order again has the same checkout. */
  order_digest: string
  /** By what the processor knows the checkout, and the payment. */
  checkout_reference: string | null
  payment_reference: string | null
  /** Why nothing is due any more although nothing was paid. */
  closed_because: 'lapsed' | 'cancelled' | 'confirmed' | null
  /** How often the processor was asked in vain. */
  looks: Generated<number>
  /** The end of the checkout's life. */
  expires_at: Instant
  /** When the processor is to be asked next; null when nothing is left to do. */
  next_look_at: Instant | null
  /** When somebody last looked at the page of the booking so that the processor was asked. */
  looked_at: Instant | null
  paid_at: Instant | null
  refund_requested_at: Instant | null
  refunded_at: Instant | null
  created_at: Instant
}

/** Events of a payment processor that were applied: each is, once. */
export interface ProcessorEventsTable {
  provider: string
  event_id: string
  applied_at: Instant
}

/** A checkout of the built-in sandbox, which takes the place of a payment processor. */
export interface SandboxCheckoutsTable {
  /** Secret: who knows it can pay. */
  reference: string
  payment_id: string
  service_name: string
  status: 'open' | 'paid' | 'expired'
  refunded_at: Instant | null
  created_at: Instant
}
