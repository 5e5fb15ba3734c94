import { type Kysely, sql } from 'kysely'
import { addressKey, hasEmail } from '../../base/contact-formats.ts'
import { systemIds } from '../../base/ids.ts'
import { nameKey } from '../../base/search-text.ts'
import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

/**
 * Clients are rows. A booking has the row of its client, found by name and address
 * (docs/decisions/0030-clients-are-rows.md). Triggers count the changes of bookings, whatever release makes them. Inserts
 * count in their own statement, because a server of an earlier release inserts bookings without a client. `adoptBookings`
 * gives those their client.
 */
export async function clients(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { rows } = await sql`select 1 from bookings limit 1`.execute(db)
  const statements = [
    ...clientTable(engine),
    `alter table bookings add column client_id ${columnTypes(engine).id}`,
    // PostgreSQL makes the indexes of a filled table without a lock, after the transaction
    ...(engine === 'sqlite' || rows.length === 0
      ? bookingIndexes.map(({ name, definition }) => `create index ${name} ${definition}`)
      : []),
    ...(engine === 'postgres' ? inPostgres : inSqlite),
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

/** Indexes of `bookings`. The second has only bookings that still need a client. */
export const bookingIndexes = [
  {
    name: 'bookings_by_client',
    definition: 'on bookings (client_id, starts_at) where client_id is not null',
  },
  {
    name: 'bookings_without_client',
    definition: `on bookings (business_id, id) where client_id is null and client_email <> ''`,
  },
] as const

/*
 * The one further index decides who is who, and is the order of lists. On SQLite the rows are in the index of their IDs,
 * so that a new client writes two pages.
 */
function clientTable(engine: Engine): string[] {
  const { id, instant, json, sortedText, table } = columnTypes(engine)
  const columns = `id ${id} primary key,
       business_id ${id} not null,
       name ${sortedText} not null,
       address ${sortedText} not null,
       first_name text not null,
       last_name text not null,
       email text,
       phone text,
       search text not null,
       locale text,
       time_zone text,
       notes text,
       tags_json ${json} not null default '[]',
       metadata_json ${json} not null default '{}',
       booking_count integer not null default 0 check (booking_count >= 0),
       no_show_count integer not null default 0 check (no_show_count >= 0),
       ${instant('last_booking_at')},
       is_kept integer not null default 0 check (is_kept in (0, 1)),
       merged_into ${id},
       ${instant('created_at')} not null`
  return [
    engine === 'sqlite' ? `${table('clients', columns)}, without rowid` : table('clients', columns),
    `create unique index clients_by_name on clients (business_id, name, address)`,
    `create index clients_kept on clients (business_id, created_at) where is_kept = 1`,
    `create index clients_merged on clients (merged_into) where merged_into is not null`,
    // leaves room for updates next to the row, which then touch no index
    ...(engine === 'postgres' ? [`alter table clients set (fillfactor = 85)`] : []),
  ]
}

/** The start of a client's last booking. */
const lastOf = (client: string) => `(
  select b.starts_at from bookings as b
   where b.client_id = ${client} and b.cancelled_at is null order by b.starts_at desc limit 1)`

const flag = (engine: Engine, condition: string) =>
  engine === 'postgres' ? `(${condition})::integer` : `(${condition})`

/** Counts of a client whose booking changed. */
const recount = (engine: Engine) => `
  update clients
     set booking_count = booking_count + ${flag(engine, 'new.cancelled_at is null')} - ${flag(engine, 'old.cancelled_at is null')},
         no_show_count = no_show_count + ${flag(engine, 'new.no_show_at is not null')} - ${flag(engine, 'old.no_show_at is not null')},
         last_booking_at = ${lastOf('new.client_id')}
   where business_id = new.business_id and id = new.client_id;`

const leave = (engine: Engine) => `
  update clients
     set booking_count = booking_count - ${flag(engine, 'old.cancelled_at is null')},
         no_show_count = no_show_count - ${flag(engine, 'old.no_show_at is not null')},
         last_booking_at = ${lastOf('old.client_id')}
   where business_id = old.business_id and id = old.client_id;
  delete from clients
   where business_id = old.business_id and id = old.client_id and merged_into is null
     and (is_kept = 0 or new.erased_at is not null)
     and not exists (select 1 from bookings as b where b.client_id = old.client_id);`

const join = (engine: Engine) => `
  update clients
     set booking_count = booking_count + ${flag(engine, 'new.cancelled_at is null')},
         no_show_count = no_show_count + ${flag(engine, 'new.no_show_at is not null')},
         last_booking_at = ${lastOf('new.client_id')}
   where business_id = new.business_id and id = new.client_id;`

/** The client stays, and something that is counted differs. */
const isRecounted = `
  new.client_id is not null and new.client_id = old.client_id and (
    (new.cancelled_at is null) <> (old.cancelled_at is null)
    or (new.no_show_at is null) <> (old.no_show_at is null) or new.starts_at <> old.starts_at)`

/** A server of an earlier release erased the client. */
const isErasedOnly = 'new.erased_at is not null and new.client_id is not null'
const forget = `
  update bookings set client_id = null where business_id = new.business_id and id = new.id;`

const isKeptText = (row: string) => `${row}.is_kept = 1 and ${row}.search <> ''`
const ofText = (engine: Engine) =>
  `business_id = old.business_id and email = old.address and ${engine === 'postgres' ? 'md5(text) = md5(old.search)' : 'text = old.search'}`
const addText = (engine: Engine) => `
  insert into client_texts (business_id, email, text, bookings)
  select new.business_id, new.address, new.search, 1 where ${isKeptText('new')}
  on conflict (business_id, email, ${engine === 'postgres' ? 'md5(text)' : 'text'}) do update set bookings = client_texts.bookings + 1;`
const removeText = (engine: Engine) => `
  update client_texts set bookings = bookings - 1 where ${ofText(engine)} and ${isKeptText('old')};
  delete from client_texts where ${ofText(engine)} and bookings = 0;`
const removeMerged = `
  delete from clients where business_id = old.business_id and merged_into = old.id;`

/** No JIT: it would compile each statement of a trigger for longer than the statement takes. */
const triggerFunction = (name: string, body: string) => `
  create function ${name}() returns trigger language plpgsql set jit = off as $$
  begin
    ${body}
    return null;
  end $$`

const rowTrigger = (
  name: string,
  { after, condition, call }: Record<'after' | 'condition' | 'call', string>,
) => `create trigger ${name} after ${after} for each row when (${condition}) execute function ${call}()`

/** Locks the clients first, so that the next statement sees the bookings of the transaction that had the lock. */
const lock = (ids: string) => `
  perform 1 from clients where business_id = new.business_id and id in (${ids}) order by name, address for update;`

const inPostgres = [
  triggerFunction('recount_client', `${lock('new.client_id')} ${recount('postgres')}`),
  triggerFunction(
    'move_to_client',
    `${lock('old.client_id, new.client_id')}
     if old.client_id is not null then ${leave('postgres')} end if;
     if new.client_id is not null then ${join('postgres')} end if;`,
  ),
  triggerFunction('forget_client', forget),
  triggerFunction('add_kept_text', addText('postgres')),
  triggerFunction('remove_kept_text', `${removeText('postgres')} ${removeMerged}`),
  triggerFunction('change_kept_text', `${addText('postgres')} ${removeText('postgres')}`),
  rowTrigger('bookings_recount_client', {
    after: 'update of cancelled_at, no_show_at, starts_at on bookings',
    condition: isRecounted,
    call: 'recount_client',
  }),
  rowTrigger('bookings_move_to_client', {
    after: 'update of client_id on bookings',
    condition: 'old.client_id is distinct from new.client_id',
    call: 'move_to_client',
  }),
  rowTrigger('bookings_forget_client', {
    after: 'update of erased_at on bookings',
    condition: isErasedOnly,
    call: 'forget_client',
  }),
  rowTrigger('clients_add_text', {
    after: 'insert on clients',
    condition: 'new.is_kept = 1',
    call: 'add_kept_text',
  }),
  rowTrigger('clients_change_text', {
    after: 'update of is_kept, search, address on clients',
    condition: `old.is_kept <> new.is_kept or new.is_kept = 1 and (old.search <> new.search or old.address <> new.address)`,
    call: 'change_kept_text',
  }),
  rowTrigger('clients_go', {
    after: 'delete on clients',
    condition: 'old.merged_into is null',
    call: 'remove_kept_text',
  }),
]

const inSqlite = [
  `create trigger bookings_recount_client after update of cancelled_at, no_show_at, starts_at on bookings
   when ${isRecounted}
   begin ${recount('sqlite')} end`,
  `create trigger bookings_move_to_client after update of client_id on bookings
   when old.client_id is not new.client_id
   begin ${leave('sqlite')} ${join('sqlite')} end`,
  `create trigger bookings_forget_client after update of erased_at on bookings
   when ${isErasedOnly}
   begin ${forget} end`,
  `create trigger clients_add_text after insert on clients when new.is_kept = 1
   begin ${addText('sqlite')} end`,
  `create trigger clients_change_text after update of is_kept, search, address on clients
   when old.is_kept <> new.is_kept or new.is_kept = 1 and (old.search <> new.search or old.address <> new.address)
   begin ${addText('sqlite')} ${removeText('sqlite')} end`,
  `create trigger clients_go after delete on clients when old.merged_into is null
   begin ${removeText('sqlite')} ${removeMerged} end`,
]

interface Unmatched {
  business_id: string
  id: string
  client_first_name: string
  client_last_name: string
  client_email: string
  client_phone: string | null
  client_search: string
  locale: string | null
  time_zone: string | null
  created_at: string
}

/**
 * Gives the next bookings without a client their client, the newest first, because the latest spelling of a name counts.
 * Returns the number of bookings read; fewer than `max` if none is left.
 */
export async function adoptBookings(
  db: Pick<Kysely<unknown>, 'getExecutor'>,
  engine: Engine,
  max: number,
): Promise<number> {
  const isPostgres = engine === 'postgres'
  const { rows: bookings } = await sql<Unmatched>`
    select business_id, id, client_first_name, client_last_name, client_email, client_phone, client_search,
           locale, time_zone, created_at
      from bookings where client_id is null and client_email <> ''
     order by business_id desc, id desc limit ${max}
     ${isPostgres ? sql`for update skip locked` : sql``}`.execute(db)
  if (bookings.length === 0) return 0
  const keyed = bookings.map((booking) => ({ booking, ...keyOf(booking) }))
  const found = new Map(keyed.map((one) => [textOf(one), one] as const).toReversed()) // the newest of each
  const clients = [...found].map(([key, { booking, name, address }]) => ({
    ...{ id: systemIds.next(), business_id: booking.business_id, name, address, key },
    ...{ first_name: booking.client_first_name, last_name: booking.client_last_name },
    ...{ email: hasEmail(booking.client_email) ? booking.client_email : null, phone: booking.client_phone },
    ...{ search: booking.client_search, locale: booking.locale, time_zone: booking.time_zone },
    created_at: booking.created_at,
  }))
  const matched = await sql<{ business_id: string; name: string; address: string; client_id: string }>`
    insert into clients (${sql.raw(clientNames.join(', '))})
    select ${sql.raw(clientNames.join(', '))} from ${given(clients, clientTypes, isPostgres)} as r
     where true order by business_id, name, address
    on conflict (business_id, name, address) do update
       set created_at = case when clients.is_kept = 1 then clients.created_at
                             else ${isPostgres ? sql`least` : sql`min`}(clients.created_at, excluded.created_at) end
    returning business_id, name, address, coalesce(merged_into, id) as client_id`.execute(db)
  const ids = new Map(matched.rows.map((row) => [textOf({ booking: row, ...row }), row.client_id]))
  const joins = keyed.map((one) => ({
    ...{ business_id: one.booking.business_id, id: one.booking.id, client_id: ids.get(textOf(one)) },
  }))
  await sql`
    update bookings set client_id = r.client_id from ${given(joins, joinTypes, isPostgres)} as r
     where bookings.business_id = r.business_id and bookings.id = r.id and bookings.client_id is null`.execute(
    db,
  )
  return bookings.length
}

function keyOf({ client_first_name: first_name, client_last_name: last_name, client_email }: Unmatched) {
  return { name: nameKey({ first_name, last_name }), address: addressKey(client_email) }
}

const textOf = (one: { booking: { business_id: string }; name: string; address: string }) =>
  [one.booking.business_id, one.name, one.address].join('\n')

const clientTypes = {
  ...{
    id: 'uuid',
    business_id: 'uuid',
    name: 'text',
    address: 'text',
    first_name: 'text',
    last_name: 'text',
  },
  ...{ email: 'text', phone: 'text', search: 'text', locale: 'text', time_zone: 'text' },
  created_at: 'timestamptz',
}
const clientNames = Object.keys(clientTypes)
const joinTypes = { business_id: 'uuid', id: 'uuid', client_id: 'uuid' }

/** Returns rows in place of a table. Migrations never change, so this one does not use `rowsOf`. */
function given(rows: object[], types: Record<string, string>, isPostgres: boolean) {
  const json = JSON.stringify(rows)
  const columns = Object.entries(types)
  if (isPostgres) {
    const list = columns.map(([name, type]) => `${name} ${type}`).join(', ')
    return sql`(select * from json_to_recordset(${json}::json) as r(${sql.raw(list)}))`
  }
  const list = columns.map(([name]) => `value ->> '${name}' as ${name}`).join(', ')
  return sql`(select ${sql.raw(list)} from json_each(${json}))`
}
