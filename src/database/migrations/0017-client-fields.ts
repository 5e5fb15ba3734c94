import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'

/**
 * Client details that a service requires in addition to first name and email. Null: phone optional, last name required.
 */
export async function clientFields(db: Kysely<unknown>, _engine: Engine): Promise<void> {
  for (const column of ['phone_use', 'last_name_use'])
    await sql.raw(`alter table services add column ${column} text check (${column} in (${uses}))`).execute(db)
}

const uses = `'required', 'optional', 'hidden'`
