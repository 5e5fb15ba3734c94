import { sql } from 'kysely'
import { type Instant, nearestInstant, toMs } from '../base/instants.ts'
import type { Reads } from '../database/database.ts'
import { isPostgres } from '../database/json-rows.ts'
import { type BookingRow, selectSome } from '../database/shown-booking.ts'
import { itemColumns } from '../database/shown-item-rules.ts'
import type { ClaimsTable } from '../database/tables.ts'
import { maxClaimMs } from '../availability/resource-rules.ts'

/** Bookings last at most 24 hours, so earlier ones cannot reach into the days. */
const maxBookingMs = 86_400_000

/** The business, days and resources of a calendar. */
export interface CalendarRange {
  businessId: string
  from: Instant
  to: Instant
  /** Staff, services without staff at their locations, and rooms and equipment. */
  resourceIds: string[]
  now: Instant
}

/** Marks of a calendar's content, equal for equal calendars. */
export interface CalendarMarks {
  version: number
  timezone: string
  bookings: string | null
  holds: string | null
  blocks: string | null
}

/**
 * Reads in one statement everything that changes with a visible change of the calendar. Undefined for a
 * deleted business.
 */
export async function findMarks(
  db: Reads,
  range: CalendarRange,
  max: number,
): Promise<CalendarMarks | undefined> {
  const { rows } = await sql<CalendarMarks>`
    select i.catalogue_version as version,
           i.timezone,
           (select string_agg(b.id || ':' || b.version || coalesce(':' || b.client_notes, ''), ',' order by b.starts_at, b.id)
              from (select b.id, b.version, b.starts_at, ${clientNotes} as client_notes from bookings as b
                     where ${bookingsIn(range)} order by b.starts_at, b.id limit ${sql.lit(max)}) as b) as bookings,
           (select string_agg(cast(c.id as text), ',' order by c.taken_from, c.id)
              from (select c.id, c.taken_from from claims as c
                     where ${holdsIn(range)} order by c.taken_from, c.id limit ${sql.lit(max)}) as c) as holds,
           (select string_agg(x.id || ':' || x.starts_at || ':' || x.ends_at || ':' || coalesce(x.staff_id, x.location_id, x.resource_id),
                              ',' order by x.starts_at, x.id)
              from (select x.* from blocks as x
                     where ${blocksIn(range)} order by x.starts_at, x.id limit ${sql.lit(max)}) as x) as blocks
      from businesses as i
     where i.id = ${range.businessId}`.execute(db)
  return rows[0]
}

function bookingsIn({ businessId, from, to }: CalendarRange) {
  return sql<boolean>`b.business_id = ${businessId} and b.starts_at < ${to} and b.ends_at > ${from}
    and b.starts_at > ${nearestInstant(toMs(from) - maxBookingMs)} and b.cancelled_at is null`
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

/** Maximum length of the notes about a client that a calendar reads. The client's page has all of them. */
const maxCalendarNotes = 200

/** Selects the beginning of the notes about the client of a booking: one index lookup, null without notes. */
const clientNotes = sql<string | null>`(
  select substr(k.notes, 1, ${sql.lit(maxCalendarNotes)}) from clients as k
   where k.id = b.client_id and k.business_id = b.business_id)`

const bookingColumns = [
  ...itemColumns,
  ...(['version', 'status', 'respond_by', 'location_id', 'no_show_at', 'owner_id', 'series_id'] as const),
  ...(['client_first_name', 'client_last_name', 'client_email', 'client_phone'] as const),
  ...(['business_id', 'text_agreed_at', 'timezone'] as const),
  ...(['location_name', 'payment_kind', 'payment_status'] as const),
] as const

/** A booking with the time that it takes. */
export type CalendarBookingRow = Pick<BookingRow, (typeof bookingColumns)[number]> & {
  taken_from: Instant | null
  taken_until: Instant | null
  /** All claims of a visit, as `TakenTime`. Null for a booking of one claim. */
  claims_json: string | null
  /** The beginning of the notes about the client. */
  client_notes: string | null
}

/** The time that a visit takes of one thing. */
export interface TakenTime {
  resource_id: string
  from_ms: number
  to_ms: number
}

/** Selects the claims of a visit, all of whose rows follow the first. */
function claimsJson(db: Reads) {
  const ms = (column: string) =>
    isPostgres(db)
      ? sql`cast(extract(epoch from ${sql.ref(column)}) * 1000 as bigint)`
      : sql`cast(round(unixepoch(${sql.ref(column)}, 'subsec') * 1000) as integer)`
  const [object, array] = isPostgres(db)
    ? [sql`json_build_object`, sql`json_agg`]
    : [sql`json_object`, sql`json_group_array`]
  return sql<string | null>`case when b.item_count is not null then (
    select cast(${array}(${object}('resource_id', d.resource_id,
             'from_ms', ${ms('d.taken_from')}, 'to_ms', ${ms('d.taken_until')})) as text)
      from claims as d
     where d.business_id = b.business_id and (d.id = b.id or d.visit_id = b.id)) end`
}

/** Finds bookings that take up time, by start, after a given one. */
export async function findCalendarBookings(
  db: Reads,
  range: CalendarRange,
  { after, max }: { after: Pick<CalendarBookingRow, 'starts_at' | 'id'> | undefined; max: number },
): Promise<CalendarBookingRow[]> {
  const query = selectSome(db, bookingColumns)
    .leftJoin('claims as c', 'c.id', 'b.id')
    .select([
      'c.taken_from',
      'c.taken_until',
      claimsJson(db).as('claims_json'),
      clientNotes.as('client_notes'),
    ])
    .where(bookingsIn(range))
    .orderBy('b.starts_at')
    .orderBy('b.id')
    .limit(max)
  return after
    ? query.where(sql<boolean>`(b.starts_at, b.id) > (${after.starts_at}, ${after.id})`).execute()
    : query.execute()
}

/** An active hold, or a part of one that takes several things. */
export type CalendarHoldRow = Pick<BookingRow, 'service_name' | 'location_name' | 'staff_name'> &
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
    | 'claim_count'
    | 'visit_id'
  >

/** Finds holds of the columns, by start. */
export async function findCalendarHolds(
  db: Reads,
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
      ...(['c.claim_count', 'c.visit_id'] as const),
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

/** Finds blocks of the business, by start. */
export function findCalendarBlocks(db: Reads, range: CalendarRange, max: number) {
  return db
    .selectFrom('blocks as x')
    .selectAll()
    .where(blocksIn(range))
    .orderBy('x.starts_at')
    .orderBy('x.id')
    .limit(max)
    .execute()
}
