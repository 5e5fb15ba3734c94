import type { Command } from 'commander'
import { resolve } from 'node:path'
import { backUp, type BackupReport } from '../backups/back-up.ts'
import { monotonicMs } from '../clock.ts'
import { print } from './run-command.ts'
import { existingSqliteFile } from './sqlite-only.ts'

const onPostgres =
  'pg_dump --format=custom --file=holdfast.dump "$DATABASE_URL", or continuous archiving (docs/guides/backups.md).'

/** `holdfast backup`: writes a copy of the SQLite database; a server may run beside. */
export function addBackup(program: Command): void {
  program
    .command('backup <file>')
    .description('write a checked copy of the SQLite database to a new file; a server may run beside')
    .option('--force', 'replace a file of that name')
    .option('--json', 'print data instead of text')
    .addHelpText('after', '\nExample:\n  $ holdfast backup /var/backups/holdfast-$(date +%F).db')
    .action((file: string, { force = false, json }: { force?: boolean; json?: boolean }) => {
      const startedMs = monotonicMs()
      const report = backUp({ database: existingSqliteFile(onPostgres), target: resolve(file), force })
      const seconds = (monotonicMs() - startedMs) / 1000
      print({ ...report, seconds }, { json, lines: () => [backupLine(report, seconds)] })
    })
}

function backupLine({ file, bytes, bookings, latest_change }: BackupReport, seconds: number): string {
  const latest = latest_change === null ? '' : `, the latest change at ${latest_change}`
  return `backed up to ${file}: ${(bytes / 1e6).toFixed(1)} MB, ${bookings} bookings${latest} (${seconds.toFixed(1)} s)`
}
