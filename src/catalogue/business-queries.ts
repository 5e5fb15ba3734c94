import type { Queries } from '../database/database.ts'
import { inReach, type Reach } from '../database/reach.ts'
import type { BusinessesTable, HubsTable } from '../database/tables.ts'

/** A business with the hub that it belongs to. */
export interface BusinessRow extends BusinessesTable {
  hub_name: string | null
  hub_plan: HubsTable['plan'] | null
}

/** Hubs by name, at most `most` of them. */
export function findHubs(db: Queries, most: number): Promise<HubsTable[]> {
  return db.selectFrom('hubs').selectAll().orderBy('name').orderBy('id').limit(most).execute()
}

/** A hub; undefined when there is none with this id. */
export function findHub(db: Queries, id: string): Promise<HubsTable | undefined> {
  return db.selectFrom('hubs').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Changes a hub. */
export async function updateHub(
  db: Queries,
  id: string,
  changes: Partial<Pick<HubsTable, 'name' | 'plan'>>,
): Promise<void> {
  await db.updateTable('hubs').set(changes).where('id', '=', id).execute()
}

function selectBusinesses(db: Queries) {
  return db
    .selectFrom('businesses as b')
    .leftJoin('hubs as h', 'h.id', 'b.hub_id')
    .selectAll('b')
    .select(['h.name as hub_name', 'h.plan as hub_plan'])
}

/** Businesses by name, at most `most` of them; of one hub where that is given. */
export function findBusinesses(db: Queries, hubId: string | undefined, most: number): Promise<BusinessRow[]> {
  let query = selectBusinesses(db)
  if (hubId !== undefined) query = query.where('b.hub_id', '=', hubId)
  return query.orderBy('b.name').orderBy('b.id').limit(most).execute()
}

/** A business, whoever asks: for the operator, who reaches all of them. */
export function findBusinessById(db: Queries, id: string): Promise<BusinessRow | undefined> {
  return selectBusinesses(db).where('b.id', '=', id).executeTakeFirst()
}

/** Up to two businesses with this name: for the operator, who is asked which one is meant. */
export function findBusinessesNamed(db: Queries, name: string): Promise<BusinessRow[]> {
  return selectBusinesses(db).where('b.name', '=', name).orderBy('b.id').limit(2).execute()
}

/** A business within the caller's reach. */
export function findBusinessInReach(db: Queries, reach: Reach, id: string): Promise<BusinessRow | undefined> {
  return selectBusinesses(db).where(inReach('b.id', reach)).where('b.id', '=', id).executeTakeFirst()
}

/** Businesses within the caller's reach by name, at most `rows` of them, after the name and id of the page before. */
export function findBusinessesInReach(
  db: Queries,
  reach: Reach,
  { after, rows }: { after: readonly [name: string, id: string] | undefined; rows: number },
): Promise<BusinessRow[]> {
  let query = selectBusinesses(db).where(inReach('b.id', reach))
  if (after) {
    const [name, id] = after
    query = query.where(({ eb, refTuple, tuple }) => eb(refTuple('b.name', 'b.id'), '>', tuple(name, id)))
  }
  return query.orderBy('b.name').orderBy('b.id').limit(rows).execute()
}

/** What of a business can be changed. */
export type BusinessChanges = Partial<Omit<BusinessesTable, 'id' | 'hub_id' | 'created_at'>>

/** Changes a business. */
export async function updateBusiness(db: Queries, id: string, changes: BusinessChanges): Promise<void> {
  await db.updateTable('businesses').set(changes).where('id', '=', id).execute()
}
