import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

/**
 * Start of an outage of a busy calendar, and emails about outages. Columns are nullable, so that neither engine rewrites
 * old rows. Emails have no foreign keys: docs/decisions/0020-no-keys-to-what-stays.md.
 */
export async function calendarOutages(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { id, instant, table } = columnTypes(engine)
  const statements = [
    `alter table busy_calendars add column ${instant('failing_since')}`,
    `alter table busy_calendars add column ${instant('told_at')}`,
    table(
      'calendar_mails',
      `id ${id} primary key,
       business_id ${id} not null,
       busy_calendar_id ${id} not null,
       to_email text not null,
       attempts integer not null default 0,
       ${instant('next_attempt_at')} not null,
       ${instant('created_at')} not null`,
    ),
    `create index calendar_mails_due on calendar_mails (next_attempt_at, id)`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
