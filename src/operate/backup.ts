import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { OperatorError, UsageError } from '../base/errors.ts'
import { systemIds } from '../base/ids.ts'
import type { Instant } from '../base/instants.ts'
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
  /** The latest change of a booking. Null if there is none. */
  latest_change: string | null
}

/**
 * Copies the database as of one moment, without disturbing a running server. The copy gets its name once it is
 * complete, checked and flushed to the disk. So a file of this name is always a complete backup. Throws an
 * OperatorError otherwise.
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
      // SQLite would mistake the replaced file's WAL for this one's
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

/** Contains the UTC time, so that names sort by it. */
const namePattern = /^holdfast-\d{8}T\d{6}Z\.db$/

/**
 * Backs up into a folder, under a name with the time, then deletes the oldest backups beyond `keep`. Deletes them only
 * once the new one is on the disk, and no other files. Returns the deleted names, too.
 */
export function backUpInto(
  folder: string,
  { database, keep, now }: { database: string; keep: number; now: Instant },
): BackupReport & { deleted: string[] } {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`There is no folder ${folder}: with --keep, name the folder of the backups.`)
  const name = `holdfast-${now.slice(0, 19).replaceAll(/[-:]/g, '')}Z.db`
  const report = backUp({ database, target: join(folder, name), force: false })
  const deleted = readdirSync(folder)
    .filter((other) => namePattern.test(other))
    .toSorted()
    .slice(0, -keep)
  for (const other of deleted) rmSync(join(folder, other))
  flush(folder)
  return { ...report, deleted }
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
