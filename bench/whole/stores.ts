import { copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { Engine } from '../../src/database/database.ts'

/** Databases of a benchmark: empty ones, and copies of one that is made once. */
export interface Stores {
  engine: Engine
  /** Gives the URL of an empty database, or of a copy of one that nobody uses at the moment. */
  make(copyOf?: string): Promise<string>
  drop(url: string): Promise<void>
  /** Bytes on the disk. */
  size(url: string): Promise<number>
  /** Process ids of the connections to a database, as far as there are any. */
  backends(url: string): Promise<number[]>
  /** Drops what is left of all of them. */
  close(): Promise<void>
}

/** SQLite files in a directory of their own. */
export function sqliteStores(): Stores {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-bench-'))
  const clear = () => {
    rmSync(directory, { recursive: true, force: true })
  }
  process.once('exit', clear) // also when it is ended early
  let made = 0
  const fileOf = (url: string) => url.slice('sqlite:'.length)
  return {
    engine: 'sqlite',
    make: async (copyOf) => {
      made += 1
      const file = join(directory, `${made}.db`)
      if (copyOf !== undefined) copyFileSync(fileOf(copyOf), file)
      return `sqlite:${file}`
    },
    drop: async (url) => {
      for (const ending of ['', '-wal', '-shm', '.server-lock']) rmSync(fileOf(url) + ending, { force: true })
    },
    size: async (url) => statSync(fileOf(url)).size,
    backends: async () => [],
    close: async () => {
      clear()
    },
  }
}

/** Databases on a PostgreSQL server. The tests clear away what a run that was killed has left. */
export async function postgresStores(serverUrl: string): Promise<Stores & { version: string }> {
  const admin = new pg.Client({ connectionString: serverUrl })
  await admin.connect()
  const about = `select split_part(version(), ' on ', 1) as version,
    current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit`
  const [row] = (await admin.query<{ version: string; fsync: string; commit: string }>(about)).rows
  const names: string[] = []
  const nameOf = (url: string) => new URL(url).pathname.slice(1)
  const drop = async (name: string) => {
    await admin.query(`drop database if exists ${name} with (force)`)
  }
  return {
    engine: 'postgres',
    version: row ? `${row.version} (fsync ${row.fsync}, synchronous_commit ${row.commit})` : '',
    make: async (copyOf) => {
      const name = `holdfast_test_${process.pid}_${1_000 + names.length}`
      names.push(name)
      await admin.query(
        `create database ${name}${copyOf === undefined ? '' : ` template ${nameOf(copyOf)} strategy file_copy`}`,
      )
      const url = new URL(serverUrl)
      url.pathname = `/${name}`
      return url.href
    },
    drop: (url) => drop(nameOf(url)),
    size: async (url) => {
      const bytes = 'select pg_database_size($1)::float8 as bytes'
      return (await admin.query<{ bytes: number }>(bytes, [nameOf(url)])).rows[0]?.bytes ?? NaN
    },
    backends: async (url) => {
      const ofIt = 'select pid from pg_stat_activity where datname = $1'
      return (await admin.query<{ pid: number }>(ofIt, [nameOf(url)])).rows.map(({ pid }) => pid)
    },
    close: async () => {
      for (const name of names) await drop(name)
      await admin.end()
    },
  }
}
