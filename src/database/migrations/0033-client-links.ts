import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

/** Links by which clients open their page, and their log-ins. Only new tables, which older servers ignore. */
export async function clientLinks(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { id, instant, table } = columnTypes(engine)
  const statements = [
    // digest: null until the email is made
    table(
      'client_links',
      `id ${id} primary key,
       business_id ${id} not null references businesses (id),
       email text not null,
       locale text not null,
       digest text unique,
       ${instant('expires_at')} not null,
       ${instant('used_at')},
       to_email text,
       status text not null default 'queued' check (status in ('queued', 'sent', 'failed')),
       last_error text,
       ${instant('sent_at')},
       ${instant('seen_at')},
       attempts integer not null default 0,
       ${instant('next_attempt_at')} not null,
       ${instant('created_at')} not null`,
    ),
    `create index client_links_due on client_links (next_attempt_at, id)`,
    `create index client_links_by_email on client_links (business_id, email)`,
    `create index client_links_by_age on client_links (created_at)`,
    table(
      'client_log_ins',
      `digest text primary key,
       business_id ${id} not null references businesses (id),
       email text not null,
       ${instant('created_at')} not null,
       ${instant('expires_at')} not null`,
    ),
    `create index client_log_ins_by_email on client_log_ins (business_id, email)`,
    `create index client_log_ins_by_expiry on client_log_ins (expires_at)`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
