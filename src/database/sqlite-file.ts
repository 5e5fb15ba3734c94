import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OperatorError } from '../base/errors.ts'
import { isBusy, isCorrupt } from './sqlite-connection.ts'

/** Suffixes of the files next to a SQLite file. Without them it may lack the latest writes. */
export const sqliteCompanions = ['-wal', '-shm', '-journal']

/** Creates the folder of a SQLite file, accessible only to its owner, if it does not exist. */
export function makePrivateFolderOf(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
}

/**
 * Creates an empty SQLite file that only its owner can read, if it does not exist. SQLite would follow the umask. It
 * gives the files next to this one the same permissions.
 */
export function makePrivateFile(file: string): void {
  // never opens an existing file: closing it would drop this process's locks on it
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600))
}

/** Throws if the disk cannot take another mebibyte next to this file. */
export async function probeDiskSpace(file: string): Promise<void> {
  const probe = `${file}.room-trial`
  try {
    await writeFile(probe, Buffer.alloc(1_048_576), { mode: 0o600, flush: true })
  } finally {
    await rm(probe, { force: true })
  }
}

/** The result of checking a SQLite file. */
export interface SqliteContents {
  /** Errors of SQLite's integrity check. */
  damages: string[]
  /** Undefined if it is not a database of Holdfast. */
  migrations: string[] | undefined
  triggers: string[]
  bookings: number
  /** The latest change of a booking. Null if there is none. */
  latestChange: string | null
}

const busyTimeoutMs = 5_000

/**
 * Copies a SQLite file and its WAL as of one moment into an empty file. Writers may continue, because this is one read
 * transaction, which they cannot disturb. The copy has no WAL and is not flushed yet.
 */
export function copySqlite(from: string, to: string): void {
  const source = new DatabaseSync(from, { timeout: busyTimeoutMs })
  try {
    source.prepare('vacuum into ?').run(to)
  } finally {
    source.close()
  }
}

/** Reads the entire SQLite file and checks it. */
export function readSqlite(file: string): SqliteContents {
  const nothing = { migrations: undefined, triggers: [], bookings: 0, latestChange: null }
  const database = new DatabaseSync(file, { readOnly: true, timeout: busyTimeoutMs })
  try {
    const damages = texts(database, 'pragma integrity_check(5)').filter((line) => line !== 'ok')
    if (damages.length > 0) return { ...nothing, damages }
    const triggers = texts(database, `select name from sqlite_schema where type = 'trigger'`)
    const tables = texts(database, `select name from sqlite_schema where type = 'table'`)
    if (!['kysely_migration', 'claims', 'bookings'].every((table) => tables.includes(table))) {
      return { ...nothing, damages, triggers }
    }
    const migrations = texts(database, 'select name from kysely_migration order by name')
    const of = database.prepare('select count(*) as bookings, max(updated_at) as latest from bookings').get()
    const latestChange = of?.['latest'] === null ? null : String(of?.['latest'])
    return { damages, migrations, triggers, bookings: Number(of?.['bookings']), latestChange }
  } catch (error) {
    if (isCorrupt(error)) return { ...nothing, damages: [error.message] } // too corrupt even for the check
    throw error
  } finally {
    database.close()
  }
}

function texts(database: DatabaseSync, query: string): string[] {
  return database
    .prepare(query)
    .all()
    .map((row) => String(Object.values(row)[0]))
}

/**
 * Merges the WAL of a SQLite file into the file and locks it exclusively until `close`. `closed` is false if the file
 * is too corrupt for that. Throws an OperatorError while another program has it open.
 */
export function closeOff(file: string): { closed: boolean; close: () => void } {
  const database = new DatabaseSync(file, { timeout: busyTimeoutMs })
  const close = () => database.close()
  try {
    database.exec('pragma journal_mode = delete; begin exclusive')
    return { closed: true, close }
  } catch (error) {
    close()
    if (isCorrupt(error)) return { closed: false, close: () => undefined }
    if (!isBusy(error)) throw error
    throw new OperatorError(`Another program has ${file} open. Let it end first.`, { cause: error })
  }
}

/**
 * Locks a SQLite file for one server. Throws an OperatorError if another server holds it. SQLite itself locks a
 * separate lock file, so the operating system releases the lock even if the process is killed. The lock file is next to
 * the real file, because links may lead to it.
 */
export function takeServerLock(
  file: string,
  realFile: string,
  inUse = `Another Holdfast server already uses ${file}. Stop it first, or give this one another DATABASE_URL; several servers can share a PostgreSQL database.`,
): { close(): void } {
  makePrivateFile(serverLockOf(realFile))
  const lock = new DatabaseSync(serverLockOf(realFile), { timeout: 0 })
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive')
    return lock
  } catch (error) {
    lock.close()
    throw new OperatorError(inUse, { cause: error })
  }
}

/** Returns the path of the lock file. */
export function serverLockOf(file: string): string {
  return `${file}.server-lock`
}
