import { type Kysely, sql } from 'kysely'

/** Keeps why an email waits for its next attempt. No check, because that would read every row under a lock. */
export async function waitingMails(db: Kysely<unknown>): Promise<void> {
  await sql`alter table mails add column waits_for text`.execute(db)
}
