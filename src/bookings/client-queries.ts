import { type RawBuilder, type Selectable, sql } from 'kysely'
import { addressKey } from '../base/contact-formats.ts'
import type { Instant } from '../base/instants.ts'
import type { Queries, Reads } from '../database/database.ts'
import { foreach, rowsOf, rowsText } from '../database/json-rows.ts'
import { hasEntries, type MetadataEntry } from '../database/metadata-values.ts'
import type { ClientsTable } from '../database/tables.ts'
import { type BookingRow, selectShown } from '../database/shown-booking.ts'
import { inScope, type TenantScope } from '../database/tenant-scope.ts'
import { itemsOfEach } from './numbers-queries.ts'
import { sortedBy, sortKeyFrom, sortKeysText } from './client-order-queries.ts'
import {
  findClientsBy,
  foundColumns,
  type FoundClient,
  nameIn,
  partPattern,
  storedForms,
} from './client-text-queries.ts'

export type ClientRow = Selectable<ClientsTable>

/** The position of a client in the list. */
interface ClientPlace {
  key: string
  id: string
}

interface ClientFilter {
  businessId: string
  /** Only clients with this address. */
  email: string | undefined
  /** See `findWithAddress`. */
  proven: 'proven' | undefined
  /** The last client of the previous page. */
  after: ClientPlace | undefined
  /** Part of a name, email address or phone number (see `searchText`). */
  text: string | undefined
  /** True from the last name to the first. */
  isDescending: boolean
  /** Only clients with these IDs. */
  ids: string[] | undefined
  /** Entries that their metadata must have. */
  metadata: MetadataEntry[]
  rows: number
  /** Number of clients to read for a text or metadata that many have. */
  searched: number
}

/**
 * Finds clients by name. A rare text is looked up by the index over `client_texts`, also in earlier spellings. For a
 * common one, reads the list in order. `until` is then the last client read, if more follow.
 */
export async function findClients(
  db: Reads,
  filter: ClientFilter,
): Promise<{ rows: ClientRow[]; until: ClientPlace | undefined }> {
  const { businessId, email, text, after, isDescending, rows, searched, metadata } = filter
  const found =
    email === undefined ? undefined : await findWithAddress(db, { businessId, email }, filter.proven)
  const few = text === undefined || found ? undefined : await findClientsBy(db, { businessId }, text)
  const among = few ? await findIds(db, await keysLike(db, few, text ?? '')) : found
  const given = filter.ids
  const ids = given && among ? among.filter((id) => given.includes(id)) : (given ?? among)
  if (ids?.length === 0) return { rows: [], until: undefined }
  const { later, direction } = isDescending
    ? { later: '<', direction: sql`desc` }
    : { later: '>', direction: sql`asc` }
  const order = sql`${sortedBy} ${direction}, c.id ${direction}`
  const conditions = [
    sql`c.business_id = ${businessId}`,
    ...(after
      ? [
          // SQLite looks up no pair with an expression in an index
          sql`${sortedBy} ${sql.raw(later)}= ${after.key} and (${sortedBy}, c.id) ${sql.raw(later)} (${after.key}, ${after.id})`,
        ]
      : []),
  ]
  const isWalk = (text !== undefined || metadata.length > 0) && !ids
  const chosen = sql`${ids ? clientsById(db, ids) : sql`clients as c`} where ${sql.join(conditions, sql` and `)}`
  const inOrder = sql`${chosen} order by ${order}`
  const wanted = [
    sql`c.merged_into is null`,
    ...(text === undefined || few ? [] : [sql`c.search like ${partPattern(text)} escape '\\'`]),
    ...hasEntries('c', metadata),
  ]
  const page = isWalk
    ? await sql<ClientRow>`
        select c.* from (select c.* from ${inOrder} limit ${searched}) as c
         where ${sql.join(wanted, sql` and `)} order by ${order} limit ${rows}`.execute(db)
    : await sql<ClientRow>`select c.* from ${chosen} and ${sql.join(wanted, sql` and `)} order by ${order} limit ${rows}`.execute(
        db,
      )
  if (!isWalk || page.rows.length === rows) return { rows: page.rows, until: undefined }
  // read from the index alone
  const last =
    await sql<ClientPlace>`select ${sortedBy} as key, c.id from ${inOrder} limit 1 offset ${searched - 1}`.execute(
      db,
    )
  return { rows: page.rows, until: last.rows[0] }
}

/** Looks clients up by their IDs. An engine may otherwise read all of them in the order of the list. */
function clientsById(db: Reads, ids: string[]): RawBuilder<unknown> {
  const rows = sql<string>`${rowsText(
    db,
    idColumns,
    ids.map((id) => ({ id })),
  )}`
  return sql`${rowsOf(db, idColumns, rows)} as w ${foreach(db, 'clients as c', sql`c.id = w.id`)}`
}

const idColumns = { id: 'uuid' } as const

type TextKey = Pick<ClientRow, 'business_id' | 'name' | 'address'>

/**
 * Returns the IDs of clients who have an address, or had it in a booking. `proven` leaves out those with another address
 * or none whom a booking with this address named only by phone number: anyone can book so.
 */
export async function findWithAddress(
  db: Reads,
  { businessId, email }: { businessId: string; email: string },
  proven?: 'proven',
): Promise<string[]> {
  const forms = await storedForms(db, { businessId }, email)
  const { rows } = await sql<TextKey>`
    select distinct t.business_id, ${nameIn(db, sql`t.text`)} as name, t.email as address
      from client_texts as t where t.business_id = ${businessId} and t.email in (${sql.join(forms)})`.execute(
    db,
  )
  return findIds(db, rows, proven)
}

/** Returns the names and addresses in the texts of some addresses that contain a part. */
async function keysLike(db: Reads, few: FoundClient[], part: string): Promise<TextKey[]> {
  if (few.length === 0) return []
  const texts = sql<string>`${rowsText(db, foundColumns, few)}`
  const theirs = sql`t.business_id = w.business_id and t.email = w.email`
  const { rows } = await sql<TextKey>`
    select distinct t.business_id, ${nameIn(db, sql`t.text`)} as name, t.email as address
      from ${rowsOf(db, foundColumns, texts)} as w ${foreach(db, 'client_texts as t', theirs)}
     where t.text like ${partPattern(part)} escape '\\'`.execute(db)
  return rows
}

const keyColumns = { business_id: 'uuid', name: 'text', address: 'text' } as const

/** Returns the IDs of the clients with some keys, or of those that they were merged into. */
async function findIds(db: Reads, keys: TextKey[], proven?: 'proven'): Promise<string[]> {
  if (keys.length === 0) return []
  const given = keys.flatMap((key) =>
    [...new Set([addressKey(key.address), key.address])].map((address) => ({ ...key, address })),
  )
  const rows = sql<string>`${rowsText(db, keyColumns, given)}`
  const isProven = proven ? sql`and (c.merged_into is null or c.email is null)` : sql``
  const theirs = sql`c.business_id = w.business_id and c.name = w.name and c.address = w.address ${isProven}`
  const found = await sql<{ id: string }>`
    select coalesce(c.merged_into, c.id) as id
      from ${rowsOf(db, keyColumns, rows)} as w ${foreach(db, 'clients as c', theirs)}`.execute(db)
  return [...new Set(found.rows.map(({ id }) => id))]
}

/** Finds a client; undefined if it is out of scope, as if it did not exist. */
export async function findClient(
  db: Reads,
  scope: TenantScope,
  id: string,
): Promise<(ClientRow & { timezone: string }) | undefined> {
  const { rows } = await sql<ClientRow & { timezone: string }>`
    select c.*, v.timezone from clients as c join businesses as v on v.id = c.business_id
     where c.id = ${id} and ${inScope('c.business_id', scope)} and c.merged_into is null`.execute(db)
  return rows[0]
}

/** Locks clients of a business until the transaction ends, in the same order everywhere. */
export async function lockClients(db: Queries, businessId: string, ids: string[]): Promise<ClientRow[]> {
  return db
    .selectFrom('clients')
    .selectAll()
    .where('business_id', '=', businessId)
    .where('id', 'in', ids)
    .where('merged_into', 'is', null)
    .orderBy('name')
    .orderBy('address')
    .forUpdate()
    .execute()
}

/** Returns the text by which a client is sorted in the language of the business. */
function sortKeyOf(db: Reads, client: ClientRow): RawBuilder<string | null> {
  return sortKeyFrom(db, sql`cast(${sortKeysText(client)} as text)`, sql`${client.business_id}`)
}

/** Inserts a client. Returns false if another one has the same name and address. */
export async function insertClient(db: Queries, client: ClientRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('clients')
    .values({ ...client, sort_key: sortKeyOf(db, client) })
    .onConflict((conflict) => conflict.columns(['business_id', 'name', 'address']).doNothing())
    .executeTakeFirst()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** Writes a locked client. Returns false if another one has the new name and address. */
export async function updateClient(db: Queries, before: ClientRow, after: ClientRow): Promise<boolean> {
  const { business_id, id } = before
  const isRenamed = before.name !== after.name || before.address !== after.address
  if (isRenamed) {
    // a key that the client had before
    await db
      .deleteFrom('clients')
      .where('business_id', '=', business_id)
      .where('name', '=', after.name)
      .where('address', '=', after.address)
      .where('merged_into', '=', id)
      .execute()
  }
  const { numUpdatedRows } = await db
    .updateTable('clients')
    .set({ ...after, sort_key: sortKeyOf(db, after) })
    .where('business_id', '=', business_id)
    .where('id', '=', id)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('clients as other')
            .select('other.id')
            .where('other.business_id', '=', business_id)
            .where('other.name', '=', after.name)
            .where('other.address', '=', after.address)
            .where('other.id', '<>', id),
        ),
      ),
    )
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Finds the client with a name and address, or the one that it was merged into. */
export async function findByKey(
  db: Reads,
  { business_id, name, address }: Pick<ClientRow, 'business_id' | 'name' | 'address'>,
): Promise<string | undefined> {
  return (await findIds(db, [{ business_id, name, address }]))[0]
}

/** Moves all bookings and earlier keys of a client to another one. Triggers count them. */
export async function moveToClient(
  db: Queries,
  { business_id, from, to }: { business_id: string; from: string; to: string },
): Promise<void> {
  await db
    .updateTable('bookings')
    .set({ client_id: to })
    .where('business_id', '=', business_id)
    .where('client_id', '=', from)
    .execute()
  await db
    .updateTable('clients')
    .set({ merged_into: to })
    .where('business_id', '=', business_id)
    .where('merged_into', '=', from)
    .execute()
}

/** Locks the bookings of a client, before the client, as everyone else does. */
export async function lockBookingsOfClient(
  db: Queries,
  { business_id, id }: Pick<ClientRow, 'business_id' | 'id'>,
): Promise<void> {
  await db
    .selectFrom('bookings')
    .select('id')
    .where('business_id', '=', business_id)
    .where('client_id', '=', id)
    .orderBy('id')
    .forUpdate()
    .execute()
}

/** When a client comes. */
interface ClientTimes {
  id: string
  /** Starts of the last visit that has begun, and of the next one. A no-show is no visit. */
  last_at: Instant | null
  next_at: Instant | null
}

/** Returns the times of some clients, two index lookups each. */
export async function findClientTimes(
  db: Reads,
  clients: readonly Pick<ClientRow, 'id' | 'business_id'>[],
  now: Instant,
): Promise<Map<string, ClientTimes>> {
  const rows = sql<string>`${rowsText(db, timesColumns, clients)}`
  const start = (condition: RawBuilder<unknown>, order: RawBuilder<unknown>) => sql`(
    select b.starts_at from bookings as b
     where b.client_id = w.id and b.business_id = w.business_id and b.cancelled_at is null and b.no_show_at is null and ${condition}
     order by b.starts_at ${order} limit 1)`
  const found = await sql<ClientTimes>`
    select w.id, ${start(sql`b.starts_at <= ${now}`, sql`desc`)} as last_at,
           ${start(sql`b.starts_at > ${now}`, sql`asc`)} as next_at
      from ${rowsOf(db, timesColumns, rows)} as w`.execute(db)
  return new Map(found.rows.map((row) => [row.id, row]))
}

const timesColumns = { id: 'uuid', business_id: 'uuid' } as const

export interface ClientHistory {
  /** Bookings that are over, and neither cancelled nor no-shows. */
  visits: number
  no_shows: number
  cancelled: number
}

/** Counts a client's bookings that start before a time; all if undefined. */
export async function countBookings(
  db: Reads,
  { id, business_id }: Pick<ClientRow, 'id' | 'business_id'>,
  before: Instant | undefined,
): Promise<ClientHistory> {
  const sum = (condition: RawBuilder<unknown>) =>
    sql`cast(coalesce(sum(case when ${condition} then 1 else 0 end), 0) as integer)`
  const { rows } = await sql<ClientHistory>`
    select ${sum(sql`cancelled_at is null and no_show_at is null ${before ? sql`and ends_at <= ${before}` : sql``}`)} as visits,
           ${sum(sql`no_show_at is not null`)} as no_shows, ${sum(sql`cancelled_at is not null`)} as cancelled
      from bookings
     where client_id = ${id} and business_id = ${business_id}
       ${before ? sql`and starts_at < ${before}` : sql``}`.execute(db)
  return rows[0] ?? { visits: 0, no_shows: 0, cancelled: 0 }
}

/** Visits of a client for one service by one staff member, with prices in one currency. */
export interface ServiceTaken {
  service_id: string
  service_name: string
  staff_name: string | null
  count: number
  /** For all people, in minor units. Null with `currency` for items without a price. */
  amount: number | null
  currency: string | null
}

/** Returns the services that a client had by a time, the most frequent first. Omits cancelled bookings and no-shows. */
export async function findServicesTaken(
  db: Reads,
  { id, business_id }: Pick<ClientRow, 'id' | 'business_id'>,
  before: Instant,
): Promise<ServiceTaken[]> {
  // an item of a visit, or the whole booking
  const own = (column: string) =>
    sql.raw(`case when k.item_count is null then k.${column} else v.${column} end`)
  const kept = sql`${own('agreed_currency')}`
  const price = (column: 'price_amount' | 'price_currency', agreed: RawBuilder<unknown>) =>
    sql`case when k.item_count is null and k.agreed_currency is null then s.${sql.ref(column)} else ${agreed} end`
  const { rows } = await sql<Omit<ServiceTaken, 'amount'> & { amount: string | number | null }>`
    select s.id as service_id, s.name as service_name, p.name as staff_name, cast(count(*) as integer) as count,
           cast(sum(${price('price_amount', own('agreed_amount'))} * ${own('party_size')}) as bigint) as amount,
           ${price('price_currency', sql`nullif(${kept}, '')`)} as currency
      from bookings as k
           ${itemsOfEach(db)}
           join services as s on s.id = ${own('service_id')}
           left join staff as p on p.id = ${own('staff_id')}
     where k.client_id = ${id} and k.business_id = ${business_id} and k.ends_at <= ${before}
       and k.cancelled_at is null and k.no_show_at is null
     group by 1, 2, 3, 6
     order by 4 desc, 2, 3`.execute(db)
  return rows.map((row) => ({ ...row, amount: row.amount === null ? null : Number(row.amount) }))
}

/** Finds a client's bookings that ended by a time and cost less by a coupon. Omits cancelled bookings and no-shows. */
export function findDiscountedVisits(
  db: Reads,
  { id, business_id }: Pick<ClientRow, 'id' | 'business_id'>,
  before: Instant,
): Promise<BookingRow[]> {
  return selectShown(db)
    .where('b.business_id', '=', business_id)
    .where('b.client_id', '=', id)
    .where('b.ends_at', '<=', before)
    .where('b.cancelled_at', 'is', null)
    .where('b.no_show_at', 'is', null)
    .where('b.discount_json', 'is not', null)
    .execute()
}

/** A booking with the name of its client. */
interface NamedBooking {
  id: string
  client_first_name: string
  client_last_name: string
  client_email: string
}

/** Returns the names in some bookings of a business. */
export async function findNamesIn(
  db: Reads,
  businessId: string,
  ids: readonly string[],
): Promise<NamedBooking[]> {
  if (ids.length === 0) return []
  return db
    .selectFrom('bookings')
    .select(['id', 'client_first_name', 'client_last_name', 'client_email'])
    .where('business_id', '=', businessId)
    .where('id', 'in', ids)
    .execute()
}

/** Finds the latest booking of a client in which a staff member gives a service. */
export async function findOwnBooking(
  db: Reads,
  { id, business_id }: Pick<ClientRow, 'id' | 'business_id'>,
  staffId: string,
): Promise<{ client_email: string; client_phone: string | null } | undefined> {
  const { rows } = await sql<{ client_email: string; client_phone: string | null }>`
    select b.client_email, b.client_phone from bookings as b
     where b.client_id = ${id} and b.business_id = ${business_id}
       and (b.staff_id = ${staffId} or b.item_count is not null and exists (
         select 1 from visit_items as i
          where i.visit_id = b.id and i.business_id = b.business_id and i.staff_id = ${staffId}))
     order by b.starts_at desc limit 1`.execute(db)
  return rows[0]
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

/** Deletes the rows that lead bookings with an address to clients whom they named only by phone number. */
export async function deleteUnproven(
  db: Queries,
  { businessId, emails }: { businessId: string; emails: readonly string[] },
): Promise<void> {
  if (emails.length === 0) return
  await db
    .deleteFrom('clients')
    .where('business_id', '=', businessId)
    .where('address', 'in', [...new Set(emails.map(addressKey))])
    .where('merged_into', 'is not', null)
    .where('email', 'is not', null)
    .execute()
}

/** Returns clients by ID, with the rows that were merged into them. */
export function findErased(db: Reads, businessId: string, ids: readonly string[]): Promise<ClientRow[]> {
  if (ids.length === 0) return Promise.resolve([])
  return db
    .selectFrom('clients')
    .selectAll()
    .where('business_id', '=', businessId)
    .where(({ or, eb }) => or([eb('id', 'in', ids), eb('merged_into', 'in', ids)]))
    .orderBy('name')
    .orderBy('address')
    .execute()
}

/**
 * Erases clients. Notes and tags go at once, and each row as soon as it has no bookings. Triggers delete the rows that were
 * merged into it.
 */
export async function eraseClients(db: Queries, businessId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db
    .updateTable('clients')
    .set({ notes: null, tags_json: '[]', metadata_json: '{}', is_kept: 0 })
    .where('business_id', '=', businessId)
    .where('id', 'in', ids)
    .execute()
  await db
    .deleteFrom('clients')
    .where('business_id', '=', businessId)
    .where('id', 'in', ids)
    .where(sql<boolean>`not exists (select 1 from bookings as b where b.client_id = clients.id)`)
    .execute()
}
