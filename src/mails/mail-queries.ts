import { type RawBuilder, type Selectable, sql } from 'kysely'
import { type Instant, plusSeconds } from '../base/instants.ts'
import type { Queries, Reads } from '../database/database.ts'
import { foreach, isAmong, isPostgres, rowsOf, rowsText } from '../database/json-rows.ts'
import {
  type BookingRow,
  columnsText,
  type OrNull,
  type RowFrom,
  shownJoins,
  shownText,
} from '../database/shown-booking.ts'
import type {
  BookingsTable,
  BusinessesTable,
  HubsTable,
  MailOptOutsTable,
  MailsTable,
  MailStatus,
  PaymentsTable,
  RefundsTable,
  PostponedFor,
  ServicesTable,
} from '../database/tables.ts'
import { isSwept } from '../database/test-time.ts'
import { inScope, type TenantScope } from '../database/tenant-scope.ts'
import { depositDueSeconds, kindsToAnswer, leaseSeconds, maxAttempts } from './mail-rules.ts'

/*
 * The lease of an email is its `next_attempt_at`, as for a delivery. Emails to one recipient of a business take turns.
 * The oldest waiting one is leased together with all other due ones of its recipient. So limits are exact across
 * servers, and newer emails are taken into account.
 */

/** An email that only this server may send until `next_attempt_at`. */
export type LeasedMail = Omit<MailsTable, 'attempts' | 'next_attempt_at'> & {
  attempts: number
  next_attempt_at: Instant
}

/**
 * The oldest email that waits for its recipient. A deposit request blocks no other email while the client may still be
 * paying. An email that asks the business for an answer does not wait for postponed ones. Clients who share a number
 * do not wait for each other's limits.
 */
function isOldest(now: Instant) {
  const paying = plusSeconds(now, -depositDueSeconds)
  return sql<boolean>`not exists (
    select 1 from mails as e
     where e.status = 'queued' and e.business_id = m.business_id and e.audience = m.audience
       and e.recipient = m.recipient and e.id < m.id
       and not (e.next_attempt_at > ${now} and (e.kind = 'deposit_due' and e.created_at > ${paying}
           or (e.waits_for = 'recipient_limit') is true and e.to_phone is not null and e.booking_id <> m.booking_id
           or m.audience = 'business' and m.kind in (${sql.join(kindsToAnswer.map((kind) => sql.lit(kind)))}))))`
}

/** The way of a message to its recipient. */
type Channel = 'email' | 'text'

function isOf(channel: Channel) {
  return channel === 'text' ? sql<boolean>`m.to_phone is not null` : sql<boolean>`m.to_phone is null`
}

/** Reports if anything can be leased. Most polls find nothing and need no transaction. */
export async function isAnyMailDue(db: Reads, now: Instant, channel: Channel): Promise<boolean> {
  const row = await db
    .selectFrom('mails as m')
    .select('m.id')
    .where('m.status', '=', sql.lit('queued'))
    .where('m.next_attempt_at', '<=', now)
    .where(isOf(channel))
    .where(isOldest(now))
    .where(isSwept('m.business_id'))
    .orderBy('m.next_attempt_at')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Emails in one lease, over all recipients. Limits memory. */
const maxLeased = 1_000

/** Leases the due emails of up to `max` recipients. */
export async function leaseMails(
  db: Queries,
  { max, now, until, channel }: { max: number; now: Instant; until: Instant; channel: Channel },
): Promise<LeasedMail[]> {
  const leaders = sql`
    select m.id, m.business_id, m.audience, m.recipient
      from mails as m
     where m.status = 'queued' and m.next_attempt_at <= ${now} and ${isOf(channel)} and ${isOldest(now)}
       and ${isSwept('m.business_id')}
     order by m.next_attempt_at, m.id
     limit ${max}
     ${isPostgres(db) ? sql`for update of m skip locked` : sql``}`
  const sameRecipient = sql`o.status = 'queued' and o.business_id = l.business_id and o.audience = l.audience
      and o.recipient = l.recipient and o.next_attempt_at <= ${now}`
  const { rows } = await sql<LeasedMail>`
    with l as materialized (${leaders}), due as materialized (
      select o.id from l ${foreach(db, 'mails as o', sameRecipient)} order by o.id limit ${sql.lit(maxLeased)}
    )
    update mails
       set next_attempt_at = ${until}, waits_for = null
     where id in (select id from l union select id from due)
    returning *`.execute(db)
  return rows.toSorted((one, other) => (one.id < other.id ? -1 : 1))
}

/** Finds the times of emails sent separately to a recipient since an instant, the oldest first, at most `max`. */
export async function sentSince(
  db: Reads,
  { business_id, audience, recipient }: Pick<MailsTable, 'business_id' | 'audience' | 'recipient'>,
  { since, max }: { since: Instant; max: number },
): Promise<Instant[]> {
  const rows = await db
    .selectFrom('mails')
    .select('sent_at')
    .where('status', '=', sql.lit('sent'))
    .where('sent_with', 'is', null)
    .where('business_id', '=', business_id)
    .where('audience', '=', audience)
    .where('recipient', '=', recipient)
    .where('sent_at', '>', since)
    .orderBy('sent_at', 'desc')
    .limit(max)
    .execute()
  return rows.flatMap(({ sent_at }) => sent_at ?? []).toReversed()
}

/** Owners of the business itself come before those of its hub. */
const firstOwnerEmail = sql<string | null>`(
  select u.email from user_places as o join users as u on u.id = o.user_id
   where (o.business_id = i.id or o.hub_id = i.hub_id) and o.role = 'owner' and o.disabled_at is null
     and u.disabled_at is null and u.password_set_at is not null
   order by case when o.business_id is null then 1 else 0 end, o.created_at, o.id
   limit 1)`

/** Finds the address of the first owner of a business who has used their account. */
export async function findOwnerEmail(db: Reads, businessId: string): Promise<string | null> {
  const found = await db
    .selectFrom('businesses as i')
    .select(firstOwnerEmail.as('email'))
    .where('i.id', '=', businessId)
    .executeTakeFirst()
  return found?.email ?? null
}

/** Columns that emails show in addition to a booking, by table. */
const mailed = {
  s: { custom_fields_json: 'custom_fields_json' },
  m: { payment_expires_at: 'expires_at', refund_requested_at: 'refund_requested_at' },
  i: {
    business_name: 'name',
    business_locale: 'locale',
    phone: 'phone',
    reply_to_email: 'reply_to_email',
    quiet_hours_json: 'quiet_hours_json',
    /** The address of the first owner who has used their account. */
    owner_email: firstOwnerEmail,
    brand_name: 'brand_name',
    brand_color: 'brand_color',
    brand_logo_url: 'brand_logo_url',
    imprint_url: 'imprint_url',
    privacy_url: 'privacy_url',
    plan: 'plan',
  },
  h: { hub_plan: 'plan' },
} as const

type Mailed = typeof mailed

/** A booking with everything that emails show of it. */
export type ShownBooking = BookingRow &
  RowFrom<ServicesTable, Mailed['s']> &
  RowFrom<OrNull<PaymentsTable>, Mailed['m']> &
  RowFrom<BusinessesTable, Mailed['i']> &
  RowFrom<OrNull<HubsTable>, Mailed['h']> & {
    /** The custom fields of each service of a visit, as a list of lists. Null for one service. */
    item_fields_json: string | null
  }

const mailedText = sql.join(Object.entries(mailed).map(([alias, columns]) => columnsText(alias, columns)))

/** Selects the custom fields of all services of a visit. */
function itemFields(db: Reads): RawBuilder<string | null> {
  const all = isPostgres(db)
    ? sql`json_agg(o.custom_fields_json)`
    : sql`json_group_array(json(o.custom_fields_json))`
  return sql<string | null>`case when b.item_count is not null then (
    select cast(${all} as text) from visit_items as v join services as o on o.id = v.service_id
     where v.visit_id = b.id and v.business_id = b.business_id) end`
}

const keyColumns = { business_id: 'uuid', booking_id: 'uuid' } as const

/** Finds bookings by ID. */
export async function findShownBookings(
  db: Reads,
  keys: { business_id: string; booking_id: string }[],
): Promise<Map<string, ShownBooking>> {
  const same = sql`b.business_id = w.business_id and b.id = w.booking_id`
  const { rows } = await sql<ShownBooking>`
    with w as materialized (
      select distinct * from ${rowsOf(db, keyColumns, sql`${rowsText(db, keyColumns, keys)}`)} as r
    )
    select ${shownText(db)}, ${mailedText}, ${itemFields(db)} as item_fields_json
      from w ${foreach(db, 'bookings as b', same)} ${shownJoins}
           join businesses as i on i.id = b.business_id
           left join hubs as h on h.id = i.hub_id`.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
}

/** The outcome of leased emails. */
export interface MailResult {
  ids: string[]
  /** The lease under which it was decided. */
  leased_until: Instant
  changes: Partial<
    Pick<
      MailsTable,
      'status' | 'attempts_left' | 'last_error' | 'next_attempt_at' | 'sent_at' | 'sent_with' | 'to_email'
    >
  > & { attempts?: number }
}

/** Writes a result while the lease holds. */
export async function writeMailResult(
  db: Queries,
  { ids, leased_until, changes }: MailResult,
): Promise<void> {
  if (ids.length === 0) return
  await db
    .updateTable('mails')
    .set(changes)
    .where('id', 'in', ids)
    .where('status', '=', 'queued')
    .where('next_attempt_at', '=', leased_until)
    .execute()
}

/** A wait and its reason; none for emails that are due at once. */
export interface Postponement {
  until: Instant
  waits_for: PostponedFor | null
}

/** Postpones all waiting emails of a recipient, except those leased by another server. */
export async function postponeMails(
  db: Queries,
  { business_id, audience, recipient }: Pick<MailsTable, 'business_id' | 'audience' | 'recipient'>,
  { leased_until, now, until, waits_for }: Postponement & { leased_until: Instant; now: Instant },
): Promise<void> {
  await db
    .updateTable('mails')
    .set({ next_attempt_at: until, waits_for })
    .where('status', '=', sql.lit('queued'))
    .where('business_id', '=', business_id)
    .where('audience', '=', audience)
    .where('recipient', '=', recipient)
    .where((of) => of.or([of('next_attempt_at', '=', leased_until), of('next_attempt_at', '<=', now)]))
    .execute()
}

/**
 * Postpones all due emails that a business itself has caused: to clients, or to its `notify_emails`. Returns their
 * number. Those in transit have a lease that ends later.
 */
export async function postponeCaused(
  db: Queries,
  { business_id, audience }: Pick<MailsTable, 'business_id' | 'audience'>,
  { now, until }: { now: Instant; until: Instant },
): Promise<number> {
  const isCaused = audience === 'client' ? sql`m.caused_by = 'business'` : sql`true`
  const { numAffectedRows = 0n } = await sql`
    update mails set next_attempt_at = ${until}, waits_for = 'business_limit'
     where id in (
       select m.id from mails as m
        where m.status = 'queued' and m.business_id = ${business_id} and m.audience = ${audience}
          and ${isCaused} and m.attempts = 0 and m.next_attempt_at <= ${now}
        ${isPostgres(db) ? sql`for update of m skip locked` : sql``})`.execute(db)
  return Number(numAffectedRows)
}

/** Counts waiting emails, up to `max`, and finds the creation time of the oldest. */
export async function countWaiting(
  db: Reads,
  max: number,
): Promise<{ count: number; oldest: Instant | null }> {
  return db
    .selectFrom((build) =>
      build
        .selectFrom('mails')
        .select('created_at')
        .where('status', '=', sql.lit('queued'))
        .orderBy('next_attempt_at')
        .limit(max)
        .as('waiting'),
    )
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min('created_at').as('oldest')])
    .executeTakeFirstOrThrow()
}

interface MailFilter {
  bookingId: string | undefined
  status: ShownStatus | undefined
  channel: Channel | undefined
  businessId: string | undefined
  after: readonly [createdAt: Instant, id: string] | undefined
  rows: number
}

/** An email as lists show it. */
export type MailRow = MailsTable & {
  attempts: number
  timezone: string
  /** 1 for a test business. */
  is_test: 0 | 1
  /** The next attempt of an earlier email to the same recipient, for which a waiting one waits. */
  earlier_attempt_at: Instant | null
  /** 1 if it asks for a card instead of a payment. */
  asks_for_card: 0 | 1
}

const asksForCard = sql<0 | 1>`case when m.kind = 'deposit_due' and exists (
  select 1 from bookings as b join payments as p on p.id = b.payment_id and p.business_id = b.business_id
   where b.business_id = m.business_id and b.id = m.booking_id and p.kind = 'card') then 1 else 0 end`

const earlierAttempt = sql<Instant | null>`(
  select e.next_attempt_at from mails as e
   where m.status = 'queued' and e.status = 'queued' and e.business_id = m.business_id
     and e.audience = m.audience and e.recipient = m.recipient and e.id < m.id
   order by e.id limit 1)`

function selectMails(db: Reads, scope: TenantScope) {
  return db
    .selectFrom('mails as m')
    .innerJoin('businesses as i', 'i.id', 'm.business_id')
    .selectAll('m')
    .select([
      'i.timezone',
      'i.is_test',
      earlierAttempt.as('earlier_attempt_at'),
      asksForCard.as('asks_for_card'),
    ])
    .where(inScope('m.business_id', scope))
    .where('m.status', '<>', 'superseded')
}

/** The states of messages in lists. Those of test businesses are kept instead of sent. */
export type ShownStatus = MailStatus | 'kept'

/** True if a message `m` of a business `i` is shown in a state. */
export function isShownAs(status: ShownStatus) {
  if (status === 'kept') return sql<boolean>`(m.status = 'sent' and i.is_test = 1)`
  return status === 'sent'
    ? sql<boolean>`(m.status = 'sent' and i.is_test = 0)`
    : sql<boolean>`m.status = ${status}`
}

/** Lists emails, the newest first. */
export async function findMails(
  db: Reads,
  scope: TenantScope,
  { bookingId, status, channel, businessId, after, rows }: MailFilter,
): Promise<MailRow[]> {
  let query = selectMails(db, scope)
  if (bookingId) query = query.where('m.booking_id', '=', bookingId)
  if (status) query = query.where(isShownAs(status))
  if (channel) query = query.where(isOf(channel))
  if (businessId) query = query.where('m.business_id', '=', businessId)
  if (after) query = query.where(sql<boolean>`(m.created_at, m.id) < (${after[0]}, ${after[1]})`)
  return (await query
    .orderBy('m.created_at', 'desc')
    .orderBy('m.id', 'desc')
    .limit(rows)
    .execute()) as MailRow[]
}

export async function findMail(db: Reads, scope: TenantScope, id: string): Promise<MailRow | undefined> {
  return (await selectMails(db, scope).where('m.id', '=', id).executeTakeFirst()) as MailRow | undefined
}

/** Makes an email due at once unless it was sent, with as many attempts as a new one. Returns true if it is due now. */
export async function requeueMail(db: Queries, id: string, now: Instant): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('mails')
    .set({
      status: 'queued',
      attempts_left: maxAttempts,
      next_attempt_at: now,
      waits_for: null,
      seen_at: null,
    })
    .where('id', '=', id)
    .where((of) =>
      of.or([
        of('status', '=', 'failed'),
        // an email in transit has its lease
        of.and([of('status', '=', 'queued'), of('next_attempt_at', '>', plusSeconds(now, leaseSeconds))]),
      ]),
    )
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Counts failed emails of a business that nobody has seen, up to `max`. */
export async function countUnseen(db: Reads, businessId: string, max: number): Promise<number> {
  const { count } = await db
    .selectFrom((build) =>
      build
        .selectFrom('mails')
        .select('id')
        .where('business_id', '=', businessId)
        .where('status', '=', sql.lit('failed'))
        .where('seen_at', 'is', null)
        .limit(max)
        .as('unseen'),
    )
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** Marks the failed emails of a business as seen. */
export async function markSeen(db: Queries, businessId: string, now: Instant): Promise<void> {
  await db
    .updateTable('mails')
    .set({ seen_at: now })
    .where('business_id', '=', businessId)
    .where('status', '=', sql.lit('failed'))
    .where('seen_at', 'is', null)
    .execute()
}

/** Deletes up to `max` emails older than an instant, business by business along their index. Returns their number. */
export async function deleteOldMails(db: Queries, before: Instant, max: number): Promise<number> {
  const old = isPostgres(db)
    ? sql`cross join lateral (
          select o.id from mails as o
           where o.business_id = i.id and o.created_at < ${before}
           order by o.created_at, o.id limit ${max}) as m`
    : sql`cross join mails as m on m.business_id = i.id and m.created_at < ${before}`
  const { numAffectedRows = 0n } = await sql`
    delete from mails where id in (select m.id from businesses as i ${old} limit ${max})`.execute(db)
  return Number(numAffectedRows)
}

/** A business that sends reminders to its clients. */
export type RemindingBusiness = Pick<
  BusinessesTable,
  'id' | 'reminder_hours_json' | 'quiet_hours_json' | 'text_kinds_json'
>

/** Lists them by ID, beginning after one. */
export function findRemindingBusinesses(db: Reads, after: string, max: number): Promise<RemindingBusiness[]> {
  return db
    .selectFrom('businesses')
    .select(['id', 'reminder_hours_json', 'quiet_hours_json', 'text_kinds_json'])
    .where('id', '>', after)
    .where(isSwept('id'))
    .where('reminder_hours_json', '<>', '[]')
    .orderBy('id')
    .limit(max)
    .execute()
}

/** Starts of one business that may be due for a reminder. */
export interface ReminderWindow {
  place: number
  business_id: string
  /** Exclusive. */
  starts_after: Instant
  /** Inclusive. */
  starts_until: Instant
}

/** A booking in a window. */
type RemindedBooking = Pick<
  BookingsTable,
  | 'id'
  | 'business_id'
  | 'starts_at'
  | 'scheduled_at'
  | 'client_email'
  | 'client_phone'
  | 'text_agreed_at'
  | 'counted_client'
  | 'caused_by'
> & { place: number; timezone: string }

const windowColumns = {
  place: 'integer',
  business_id: 'uuid',
  starts_after: 'timestamptz',
  starts_until: 'timestamptz',
} as const

/** The position after which the next page begins. */
export type ReminderPlace = readonly [place: number, startsAt: Instant, id: string]

/** Finds confirmed bookings in the windows, in their order. */
export async function findReminded(
  db: Reads,
  windows: readonly ReminderWindow[],
  { after, max }: { after: ReminderPlace | undefined; max: number },
): Promise<RemindedBooking[]> {
  const [place, startsAt, id] = after ?? [-1, undefined, undefined]
  const isAfter: RawBuilder<unknown> =
    startsAt === undefined
      ? sql`true`
      : sql`(w.place > ${place} or (b.starts_at, b.id) > (${startsAt}, ${id}))`
  const inWindow = sql`b.business_id = w.business_id and b.starts_at > w.starts_after
      and b.starts_at <= w.starts_until and b.status = 'confirmed' and b.client_email <> '' and ${isAfter}`
  const rest = windows.filter((window) => window.place >= place)
  const { rows } = await sql<RemindedBooking>`
    with w as materialized (
      select * from ${rowsOf(db, windowColumns, sql`${rowsText(db, windowColumns, rest)}`)} as r
    )
    select w.place, b.id, b.business_id, b.starts_at, b.scheduled_at, b.client_email,
           b.client_phone, b.text_agreed_at, b.counted_client, b.caused_by, l.timezone
      from w ${foreach(db, 'bookings as b', inWindow)} join locations as l on l.id = b.location_id
     order by w.place, b.starts_at, b.id
     limit ${max}`.execute(db)
  return rows
}

export async function insertOptOut(db: Queries, row: MailOptOutsTable): Promise<void> {
  await db
    .insertInto('mail_opt_outs')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function hasOptedOut(db: Reads, businessId: string, email: string): Promise<boolean> {
  const row = await db
    .selectFrom('mail_opt_outs')
    .select('email')
    .where('business_id', '=', businessId)
    .where('email', '=', email)
    .executeTakeFirst()
  return row !== undefined
}

/** Finds the names of staff members and services of a business by ID. Missing ones have none. */
export async function findNames(
  db: Reads,
  businessId: string,
  ids: { staff: readonly string[]; services: readonly string[] },
): Promise<Map<string, string>> {
  const names = new Map<string, string>()
  for (const table of ['staff', 'services'] as const) {
    if (ids[table].length === 0) continue
    const rows = await db
      .selectFrom(table)
      .select(['id', 'name'])
      .where('business_id', '=', businessId)
      .where('id', 'in', ids[table])
      .execute()
    for (const { id, name } of rows) names.set(id, name)
  }
  return names
}

type MailKey = Pick<MailsTable, 'id' | 'kind'>

export type WrittenMail = Selectable<MailsTable>

/** Finds the emails about bookings, for every recipient. */
export async function findMailsAbout(
  db: Reads,
  bookings: readonly { id: string; business_id: string }[],
): Promise<WrittenMail[]> {
  const keys = JSON.stringify(bookings.map(({ business_id, id }) => [business_id, id]))
  const columns = [
    ['business_id', 'uuid'],
    ['booking_id', 'uuid'],
  ] as const
  return db
    .selectFrom('mails')
    .selectAll()
    .where(isAmong(db, columns, sql<string>`${keys}`))
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** Finds emails by ID. */
export function findMailsById(db: Reads, ids: readonly string[]): Promise<WrittenMail[]> {
  return db
    .selectFrom('mails')
    .selectAll()
    .where(isAmong(db, [['id', 'uuid']], sql<string>`${JSON.stringify(ids.map((id) => [id]))}`))
    .execute()
}

/**
 * Erases the recipients of emails and stops further emails to the client. Recipients stay distinct, because one booking
 * may have emails to several.
 */
export async function eraseMails(db: Queries, mails: readonly MailKey[]): Promise<void> {
  const among = isAmong(db, [['id', 'uuid']], sql<string>`${JSON.stringify(mails.map(({ id }) => [id]))}`)
  await sql`
    update mails set to_email = '', to_phone = null, recipient = cast(id as text), last_error = null, next_attempt_at = null,
                     status = case status when 'queued' then 'superseded' else status end
     where audience = 'client' and ${among}`.execute(db)
  await sql`update mails set last_error = null where last_error is not null and ${among}`.execute(db)
}

export async function deleteOptOut(
  db: Queries,
  { business_id, email }: Pick<MailOptOutsTable, 'business_id' | 'email'>,
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('mail_opt_outs')
    .where('business_id', '=', business_id)
    .where('email', '=', email)
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Returns the time at which a client opted out of reminders. */
export async function findOptOut(
  db: Reads,
  { business_id, email }: Pick<MailOptOutsTable, 'business_id' | 'email'>,
): Promise<Instant | undefined> {
  const row = await db
    .selectFrom('mail_opt_outs')
    .select('opted_out_at')
    .where('business_id', '=', business_id)
    .where('email', '=', email)
    .executeTakeFirst()
  return row?.opted_out_at
}

/** A fee for a late cancellation. */
export type LateFee = Pick<PaymentsTable, 'id' | 'amount' | 'currency' | 'status' | 'failure'>

/** A fee as its email shows it. */
export type MailedFee = Pick<
  PaymentsTable,
  'id' | 'kind' | 'amount' | 'currency' | 'status' | 'reason' | 'failure' | 'refund_total'
>

export function findFee(
  db: Reads,
  { id, business_id }: { id: string; business_id: string },
): Promise<MailedFee | undefined> {
  return db
    .selectFrom('payments')
    .select(['id', 'kind', 'amount', 'currency', 'status', 'reason', 'failure', 'refund_total'])
    .where('business_id', '=', business_id)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Finds the refunds of a payment, up to that with a number, without failed ones. The latest is last. */
export function findRefundsUpTo(
  db: Reads,
  { paymentId, business_id, number }: { paymentId: string; business_id: string; number: number },
): Promise<Pick<RefundsTable, 'number' | 'amount'>[]> {
  return db
    .selectFrom('refunds')
    .select(['number', 'amount'])
    .where('payment_id', '=', paymentId)
    .where('business_id', '=', business_id)
    .where('number', '<=', number)
    .where('status', '!=', 'failed')
    .orderBy('number')
    .execute()
}

/** Finds the fees of cancelled bookings for cancelling them late, without those that were waived. */
export function findLateFees(
  db: Reads,
  { ids, business_id }: { ids: readonly string[]; business_id: string },
): Promise<LateFee[]> {
  return db
    .selectFrom('payments')
    .select(['id', 'amount', 'currency', 'status', 'failure'])
    .where('business_id', '=', business_id)
    .where('booking_id', 'in', ids)
    .where('reason', '=', 'late_cancel')
    .where('status', 'in', ['charging', 'due', 'paid'])
    .where('refund_requested_at', 'is', null)
    .execute()
}
