import { type RawBuilder, sql } from 'kysely'
import type { Instant } from '../base/instants.ts'
import type { Queries } from '../database/database.ts'
import { foreach, rowsOf, rowsText } from '../database/json-rows.ts'
import {
  findClientsBy,
  findNextClientsBy,
  foundColumns,
  type FoundClient,
  partPattern,
} from './client-text-queries.ts'

/** What the bookings of one client say of them. */
interface ClientRow {
  /** In lower case. */
  email: string
  /** As the client gave them last. */
  first_name: string
  last_name: string
  phone: string | null
  /** Bookings that took place or will: neither cancelled nor marked as no-show. */
  visits: number
  no_shows: number
  cancelled: number
  last_at: Instant | null
  next_at: Instant | null
  /** Of the latest booking, which leads to the client. */
  latest_booking_id: string
}

interface ClientFilter {
  businessId: string
  /** In lower case: one client. */
  email: string | undefined
  /** The previous page's last address. */
  after: string | undefined
  /** Part of name, e-mail or phone, in lower case. */
  text: string | undefined
  /** Only bookings that start earlier. */
  before: Instant | undefined
  now: Instant
  rows: number
  /** Reads about so many bookings. */
  searched: number
}

/**
 * Finds clients by address. A search finds clients first, and reads only their bookings. `until` is the last address read,
 * when more follow: so a page costs the same however many bookings there are.
 */
export async function findClients(
  db: Queries,
  filter: ClientFilter,
): Promise<{ rows: ClientRow[]; until: string | undefined }> {
  const { businessId, email, after, text, before, now, rows, searched } = filter
  const ofBusiness = sql<boolean>`business_id = ${businessId} and client_email <> ''`
  const among =
    text === undefined || email !== undefined ? undefined : await clientsWith(db, { ...filter, text })
  if (among?.clients.length === 0) return { rows: [], until: among.until }
  const following = after === undefined ? sql`` : sql` and lower(client_email) > ${after}`
  const [last] =
    email === undefined && !among
      ? (
          await sql<{ email: string }>`
            select lower(client_email) as email from bookings where ${ofBusiness}${following}
             order by lower(client_email) limit 1 offset ${searched - 1}`.execute(db)
        ).rows
      : []
  const conditions: RawBuilder<unknown>[] = [
    ofBusiness,
    ...(email === undefined ? [] : [sql`lower(client_email) = ${email}`]),
    ...(after === undefined ? [] : [sql`lower(client_email) > ${after}`]),
    ...(last ? [sql`lower(client_email) <= ${last.email}`] : []),
    ...(before ? [sql`starts_at < ${before}`] : []),
  ]
  const pattern = text === undefined ? undefined : partPattern(text)
  const matching =
    pattern === undefined
      ? sql``
      : sql` having max(case when client_search like ${pattern} escape '\\' then 1 else 0 end) = 1`
  const found = await sql<ClientRow>`
    with seen as (
      select id, lower(client_email) as email, client_first_name, client_last_name, client_phone, client_search,
             no_show_at, starts_at, cancelled_at,
             row_number() over (partition by lower(client_email) order by created_at desc, id desc) as place
        from ${among ? bookingsOf(db, among.clients) : sql`bookings`}
       where ${sql.join(conditions, sql` and `)}
    )
    select email,
           max(case when place = 1 then client_first_name end) as first_name,
           max(case when place = 1 then client_last_name end) as last_name,
           max(case when place = 1 then client_phone end) as phone,
           cast(sum(case when cancelled_at is null and no_show_at is null then 1 else 0 end) as integer) as visits,
           cast(sum(case when no_show_at is not null then 1 else 0 end) as integer) as no_shows,
           cast(sum(case when cancelled_at is not null then 1 else 0 end) as integer) as cancelled,
           max(case when cancelled_at is null and starts_at <= ${now} then starts_at end) as last_at,
           min(case when cancelled_at is null and starts_at > ${now} then starts_at end) as next_at,
           max(case when place = 1 then cast(id as text) end) as latest_booking_id
      from seen
     group by email${matching}
     order by email
     limit ${rows}`.execute(db)
  return { rows: found.rows, until: among ? among.until : last?.email }
}

/** All of them when they are few; else the next. */
async function clientsWith(db: Queries, filter: ClientFilter & { text: string }) {
  const clients = await findClientsBy(db, { businessId: filter.businessId }, filter.text)
  return clients ? { clients, until: undefined } : findNextClientsBy(db, filter)
}

function bookingsOf(db: Queries, clients: FoundClient[]): RawBuilder<unknown> {
  const rows = sql<string>`${rowsText(db, foundColumns, clients)}`
  const theirs = sql`bookings.business_id = w.business_id and lower(bookings.client_email) = w.email`
  return sql`(
    select bookings.* from ${rowsOf(db, foundColumns, rows)} as w ${foreach(db, 'bookings', theirs)}) as bookings`
}

/** Those of some addresses, in the form in which they are blocked, that are blocked. */
export async function findBlockedAmong(
  db: Queries,
  businessId: string,
  emails: string[],
): Promise<ReadonlySet<string>> {
  if (emails.length === 0) return new Set()
  const rows = await db
    .selectFrom('blocked_clients')
    .select('email')
    .where('business_id', '=', businessId)
    .where('email', 'in', emails)
    .execute()
  return new Set(rows.map(({ email }) => email))
}
