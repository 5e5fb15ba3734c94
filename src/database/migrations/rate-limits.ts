import type { Engine } from '../database.ts'

/**
 * The windows of the rate limits for servers that share PostgreSQL. On SQLite there is one server, which counts in
 * memory. The table is unlogged: a count writes nothing to the log, and a crash of the database resets all windows.
 * Free room in each page lets a count stay in its page and touch no index.
 */
export function rateLimitTables(engine: Engine): string[] {
  if (engine === 'sqlite') return []
  return [
    `create unlogged table rate_limits (
       caller text primary key,
       minute_ends_at timestamptz not null,
       minute_used bigint not null,
       hour_ends_at timestamptz,
       hour_used bigint not null,
       ends_at timestamptz not null generated always as (greatest(minute_ends_at, hour_ends_at)) stored
     ) with (fillfactor = 50)`,
    `create index rate_limits_by_end on rate_limits (ends_at)`,
  ]
}
