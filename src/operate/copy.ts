import { realpathSync } from 'node:fs'
import { OperatorError } from '../base/errors.ts'
import { systemIds } from '../base/ids.ts'
import { assertOnlyHoldfast, type CopiedTable, copyToPostgres } from '../database/copy-to-postgres.ts'
import { migrationNames } from '../database/migrate.ts'
import { openPostgres } from '../database/postgres.ts'
import { readSqlite, takeServerLock } from '../database/sqlite-file.ts'
import { assertRestorable } from './restore.ts'

/**
 * Copies a SQLite database into an empty PostgreSQL database, which it migrates: everything, or nothing. The source
 * stays unchanged. Throws an OperatorError while a server uses the source, or if the source is damaged or outdated.
 * Also throws one if the target is not empty or unreachable.
 */
export async function copyDatabase(file: string, url: string): Promise<CopiedTable[]> {
  const lock = takeServerLock(
    file,
    realpathSync(file),
    `A Holdfast server uses ${file}: stop it first, so that no bookings are made meanwhile.`,
  )
  try {
    const contents = readSqlite(file)
    assertRestorable(file, contents)
    if ((contents.migrations ?? []).length < migrationNames.length)
      throw new OperatorError(`${file} is not up to date: run "holdfast migrate" first.`)
    await migrateTarget(url)
    return await copyToPostgres(file, url)
  } finally {
    lock.close()
  }
}

/** Opens the target like a server, which refuses a database that could lose bookings. */
async function migrateTarget(url: string): Promise<void> {
  const { db } = await openPostgres({ urls: [url], poolSize: 2, fraction: () => systemIds.fraction() })
  try {
    await assertOnlyHoldfast(url)
    await db.migrate()
  } finally {
    await db.close()
  }
}
