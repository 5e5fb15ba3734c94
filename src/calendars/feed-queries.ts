import { type Insertable, sql } from 'kysely'
import type { Instant } from '../base/instants.ts'
import type { Queries, Reads } from '../database/database.ts'
import { type BookingRow, selectSome } from '../database/shown-booking.ts'
import { itemColumns } from '../database/shown-item-rules.ts'
import type { FeedDetail, FeedsTable, PlanName } from '../database/tables.ts'
import { inScope, type TenantScope } from '../database/tenant-scope.ts'

/** Maximum number of feeds of a business, in places 0 to 19. */
export const maxFeeds = 20

const feedColumns = [
  ...(['f.id', 'f.business_id', 'f.staff_id', 'f.location_id', 'f.detail', 'f.created_at'] as const),
] as const

/** A feed with the name of its staff member or location, and the zone of its business. */
export interface FeedRow {
  id: string
  business_id: string
  staff_id: string | null
  location_id: string | null
  detail: FeedDetail
  created_at: Instant
  timezone: string
  staff_name: string | null
  location_name: string | null
}

function selectFeeds(db: Reads, scope: TenantScope) {
  return db
    .selectFrom('feeds as f')
    .innerJoin('businesses as b', 'b.id', 'f.business_id')
    .leftJoin('staff as p', 'p.id', 'f.staff_id')
    .leftJoin('locations as l', 'l.id', 'f.location_id')
    .select([...feedColumns, 'b.timezone', 'p.name as staff_name', 'l.name as location_name'])
    .where(inScope('f.business_id', scope))
}

/** Finds a feed; undefined if it is out of scope. */
export function findFeed(db: Reads, scope: TenantScope, id: string): Promise<FeedRow | undefined> {
  return selectFeeds(db, scope).where('f.id', '=', id).executeTakeFirst()
}

interface FeedFilter {
  businessId: string | undefined
  /** The creation time and ID of the last row of the previous page. */
  after: readonly [createdAt: Instant, id: string] | undefined
  rows: number
}

/** Lists feeds, newest first, at most `filter.rows`. */
export function findFeeds(
  db: Reads,
  scope: TenantScope,
  { businessId, after, rows }: FeedFilter,
): Promise<FeedRow[]> {
  let query = selectFeeds(db, scope)
  if (businessId !== undefined) query = query.where('f.business_id', '=', businessId)
  if (after) query = query.where(sql<boolean>`(f.created_at, f.id) < (${after[0]}, ${after[1]})`)
  return query.orderBy('f.created_at', 'desc').orderBy('f.id', 'desc').limit(rows).execute()
}

/** Returns the business of a staff member or location; undefined if it is out of scope. */
export async function findBusinessOf(
  db: Reads,
  scope: TenantScope,
  { table, id }: { table: 'staff' | 'locations'; id: string },
): Promise<string | undefined> {
  const found = await db
    .selectFrom(table)
    .select('business_id')
    .where('id', '=', id)
    .where(inScope('business_id', scope))
    .executeTakeFirst()
  return found?.business_id
}

/** Inserts a feed in the first free place of its business. Returns false if there is none. */
export async function insertFeed(
  db: Queries,
  feed: Omit<Insertable<FeedsTable>, 'place' | 'revision'>,
): Promise<boolean> {
  const taken = await db
    .selectFrom('feeds')
    .select('place')
    .where('business_id', '=', feed.business_id)
    .execute()
  const places = Array.from({ length: maxFeeds }, (_, index) => index)
  const place = places.find((candidate) => !taken.some((row) => row.place === candidate))
  if (place === undefined) return false
  await db
    .insertInto('feeds')
    .values({ ...feed, place })
    .execute()
  return true
}

/** Replaces the secret of a feed. Returns undefined if it is out of scope. */
export async function updateDigest(
  db: Queries,
  scope: TenantScope,
  { id, digest }: { id: string; digest: string },
): Promise<{ business_id: string } | undefined> {
  return db
    .updateTable('feeds')
    .set({ digest })
    .where('id', '=', id)
    .where(inScope('business_id', scope))
    .returning('business_id')
    .executeTakeFirst()
}

/** Deletes a feed. Returns undefined if it is out of scope. */
export async function deleteFeedRow(
  db: Queries,
  scope: TenantScope,
  id: string,
): Promise<{ business_id: string } | undefined> {
  return db
    .deleteFrom('feeds')
    .where('id', '=', id)
    .where(inScope('business_id', scope))
    .returning('business_id')
    .executeTakeFirst()
}

/** A feed as its reader sees it, with everything that changes if one of its bookings does. */
export interface ReadFeed extends Omit<FeedRow, 'created_at'> {
  revision: number
  business_name: string
  brand_name: string | null
  plan: PlanName
  hub_plan: PlanName | null
  locale: string
  catalogue_version: number
  /** IDs of the last events of the business. */
  events: string | null
}

/**
 * More events than can be in progress at once. The first of several concurrent transactions may end last. Its
 * events then sort below those of the others.
 */
const eventsUnderWay = 100

/** Finds a feed by the digest of its secret. */
export function findReadFeed(db: Reads, digest: string): Promise<ReadFeed | undefined> {
  return db
    .selectFrom('feeds as f')
    .innerJoin('businesses as b', 'b.id', 'f.business_id')
    .leftJoin('hubs as h', 'h.id', 'b.hub_id')
    .leftJoin('staff as p', 'p.id', 'f.staff_id')
    .leftJoin('locations as l', 'l.id', 'f.location_id')
    .select([
      ...(['f.id', 'f.business_id', 'f.staff_id', 'f.location_id', 'f.detail', 'f.revision'] as const),
      ...(['b.brand_name', 'b.plan', 'b.locale', 'b.catalogue_version'] as const),
      'b.name as business_name',
      'h.plan as hub_plan',
      'p.name as staff_name',
      'l.name as location_name',
      sql<string>`coalesce(l.timezone, b.timezone)`.as('timezone'),
      sql<string | null>`(
        select string_agg(cast(e.id as text), ',' order by e.id)
          from (select id from events where business_id = f.business_id
                 order by id desc limit ${sql.lit(eventsUnderWay)}) as e)`.as('events'),
    ])
    .where('f.digest', '=', digest)
    .executeTakeFirst()
}

/** A feed and a time range. */
interface FeedRange {
  feed: Pick<FeedRow, 'business_id' | 'staff_id' | 'location_id'>
  from: Instant
  to: Instant
  after: readonly [startsAt: Instant, id: string] | undefined
  rows: number
}

const bookingColumns = [
  ...itemColumns,
  ...(['version', 'status', 'updated_at'] as const),
  ...(['client_first_name', 'client_last_name', 'client_phone', 'erased_at'] as const),
  ...(['location_name', 'location_address', 'online_url'] as const),
] as const

/** A booking in a feed. */
export type FeedBookingRow = Pick<BookingRow, (typeof bookingColumns)[number]>

/** Finds one booking for the calendar of a staff member. Undefined if it is another's, a visit, or cancelled. */
export function findStaffBooking(
  db: Reads,
  { business_id, staff_id }: { business_id: string; staff_id: string },
  id: string,
): Promise<FeedBookingRow | undefined> {
  return selectSome(db, bookingColumns)
    .where('b.id', '=', id)
    .where('b.business_id', '=', business_id)
    .where('b.staff_id', '=', staff_id)
    .where('b.item_count', 'is', null)
    .where('b.cancelled_at', 'is', null)
    .executeTakeFirst()
}

/** Finds the items of one visit for the calendar of a staff member. None if it is cancelled. */
export function findStaffItems(
  db: Reads,
  { business_id, staff_id }: { business_id: string; staff_id: string },
  id: string,
): Promise<FeedItemRow[]> {
  return selectSome(db, bookingColumns)
    .innerJoin('visit_items as v', 'v.visit_id', 'b.id')
    .select(['v.id as item_id', 'v.starts_at as item_starts_at'])
    .where('b.id', '=', id)
    .where('b.business_id', '=', business_id)
    .where('v.staff_id', '=', staff_id)
    .where('b.cancelled_at', 'is', null)
    .execute()
}

/** Finds bookings that take up time, by start. For a staff member's feed, only those of one service. */
export function findFeedBookings(
  db: Reads,
  { feed, from, to, after, rows }: FeedRange,
): Promise<FeedBookingRow[]> {
  let query = selectSome(db, bookingColumns)
    .where('b.business_id', '=', feed.business_id)
    .where('b.starts_at', '>=', from)
    .where('b.starts_at', '<', to)
    .where('b.cancelled_at', 'is', null)
  if (feed.staff_id !== null)
    query = query.where('b.staff_id', '=', feed.staff_id).where('b.item_count', 'is', null)
  if (feed.location_id !== null) query = query.where('b.location_id', '=', feed.location_id)
  if (after) query = query.where(sql<boolean>`(b.starts_at, b.id) > (${after[0]}, ${after[1]})`)
  return query.orderBy('b.starts_at').orderBy('b.id').limit(rows).execute()
}

/** An item of a visit in the feed of its staff member. */
export type FeedItemRow = FeedBookingRow & { item_id: string; item_starts_at: Instant }

/** Finds the items of visits that take up the time of a feed's staff member, by their start. */
export function findFeedItems(
  db: Reads,
  { feed, from, to, after, rows }: FeedRange & { feed: { staff_id: string } },
): Promise<FeedItemRow[]> {
  let query = selectSome(db, bookingColumns)
    .innerJoin('visit_items as v', 'v.visit_id', 'b.id')
    .select(['v.id as item_id', 'v.starts_at as item_starts_at'])
    .where('v.business_id', '=', feed.business_id)
    .where('v.staff_id', '=', feed.staff_id)
    .where('v.starts_at', '>=', from)
    .where('v.starts_at', '<', to)
    .where('b.business_id', '=', feed.business_id)
    .where('b.cancelled_at', 'is', null)
  if (after) query = query.where(sql<boolean>`(v.starts_at, v.id) > (${after[0]}, ${after[1]})`)
  return query.orderBy('v.starts_at').orderBy('v.id').limit(rows).execute()
}
