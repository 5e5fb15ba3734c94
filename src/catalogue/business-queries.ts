import type { Queries } from '../database/database.ts'
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

export function findHub(db: Queries, id: string): Promise<HubsTable | undefined> {
  return db.selectFrom('hubs').selectAll().where('id', '=', id).executeTakeFirst()
}

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

export function findBusinessById(db: Queries, id: string): Promise<BusinessRow | undefined> {
  return selectBusinesses(db).where('b.id', '=', id).executeTakeFirst()
}

/** What of a business can be changed. */
export type BusinessChanges = Partial<Omit<BusinessesTable, 'id' | 'hub_id' | 'created_at'>>

export async function updateBusiness(db: Queries, id: string, changes: BusinessChanges): Promise<void> {
  await db.updateTable('businesses').set(changes).where('id', '=', id).execute()
}
