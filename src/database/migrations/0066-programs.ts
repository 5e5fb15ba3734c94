import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

/** Programs that people allow to act for them, over OAuth. Only new tables, which older servers ignore. */
export async function programs(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { id, instant, json, table } = columnTypes(engine)
  const scope = "text not null check (scope in ('read', 'book', 'manage'))"
  const statements = [
    table(
      'programs',
      `id ${id} primary key,
       name text not null check (length(name) between 1 and 100),
       redirect_uris_json ${json} not null,
       ${instant('created_at')} not null,
       ${instant('used_at')}`,
    ),
    `create index programs_by_use on programs (used_at, created_at)`,
    table(
      'program_grants',
      `id ${id} primary key,
       program_id ${id} not null,
       user_id ${id} not null,
       place_id ${id} not null,
       business_id ${id} not null references businesses (id),
       scope ${scope},
       ${instant('created_at')} not null,
       ${instant('last_used_at')},
       ${instant('expires_at')} not null`,
    ),
    `create index program_grants_by_program on program_grants (program_id)`,
    `create index program_grants_by_user on program_grants (user_id, created_at)`,
    `create index program_grants_by_place on program_grants (place_id)`,
    `create index program_grants_by_business on program_grants (business_id, created_at)`,
    `create index program_grants_by_expiry on program_grants (expires_at)`,
    table(
      'program_codes',
      `digest text primary key,
       business_id ${id} not null references businesses (id),
       grant_id ${id} not null references program_grants (id) on delete cascade,
       redirect_uri text not null,
       challenge text not null,
       ${instant('expires_at')} not null,
       ${instant('used_at')}`,
    ),
    `create index program_codes_by_grant on program_codes (grant_id)`,
    table(
      'program_tokens',
      `digest text primary key,
       business_id ${id} not null references businesses (id),
       grant_id ${id} not null references program_grants (id) on delete cascade,
       kind text not null check (kind in ('access', 'refresh')),
       scope ${scope},
       ${instant('expires_at')} not null,
       ${instant('replaced_at')}`,
    ),
    `create index program_tokens_by_grant on program_tokens (grant_id)`,
    `create index program_tokens_by_expiry on program_tokens (expires_at)`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
