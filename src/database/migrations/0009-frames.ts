import { type Kysely, sql } from 'kysely'

/**
 * Keys whose booking page websites may embed in a frame. The default is constant, so that neither engine rewrites old
 * rows.
 */
export async function frames(db: Kysely<unknown>): Promise<void> {
  const column = `allow_frames integer not null default 0 check (allow_frames in (0, 1))`
  await sql.raw(`alter table api_keys add column ${column}`).execute(db)
}
