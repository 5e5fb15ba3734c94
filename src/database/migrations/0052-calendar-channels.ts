import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

/** Channels by which providers report changes of calendars, and the state of a reading. */
export async function calendarChannels(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { id, instant } = columnTypes(engine)
  const statements = [
    ...[
      instant('reading_until'),
      instant('pushed_at'),
      `channel_id ${id}`,
      'channel_key text',
      instant('channel_until'),
      instant('channel_due_at'),
      'channel_failures integer not null default 0',
    ].map((column) => `alter table busy_calendars add column ${column}`),
    `create unique index busy_calendars_channel on busy_calendars (channel_id) where channel_id is not null`,
    `create index busy_calendars_channel_due on busy_calendars (channel_due_at) where channel_due_at is not null`,
    `update busy_calendars set channel_due_at = created_at
      where account_id in (select id from calendar_accounts where kind <> 'caldav')`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
