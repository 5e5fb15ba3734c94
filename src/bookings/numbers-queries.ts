import { sql } from 'kysely'
import type { Instant } from '../base/instants.ts'
import type { Reads } from '../database/database.ts'
import { type Columns, foreach, isPostgres, rowsOf, rowsText } from '../database/json-rows.ts'

/** Days that are counted together. */
interface CountedSpan {
  starts_at: Instant
  ends_at: Instant
}

/** Items of bookings of one resource in one span: of a staff member, or of a service without staff at a location. */
export interface NumbersRow {
  /** Index in the list of spans. */
  span: number
  staff_id: string | null
  /** Null if there is a staff member. */
  service_id: string | null
  location_id: string | null
  /** The service of a staff member's items if they belong to visits, whose steps may leave the person free. */
  item_service_id: string | null
  bookings: number
  cancellations: number
  no_shows: number
  /** The same without the further items of visits, so that a total counts each booking once. */
  first_bookings: number
  first_cancellations: number
  first_no_shows: number
  /** Number of different times with bookings. */
  appointments: number
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
 * Counts items of bookings by the span of the booking's start and by resource, along the index of starts. Uses one statement
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
  // an item of a visit, or the whole booking
  const own = (column: string) =>
    sql.raw(`case when k.item_count is null then k.${column} else v.${column} end as ${column}`)
  const flag = (condition: string) => sql.raw(`case when ${condition} then 1 else 0 end`)
  const sums = (names: readonly string[]) =>
    sql.raw(names.map((name) => `cast(sum(t.${name}) as integer) as ${name}`).join(', '))
  const ofGroups = sql.raw(summed.map((name) => `sum(i.${name}) as ${name}`).join(', '))
  const { rows } = await sql<NumbersRow>`
    select t.span, t.staff_id, t.service_id, t.location_id, t.item_service_id, ${sums(counted)},
           cast(sum(case when t.bookings = 0 then 0 else 1 end) as integer) as appointments,
           cast(sum(t.minutes * case when t.bookings = 0 then 0 when t.staff_id is null then t.places else 1 end)
             as integer) as minutes
      from (select i.span, i.staff_id,
                   case when i.staff_id is null then i.service_id end as service_id,
                   case when i.staff_id is null then i.location_id end as location_id,
                   case when i.staff_id is not null and i.is_item = 1 then i.service_id end as item_service_id,
                   ${minutesBetween(db)} as minutes, ${ofGroups}
              from (select w.span, ${own('staff_id')}, ${own('service_id')}, k.location_id,
                           ${own('starts_at')}, ${own('ends_at')},
                           ${flag('k.item_count is not null')} as is_item,
                           ${flag('k.cancelled_at is null')} as bookings,
                           ${flag('k.cancelled_at is not null and k.confirmed_at is not null')} as cancellations,
                           ${flag('k.no_show_at is not null')} as no_shows,
                           ${flag(`${isFirst} and k.cancelled_at is null`)} as first_bookings,
                           ${flag(`${isFirst} and k.cancelled_at is not null and k.confirmed_at is not null`)}
                             as first_cancellations,
                           ${flag(`${isFirst} and k.no_show_at is not null`)} as first_no_shows,
                           case when k.cancelled_at is not null then 0
                                when k.item_count is null then k.party_size else v.party_size end as places
                      from ${rowsOf(db, spanColumns, sql.val(text))} as w
                           ${foreach(db, 'bookings as k', inSpan)}
                           ${itemsOfEach(db)}) as i
             group by i.span, i.staff_id, i.service_id, i.location_id, i.is_item, i.starts_at, i.ends_at) as t
     group by t.span, t.staff_id, t.service_id, t.location_id, t.item_service_id`.execute(db)
  return rows
}

const isFirst = '(k.item_count is null or v.item = 0)'

const counted = [
  ...(['bookings', 'cancellations', 'no_shows'] as const),
  ...(['first_bookings', 'first_cancellations', 'first_no_shows'] as const),
]
const summed = [...counted, 'places']

/** Joins the items of each booking that has some, and nothing to all others. */
function itemsOfEach(db: Reads) {
  const same = sql`k.item_count is not null and v.visit_id = k.id and v.business_id = k.business_id`
  return isPostgres(db)
    ? sql`left join lateral (select * from visit_items as v where ${same} offset 0) as v on true`
    : sql`left join visit_items as v on ${same}`
}

function minutesBetween(db: Reads) {
  return isPostgres(db)
    ? sql`cast(extract(epoch from i.ends_at - i.starts_at) as integer) / 60`
    : sql`(strftime('%s', i.ends_at) - strftime('%s', i.starts_at)) / 60`
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
