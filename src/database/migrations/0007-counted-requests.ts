import { sql, type Kysely } from 'kysely'
import type { Engine } from '../database.ts'

/**
 * Counts a request for several callers (a session, its address, the network around that) in all their windows, or in
 * none when one is full: one statement for the servers, a function because it has to lock before it decides. The column
 * `counted` of the table is no longer read.
 */
export async function countedRequests(db: Kysely<unknown>, engine: Engine): Promise<void> {
  if (engine === 'sqlite') return // its one server counts in memory
  await sql.raw(countRequest).execute(db)
}

/*
 * New rows are made before any is locked, and rows are made and locked in one order: who waits for a row holds none that
 * its holder could wait for. Each statement sees what was committed before it, so the rows are those behind the locks.
 */
const countRequest = `
  create function count_request(
    callers text[], per_minute bigint[], per_hour bigint[], right_now timestamptz,
    minute_end timestamptz, latest_minute_end timestamptz, hour_end timestamptz, latest_hour_end timestamptz
  ) returns table (
    minute_ends_at timestamptz, minute_used bigint, hour_ends_at timestamptz, hour_used bigint, counted boolean
  ) language plpgsql as $$
  #variable_conflict use_column
  declare
    minute_ends timestamptz[] := array_fill(null::timestamptz, array[cardinality(callers)]);
    hour_ends timestamptz[] := minute_ends;
    minutes bigint[] := array_fill(0::bigint, array[cardinality(callers)]);
    hours bigint[] := minutes;
    kept rate_limits;
    place int;
    fits boolean := true;
  begin
    if (select count(*) from rate_limits r where r.caller = any (callers)) < cardinality(callers) then
      insert into rate_limits (caller, minute_ends_at, minute_used, hour_used, counted)
        select one, right_now, 0, 0, true from unnest(callers) as one order by one
        on conflict (caller) do nothing;
    end if;
    for kept in select * from rate_limits r where r.caller = any (callers) order by r.caller for update loop
      place := array_position(callers, kept.caller);
      if kept.minute_ends_at > right_now and kept.minute_ends_at <= latest_minute_end then
        minute_ends[place] := kept.minute_ends_at;
        minutes[place] := kept.minute_used;
      end if;
      if per_hour[place] is not null and kept.hour_ends_at > right_now and kept.hour_ends_at <= latest_hour_end then
        hour_ends[place] := kept.hour_ends_at;
        hours[place] := kept.hour_used;
      end if;
      fits := fits and minutes[place] < per_minute[place] and coalesce(hours[place] < per_hour[place], true);
    end loop;
    for place in 1 .. cardinality(callers) loop
      minute_ends_at := minute_ends[place];
      minute_used := minutes[place];
      hour_ends_at := hour_ends[place];
      hour_used := hours[place];
      counted := fits;
      if fits then
        minute_ends_at := coalesce(minute_ends_at, minute_end);
        minute_used := minute_used + 1;
        if per_hour[place] is not null then
          hour_ends_at := coalesce(hour_ends_at, hour_end);
          hour_used := hour_used + 1;
        end if;
        update rate_limits r
           set minute_ends_at = count_request.minute_ends_at, minute_used = count_request.minute_used,
               hour_ends_at = count_request.hour_ends_at, hour_used = count_request.hour_used
         where r.caller = callers[place];
      end if;
      return next;
    end loop;
  end $$`
