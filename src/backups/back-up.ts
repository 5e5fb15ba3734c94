import { existsSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { copySqlite, makePrivateFile, readSqlite, sqliteCompanions } from '../database/sqlite-file.ts'
import { OperatorError, UsageError } from '../errors.ts'
import { systemIds } from '../ids.ts'
import { assertRestorable } from './assert-restorable.ts'
import { flush, isSameFile, placeBy, replaceBy } from './durable-files.ts'

/** What is backed up, and where to. */
export interface BackUpOptions {
  /** The SQLite file. */
  database: string
  target: string
  /** Whether a file of that name is replaced. */
  force: boolean
}

/** What a backup holds. */
export interface BackupReport {
  file: string
  bytes: number
  bookings: number
  /** The latest change of a booking in it; null without one. */
  latest_change: string | null
}

/**
 * Writes a copy of the database, as of one moment, that a server beside does not notice. It gets its name when it is
 * complete, checked and on the disk: whatever has this name is a whole backup. Throws an OperatorError otherwise.
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
      // what lies beside the one that goes would be taken for a part of this one
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
  if (found && !found.isFile())
    throw new UsageError(`${target} is no file: give the backup a name of its own.`)
  if (!existsSync(dirname(target))) throw new UsageError(`There is no directory ${dirname(target)}.`)
  const taken = ['', ...sqliteCompanions].some((ending) => existsSync(target + ending))
  if (taken && !force) throw alreadyThere(target)
}

function alreadyThere(target: string): UsageError {
  return new UsageError(`${target} is already there: give another name, or --force to replace it.`)
}
