import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

/**
 * Calendar accounts of staff, their calendars among the busy calendars, and the bookings that are written into them.
 * Triggers on bookings and the items of visits make writes due, for every writer. Writes have no key to bookings, which
 * may go before their events do.
 */
export async function calendarAccounts(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { id, instant, json, table } = columnTypes(engine)
  const statements = [
    table(
      'calendar_accounts',
      `id ${id} primary key,
       business_id ${id} not null references businesses (id),
       staff_id ${id} not null,
       kind text not null check (kind in ('caldav', 'google', 'microsoft')),
       address text not null,
       user_name text not null,
       credential_sealed text not null,
       calendars_json ${json} not null,
       writes_to text,
       ${instant('next_write_at')} not null,
       write_failures integer not null default 0,
       last_write_error text,
       ${instant('connected_at')} not null,
       ${instant('created_at')} not null,
       unique (staff_id, kind, address, user_name),
       foreign key (business_id, staff_id) references staff (business_id, id)`,
    ),
    `create index calendar_accounts_of_business on calendar_accounts (business_id, created_at, id)`,
    `create index calendar_accounts_written on calendar_accounts (staff_id) where writes_to is not null`,
    table(
      'calendar_writes',
      `account_id ${id} not null references calendar_accounts (id),
       booking_id ${id} not null,
       business_id ${id} not null,
       changes integer not null,
       put_backs integer not null default 0,
       attempts integer not null default 0,
       ${instant('due_at')},
       objects_json ${json} not null default '[]',
       primary key (account_id, booking_id)`,
    ),
    `create index calendar_writes_of_booking on calendar_writes (booking_id)`,
    `create index calendar_writes_due on calendar_writes (account_id, due_at) where due_at is not null`,
    `alter table busy_calendars add column account_id ${id} references calendar_accounts (id)`,
    `alter table busy_calendars add column name text`,
    `alter table busy_calendars add column keeps_busy integer not null default 1 check (keeps_busy in (0, 1))`,
    `create index busy_calendars_of_account on busy_calendars (account_id) where account_id is not null`,
    ...(engine === 'postgres' ? inPostgres : inSqlite),
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

/** A row is new, or due once more. `due_at` is when the booking was changed. */
const becomesDue = `on conflict (account_id, booking_id) do update
  set changes = calendar_writes.changes + 1, due_at = excluded.due_at, attempts = 0`

const columns = `calendar_writes (account_id, booking_id, business_id, changes, due_at)`

const ofBooking = `
  insert into ${columns}
  select a.id, new.id, new.business_id, 1, new.updated_at from calendar_accounts as a
   where a.staff_id = new.staff_id and a.writes_to is not null ${becomesDue};
  insert into ${columns}
  select distinct a.id, new.id, new.business_id, 1, new.updated_at
    from visit_items as v join calendar_accounts as a on a.staff_id = v.staff_id and a.writes_to is not null
   where v.visit_id = new.id and new.item_count is not null and v.staff_id <> new.staff_id ${becomesDue};`

const ofItem = `
  insert into ${columns}
  select a.id, b.id, b.business_id, 1, b.updated_at
    from calendar_accounts as a join bookings as b on b.id = new.visit_id
   where a.staff_id = new.staff_id and a.writes_to is not null ${becomesDue};`

const ofOthers = `
  update calendar_writes set changes = changes + 1, due_at = new.updated_at, attempts = 0 where booking_id = new.id;`

const gone = `
  update calendar_writes set changes = changes + 1, due_at = old.updated_at, attempts = 0 where booking_id = old.id;`

/** Spares bookings of all other businesses further statements. */
const isWritten = (row: 'new' | 'old') =>
  `exists (select 1 from calendar_accounts as a where a.business_id = ${row}.business_id)`

const changed = `starts_at, ends_at, staff_id, status, version, cancelled_at, erased_at, client_first_name,
  client_last_name, client_phone`

function postgresTrigger(
  name: string,
  when: string,
  statements: string,
  row: 'new' | 'old' = 'new',
): string[] {
  return [
    `create function ${name}() returns trigger language plpgsql as $$
      begin if ${isWritten(row)} then ${statements} end if; return null; end $$`,
    `create trigger ${name} after ${when} for each row execute function ${name}()`,
  ]
}

const inPostgres = [
  ...postgresTrigger('bookings_reach_calendars', 'insert on bookings', ofBooking),
  ...postgresTrigger('changes_reach_calendars', `update of ${changed} on bookings`, ofOthers + ofBooking),
  ...postgresTrigger('gone_bookings_leave_calendars', 'delete on bookings', gone, 'old'),
  ...postgresTrigger('items_reach_calendars', 'insert or update of staff_id on visit_items', ofItem),
]

const inSqlite = [
  `create trigger bookings_reach_calendars after insert on bookings when ${isWritten('new')}
   begin ${ofBooking} end`,
  `create trigger changes_reach_calendars after update of ${changed} on bookings when ${isWritten('new')}
   begin ${ofOthers} ${ofBooking} end`,
  `create trigger gone_bookings_leave_calendars after delete on bookings when ${isWritten('old')}
   begin ${gone} end`,
  `create trigger items_reach_calendars after insert on visit_items when ${isWritten('new')}
   begin ${ofItem} end`,
  `create trigger item_changes_reach_calendars after update of staff_id on visit_items when ${isWritten('new')}
   begin ${ofItem} end`,
]
