import { type Kysely, sql } from 'kysely'

/**
 * Marks bookings that the caps of visitors do not count, because the emails about them count for their business. Older
 * ones are unmarked. No check, because that would read every row under a lock.
 */
export async function bookingsByBusiness(db: Kysely<unknown>): Promise<void> {
  await sql`alter table bookings add column caused_by text`.execute(db)
}
