import { type RawBuilder, sql } from 'kysely'
import type { Instant } from '../base/instants.ts'
import type { Reads } from '../database/database.ts'
import { foreach, rowsOf, rowsText } from '../database/json-rows.ts'
import {
  findClientsBy,
  foundColumns,
  type FoundClient,
  nameIn,
  partPattern,
  sortedEmail,
  storedForms,
} from './client-text-queries.ts'

/**
 * Identifies the bookings with one address and one name. People who share an address are separate clients.
 */
interface ClientKey {
  /** First and last name (see `nameKey`). */
  name: string
  /** In lower case. */
  email: string
}

/** A client, as described by their bookings. */
interface ClientRow extends ClientKey {
  /** In the latest spelling by the client. */
  first_name: string
  last_name: string
  phone: string | null
  /** Bookings that took place or will: neither cancelled nor marked as no-show. */
  visits: number
  no_shows: number
  cancelled: number
  last_at: Instant | null
  next_at: Instant | null
  /** The latest booking, which identifies the client. */
  latest_booking_id: string
}

interface ClientFilter {
  businessId: string
  /** Only clients with this address, in lower case. */
  email: string | undefined
  /** Only clients with this name (see `nameKey`). */
  name: string | undefined
  /** The last client of the previous page. */
  after: ClientKey | undefined
  /** Part of a name, email address or phone number (see `searchText`). */
  text: string | undefined
  /** Only bookings that start earlier. */
  before: Instant | undefined
  now: Instant
  /** True from the last name to the first. */
  isDescending: boolean
  rows: number
  /** Approximate number of client texts, and of their bookings, to read. */
  searched: number
}

/**
 * Finds clients by name. `until` is the last one read, if more follow. The cost of a page therefore does not
 * grow with the number of bookings. With `before`, skips clients without an earlier booking.
 */
export async function findClients(
  db: Reads,
  filter: ClientFilter,
): Promise<{ rows: ClientRow[]; until: ClientKey | undefined }> {
  const forms =
    filter.email === undefined
      ? undefined
      : await storedForms(db, { businessId: filter.businessId }, filter.email)
  const { keys, until } = await findKeys(db, { ...filter, forms })
  if (keys.length === 0) return { rows: [], until }
  const { before, businessId, now } = filter
  const columns = { business_id: 'uuid', name: 'text', email: 'text', stored: 'text' } as const
  const stored = keys.flatMap((key) =>
    (forms ?? [key.email]).map((form) => ({ ...key, business_id: businessId, stored: form })),
  )
  const clients = sql<string>`${rowsText(db, columns, stored)}`
  const theirs = sql`bookings.business_id = w.business_id and lower(bookings.client_email) = w.stored
    and ${nameIn(db, sql`bookings.client_search`)} = w.name`
  const { rows } = await sql<ClientRow>`
    with seen as (
      select w.name, w.email, bookings.id, client_first_name, client_last_name, client_phone,
             no_show_at, starts_at, cancelled_at,
             row_number() over (partition by w.name, w.email order by bookings.created_at desc, bookings.id desc) as place
        from ${rowsOf(db, columns, clients)} as w ${foreach(db, 'bookings', theirs)}
       where ${before ? sql<boolean>`starts_at < ${before}` : sql<boolean>`1 = 1`}
    )
    select name, email,
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
     group by name, email`.execute(db)
  const found = new Map(rows.map((row) => [keyText(row), row]))
  const inOrder = keys.flatMap((key) => found.get(keyText(key)) ?? [])
  return { rows: inOrder, until }
}

const keyText = ({ name, email }: ClientKey) => `${name}\n${email}`

interface Keys {
  keys: ClientKey[]
  until: ClientKey | undefined
}

/** Returns the next clients of a filter, in order, by their searchable texts. */
async function findKeys(db: Reads, filter: ClientFilter & { forms: string[] | undefined }): Promise<Keys> {
  const { businessId, email, forms, text, after, rows, searched } = filter
  const few =
    text === undefined || email !== undefined ? undefined : await findClientsBy(db, { businessId }, text)
  if (few?.length === 0) return { keys: [], until: undefined }
  const shown = email === undefined ? sql`t.email` : sql`cast(${email} as text)`
  const [name, address] = [nameIn(db, sql`t.text`), sortedEmail(db, shown)]
  const [later, direction] = filter.isDescending ? [sql`<`, sql`desc`] : [sql`>`, sql`asc`]
  const order = sql`${name} ${direction}, ${address} ${direction}`
  const conditions: RawBuilder<unknown>[] = [
    sql`t.business_id = ${businessId}`,
    ...(email === undefined ? [] : [sql`t.email in (${sql.join(forms ?? [])})`]),
    ...(filter.name === undefined ? [] : [sql`${name} = ${filter.name}`]),
    ...(after === undefined ? [] : [sql`(${name}, ${address}) ${later} (${after.name}, ${after.email})`]),
  ]
  const isAll = email === undefined && !few
  const [last] =
    isAll && text !== undefined
      ? (
          await sql<ClientKey>`
            select ${name} as name, t.email from client_texts as t
             where ${sql.join(conditions, sql` and `)}
             order by ${order} limit 1 offset ${searched - 1}`.execute(db)
        ).rows
      : []
  if (last) conditions.push(sql`not (${name}, ${address}) ${later} (${last.name}, ${last.email})`)
  const matching =
    text === undefined
      ? sql``
      : sql` having max(case when t.text like ${partPattern(text)} escape '\\' then 1 else 0 end) = 1`
  const found = await sql<ClientKey & { bookings: number }>`
    select ${name} as name, ${address} as email, cast(sum(t.bookings) as integer) as bookings
      from ${few ? textsOf(db, few) : sql`client_texts as t`}
     where ${sql.join(conditions, sql` and `)}
     group by 1, 2${matching}
     order by 1 ${direction}, 2 ${direction} limit ${rows}`.execute(db)
  const keys = withinBookings(found.rows, searched)
  const isCut = keys.length < found.rows.length
  return { keys, until: isCut || found.rows.length === rows ? keys.at(-1) : last }
}

function textsOf(db: Reads, clients: FoundClient[]): RawBuilder<unknown> {
  const rows = sql<string>`${rowsText(db, foundColumns, clients)}`
  const theirs = sql`t.business_id = w.business_id and t.email = w.email`
  return sql`(
    select t.* from ${rowsOf(db, foundColumns, rows)} as w ${foreach(db, 'client_texts as t', theirs)}) as t`
}

/** Returns the first clients until there are too many bookings to read, but at least one. */
function withinBookings(found: (ClientKey & { bookings: number })[], max: number): ClientKey[] {
  let bookings = 0
  const kept = found.filter((key, index) => {
    bookings += key.bookings
    return index === 0 || bookings <= max
  })
  return kept.map(({ name, email }) => ({ name, email }))
}

/** Returns those of the given addresses that are blocked, in the form in which blocks store them. */
export async function findBlockedAmong(
  db: Reads,
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
