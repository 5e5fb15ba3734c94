import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

/** Items of the catalogue that an import has found by their name. A later one finds them by their ID. */
export async function importMatches(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { id, table } = columnTypes(engine)
  const columns = `business_id ${id} not null references businesses (id),
    source_id ${id} not null,
    item_id ${id} not null,
    primary key (business_id, source_id)`
  await sql.raw(table('import_matches', columns)).execute(db)
}
