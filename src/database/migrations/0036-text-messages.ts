import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

/**
 * Text messages: rows of the outbox with a phone number, the client's consent, and what limits them. New columns are
 * empty or have a default, so that neither engine rewrites old rows. A server of the previous release would send a text
 * message as an email. `SMS_URL` is set once no such server runs.
 */
export async function textMessages(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { id, instant, table } = columnTypes(engine)
  const statements = [
    `alter table businesses add column text_kinds_json text not null default '[]'`,
    `alter table bookings add column text_consent text`,
    `alter table bookings add column ${instant('text_agreed_at')}`,
    `alter table mails add column to_phone text`,
    `alter table mails add column ${instant('delivered_at')}`,
    `create index mails_due_by_text on mails (next_attempt_at, id) where status = 'queued' and to_phone is not null`,
    // segments, by business and calendar month
    table(
      'text_counts',
      `business_id ${id} not null references businesses (id),
       month text not null,
       segments integer not null check (segments >= 0),
       primary key (business_id, month)`,
    ),
    // numbers that have answered STOP, as keyed digests
    table(
      'text_opt_outs',
      `digest text primary key,
       ${instant('opted_out_at')} not null`,
    ),
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
