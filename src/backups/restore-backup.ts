import { existsSync, readdirSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { systemClock } from '../clock.ts'
import { serverLockOf, takeServerLock } from '../database/server-lock.ts'
import {
  closeOff,
  copySqlite,
  makePrivateFile,
  makePrivateFolderOf,
  readSqlite,
  sqliteCompanions,
  type SqliteContents,
} from '../database/sqlite-file.ts'
import { OperatorError, UsageError } from '../errors.ts'
import type { Instant } from '../instants.ts'
import { assertRestorable } from './assert-restorable.ts'
import { flush, isSameFile, makeLike, nameToo, replaceBy } from './durable-files.ts'

/** What was restored, and what became of the database before. */
export interface RestoreReport {
  file: string
  bookings: number
  /** The latest change of a booking in it; null without one. */
  latest_change: string | null
  /** Where the database of before lies; null when there was none. */
  kept: string | null
}

/**
 * Puts a backup in the place of the database, which is kept beside under another name. Of the database there is, at every
 * step, either the whole old one or the whole new one, so that one that was killed is simply run again. Throws an
 * OperatorError when a server runs, when somebody has the database open, or when the backup is none.
 */
export function restoreBackup(backup: string, database: string): RestoreReport {
  if (!existsSync(backup)) throw new UsageError(`There is no file ${backup}.`)
  const file = realPathOf(database)
  if (isSameFile(backup, file)) throw new UsageError(`${backup} is the database itself.`)
  let lock: { close(): void } | undefined
  try {
    lock = takePlaceOfServer(file)
    const contents = prepare(backup, file)
    const kept = exchange(file)
    return { file, bookings: contents.bookings, latest_change: contents.latestChange, kept }
  } catch (error) {
    if (error instanceof OperatorError) throw error
    const reason = error instanceof Error ? error.message : 'unknown'
    throw new OperatorError(`${backup} could not be restored (${reason}). The database is as it was.`, {
      cause: error,
    })
  } finally {
    lock?.close()
  }
}

/** A link leads to the file that is replaced. */
function realPathOf(database: string): string {
  if (existsSync(database)) return realpathSync(database)
  makePrivateFolderOf(database)
  return join(realpathSync(dirname(database)), basename(database))
}

function takePlaceOfServer(file: string): { close(): void } {
  const isNew = !existsSync(serverLockOf(file))
  const lock = takeServerLock(file, file)
  if (isNew) makeLike(serverLockOf(file), statSync(dirname(file)))
  return lock
}

function restoringName(file: string): string {
  return `${file}.restoring`
}

/** Makes the new file, complete, checked and on the disk, beside the old one. */
function prepare(backup: string, file: string): SqliteContents {
  const restoring = restoringName(file)
  // what a killed restore has left
  for (const ending of ['', ...sqliteCompanions]) rmSync(restoring + ending, { force: true })
  try {
    makePrivateFile(restoring)
    copySqlite(backup, restoring)
    const contents = readSqlite(restoring)
    assertRestorable(backup, contents)
    const old = statSync(file, { throwIfNoEntry: false })
    makeLike(restoring, old ?? statSync(dirname(file)))
    flush(restoring)
    return contents
  } catch (error) {
    for (const ending of ['', ...sqliteCompanions]) rmSync(restoring + ending, { force: true })
    throw error
  }
}

/**
 * Lets the new file take the name of the old one, which has got another before. Nothing of the old one may lie beside
 * then: SQLite would take its WAL for a part of the new one.
 */
function exchange(file: string): string | null {
  const isThere = existsSync(file)
  const { closed, close } = isThere ? closeOff(file) : { closed: false, close: () => undefined }
  try {
    const kept = keepOld(file, systemClock.now())
    if (!closed) keepCompanions(file, kept)
    replaceBy(restoringName(file), file)
    if (isThere) makeLike(kept, statSync(kept))
    return isThere ? kept : null
  } finally {
    close()
  }
}

const mostNames = 100

/** Gives the old file a second name, which it keeps; returns that. One that a killed restore has given it will do. */
function keepOld(file: string, now: Instant): string {
  const directory = dirname(file)
  const prefix = `${basename(file)}.before-restore-`
  const given = readdirSync(directory).find(
    (name) => name.startsWith(prefix) && isSameFile(join(directory, name), file),
  )
  if (given !== undefined) return join(directory, given)
  const time = now.slice(0, 19).replaceAll(/[-:]/g, '')
  for (let turn = 1; turn <= mostNames; turn += 1) {
    const kept = join(directory, `${prefix}${time}${turn === 1 ? '' : `-${turn}`}`)
    if (existsSync(file) ? nameToo(file, kept) : !existsSync(kept)) {
      flush(directory)
      return kept
    }
  }
  throw new OperatorError(`There are too many files that begin with ${prefix}.`)
}

/** Of a file that is damaged or gone, what lies beside goes with it: it may be needed to save something. */
function keepCompanions(file: string, kept: string): void {
  for (const ending of sqliteCompanions) {
    if (existsSync(file + ending)) renameSync(file + ending, kept + ending)
  }
  flush(dirname(file))
}
