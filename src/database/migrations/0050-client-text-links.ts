import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

/**
 * Links to clients' pages by text message. A server of the previous release does not know their table.
 * For the log-in of a number, it shows only the bookings with its stand-in address.
 */
export async function clientTextLinks(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { id, instant, table } = columnTypes(engine)
  const statements = [
    // digest: null until the message is made
    table(
      'client_text_links',
      `id ${id} primary key,
       business_id ${id} not null references businesses (id),
       phone text not null,
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
    `create index client_text_links_due on client_text_links (next_attempt_at, id)`,
    `create index client_text_links_by_phone on client_text_links (business_id, phone)`,
    `create index client_text_links_by_age on client_text_links (created_at)`,
    `alter table client_log_ins add column phone text`,
    `create index client_log_ins_by_phone on client_log_ins (business_id, phone) where phone is not null`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
