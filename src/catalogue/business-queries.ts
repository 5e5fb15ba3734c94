import type { Queries, Reads } from '../database/database.ts'
import type { BusinessesTable, HubsTable } from '../database/tables.ts'
import { inScope, type TenantScope } from '../database/tenant-scope.ts'

export interface BusinessRow extends BusinessesTable {
  hub_name: string | null
  hub_plan: HubsTable['plan'] | null
}

export function findHubs(db: Reads, max: number): Promise<HubsTable[]> {
  return db.selectFrom('hubs').selectAll().orderBy('name').orderBy('id').limit(max).execute()
}

export function findHub(db: Reads, id: string): Promise<HubsTable | undefined> {
  return db.selectFrom('hubs').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function updateHub(
  db: Queries,
  id: string,
  changes: Partial<Pick<HubsTable, 'name' | 'plan'>>,
): Promise<void> {
  await db.updateTable('hubs').set(changes).where('id', '=', id).execute()
}

function selectBusinesses(db: Reads) {
  return db
    .selectFrom('businesses as b')
    .leftJoin('hubs as h', 'h.id', 'b.hub_id')
    .selectAll('b')
    .select(['h.name as hub_name', 'h.plan as hub_plan'])
}

export function findBusinesses(db: Reads, hubId: string | undefined, max: number): Promise<BusinessRow[]> {
  let query = selectBusinesses(db)
  if (hubId !== undefined) query = query.where('b.hub_id', '=', hubId)
  return query.orderBy('b.name').orderBy('b.id').limit(max).execute()
}

export function findOldestBusiness(db: Reads): Promise<BusinessRow | undefined> {
  return selectBusinesses(db).orderBy('b.created_at').orderBy('b.id').limit(1).executeTakeFirst()
}

/** Ignores the scope; for operators only. */
export function findBusinessById(db: Reads, id: string): Promise<BusinessRow | undefined> {
  return selectBusinesses(db).where('b.id', '=', id).executeTakeFirst()
}

/** Ignores the scope; for operators only. */
export function findBusinessesNamed(db: Reads, name: string, max: number): Promise<BusinessRow[]> {
  return selectBusinesses(db).where('b.name', '=', name).orderBy('b.id').limit(max).execute()
}

/** Ignores the scope, because slugs are unique on the server. */
export function findBusinessBySlug(db: Reads, slug: string): Promise<BusinessRow | undefined> {
  return selectBusinesses(db).where('b.slug', '=', slug).executeTakeFirst()
}

export function findBusinessInScope(
  db: Reads,
  scope: TenantScope,
  id: string,
): Promise<BusinessRow | undefined> {
  return selectBusinesses(db).where(inScope('b.id', scope)).where('b.id', '=', id).executeTakeFirst()
}

/** Lists businesses by name and ID. `after` is the last row of the previous page. */
export function findBusinessesInScope(
  db: Reads,
  scope: TenantScope,
  { after, rows }: { after: readonly [name: string, id: string] | undefined; rows: number },
): Promise<BusinessRow[]> {
  let query = selectBusinesses(db).where(inScope('b.id', scope))
  if (after) {
    const [name, id] = after
    query = query.where(({ eb, refTuple, tuple }) => eb(refTuple('b.name', 'b.id'), '>', tuple(name, id)))
  }
  return query.orderBy('b.name').orderBy('b.id').limit(rows).execute()
}

export type BusinessChanges = Partial<Omit<BusinessesTable, 'id' | 'hub_id' | 'created_at'>>

export async function updateBusiness(db: Queries, id: string, changes: BusinessChanges): Promise<void> {
  await db.updateTable('businesses').set(changes).where('id', '=', id).execute()
}
