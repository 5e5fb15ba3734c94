import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

/**
 * The client's time zone, and notices that stay in the list of emails after they are sent. New columns are empty or have
 * a default, so that neither engine rewrites old rows. A server of the previous release deletes the notices that it
 * sends.
 */
export async function mails(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { id, instant } = columnTypes(engine)
  const kept = (table: string) => [
    `alter table ${table} add column status text not null default 'queued' check (status in ('queued', 'sent', 'failed'))`,
    `alter table ${table} add column last_error text`,
    `alter table ${table} add column ${instant('sent_at')}`,
    `alter table ${table} add column ${instant('seen_at')}`,
    `create index ${table}_by_creation on ${table} (created_at)`,
  ]
  const statements = [
    `alter table bookings add column time_zone text`,
    // when a person at the business saw the failure
    `alter table mails add column ${instant('seen_at')}`,
    `create index mails_failed on mails (business_id, created_at, id) where status = 'failed'`,
    ...kept('user_mails'),
    `alter table user_mails add column user_id ${id}`,
    `alter table user_mails add column to_email text`,
    `create index user_mails_of_people on user_mails (user_id, created_at, id)`,
    ...kept('calendar_mails'),
    `create index calendar_mails_of_business on calendar_mails (business_id, created_at, id)`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
