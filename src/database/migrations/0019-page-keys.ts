import { type Kysely, sql } from 'kysely'

/** How often a business's booking page was opened again. A constant default: neither engine writes the old rows. */
export async function pageKeys(db: Kysely<unknown>): Promise<void> {
  const column = `page_key_generation integer not null default 0 check (page_key_generation >= 0)`
  await sql.raw(`alter table businesses add column ${column}`).execute(db)
}
