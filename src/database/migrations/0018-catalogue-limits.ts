import { type Kysely, sql } from 'kysely'

/** Limits on a business's services, locations and people, if set by the operator. Null: the limits of its plan. */
export async function catalogueLimits(db: Kysely<unknown>): Promise<void> {
  for (const name of ['max_services', 'max_locations', 'max_staff']) {
    const column = `${name} integer check (${name} > 0)`
    await sql.raw(`alter table businesses add column ${column}`).execute(db)
  }
}
