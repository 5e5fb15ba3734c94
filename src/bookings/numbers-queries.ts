import { sql } from 'kysely'
import type { Instant } from '../base/instants.ts'
import type { Reads } from '../database/database.ts'
import { type Discounted, withDiscounts } from './item-discount-rules.ts'
import { isUuid } from '../base/ids.ts'
import { type Columns, isPostgres, rowsOf, rowsText } from '../database/json-rows.ts'
import type { NumbersItem } from './numbers-types.ts'

/** Days that are counted together. */
interface CountedSpan {
  starts_at: Instant
  ends_at: Instant
}

interface CountedBookings {
  businessId: string
  locationId: string | undefined
  staffId: string | undefined
}

/**
 * Finds the items of bookings by the booking's start: those of visits each, others once. The caller limits the span,
 * because SQLite works on the main thread.
 */
export async function findNumbers(
  db: Reads,
  { businessId, locationId, staffId }: CountedBookings,
  { starts_at, ends_at }: CountedSpan,
): Promise<NumbersItem[]> {
  // an item of a visit, or the whole booking
  const own = (column: string) =>
    sql.raw(`case when k.item_count is null then k.${column} else v.${column} end`)
  const at = locationId === undefined ? sql`` : sql`and k.location_id = ${locationId}`
  // the discount of a booking depends on all its services
  const by =
    staffId === undefined ? sql`` : sql`and (${own('staff_id')} = ${staffId} or k.discount_json is not null)`
  const { rows } = await sql<FoundItem>`
    select k.id as booking_id, k.starts_at as booking_starts_at, k.location_id, k.created_at,
           coalesce(${isPostgres(db) ? sql`k.client_id::text` : sql`k.client_id`}, lower(k.client_email)) as client,
           ${own('service_id')} as service_id, ${own('staff_id')} as staff_id,
           ${own('starts_at')} as starts_at, ${own('ends_at')} as ends_at,
           ${own('party_size')} as party_size,
           ${own('agreed_amount')} as amount, ${own('agreed_currency')} as currency,
           k.discount_json,
           case when k.item_count is null then 0 else 1 end as is_item,
           case when exists (
                  select 1 from waitlist_offers as o
                   where o.id = k.id and o.business_id = k.business_id and o.status = 'taken')
                then 1 else 0 end as was_offered,
           case when k.fee_rules_json is not null
                  or k.payment_id is not null and (k.cancelled_at is not null or k.no_show_at is not null)
                then 1 else 0 end as may_recover,
           case when k.cancelled_at is not null then 'cancelled'
                when k.no_show_at is not null then 'missed' else 'booked' end as state
      from bookings as k
           ${itemsOfEach(db)}
     where k.business_id = ${businessId} ${at}
       and k.starts_at >= ${starts_at} and k.starts_at < ${ends_at}
       and (k.confirmed_at is not null or k.status not in ('pending', 'cancelled')) ${by}
     order by k.starts_at, k.id, v.item`.execute(db)
  const items = withDiscounts(rows, ({ booking_id }) => booking_id)
  return staffId === undefined ? items : items.filter(({ staff_id }) => staff_id === staffId)
}

type FoundItem = Discounted<Omit<NumbersItem, 'discount'>>

/** Joins the items `v` of each booking `k` that has some, and nothing to all others. */
export function itemsOfEach(db: Reads) {
  const same = sql`k.item_count is not null and v.visit_id = k.id and v.business_id = k.business_id`
  return isPostgres(db)
    ? sql`left join lateral (select * from visit_items as v where ${same} offset 0) as v on true`
    : sql`left join visit_items as v on ${same}`
}

const clientColumns = { id: { client: 'uuid' }, email: { client: 'text' } } as const

/**
 * Returns those of the clients who had a booking before a moment. Each costs a look at an index. A booking from before
 * clients had rows names its client by address until the server has found the row.
 */
export async function findEarlierClients(
  db: Reads,
  { businessId, before }: { businessId: string; before: Instant },
  clients: readonly string[],
): Promise<Set<string>> {
  const findBy = async (column: 'id' | 'email', given: readonly string[]) => {
    if (given.length === 0) return []
    const rows = given.map((client) => ({ client }))
    const list = sql.val(rowsText(db, clientColumns[column], rows))
    const isTheirs = column === 'id' ? sql`b.client_id = w.client` : sql`lower(b.client_email) = w.client`
    const found = await sql<{ client: string }>`
      select w.client from ${rowsOf(db, clientColumns[column], list)} as w
       where (select 1 from bookings as b
               where b.business_id = ${businessId} and ${isTheirs}
                 and b.cancelled_at is null and b.starts_at < ${before}
               limit 1) = 1`.execute(db)
    return found.rows
  }
  const [ids, emails] = [clients.filter(isUuid), clients.filter((client) => !isUuid(client))]
  const found = [...(await findBy('id', ids)), ...(await findBy('email', emails))]
  return new Set(found.map(({ client }) => client))
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
