import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

/** The latest requests of each key. */
export async function keyRequests(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { id, instant, table } = columnTypes(engine)
  const columns = [
    `api_key_id ${id} not null references api_keys (id)`,
    `id ${id} not null`,
    `${instant('at')} not null`,
    'method text not null',
    'path text not null check (length(path) <= 200)',
    'status integer not null',
    'code text',
    'milliseconds integer not null check (milliseconds >= 0)',
    'primary key (api_key_id, id)',
  ]
  await sql.raw(table('key_requests', columns.join(', '))).execute(db)
}
