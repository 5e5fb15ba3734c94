import type { Generated } from 'kysely'
import type { Instant } from '../instants.ts'

/* Rows as code sees them; what is said in tables.ts holds here too. */

/** That something happened to a booking: written in the transaction of the change, or neither is. */
export interface EventsTable {
  id: string
  business_id: string
  booking_id: string
  type: string
  /** The body that receivers get, to the byte. */
  payload: string
  occurred_at: Instant
  /** The transaction that wrote it (PostgreSQL; 0 on SQLite): with `position`, its place in the order of events. */
  transaction_id: Generated<number>
  position: Generated<number>
  /** The span in which it happened (W3C Trace Context); null where nothing was traced. */
  traceparent: string | null
}

/** Where events are sent: of one business, or of all businesses of a hub. */
export interface WebhooksTable {
  id: string
  hub_id: string | null
  business_id: string | null
  /** Two digits, from 00 for a business and from 20 for a hub: there are only so many. Null once it is deleted. */
  place: string | null
  url: string
  /** Names of events, with one space between. */
  events: string
  description: string | null
  /** In the clear: it signs. */
  secret: string
  previous_secret: string | null
  previous_secret_until: Instant | null
  created_at: Instant
  disabled_at: Instant | null
  deleted_at: Instant | null
}

/** How far a delivery is; a failed one is tried again by hand only. */
export type DeliveryStatus = 'pending' | 'succeeded' | 'failed'

/** One event on its way to one webhook. */
export interface DeliveriesTable {
  id: string
  webhook_id: string
  /** Null for a sample that is sent to a webhook of a hub. */
  business_id: string | null
  event_id: string
  event_type: string
  booking_id: string
  /** The body of a sample, which is of no event. */
  sample_payload: string | null
  status: DeliveryStatus
  /** The latest attempts, as the log shows them. */
  attempts_json: Generated<string>
  attempts_made: Generated<number>
  attempts_left: number
  /** While an attempt is in flight, the end of its lease: then any server makes it again. Null once it is not pending. */
  next_attempt_at: Instant | null
  created_at: Instant
}
