import { sql } from 'kysely'
import { cachedQuery, type Params } from '../database/cached-query.ts'
import { allOf, type Queries, type Reads, type Transaction } from '../database/database.ts'
import { type Columns, isPostgres, rowsOf, rowsText } from '../database/json-rows.ts'
import { writeSeats } from '../database/seat-sets.ts'
import { sharedStatement, tallyOf } from '../database/shared-transaction.ts'
import type { ClaimsTable, VisitItemsTable } from '../database/tables.ts'
import { claimColumns, noteTaken, type Room, withRoom } from './claim-queries.ts'
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

type NewItem = Omit<VisitItemsTable, 'resource_ids_json'> & { resource_ids: readonly string[] }

interface NewVisit {
  /** The first one stands for the visit. */
  claims: readonly [VisitClaim, ...VisitClaim[]]
  /** Empty for a visit of one claim. */
  items: readonly NewItem[]
  room: Room
}

/**
 * Takes the time of a visit, all or nothing, and writes its items. Returns false if a claim of others is in the way or
 * has the same sequence of its session. Also returns false if others in its transaction have used up the room.
 */
export const insertVisit = sharedStatement({
  step: 1, // after the statements of others, which would see claims of a visit that does not get all
  writes: (isInserted: boolean) => isInserted,
  run: async (db, members: readonly NewVisit[]): Promise<boolean[]> => {
    const taken = tallyOf(db)
    const fits = withRoom(members, taken)
    const visits = members.filter(({ claims: [first] }, index) => fits(first, index))
    const [ids] = await allOf([insertClaims(db, visits), insertItems(db, visits)])
    const isWhole = ({ claims }: NewVisit) => claims.every(({ id }) => ids.has(id))
    const whole = visits.filter(isWhole)
    const parts = visits.filter((visit) => !isWhole(visit))
    if (parts.length > 0) await deleteParts(db, parts, ids)
    noteTaken(
      taken,
      whole.map(({ claims: [first] }) => first),
    )
    return members.map((visit) => whole.includes(visit))
  },
})

async function insertClaims(db: Queries, visits: readonly NewVisit[]): Promise<Set<string>> {
  const rows = visits.flatMap(({ claims }) =>
    claims.map(({ seats, ...claim }) => ({ ...claim, seat: seats[0] ?? 0, seats: writeSeats(db, seats) })),
  )
  if (rows.length === 0) return new Set()
  const { rows: inserted } = await insertQuery(db, { rows: rowsText(db, visitClaimColumns, rows) })
  return new Set(inserted.map(({ id }) => id))
}

/** Deletes the claims and items of visits that did not get all their claims. */
async function deleteParts(
  db: Queries,
  visits: readonly NewVisit[],
  ids: ReadonlySet<string>,
): Promise<void> {
  // each first one before the others, which it takes along
  for (const isFirst of [true, false]) {
    const some = visits.flatMap(({ claims }) =>
      claims.flatMap(({ id, visit_id }) => (ids.has(id) && (visit_id === null) === isFirst ? [id] : [])),
    )
    if (some.length > 0) await db.deleteFrom('claims').where('id', 'in', some).execute()
  }
  const firstIds = visits.map(({ claims: [{ id }] }) => id)
  await db.deleteFrom('visit_items').where('visit_id', 'in', firstIds).execute()
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

async function insertItems(db: Queries, visits: readonly NewVisit[]): Promise<void> {
  const rows = visits.flatMap(({ items }) =>
    items.map(({ resource_ids, ...item }) => ({
      ...item,
      // JSON in JSON: PostgreSQL reads the value, SQLite its text
      resource_ids_json: isPostgres(db) ? resource_ids : JSON.stringify(resource_ids),
    })),
  )
  if (rows.length > 0) await insertItemsQuery(db, { rows: rowsText(db, itemColumns, rows) })
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
