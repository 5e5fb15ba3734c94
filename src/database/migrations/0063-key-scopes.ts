import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

/** Limits of a key: parts of the API and an end. Also the hour of its last use. */
export async function keyScopes(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { instant } = columnTypes(engine)
  const columns = [
    `scopes_json text check (type <> 'publishable' or scopes_json is null)`,
    instant('expires_at'),
    instant('last_used_at'),
  ]
  for (const column of columns) await sql.raw(`alter table api_keys add column ${column}`).execute(db)
}
