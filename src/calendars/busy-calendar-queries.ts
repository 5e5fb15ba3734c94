import { type Insertable, type RawBuilder, sql } from 'kysely'
import type { Instant } from '../base/instants.ts'
import type { Queries, Reads } from '../database/database.ts'
import type { BlocksTable, BusyCalendarsTable } from '../database/tables.ts'
import { inScope, type TenantScope } from '../database/tenant-scope.ts'
import type { Waiting } from './fair-share-rules.ts'

/** Maximum number of busy calendars of a staff member, in places 0 to 4. */
export const maxBusyCalendars = 5

/** A busy calendar with the zone and the hub of its business. */
export interface BusyCalendarRow extends Omit<BusyCalendarsTable, 'place'> {
  timezone: string
  hub_id: string | null
}

/** Selects calendars with the zone and the hub of their business. */
export function selectBusyCalendars(db: Reads) {
  return db
    .selectFrom('busy_calendars as c')
    .innerJoin('businesses as b', 'b.id', 'c.business_id')
    .select([
      ...(['c.id', 'c.business_id', 'c.staff_id', 'c.url', 'c.etag', 'c.last_modified'] as const),
      ...(['c.last_fetched_at', 'c.last_error', 'c.busy_until', 'c.next_fetch_at'] as const),
      ...(['c.created_at', 'c.failing_since', 'c.told_at', 'b.timezone', 'b.hub_id'] as const),
      ...(['c.account_id', 'c.name', 'c.keeps_busy', 'c.reading_until', 'c.pushed_at'] as const),
      ...(['c.channel_id', 'c.channel_key', 'c.channel_until'] as const),
      ...(['c.channel_due_at', 'c.channel_failures'] as const),
    ])
}

/** Finds a busy calendar; undefined if it is out of scope. */
export function findBusyCalendar(
  db: Reads,
  scope: TenantScope,
  id: string,
): Promise<BusyCalendarRow | undefined> {
  return selectBusyCalendars(db)
    .where('c.id', '=', id)
    .where(inScope('c.business_id', scope))
    .executeTakeFirst()
}

interface BusyCalendarFilter {
  businessId: string | undefined
  staffId: string | undefined
  /** True to include those of accounts. */
  withAccounts?: boolean
  /** The creation time and ID of the last row of the previous page. */
  after: readonly [createdAt: Instant, id: string] | undefined
  rows: number
}

/** Lists busy calendars, newest first, at most `filter.rows`. */
export function findBusyCalendars(
  db: Reads,
  scope: TenantScope,
  { businessId, staffId, withAccounts = false, after, rows }: BusyCalendarFilter,
): Promise<BusyCalendarRow[]> {
  let query = selectBusyCalendars(db).where(inScope('c.business_id', scope))
  if (!withAccounts) query = query.where('c.account_id', 'is', null)
  if (businessId !== undefined) query = query.where('c.business_id', '=', businessId)
  if (staffId !== undefined) query = query.where('c.staff_id', '=', staffId)
  if (after) query = query.where(sql<boolean>`(c.created_at, c.id) < (${after[0]}, ${after[1]})`)
  return query.orderBy('c.created_at', 'desc').orderBy('c.id', 'desc').limit(rows).execute()
}

/**
 * Returns the business of a staff member. Prevents others from adding to the same staff member until the
 * transaction ends.
 */
export async function lockStaffMember(
  db: Queries,
  scope: TenantScope,
  id: string,
): Promise<string | undefined> {
  const found = await db
    .selectFrom('staff')
    .select('business_id')
    .where('id', '=', id)
    .where(inScope('business_id', scope))
    .forNoKeyUpdate()
    .executeTakeFirst()
  return found?.business_id
}

/** Inserts a calendar in the first free place of its staff member. Returns false if there is none. */
export async function insertBusyCalendar(
  db: Queries,
  calendar: Omit<Insertable<BusyCalendarsTable>, 'place'>,
): Promise<boolean> {
  const taken = await db
    .selectFrom('busy_calendars')
    .select('place')
    .where('staff_id', '=', calendar.staff_id)
    .execute()
  const places = Array.from({ length: maxBusyCalendars }, (_, index) => index)
  const place = places.find((candidate) => !taken.some((row) => row.place === candidate))
  if (place === undefined) return false
  await db
    .insertInto('busy_calendars')
    .values({ ...calendar, place })
    .execute()
  return true
}

/** Deletes a calendar with its blocks. Returns its business, or undefined if it is out of scope. */
export async function deleteBusyCalendarRow(
  db: Queries,
  scope: TenantScope,
  id: string,
): Promise<string | undefined> {
  const found = await db
    .selectFrom('busy_calendars')
    .select('business_id')
    .where('id', '=', id)
    .where('account_id', 'is', null)
    .where(inScope('business_id', scope))
    .forUpdate()
    .executeTakeFirst()
  if (!found) return undefined
  await deleteCalendarRows(db, [id])
  return found.business_id
}

/** Finds the calendars of some accounts. */
export async function findCalendarsOf(
  db: Reads,
  ...accountIds: readonly string[]
): Promise<BusyCalendarRow[]> {
  if (accountIds.length === 0) return []
  return selectBusyCalendars(db)
    .where('c.account_id', 'in', accountIds)
    .orderBy('c.created_at')
    .orderBy('c.id')
    .execute()
}

/** Makes a calendar of an account count from now on, or no longer. */
export async function updateKeepsBusy(
  db: Queries,
  id: string,
  { keeps_busy, now }: { keeps_busy: 0 | 1; now: Instant },
): Promise<void> {
  if (keeps_busy === 0) await db.deleteFrom('blocks').where('busy_calendar_id', '=', id).execute()
  // without its tag, it is read completely
  const changes = { keeps_busy, etag: null, next_fetch_at: now }
  await db.updateTable('busy_calendars').set(changes).where('id', '=', id).execute()
}

/** Deletes calendars with their blocks. */
export async function deleteCalendarRows(db: Queries, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db.deleteFrom('blocks').where('busy_calendar_id', 'in', ids).execute()
  await db.deleteFrom('busy_calendars').where('id', 'in', ids).execute()
}

/** The columns of a calendar without a channel that was not read yet. */
export const unread = {
  ...{ reading_until: null, pushed_at: null, channel_id: null, channel_key: null },
  ...{ channel_until: null, channel_due_at: null, channel_failures: 0 },
}

/** Returns the condition that nobody of a row must wait: the staff member `s`, the business `b` and its hub. */
export function mayGo({ staff, businesses, hubs }: Waiting): RawBuilder<boolean> {
  const isNone = (column: string, ids: string[]) =>
    ids.length === 0
      ? sql`1 = 1`
      : sql`(${sql.ref(column)} is null or ${sql.ref(column)} not in (${sql.join(ids)}))`
  return sql<boolean>`(${isNone('s.id', staff)} and ${isNone('b.id', businesses)} and ${isNone('b.hub_id', hubs)})`
}

/** Finds the most overdue calendar of active staff who need not wait. */
export function findDueCalendar(
  db: Reads,
  now: Instant,
  waiting: Waiting,
): Promise<BusyCalendarRow | undefined> {
  return selectBusyCalendars(db)
    .innerJoin('staff as s', 's.id', 'c.staff_id')
    .where('s.deactivated_at', 'is', null)
    .where('c.next_fetch_at', '<=', now)
    .where(mayGo(waiting))
    .orderBy('c.next_fetch_at')
    .limit(1)
    .executeTakeFirst()
}

/**
 * Postpones the next fetch unless another server has done so. The server that succeeds fetches the calendar.
 */
export async function leaseCalendar(
  db: Queries,
  { id, next_fetch_at }: Pick<BusyCalendarRow, 'id' | 'next_fetch_at'>,
  until: Pick<BusyCalendarsTable, 'next_fetch_at' | 'reading_until'>,
): Promise<boolean> {
  const leased = await db
    .updateTable('busy_calendars')
    .set({ ...until, pushed_at: null })
    .where('id', '=', id)
    .where('next_fetch_at', '=', next_fetch_at)
    .returning('id')
    .executeTakeFirst()
  return leased !== undefined
}

type Outcome = Partial<
  Pick<
    BusyCalendarsTable,
    | 'etag'
    | 'last_modified'
    | 'last_fetched_at'
    | 'last_error'
    | 'busy_until'
    | 'failing_since'
    | 'told_at'
    | 'next_fetch_at'
  >
>

/**
 * Stores the result of a fetch while its lease holds. Returns false otherwise: the calendar was fetched again
 * or deleted.
 */
export async function writeFetch(
  db: Queries,
  { id, next_fetch_at }: Pick<BusyCalendarRow, 'id' | 'next_fetch_at'>,
  outcome: Outcome,
): Promise<boolean> {
  const written = await db
    .updateTable('busy_calendars')
    .set({ ...outcome, reading_until: null })
    .where('id', '=', id)
    .where('next_fetch_at', '=', next_fetch_at)
    .returning('id')
    .executeTakeFirst()
  if (!written) return false
  // a change that was reported meanwhile may be missing in what was read; a failure keeps its pause
  await db
    .updateTable('busy_calendars')
    .set({ next_fetch_at: sql<Instant>`pushed_at` })
    .where('id', '=', id)
    .where('pushed_at', 'is not', null)
    .where('last_error', 'is', null)
    .execute()
  return true
}

/**
 * Records that the business is notified of a calendar and of its others that have failed since `others` or
 * longer. Returns false if an earlier notification already included this one.
 */
export async function tellOf(
  db: Queries,
  { id, business_id }: Pick<BusyCalendarRow, 'id' | 'business_id'>,
  { now, others }: { now: Instant; others: Instant },
): Promise<boolean> {
  const told = await db
    .updateTable('busy_calendars')
    .set({ told_at: now })
    .where('business_id', '=', business_id)
    .where('told_at', 'is', null)
    .where((is) => is.or([is('id', '=', id), is('failing_since', '<=', others)]))
    .returning('id')
    .execute()
  return told.some((calendar) => calendar.id === id)
}

const maxIds = 500

/** Returns those of the given IDs that are bookings of a business, or items of its visits. */
export async function findOwnBookings(
  db: Queries,
  businessId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const found = new Set<string>()
  for (let at = 0; at < ids.length; at += maxIds) {
    for (const table of ['bookings', 'visit_items'] as const) {
      const rows = await db
        .selectFrom(table)
        .select('id')
        .where('business_id', '=', businessId)
        .where('id', 'in', ids.slice(at, at + maxIds))
        .execute()
      for (const { id } of rows) found.add(id)
    }
  }
  return found
}

/** Finds the blocks of a calendar. */
export function findBusyBlocks(
  db: Queries,
  id: string,
): Promise<Pick<BlocksTable, 'id' | 'starts_at' | 'ends_at'>[]> {
  return db
    .selectFrom('blocks')
    .select(['id', 'starts_at', 'ends_at'])
    .where('busy_calendar_id', '=', id)
    .execute()
}

/** Deletes some blocks and writes others. */
export async function replaceBlocks(
  db: Queries,
  { gone, added }: { gone: readonly string[]; added: readonly BlocksTable[] },
): Promise<void> {
  for (let at = 0; at < gone.length; at += maxIds)
    await db
      .deleteFrom('blocks')
      .where('id', 'in', gone.slice(at, at + maxIds))
      .execute()
  for (let at = 0; at < added.length; at += maxIds)
    await db
      .insertInto('blocks')
      .values(added.slice(at, at + maxIds))
      .execute()
}

/** Returns the fetch time of the oldest copy among calendars of active staff; undefined without calendars. */
export async function findOldestCopy(db: Reads): Promise<Instant | undefined> {
  const { rows } = await sql<{ at: Instant }>`
    select coalesce(c.last_fetched_at, c.created_at) as at
      from busy_calendars as c
      join staff as s on s.id = c.staff_id and s.deactivated_at is null
     order by coalesce(c.last_fetched_at, c.created_at) limit 1`.execute(db)
  return rows[0]?.at
}
