import type { Command } from 'commander'
import { resolve } from 'node:path'
import { restoreBackup, type RestoreReport } from '../backups/restore-backup.ts'
import { print } from './run-command.ts'
import { sqliteFile } from './sqlite-only.ts'

const onPostgres =
  'pg_restore --dbname="$DATABASE_URL" holdfast.dump, into an empty database (docs/guides/backups.md).'

/** `holdfast restore`: puts a backup in the place of the SQLite database, which is kept. */
export function addRestore(program: Command): void {
  program
    .command('restore <file>')
    .description('put a backup in the place of the SQLite database, which is kept beside; no server may run')
    .option('--json', 'print data instead of text')
    .addHelpText('after', '\nExample:\n  $ holdfast restore /var/backups/holdfast-2026-12-01.db')
    .action((file: string, { json }: { json?: boolean }) => {
      const report = restoreBackup(resolve(file), sqliteFile(onPostgres))
      print(report, { json, lines: () => restoreLines(report) })
    })
}

function restoreLines({ file, bookings, latest_change, kept }: RestoreReport): string[] {
  const latest = latest_change === null ? '' : `, the latest change at ${latest_change}`
  return [
    `restored ${file}: ${bookings} bookings${latest}`,
    kept === null ? 'There was no database before.' : `The database of before is kept: ${kept}`,
    'Keys that were revoked since the backup work again: look at "holdfast key list" before you start the server.',
  ]
}
