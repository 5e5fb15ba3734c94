import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OperatorError } from '../errors.ts'
import { isBusy, isDamage } from './sqlite-errors.ts'

/** What belongs to a SQLite file beside it: without them it may lack what was written last. */
export const sqliteCompanions = ['-wal', '-shm', '-journal']

/** Makes the folder of a SQLite file, for its owner alone, where there is none. */
export function makePrivateFolderOf(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
}

/**
 * Makes an empty SQLite file that only its owner can read, where there is none: SQLite would make one that follows the
 * umask. It gives the files beside the rights of this one.
 */
export function makePrivateFile(file: string): void {
  // not for a file that is there: to close it would give up the locks that this process has on it
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600))
}

const trialBytes = 1_048_576

/** Throws when there is no room for a file of a mebibyte beside this one. */
export async function tryRoomBeside(file: string): Promise<void> {
  const trial = `${file}.room-trial`
  try {
    await writeFile(trial, Buffer.alloc(trialBytes), { mode: 0o600, flush: true })
  } finally {
    await rm(trial, { force: true })
  }
}

/** What a SQLite file holds, as far as a backup is judged by it. */
export interface SqliteContents {
  /** What SQLite's own check says; empty when all is well. */
  damages: string[]
  /** The migrations that have run; undefined when it is no database of Holdfast. */
  migrations: string[] | undefined
  triggers: string[]
  bookings: number
  /** The latest change of a booking; null without one. */
  latestChange: string | null
}

const busyTimeoutMs = 5_000

/**
 * Copies a SQLite file, with what lies in its WAL, as of one moment, into an empty one. Others may write meanwhile: it is
 * one read transaction, which nothing can disturb, so it ends however busy they are. What it writes is one file, without
 * a WAL, and is not flushed yet.
 */
export function copySqlite(from: string, to: string): void {
  const source = new DatabaseSync(from, { timeout: busyTimeoutMs })
  try {
    source.prepare('vacuum into ?').run(to)
  } finally {
    source.close()
  }
}

/** Reads all of a SQLite file and checks it. */
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
    if (isDamage(error)) return { ...nothing, damages: [error.message] } // too damaged even for the check
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
 * Puts all of a SQLite file into the file itself, so that it has no WAL, and keeps everybody else out of it until it is
 * closed. False when it is too damaged for that. Throws an OperatorError while another program has it open.
 */
export function closeOff(file: string): { closed: boolean; close: () => void } {
  const database = new DatabaseSync(file, { timeout: busyTimeoutMs })
  const close = () => database.close()
  try {
    database.exec('pragma journal_mode = delete; begin exclusive')
    return { closed: true, close }
  } catch (error) {
    close()
    if (isDamage(error)) return { closed: false, close: () => undefined }
    if (!isBusy(error)) throw error
    throw new OperatorError(`Another program has ${file} open. Let it end first.`, { cause: error })
  }
}
