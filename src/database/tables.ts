import type { Generated } from 'kysely'
import type { Instant } from '../instants.ts'

/*
 * The rows as code sees them, the same on both engines: instants are `Instant` text, JSON is text
 * (`…_json`), and there are no booleans: what can be on or off has the instant at which it went off.
 */

/** What a hub or a business has paid for; each holds all of the one before it. */
export type PlanName = 'growth' | 'pro' | 'enterprise'

/** A platform with many businesses. */
export interface HubsTable {
  id: string
  name: string
  plan: PlanName
  created_at: Instant
}

/** Somebody who offers services: the tenant to whom everything below belongs. */
export interface BusinessesTable {
  id: string
  hub_id: string | null
  name: string
  plan: PlanName
  timezone: string
  brand_name: string | null
  brand_color: string | null
  brand_logo_url: string | null
  /** Requests that each key may make on the Enterprise plan; null for what the plan gives. */
  limit_per_minute: number | null
  limit_per_hour: number | null
  /** Grows with every change of what the business offers: what a node remembers of a lower one is stale. */
  catalogue_version: number
  created_at: Instant
}

/** An API key, of a hub or of a business. Of the key itself there is its SHA-256 digest alone. */
export interface ApiKeysTable {
  id: string
  type: 'hub' | 'business' | 'publishable'
  hub_id: string | null
  business_id: string | null
  digest: string
  last_four: string
  allowed_origins_json: string | null
  created_at: Instant
  revoked_at: Instant | null
}

/** A session of a widget, made from a publishable key. Of its token too there is only the digest. */
export interface SessionsTable {
  id: string
  business_id: string
  api_key_id: string
  /** The same over all refreshes: what a session places belongs to its owner, not to one token. */
  owner_id: string
  digest: string
  last_four: string
  created_at: Instant
  expires_at: Instant
  ended_at: Instant | null
}

/** A place at which services are offered, with its zone and hours. */
export interface LocationsTable {
  id: string
  business_id: string
  name: string
  timezone: string
  address: string | null
  weekly_hours_json: string | null
  date_overrides_json: string
  created_at: Instant
  deactivated_at: Instant | null
}

/** Somebody who gives services, with their own hours. */
export interface StaffTable {
  id: string
  business_id: string
  name: string
  email: string | null
  weekly_hours_json: string | null
  date_overrides_json: string
  created_at: Instant
  deactivated_at: Instant | null
}

/** Where somebody works; without a row, everywhere. */
export interface StaffLocationsTable {
  business_id: string
  staff_id: string
  location_id: string
}

/** What can be booked. Amounts are in the minor unit of their currency. */
export interface ServicesTable {
  id: string
  business_id: string
  name: string
  description: string | null
  duration_minutes: number
  buffer_before_minutes: number
  buffer_after_minutes: number
  slot_interval_minutes: number
  min_notice_minutes: number
  max_advance_days: number | null
  capacity: number
  price_amount: number | null
  price_currency: string | null
  deposit_amount: number | null
  deposit_currency: string | null
  custom_fields_json: string
  created_at: Instant
  deactivated_at: Instant | null
}

/** Where a service is offered. */
export interface ServiceLocationsTable {
  business_id: string
  service_id: string
  location_id: string
}

/** Who gives a service; without a row, it needs nobody. */
export interface ServiceStaffTable {
  business_id: string
  service_id: string
  staff_id: string
}

/** A time that nobody can book: of a location, or of a staff member. */
export interface BlocksTable {
  id: string
  business_id: string
  location_id: string | null
  staff_id: string | null
  starts_at: Instant
  ends_at: Instant
  reason: string | null
  created_at: Instant
}

/** The record of a hold. Whether it still takes its slot is for `claims` to say. */
export interface HoldsTable {
  id: string
  business_id: string
  service_id: string
  location_id: string
  staff_id: string | null
  starts_at: Instant
  ends_at: Instant
  expires_at: Instant
  owner_id: string
  /** Counts a session's holds: two that are placed at once cannot both be the next. Null for keys. */
  owner_sequence: number | null
  /** IPv4 address or IPv6 /64 that the cap per address counts; null for keys, which are exempt. */
  client_network: string | null
  created_at: Instant
  released_at: Instant | null
}

/** A claim on the time of a resource: the one table in which a slot is taken. */
export interface ClaimsTable {
  /** Of the hold, and of the booking that it becomes. */
  id: string
  business_id: string
  /** A staff member, or an unstaffed service at a location. */
  resource_id: string
  seat: number
  occurrence_id: string
  /** Buffers included. */
  starts_at: Instant
  ends_at: Instant
  /** Whose hold it is; null once it is booked. */
  owner_id: string | null
  /** When the hold lapses; null once it is booked. */
  expires_at: Instant | null
  /** Equal to `id` once it is booked. */
  booking_id: string | null
}

/** How far a booking is. Only a cancelled one leaves its slot to others. */
export type BookingStatus = 'pending' | 'confirmed' | 'in_progress' | 'completed' | 'cancelled'

/** A booking. That it has its slot is for `claims` to say. */
export interface BookingsTable {
  id: string
  business_id: string
  service_id: string
  location_id: string
  staff_id: string | null
  starts_at: Instant
  ends_at: Instant
  status: BookingStatus
  notes: string | null
  client_first_name: string
  client_last_name: string
  client_email: string
  client_phone: string | null
  custom_field_values_json: string
  /** The session or key that placed the hold. */
  owner_id: string
  cancelled_at: Instant | null
  /** When it was first confirmed; null while its deposit has never been paid or waived. */
  confirmed_at: Instant | null
  /** The payment of its deposit that counts; null when the service asks for none. */
  payment_id: string | null
  created_at: Instant
  updated_at: Instant
  version: number
}

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
  /** Null once it is not pending. */
  next_attempt_at: Instant | null
  /** Until when one server alone may send it, and which. */
  leased_until: Instant | null
  leased_by: string | null
  /** Grows with each lease: what an older one has to say comes too late. */
  fence: Generated<number>
  created_at: Instant
}

/** The answer to a request that named an `Idempotency-Key`. */
export interface IdempotencyRecordsTable {
  /** The session's owner, or the key. */
  caller_id: string
  route: string
  idempotency_key: string
  /** Of what was asked for. */
  request_digest: string
  status: number
  etag: string | null
  /** To the byte. */
  body: string
  created_at: Instant
}

/** All tables by name: what Kysely checks queries against. */
export interface Tables {
  hubs: HubsTable
  businesses: BusinessesTable
  api_keys: ApiKeysTable
  sessions: SessionsTable
  locations: LocationsTable
  staff: StaffTable
  staff_locations: StaffLocationsTable
  services: ServicesTable
  service_locations: ServiceLocationsTable
  service_staff: ServiceStaffTable
  blocks: BlocksTable
  holds: HoldsTable
  claims: ClaimsTable
  bookings: BookingsTable
  payments: PaymentsTable
  processor_events: ProcessorEventsTable
  sandbox_checkouts: SandboxCheckoutsTable
  events: EventsTable
  webhooks: WebhooksTable
  deliveries: DeliveriesTable
  idempotency_records: IdempotencyRecordsTable
}
