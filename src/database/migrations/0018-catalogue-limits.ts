import { type Kysely, sql } from 'kysely'

/** How many services, locations and people a business may have, where the operator has said so. Null: as its plan says. */
export async function catalogueLimits(db: Kysely<unknown>): Promise<void> {
  for (const name of ['max_services', 'max_locations', 'max_staff']) {
    const column = `${name} integer check (${name} > 0)`
    await sql.raw(`alter table businesses add column ${column}`).execute(db)
  }
}
