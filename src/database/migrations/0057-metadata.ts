import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

/**
 * Metadata of holds and bookings, and an index of values for searches among bookings and clients. Triggers keep it, so
 * that it fits whatever writes a row. Rows without metadata fire none.
 */
export async function metadata(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { id, json, sortedText, table } = columnTypes(engine)
  const columns = `business_id ${id} not null,
       name ${sortedText} not null,
       value ${sortedText} not null,
       subject_id ${id} not null,
       primary key (business_id, name, value, subject_id)`
  const statements = [
    'alter table claims add column metadata_json text',
    `alter table bookings add column metadata_json ${json}`,
    engine === 'sqlite'
      ? `${table('metadata_values', columns)}, without rowid`
      : table('metadata_values', columns),
    'create index metadata_values_by_subject on metadata_values (subject_id)',
    `insert into metadata_values ${valuesOf(engine, 'c', 'clients as c,')} where ${hasAny('c')}`,
    ...(engine === 'postgres' ? inPostgres : inSqlite),
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

/** Rows with at least one entry. Clients without one have an empty object, bookings null. */
const hasAny = (row: string) => `${row}.metadata_json is not null and ${row}.metadata_json <> '{}'`

const valuesOf = (engine: Engine, row: string, from = '') => {
  const entries = `${engine === 'postgres' ? 'jsonb_each_text' : 'json_each'}(${row}.metadata_json) as e`
  return `select ${row}.business_id, e.key, e.value, ${row}.id from ${from} ${entries}`
}

const remove = 'delete from metadata_values where subject_id = old.id;'
const add = (engine: Engine) => `insert into metadata_values ${valuesOf(engine, 'new')};`

/** Neither a trigger of an insert nor one of a deletion runs for most rows. */
const triggers = (engine: Engine) => {
  const isOther =
    engine === 'postgres'
      ? 'old.metadata_json is distinct from new.metadata_json'
      : 'old.metadata_json is not new.metadata_json'
  const again = `${remove} ${add(engine).replace(';', ` where ${hasAny('new')};`)}`
  return [
    { name: 'add_metadata', event: 'insert', condition: hasAny('new'), body: add(engine) },
    { name: 'change_metadata', event: 'update of metadata_json', condition: isOther, body: again },
    { name: 'remove_metadata', event: 'delete', condition: hasAny('old'), body: remove },
  ]
}

const tables = ['bookings', 'clients']

const inPostgres = triggers('postgres').flatMap(({ name, event, condition, body }) => [
  `create function ${name}() returns trigger language plpgsql set jit = off as $$
   begin
     ${body}
     return null;
   end $$`,
  ...tables.map(
    (table) => `create trigger ${table}_${name} after ${event} on ${table}
      for each row when (${condition}) execute function ${name}()`,
  ),
])

const inSqlite = triggers('sqlite').flatMap(({ name, event, condition, body }) =>
  tables.map(
    (table) =>
      `create trigger ${table}_${name} after ${event} on ${table} when ${condition} begin ${body} end`,
  ),
)
