import { sql } from 'kysely'
import { compiledOnce, type Given } from '../database/compiled-once.ts'
import type { Queries } from '../database/database.ts'
import type { Instant } from '../instants.ts'

/** A row of `rate_limits`. An hour that is null has no limit. */
export interface WindowsRow {
  minute_ends_at: Instant
  minute_used: number
  hour_ends_at: Instant | null
  hour_used: number
  /** Whether the last request was counted. */
  counted: boolean
}

/** A window of a request: how many fit, when it ends if it opens now, and the latest end that is believed. */
export interface WindowOfRequest {
  most: number
  endsAt: Instant
  latestEnd: Instant
}

/** Whose request is counted, when, and against what; without an hour where only the minute is limited. */
export interface RequestToCount {
  caller: string
  now: Instant
  minute: WindowOfRequest
  hour: WindowOfRequest | null
}

const counting = compiledOnce((_db, { caller, now, minute, hour }: Given<RequestToCount>) => {
  const hourMost = hour?.most ?? 0
  const hourLatest = hour?.latestEnd ?? null
  return sql<WindowsRow>`
    insert into rate_limits as kept (caller, minute_ends_at, minute_used, hour_ends_at, hour_used, counted)
    values (${caller}, ${minute.endsAt}, 1, ${hour?.endsAt ?? null}, 1, true)
    on conflict (caller) do update set (minute_ends_at, minute_used, hour_ends_at, hour_used, counted) = (
      select case when fits and not minute_open then excluded.minute_ends_at else kept.minute_ends_at end,
             case when not fits then kept.minute_used when minute_open then kept.minute_used + 1 else 1 end,
             case when fits and not hour_open then excluded.hour_ends_at else kept.hour_ends_at end,
             case when not fits then kept.hour_used when hour_open then kept.hour_used + 1 else 1 end,
             fits
        from (select kept.minute_ends_at > ${now} and kept.minute_ends_at <= ${minute.latestEnd} as minute_open,
                     coalesce(kept.hour_ends_at > ${now} and kept.hour_ends_at <= ${hourLatest}, false) as hour_open
             ) as window_now,
             lateral (select not (minute_open and kept.minute_used >= ${minute.most})
                         and not (hour_open and kept.hour_used >= ${hourMost}) as fits) as decision)
    returning minute_ends_at, minute_used, hour_ends_at, hour_used, counted`
})

/**
 * Counts a request in both windows, or in none when one is full: one statement on one row, which its lock
 * makes exact over all servers. A refused request writes too, so that what it returns is the row as it is and
 * not as the statement's snapshot had it.
 */
export async function countRequest(db: Queries, request: RequestToCount): Promise<WindowsRow> {
  const { rows } = await counting(db, request)
  if (!rows[0]) throw new Error('an upsert gave no row back')
  return rows[0]
}

/** The windows of a caller as they were counted last, whether or not they are over. */
export async function findWindows(db: Queries, caller: string): Promise<WindowsRow | undefined> {
  const { rows } = await sql<WindowsRow>`
    select minute_ends_at, minute_used, hour_ends_at, hour_used, counted
      from rate_limits where caller = ${caller}`.execute(db)
  return rows[0]
}

/** Deletes up to `most` rows whose windows were all over before an instant. Tells how many. */
export async function deleteOldWindows(db: Queries, before: Instant, most: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from rate_limits where caller in (
      select caller from rate_limits where ends_at < ${before} limit ${most} for update skip locked)`.execute(
    db,
  )
  return Number(numAffectedRows ?? 0)
}
