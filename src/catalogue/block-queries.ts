import { sql } from 'kysely'
import { type Instant, nearestInstant, toMs } from '../base/instants.ts'
import type { Queries, Reads } from '../database/database.ts'
import type { BlocksTable } from '../database/tables.ts'
import { inScope, type TenantScope } from '../database/tenant-scope.ts'

/**
 * A block entered by hand, with the zone of its location or of the resource's location. For a staff member's
 * block, that of the business.
 */
export interface BlockRow extends BlocksTable {
  timezone: string
}

function selectBlocks(db: Reads, scope: TenantScope) {
  return db
    .selectFrom('blocks as k')
    .innerJoin('businesses as b', 'b.id', 'k.business_id')
    .leftJoin('resources as r', 'r.id', 'k.resource_id')
    .leftJoin('locations as l', (join) =>
      join.on(sql<boolean>`l.id = coalesce(k.location_id, r.location_id)`),
    )
    .selectAll('k')
    .select(({ fn }) => fn.coalesce('l.timezone', 'b.timezone').as('timezone'))
    .where(inScope('k.business_id', scope))
    .where('k.busy_calendar_id', 'is', null)
}

/** Finds a block; undefined if it is out of scope, as if it did not exist. */
export function findBlock(db: Reads, scope: TenantScope, id: string): Promise<BlockRow | undefined> {
  return selectBlocks(db, scope).where('k.id', '=', id).executeTakeFirst()
}

interface BlockFilter {
  locationId: string | undefined
  staffId: string | undefined
  resourceId: string | undefined
  businessId: string | undefined
  /** The earliest end, exclusive. */
  from: Instant | undefined
  /** The latest start, exclusive. */
  to: Instant | undefined
  /** The last row of the previous page. */
  after: readonly [startsAt: Instant, id: string] | undefined
  rows: number
}

export function findBlocks(db: Reads, scope: TenantScope, filter: BlockFilter): Promise<BlockRow[]> {
  const { locationId, staffId, resourceId, businessId, from, to, after } = filter
  let query = selectBlocks(db, scope)
  if (locationId !== undefined) query = query.where('k.location_id', '=', locationId)
  if (staffId !== undefined) query = query.where('k.staff_id', '=', staffId)
  if (resourceId !== undefined) query = query.where('k.resource_id', '=', resourceId)
  if (businessId !== undefined) query = query.where('k.business_id', '=', businessId)
  if (from) query = query.where('k.ends_at', '>', from)
  if (to) query = query.where('k.starts_at', '<', to)
  if (after) {
    const [startsAt, id] = after
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('k.starts_at', 'k.id'), '>', tuple(startsAt, id)),
    )
  }
  return query.orderBy('k.starts_at').orderBy('k.id').limit(filter.rows).execute()
}

export async function insertBlock(db: Queries, block: BlocksTable): Promise<void> {
  await db.insertInto('blocks').values(block).execute()
}

/** Inserts the blocks that are not there. Returns their IDs. */
export async function insertMissingBlocks(db: Queries, blocks: readonly BlocksTable[]): Promise<string[]> {
  const rows = await db
    .insertInto('blocks')
    .values(blocks)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Returns which of some blocks of a business are there. */
export async function findBlockIds(
  db: Reads,
  { businessId, ids }: { businessId: string; ids: readonly string[] },
): Promise<string[]> {
  const rows = await db
    .selectFrom('blocks')
    .select('id')
    .where('business_id', '=', businessId)
    .where('id', 'in', ids)
    .execute()
  return rows.map(({ id }) => id)
}

/** Returns the bookings that a block keeps, so that its page shows later which have been settled. */
export function idsJson(
  { staff_id }: Pick<BlocksTable, 'staff_id'>,
  bookingIds: readonly string[],
): string | null {
  return staff_id === null || bookingIds.length === 0 ? null : JSON.stringify(bookingIds)
}

/** Deletes a block. Returns false if there is none. */
export async function deleteBlockRow(
  db: Queries,
  scope: TenantScope,
  id: string,
): Promise<string | undefined> {
  const deleted = await db
    .deleteFrom('blocks')
    .where('id', '=', id)
    .where('busy_calendar_id', 'is', null)
    .where(inScope('business_id', scope))
    .returning('business_id')
    .executeTakeFirst()
  return deleted?.business_id
}

/** Moves a block. Returns false if it is no longer at its known time. */
export async function updateBlockPlace(
  db: Queries,
  id: string,
  {
    known,
    wanted,
    bookingIds,
  }: Record<'known' | 'wanted', Pick<BlocksTable, 'starts_at' | 'ends_at' | 'staff_id'>> & {
    bookingIds: readonly string[]
  },
): Promise<boolean> {
  const updated = await db
    .updateTable('blocks')
    .set({ ...wanted, booking_ids_json: idsJson(wanted, bookingIds) })
    .where('id', '=', id)
    .where('starts_at', '=', known.starts_at)
    .where('ends_at', '=', known.ends_at)
    .where('staff_id', known.staff_id === null ? 'is' : '=', known.staff_id)
    .returning('id')
    .executeTakeFirst()
  return updated !== undefined
}

/** Bookings last at most 24 hours, so earlier ones cannot overlap the block. */
const maxBookingMs = 86_400_000

/** The owner and time of a block, by which it covers bookings. */
export type BlockPlace = Pick<
  BlocksTable,
  'business_id' | 'location_id' | 'staff_id' | 'resource_id' | 'starts_at' | 'ends_at'
>

/** Returns the IDs of active bookings that overlap a block, by start, at most `max`. */
export async function findBookingsUnder(db: Reads, block: BlockPlace, max: number): Promise<string[]> {
  const { resource_id, staff_id } = block
  if (resource_id !== null) return findBookingsWith(db, { ...block, resource_id }, max)
  if (staff_id !== null) return findBookingsBy(db, { ...block, staff_id }, max)
  const rows = await db
    .selectFrom('bookings')
    .select('id')
    .where('business_id', '=', block.business_id)
    .where('location_id', '=', block.location_id)
    .where('starts_at', '>=', nearestInstant(toMs(block.starts_at) - maxBookingMs))
    .where('starts_at', '<', block.ends_at)
    .where('ends_at', '>', block.starts_at)
    .where('cancelled_at', 'is', null)
    .orderBy('starts_at')
    .orderBy('id')
    .limit(max)
    .execute()
  return rows.map(({ id }) => id)
}

/** Returns the IDs of bookings in which a staff member gives a service during their block. */
async function findBookingsBy(
  db: Reads,
  { business_id, staff_id, starts_at, ends_at }: BlockPlace & { staff_id: string },
  max: number,
): Promise<string[]> {
  const earliest = nearestInstant(toMs(starts_at) - maxBookingMs)
  const { rows } = await sql<{ id: string }>`
    select id, starts_at from bookings
     where staff_id = ${staff_id} and (business_id = ${business_id}) is true and item_count is null
       and starts_at >= ${earliest} and starts_at < ${ends_at} and ends_at > ${starts_at} and cancelled_at is null
    union
    select i.visit_id, (select b.starts_at from bookings as b where b.business_id = i.business_id and b.id = i.visit_id)
      from visit_items as i
     where i.staff_id = ${staff_id} and (i.business_id = ${business_id}) is true
       and (select b.cancelled_at is null from bookings as b where b.business_id = i.business_id and b.id = i.visit_id)
       and i.starts_at >= ${earliest} and i.starts_at < ${ends_at} and i.ends_at > ${starts_at}
     order by starts_at, id limit ${max}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Claims last at most 72 hours, so earlier ones cannot overlap the block. */
const maxClaimMs = 3 * maxBookingMs

/** Returns the IDs of bookings that take a resource during its block. */
async function findBookingsWith(
  db: Reads,
  { resource_id, starts_at, ends_at }: Pick<BlocksTable, 'starts_at' | 'ends_at'> & { resource_id: string },
  max: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct b.id, b.starts_at
      from claims as c join bookings as b on b.business_id = c.business_id and b.id = coalesce(c.visit_id, c.id)
     where c.resource_id = ${resource_id} and c.lasts_long in (0, 1) and (c.ended_at is null) is true
       and c.taken_from >= ${nearestInstant(toMs(starts_at) - maxClaimMs)} and c.taken_from < ${ends_at}
       and c.taken_until > ${starts_at} and c.booked_at is not null
     order by b.starts_at, b.id limit ${max}`.execute(db)
  return rows.map(({ id }) => id)
}
