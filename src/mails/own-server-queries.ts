import type { Insertable, Selectable } from 'kysely'
import type { Instant } from '../base/instants.ts'
import type { Queries, Reads } from '../database/database.ts'
import type { OwnMailServersTable } from '../database/tables.ts'

export type OwnMailServerRow = Selectable<OwnMailServersTable>

export function findOwnServer(db: Reads, businessId: string): Promise<OwnMailServerRow | undefined> {
  return db
    .selectFrom('own_mail_servers')
    .selectAll()
    .where('business_id', '=', businessId)
    .executeTakeFirst()
}

/** Stores the server of a business in place of an earlier one. */
export async function storeOwnServer(db: Queries, server: Insertable<OwnMailServersTable>): Promise<void> {
  const { business_id: _, ...columns } = server
  await db
    .insertInto('own_mail_servers')
    .values(server)
    .onConflict((conflict) => conflict.column('business_id').doUpdateSet(columns))
    .execute()
}

/** Lists businesses whose server accepts no emails, the longest failure first. */
export async function findFailedServers(db: Reads, max: number) {
  return db
    .selectFrom('own_mail_servers as s')
    .innerJoin('businesses as b', 'b.id', 's.business_id')
    .select(['b.name', 's.host', 's.failed_at', 's.last_error'])
    .where('s.failed_at', 'is not', null)
    .orderBy('s.failed_at')
    .limit(max)
    .execute()
}

/** Returns false if the business has none. */
export async function deleteOwnServer(db: Queries, businessId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('own_mail_servers')
    .where('business_id', '=', businessId)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

/** Writes the state of a server, unless it has been replaced since. */
export async function writeServerState(
  db: Queries,
  { business_id, set_at }: Pick<OwnMailServerRow, 'business_id' | 'set_at'>,
  state: { failed_at: Instant | null; last_error: string | null },
): Promise<void> {
  await db
    .updateTable('own_mail_servers')
    .set(state)
    .where('business_id', '=', business_id)
    .where('set_at', '=', set_at)
    .execute()
}
