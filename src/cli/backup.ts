import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { monotonicMs, systemClock } from '../base/clock.ts'
import { UsageError } from '../base/errors.ts'
import { backUp, backUpInto } from '../operate/backup.ts'
import { restoreBackup } from '../operate/restore.ts'
import { type CliCommand, configFromEnvironment, noDatabase, print } from './command-line.ts'
import { readInteger } from './input.ts'

const guide = '(docs/guides/backups.md).'
const backupOnPostgres = `pg_dump --format=custom --file=holdfast.dump "$DATABASE_URL", or continuous archiving ${guide}`
const restoreOnPostgres = `pg_restore --dbname="$DATABASE_URL" holdfast.dump, into an empty database ${guide}`

interface BackupOptions {
  force?: boolean
  keep?: string
  json?: boolean
}

export function registerBackup(program: CliCommand): void {
  program
    .command('backup')
    .argument('<file or folder>', 'a new file, or a folder with --keep')
    .description('write a verified copy of the SQLite database to a new file; the server may run')
    .option('--force', 'replace an existing file')
    .option('--keep <number>', 'name the backup by its time and keep this many in the folder, 1 to 10000')
    .withJson()
    .examples('backup holdfast.db.backup', 'backup /var/backups/holdfast --keep 14')
    .action((file: string, { force = false, keep, json }: BackupOptions) => {
      const startedMs = monotonicMs()
      if (force && keep !== undefined) throw new UsageError('Give --force or --keep, not both.')
      const kept = keep === undefined ? undefined : readInteger(keep, '--keep', [1, 10_000])
      const database = sqliteFile(backupOnPostgres)
      if (!existsSync(database)) throw noDatabase(database)
      const report =
        kept === undefined
          ? backUp({ database, target: resolve(file), force })
          : backUpInto(resolve(file), { database, keep: kept, now: systemClock.now() })
      const seconds = (monotonicMs() - startedMs) / 1000
      const megabytes = (report.bytes / 1e6).toFixed(1)
      print({ ...report, seconds }, json, () => [
        `backed up to ${report.file}: ${megabytes} MB, ${contentOf(report)} (${seconds.toFixed(1)} s)`,
      ])
    })
}

export function registerRestore(program: CliCommand): void {
  program
    .command('restore <file>')
    .description('restore a SQLite backup and keep the old file; stop the server first')
    .withJson()
    .examples('restore /var/backups/holdfast-2026-12-01.db')
    .action((file: string, { json }: { json?: boolean }) => {
      const report = restoreBackup(resolve(file), sqliteFile(restoreOnPostgres))
      print(report, json, () => [
        `restored ${report.file}: ${contentOf(report)}`,
        report.kept === null ? 'There was no database before.' : `The old database is now ${report.kept}`,
        'Keys revoked since the backup work again: check "holdfast key list" before you start the server.',
      ])
    })
}

function contentOf({ bookings, latest_change }: { bookings: number; latest_change: string | null }): string {
  return `${bookings} ${bookings === 1 ? 'booking' : 'bookings'}${latest_change === null ? '' : `, the latest change at ${latest_change}`}`
}

/** Returns the SQLite file of DATABASE_URL. Throws a UsageError with the command to use on PostgreSQL. */
function sqliteFile(onPostgres: string): string {
  const { database } = configFromEnvironment()
  if (database.engine === 'sqlite') return database.file
  throw new UsageError(`DATABASE_URL is a PostgreSQL database. Use its own tools: ${onPostgres}`)
}
