import { type Kysely, sql } from 'kysely'

/** Keeps the bookings that a staff member's block covers, so that its page shows which have been settled since. */
export async function absences(db: Kysely<unknown>): Promise<void> {
  await sql`alter table blocks add column booking_ids_json text`.execute(db)
}
