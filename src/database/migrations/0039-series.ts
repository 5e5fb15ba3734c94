import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

/**
 * Holds and bookings of one series share its ID. Each is a claim or booking by itself: nothing reads a rule to know what is
 * taken. New columns are empty or have a default, so that neither engine rewrites old rows.
 */
export async function series(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { id } = columnTypes(engine)
  const { rows } = await sql`select 1 from bookings limit 1`.execute(db)
  const statements = [
    `alter table claims add column series_id ${id}`,
    `alter table bookings add column series_id ${id}`,
    `alter table services add column max_repeats integer not null default 1`,
    // PostgreSQL makes the indexes of filled tables without a lock, after the transaction
    ...(engine === 'sqlite' || rows.length === 0
      ? seriesIndexes.map(({ name, definition }) => `create index ${name} ${definition}`)
      : []),
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

/** Few rows belong to a series, so that these indexes stay small. */
export const seriesIndexes = [
  { name: 'claims_of_series', definition: 'on claims (series_id) where series_id is not null' },
  {
    name: 'bookings_of_series',
    definition: 'on bookings (series_id, starts_at) where series_id is not null',
  },
] as const
