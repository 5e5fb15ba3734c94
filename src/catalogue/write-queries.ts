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
