import { type Insertable, type Selectable, sql } from 'kysely'
import { type Instant, plusSeconds } from '../base/instants.ts'
import type { Queries, Reads } from '../database/database.ts'
import { type Columns, isPostgres, rowsOf, rowsText } from '../database/json-rows.ts'
import type {
  BookingsTable,
  WaitlistEnd,
  WaitlistOffersTable,
  WaitlistOfferStatus,
  WaitlistStatus,
} from '../database/tables.ts'
import { isSwept } from '../database/test-time.ts'
import { inScope, type TenantScope } from '../database/tenant-scope.ts'
import type { EntryRow } from './waitlist-rules.ts'

type OfferRow = Selectable<WaitlistOffersTable>

/** An entry as it is shown. */
export interface ShownEntryRow extends EntryRow {
  /** Among the active entries for its first service there, from 1. Null if it is over. */
  position: number | null
  timezone: string
  online_url: string | null
  location_name: string
  hold_id: string | null
  offer_starts_at: Instant | null
  offer_ends_at: Instant | null
  offer_expires_at: Instant | null
  /** 1 if a person of the business chose the offered time. */
  offer_by_hand: 0 | 1 | null
  booking_id: string | null
}

const entryColumns = {
  id: 'uuid',
  business_id: 'uuid',
  status: 'text',
  client_id: 'uuid',
  service_id: 'uuid',
  location_id: 'uuid',
  staff_id: 'uuid',
  party_size: 'integer',
  items_json: 'text',
  from: 'text',
  to: 'text',
  weekdays_json: 'text',
  after: 'text',
  before: 'text',
  first_name: 'text',
  last_name: 'text',
  email: 'text',
  phone: 'text',
  locale: 'text',
  time_zone: 'text',
  text_consent: 'text',
  text_agreed_at: 'timestamptz',
  counted_client: 'text',
  made_by: 'text',
  owner_id: 'uuid',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
} as const satisfies Columns<keyof NewEntry>

/** A new entry. The database numbers those of a counted client. */
export type NewEntry = Omit<EntryRow, 'ended_because' | 'ended_at' | 'unanswered' | 'ordinal'>

/**
 * Inserts an entry. If the number of entries of this client is limited, the entry gets the lowest free ordinal. Returns
 * false if no ordinal is free, or if another transaction has just taken it.
 */
export async function insertEntry(db: Queries, entry: NewEntry): Promise<boolean> {
  const columns = Object.keys(entryColumns)
  const names = sql.join([...columns, 'ordinal'].map((name) => sql.ref(name)))
  const values = columns.map((name) => {
    const value = sql.ref(`w.${name}`)
    return name.endsWith('_json') && isPostgres(db) ? sql`${value}::jsonb` : value
  })
  const row = sql<string>`${rowsText(db, entryColumns, [entry])}`
  const { rows } = await sql`
    insert into waitlist_entries (${names})
    select ${sql.join(values)}, case when w.counted_client is not null then f.ordinal end
      from ${rowsOf(db, entryColumns, row)} as w
           cross join (select 0 as ordinal union all select 1 union all select 2) as f
     where case when w.counted_client is null then f.ordinal = 0 else not exists (
             select 1 from waitlist_entries as e
              where e.business_id = w.business_id and e.counted_client = w.counted_client
                and e.ordinal = f.ordinal and e.ended_at is null) end
     order by f.ordinal limit 1
    on conflict do nothing returning id`.execute(db)
  return rows.length > 0
}

const openOffer = sql`
  left join waitlist_offers as o on o.entry_id = e.id and o.status = 'open' and o.business_id = e.business_id
  join locations as l on l.id = e.location_id and l.business_id = e.business_id`

const shownColumns = sql`
  e.*, l.timezone, l.online_url, l.name as location_name, o.id as hold_id, o.starts_at as offer_starts_at,
  o.ends_at as offer_ends_at, o.expires_at as offer_expires_at,
  o.by_hand as offer_by_hand,
  (select t.id from waitlist_offers as t where t.entry_id = e.id and t.status = 'taken' order by t.id limit 1) as booking_id,
  case when e.ended_at is null then (
    select count(*) from waitlist_entries as p
     where p.business_id = e.business_id and p.ended_at is null and p.service_id = e.service_id
       and p.location_id = e.location_id and (p.created_at, p.id) <= (e.created_at, e.id)) end as position`

/** An entry in scope. With `ownerId`, only one that this owner made. */
interface EntryKey {
  scope: TenantScope
  id: string
  ownerId?: string | undefined
}

export async function findEntry(
  db: Reads,
  { scope, id, ownerId }: EntryKey,
): Promise<ShownEntryRow | undefined> {
  const owned = ownerId === undefined ? sql`true` : sql`e.owner_id = ${ownerId}`
  const { rows } = await sql<ShownEntryRow>`
    select ${shownColumns} from waitlist_entries as e ${openOffer}
     where e.id = ${id} and ${inScope('e.business_id', scope)} and ${owned}`.execute(db)
  return rows[0]
}

interface EntryFilter {
  status: WaitlistStatus | 'active' | undefined
  serviceId: string | undefined
  locationId: string | undefined
  staffId: string | undefined
  email: string | undefined
  /** Numbers as they were typed. */
  phones?: string[] | undefined
  clientId?: string | undefined
  businessId: string | undefined
  after: readonly [createdAt: Instant, id: string] | undefined
  rows: number
}

/** Lists entries, the longest waiting first. */
export async function findEntries(
  db: Reads,
  scope: TenantScope,
  filter: EntryFilter,
): Promise<ShownEntryRow[]> {
  const { status, serviceId, locationId, staffId, email, phones, clientId, businessId } = filter
  const { after, rows } = filter
  const conditions = [
    inScope('e.business_id', scope),
    ...(businessId === undefined ? [] : [sql`e.business_id = ${businessId}`]),
    ...(status === undefined
      ? []
      : status === 'active'
        ? [sql`e.ended_at is null`]
        : [sql`e.status = ${status}`]),
    ...(serviceId === undefined ? [] : [sql`e.service_id = ${serviceId}`]),
    ...(locationId === undefined ? [] : [sql`e.location_id = ${locationId}`]),
    ...(staffId === undefined ? [] : [sql`e.staff_id = ${staffId}`]),
    ...(email === undefined ? [] : [sql`lower(e.email) = ${email.toLowerCase()}`]),
    ...(phones === undefined ? [] : [sql`e.phone in (${sql.join(phones)})`]),
    ...(clientId === undefined ? [] : [sql`e.client_id = ${clientId}`]),
    ...(after ? [sql`(e.created_at, e.id) > (${after[0]}, ${after[1]})`] : []),
  ]
  const found = await sql<ShownEntryRow>`
    select ${shownColumns} from waitlist_entries as e ${openOffer}
     where ${sql.join(conditions, sql` and `)}
     order by e.created_at, e.id limit ${rows}`.execute(db)
  return found.rows
}

/** Returns the names of services and staff members by ID. */
export async function findNamesOf(
  db: Reads,
  ids: { services: readonly string[]; staff: readonly string[] },
): Promise<Map<string, string>> {
  const names = new Map<string, string>()
  for (const table of ['services', 'staff'] as const) {
    if (ids[table].length === 0) continue
    const rows = await db.selectFrom(table).select(['id', 'name']).where('id', 'in', ids[table]).execute()
    for (const { id, name } of rows) names.set(id, name)
  }
  return names
}

/** Returns the clients of entries of a business. */
export async function findEntryClients(
  db: Reads,
  businessId: string,
  ids: readonly string[],
): Promise<Pick<EntryRow, 'id' | 'first_name' | 'last_name' | 'email'>[]> {
  if (ids.length === 0) return []
  return db
    .selectFrom('waitlist_entries')
    .select(['id', 'first_name', 'last_name', 'email'])
    .where('business_id', '=', businessId)
    .where('id', 'in', ids)
    .execute()
}

/** Locks an entry until the transaction ends. */
export function lockEntry(db: Queries, id: string): Promise<EntryRow | undefined> {
  return db.selectFrom('waitlist_entries').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

/** Gives a waiting entry its turn to be offered a time. Returns false if it no longer waits. */
export async function takeTurn(
  db: Queries,
  { id, business_id }: Pick<EntryRow, 'id' | 'business_id'>,
  now: Instant,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('waitlist_entries')
    .set({ status: 'offered', updated_at: now })
    .where('id', '=', id)
    .where('business_id', '=', business_id)
    .where('status', '=', 'waiting')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function insertOffer(db: Queries, offer: Insertable<WaitlistOffersTable>): Promise<void> {
  await db.insertInto('waitlist_offers').values(offer).execute()
}

/** Ends the open offer of an entry, or the one with an ID. Returns its ID; undefined if it is over already. */
export async function endOffer(
  db: Queries,
  { entryId, id, status, now }: { entryId: string; id?: string; status: WaitlistOfferStatus; now: Instant },
): Promise<string | undefined> {
  let query = db
    .updateTable('waitlist_offers')
    .set({ status, decided_at: now })
    .where('entry_id', '=', entryId)
    .where('status', '=', 'open')
  if (id !== undefined) query = query.where('id', '=', id)
  return (await query.returning('id').executeTakeFirst())?.id
}

/** Lets an entry wait again. `unanswered` is 0 after an answer. */
export async function waitAgain(
  db: Queries,
  { id, unanswered, now }: { id: string; unanswered: number; now: Instant },
): Promise<void> {
  await db
    .updateTable('waitlist_entries')
    .set({ status: 'waiting', unanswered, updated_at: now })
    .where('id', '=', id)
    .where('status', '=', 'offered')
    .execute()
}

/** Ends an active entry. Returns false if it is over already. */
export async function endEntryRow(
  db: Queries,
  { id, because, now }: { id: string; because: WaitlistEnd; now: Instant },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('waitlist_entries')
    .set({ status: 'ended', ended_because: because, ended_at: now, updated_at: now })
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Records that the offered time is booked, even if the offer lapsed meanwhile. Returns false for another hold. */
export async function markTaken(
  db: Queries,
  { id, now }: { id: string; now: Instant },
): Promise<string | undefined> {
  const offer = await db
    .updateTable('waitlist_offers')
    .set({ status: 'taken', decided_at: now })
    .where('id', '=', id)
    .where('status', '<>', 'taken')
    .returning('entry_id')
    .executeTakeFirst()
  if (!offer) return undefined
  await db
    .updateTable('waitlist_entries')
    .set({ status: 'booked', ended_because: null, ended_at: now, updated_at: now })
    .where('id', '=', offer.entry_id)
    .where('status', '<>', 'booked')
    .execute()
  return offer.entry_id
}

/**
 * Puts the client of a taken offer back on the list, in the old place. Caps no longer count the entry, so it always fits.
 * Returns false without such an entry, or after its last date.
 */
export async function withdrawTaken(
  db: Queries,
  { id, businessId, today, now }: { id: string; businessId: string; today: string; now: Instant },
): Promise<boolean> {
  const offer = await db
    .selectFrom('waitlist_offers')
    .select('entry_id')
    .where('id', '=', id)
    .where('business_id', '=', businessId)
    .where('status', '=', 'taken')
    .executeTakeFirst()
  if (!offer) return false
  const { numUpdatedRows } = await db
    .updateTable('waitlist_entries')
    .set({ status: 'waiting', ended_at: null, unanswered: 0, updated_at: now })
    .set({ counted_client: null, ordinal: null })
    .where('business_id', '=', businessId)
    .where('id', '=', offer.entry_id)
    .where('status', '=', 'booked')
    .where('to', '>=', today)
    .where('client_id', 'is not', null) // an erased client does not wait
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  await db
    .updateTable('waitlist_offers')
    .set({ status: 'withdrawn' })
    .where('business_id', '=', businessId)
    .where('id', '=', id)
    .execute()
  return true
}

/** Finds the open offers of a business that are over: their hold was booked, released or has expired. */
export async function findOverOffers(
  db: Reads,
  { businessId, now, max }: { businessId: string; now: Instant; max: number },
): Promise<(OfferRow & { is_booked: number; unanswered: number })[]> {
  const { rows } = await sql<OfferRow & { is_booked: number; unanswered: number }>`
    select o.*, e.unanswered, case when c.booked_at is not null then 1 else 0 end as is_booked
      from waitlist_offers as o
           join waitlist_entries as e on e.id = o.entry_id
           left join claims as c on c.id = o.id
     where o.business_id = ${businessId} and o.status = 'open'
       and (o.expires_at <= ${now} or c.id is null or c.booked_at is not null or c.ended_at is not null)
     order by o.expires_at limit ${max}`.execute(db)
  return rows
}

/** Lists active entries of a business, the longest waiting first. */
export function findActiveEntries(db: Reads, businessId: string, max: number): Promise<EntryRow[]> {
  return db
    .selectFrom('waitlist_entries')
    .selectAll()
    .where('business_id', '=', businessId)
    .where('ended_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .limit(max)
    .execute()
}

/** A time ahead that an active entry was offered before. */
export interface PastOffer {
  id: string
  entry_id: string
  service_id: string
  location_id: string
  staff_id: string | null
  starts_at: Instant
  ends_at: Instant
  decided_at: Instant
}

/** Lists times ahead that entries were offered before, with a person whom the entry accepts. */
export async function findPastOffers(db: Reads, businessId: string, now: Instant): Promise<PastOffer[]> {
  const { rows } = await sql<PastOffer>`
    select o.id, o.entry_id, e.service_id, e.location_id, o.staff_id, o.starts_at, o.ends_at, o.decided_at
      from waitlist_entries as e join waitlist_offers as o on o.entry_id = e.id
     where e.business_id = ${businessId} and e.ended_at is null and o.ends_at > ${now}
       and o.decided_at is not null
       and (e.staff_id is null or o.staff_id is null or o.staff_id = e.staff_id)`.execute(db)
  return rows
}

/** A booking that was cancelled. */
export type CancelledBooking = Pick<
  BookingsTable,
  'id' | 'service_id' | 'location_id' | 'staff_id' | 'starts_at' | 'ends_at' | 'created_at'
>

/** Lists cancelled bookings that start within a time, and were made at `since` or later. */
export function findCancelledWithin(
  db: Reads,
  {
    businessId,
    from,
    until,
    since,
    max,
  }: { businessId: string; from: Instant; until: Instant; since: Instant; max: number },
): Promise<CancelledBooking[]> {
  return db
    .selectFrom('bookings')
    .select(['id', 'service_id', 'location_id', 'staff_id', 'starts_at', 'ends_at', 'created_at'])
    .where('business_id', '=', businessId)
    .where('starts_at', '>=', from)
    .where('starts_at', '<', until)
    .where('created_at', '>=', since)
    .where('status', '=', 'cancelled')
    .limit(max)
    .execute()
}

/** Asks for a sweep of a business at once, whether or not it had entries before. */
export async function requestSweep(db: Queries, businessId: string, now: Instant): Promise<void> {
  await db
    .insertInto('waitlist_sweeps')
    .values({ business_id: businessId, due_at: now, full_at: now, swept_at: now, catalogue_version: 0 })
    .onConflict((conflict) => conflict.column('business_id').doUpdateSet({ due_at: now, full_at: now }))
    .execute()
}

/** Makes the sweep of a business due now if it has one. */
export async function makeSweepDue(db: Queries, businessId: string, now: Instant): Promise<void> {
  await db
    .updateTable('waitlist_sweeps')
    .set({ due_at: now })
    .where('business_id', '=', businessId)
    .where('due_at', '>', now)
    .execute()
}

/** A sweep that only this server may make until `due_at`. */
export interface LeasedSweep {
  /** The business. */
  id: string
  due_at: Instant
  full_at: Instant
  swept_at: Instant
  catalogue_version: number
}

export async function isAnySweepDue(db: Reads, now: Instant): Promise<boolean> {
  const row = await db
    .selectFrom('waitlist_sweeps')
    .select('business_id')
    .where('due_at', '<=', now)
    .where(isSwept('business_id'))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export async function leaseSweeps(
  db: Queries,
  { max, now, until }: { max: number; now: Instant; until: Instant },
): Promise<LeasedSweep[]> {
  const { rows } = await sql<LeasedSweep>`
    update waitlist_sweeps set due_at = ${until}
     where business_id in (
       select business_id from waitlist_sweeps where due_at <= ${now} and ${isSwept('business_id')}
        order by due_at limit ${max} ${isPostgres(db) ? sql`for update skip locked` : sql``})
    returning business_id as id, due_at, full_at, swept_at, catalogue_version`.execute(db)
  return rows
}

/** Writes when a business is swept next, while the lease holds. Without active entries, no more. */
export async function finishSweep(
  db: Queries,
  { id, due_at: leasedUntil }: Pick<LeasedSweep, 'id' | 'due_at'>,
  next: Omit<LeasedSweep, 'id'>,
): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom('waitlist_sweeps')
    .where('business_id', '=', id)
    .where('due_at', '=', leasedUntil)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('waitlist_entries as e')
            .select('e.id')
            .where('e.business_id', '=', id)
            .where('e.ended_at', 'is', null),
        ),
      ),
    )
    .executeTakeFirst()
  if (numDeletedRows > 0n) return
  await db
    .updateTable('waitlist_sweeps')
    .set(next)
    .where('business_id', '=', id)
    .where('due_at', '=', leasedUntil)
    .execute()
}

/** Transactions that commit late are seen by the next look. */
const overlapSeconds = 10

/**
 * Reports if time may have become free at a business since its last sweep. Changes of bookings and blocks are in the
 * audit log. Holds end with their claims, and the catalogue has a version.
 */
export async function readChanges(
  db: Reads,
  { id, swept_at, now }: Pick<LeasedSweep, 'id' | 'swept_at'> & { now: Instant },
): Promise<{ catalogue_version: number; has_changed: number }> {
  const since = plusSeconds(swept_at, -overlapSeconds)
  const { rows } = await sql<{ catalogue_version: number; has_changed: number }>`
    select b.catalogue_version,
           case when exists (
                  select 1 from audit_entries as a
                   where a.business_id = b.id and a.at > ${since} and a.action <> 'booking.created')
                  or exists (
                  select 1 from claims as c
                   where (c.booked_at is null or c.ended_at is not null) and c.expires_at > ${since}
                     and c.business_id = b.id and (c.ended_at > ${since} or c.expires_at <= ${now}))
                  or exists (
                  select 1 from busy_calendars as y where y.business_id = b.id and y.last_fetched_at > ${since})
                then 1 else 0 end as has_changed
      from businesses as b where b.id = ${id}`.execute(db)
  return rows[0] ?? { catalogue_version: 0, has_changed: 0 }
}
