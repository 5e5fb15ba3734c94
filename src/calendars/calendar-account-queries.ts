import { type Insertable, sql } from 'kysely'
import { type Instant, plusSeconds } from '../base/instants.ts'
import type { Queries, Reads } from '../database/database.ts'
import type { CalendarAccountsTable, CalendarWritesTable } from '../database/tables.ts'
import { inScope, type TenantScope } from '../database/tenant-scope.ts'
import { mayGo } from './busy-calendar-queries.ts'
import type { Waiting } from './fair-share-rules.ts'

/** An account with what the console and the API show of its work. */
export interface CalendarAccountRow extends CalendarAccountsTable {
  timezone: string
  locale: string
  hub_id: string | null
  /** Bookings that wait to be written. */
  waiting: number
}

/** The accounts that a caller may see. */
export interface AccountReach {
  scope: TenantScope
  /** Only those of this staff member. Null: none. Undefined: all. */
  staffId: string | null | undefined
}

/** Returns the condition that an account is within reach. */
function within(prefix: 'a.' | '', { scope, staffId }: AccountReach) {
  const isInScope = inScope(`${prefix}business_id`, scope)
  return staffId === undefined
    ? isInScope
    : sql<boolean>`(${isInScope} and ${sql.ref(`${prefix}staff_id`)} = ${staffId})`
}

function selectAccounts(db: Reads) {
  return db
    .selectFrom('calendar_accounts as a')
    .innerJoin('businesses as b', 'b.id', 'a.business_id')
    .selectAll('a')
    .select([
      ...(['b.timezone', 'b.locale', 'b.hub_id'] as const),
      sql<number>`(select cast(count(*) as integer) from calendar_writes as w
                    where w.account_id = a.id and w.due_at is not null)`.as('waiting'),
    ])
}

/** Finds an account; undefined if it is out of scope. */
export function findCalendarAccount(
  db: Reads,
  reach: AccountReach,
  id: string,
): Promise<CalendarAccountRow | undefined> {
  return selectAccounts(db).where('a.id', '=', id).where(within('a.', reach)).executeTakeFirst()
}

interface CalendarAccountFilter {
  businessId: string | undefined
  staffId: string | undefined
  /** The creation time and ID of the last row of the previous page. */
  after: readonly [createdAt: Instant, id: string] | undefined
  rows: number
}

/** Lists accounts, newest first, at most `filter.rows`. */
export function findCalendarAccounts(
  db: Reads,
  reach: AccountReach,
  { businessId, staffId, after, rows }: CalendarAccountFilter,
): Promise<CalendarAccountRow[]> {
  let query = selectAccounts(db).where(within('a.', reach))
  if (businessId !== undefined) query = query.where('a.business_id', '=', businessId)
  if (staffId !== undefined) query = query.where('a.staff_id', '=', staffId)
  if (after) query = query.where(sql<boolean>`(a.created_at, a.id) < (${after[0]}, ${after[1]})`)
  return query.orderBy('a.created_at', 'desc').orderBy('a.id', 'desc').limit(rows).execute()
}

/** Counts the accounts of a business whose failure was reported and lasts. */
export async function countBrokenAccounts(db: Reads, businessId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select cast(count(distinct c.account_id) as integer) as count
      from busy_calendars as c join staff as s on s.id = c.staff_id and s.deactivated_at is null
     where c.business_id = ${businessId} and c.account_id is not null and c.told_at is not null`.execute(db)
  return rows[0]?.count ?? 0
}

/** Locks an account until the transaction ends; undefined if it is out of scope. */
export function lockCalendarAccount(
  db: Queries,
  reach: AccountReach,
  id: string,
): Promise<CalendarAccountsTable | undefined> {
  return db
    .selectFrom('calendar_accounts')
    .selectAll()
    .where('id', '=', id)
    .where(within('', reach))
    .forUpdate()
    .executeTakeFirst()
}

/** Stores an account, or the new credential of the one that the staff member already has. Returns its ID. */
export async function storeCalendarAccount(
  db: Queries,
  account: Insertable<CalendarAccountsTable>,
): Promise<string> {
  const { credential_sealed, calendars_json, connected_at, next_write_at } = account
  const { id } = await db
    .insertInto('calendar_accounts')
    .values(account)
    .onConflict((conflict) =>
      conflict.columns(['staff_id', 'kind', 'address', 'user_name']).doUpdateSet({
        ...{ credential_sealed, calendars_json, connected_at, next_write_at },
        ...{ write_failures: 0, last_write_error: null },
      }),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Changes an account. */
export async function updateCalendarAccount(
  db: Queries,
  id: string,
  changes: Partial<CalendarAccountsTable>,
): Promise<void> {
  await db.updateTable('calendar_accounts').set(changes).where('id', '=', id).execute()
}

/** Stores the credential that a provider has given for another one, unless the account was connected again. */
export async function updateCredential(
  db: Queries,
  { id, credential_sealed: known }: Pick<CalendarAccountsTable, 'id' | 'credential_sealed'>,
  credential_sealed: string,
): Promise<void> {
  await db
    .updateTable('calendar_accounts')
    .set({ credential_sealed })
    .where('id', '=', id)
    .where('credential_sealed', '=', known)
    .execute()
}

/** Makes the calendars of an account due for reading, as if they had never failed. */
export async function readCalendarsAgain(db: Queries, accountId: string, now: Instant): Promise<void> {
  await db
    .updateTable('busy_calendars')
    .set(({ eb, ref }) => ({
      ...{ next_fetch_at: now, last_error: null, failing_since: null, told_at: null, etag: null },
      channel_due_at: eb
        .case()
        .when('channel_due_at', 'is', null)
        .then(ref('channel_due_at'))
        .else(now)
        .end(),
    }))
    .where('account_id', '=', accountId)
    .execute()
}

/** Deletes an account with its queue. Its calendars must have been deleted. */
export async function deleteCalendarAccountRow(db: Queries, id: string): Promise<void> {
  await db.deleteFrom('calendar_writes').where('account_id', '=', id).execute()
  await db.deleteFrom('calendar_accounts').where('id', '=', id).execute()
}

/** Makes every booking due that the account has, or should have, from now on. */
export async function makeAllDue(
  db: Queries,
  { id, staff_id, business_id }: Pick<CalendarAccountsTable, 'id' | 'staff_id' | 'business_id'>,
  now: Instant,
): Promise<void> {
  await sql`
    update calendar_writes set changes = changes + 1, due_at = ${now}, attempts = 0
     where account_id = ${id}
       and not exists (select 1 from bookings as b where b.id = calendar_writes.booking_id and b.ends_at <= ${now})
  `.execute(db)
  await sql`
    insert into calendar_writes (account_id, booking_id, business_id, changes, due_at)
    select a.id, b.id, b.business_id, 1, ${now}
      from calendar_accounts as a
      join bookings as b on b.business_id = a.business_id and b.starts_at >= ${now} and b.cancelled_at is null
     where a.id = ${id} and a.writes_to is not null and b.business_id = ${business_id}
       and (b.staff_id = ${staff_id} or b.item_count is not null and exists (
             select 1 from visit_items as v where v.visit_id = b.id and v.staff_id = ${staff_id}))
    on conflict (account_id, booking_id) do nothing`.execute(db)
}

/** Leases the account whose queue has waited longest and whose owners need not wait; undefined if none is due. */
export async function leaseDueAccount(
  db: Queries,
  { now, until, waiting }: { now: Instant; until: Instant; waiting: Waiting },
): Promise<CalendarAccountRow | undefined> {
  const due = await selectAccounts(db)
    .innerJoin('staff as s', 's.id', 'a.staff_id')
    .where('s.deactivated_at', 'is', null)
    .where('a.next_write_at', '<=', now)
    .where(mayGo(waiting))
    .where((is) =>
      is.exists(
        is
          .selectFrom('calendar_writes as w')
          .select('w.booking_id')
          .whereRef('w.account_id', '=', 'a.id')
          .where('w.due_at', '<=', now),
      ),
    )
    .orderBy('a.next_write_at')
    .limit(1)
    .executeTakeFirst()
  if (!due) return undefined
  const leased = await db
    .updateTable('calendar_accounts')
    .set({ next_write_at: until })
    .where('id', '=', due.id)
    .where('next_write_at', '=', due.next_write_at)
    .returning('id')
    .executeTakeFirst()
  return leased && { ...due, next_write_at: until }
}

/** Ends a lease that still holds. */
export async function endLease(
  db: Queries,
  { id, next_write_at }: Pick<CalendarAccountsTable, 'id' | 'next_write_at'>,
  changes: Pick<CalendarAccountsTable, 'next_write_at' | 'write_failures' | 'last_write_error'>,
): Promise<void> {
  await db
    .updateTable('calendar_accounts')
    .set(changes)
    .where('id', '=', id)
    .where('next_write_at', '=', next_write_at)
    .execute()
}

/** Finds due writes of an account, in the order of the changes. */
export function findDueWrites(
  db: Reads,
  accountId: string,
  { now, max }: { now: Instant; max: number },
): Promise<CalendarWritesTable[]> {
  return db
    .selectFrom('calendar_writes')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .orderBy('booking_id')
    .limit(max)
    .execute()
}

type Key = Pick<CalendarWritesTable, 'account_id' | 'booking_id' | 'changes'>

function updateWrite(db: Queries, { account_id, booking_id }: Omit<Key, 'changes'>) {
  return db
    .updateTable('calendar_writes')
    .where('account_id', '=', account_id)
    .where('booking_id', '=', booking_id)
}

/** Stores what a calendar may soon have of a booking. */
export async function storePlanned(db: Queries, key: Key, objects: readonly unknown[]): Promise<void> {
  await updateWrite(db, key)
    .set({ objects_json: JSON.stringify(objects) })
    .execute()
}

/**
 * Stores what the calendar has of a booking, which is no longer due unless it changed meanwhile. Forgets a booking of
 * which the calendar has nothing.
 */
export async function storeWritten(
  db: Queries,
  { account_id, booking_id, changes }: Key,
  objects: readonly unknown[],
): Promise<void> {
  const objects_json = JSON.stringify(objects)
  const row = updateWrite(db, { account_id, booking_id })
  await row.set({ objects_json, attempts: 0 }).execute()
  await row.set({ due_at: null }).where('changes', '=', changes).execute()
  if (objects.length > 0) return
  await db
    .deleteFrom('calendar_writes')
    .where('account_id', '=', account_id)
    .where('booking_id', '=', booking_id)
    .where('due_at', 'is', null)
    .execute()
}

/** Postpones a write that failed, unless its booking changed meanwhile. */
export async function postponeWrite(
  db: Queries,
  key: Key,
  { attempts, due_at }: Pick<CalendarWritesTable, 'attempts' | 'due_at'>,
): Promise<void> {
  await updateWrite(db, key).set({ attempts, due_at }).where('changes', '=', key.changes).execute()
}

/** Finds what an account has written and is not about to change. */
export function findWritten(
  db: Reads,
  accountId: string,
): Promise<Pick<CalendarWritesTable, 'account_id' | 'booking_id' | 'changes' | 'objects_json'>[]> {
  return db
    .selectFrom('calendar_writes')
    .select(['account_id', 'booking_id', 'changes', 'objects_json'])
    .where('account_id', '=', accountId)
    .where('due_at', 'is', null)
    .execute()
}

/**
 * Makes a write due because somebody changed it in the calendar, unless it is due or was written meanwhile. Stores what
 * is still there.
 */
export async function putBack(
  db: Queries,
  { objects, ...key }: Key & { objects: readonly unknown[] },
  now: Instant,
): Promise<void> {
  await updateWrite(db, key)
    .set(({ eb }) => ({
      ...{ changes: eb('changes', '+', 1), put_backs: eb('put_backs', '+', 1) },
      ...{ due_at: now, objects_json: JSON.stringify(objects) },
    }))
    .where('changes', '=', key.changes)
    .where('due_at', 'is', null)
    .execute()
}

/** The queue of an account that does not work is kept for a week. */
const keptSeconds = 7 * 86_400

/** Gives up at most `max` writes that have waited for a week. Returns their number. */
export async function giveUpWrites(db: Queries, now: Instant, max: number): Promise<number> {
  const before = plusSeconds(now, -keptSeconds)
  const { rows } = await sql<{ account_id: string; booking_id: string }>`
    select w.account_id, w.booking_id
      from calendar_accounts as a join calendar_writes as w on w.account_id = a.id
     where a.write_failures > 0 and w.due_at < ${before}
     limit ${max}`.execute(db)
  for (const key of rows)
    await updateWrite(db, key).set({ due_at: null }).where('due_at', '<', before).execute()
  return rows.length
}
