import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

/** Devices of people that receive notifications, and the notifications. Only new tables, which older servers ignore. */
export async function push(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { id, instant, table } = columnTypes(engine)
  const statements = [
    table(
      'push_devices',
      `id ${id} primary key,
       user_id ${id} not null references users (id),
       log_in_id ${id} not null,
       ordinal integer not null check (ordinal between 0 and 9),
       endpoint text not null unique,
       p256dh text not null,
       auth text not null,
       device text not null,
       locale text not null,
       ${instant('created_at')} not null,
       ${instant('last_used_at')} not null,
       unique (user_id, ordinal)`,
    ),
    `create index push_devices_by_log_in on push_devices (log_in_id)`,
    `create index push_devices_by_use on push_devices (last_used_at)`,
    table(
      'push_settings',
      `user_id ${id} primary key references users (id),
       kinds text not null,
       quiet_hours_json text`,
    ),
    // no keys to other tables, because bookings write it
    table(
      'pushes',
      `device_id ${id} not null,
       occasion text not null,
       business_id ${id},
       booking_id ${id},
       kind text not null check (kind in ('booked', 'changed', 'cancelled', 'late', 'test')),
       attempts integer not null default 0,
       ${instant('next_attempt_at')},
       ${instant('created_at')} not null,
       check ((booking_id is null) = (kind = 'test')),
       check ((business_id is null) = (booking_id is null)),
       primary key (device_id, occasion)`,
    ),
    `create index pushes_due on pushes (next_attempt_at) where next_attempt_at is not null`,
    `create index pushes_by_age on pushes (created_at)`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
