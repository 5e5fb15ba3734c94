import { type Kysely, sql } from 'kysely'

/**
 * Marks emails to clients that keys and people of their business caused, because these are limited. Older ones
 * are unmarked. No check, because that would read every row under a lock.
 */
export async function mailsByBusiness(db: Kysely<unknown>): Promise<void> {
  await sql`alter table mails add column caused_by text`.execute(db)
}
