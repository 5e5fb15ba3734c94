import { Kysely, sql } from 'kysely'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { Context } from '../../src/context.ts'
import { postgresDialect } from '../../src/database/postgres-driver.ts'
import { sqliteDialect } from '../../src/database/sqlite-driver.ts'
import type { Tables } from '../../src/database/tables.ts'

type Loader = Kysely<Tables>

/** What is dropped before a load and made again after it: checked row by row, a million would take many minutes. */
interface Dropped {
  drop: string
  make: string
}

/** Writes many bookings and claims over a connection of its own, and makes their indexes and rules afterwards. */
export async function quickLoad(context: Context, work: (db: Loader) => Promise<void>): Promise<void> {
  const { database } = context.config
  const isFile = database.engine === 'sqlite'
  const db = isFile ? openFile(database.file) : openServer(database.url)
  try {
    const settings = isFile ? fileSettings : serverSettings
    for (const setting of settings) await sql.raw(setting).execute(db)
    const { rows } = await sql.raw<Dropped>(isFile ? ofFile : ofServer).execute(db)
    for (const { drop } of rows) await sql.raw(drop).execute(db)
    await work(db)
    for (const { make } of rows) await sql.raw(make).execute(db)
    for (const ending of isFile ? fileEndings : serverEndings) await sql.raw(ending).execute(db)
  } finally {
    await db.destroy()
  }
}

function openFile(file: string): Loader {
  return new Kysely({ dialect: sqliteDialect(new DatabaseSync(file), undefined, () => undefined) })
}

function openServer(connectionString: string): Loader {
  const pool = new pg.Pool({ connectionString, max: 1 })
  return new Kysely({ dialect: postgresDialect(pool, () => undefined) })
}

const fileSettings = ['pragma synchronous = off', 'pragma foreign_keys = off', 'pragma cache_size = -500000']

const fileEndings = ['analyze']
/** Done at once, and not in the background while something is measured. */
const serverEndings = ['vacuum (analyze) bookings, claims', 'checkpoint']

const ofFile = `
  select 'drop ' || type || ' ' || name as "drop", sql as make from sqlite_schema
   where tbl_name in ('bookings', 'claims') and type in ('index', 'trigger') and sql is not null`

const serverSettings = [
  'set session_replication_role = replica', // foreign keys are not asked
  'set synchronous_commit = off',
  `set maintenance_work_mem = '512MB'`,
]

const ofServer = `
  select 'alter table claims drop constraint ' || conname as "drop",
         'alter table claims add constraint ' || conname || ' ' || pg_get_constraintdef(oid) as make
    from pg_constraint where conrelid = 'claims'::regclass and contype = 'x'
  union all
  select 'drop index ' || i.indexrelid::regclass, pg_get_indexdef(i.indexrelid)
    from pg_index as i
   where i.indrelid in ('bookings'::regclass, 'claims'::regclass)
     and not exists (select 1 from pg_constraint as c where c.conindid = i.indexrelid)`
