import type { Engine } from '../database.ts'

/**
 * The windows in which requests are counted, where several servers share PostgreSQL; on SQLite there is one
 * server, which counts in memory. Unlogged: a count costs no write to the log, and after a crash of the
 * database all windows begin anew. Room in each page lets a count stay in it and touch no index.
 *
 * `count_requests` counts the requests of a group in one statement: a function, because it has to lock before it decides.
 * Requests that are counted by the same callers (a session, its address, the network around that) are one set.
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
    countRequests,
  ]
}

/*
 * `callers` are distinct and sorted; rows are made and locked in that order, so that who waits for a row holds none that
 * its holder could wait for. Each statement of the function sees what was committed before it, so the rows are those
 * behind the locks. Set n has `sizes[n]` callers, given as places among `callers` in `members` with their limits beside
 * them, and wants `wanted[n]` requests counted: as many as fit in all its windows are. A row for each member tells its
 * windows before that (an end of null: not open) and how many were counted.
 */
const countRequests = `
  create function count_requests(
    callers text[], sizes int[], wanted bigint[], members int[], per_minute bigint[], per_hour bigint[],
    right_now timestamptz, minute_end timestamptz, latest_minute_end timestamptz,
    hour_end timestamptz, latest_hour_end timestamptz
  ) returns table (
    minute_ends_at timestamptz, minute_used bigint, hour_ends_at timestamptz, hour_used bigint, counted bigint
  ) language plpgsql as $$
  #variable_conflict use_column
  declare
    minute_ends timestamptz[] := array_fill(null::timestamptz, array[cardinality(callers)]);
    hour_ends timestamptz[] := minute_ends;
    minutes bigint[] := array_fill(0::bigint, array[cardinality(callers)]);
    hours bigint[] := minutes;
    kept rate_limits;
    one int;
    place int;
    first int := 1;
    fits bigint;
  begin
    if (select count(*) from rate_limits r where r.caller = any (callers)) < cardinality(callers) then
      insert into rate_limits (caller, minute_ends_at, minute_used, hour_used)
        select c, right_now, 0, 0 from unnest(callers) as c order by c
        on conflict (caller) do nothing;
    end if;
    for kept in select * from rate_limits r where r.caller = any (callers) order by r.caller for update loop
      place := array_position(callers, kept.caller);
      if kept.minute_ends_at > right_now and kept.minute_ends_at <= latest_minute_end then
        minute_ends[place] := kept.minute_ends_at;
        minutes[place] := kept.minute_used;
      end if;
      if kept.hour_ends_at > right_now and kept.hour_ends_at <= latest_hour_end then
        hour_ends[place] := kept.hour_ends_at;
        hours[place] := kept.hour_used;
      end if;
    end loop;
    for set_number in 1 .. cardinality(sizes) loop
      fits := wanted[set_number];
      for one in first .. first + sizes[set_number] - 1 loop
        place := members[one];
        fits := least(fits, per_minute[one] - minutes[place], per_hour[one] - hours[place]);
      end loop;
      fits := greatest(fits, 0);
      for one in first .. first + sizes[set_number] - 1 loop
        place := members[one];
        minute_ends_at := minute_ends[place];
        minute_used := minutes[place];
        hour_ends_at := case when per_hour[one] is not null then hour_ends[place] end;
        hour_used := case when per_hour[one] is not null then hours[place] else 0 end;
        counted := fits;
        return next;
        if fits > 0 then
          minute_ends[place] := coalesce(minute_ends[place], minute_end);
          minutes[place] := minutes[place] + fits;
          if per_hour[one] is not null then
            hour_ends[place] := coalesce(hour_ends[place], hour_end);
            hours[place] := hours[place] + fits;
          end if;
        end if;
      end loop;
      first := first + sizes[set_number];
    end loop;
    update rate_limits r
       set minute_ends_at = coalesce(c.minute_ends, right_now), minute_used = c.minutes,
           hour_ends_at = c.hour_ends, hour_used = c.hours
      from unnest(callers, minute_ends, minutes, hour_ends, hours) as c (caller, minute_ends, minutes, hour_ends, hours)
     where r.caller = c.caller;
  end $$`
