import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'

/**
 * Lists clients by name. Clients with one address and several names are listed separately. The name is the first line
 * of the text.
 */
export async function clientsByName(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const columns =
    engine === 'postgres'
      ? `business_id, (rtrim(split_part(text, E'\\n', 1)) collate "C"), email collate "C"`
      : `business_id, rtrim(substr(text, 1, instr(text, char(10)) - 1)), email`
  await sql.raw(`create index client_texts_by_name on client_texts (${columns})`).execute(db)
}
