import { type Kysely, sql } from 'kysely'

/** The address of an open checkout, for a page that is loaded again before the processor may be asked again. */
export async function checkoutUrl(db: Kysely<unknown>): Promise<void> {
  await sql`alter table payments add column checkout_url text`.execute(db)
}
