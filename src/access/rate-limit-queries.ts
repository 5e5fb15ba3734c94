import { sql } from 'kysely'
import type { Instant } from '../base/instants.ts'
import type { Queries } from '../database/database.ts'

/** A caller's windows before its set was counted; null and 0 where none is open. */
export interface WindowsRow {
  minute_ends_at: Instant | null
  minute_used: number
  hour_ends_at: Instant | null
  hour_used: number
  /** How many requests of the set fit and were counted, for all its callers. */
  counted: number
}

/** The end of a window that opens now, and the latest valid end. */
interface Ends {
  endsAt: Instant
  latestEnd: Instant
}

/** Requests that count for the same callers. */
interface RequestSet {
  callers: string[]
  perMinute: number[]
  /** Null for no hourly limit. */
  perHour: (number | null)[]
  /** How many requests there are. */
  wanted: number
}

/** Counts as many requests of each set as fit. Returns a row per caller of each set, in order. */
export async function countRequests(
  db: Queries,
  sets: RequestSet[],
  { now, minute, hour }: { now: Instant; minute: Ends; hour: Ends },
): Promise<WindowsRow[]> {
  const callers = [...new Set(sets.flatMap((set) => set.callers))].sort()
  const places = new Map(callers.map((caller, index) => [caller, index + 1]))
  const members = sets.flatMap((set) => set.callers.map((caller) => places.get(caller) ?? 0))
  const { rows } = await sql<WindowsRow>`
    select minute_ends_at, minute_used, hour_ends_at, hour_used, counted
      from count_requests(
        ${callers}::text[], ${sets.map((set) => set.callers.length)}::int[], ${sets.map(({ wanted }) => wanted)}::bigint[],
        ${members}::int[], ${sets.flatMap(({ perMinute }) => perMinute)}::bigint[],
        ${sets.flatMap(({ perHour }) => perHour)}::bigint[], ${now},
        ${minute.endsAt}, ${minute.latestEnd}, ${hour.endsAt}, ${hour.latestEnd})`.execute(db)
  if (rows.length !== members.length) throw new Error('count_requests returned too few rows')
  return rows
}

/** Deletes up to `max` rows whose windows are all over. Returns how many. */
export async function deleteOldWindows(db: Queries, before: Instant, max: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from rate_limits where caller in (
      select caller from rate_limits where ends_at < ${before} limit ${max} for update skip locked)`.execute(
    db,
  )
  return Number(numAffectedRows ?? 0)
}
