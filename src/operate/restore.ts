import { existsSync, readdirSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { systemClock } from '../base/clock.ts'
import { OperatorError, UsageError } from '../base/errors.ts'
import type { Instant } from '../base/instants.ts'
import { migrationNames } from '../database/migrate.ts'
import { overlapRuleNames } from '../database/migrations/claim-rules.ts'
import {
  closeOff,
  copySqlite,
  makePrivateFile,
  makePrivateFolderOf,
  readSqlite,
  serverLockOf,
  sqliteCompanions,
  type SqliteContents,
  takeServerLock,
} from '../database/sqlite-file.ts'
import { flush, isSameFile, makeLike, nameToo, replaceBy } from './durable-files.ts'

interface RestoreReport {
  file: string
  bookings: number
  /** The latest change of a booking. Null if there is none. */
  latest_change: string | null
  /** The path of the old database. Null if there was none. */
  kept: string | null
}

const maxNames = 100

/**
 * Restores a backup and keeps the old database under another name. At every step the complete old or new database is in
 * place, so a killed restore can simply run again. Throws an OperatorError if a server is running, the database is open
 * elsewhere, or the backup is invalid.
 */
export function restoreBackup(backup: string, database: string): RestoreReport {
  if (!existsSync(backup)) throw new UsageError(`There is no file ${backup}.`)
  const file = realPathOf(database)
  if (isSameFile(backup, file)) throw new UsageError(`${backup} is the database itself.`)
  let lock: { close(): void } | undefined
  try {
    lock = takePlaceOfServer(file)
    const contents = prepare(backup, file)
    const kept = swapFiles(file)
    return { file, bookings: contents.bookings, latest_change: contents.latestChange, kept }
  } catch (error) {
    if (error instanceof OperatorError) throw error
    const reason = error instanceof Error ? error.message : 'unknown'
    throw new OperatorError(`${backup} could not be restored (${reason}). The database is unchanged.`, {
      cause: error,
    })
  } finally {
    lock?.close()
  }
}

/** Follows a link to the file to replace. */
function realPathOf(database: string): string {
  if (existsSync(database)) return realpathSync(database)
  makePrivateFolderOf(database)
  return join(realpathSync(dirname(database)), basename(database))
}

function takePlaceOfServer(file: string): { close(): void } {
  const isNew = !existsSync(serverLockOf(file))
  const lock = takeServerLock(file, file, `A Holdfast server uses ${file}: stop the server first.`)
  if (isNew) makeLike(serverLockOf(file), statSync(dirname(file)))
  return lock
}

function restoringName(file: string): string {
  return `${file}.restoring`
}

/** Writes the new file next to the old one, complete, checked and flushed to the disk. */
function prepare(backup: string, file: string): SqliteContents {
  const restoring = restoringName(file)
  // left by a killed restore
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
 * Gives the new file the name of the old one, which has already got another name. The old WAL must not stay next to it:
 * SQLite would take it for a part of the new file.
 */
function swapFiles(file: string): string | null {
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

/** Gives the old file a second name and returns it. Reuses the one of a killed restore. */
function keepOld(file: string, now: Instant): string {
  const directory = dirname(file)
  const prefix = `${basename(file)}.before-restore-`
  const given = readdirSync(directory).find(
    (name) => name.startsWith(prefix) && isSameFile(join(directory, name), file),
  )
  if (given !== undefined) return join(directory, given)
  const time = now.slice(0, 19).replaceAll(/[-:]/g, '')
  for (let turn = 1; turn <= maxNames; turn += 1) {
    const kept = join(directory, `${prefix}${time}${turn === 1 ? '' : `-${turn}`}`)
    if (existsSync(file) ? nameToo(file, kept) : !existsSync(kept)) {
      flush(directory)
      return kept
    }
  }
  throw new OperatorError(`Too many files begin with ${prefix}.`)
}

/** Moves the companions of a damaged or missing file along, because they may help to rescue data. */
function keepCompanions(file: string, kept: string): void {
  for (const ending of sqliteCompanions) {
    if (existsSync(file + ending)) renameSync(file + ending, kept + ending)
  }
  flush(dirname(file))
}

/** Throws an OperatorError that explains why Holdfast cannot use this file. */
export function assertRestorable(file: string, { damages, migrations, triggers }: SqliteContents): void {
  if (damages.length > 0) throw new OperatorError(`${file} is damaged: ${damages.join('; ')}.`)
  if (migrations === undefined) throw new OperatorError(`${file} is not a Holdfast database.`)
  const unknown = migrations.filter((name) => !migrationNames.includes(name))
  if (unknown.length > 0) {
    throw new OperatorError(
      `${file} belongs to a newer release of Holdfast, with the migration ${unknown.join(', ')}. Use that release.`,
    )
  }
  const missing = overlapRuleNames.sqlite.filter((name) => !triggers.includes(name))
  if (missing.length > 0) {
    throw new OperatorError(`${file} lacks ${missing.join(', ')}: slots could be sold twice in it.`)
  }
}
