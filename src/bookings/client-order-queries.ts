import { type RawBuilder, sql } from 'kysely'
import { sortKey, sortKeys } from '../base/sort-text.ts'
import type { Queries, Reads } from '../database/database.ts'
import { isPostgres, rowsOf, rowsText } from '../database/json-rows.ts'
import type { ClientSortsTable, ClientsTable } from '../database/tables.ts'

/** The text by which clients `c` are sorted. */
export const sortedBy = sql<string>`coalesce(c.sort_key, c.name)`

/** Returns the texts from which `sortKeyFrom` chooses. */
export function sortKeysText(name: Pick<ClientsTable, 'first_name' | 'last_name'>): string | null {
  const keys = sortKeys(name)
  return keys ? JSON.stringify(keys) : null
}

/**
 * Chooses the sort key in the language that the business has now. The statement that writes a client therefore needs no
 * other one before.
 */
export function sortKeyFrom(
  db: Reads,
  keys: RawBuilder<unknown>,
  businessId: RawBuilder<unknown>,
): RawBuilder<string | null> {
  const language = sql`(
    select substr(o.locale, 1, 2) from businesses as o
     where o.id = ${businessId} and (length(o.locale) = 2 or substr(o.locale, 3, 1) = '-'))`
  const given = isPostgres(db) ? sql`${keys}::json` : keys
  return sql`case when ${keys} is not null then ${given} ->> ${language} end`
}

/**
 * Locks a business whose clients have to be sorted again, and returns its language. A change of language then waits for
 * the lock.
 */
export async function lockUnsorted(
  db: Queries,
): Promise<(ClientSortsTable & { locale: string }) | undefined> {
  return db
    .selectFrom('client_sorts as s')
    .innerJoin('businesses as b', 'b.id', 's.business_id')
    .selectAll('s')
    .select('b.locale')
    .orderBy('s.business_id')
    .limit(1)
    .forUpdate('s')
    .skipLocked()
    .executeTakeFirst()
}

const sortColumns = { id: 'uuid', first_name: 'text', last_name: 'text', sort_key: 'text' } as const

/**
 * Sorts the next clients of a business again. Leaves a client whose name changes meanwhile,
 * because that change sorts it. The business is done if there are fewer than `max`.
 */
export async function sortAgain(
  db: Queries,
  { locale, ...place }: ClientSortsTable & { locale: string },
  max: number,
): Promise<void> {
  const { business_id, name, address } = place
  const { rows: clients } = await sql<
    Pick<ClientsTable, 'id' | 'name' | 'address' | 'first_name' | 'last_name' | 'sort_key'>
  >`
    select id, name, address, first_name, last_name, sort_key from clients
     where business_id = ${business_id} and (name, address) > (${name}, ${address})
     order by name, address limit ${max}`.execute(db)
  const changed = clients
    .map((client) => ({ ...client, is: client.sort_key, sort_key: sortKey(client, locale) }))
    .filter(({ is, sort_key }) => is !== sort_key)
  if (changed.length > 0) {
    await db
      .selectFrom('clients')
      .select('id')
      .where('business_id', '=', business_id)
      .where(
        'id',
        'in',
        changed.map(({ id }) => id),
      )
      .orderBy('name')
      .orderBy('address')
      .forUpdate()
      .execute()
    await sql`
      update clients set sort_key = r.sort_key
        from ${rowsOf(db, sortColumns, sql<string>`${rowsText(db, sortColumns, changed)}`)} as r
       where clients.business_id = ${business_id} and clients.id = r.id
         and clients.first_name = r.first_name and clients.last_name = r.last_name`.execute(db)
  }
  const last = clients.length === max ? clients.at(-1) : undefined
  const work = last
    ? sql`update client_sorts set name = ${last.name}, address = ${last.address}`
    : sql`delete from client_sorts`
  await sql`${work} where business_id = ${business_id}`.execute(db)
}
