import { sql } from 'kysely'
import type { Instant } from '../base/instants.ts'
import type { Reads } from '../database/database.ts'
import { type Columns, foreach, isPostgres, rowsOf, rowsText } from '../database/json-rows.ts'

/** Days that are counted together. */
interface CountedSpan {
  starts_at: Instant
  ends_at: Instant
}

/** Bookings of one resource in one span: of a staff member, or of a service without staff at a location. */
export interface NumbersRow {
  /** Index in the list of spans. */
  span: number
  staff_id: string | null
  /** Null if there is a staff member. */
  service_id: string | null
  location_id: string | null
  bookings: number
  cancellations: number
  no_shows: number
  /** For a staff member, a shared appointment counts once. Otherwise each seat counts. */
  minutes: number
}

const spanColumns: Columns<'span' | keyof CountedSpan> = {
  span: 'integer',
  starts_at: 'timestamptz',
  ends_at: 'timestamptz',
}

interface CountedDays {
  businessId: string
  locationId: string | undefined
  spans: readonly CountedSpan[]
}

/**
 * Counts bookings by the span of their start and by resource, along the index of starts. Uses one statement
 * on PostgreSQL. Goes span by span on SQLite, which works on the main thread.
 */
export async function findNumbers(
  db: Reads,
  { businessId, locationId, spans }: CountedDays,
  giveWay: () => Promise<void> | undefined,
): Promise<NumbersRow[]> {
  const numbered = spans.map((one, span) => ({ span, ...one }))
  if (isPostgres(db)) return countIn(db, { businessId, locationId, spans: numbered })
  const rows: NumbersRow[] = []
  for (const span of numbered) {
    rows.push(...(await countIn(db, { businessId, locationId, spans: [span] })))
    await giveWay()
  }
  return rows
}

async function countIn(
  db: Reads,
  { businessId, locationId, spans }: CountedDays & { spans: readonly (CountedSpan & { span: number })[] },
): Promise<NumbersRow[]> {
  const text = rowsText(db, spanColumns, spans)
  const at = locationId === undefined ? sql`` : sql`and k.location_id = ${locationId}`
  const inSpan = sql`k.business_id = ${businessId} ${at}
    and k.starts_at >= w.starts_at and k.starts_at < w.ends_at`
  const { rows } = await sql<NumbersRow>`
    select t.span, t.staff_id, t.service_id, t.location_id,
           cast(sum(t.bookings) as integer) as bookings,
           cast(sum(t.cancellations) as integer) as cancellations,
           cast(sum(t.no_shows) as integer) as no_shows,
           cast(sum(t.minutes * case when t.bookings = 0 then 0 when t.staff_id is null then t.places else 1 end)
             as integer) as minutes
      from (select w.span,
                   k.staff_id,
                   case when k.staff_id is null then k.service_id end as service_id,
                   case when k.staff_id is null then k.location_id end as location_id,
                   ${minutesBetween(db)} as minutes,
                   sum(case when k.cancelled_at is null then 1 else 0 end) as bookings,
                   sum(case when k.cancelled_at is null then k.party_size else 0 end) as places,
                   sum(case when k.cancelled_at is not null and k.confirmed_at is not null then 1 else 0 end)
                     as cancellations,
                   sum(case when k.no_show_at is not null then 1 else 0 end) as no_shows
              from ${rowsOf(db, spanColumns, sql.val(text))} as w
                   ${foreach(db, 'bookings as k', inSpan)}
             group by w.span, k.staff_id, k.service_id, k.location_id, k.starts_at, k.ends_at) as t
     group by t.span, t.staff_id, t.service_id, t.location_id`.execute(db)
  return rows
}

function minutesBetween(db: Reads) {
  return isPostgres(db)
    ? sql`cast(extract(epoch from k.ends_at - k.starts_at) as integer) / 60`
    : sql`(strftime('%s', k.ends_at) - strftime('%s', k.starts_at)) / 60`
}

/** Returns the version of a business's catalogue; undefined for a deleted business. */
export async function findCatalogueVersion(db: Reads, businessId: string): Promise<number | undefined> {
  const query = db.selectFrom('businesses').select('catalogue_version').where('id', '=', businessId)
  return (await query.executeTakeFirst())?.catalogue_version
}

/** A business with its current day and the current time. */
interface BusinessDay extends CountedSpan {
  business_id: string
  now: Instant
}

const dayColumns: Columns<keyof BusinessDay> = {
  business_id: 'uuid',
  starts_at: 'timestamptz',
  ends_at: 'timestamptz',
  now: 'timestamptz',
}

/** The bookings of a business on a day, and the next one. */
export interface DayRow {
  business_id: string
  bookings: number
  next_starts_at: Instant | null
}

/** Counts the bookings of a day and finds the next one, for each of several businesses. */
export async function findDays(db: Reads, days: readonly BusinessDay[]): Promise<DayRow[]> {
  const { rows } = await sql<DayRow>`
    select w.business_id,
           (select cast(count(*) as integer)
              from bookings as k
             where k.business_id = w.business_id and k.cancelled_at is null
               and k.starts_at >= w.starts_at and k.starts_at < w.ends_at) as bookings,
           (select k.starts_at
              from bookings as k
             where k.business_id = w.business_id and k.cancelled_at is null and k.starts_at >= w.now
             order by k.starts_at limit 1) as next_starts_at
      from ${rowsOf(db, dayColumns, sql.val(rowsText(db, dayColumns, days)))} as w`.execute(db)
  return rows
}
