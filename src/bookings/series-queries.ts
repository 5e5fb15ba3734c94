import type { Reads } from '../database/database.ts'
import type { BookingsTable } from '../database/tables.ts'

/** A series is found by its business and its ID. */
export interface SeriesKey {
  business_id: string
  series_id: string
}

/** Finds the IDs of the holds of a series, in the order of their times. */
export async function findSeriesHolds(db: Reads, { business_id, series_id }: SeriesKey): Promise<string[]> {
  const rows = await db
    .selectFrom('claims')
    .select('id')
    .where('series_id', 'is not', null)
    .where('series_id', '=', series_id)
    .where('business_id', '=', business_id)
    .where('visit_id', 'is', null)
    .orderBy('starts_at')
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** A booking of a series, as lists of the series need it. */
type SeriesDate = Pick<
  BookingsTable,
  'id' | 'starts_at' | 'ends_at' | 'status' | 'staff_id' | 'cancelled_at' | 'updated_at' | 'version'
>

/** Finds the bookings of a series, in the order of their times. */
export function findSeriesDates(db: Reads, { business_id, series_id }: SeriesKey): Promise<SeriesDate[]> {
  return db
    .selectFrom('bookings')
    .select(['id', 'starts_at', 'ends_at', 'status', 'staff_id', 'cancelled_at', 'updated_at', 'version'])
    .where('series_id', 'is not', null)
    .where('series_id', '=', series_id)
    .where('business_id', '=', business_id)
    .orderBy('starts_at')
    .orderBy('id')
    .execute()
}
