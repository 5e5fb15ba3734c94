import { type Kysely, sql } from 'kysely'

/** Indexes for the list of a business's messages. */
export async function waitlistMessages(db: Kysely<unknown>): Promise<void> {
  for (const table of ['waitlist_mails', 'waitlist_texts', 'client_links', 'client_text_links'])
    await sql`create index ${sql.ref(`${table}_of_business`)}
                  on ${sql.table(table)} (business_id, created_at, id)`.execute(db)
}
