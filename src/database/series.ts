import type { Reads } from './database.ts'
import type { BookingsTable, ClaimsTable } from './tables.ts'

/* Reads a series. Bookings, emails and pages list its dates. */

/** A series is found by its business and its ID. */
export interface SeriesKey {
  business_id: string
  series_id: string
}

/** Finds the holds of a series, in the order of their times. */
export function findSeriesHolds(
  db: Reads,
  { business_id, series_id }: SeriesKey,
): Promise<Pick<ClaimsTable, 'id' | 'ends_at'>[]> {
  return db
    .selectFrom('claims')
    .select(['id', 'ends_at'])
    .where('series_id', 'is not', null)
    .where('series_id', '=', series_id)
    .where('business_id', '=', business_id)
    .where('visit_id', 'is', null)
    .orderBy('starts_at')
    .orderBy('id')
    .execute()
}

/** A booking of a series, as lists of the series need it. */
export type SeriesDate = Pick<
  BookingsTable,
  | 'id'
  | 'starts_at'
  | 'ends_at'
  | 'status'
  | 'staff_id'
  | 'cancelled_at'
  | 'updated_at'
  | 'no_show_at'
  | 'client_id'
  | 'respond_by'
  | 'manage_generation'
  | 'manage_digest'
>

/** Finds the bookings of a series, in the order of their times. */
export function findSeriesDates(db: Reads, { business_id, series_id }: SeriesKey): Promise<SeriesDate[]> {
  return db
    .selectFrom('bookings')
    .select([
      'id',
      'starts_at',
      'ends_at',
      'status',
      'staff_id',
      'cancelled_at',
      'updated_at',
      'no_show_at',
      'client_id',
      'respond_by',
      'manage_generation',
      'manage_digest',
    ])
    .where('series_id', 'is not', null)
    .where('series_id', '=', series_id)
    .where('business_id', '=', business_id)
    .orderBy('starts_at')
    .orderBy('id')
    .execute()
}
