import type { Insertable, Selectable } from 'kysely'
import type { Instant } from '../base/instants.ts'
import type { Queries, Reads } from '../database/database.ts'
import type { CalendarDisconnectionsTable } from '../database/tables.ts'

export type DisconnectionRow = Selectable<CalendarDisconnectionsTable>

/** Stores what a provider has to end. */
export async function insertDisconnection(
  db: Queries,
  row: Insertable<CalendarDisconnectionsTable>,
): Promise<void> {
  await db.insertInto('calendar_disconnections').values(row).execute()
}

/** Leases the most overdue disconnection until a time; undefined if none is due. */
export async function leaseDisconnection(
  db: Queries,
  { now, until }: { now: Instant; until: Instant },
): Promise<DisconnectionRow | undefined> {
  const due = await db
    .selectFrom('calendar_disconnections')
    .selectAll()
    .where('next_attempt_at', '<=', now)
    .orderBy('next_attempt_at')
    .limit(1)
    .executeTakeFirst()
  if (!due) return undefined
  const isLeased = await postponeDisconnection(db, due, { next_attempt_at: until })
  return isLeased ? { ...due, next_attempt_at: until } : undefined
}

/** Postpones a disconnection while its lease holds. Returns false otherwise. */
export async function postponeDisconnection(
  db: Queries,
  { id, next_attempt_at }: Pick<DisconnectionRow, 'id' | 'next_attempt_at'>,
  changes: Partial<Pick<DisconnectionRow, 'failures' | 'next_attempt_at'>>,
): Promise<boolean> {
  const changed = await db
    .updateTable('calendar_disconnections')
    .set(changes)
    .where('id', '=', id)
    .where('next_attempt_at', '=', next_attempt_at)
    .returning('id')
    .executeTakeFirst()
  return changed !== undefined
}

/** Forgets a disconnection with its credential. */
export async function deleteDisconnection(db: Queries, id: string): Promise<void> {
  await db.deleteFrom('calendar_disconnections').where('id', '=', id).execute()
}

/** Returns true if any account on this server uses the grant of a person at a provider. */
export async function isGrantUsed(
  db: Reads,
  { kind, user_name }: Pick<DisconnectionRow, 'kind' | 'user_name'>,
): Promise<boolean> {
  const used = await db
    .selectFrom('calendar_accounts')
    .select('id')
    .where('user_name', '=', user_name)
    .where('kind', '=', kind)
    .limit(1)
    .executeTakeFirst()
  return used !== undefined
}
