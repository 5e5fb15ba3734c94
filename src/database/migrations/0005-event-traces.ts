import { sql, type Kysely } from 'kysely'

/** Which trace an event belongs to, so that attempts to deliver it are found there. */
export async function eventTraces(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`alter table events add column traceparent text`).execute(db)
}
