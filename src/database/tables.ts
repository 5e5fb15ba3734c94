import type { Generated } from 'kysely'
import type { Instant } from '../base/instants.ts'

/*
 * Row types, the same on both engines. Instants are `Instant` text, JSON is text (`…_json`). Switches are instants
 * instead of booleans: the time at which something was disabled.
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

/** The tenants. Every table below belongs to one. */
export interface BusinessesTable {
  id: string
  hub_id: string | null
  name: string
  plan: PlanName
  timezone: string
  brand_name: string | null
  brand_color: string | null
  brand_logo_url: string | null
  /** Overrides the Enterprise plan's limits for each key. Null: the plan's. */
  limit_per_minute: number | null
  limit_per_hour: number | null
  /** Limit on a client's future bookings through sessions. Null: no limit. */
  max_bookings_per_client: number | null
  /** Days after the end of a booking until its client is erased. Null: never. */
  retention_days: number | null
  /** CIDR ranges that are exempt from the caps. */
  trusted_networks_json: string | null
  /** Language of emails (BCP 47). */
  locale: string
  reply_to_email: string | null
  /** Recipients of emails about bookings. Null: nobody. */
  notify_emails_json: string | null
  /** Hours before the start, the longest first. */
  reminder_hours_json: string
  quiet_hours_json: string | null
  /** Rises with every change of the catalogue. Cached rows of a lower version are stale. */
  catalogue_version: number
  created_at: Instant
  /** The number for clients to call. */
  phone: string | null
  /** Its name in links to the booking page, unique on the server. */
  slug: string | null
  /** Counts the keys of its booking page. Revoking one and opening the page again creates the next. */
  page_key_generation: number
  /** Overrides the limit of its plan. Null: the plan's. */
  max_services: number | null
  max_locations: number | null
  max_staff: number | null
  max_resources: number | null
  cover_url: string | null
  imprint_url: string | null
  privacy_url: string | null
  /** To which clients agree when they book. */
  terms: string | null
  /** Language of the terms (BCP 47). */
  terms_language: string | null
  /** The longest pause between two items of a visit. */
  max_gap_minutes: number
  /** The messages that clients who agreed to it also get as a text. */
  text_kinds_json: string
  /** Minutes for which a time is kept for the client on the waiting list to whom it is offered. */
  offer_minutes: number
  /** 1 for a test business, whose messages and charges reach nobody. Never changes. */
  is_test: 0 | 1
  /** The time at which the clock of a test business stands. Null: real time. */
  test_now: Instant | null
}

/** API keys of hubs and businesses, stored as SHA-256 digests. */
export interface ApiKeysTable {
  id: string
  type: 'hub' | 'business' | 'publishable'
  hub_id: string | null
  business_id: string | null
  digest: string
  last_four: string
  /** The purpose, as described by its creator. */
  label: string | null
  allowed_origins_json: string | null
  /** Allows these websites to show its booking page in a frame: 0 or 1. */
  allow_frames: number
  created_at: Instant
  revoked_at: Instant | null
  /** The parts of the API that a business or hub key may use. Null for all. */
  scopes_json: string | null
  /** Null for a key without an end. */
  expires_at: Instant | null
  /** The hour of the last use. */
  last_used_at: Instant | null
}

/** The latest requests of a key. */
export interface KeyRequestsTable {
  api_key_id: string
  id: string
  at: Instant
  method: string
  /** Without its query. */
  path: string
  /** The HTTP status of the answer. */
  status: number
  /** The code of a refusal. */
  code: string | null
  milliseconds: number
}

/** Sessions of widgets, created with publishable keys. Tokens are stored as digests. */
export interface SessionsTable {
  id: string
  business_id: string
  api_key_id: string
  /** Stays the same after refreshes: holds and bookings belong to the owner, not to one token. */
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
  /** The URL for online meetings with clients. */
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
  /** Their position in lists, from 1. Null: last. */
  position: number | null
  description: string | null
  image_url: string | null
}

/** The locations of a staff member. Without a row, all locations. */
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
  /** Minutes before the start until which clients can cancel or move a booking. Null: never. */
  cancel_until_minutes: number | null
  reschedule_until_minutes: number | null
  /** Number of times that a client may move one booking. */
  max_reschedules: number
  /** Most appointments that a visitor may book at once as a series. 1: none. */
  max_repeats: number
  /** `request`: the business confirms each booking by a session. */
  confirmation: 'automatic' | 'request'
  /** Minutes in which it answers a request. */
  respond_within_minutes: number
  capacity: number
  price_amount: number | null
  price_currency: string | null
  deposit_amount: number | null
  deposit_currency: string | null
  /** Null: by its deposit, if it has one. */
  payment: 'full' | 'card' | null
  /** Fees for late cancellations, the longest time first. Null: none. */
  fees_json: string | null
  /** The part of the price that a no-show costs, in percent. Null: none. */
  no_show_percent: number | null
  custom_fields_json: string
  /** Replaces the grid. Null: the grid. */
  timetable_json: string | null
  created_at: Instant
  deactivated_at: Instant | null
  /** Its name in links, unique within the business. */
  slug: string | null
  /** Its position in lists, from 1. Null: last. */
  position: number | null
  category: string | null
  image_url: string | null
  /** Phone and last name of clients: required, optional or unused. Null: phone optional, last name required. */
  phone_use: ClientFieldUse | null
  last_name_use: ClientFieldUse | null
  /** 1 if clients may join the waiting list for it. */
  waitlist: 0 | 1
  /** Its length in pieces. Null: one. */
  steps_json: string | null
  /** The resources that it needs; the same as its rows of `service_resources`. Null: none. */
  needs_json: string | null
  /** Other prices and lengths of staff; the same staff as its rows of `service_terms`. Null: none. */
  terms_json: string | null
}

type ClientFieldUse = 'required' | 'optional' | 'hidden'

interface ServiceLocationsTable {
  business_id: string
  service_id: string
  location_id: string
}

/** Staff who provide a service. Without a row, the service needs no staff. */
interface ServiceStaffTable {
  business_id: string
  service_id: string
  staff_id: string
}

/** Rooms and equipment of a location. */
export interface ResourcesTable {
  id: string
  business_id: string
  location_id: string
  name: string
  /** The number of alike ones. */
  quantity: number
  /** Null: the hours of the location. */
  weekly_hours_json: string | null
  date_overrides_json: string
  created_at: Instant
  deactivated_at: Instant | null
}

/** Resources that a service needs, each at one of its locations. */
interface ServiceResourcesTable {
  business_id: string
  service_id: string
  location_id: string
  resource_id: string
}

/** Staff of a service who have terms for it. */
interface ServiceTermsTable {
  business_id: string
  service_id: string
  staff_id: string
}

/** Times at which a location, staff member or resource cannot be booked. Each names one of the three. */
export interface BlocksTable {
  id: string
  business_id: string
  location_id: string | null
  staff_id: string | null
  resource_id: string | null
  starts_at: Instant
  ends_at: Instant
  reason: string | null
  created_at: Instant
  /** The source. Null for a block made by hand. */
  busy_calendar_id: string | null
  /** IDs of the bookings that it covered when it was made or extended. Null: none, or not a staff member's block. */
  booking_ids_json: string | null
}

/**
 * The only table that takes slots. A row is a hold, and then the time of the booking that it becomes. The record of a
 * hold stays for a day.
 */
export interface ClaimsTable {
  /** ID of the hold, and of the booking that it becomes. */
  id: string
  business_id: string
  service_id: string
  location_id: string
  staff_id: string | null
  /** The requested staff member. Null: any. */
  chosen_staff_id: string | null
  /** The slot of the hold, without buffers. */
  starts_at: Instant
  ends_at: Instant
  /** A staff member, or an unstaffed service at a location. */
  resource_id: string
  /** The first of its seats. */
  seat: number
  /** Number of people, each of whom takes a seat. */
  party_size: number
  /** All its seats in the format of `writeSeats`. Null for one. */
  seats: string | null
  occurrence_id: string
  /** The occupied time, with buffers. Moves with its booking. */
  taken_from: Instant
  taken_until: Instant
  owner_id: string
  /** Numbers a session's holds, so that two simultaneous ones conflict. Null for keys. */
  owner_sequence: number | null
  /** Digest of the IPv4 address or IPv6 /64, for the cap per address. Null for keys, which are exempt. */
  client_network: string | null
  /** Digest of the IPv6 /48. */
  client_wider_network: string | null
  created_at: Instant
  /** End of the hold. */
  expires_at: Instant
  /** When it became a booking. Null while it is a hold. */
  booked_at: Instant | null
  /** When it freed its time, as an expired or released hold or a cancelled booking. */
  ended_at: Instant | null
  /** The visit that it belongs to, which is the ID of its first claim. Null for the first, or only, claim. */
  visit_id: string | null
  /** Number of claims of the visit, on its first claim. 1 otherwise. */
  claim_count: number
  /** Shared by the holds of a series. Null for all others, and for further claims of visits. */
  series_id: string | null
  /** Metadata for the booking. Null without an entry, for further claims of visits, and once it is booked. */
  metadata_json: string | null
}

/** One service of a hold or booking that takes time of several things. Others have no rows here. */
export interface VisitItemsTable {
  id: string
  business_id: string
  /** ID of the hold, and of the booking that it becomes. */
  visit_id: string
  /** Position in the visit, from 0. */
  item: number
  service_id: string
  staff_id: string | null
  /** The requested staff member. Null: any. */
  chosen_staff_id: string | null
  /** Without buffers. */
  starts_at: Instant
  ends_at: Instant
  party_size: number
  /** 1 if it starts together with the item before it, 0 if it starts after it. */
  starts_with: number
  /** The price for one person when it was held, in minor units. Null without one. */
  agreed_amount: number | null
  agreed_currency: string | null
  /** The rooms, chairs and machines that it uses. */
  resource_ids_json: string
}

/** Only a cancelled booking frees its slot. */
export type BookingStatus = 'pending' | 'confirmed' | 'in_progress' | 'completed' | 'cancelled'

/** `claims` decides if a booking has its slot. */
export interface BookingsTable {
  id: string
  business_id: string
  service_id: string
  location_id: string
  staff_id: string | null
  /** The staff member that the client requested. Null: any. Stays the same when another one takes the booking. */
  chosen_staff_id: string | null
  starts_at: Instant
  ends_at: Instant
  /** Number of people. */
  party_size: number
  status: BookingStatus
  notes: string | null
  client_first_name: string
  client_last_name: string
  client_email: string
  client_phone: string | null
  /**
   * Search text: the client's name, email and phone in the format of `searchText`, one per line. Written together with
   * them.
   */
  client_search: string
  custom_field_values_json: string
  /** The session or key that placed the hold. */
  owner_id: string
  /** Language of emails to the client (BCP 47). Null: the business's. */
  locale: string | null
  /** Since when it has its present time and takes its slot. Reminders that were due earlier are not sent. */
  scheduled_at: Instant
  cancelled_at: Instant | null
  /** First confirmation. Null until its deposit is paid or waived, or the business confirms the request. */
  confirmed_at: Instant | null
  /** When a request ends unless the business answers. Null for every booking that is not an unanswered request. */
  respond_by: Instant | null
  /** When the server reminds the business of the request, or ends it. Null like `respond_by`. */
  request_check_at: Instant | null
  /** When it was marked as a no-show. Only for completed bookings. */
  no_show_at: Instant | null
  /** The reason that the client gave when cancelling it. */
  cancel_reason: string | null
  /** Counts the links for clients to manage it. A new link invalidates the previous one. */
  manage_generation: number
  /** Digest of the token in the present link. For an erased client, it matches no token. */
  manage_digest: string
  /** Number of times that its client has moved it. */
  client_reschedules: number
  /** The current payment of its deposit. Null without a deposit. */
  payment_id: string | null
  /** Digest of the client, for the cap per client. Null for keys. */
  counted_client: string | null
  /**
   * `business`: a key, a person or a session from a trusted network made it, so no cap by address counts it. Null: any
   * other session, or an earlier release.
   */
  caused_by: 'business' | null
  created_at: Instant
  updated_at: Instant
  version: number
  /** When its client was erased. Null if the client is known. */
  erased_at: Instant | null
  /** The price for one person at the time of booking, in minor units (ISO 4217). Null: no price, or not kept. */
  agreed_amount: number | null
  /** Time zone of the client (IANA), as reported by the browser. Null: unknown. */
  time_zone: string | null
  /** The sentence by which the client agreed to text messages. Null: they did not. */
  text_consent: string | null
  text_agreed_at: Instant | null
  /** Empty: no price was agreed. Null: booked before agreed prices were kept, so the present one is shown. */
  agreed_currency: string | null
  /** Number of its items in `visit_items`. Null if it takes one claim, for one service. */
  item_count: number | null
  /** Shared by the bookings of a series. Null: it stands alone. */
  series_id: string | null
  /** Its row of `clients`. Null for an erased client, and until a booking by a server of an earlier release is adopted. */
  client_id: string | null
  /** Its coupon, which may have been deleted since. */
  coupon_id: string | null
  /** A `Discount`, as agreed when it was booked. Null without one. */
  discount_json: string | null
  /** The `AgreedFees` of its services, as agreed when it was booked; none for one that is only charged by hand. Null without fees. */
  fee_rules_json: string | null
  /** The sentence about fees to which the client agreed. Null: they did not, so no fee applies by itself. */
  fee_consent: string | null
  fee_agreed_at: Instant | null
  /** The start to which the client agreed. Null without fees. */
  agreed_starts_at: Instant | null
  /** Values that developers keep with it. Triggers copy them to `metadata_values`. Null without an entry. */
  metadata_json: string | null
}

/** The metadata of bookings and clients, for searches. Triggers write it. */
interface MetadataValuesTable {
  business_id: string
  name: string
  value: string
  /** ID of the booking or client. */
  subject_id: string
}

/** Codes that make a booking cheaper. Either `percent` or `amount` is set. */
export interface CouponsTable {
  id: string
  business_id: string
  /** In capital letters. */
  code: string
  percent: number | null
  /** In minor units (ISO 4217). */
  amount: number | null
  currency: string | null
  /** Null: all services. */
  service_ids_json: string | null
  valid_from: Instant | null
  valid_until: Instant | null
  max_uses: number | null
  max_uses_per_client: number | null
  /** Bookings with it that were not cancelled before their start. */
  uses: number
  active: 0 | 1
  created_at: Instant
}

/**
 * The clients of a business. One address and one name are one client. A booking never changes a row, except its counts.
 */
export interface ClientsTable {
  id: string
  business_id: string
  /** The name that identifies the client together with the address (see `nameKey`). */
  name: string
  /** The address that identifies the client (see `addressKey`), or a stand-in. */
  address: string
  first_name: string
  last_name: string
  email: string | null
  phone: string | null
  /** As `client_search` of bookings. */
  search: string
  locale: string | null
  time_zone: string | null
  /** For the business only. */
  notes: string | null
  tags_json: string
  metadata_json: string
  /** Bookings that are not cancelled. */
  booking_count: number
  no_show_count: number
  /** The latest start of a booking that is not cancelled. */
  last_booking_at: Instant | null
  /** 1 if the business made or changed the row. It then stays without bookings, and `client_texts` has its text. */
  is_kept: 0 | 1
  /** The client that this one was merged into. Such a row only leads bookings to that client. */
  merged_into: string | null
  created_at: Instant
  /** The text by which lists in the language of the business go (see `sortKeys`). Null: its name. */
  sort_key: string | null
}

/** Businesses whose language changed. Housekeeping sorts their clients again, and has come to this name and address. */
export interface ClientSortsTable {
  business_id: string
  name: string
  address: string
}

/** Booking attempts of sessions, successful or refused. The caps per address count them. */
export interface BookingAttemptsTable {
  business_id: string
  /** ID of the booking, if there is one. */
  id: string
  /** Digests of the IPv4 address or IPv6 /64, and of the IPv6 /48. */
  network: string
  wider_network: string | null
  counted_at: Instant
}

/** Clients whom sessions cannot book for. */
export interface BlockedClientsTable {
  business_id: string
  /** In lower case, without `+tag`. For an erased client, a digest (see erasure.ts). */
  email: string
  blocked_at: Instant
}

/** Secrets of the server that its settings do not contain. */
export interface ServerSecretsTable {
  name: string
  secret: string
  created_at: Instant
}

/** Responses to requests with an `Idempotency-Key`. */
export interface IdempotencyRecordsTable {
  /** ID of the session's owner, or of the key. */
  caller_id: string
  route: string
  idempotency_key: string
  request_digest: string
  status: number
  etag: string | null
  body: string
  created_at: Instant
}

/** All tables by name. Kysely checks queries against this type. */
export interface Tables {
  hubs: HubsTable
  businesses: BusinessesTable
  api_keys: ApiKeysTable
  key_requests: KeyRequestsTable
  sessions: SessionsTable
  locations: LocationsTable
  staff: StaffTable
  staff_locations: StaffLocationsTable
  services: ServicesTable
  service_locations: ServiceLocationsTable
  service_staff: ServiceStaffTable
  resources: ResourcesTable
  service_resources: ServiceResourcesTable
  service_terms: ServiceTermsTable
  blocks: BlocksTable
  claims: ClaimsTable
  visit_items: VisitItemsTable
  bookings: BookingsTable
  clients: ClientsTable
  metadata_values: MetadataValuesTable
  client_sorts: ClientSortsTable
  client_texts: ClientTextsTable
  booking_attempts: BookingAttemptsTable
  blocked_clients: BlockedClientsTable
  server_secrets: ServerSecretsTable
  payments: PaymentsTable
  processor_events: ProcessorEventsTable
  sandbox_checkouts: SandboxCheckoutsTable
  sandbox_refunds: SandboxRefundsTable
  refunds: RefundsTable
  events: EventsTable
  webhooks: WebhooksTable
  deliveries: DeliveriesTable
  feeds: FeedsTable
  images: ImagesTable
  busy_calendars: BusyCalendarsTable
  calendar_accounts: CalendarAccountsTable
  calendar_writes: CalendarWritesTable
  calendar_disconnections: CalendarDisconnectionsTable
  import_matches: ImportMatchesTable
  mails: MailsTable
  text_counts: TextCountsTable
  text_opt_outs: TextOptOutsTable
  mail_opt_outs: MailOptOutsTable
  audit_entries: AuditEntriesTable
  idempotency_records: IdempotencyRecordsTable
  users: UsersTable
  user_places: UserPlacesTable
  user_recovery_codes: UserRecoveryCodesTable
  user_logins: UserLoginsTable
  passkeys: PasskeysTable
  used_challenges: UsedChallengesTable
  programs: ProgramsTable
  program_grants: ProgramGrantsTable
  program_codes: ProgramCodesTable
  program_tokens: ProgramTokensTable
  user_links: UserLinksTable
  user_mails: UserMailsTable
  user_invitations: UserInvitationsTable
  user_email_changes: UserEmailChangesTable
  calendar_mails: CalendarMailsTable
  webhook_mails: WebhookMailsTable
  client_links: ClientLinksTable
  client_text_links: ClientTextLinksTable
  client_log_ins: ClientLogInsTable
  coupons: CouponsTable
  waitlist_entries: WaitlistEntriesTable
  waitlist_offers: WaitlistOffersTable
  waitlist_sweeps: WaitlistSweepsTable
  waitlist_mails: WaitlistMailsTable
  waitlist_texts: WaitlistTextsTable
  own_mail_servers: OwnMailServersTable
  own_stripe_accounts: OwnStripeAccountsTable
  push_devices: PushDevicesTable
  push_settings: PushSettingsTable
  pushes: PushesTable
}

/** Searchable texts of clients, kept by triggers on `bookings`: each text once for each address in a business. */
interface ClientTextsTable {
  number: Generated<number>
  business_id: string
  /** In lower case. */
  email: string
  /** `client_search` of its bookings. */
  text: string
  /** Number of bookings with this text. */
  bookings: number
}

/** People who log in to the console. */
export interface UsersTable {
  id: string
  /** In lower case. */
  email: string
  /** Since when the person is known to own the mailbox. Null: another person may have created the account. */
  email_proved_at: Instant | null
  name: string
  /** Argon2id, in the PHC string format. Null until the first password is set. */
  password_hash: string | null
  password_set_at: Instant | null
  /** In base32. Stored in the clear, because codes are computed from it. */
  totp_secret: string | null
  /** Since when a log-in needs a code. Null: no code. */
  totp_since: Instant | null
  /** The time step of the last accepted code, because none is accepted twice. */
  totp_step: number
  created_at: Instant
  disabled_at: Instant | null
}

/** Each role includes the permissions of the next one. */
export type PersonRole = 'owner' | 'manager' | 'front_desk' | 'staff'

/** A person's role in one business, or in all businesses of a hub. */
export interface UserPlacesTable {
  id: string
  user_id: string
  business_id: string | null
  hub_id: string | null
  role: PersonRole
  /** The staff member whose calendar belongs to the person. */
  staff_id: string | null
  created_at: Instant
  disabled_at: Instant | null
  /**
   * Since when an owner of the hub has locked the person out of its business. Owners of the business cannot undo it.
   */
  hub_disabled_at: Instant | null
}

/** One-time codes that replace those of the authenticator. Stored as digests. */
export interface UserRecoveryCodesTable {
  user_id: string
  digest: string
  used_at: Instant | null
}

/** Passkeys of people (WebAuthn). */
export interface PasskeysTable {
  id: string
  user_id: string
  /** 0 to 19, once for each person, so that a person has at most twenty. */
  ordinal: number
  /** The ID that the authenticator chose, in base64url. */
  credential_id: string
  /** The public key as COSE, in base64url. */
  public_key: string
  /** Number of signatures by the authenticator; always 0 for one that does not count. */
  counter: number
  /** The host to which the passkey is bound. */
  host: string
  name: string
  created_at: Instant
  last_used_at: Instant | null
}

/** Challenges that a passkey has answered, so that no answer works twice. Stored as digests. */
interface UsedChallengesTable {
  digest: string
  expires_at: Instant
}

/** The rights that a person grants to a program. Each includes the ones before it. */
export type ProgramScope = 'read' | 'book' | 'manage'

/** Programs that have registered themselves (OAuth). */
export interface ProgramsTable {
  id: string
  /** Chosen by the program. */
  name: string
  redirect_uris_json: string
  created_at: Instant
  /** When a person last allowed it, or when it last renewed its tokens. */
  used_at: Instant | null
}

/** A program that acts for a person in one business. Deleted when it is revoked. */
export interface ProgramGrantsTable {
  id: string
  program_id: string
  user_id: string
  /** The membership that lets the person enter the business. */
  place_id: string
  business_id: string
  scope: ProgramScope
  created_at: Instant
  /** Exact to five minutes. */
  last_used_at: Instant | null
  /** When its code, or its last refresh token, expires. */
  expires_at: Instant
}

/** Authorization codes, stored as digests. Used ones stay until their grant ends, so that reuse is noticed. */
interface ProgramCodesTable {
  digest: string
  business_id: string
  grant_id: string
  redirect_uri: string
  /** SHA-256 of the verifier, in base64url (RFC 7636). */
  challenge: string
  expires_at: Instant
  used_at: Instant | null
}

/** Tokens of programs, stored as digests. */
export interface ProgramTokensTable {
  digest: string
  business_id: string
  grant_id: string
  kind: 'access' | 'refresh'
  scope: ProgramScope
  expires_at: Instant
  /** When a refresh token was exchanged for the next one. */
  replaced_at: Instant | null
}

/** Log-ins of people. The tokens of their cookies are stored as digests. */
export interface UserLoginsTable {
  id: string
  user_id: string
  /** The membership under which the person acts at present. */
  place_id: string
  digest: string
  /** The browser's description of itself. */
  device: string
  address: string | null
  network: string
  created_at: Instant
  /** Null until the second step is done. */
  confirmed_at: Instant | null
  /** Exact to five minutes. */
  last_seen_at: Instant
  expires_at: Instant
  ended_at: Instant | null
}

/** One-time links to set a password. Without a person, the link of the first owner. */
export interface UserLinksTable {
  id: string
  user_id: string | null
  /** 1: it was emailed to the person's address, so its user owns that address. 0: another person delivers it. */
  proves_address: number
  digest: string
  created_at: Instant
  expires_at: Instant
  used_at: Instant | null
}

/** An invitation by email. The address becomes a member once its owner accepts. */
export interface UserInvitationsTable {
  id: string
  /** In lower case. */
  email: string
  business_id: string | null
  hub_id: string | null
  role: PersonRole
  staff_id: string | null
  /** The owner who sent the invitation. Null for the operator. */
  invited_by: string | null
  created_at: Instant
  expires_at: Instant
}

/** New addresses of people that are not yet proved by an emailed link. */
export interface UserEmailChangesTable {
  id: string
  user_id: string
  /** In lower case. */
  email: string
  digest: string
  created_at: Instant
  expires_at: Instant
}

/** Columns of emails that belong to no booking. Like emails about bookings, they are kept for 31 days. */
export interface NoticeColumns {
  status: Generated<'queued' | 'sent' | 'failed'>
  last_error: string | null
  sent_at: Instant | null
  /** When a person at the business saw the failure. */
  seen_at: Instant | null
  attempts: number
  /** Also the lease of the server that sends it. Far in the future once nothing is left to send. */
  next_attempt_at: Instant
  created_at: Instant
}

/** Emails to people who log in: with a link, an invitation, or a proof of a new address. */
export interface UserMailsTable extends NoticeColumns {
  id: string
  /**
   * The person whose link it is, for lists of emails. Null for all other emails, which people who know the person must
   * not see.
   */
  user_id: string | null
  /** The recipient. Null until it is sent. */
  to_email: string | null
  link_id: string | null
  invitation_id: string | null
  email_change_id: string | null
  /** The address typed to request a new password. The link is made together with the email. */
  wished_email: string | null
  /** Requested language. */
  locale: string
}

/** Emails about unreadable busy calendars. */
export interface CalendarMailsTable extends NoticeColumns {
  id: string
  business_id: string
  busy_calendar_id: string
  to_email: string
}

/** Emails to a business or the owners of a hub about webhooks that fail. */
export interface WebhookMailsTable extends NoticeColumns {
  id: string
  /** Null for a webhook of a hub. */
  business_id: string | null
  webhook_id: string
  to_email: string
}

/** Requests for a link to a client's page, with the email that brings it. */
export interface ClientLinksTable extends ClientLinkColumns {
  /** As typed, in lower case. */
  email: string
}

/** Requests for the link by text message. */
export interface ClientTextLinksTable extends ClientLinkColumns {
  /** E.164. */
  phone: string
}

interface ClientLinkColumns extends NoticeColumns {
  id: string
  business_id: string
  /** Language of the page that requested it. */
  locale: string
  /** SHA-256 of the link's token. Null until the message is made. */
  digest: string | null
  expires_at: Instant
  used_at: Instant | null
  /** The recipient. Null until it is sent. */
  to_email: string | null
}

export type WaitlistStatus = 'waiting' | 'offered' | 'booked' | 'ended'

/** Why an entry ended: by its client, by the business, because its dates are over, or after unanswered offers. */
export type WaitlistEnd = 'left' | 'removed' | 'passed' | 'unanswered'

/** Clients who wait for a time. */
export interface WaitlistEntriesTable {
  id: string
  business_id: string
  status: WaitlistStatus
  /** Null unless it has ended. */
  ended_because: WaitlistEnd | null
  /** Null for an erased client. */
  client_id: string | null
  /** The first service of a visit. */
  service_id: string
  location_id: string
  staff_id: string | null
  party_size: number
  /** The services of a visit, as on a hold. Null for one service. */
  items_json: string | null
  /** The first and last date, in the zone of the location. */
  from: string
  to: string
  /** Null: any. */
  weekdays_json: string | null
  /** The earliest and latest local start, as `HH:MM`. */
  after: string | null
  before: string | null
  first_name: string
  last_name: string
  email: string | null
  phone: string | null
  locale: string | null
  time_zone: string | null
  /** The sentence by which the client agreed to text messages. */
  text_consent: string | null
  text_agreed_at: Instant | null
  /** As on bookings: the digest by which a session's entries for one client are counted. Null for others. */
  counted_client: string | null
  /** Numbers the active entries of a counted client, so that the database limits them. */
  ordinal: number | null
  made_by: 'client' | 'business'
  /** Owner of the session or key that made it. */
  owner_id: string
  /** Offers in a row that the client did not answer. */
  unanswered: number
  created_at: Instant
  updated_at: Instant
  /** When it was booked or ended. */
  ended_at: Instant | null
}

/** Why an offer is over: booked, declined, expired, passed on by the business, or ended with its entry. */
export type WaitlistOfferStatus = 'open' | 'taken' | 'declined' | 'lapsed' | 'skipped' | 'withdrawn'

/** Times that were offered to entries. The ID is that of the hold, and of the booking that it becomes. */
export interface WaitlistOffersTable {
  id: string
  business_id: string
  entry_id: string
  starts_at: Instant
  ends_at: Instant
  staff_id: string | null
  status: WaitlistOfferStatus
  /** 1 if a person of the business chose the time. */
  by_hand: 0 | 1
  expires_at: Instant
  created_at: Instant
  decided_at: Instant | null
}

/** When the entries of a business are next compared with its free times. The lease of a sweep is its `due_at`. */
interface WaitlistSweepsTable {
  business_id: string
  due_at: Instant
  /** From this time on, a sweep also looks if nothing seems to have changed. */
  full_at: Instant
  /** The beginning of the last sweep. */
  swept_at: Instant
  /** The catalogue that it has seen. */
  catalogue_version: number
}

interface WaitlistMessageColumns extends NoticeColumns {
  id: string
  business_id: string
  entry_id: string
  /** Null unless it offers a time. */
  offer_id: string | null
  kind: 'joined' | 'offered' | 'ended'
  /** The recipient of an email. Null until it is sent. */
  to_email: string | null
}

/** Emails to clients on the waiting list. */
export interface WaitlistMailsTable extends WaitlistMessageColumns {
  /** In the form of `clientEmailOf`, by which emails to one client are counted. */
  email: string
}

/** Text messages to them. */
export interface WaitlistTextsTable extends WaitlistMessageColumns {
  /** E.164. */
  phone: string
}

/** Browsers in which a client has opened their page. */
export interface ClientLogInsTable {
  /** SHA-256 of the cookie's token. */
  digest: string
  business_id: string
  /** In lower case. Its mailbox has received the link. Of a number, its stand-in address. */
  email: string
  /** The number (E.164) that has received the link. Null: the mailbox has. */
  phone: string | null
  created_at: Instant
  expires_at: Instant
}

/** Browsers of people that receive notifications (RFC 8030). */
export interface PushDevicesTable {
  id: string
  user_id: string
  /** The log-in that used it last. Its end by hand removes the device. */
  log_in_id: string
  /** From 0 to 9, which limits the number per person. */
  ordinal: number
  /** Secret: anyone who knows it can send. Stored in the clear with both keys, because messages need them. */
  endpoint: string
  p256dh: string
  auth: string
  /** The browser's description of itself. */
  device: string
  /** Language of the notifications (BCP 47). */
  locale: string
  created_at: Instant
  /** When the console was last opened there. */
  last_used_at: Instant
}

/** The notifications that a person wants. Without a row: the usual ones. */
export interface PushSettingsTable {
  user_id: string
  /** Separated by spaces. */
  kinds: string
  quiet_hours_json: string | null
}

export type PushKind =
  'booked' | 'changed' | 'cancelled' | 'late' | 'test' | 'requested' | 'answer_due' | 'unanswered'

/** Notifications to devices, written with the change that they report. Kept for a day. */
export interface PushesTable {
  device_id: string
  /** Makes it unique for the device. */
  occasion: string
  /** Null for a test, like the booking. */
  business_id: string | null
  booking_id: string | null
  kind: PushKind
  attempts: number
  /** During an attempt, the end of its lease, after which any server retries. Null once it is sent or dropped. */
  next_attempt_at: Instant | null
  created_at: Instant
}

export type AuditActorType = 'key' | 'session' | 'manage_link' | 'person' | 'command_line' | 'system'

/** The record of changes, each written in the transaction of its change. Contains no data of clients. */
export interface AuditEntriesTable {
  id: string
  /** Null for entries of a hub or the server. */
  business_id: string | null
  /** The hub of entries that concern it as a whole. Null for entries of a business. */
  hub_id: string | null
  at: Instant
  actor_type: AuditActorType
  /** Null for the command line and the system. */
  actor_id: string | null
  /** The name at the time. Null if the present name is read with the entry, and for actors without one. */
  actor_name: string | null
  action: string
  subject_type: string
  subject_id: string
  /** The network address of a request by a key or a person. */
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
  /**
   * ID of the writing transaction in its epoch (PostgreSQL; 0 on SQLite). Together with `position`, it orders events.
   */
  transaction_id: Generated<number>
  position: Generated<number>
  /** The span of the change (W3C Trace Context). Null if the change was not traced. */
  traceparent: string | null
}

/** Receivers of the events of one business, or of all businesses of a hub. */
export interface WebhooksTable {
  id: string
  hub_id: string | null
  business_id: string | null
  /** Two digits, from 00 for a business and from 20 for a hub, which limit their number. Null once it is deleted. */
  place: string | null
  url: string
  /** Event types, separated by spaces. */
  events: string
  description: string | null
  /** Stored in the clear, because it signs payloads. */
  secret: string
  previous_secret: string | null
  previous_secret_until: Instant | null
  created_at: Instant
  disabled_at: Instant | null
  deleted_at: Instant | null
  /** Since when all attempts have failed. Null after a success. */
  failing_since: Instant | null
  /** When the owner was told of it. */
  told_at: Instant | null
}

/** Failed deliveries are retried only by hand. */
export type DeliveryStatus = 'pending' | 'succeeded' | 'failed'

/** A delivery of one event to one webhook. */
export interface DeliveriesTable {
  id: string
  webhook_id: string
  /** Null for a sample event to a webhook of a hub. */
  business_id: string | null
  event_id: string
  event_type: string
  booking_id: string
  /** The body of an event without a row in `events`: a sample, or an event about no booking. */
  sample_payload: string | null
  status: DeliveryStatus
  /** The latest attempts, for the delivery log. */
  attempts_json: Generated<string>
  attempts_made: Generated<number>
  attempts_left: number
  /** During an attempt, the end of its lease, after which any server retries. Null once it is no longer pending. */
  next_attempt_at: Instant | null
  created_at: Instant
}

export type MailKind =
  | 'confirmed'
  | 'changed'
  | 'cancelled'
  | 'reminder'
  | 'deposit_due'
  | 'booked'
  | 'requested'
  | 'declined'
  | 'unanswered'
  | 'answer_due'
  | 'refunded'
  | 'fee_paid'
  | 'fee_due'
  | 'fee_waived'
  | 'charge_failed'
  | 'disputed'

/** `superseded`: never sent, because a newer email contains more. */
export type MailStatus = 'queued' | 'sent' | 'failed' | 'superseded'

/** Emails to clients and to the recipients named by a business. Kept until 31 days after they are sent. */
export interface MailsTable {
  id: string
  business_id: string
  booking_id: string
  audience: 'client' | 'business'
  kind: MailKind
  /** Makes the email unique: the version of the booking, or for a reminder the start and the number of hours before. */
  occasion: string
  to_email: string
  /** The address in lower case, without `+tag`, for limits and fair turns. */
  recipient: string
  status: MailStatus
  attempts: Generated<number>
  attempts_left: number
  last_error: string | null
  /** During an attempt, the end of its lease, after which any server retries. Null once it is no longer queued. */
  next_attempt_at: Instant | null
  created_at: Instant
  sent_at: Instant | null
  /** The email that covered this one together with others. Null if it was sent separately. */
  sent_with: string | null
  /** When a person at the business saw the failure. */
  seen_at: Instant | null
  /** `business`: a key or a person of the business caused this email to a client. Null: anything else. */
  caused_by: 'business' | null
  /** Why it was postponed to `next_attempt_at`. Null: it was not, or an earlier release postponed it. */
  waits_for: PostponedFor | null
  /** The number of a text message (E.164), which has an empty `to_email`. Null for an email. */
  to_phone: string | null
  /** When the provider reported that a text message has arrived. */
  delivered_at: Instant | null
}

/**
 * Reasons for postponing the emails to a recipient. `retry`: one of them has failed. `charge`: it also reports the
 * outcome of a charge. `quiet_hours`: a text message waits for the morning. The others are limits of an hour: of the
 * recipient, of the business that caused them, and of all businesses.
 */
export type PostponedFor =
  'retry' | 'charge' | 'recipient_limit' | 'business_limit' | 'server_limit' | 'quiet_hours'

/** Segments of text messages that a business has sent in a calendar month (UTC), such as 2026-12. */
interface TextCountsTable {
  business_id: string
  month: string
  segments: number
}

/** Numbers that have answered STOP to this server, as digests, which stay when their clients are erased. */
interface TextOptOutsTable {
  digest: string
  opted_out_at: Instant
}

/** Clients who opted out of a business's reminders. */
export interface MailOptOutsTable {
  business_id: string
  /** In lower case, without `+tag`. */
  email: string
  opted_out_at: Instant
}

/** `preparing`: the checkout is being opened and has no URL yet. */
/** `full`: it covers the whole price of its booking. */
/** `card`: a saved card, of amount 0. `fee`: a charge to a saved card. */
export type PaymentKind = 'deposit' | 'full' | 'card' | 'fee'

/** `charging`: to be charged to the saved card. `waived`: nobody has to pay it any more. */
type PaymentStatus = 'preparing' | 'due' | 'paid' | 'expired' | 'refunded' | 'charging' | 'waived'

/** The contents of a feed: only the times, or also services and clients. */
export type FeedDetail = 'busy' | 'full'

/** Uploaded pictures. An image that nothing names is removed after a day. */
export interface ImagesTable {
  id: string
  business_id: string
  /** From 0 to 199, which limits the number per business. */
  place: number
  /** SHA-256 of the file, in hexadecimal. */
  digest: string
  media_type: ImageType
  /** The file in Base64: the same on both engines. */
  content: string
  /** Since when housekeeping has found no name. Null: it is named, or was not checked yet. */
  unnamed_since: Instant | null
  /** When housekeeping looks at it next. */
  check_at: Instant
  created_at: Instant
}

export type ImageType = 'image/jpeg' | 'image/png' | 'image/webp'

/** Secret URLs at which calendar programs read the bookings of a staff member, a location, or a business. */
export interface FeedsTable {
  id: string
  business_id: string
  /** From 0 to 19, which limits the number per business. */
  place: number
  staff_id: string | null
  location_id: string | null
  detail: FeedDetail
  /** Digest of the secret in its URL. */
  digest: string
  /** Rises when bookings change without an event, such as when clients are erased. */
  revision: Generated<number>
  created_at: Instant
}

/** External calendars of staff. Their times become blocks. */
export interface BusyCalendarsTable {
  id: string
  business_id: string
  staff_id: string
  /** From 0 to 4, which limits the number per person. */
  place: number
  /** Secret: anyone who knows it can read the calendar. Stored because it is fetched. */
  url: string
  /** Entity tag of the last complete answer, to request only changes. */
  etag: string | null
  last_modified: string | null
  /** When its times were last known to be right. */
  last_fetched_at: Instant | null
  /** A code of `busyProblems`; null when the last fetch succeeded. */
  last_error: string | null
  /** The end of the time range that was read. */
  busy_until: Instant | null
  /** Also the lease of a fetch: the server that moves it ahead does the fetch. */
  next_fetch_at: Instant
  created_at: Instant
  /** Time of the first failed fetch since the last success. Null if the last fetch succeeded. */
  failing_since: Instant | null
  /** When Holdfast reported the failure to the business. Null: not since the last success. */
  told_at: Instant | null
  /** The account through which it is read. Null: its file is fetched by `url`. */
  account_id: string | null
  /** As the account calls it. Null without an account. */
  name: string | null
  /** 0 if it is read only because bookings are written into it. */
  keeps_busy: 0 | 1
  /** End of the reading that began last. Null once it has ended. */
  reading_until: Instant | null
  /** Last report of a change since the last reading began. Null: none. */
  pushed_at: Instant | null
  /** Names the channel by which the provider reports changes. Null: none yet. */
  channel_id: string | null
  /** ID that the provider gave the channel. */
  channel_key: string | null
  /** End of the channel. */
  channel_until: Instant | null
  /** When to open or renew the channel, and its lease. Null for calendars without push. */
  channel_due_at: Instant | null
  channel_failures: number
}

/** A calendar of an account, as its server lists it. */
export interface AccountCalendar {
  /** Its address on the server, or its ID there. */
  calendar: string
  name: string
  /** False if the account may only read it. */
  writable: boolean
}

/** Accounts of staff at calendar servers. */
export interface CalendarAccountsTable {
  id: string
  business_id: string
  staff_id: string
  kind: 'caldav' | 'google' | 'microsoft'
  /** Address of the list of its calendars. */
  address: string
  user_name: string
  /** AES-256-GCM. */
  credential_sealed: string
  /** `AccountCalendar`s, as last listed. */
  calendars_json: string
  /** The calendar that receives bookings. Null: none. */
  writes_to: string | null
  /** Also the lease of the writer: the server that moves it ahead writes. */
  next_write_at: Instant
  /** Failed attempts to reach it since the last success. */
  write_failures: number
  /** A code of `FetchProblem`; null when the last write succeeded. */
  last_write_error: string | null
  /** When its credential was last accepted on connecting. */
  connected_at: Instant
  created_at: Instant
}

/** Bookings that are, or will be, in the calendar of an account. Triggers make them due. */
export interface CalendarWritesTable {
  account_id: string
  booking_id: string
  business_id: string
  /** Counts what made it due, so that a write does not end a later change. */
  changes: number
  /** Number of changes in the calendar that were undone. */
  put_backs: number
  attempts: number
  /** Null once the calendar has what the booking says. */
  due_at: Instant | null
  /** `WrittenEvent`s. */
  objects_json: string
}

/** Channels and grants of disconnected calendar accounts. A row goes once its provider has ended them. */
export interface CalendarDisconnectionsTable {
  id: string
  /** The account, which may be deleted. */
  account_id: string
  business_id: string
  staff_id: string
  kind: 'google' | 'microsoft'
  address: string
  user_name: string
  /** The credential of the account. */
  credential_sealed: string
  /** `ChannelKey`s. */
  channels_json: string
  /** 0 if the account stays, because only some of its calendars are no longer read. */
  ends_grant: 0 | 1
  failures: Generated<number>
  /** Also the lease of the worker: the server that moves it ahead does the work. */
  next_attempt_at: Instant
  connected_at: Instant
  created_at: Instant
}

/** Items of the catalogue that imports from other systems have found by their name. */
interface ImportMatchesTable {
  business_id: string
  /** The ID that a new item would have got. It follows from the ID in the source. */
  source_id: string
  /** The location, staff member or service. */
  item_id: string
}

/** Checkouts at a payment processor and their results, without card data or secrets. */
export interface PaymentsTable {
  id: string
  business_id: string
  /** ID of the hold, and of the booking if there is one. */
  booking_id: string
  provider: 'stripe' | 'sandbox'
  kind: PaymentKind
  /** In minor units (ISO 4217). */
  amount: number
  currency: string
  status: PaymentStatus
  /** An identical order gets the same checkout. */
  order_digest: string
  /** The processor's IDs of the checkout and of the payment. */
  checkout_reference: string | null
  payment_reference: string | null
  /** The page at the processor, as far as known. */
  checkout_url: string | null
  /** The business's own account that takes it. Null: this server's. */
  stripe_account_id: string | null
  /** Why an unpaid payment is no longer due. */
  closed_because: 'expired' | 'cancelled' | 'confirmed' | null
  /** Number of fruitless queries to the processor. */
  checks: Generated<number>
  expires_at: Instant
  /** Time of the next query to the processor. Null when nothing is left to do. */
  next_check_at: Instant | null
  /** Time of the last query to the processor from the booking's page. */
  last_page_check_at: Instant | null
  paid_at: Instant | null
  /** When all that is left was asked back. Null while a part of it stays. */
  refund_requested_at: Instant | null
  refunded_at: Instant | null
  /** The amount that was asked back, refunded or not. */
  refund_total: number
  /** The amount that the processor has given back. */
  refunded_amount: number
  created_at: Instant
  /** 1 if its checkout also saves the card for later charges. */
  saves_card: 0 | 1
  /** For fees only: `late_cancel`, `no_show`, or the words of the person who charged it. */
  reason: string | null
  /** Unique for a booking: each charge happens once. Null for all but fees. */
  occasion: string | null
  /** When the processor was first asked to charge the saved card. Null: never. */
  charge_begun_at: Instant | null
  /** Why the saved card was not charged, in the processor's word. */
  failure: string | null
  /** A dispute of the client with their bank. Null: none. */
  dispute: 'open' | 'won' | 'lost' | null
  disputed_at: Instant | null
  /** Brand and last four digits of the saved card, for people. Null: unknown, or removed. No more of it is stored. */
  card_brand: string | null
  card_last_four: string | null
  /** When the processor was asked for both. */
  card_read_at: Instant | null
  /** When the processor was to remove the saved card, and when it had. */
  card_removal_requested_at: Instant | null
  card_removed_at: Instant | null
}

/** The mail server of a business, which sends its emails instead of this server's. */
export interface OwnMailServersTable {
  business_id: string
  host: string
  port: number
  user_name: string
  /** Encrypted with the server's secret. */
  password_sealed: string
  from_email: string
  set_at: Instant
  /** Null while emails are accepted. */
  failed_at: Instant | null
  last_error: string | null
}

/** Stripe accounts of businesses. Earlier ones stay, because payments belong to them. */
export interface OwnStripeAccountsTable {
  id: string
  business_id: string
  key_last_four: string
  /** Encrypted with the server's secret. */
  key_sealed: string
  webhook_secret_sealed: string
  set_at: Instant
  /** Null for the one that takes new deposits. */
  ended_at: Instant | null
}

/** Applied events of a payment processor, so that each is applied once. */
interface ProcessorEventsTable {
  provider: string
  event_id: string
  applied_at: Instant
}

/** A refund of a payment, whole or in part. */
export interface RefundsTable {
  payment_id: string
  /** Counts the refunds of the payment. */
  number: number
  business_id: string
  /** In minor units of the payment's currency. */
  amount: number
  /** `failed`: the processor refused it for good. A refund that comes back from the bank is requested again. */
  status: 'requested' | 'refunded' | 'failed'
  /** 1 if somebody made it at the processor. */
  by_hand: 0 | 1
  reason: string | null
  /** The processor's ID. */
  processor_reference: string | null
  requested_at: Instant
  refunded_at: Instant | null
}

export interface SandboxRefundsTable {
  payment_id: string
  number: number
  amount: number
  refunded_at: Instant
}

/** Checkouts of the built-in sandbox, which replaces a payment processor. */
export interface SandboxCheckoutsTable {
  /** Secret: anyone who knows it can pay. */
  reference: string
  payment_id: string
  service_name: string
  status: 'open' | 'paid' | 'expired'
  refunded_at: Instant | null
  created_at: Instant
  /** The outcome of later charges to the card of the checkout. Null until it was chosen. */
  card: SandboxCard | null
}

export type SandboxCard = 'works' | 'needs_authentication' | 'declined' | 'fails_later'
