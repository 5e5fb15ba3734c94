import { type Expression, type SqlBool, sql } from 'kysely'
import type { Instant } from '../base/instants.ts'
import type { Queries, Reads } from '../database/database.ts'
import type { BusyCalendarsTable } from '../database/tables.ts'
import { type BusyCalendarRow, selectBusyCalendars } from './busy-calendar-queries.ts'

/** Finds the calendar whose channel is most overdue. Failing accounts and inactive staff wait. */
export function findDueChannel(db: Reads, now: Instant): Promise<BusyCalendarRow | undefined> {
  return selectBusyCalendars(db)
    .innerJoin('staff as s', 's.id', 'c.staff_id')
    .where('s.deactivated_at', 'is', null)
    .where('c.last_error', 'is', null)
    .where('c.channel_due_at', '<=', now)
    .orderBy('c.channel_due_at')
    .limit(1)
    .executeTakeFirst()
}

type Channel = Pick<
  BusyCalendarsTable,
  'channel_id' | 'channel_key' | 'channel_until' | 'channel_due_at' | 'channel_failures'
>

/** Changes the channel of a calendar while its lease holds. Returns false otherwise. */
export async function updateChannel(
  db: Queries,
  { id, channel_due_at }: Pick<BusyCalendarRow, 'id' | 'channel_due_at'>,
  changes: Partial<Channel>,
): Promise<boolean> {
  const changed = await db
    .updateTable('busy_calendars')
    .set(changes)
    .where('id', '=', id)
    .where('channel_due_at', '=', channel_due_at)
    .returning('id')
    .executeTakeFirst()
  return changed !== undefined
}

/** Makes a calendar due, or remembers the report until its reading ends. Failing ones keep their pause. */
export async function storePush(
  db: Queries,
  channelId: string,
  { now, isMissed }: { now: Instant; isMissed: boolean },
): Promise<void> {
  const isIdle: Expression<SqlBool> = sql<boolean>`(reading_until is null or reading_until <= ${now})`
  await db
    .updateTable('busy_calendars')
    .set(({ eb, ref }) => ({
      pushed_at: now,
      next_fetch_at: eb.case().when(isIdle).then(now).else(ref('next_fetch_at')).end(),
      ...(isMissed && { etag: null }),
    }))
    .where('channel_id', '=', channelId)
    .where('last_error', 'is', null)
    .execute()
}

/** Makes a channel due for its renewal. `isGone` if the provider has ended it. */
export async function renewChannel(
  db: Queries,
  channelId: string,
  { now, isGone }: { now: Instant; isGone: boolean },
): Promise<void> {
  await db
    .updateTable('busy_calendars')
    .set({ channel_due_at: now, ...(isGone && { channel_key: null, channel_until: null }) })
    .where('channel_id', '=', channelId)
    .execute()
}
