import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

/**
 * External calendars of staff, whose times become a special kind of block. The column is nullable, so that neither
 * engine rewrites old blocks.
 */
export async function busyCalendars(db: Kysely<unknown>, engine: Engine): Promise<void> {
  for (const statement of statements(engine)) await sql.raw(statement).execute(db)
}

function statements(engine: Engine): string[] {
  const { id, instant, table } = columnTypes(engine)
  return [
    table(
      'busy_calendars',
      `id ${id} primary key,
       business_id ${id} not null references businesses (id),
       staff_id ${id} not null,
       place integer not null check (place between 0 and 4),
       url text not null,
       etag text,
       last_modified text,
       ${instant('last_fetched_at')},
       last_error text,
       ${instant('busy_until')},
       ${instant('next_fetch_at')} not null,
       ${instant('created_at')} not null,
       unique (staff_id, place),
       foreign key (business_id, staff_id) references staff (business_id, id)`,
    ),
    `create index busy_calendars_of_business on busy_calendars (business_id, created_at, id)`,
    `create index busy_calendars_due on busy_calendars (next_fetch_at)`,
    `create index busy_calendars_by_age on busy_calendars (coalesce(last_fetched_at, created_at))`,
    `alter table blocks add column busy_calendar_id ${id} references busy_calendars (id)`,
    `create index blocks_of_busy_calendar on blocks (busy_calendar_id) where busy_calendar_id is not null`,
  ]
}
