import { type Kysely, sql } from 'kysely'

/** Legal links and terms of a business. No checks, because those would read every row under a lock. */
export async function legalTexts(db: Kysely<unknown>): Promise<void> {
  for (const column of ['imprint_url', 'privacy_url', 'terms', 'terms_language'])
    await sql`alter table businesses add column ${sql.ref(column)} text`.execute(db)
}
