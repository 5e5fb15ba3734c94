import { type Kysely, sql } from 'kysely'

/**
 * Counts how often a business's booking page was reopened. The default is constant, so that neither engine rewrites old
 * rows.
 */
export async function pageKeys(db: Kysely<unknown>): Promise<void> {
  const column = `page_key_generation integer not null default 0 check (page_key_generation >= 0)`
  await sql.raw(`alter table businesses add column ${column}`).execute(db)
}
