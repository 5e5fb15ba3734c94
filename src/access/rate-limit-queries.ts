import { sql } from 'kysely'
import type { Instant } from '../base/instants.ts'
import { cachedQuery, type Params } from '../database/cached-query.ts'
import type { Queries } from '../database/database.ts'
import { rowsOf, rowsText } from '../database/json-rows.ts'

/** Requests of a caller to count, with their limits. */
export interface WantedCount {
  caller: string
  wanted: number
  /** They fit if the minute has at most this many requests before them. */
  minuteMost: number
  /** The same for the hour. Null: they do not count in an hour. */
  hourMost: number | null
}

/** A caller's windows before the count. Null and 0 for windows that are not open. */
export interface WindowsRow {
  caller: string
  minute_ends_at: Instant | null
  minute_used: number
  hour_ends_at: Instant | null
  hour_used: number
  /** True if all requests of all callers fit and were counted. Otherwise nothing was counted. */
  fits: boolean
}

/** The end of a window that opens now, and the latest valid end. */
interface Ends {
  endsAt: Instant
  latestEnd: Instant
}

interface Counting {
  callers: string
  now: Instant
  minute: Ends
  hour: Ends
}

const wantedColumns = {
  caller: 'text',
  wanted: 'integer',
  minute_most: 'bigint',
  hour_most: 'bigint',
} as const

/*
 * Rows are locked in the order of `callers`, and new ones are then inserted in that order. A transaction waiting for an
 * insert holds only locks that no transaction past its inserts waits for. So no two wait for each other. A transaction
 * that waited for a lock sees the row behind it.
 */
const countQuery = cachedQuery((db: Queries, { callers, now, minute, hour }: Params<Counting>) => {
  const isOpen = (name: 'minute' | 'hour', { latestEnd }: Params<Ends>) => {
    const end = sql.ref(`k.${name}_ends_at`)
    return sql`${end} > ${now}::timestamptz and ${end} <= ${latestEnd}::timestamptz`
  }
  const open = { minute: isOpen('minute', minute), hour: isOpen('hour', hour) }
  return sql<WindowsRow>`
    with seen as materialized (
      select w.*, k.caller is null as is_new,
             case when ${open.minute} then k.minute_ends_at end as minute_ends_at,
             case when ${open.minute} then k.minute_used else 0 end as minute_used,
             case when ${open.hour} then k.hour_ends_at end as hour_ends_at,
             case when ${open.hour} then k.hour_used else 0 end as hour_used
        from ${rowsOf(db, wantedColumns, callers)} as w
        left join lateral (select * from rate_limits as r where r.caller = w.caller for update) as k on true
    ), judged as materialized (
      select bool_and(wanted = 0 or (minute_used <= minute_most and (hour_most is null or hour_used <= hour_most))) as fits
        from seen
    ), made as (
      insert into rate_limits (caller, minute_ends_at, minute_used, hour_ends_at, hour_used)
      select caller, ${minute.endsAt}::timestamptz, wanted, case when hour_most is not null then ${hour.endsAt}::timestamptz end,
             case when hour_most is null then 0 else wanted end
        from seen
       where is_new and wanted > 0 and (select fits from judged)
       order by caller
      on conflict (caller) do nothing
      returning caller
    ), joined as (
      update rate_limits as r
         set minute_ends_at = coalesce(s.minute_ends_at, ${minute.endsAt}::timestamptz),
             minute_used = s.minute_used + s.wanted,
             hour_ends_at = case when s.hour_most is null then s.hour_ends_at else coalesce(s.hour_ends_at, ${hour.endsAt}::timestamptz) end,
             hour_used = s.hour_used + case when s.hour_most is null then 0 else s.wanted end
        from seen as s
       where r.caller = any (array(select caller from seen)) -- by the index, also where there are no statistics
         and r.caller = s.caller and s.wanted > 0 and (select fits from judged)
    )
    select caller, minute_ends_at, minute_used, hour_ends_at, hour_used, fits
      from seen, judged
     -- fails, and counts nothing, if another server made a caller meanwhile
     where 1 / case when fits and is_new and wanted > 0 and caller not in (select caller from made) then 0 else 1 end = 1`
})

/** PostgreSQL's code for a division by zero. */
const raced = '22012'

/**
 * Counts requests of distinct, sorted callers if all of them fit, and none otherwise. Returns the windows of each
 * caller before the count. Returns undefined if another server simultaneously counted a caller for the first time. Then
 * nothing was counted.
 */
export async function countRequests(
  db: Queries,
  wanted: readonly WantedCount[],
  times: Omit<Counting, 'callers'>,
): Promise<WindowsRow[] | undefined> {
  const callers = wanted.map(({ minuteMost: minute_most, hourMost: hour_most, ...rest }) => ({
    ...rest,
    minute_most,
    hour_most,
  }))
  try {
    return (await countQuery(db, { callers: rowsText(db, wantedColumns, callers), ...times })).rows
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === raced) return undefined
    throw error
  }
}

/** Deletes up to `max` rows whose windows have all ended and returns their number. */
export async function deleteOldWindows(db: Queries, before: Instant, max: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from rate_limits where caller in (
      select caller from rate_limits where ends_at < ${before} limit ${max} for update skip locked)`.execute(
    db,
  )
  return Number(numAffectedRows ?? 0)
}
