import { type Expression, type RawBuilder, sql } from 'kysely'
import { addressKey, hasEmail, isStandIn, numberForms, standInEmail } from '../base/contact-formats.ts'
import { nameKey } from '../base/search-text.ts'
import { cachedQuery, type Params } from '../database/cached-query.ts'
import type { Queries, Reads } from '../database/database.ts'
import { isPostgres, rowsOf, rowsText } from '../database/json-rows.ts'
import { sharedStatement } from '../database/shared-transaction.ts'
import { digitsIn } from './client-number-queries.ts'
import { sortKeyFrom, sortKeysText } from './client-order-queries.ts'
import { lockClients, moveToClient } from './client-queries.ts'
import type { BookingsTable } from '../database/tables.ts'

/*
 * Finds the client of a booking by address and name, else by phone number and name, or creates it. The unique index
 * decides between simultaneous bookings, so there is no lookup before.
 */

/** Identifies a client in a business. */
interface MatchKey {
  business_id: string
  name: string
  address: string
}

type MatchedBooking = Pick<
  BookingsTable,
  | 'business_id'
  | 'client_id'
  | 'client_first_name'
  | 'client_last_name'
  | 'client_email'
  | 'client_phone'
  | 'client_search'
  | 'locale'
  | 'time_zone'
  | 'starts_at'
  | 'updated_at'
>

/** Returns the key of a booking's client. */
export function matchKey(booking: MatchedBooking): MatchKey {
  const { business_id, client_first_name: first_name, client_last_name: last_name, client_email } = booking
  return { business_id, name: nameKey({ first_name, last_name }), address: addressKey(client_email) }
}

/** Returns a text that differs for each key. */
export function keyText({ business_id, name, address }: MatchKey): string {
  return `${business_id}\n${name}\n${address}`
}

const matchColumns = {
  id: 'uuid',
  business_id: 'uuid',
  name: 'text',
  address: 'text',
  first_name: 'text',
  last_name: 'text',
  email: 'text',
  phone: 'text',
  search: 'text',
  locale: 'text',
  time_zone: 'text',
  booking_count: 'integer',
  last_booking_at: 'timestamptz',
  created_at: 'timestamptz',
} as const

const names = sql.join(Object.keys(matchColumns).map((name) => sql.ref(name)))
const givenColumns = { ...matchColumns, sort_keys: 'text' } as const

/** Selects the rows of `newClients` for the columns of `clients`. */
function givenClients(db: Reads, clients: Expression<string>): RawBuilder<unknown> {
  return sql`
    select ${names}, ${sortKeyFrom(db, sql`k.sort_keys`, sql`k.business_id`)}
      from ${rowsOf(db, givenColumns, clients)} as k where true`
}

/**
 * Returns the rows of the clients of new bookings, each client once, with the bookings that it gets. The first
 * `client_id` of a client is its ID if it is new.
 */
export function newClients(db: Reads, bookings: readonly MatchedBooking[], uncounted?: 'uncounted'): string {
  const clients = [...Map.groupBy(bookings, (booking) => keyText(matchKey(booking))).values()].map((own) => {
    const [first] = own as [MatchedBooking]
    return {
      ...{ id: first.client_id, ...matchKey(first) },
      ...{ first_name: first.client_first_name, last_name: first.client_last_name },
      ...{ email: hasEmail(first.client_email) ? first.client_email : null, phone: first.client_phone },
      ...{ search: first.client_search, locale: first.locale, time_zone: first.time_zone },
      booking_count: uncounted ? 0 : own.length,
      last_booking_at: uncounted
        ? null
        : own
            .map(({ starts_at }) => starts_at)
            .toSorted()
            .at(-1),
      created_at: first.updated_at,
      sort_keys: sortKeysText({ first_name: first.client_first_name, last_name: first.client_last_name }),
    }
  })
  return rowsText(db, givenColumns, clients)
}

/** A booking with the zone that completes its phone number. */
export type PhonedBooking = MatchedBooking & { timezone: string }

/**
 * Returns where to look for the twins of new clients: rows that the phone number and the name identify. An address looks
 * for the stand-in of its number, a stand-in for rows with the number in any spelling.
 */
export function twinKeys(bookings: readonly PhonedBooking[]): string {
  const keys = bookings.flatMap(({ client_id, client_email, client_phone, timezone }) => {
    if (client_phone === null || client_phone === '') return []
    if (isStandIn(client_email))
      return [[`of ${client_id}`, ` ${numberForms(client_phone, timezone).join(' ')} `]]
    return [[client_id, addressKey(standInEmail(client_phone, { known: '', timezone }))]]
  })
  return JSON.stringify(Object.fromEntries(keys))
}

/** Rows with one name among which a number is looked for. */
const maxNamesakes = sql.lit(500)

/** Begins a statement that uses `twinFrom`. PostgreSQL would otherwise read the keys again for each row. */
function withTwinKeys(db: Reads, keys: Expression<string>): RawBuilder<unknown> {
  return isPostgres(db)
    ? sql`with twin_keys as materialized (select key, value from json_each_text(${keys}::json))`
    : sql``
}

/**
 * Selects the twin of a client that a statement returns, by `twinKeys`, which name new clients only. A row that leads to
 * another client names that one.
 */
function twinFrom(db: Reads, keys: Expression<string>): RawBuilder<string | null> {
  const key = (name: RawBuilder<unknown>) =>
    isPostgres(db)
      ? sql`(select k.value from twin_keys as k where k.key = ${name})`
      : sql`(${keys} ->> (${name}))`
  const id = isPostgres(db) ? sql`clients.id::text` : sql`clients.id`
  const namesakes = sql`clients as t where t.business_id = clients.business_id and t.name = clients.name`
  return sql<string | null>`
    case when ${key(id)} is not null then (
           select coalesce(t.merged_into, t.id) from ${namesakes} and t.address = ${key(id)})
         when ${key(sql`'of ' || ${id}`)} is not null then (
           select t.id from (select t.* from ${namesakes} limit ${maxNamesakes}) as t
            where t.merged_into is null and t.email is not null
              and ${key(sql`'of ' || ${id}`)} like '% ' || ${digitsIn(sql`t.phone`)} || ' %'
            order by t.created_at, t.id limit 1)
         end`
}

/**
 * Inserts clients (see `newClients`) that do not exist, and counts the bookings of those that do. All transactions lock
 * them in the same order. A merged row counts nothing, see `countForMerged`. A new row may have a twin, see `joinTwins`.
 */
export function upsertClients(
  db: Reads,
  { clients, twins }: { clients: Expression<string>; twins: Expression<string> },
): RawBuilder<UpsertedClient> {
  const isOwn = sql`case when clients.merged_into is null then`
  const later = isPostgres(db)
    ? sql`greatest(clients.last_booking_at, excluded.last_booking_at)`
    : sql`max(coalesce(clients.last_booking_at, ''), excluded.last_booking_at)`
  return sql<UpsertedClient>`
    ${withTwinKeys(db, twins)}
    insert into clients (${names}, sort_key) ${givenClients(db, clients)} order by business_id, name, address
    on conflict (business_id, name, address) do update
       set booking_count = clients.booking_count + ${isOwn} excluded.booking_count else 0 end,
           last_booking_at = ${isOwn} ${later} end
    returning business_id, name, address, coalesce(merged_into, id) as client_id,
              case when merged_into is null then 0 else 1 end as is_merged, ${twinFrom(db, twins)} as twin_id`
}

interface UpsertedClient extends MatchKey {
  client_id: string
  is_merged: 0 | 1
  twin_id: string | null
}

/** A new client who is known by the phone number. */
interface Twin {
  business_id: string
  client_id: string
  twin_id: string
}

/**
 * Makes new clients lead to their twins, who get their bookings. Returns the IDs of those that now do. A twin that was
 * erased or merged meanwhile stays out. The row keeps its address: a merge by the business keeps none.
 */
export async function joinTwins(db: Queries, twins: readonly Twin[]): Promise<ReadonlySet<string>> {
  const joined = new Set<string>()
  const inOrder = twins.toSorted((one, other) => (one.twin_id < other.twin_id ? -1 : 1))
  for (const { business_id, client_id, twin_id } of inOrder) {
    if (joined.has(client_id)) continue
    // locks the twin, so that it stays until the bookings are there
    const [twin] = await lockClients(db, business_id, [twin_id])
    if (!twin) continue
    await sql`
      update clients
         set merged_into = ${twin_id}, first_name = '', last_name = '', phone = null, search = '', locale = null,
             time_zone = null, sort_key = null
       where business_id = ${business_id} and id = ${client_id} and merged_into is null`.execute(db)
    await moveToClient(db, { business_id, from: client_id, to: twin_id })
    joined.add(client_id)
  }
  return joined
}

/** Counts new bookings for the clients that others were merged into. */
export async function countForMerged(
  db: Queries,
  bookings: readonly (Pick<BookingsTable, 'business_id' | 'starts_at'> & { client_id: string })[],
): Promise<void> {
  const counted = bookings.toSorted((one, other) => (one.client_id < other.client_id ? -1 : 1))
  for (const { business_id, client_id, starts_at } of counted) {
    await sql`
      update clients
         set booking_count = booking_count + 1,
             last_booking_at = case when last_booking_at > ${starts_at} then last_booking_at else ${starts_at} end
       where business_id = ${business_id} and id = ${client_id}`.execute(db)
  }
}

const correctedClient = cachedQuery(
  (db: Queries, { client }: Params<{ client: string }>) => sql<{ client_id: string }>`
    insert into clients (${names}, sort_key) ${givenClients(db, client)}
    on conflict (business_id, name, address) do update
       set first_name = excluded.first_name, last_name = excluded.last_name, email = excluded.email,
           phone = coalesce(excluded.phone, clients.phone), search = excluded.search,
           sort_key = excluded.sort_key
    returning coalesce(merged_into, id) as client_id`,
)

/**
 * Returns the client of a booking whose client the business corrected, and corrects the row, too. The trigger of
 * `bookings` counts the booking for it. `client_id` is the ID of a new one.
 */
export const correctClient = sharedStatement({
  writes: true,
  run: async (db, bookings: readonly MatchedBooking[]): Promise<string[]> => {
    const ids: string[] = []
    for (const booking of bookings) {
      const client = newClients(db, [booking], 'uncounted')
      const { rows } = await correctedClient(db, { client })
      if (!rows[0]) throw new Error('an upserted client is missing')
      ids.push(rows[0].client_id)
    }
    return ids
  },
})

const matchedClient = cachedQuery(
  (db: Queries, { client, twins }: Params<{ client: string; twins: string }>) => sql<
    Pick<UpsertedClient, 'client_id' | 'twin_id'>
  >`
    ${withTwinKeys(db, twins)}
    insert into clients (${names}, sort_key) ${givenClients(db, client)}
    on conflict (business_id, name, address) do update set address = excluded.address
    returning coalesce(merged_into, id) as client_id, ${twinFrom(db, twins)} as twin_id`,
)

/** Finds or adds the client of an entry of the waiting list. Changes no existing one. */
export async function matchClient(db: Queries, entry: PhonedBooking): Promise<string> {
  const client = newClients(db, [entry], 'uncounted')
  const { rows } = await matchedClient(db, { client, twins: twinKeys([entry]) })
  if (!rows[0]) throw new Error('an upserted client is missing')
  const { client_id, twin_id } = rows[0]
  if (twin_id === null) return client_id
  const joined = await joinTwins(db, [{ business_id: entry.business_id, client_id, twin_id }])
  return joined.has(client_id) ? twin_id : client_id
}
