import { existsSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { OperatorError, UsageError } from '../base/errors.ts'
import { systemIds } from '../base/ids.ts'
import { copySqlite, makePrivateFile, readSqlite, sqliteCompanions } from '../database/sqlite-file.ts'
import { assertRestorable } from './restore.ts'
import { flush, replaceBy, placeBy, isSameFile } from './durable-files.ts'

interface BackUpOptions {
  /** The SQLite file. */
  database: string
  target: string
  /** Replaces an existing file. */
  force: boolean
}

interface BackupReport {
  file: string
  bytes: number
  bookings: number
  /** The latest change of a booking; null without one. */
  latest_change: string | null
}

/**
 * Copies the database as of one moment, without disturbing a running server. The copy gets its name once it is complete,
 * checked and on the disk, so a file of this name is always a whole backup. Throws an OperatorError otherwise.
 */
export function backUp({ database, target, force }: BackUpOptions): BackupReport {
  assertFreeName(target, { database, force })
  const partial = join(dirname(target), `${basename(target)}.partial-${systemIds.secret(6)}`)
  try {
    makePrivateFile(partial)
    copySqlite(database, partial)
    const contents = readSqlite(partial)
    assertRestorable(database, contents)
    flush(partial)
    if (force) {
      // SQLite would take the replaced file's WAL for this one's
      for (const companion of sqliteCompanions) rmSync(target + companion, { force: true })
      replaceBy(partial, target)
    } else if (!placeBy(partial, target)) throw alreadyThere(target)
    const { bookings, latestChange } = contents
    return { file: target, bytes: statSync(target).size, bookings, latest_change: latestChange }
  } catch (error) {
    if (error instanceof OperatorError) throw error
    const reason = error instanceof Error ? error.message : 'unknown'
    throw new OperatorError(`The backup ${target} could not be written (${reason}).`, { cause: error })
  } finally {
    for (const path of ['', ...sqliteCompanions]) rmSync(partial + path, { force: true })
  }
}

function assertFreeName(
  target: string,
  { database, force }: Pick<BackUpOptions, 'database' | 'force'>,
): void {
  const inUse = ['', ...sqliteCompanions].some(
    (ending) => isSameFile(target, database + ending) || target === database + ending,
  )
  if (inUse) throw new UsageError(`${target} belongs to the database itself: give the backup another name.`)
  const found = statSync(target, { throwIfNoEntry: false })
  if (found && !found.isFile()) throw new UsageError(`${target} is not a file: give the backup another name.`)
  if (!existsSync(dirname(target))) throw new UsageError(`There is no directory ${dirname(target)}.`)
  const taken = ['', ...sqliteCompanions].some((ending) => existsSync(target + ending))
  if (taken && !force) throw alreadyThere(target)
}

function alreadyThere(target: string): UsageError {
  return new UsageError(`${target} already exists: give another name, or --force to replace it.`)
}
