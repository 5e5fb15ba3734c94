import type { Insertable } from 'kysely'
import type { Queries } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'

/** Tables of the catalogue, in an order in which rows can refer to those before. */
export type CatalogueTable =
  | 'hubs'
  | 'businesses'
  | 'locations'
  | 'staff'
  | 'services'
  | 'blocks'
  | 'staff_locations'
  | 'service_locations'
  | 'service_staff'

/** Writes rows of one table; rows that are there already stay as they are. */
export async function insertMissing<Table extends CatalogueTable>(
  db: Queries,
  table: Table,
  rows: Insertable<Tables[Table]>[],
): Promise<void> {
  if (rows.length === 0) return
  await db
    .insertInto(table)
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Whether there is any business yet. */
export async function hasBusinesses(db: Queries): Promise<boolean> {
  return (await db.selectFrom('businesses').select('id').limit(1).executeTakeFirst()) !== undefined
}

/**
 * Part of every transaction that changes what a business offers (hours, services, staff, locations): it tells all
 * nodes that what they remember of it is stale. Blocks need it not: they are read anew each time.
 */
export async function raiseCatalogueVersion(db: Queries, businessId: string): Promise<void> {
  await db
    .updateTable('businesses')
    .set(({ eb }) => ({ catalogue_version: eb('catalogue_version', '+', 1) }))
    .where('id', '=', businessId)
    .execute()
}
