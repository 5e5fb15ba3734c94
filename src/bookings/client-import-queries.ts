import { type RawBuilder, sql } from 'kysely'
import type { Reads } from '../database/database.ts'
import { foreach, rowsOf, rowsText } from '../database/json-rows.ts'
import type { ClientRow } from './client-queries.ts'

/** A key of the person with a number in a file. */
interface WantedKey extends Pick<ClientRow, 'business_id' | 'name' | 'address'> {
  n: number
}

const keyColumns = { n: 'integer', business_id: 'uuid', name: 'text', address: 'text' } as const

/** A client that a person of a file may be. */
export type Candidate = ClientRow & { n: number }

/** Number of clients with one name that are compared by phone number. */
const maxNamesakes = 20

/** Finds the clients with some keys, and those that other clients with them were merged into. */
export async function findByKeys(db: Reads, keys: readonly WantedKey[]): Promise<Candidate[]> {
  const rows = sql<string>`${rowsText(db, keyColumns, keys)}`
  const theirs = sql`k.business_id = w.business_id and k.name = w.name and k.address = w.address`
  const { rows: own } = await sql<Candidate>`
    select w.n, k.* from ${rowsOf(db, keyColumns, rows)} as w ${foreach(db, 'clients as k', theirs)}`.execute(
    db,
  )
  const merged = own.filter(({ merged_into }) => merged_into !== null)
  const targets = await findById(
    db,
    merged.map(({ business_id, merged_into }) => ({ business_id, id: merged_into ?? '' })),
  )
  return own.flatMap((row) => {
    if (row.merged_into === null) return [row]
    const target = targets.get(row.merged_into)
    return target ? [{ ...target, n: row.n }] : []
  })
}

const idColumns = { business_id: 'uuid', id: 'uuid' } as const

async function findById(
  db: Reads,
  ids: readonly Pick<ClientRow, 'business_id' | 'id'>[],
): Promise<Map<string, ClientRow>> {
  if (ids.length === 0) return new Map()
  const rows = sql<string>`${rowsText(db, idColumns, ids)}`
  const theirs = sql`c.id = w.id and c.business_id = w.business_id`
  const found = await sql<ClientRow>`
    select c.* from ${rowsOf(db, idColumns, rows)} as w ${foreach(db, 'clients as c', theirs)}`.execute(db)
  return new Map(found.rows.map((row) => [row.id, row]))
}

/** Finds the first clients with each of some names. */
export async function findNamesakes(
  db: Reads,
  names: readonly Pick<ClientRow, 'business_id' | 'name'>[],
): Promise<ClientRow[]> {
  const rows = sql<string>`${rowsText(db, nameColumns, names)}`
  const first: RawBuilder<unknown> = sql`(
    select f.address from clients as f where f.business_id = w.business_id and f.name = w.name
     order by f.address limit ${sql.lit(maxNamesakes)})`
  const theirs = sql`c.business_id = w.business_id and c.name = w.name and c.address in ${first}`
  const found = await sql<ClientRow>`
    select c.* from ${rowsOf(db, nameColumns, rows)} as w ${foreach(db, 'clients as c', theirs)}
     where c.merged_into is null`.execute(db)
  return found.rows
}

const nameColumns = { business_id: 'uuid', name: 'text' } as const
