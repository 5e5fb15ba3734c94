import { sql } from 'kysely'
import { cachedQuery, type Params } from '../database/cached-query.ts'
import type { Queries, Reads, Transaction } from '../database/database.ts'
import { type Columns, isPostgres, rowsOf, rowsText } from '../database/json-rows.ts'
import { writeSeats } from '../database/seat-sets.ts'
import type { ClaimsTable, VisitItemsTable } from '../database/tables.ts'
import { claimColumns } from './claim-queries.ts'
import type { NewClaim } from './claim-rules.ts'

/*
 * A visit takes its time with several claims, all or none. The first has the ID of hold and booking, and the schema makes the others follow it (migrations/0024-visits.ts, decision 28). A visit ends or becomes a booking through its first claim.
 */

/** A claim of a visit. */
export type VisitClaim = NewClaim & Pick<ClaimsTable, 'visit_id' | 'claim_count'>

const visitClaimColumns = {
  ...claimColumns,
  visit_id: 'uuid',
  claim_count: 'integer',
} as const satisfies Columns<keyof ClaimsTable>

const insertQuery = cachedQuery((db: Queries, { rows }: Params<{ rows: string }>) => {
  const names = sql.join(Object.keys(visitClaimColumns).map((name) => sql.ref(name)))
  // SQLite refuses the first claim of a visit before the others. On PostgreSQL, all visits take things in one order, so
  // that none waits for another that waits for it
  const order = isPostgres(db)
    ? sql`resource_id, taken_from, id`
    : sql`visit_id is null, resource_id, taken_from`
  return sql<{ id: string }>`
    insert into claims (${names})
    select ${names} from ${rowsOf(db, visitClaimColumns, rows)} as w where true
     order by ${order}
    on conflict do nothing
    returning id`
})

/** Takes the time of a visit, all or nothing. Returns false if a claim of another transaction is in the way. */
export async function insertVisitClaims(
  { db }: Transaction,
  claims: readonly VisitClaim[],
): Promise<boolean> {
  const rows = claims.map(({ seats, ...claim }) => ({
    ...claim,
    seat: seats[0] ?? 0,
    seats: writeSeats(db, seats),
  }))
  const { rows: inserted } = await insertQuery(db, { rows: rowsText(db, visitClaimColumns, rows) })
  if (inserted.length === claims.length) return true
  const ids = inserted.map(({ id }) => id)
  // the first one before the others, which it takes along
  for (const isFirst of [true, false]) {
    const some = claims.filter(({ id, visit_id }) => ids.includes(id) && (visit_id === null) === isFirst)
    if (some.length === 0) continue
    const names = some.map(({ id }) => id)
    await db.deleteFrom('claims').where('id', 'in', names).execute()
  }
  return false
}

/** Deletes the claims of a booking, which is about to take others. */
export async function deleteVisitClaims({ db }: Transaction, { id, business_id }: VisitKey): Promise<void> {
  // the schema deletes the further ones
  await db.deleteFrom('claims').where('id', '=', id).where('business_id', '=', business_id).execute()
}

interface VisitKey {
  id: string
  business_id: string
}

const itemColumns = {
  id: 'uuid',
  business_id: 'uuid',
  visit_id: 'uuid',
  item: 'integer',
  service_id: 'uuid',
  staff_id: 'uuid',
  chosen_staff_id: 'uuid',
  starts_at: 'timestamptz',
  ends_at: 'timestamptz',
  party_size: 'integer',
  starts_with: 'integer',
  agreed_amount: 'integer',
  agreed_currency: 'text',
  resource_ids_json: 'jsonb',
} as const satisfies Columns<keyof VisitItemsTable>

const insertItemsQuery = cachedQuery((db: Queries, { rows }: Params<{ rows: string }>) => {
  const names = sql.join(Object.keys(itemColumns).map((name) => sql.ref(name)))
  return sql`
    insert into visit_items (${names}) select ${names} from ${rowsOf(db, itemColumns, rows)} as w where true`
})

/** Writes the items of a visit. */
export async function insertVisitItems(
  { db }: Transaction,
  items: readonly (Omit<VisitItemsTable, 'resource_ids_json'> & { resource_ids: readonly string[] })[],
): Promise<void> {
  const rows = items.map(({ resource_ids, ...item }) => ({
    ...item,
    // JSON in JSON: PostgreSQL reads the value, SQLite its text
    resource_ids_json: isPostgres(db) ? resource_ids : JSON.stringify(resource_ids),
  }))
  await insertItemsQuery(db, { rows: rowsText(db, itemColumns, rows) })
}

/** Deletes the items of a booking, which is about to have others. */
export async function deleteVisitItems({ db }: Transaction, { id, business_id }: VisitKey): Promise<void> {
  await db
    .deleteFrom('visit_items')
    .where('visit_id', '=', id)
    .where('business_id', '=', business_id)
    .execute()
}

/** Reads the items of a hold or booking, in order. None if it takes one claim, for one service. */
export function findVisitItems(db: Reads, { id, business_id }: VisitKey): Promise<VisitItemsTable[]> {
  return db
    .selectFrom('visit_items')
    .selectAll()
    .where('visit_id', '=', id)
    .where('business_id', '=', business_id)
    .orderBy('item')
    .execute()
}
