import { sql } from 'kysely'
import type { Instant } from '../base/instants.ts'
import type { Queries, Reads } from '../database/database.ts'
import type { ClientLogInsTable } from '../database/tables.ts'

/** Uses up a link. Of two requests at once, one gets its mailbox. */
export function useClientLink(db: Queries, { digest, now }: { digest: string; now: Instant }) {
  return db
    .updateTable('client_links')
    .set({ used_at: now })
    .where('digest', '=', digest)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .returning(['business_id', 'email'])
    .executeTakeFirst()
}

export async function insertClientLogIn(db: Queries, logIn: ClientLogInsTable): Promise<void> {
  await db.insertInto('client_log_ins').values(logIn).execute()
}

/** Finds the mailbox of an open log-in at a business. */
export function findClientLogIn(
  db: Reads,
  { businessId, digest, now }: { businessId: string; digest: string; now: Instant },
): Promise<{ email: string } | undefined> {
  return db
    .selectFrom('client_log_ins')
    .select('email')
    .where('digest', '=', digest)
    .where('business_id', '=', businessId)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

export async function deleteClientLogIn(db: Queries, digest: string): Promise<void> {
  await db.deleteFrom('client_log_ins').where('digest', '=', digest).execute()
}

/** Deletes the links and log-ins of a mailbox at a business. Returns the IDs of the links, whose emails may be in files. */
export async function deleteClientAccess(
  db: Queries,
  { businessId, emails }: { businessId: string; emails: readonly string[] },
): Promise<string[]> {
  const of = (table: 'client_links' | 'client_log_ins') =>
    db.deleteFrom(table).where('business_id', '=', businessId).where('email', 'in', emails)
  await of('client_log_ins').execute()
  const links = await of('client_links').returning('id').execute()
  return links.map(({ id }) => id)
}

/** Deletes up to `max` expired log-ins and returns their number. */
export async function deleteOldClientLogIns(db: Queries, now: Instant, max: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from client_log_ins where digest in (
      select digest from client_log_ins where expires_at <= ${now} order by expires_at limit ${max})`.execute(
    db,
  )
  return Number(numAffectedRows)
}
