import { sql } from 'kysely'
import { compiledOnce, type Given } from '../database/compiled-once.ts'
import type { Queries } from '../database/database.ts'
import type { Instant } from '../instants.ts'

/** The windows of one caller after a request; null and 0 where none is open. */
export interface WindowsRow {
  minute_ends_at: Instant | null
  minute_used: number
  hour_ends_at: Instant | null
  hour_used: number
  /** Whether the request was counted, which holds for all callers of it. */
  counted: boolean
}

/** When a window ends if it opens now, and the latest end that is believed. */
interface Ends {
  endsAt: Instant
  latestEnd: Instant
}

/** Who is counted by a request, when, and how many fit; null where the hour has no limit. */
export interface RequestToCount {
  callers: string[]
  perMinute: number[]
  perHour: (number | null)[]
  now: Instant
  minute: Ends
  hour: Ends
}

const counting = compiledOnce(
  (_db, { callers, perMinute, perHour, now, minute, hour }: Given<RequestToCount>) => sql<WindowsRow>`
    select minute_ends_at, minute_used, hour_ends_at, hour_used, counted
      from count_request(
        array[${sql.join(callers)}]::text[], array[${sql.join(perMinute)}]::bigint[],
        array[${sql.join(perHour)}]::bigint[], ${now},
        ${minute.endsAt}, ${minute.latestEnd}, ${hour.endsAt}, ${hour.latestEnd})`,
)

/** Counts a request in all windows of its callers, or in none when one is full. A row for each caller, in their order. */
export async function countRequest(db: Queries, request: RequestToCount): Promise<WindowsRow[]> {
  const { rows } = await counting(db, request)
  if (rows.length !== request.callers.length) throw new Error('a caller was given no windows back')
  return rows
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
