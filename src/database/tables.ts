import type { Generated } from 'kysely'
import type { Instant } from '../base/instants.ts'

/*
 * Row types, the same on both engines: instants are `Instant` text, JSON is text (`…_json`), and in place of a boolean
 * stands the instant at which something was switched off.
 */

/** Each plan includes the one before it. */
export type PlanName = 'growth' | 'pro' | 'enterprise'

/** Platforms with many businesses. */
export interface HubsTable {
  id: string
  name: string
  plan: PlanName
  created_at: Instant
}

/** The tenants: everything below belongs to one. */
export interface BusinessesTable {
  id: string
  hub_id: string | null
  name: string
  plan: PlanName
  timezone: string
  brand_name: string | null
  brand_color: string | null
  brand_logo_url: string | null
  /** Replace the Enterprise plan's limits for each key; null: the plan's. */
  limit_per_minute: number | null
  limit_per_hour: number | null
  /** Cap on future bookings for one client through sessions; null: none. */
  max_bookings_per_client: number | null
  /** How many days after their end clients are erased from bookings; null: never. */
  retention_days: number | null
  /** CIDR ranges that are exempt from the caps. */
  trusted_networks_json: string | null
  /** Of mails (BCP 47). */
  locale: string
  reply_to_email: string | null
  /** Who is told of bookings; null: nobody. */
  notify_emails_json: string | null
  /** Hours before the start, the longest first. */
  reminder_hours_json: string
  quiet_hours_json: string | null
  /** Grows with every change of the catalogue: cached rows of a lower version are stale. */
  catalogue_version: number
  created_at: Instant
  /** That clients may call. */
  phone: string | null
  /** Its name in links to the booking page, unique on the server. */
  slug: string | null
  /** Counts the keys of its booking page: a new one follows one that was revoked. */
  page_key_generation: number
  /** How many it may have, in place of what its plan says; null: as its plan says. */
  max_services: number | null
  max_locations: number | null
  max_staff: number | null
}

/** API keys of hubs and businesses, stored as SHA-256 digests. */
export interface ApiKeysTable {
  id: string
  type: 'hub' | 'business' | 'publishable'
  hub_id: string | null
  business_id: string | null
  digest: string
  last_four: string
  /** What it is for, in the words of who made it. */
  label: string | null
  allowed_origins_json: string | null
  /** Whether these websites may show its booking page in a frame: 0 or 1. */
  allow_frames: number
  created_at: Instant
  revoked_at: Instant | null
}

/** Sessions of widgets, from publishable keys; tokens are stored as digests. */
export interface SessionsTable {
  id: string
  business_id: string
  api_key_id: string
  /** Survives refreshes: holds and bookings belong to the owner, not to one token. */
  owner_id: string
  digest: string
  last_four: string
  created_at: Instant
  expires_at: Instant
  ended_at: Instant | null
}

/** Places with their own time zone and hours. */
export interface LocationsTable {
  id: string
  business_id: string
  name: string
  timezone: string
  address: string | null
  /** Where clients meet online. */
  online_url: string | null
  weekly_hours_json: string | null
  date_overrides_json: string
  created_at: Instant
  deactivated_at: Instant | null
}

/** People who provide services, with their own hours. */
export interface StaffTable {
  id: string
  business_id: string
  name: string
  email: string | null
  weekly_hours_json: string | null
  date_overrides_json: string
  created_at: Instant
  deactivated_at: Instant | null
  /** Their name in links, unique within the business. */
  slug: string | null
  /** Their place in lists, from 1; null: after those that have one. */
  position: number | null
  description: string | null
  image_url: string | null
}

/** Where a staff member works; without a row, everywhere. */
interface StaffLocationsTable {
  business_id: string
  staff_id: string
  location_id: string
}

/** Amounts are in the minor unit of their currency. */
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
  /** How long before the start its client may still cancel or move it; null: never. */
  cancel_until_minutes: number | null
  reschedule_until_minutes: number | null
  /** How often a client may move one booking. */
  max_reschedules: number
  capacity: number
  price_amount: number | null
  price_currency: string | null
  deposit_amount: number | null
  deposit_currency: string | null
  custom_fields_json: string
  /** In place of the grid; null: the grid. */
  timetable_json: string | null
  created_at: Instant
  deactivated_at: Instant | null
  /** Its name in links, unique within the business. */
  slug: string | null
  /** Its place in lists, from 1; null: after those that have one. */
  position: number | null
  category: string | null
  image_url: string | null
  /** Whether a client gives a phone and a last name; null: phone optional, last name required. */
  phone_use: ClientFieldUse | null
  last_name_use: ClientFieldUse | null
}

type ClientFieldUse = 'required' | 'optional' | 'hidden'

interface ServiceLocationsTable {
  business_id: string
  service_id: string
  location_id: string
}

/** Staff who provide a service; without a row, it needs no staff. */
interface ServiceStaffTable {
  business_id: string
  service_id: string
  staff_id: string
}

/** Times of a location or staff member that cannot be booked. */
export interface BlocksTable {
  id: string
  business_id: string
  location_id: string | null
  staff_id: string | null
  starts_at: Instant
  ends_at: Instant
  reason: string | null
  created_at: Instant
  /** Where it comes from; null for one made by hand. */
  busy_calendar_id: string | null
}

/**
 * The one table that takes slots. A hold is a row here, and so is the time of the booking that it becomes; the record of a
 * hold stays for a day.
 */
export interface ClaimsTable {
  /** Id of the hold, and of the booking that it becomes. */
  id: string
  business_id: string
  service_id: string
  location_id: string
  staff_id: string | null
  /** The staff member that was asked for; null: anyone would do. */
  chosen_staff_id: string | null
  /** The slot of the hold, without buffers. */
  starts_at: Instant
  ends_at: Instant
  /** A staff member, or an unstaffed service at a location. */
  resource_id: string
  /** The first of its seats. */
  seat: number
  /** For how many people: so many seats. */
  party_size: number
  /** All its seats as `writeSeats` has them; null for one. */
  seats: string | null
  occurrence_id: string
  /** What it takes, buffers included. Moves with its booking. */
  taken_from: Instant
  taken_until: Instant
  owner_id: string
  /** Numbers a session's holds, so that two concurrent ones conflict. Null for keys. */
  owner_sequence: number | null
  /** Digest of the IPv4 address or IPv6 /64, for the cap per address; null for keys, which are exempt. */
  client_network: string | null
  /** Digest of the IPv6 /48. */
  client_wider_network: string | null
  created_at: Instant
  /** End of the hold. */
  expires_at: Instant
  /** When it became a booking; null while it is a hold. */
  booked_at: Instant | null
  /** When it gave its time back: a hold that was released or has expired, a booking that was cancelled. */
  ended_at: Instant | null
}

/** Only a cancelled booking frees its slot. */
export type BookingStatus = 'pending' | 'confirmed' | 'in_progress' | 'completed' | 'cancelled'

/** `claims` decides whether a booking has its slot. */
export interface BookingsTable {
  id: string
  business_id: string
  service_id: string
  location_id: string
  staff_id: string | null
  /** The staff member that the client asked for; null: anyone would do. Stays when another one takes it. */
  chosen_staff_id: string | null
  starts_at: Instant
  ends_at: Instant
  /** For how many people. */
  party_size: number
  status: BookingStatus
  notes: string | null
  client_first_name: string
  client_last_name: string
  client_email: string
  client_phone: string | null
  /** Search text: the client's name, e-mail and phone as `searchText` writes them, a line each. Written together with them. */
  client_search: string
  custom_field_values_json: string
  /** The session or key that placed the hold. */
  owner_id: string
  /** Of mails to the client (BCP 47); null: the business's. */
  locale: string | null
  /** Since when it has its present time and takes its slot: a reminder due before that is not sent. */
  scheduled_at: Instant
  cancelled_at: Instant | null
  /** First confirmation; null until its deposit is paid or waived. */
  confirmed_at: Instant | null
  /** When it was marked a no-show; only for completed bookings. */
  no_show_at: Instant | null
  /** What the client said when cancelling it. */
  cancel_reason: string | null
  /** Counts the links by which its client manages it: a new one ends the one before. */
  manage_generation: number
  /** Digest of the token in the present link; of an erased client, no digest of any token. */
  manage_digest: string
  /** How often its client has moved it. */
  client_reschedules: number
  /** The current payment of its deposit; null without a deposit. */
  payment_id: string | null
  /** Digest of the client, for the cap per client; null for keys. */
  counted_client: string | null
  created_at: Instant
  updated_at: Instant
  version: number
  /** When its client was erased; null for one who is known. */
  erased_at: Instant | null
  /** The price for one person when it was booked, in minor units (ISO 4217); null: none, or not kept. */
  agreed_amount: number | null
  /** Of the client (IANA), as their browser said; null: not known. */
  time_zone: string | null
  /** '': none was agreed. Null: booked before agreed prices were kept, so the present one is shown. */
  agreed_currency: string | null
}

/** Bookings through sessions, made or refused: the caps per address count them. */
export interface BookingAttemptsTable {
  business_id: string
  /** Id of the booking, if it was made. */
  id: string
  /** Digests of the IPv4 address or IPv6 /64, and of the IPv6 /48. */
  network: string
  wider_network: string | null
  counted_at: Instant
}

/** Clients for whom sessions cannot book. */
export interface BlockedClientsTable {
  business_id: string
  /** In lower case, without `+tag`; of an erased client, a digest (see erasure.ts). */
  email: string
  blocked_at: Instant
}

/** Secrets of the server that its settings do not name. */
export interface ServerSecretsTable {
  name: string
  secret: string
  created_at: Instant
}

/** Responses to requests with an `Idempotency-Key`. */
export interface IdempotencyRecordsTable {
  /** Id of the session's owner, or of the key. */
  caller_id: string
  route: string
  idempotency_key: string
  request_digest: string
  status: number
  etag: string | null
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
  claims: ClaimsTable
  bookings: BookingsTable
  client_texts: ClientTextsTable
  booking_attempts: BookingAttemptsTable
  blocked_clients: BlockedClientsTable
  server_secrets: ServerSecretsTable
  payments: PaymentsTable
  processor_events: ProcessorEventsTable
  sandbox_checkouts: SandboxCheckoutsTable
  events: EventsTable
  webhooks: WebhooksTable
  deliveries: DeliveriesTable
  feeds: FeedsTable
  busy_calendars: BusyCalendarsTable
  mails: MailsTable
  mail_opt_outs: MailOptOutsTable
  audit_entries: AuditEntriesTable
  idempotency_records: IdempotencyRecordsTable
  users: UsersTable
  user_places: UserPlacesTable
  user_recovery_codes: UserRecoveryCodesTable
  user_logins: UserLoginsTable
  user_links: UserLinksTable
  user_mails: UserMailsTable
  user_invitations: UserInvitationsTable
  user_email_changes: UserEmailChangesTable
  calendar_mails: CalendarMailsTable
}

/** What clients are searched by, kept by triggers on `bookings`: each text once for an address of a business. */
interface ClientTextsTable {
  number: Generated<number>
  business_id: string
  /** In lower case. */
  email: string
  /** `client_search` of its bookings. */
  text: string
  /** How many bookings have it. */
  bookings: number
}

/** People who log in to the console. */
export interface UsersTable {
  id: string
  /** In lower case. */
  email: string
  /** Since when the person is known to have the mailbox; null: somebody else may have set the account up. */
  email_proved_at: Instant | null
  name: string
  /** Argon2id, in the PHC string format; null until the first password is set. */
  password_hash: string | null
  password_set_at: Instant | null
  /** In base32. Stored in the clear, as codes are computed from it. */
  totp_secret: string | null
  /** Since when a log-in needs a code; null: no code. */
  totp_since: Instant | null
  /** The time step of the last code that was accepted: none is accepted twice. */
  totp_step: number
  created_at: Instant
  disabled_at: Instant | null
}

/** Each includes what the next one may do. */
export type PersonRole = 'owner' | 'manager' | 'staff'

/** What a person is at one business, or for all businesses of a hub. */
export interface UserPlacesTable {
  id: string
  user_id: string
  business_id: string | null
  hub_id: string | null
  role: PersonRole
  /** Whose calendar is the person's own. */
  staff_id: string | null
  created_at: Instant
  disabled_at: Instant | null
  /** Since when an owner of the hub keeps the person out of its business: owners of the business cannot undo it. */
  hub_disabled_at: Instant | null
}

/** Codes that replace one of the authenticator, each once; stored as digests. */
export interface UserRecoveryCodesTable {
  user_id: string
  digest: string
  used_at: Instant | null
}

/** Log-ins of people; the tokens of their cookies are stored as digests. */
export interface UserLoginsTable {
  id: string
  user_id: string
  /** Where the person acts at present. */
  place_id: string
  digest: string
  /** What the browser says of itself. */
  device: string
  address: string | null
  network: string
  created_at: Instant
  /** Null while the second step is due. */
  confirmed_at: Instant | null
  /** Exact to five minutes. */
  last_seen_at: Instant
  expires_at: Instant
  ended_at: Instant | null
}

/** Links by which a person sets a password, once. Without a person: the link of the first owner. */
export interface UserLinksTable {
  id: string
  user_id: string | null
  /** 1: it was mailed to the address of the person, so whoever uses it has that; 0: somebody else hands it over. */
  proves_address: number
  digest: string
  created_at: Instant
  expires_at: Instant
  used_at: Instant | null
}

/** An address that may become a person's place once they accept. */
export interface UserInvitationsTable {
  id: string
  /** In lower case. */
  email: string
  business_id: string | null
  hub_id: string | null
  role: PersonRole
  staff_id: string | null
  /** The owner who invited; null for the operator. */
  invited_by: string | null
  created_at: Instant
  expires_at: Instant
}

/** New addresses of people that are still to be proved by a mailed link. */
export interface UserEmailChangesTable {
  id: string
  user_id: string
  /** In lower case. */
  email: string
  digest: string
  created_at: Instant
  expires_at: Instant
}

/** What mails about no booking have in common: kept for 31 days, as mails about bookings are. */
export interface NoticeColumns {
  status: Generated<'queued' | 'sent' | 'failed'>
  last_error: string | null
  sent_at: Instant | null
  /** When somebody at the business saw that it failed. */
  seen_at: Instant | null
  attempts: number
  /** Also the lease of the server that sends it; far ahead once nothing is to be sent. */
  next_attempt_at: Instant
  created_at: Instant
}

/** Mails to people who log in: with a link, an invitation, or the proof of a new address. */
export interface UserMailsTable extends NoticeColumns {
  id: string
  /** Whose link it is, for lists of mails; null for all others, which are not for those who know the person to see. */
  user_id: string | null
  /** Where it was sent; null until then. */
  to_email: string | null
  link_id: string | null
  invitation_id: string | null
  email_change_id: string | null
  /** What somebody typed who wants a new password: its link is made when the mail is. */
  wished_email: string | null
  /** Wanted language. */
  locale: string
}

/** Mails about busy calendars that cannot be read. */
export interface CalendarMailsTable extends NoticeColumns {
  id: string
  business_id: string
  busy_calendar_id: string
  to_email: string
}

export type AuditActorType = 'key' | 'session' | 'manage_link' | 'person' | 'command_line' | 'system'

/** Who changed what, each written in the transaction of its change. Nothing of a client is in it. */
export interface AuditEntriesTable {
  id: string
  /** Null for what belongs to a hub or to the server. */
  business_id: string | null
  /** Of what belongs to a hub as a whole; null for what belongs to a business. */
  hub_id: string | null
  at: Instant
  actor_type: AuditActorType
  /** Null for the command line and the system. */
  actor_id: string | null
  /** As it was at the time; null for those whose present name is read with them, and for those without one. */
  actor_name: string | null
  action: string
  subject_type: string
  subject_id: string
  /** Where a key's or a person's request came from. */
  address: string | null
  request_id: string | null
}

/** Events of bookings, each written in the transaction of its change. */
export interface EventsTable {
  id: string
  business_id: string
  booking_id: string
  type: string
  /** The body that receivers get, byte for byte. */
  payload: string
  occurred_at: Instant
  /** Id of the writing transaction in its epoch (PostgreSQL; 0 on SQLite); with `position`, it orders events. */
  transaction_id: Generated<number>
  position: Generated<number>
  /** The span of the change (W3C Trace Context); null where nothing was traced. */
  traceparent: string | null
}

/** Receivers of the events of one business, or of all businesses of a hub. */
export interface WebhooksTable {
  id: string
  hub_id: string | null
  business_id: string | null
  /** Two digits, from 00 for a business and from 20 for a hub, to limit their number. Null once it is deleted. */
  place: string | null
  url: string
  /** Event types, separated by spaces. */
  events: string
  description: string | null
  /** Stored in the clear, as it signs. */
  secret: string
  previous_secret: string | null
  previous_secret_until: Instant | null
  created_at: Instant
  disabled_at: Instant | null
  deleted_at: Instant | null
}

/** A failed delivery is retried by hand only. */
export type DeliveryStatus = 'pending' | 'succeeded' | 'failed'

/** Each is one event for one webhook. */
export interface DeliveriesTable {
  id: string
  webhook_id: string
  /** Null for a sample event to a webhook of a hub. */
  business_id: string | null
  event_id: string
  event_type: string
  booking_id: string
  /** The body of a sample event, which has no row in `events`. */
  sample_payload: string | null
  status: DeliveryStatus
  /** The latest attempts, for the delivery log. */
  attempts_json: Generated<string>
  attempts_made: Generated<number>
  attempts_left: number
  /** During an attempt, the end of its lease: then any server retries. Null once it is not pending. */
  next_attempt_at: Instant | null
  created_at: Instant
}

export type MailKind = 'confirmed' | 'changed' | 'cancelled' | 'reminder' | 'deposit_due' | 'booked'

/** `superseded`: never sent, because a newer one says more. */
export type MailStatus = 'queued' | 'sent' | 'failed' | 'superseded'

/** Mails to clients and to those whom a business names, from before they are sent until 31 days later. */
export interface MailsTable {
  id: string
  business_id: string
  booking_id: string
  audience: 'client' | 'business'
  kind: MailKind
  /** What makes it unique: the version of the booking; of a reminder, the start and how many hours before. */
  occasion: string
  to_email: string
  /** For limits and turns: the address in lower case, without `+tag`. */
  recipient: string
  status: MailStatus
  attempts: Generated<number>
  attempts_left: number
  last_error: string | null
  /** During an attempt, the end of its lease: then any server retries. Null once it is not queued. */
  next_attempt_at: Instant | null
  created_at: Instant
  sent_at: Instant | null
  /** The mail that told of it together with others; null: it went alone. */
  sent_with: string | null
  /** When somebody at the business saw that it failed. */
  seen_at: Instant | null
}

/** Clients who want no reminders of a business. */
export interface MailOptOutsTable {
  business_id: string
  /** In lower case, without `+tag`. */
  email: string
  opted_out_at: Instant
}

/** `preparing`: the checkout is being opened and has no URL yet. */
type PaymentStatus = 'preparing' | 'due' | 'paid' | 'expired' | 'refunded'

/** What a feed tells of bookings: only when, or also what and for whom. */
export type FeedDetail = 'busy' | 'full'

/** Secret addresses at which calendar programs read the bookings of a staff member, a location, or a business. */
export interface FeedsTable {
  id: string
  business_id: string
  /** From 0 to 19: so many can one business have. */
  place: number
  staff_id: string | null
  location_id: string | null
  detail: FeedDetail
  /** Of the secret in its address. */
  digest: string
  /** Rises where bookings change without an event: when clients are erased. */
  revision: Generated<number>
  created_at: Instant
}

/** Calendars of staff elsewhere. Their times are blocks. */
export interface BusyCalendarsTable {
  id: string
  business_id: string
  staff_id: string
  /** From 0 to 4: so many can one person have. */
  place: number
  /** Secret: whoever knows it reads the calendar. Stored because it is fetched. */
  url: string
  /** What the last whole answer had, to ask for changes only. */
  etag: string | null
  last_modified: string | null
  /** When its times were last known to be right. */
  last_fetched_at: Instant | null
  /** A code of `busyProblems`; null when the last fetch succeeded. */
  last_error: string | null
  /** Up to when its times were read. */
  busy_until: Instant | null
  /** Also the lease of a fetch: who moves it ahead fetches. */
  next_fetch_at: Instant
  created_at: Instant
  /** When the first of the fetches failed that have failed since; null when the last one succeeded. */
  failing_since: Instant | null
  /** When the business was told that it fails; null: not since it last succeeded. */
  told_at: Instant | null
}

/** Checkouts at a payment processor and their results, without card data or secrets. */
export interface PaymentsTable {
  id: string
  business_id: string
  /** Id of the hold, and of the booking if there is one. */
  booking_id: string
  provider: 'stripe' | 'sandbox'
  /** In minor units (ISO 4217). */
  amount: number
  currency: string
  status: PaymentStatus
  /** The same order again has the same checkout. */
  order_digest: string
  /** The processor's ids of the checkout and of the payment. */
  checkout_reference: string | null
  payment_reference: string | null
  /** Why an unpaid payment is no longer due. */
  closed_because: 'expired' | 'cancelled' | 'confirmed' | null
  /** How often the processor was asked in vain. */
  checks: Generated<number>
  expires_at: Instant
  /** When the processor is to be asked next; null when nothing is left to do. */
  next_check_at: Instant | null
  /** When the booking's page last had the processor asked. */
  last_page_check_at: Instant | null
  paid_at: Instant | null
  refund_requested_at: Instant | null
  refunded_at: Instant | null
  created_at: Instant
}

/** Applied events of a payment processor, so that each is applied once. */
interface ProcessorEventsTable {
  provider: string
  event_id: string
  applied_at: Instant
}

/** Checkouts of the built-in sandbox, which replaces a payment processor. */
export interface SandboxCheckoutsTable {
  /** Secret: whoever knows it can pay. */
  reference: string
  payment_id: string
  service_name: string
  status: 'open' | 'paid' | 'expired'
  refunded_at: Instant | null
  created_at: Instant
}
