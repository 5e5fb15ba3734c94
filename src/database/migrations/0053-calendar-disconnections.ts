import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

/** Channels and grants of disconnected calendar accounts, which a provider still has to end. */
export async function calendarDisconnections(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { id, instant, json, table } = columnTypes(engine)
  const statements = [
    table(
      'calendar_disconnections',
      `id ${id} primary key,
       account_id ${id} not null,
       business_id ${id} not null references businesses (id),
       staff_id ${id} not null,
       kind text not null check (kind in ('google', 'microsoft')),
       address text not null,
       user_name text not null,
       credential_sealed text not null,
       channels_json ${json} not null,
       ends_grant integer not null check (ends_grant in (0, 1)),
       failures integer not null default 0,
       ${instant('next_attempt_at')} not null,
       ${instant('connected_at')} not null,
       ${instant('created_at')} not null`,
    ),
    `create index calendar_disconnections_due on calendar_disconnections (next_attempt_at)`,
    `create index calendar_accounts_of_user on calendar_accounts (user_name, kind)`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
