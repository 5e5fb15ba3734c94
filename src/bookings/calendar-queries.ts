import { sql } from 'kysely'
import { type Instant, nearestInstant, toMs } from '../base/instants.ts'
import type { Queries } from '../database/database.ts'
import type { BookingsTable, ClaimsTable } from '../database/tables.ts'
import { maxClaimMs } from '../availability/resource-rules.ts'

/** Bookings last at most 24 hours: earlier ones cannot reach into the days. */
const maxBookingMs = 86_400_000

/** The days of a calendar, and whose. */
export interface CalendarRange {
  businessId: string
  from: Instant
  to: Instant
  /** Staff, and services without staff at their locations. */
  resourceIds: string[]
  now: Instant
}

/** What a calendar was made of: equal for equal calendars. */
export interface CalendarMarks {
  version: number
  timezone: string
  bookings: string | null
  holds: string | null
  blocks: string | null
}

/** Reads in one statement what changes with every change of a calendar; undefined for a deleted business. */
export async function findMarks(db: Queries, range: CalendarRange): Promise<CalendarMarks | undefined> {
  const { rows } = await sql<CalendarMarks>`
    select b.catalogue_version as version,
           b.timezone,
           (select string_agg(k.id || ':' || k.version, ',' order by k.starts_at, k.id)
              from bookings as k
             where ${bookingsIn(range)}) as bookings,
           (select string_agg(cast(c.id as text), ',' order by c.taken_from, c.id)
              from claims as c
             where ${holdsIn(range)}) as holds,
           (select string_agg(x.id || ':' || x.starts_at || ':' || x.ends_at || ':' || coalesce(x.staff_id, x.location_id),
                              ',' order by x.starts_at, x.id)
              from blocks as x
             where ${blocksIn(range)}) as blocks
      from businesses as b
     where b.id = ${range.businessId}`.execute(db)
  return rows[0]
}

function bookingsIn({ businessId, from, to }: CalendarRange) {
  return sql<boolean>`k.business_id = ${businessId} and k.starts_at < ${to} and k.ends_at > ${from}
    and k.starts_at > ${nearestInstant(toMs(from) - maxBookingMs)} and k.cancelled_at is null`
}

function holdsIn({ resourceIds, from, to, now }: CalendarRange) {
  const among = resourceIds.length === 0 ? sql`1 = 0` : sql`c.resource_id in (${sql.join(resourceIds)})`
  return sql<boolean>`${among} and c.lasts_long in (0, 1) and (c.ended_at is null) is true
    and c.taken_from >= ${nearestInstant(toMs(from) - maxClaimMs)} and c.taken_from < ${to}
    and c.taken_until > ${from} and c.booked_at is null and c.expires_at > ${now}`
}

function blocksIn({ businessId, from, to }: CalendarRange) {
  return sql<boolean>`x.business_id = ${businessId} and x.starts_at < ${to} and x.ends_at > ${from}`
}

type Names = { service_name: string; location_name: string; staff_name: string | null }

/** A booking, and what it takes. */
export type CalendarBookingRow = Names &
  Pick<
    BookingsTable,
    | 'id'
    | 'version'
    | 'status'
    | 'starts_at'
    | 'ends_at'
    | 'party_size'
    | 'service_id'
    | 'location_id'
    | 'staff_id'
    | 'no_show_at'
    | 'client_first_name'
    | 'client_last_name'
    | 'client_email'
    | 'client_phone'
    | 'owner_id'
  > & { payment_status: string | null; taken_from: Instant | null; taken_until: Instant | null }

/** Bookings that take their time, by their start. */
export async function findCalendarBookings(
  db: Queries,
  range: CalendarRange,
  max: number,
): Promise<CalendarBookingRow[]> {
  return db
    .selectFrom('bookings as k')
    .innerJoin('services as s', 's.id', 'k.service_id')
    .innerJoin('locations as l', 'l.id', 'k.location_id')
    .leftJoin('staff as p', 'p.id', 'k.staff_id')
    .leftJoin('payments as m', 'm.id', 'k.payment_id')
    .leftJoin('claims as c', 'c.id', 'k.id')
    .select([
      ...(['k.id', 'k.version', 'k.status', 'k.starts_at', 'k.ends_at', 'k.party_size'] as const),
      ...(['k.service_id', 'k.location_id', 'k.staff_id', 'k.no_show_at', 'k.owner_id'] as const),
      ...(['k.client_first_name', 'k.client_last_name', 'k.client_email', 'k.client_phone'] as const),
      ...(['c.taken_from', 'c.taken_until'] as const),
      's.name as service_name',
      'l.name as location_name',
      'p.name as staff_name',
      'm.status as payment_status',
    ])
    .where(bookingsIn(range))
    .orderBy('k.starts_at')
    .orderBy('k.id')
    .limit(max)
    .execute()
}

/** A hold that has not expired. */
export type CalendarHoldRow = Names &
  Pick<
    ClaimsTable,
    | 'id'
    | 'resource_id'
    | 'starts_at'
    | 'ends_at'
    | 'taken_from'
    | 'taken_until'
    | 'expires_at'
    | 'party_size'
    | 'service_id'
    | 'location_id'
    | 'staff_id'
  >

/** Holds of the columns, by their start. */
export async function findCalendarHolds(
  db: Queries,
  range: CalendarRange,
  max: number,
): Promise<CalendarHoldRow[]> {
  return db
    .selectFrom('claims as c')
    .innerJoin('services as s', 's.id', 'c.service_id')
    .innerJoin('locations as l', 'l.id', 'c.location_id')
    .leftJoin('staff as p', 'p.id', 'c.staff_id')
    .select([
      ...(['c.id', 'c.resource_id', 'c.starts_at', 'c.ends_at', 'c.taken_from', 'c.taken_until'] as const),
      ...(['c.expires_at', 'c.party_size', 'c.service_id', 'c.location_id', 'c.staff_id'] as const),
      's.name as service_name',
      'l.name as location_name',
      'p.name as staff_name',
    ])
    .where(holdsIn(range))
    .orderBy('c.taken_from')
    .orderBy('c.id')
    .limit(max)
    .execute()
}

/** Blocks of the business, by their start. */
export function findCalendarBlocks(db: Queries, range: CalendarRange, max: number) {
  return db
    .selectFrom('blocks as x')
    .selectAll()
    .where(blocksIn(range))
    .orderBy('x.starts_at')
    .orderBy('x.id')
    .limit(max)
    .execute()
}
