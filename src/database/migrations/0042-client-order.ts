import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

/**
 * Sorts clients as the language of their business does. The key is empty where plain letters suffice. No row is
 * rewritten, and the clients of an older server have a position. `client_sorts` lists the businesses whose keys
 * housekeeping has to make again, with its position in their clients.
 */
export async function clientOrder(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { id, sortedText, table } = columnTypes(engine)
  const { rows } = await sql`select 1 from clients limit 1`.execute(db)
  const statements = [
    `alter table clients add column sort_key ${sortedText}`,
    // PostgreSQL makes the index of a filled table without a lock, after the transaction
    ...(engine === 'sqlite' || rows.length === 0
      ? clientIndexes.map(({ name, definition }) => `create index ${name} ${definition}`)
      : []),
    table(
      'client_sorts',
      `business_id ${id} primary key references businesses (id),
       name ${sortedText} not null default '',
       address ${sortedText} not null default ''`,
    ),
    `insert into client_sorts (business_id)
     select id from businesses where substr(locale, 1, 2) in ('es', 'pl', 'tr', 'sv', 'fi', 'da', 'nb', 'nn', 'no', 'ar', 'ja')`,
    ...(engine === 'postgres'
      ? [
          `create function sort_clients() returns trigger language plpgsql as $$
           begin ${restart} return null; end $$`,
          `create trigger businesses_sort_clients after update of locale on businesses
           for each row when (old.locale <> new.locale) execute function sort_clients()`,
        ]
      : [
          `create trigger businesses_sort_clients after update of locale on businesses when old.locale <> new.locale
           begin ${restart} end`,
        ]),
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const restart = `
  insert into client_sorts (business_id) values (new.id)
  on conflict (business_id) do update set name = '', address = '';`

/** The order of lists. */
export const clientIndexes = [
  { name: 'clients_in_order', definition: 'on clients (business_id, coalesce(sort_key, name), id)' },
] as const
