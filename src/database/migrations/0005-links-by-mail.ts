import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

/** Emails with links to set a password. No foreign keys: docs/decisions/0020-no-keys-to-what-stays.md. */
export async function linksByMail(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { id, instant, table } = columnTypes(engine)
  const statements = [
    // link_id: null if nobody has the requested address, so that both cases take the same work
    table(
      'user_mails',
      `id ${id} primary key,
       link_id ${id},
       locale text not null,
       attempts integer not null default 0,
       ${instant('next_attempt_at')} not null,
       ${instant('created_at')} not null`,
    ),
    `create index user_mails_due on user_mails (next_attempt_at, id)`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
