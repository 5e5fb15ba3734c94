import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

/** Passkeys of people, at most twenty each. Only new tables, which older servers ignore. */
export async function passkeys(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { id, instant, table } = columnTypes(engine)
  const number = engine === 'postgres' ? 'bigint' : 'integer'
  const statements = [
    table(
      'passkeys',
      `id ${id} primary key,
       user_id ${id} not null references users (id),
       ordinal integer not null check (ordinal between 0 and 19),
       credential_id text not null unique check (length(credential_id) <= 1364),
       public_key text not null,
       counter ${number} not null check (counter between 0 and 4294967295),
       host text not null,
       name text not null check (length(name) between 1 and 100),
       ${instant('created_at')} not null,
       ${instant('last_used_at')},
       unique (user_id, ordinal)`,
    ),
    table('used_challenges', `digest text primary key, ${instant('expires_at')} not null`),
    `create index used_challenges_by_expiry on used_challenges (expires_at)`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
