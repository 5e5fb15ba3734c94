import type { Instant } from '../instants.ts'
import type { DeliveriesTable, EventsTable, WebhooksTable } from './event-tables.ts'
import type { PaymentsTable, ProcessorEventsTable, SandboxCheckoutsTable } from './payment-tables.ts'

/*
 * The rows as code sees them, the same on both engines: instants are `Instant` text, JSON is text
 * (`…_json`), and what can be on or off has the instant at which it went off, in place of a boolean.
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
  /** Bookings ahead that sessions may make for one client; null: any number. */
  max_bookings_per_client: number | null
  /** CIDR ranges whose addresses no cap counts. */
  trusted_networks_json: string | null
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
  /** Digest of the IPv4 address or IPv6 /64 that the cap per address counts; null for keys, which are exempt. */
  client_network: string | null
  /** The same of the IPv6 /48. */
  client_wider_network: string | null
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
  /** The client's name, e-mail and phone in lower case, a line each: what is searched. Written whenever these are. */
  client_search: string
  custom_field_values_json: string
  /** The session or key that placed the hold. */
  owner_id: string
  cancelled_at: Instant | null
  /** When it was first confirmed; null while its deposit has never been paid or waived. */
  confirmed_at: Instant | null
  /** When it was marked that the client did not come; only a completed one can be. */
  no_show_at: Instant | null
  /** The payment of its deposit that counts; null when the service asks for none. */
  payment_id: string | null
  /** Digest of the client for whom a session booked, which the cap per client counts; null for keys. */
  counted_client: string | null
  created_at: Instant
  updated_at: Instant
  version: number
}

/** What a cap on bookings from one address counts: a booking that a session made, or one that was refused. */
export interface BookingAttemptsTable {
  business_id: string
  /** Of the booking, where there is one. */
  id: string
  /** Digests of the IPv4 address or IPv6 /64, and of the IPv6 /48. */
  network: string
  wider_network: string | null
  counted_at: Instant
}

/** A client for whom sessions book nothing any more. */
export interface BlockedClientsTable {
  business_id: string
  /** In lower case, without `+tag`. */
  email: string
  blocked_at: Instant
}

/** What the server itself keeps secret, where its settings name nothing. */
export interface ServerSecretsTable {
  name: string
  secret: string
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
  booking_attempts: BookingAttemptsTable
  blocked_clients: BlockedClientsTable
  server_secrets: ServerSecretsTable
  payments: PaymentsTable
  processor_events: ProcessorEventsTable
  sandbox_checkouts: SandboxCheckoutsTable
  events: EventsTable
  webhooks: WebhooksTable
  deliveries: DeliveriesTable
  idempotency_records: IdempotencyRecordsTable
}
