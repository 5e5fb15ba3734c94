import type { Queries } from '../database/database.ts'
import { inReach, type Reach } from '../database/reach.ts'
import type { BlocksTable } from '../database/tables.ts'
import { nearestInstant, toMs, type Instant } from '../instants.ts'

/** A block with the zone of its location, or of its business where it is a staff member's. */
export interface BlockRow extends BlocksTable {
  timezone: string
}

function selectBlocks(db: Queries, reach: Reach) {
  return db
    .selectFrom('blocks as k')
    .innerJoin('businesses as b', 'b.id', 'k.business_id')
    .leftJoin('locations as l', 'l.id', 'k.location_id')
    .selectAll('k')
    .select(({ fn }) => fn.coalesce('l.timezone', 'b.timezone').as('timezone'))
    .where(inReach('k.business_id', reach))
}

/** A block; undefined when it is out of reach, as if it did not exist. */
export function findBlock(db: Queries, reach: Reach, id: string): Promise<BlockRow | undefined> {
  return selectBlocks(db, reach).where('k.id', '=', id).executeTakeFirst()
}

/** What a list of blocks is narrowed to, and where its page begins. */
export interface BlockFilter {
  locationId: string | undefined
  staffId: string | undefined
  businessId: string | undefined
  /** Ends after this. */
  from: Instant | undefined
  /** Starts before this. */
  to: Instant | undefined
  /** The start and id of the last row of the page before. */
  after: readonly [startsAt: Instant, id: string] | undefined
  rows: number
}

/** Blocks by their start, at most `filter.rows` of them. */
export function findBlocks(db: Queries, reach: Reach, filter: BlockFilter): Promise<BlockRow[]> {
  const { locationId, staffId, businessId, from, to, after } = filter
  let query = selectBlocks(db, reach)
  if (locationId !== undefined) query = query.where('k.location_id', '=', locationId)
  if (staffId !== undefined) query = query.where('k.staff_id', '=', staffId)
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

/** Adds a block. */
export async function insertBlock(db: Queries, block: BlocksTable): Promise<void> {
  await db.insertInto('blocks').values(block).execute()
}

/** Deletes a block. Tells whether there was one. */
export async function deleteBlockRow(db: Queries, reach: Reach, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('blocks')
    .where('id', '=', id)
    .where(inReach('business_id', reach))
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** No booking lasts longer, so none that began earlier than this before a block can reach into it. */
const longestBookingMs = 86_400_000

/** The ids of bookings that are not cancelled and lie in the time of a block, by their start; at most `most`. */
export async function findBookingsUnder(db: Queries, block: BlocksTable, most: number): Promise<string[]> {
  let query = db
    .selectFrom('bookings')
    .select('id')
    .where('business_id', '=', block.business_id)
    .where('starts_at', '>=', nearestInstant(toMs(block.starts_at) - longestBookingMs))
    .where('starts_at', '<', block.ends_at)
    .where('ends_at', '>', block.starts_at)
    .where('cancelled_at', 'is', null)
  query =
    block.staff_id === null
      ? query.where('location_id', '=', block.location_id)
      : query.where('staff_id', '=', block.staff_id)
  const rows = await query.orderBy('starts_at').orderBy('id').limit(most).execute()
  return rows.map(({ id }) => id)
}
