import { type Expression, type RawBuilder, sql } from 'kysely'
import { addressKey, hasEmail } from '../base/contact-formats.ts'
import { nameKey } from '../base/search-text.ts'
import { cachedQuery, type Params } from '../database/cached-query.ts'
import type { Queries, Reads } from '../database/database.ts'
import { isPostgres, rowsOf, rowsText } from '../database/json-rows.ts'
import { sharedStatement } from '../database/shared-transaction.ts'
import { sortKeyFrom, sortKeysText } from './client-order-queries.ts'
import type { BookingsTable } from '../database/tables.ts'

/*
 * Finds the client of a booking by address and name, or creates it. The unique index decides between simultaneous
 * bookings, so there is no lookup before.
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

/**
 * Inserts clients (see `newClients`) that do not exist, and counts the bookings of those that do. All transactions lock
 * them in the same order. A merged row counts nothing, see `countForMerged`.
 */
export function upsertClients(db: Reads, clients: Expression<string>): RawBuilder<UpsertedClient> {
  const isOwn = sql`case when clients.merged_into is null then`
  const later = isPostgres(db)
    ? sql`greatest(clients.last_booking_at, excluded.last_booking_at)`
    : sql`max(coalesce(clients.last_booking_at, ''), excluded.last_booking_at)`
  return sql<UpsertedClient>`
    insert into clients (${names}, sort_key) ${givenClients(db, clients)} order by business_id, name, address
    on conflict (business_id, name, address) do update
       set booking_count = clients.booking_count + ${isOwn} excluded.booking_count else 0 end,
           last_booking_at = ${isOwn} ${later} end
    returning business_id, name, address, coalesce(merged_into, id) as client_id,
              case when merged_into is null then 0 else 1 end as is_merged`
}

interface UpsertedClient extends MatchKey {
  client_id: string
  is_merged: 0 | 1
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
  (db: Queries, { client }: Params<{ client: string }>) => sql<{ client_id: string }>`
    insert into clients (${names}, sort_key) ${givenClients(db, client)}
    on conflict (business_id, name, address) do update set address = excluded.address
    returning coalesce(merged_into, id) as client_id`,
)

/** Finds or adds the client of an entry of the waiting list. Changes no existing one. */
export async function matchClient(db: Queries, entry: MatchedBooking): Promise<string> {
  const { rows } = await matchedClient(db, { client: newClients(db, [entry], 'uncounted') })
  if (!rows[0]) throw new Error('an upserted client is missing')
  return rows[0].client_id
}
