import { existsSync } from 'node:fs'
import { monotonicMs } from '../base/clock.ts'
import { readConfig } from '../base/config.ts'
import { UsageError } from '../base/errors.ts'
import { copyDatabase } from '../operate/copy.ts'
import { type CliCommand, commandIO, configFromEnvironment, noDatabase, print, warn } from './command-line.ts'

export function registerCopy(program: CliCommand): void {
  program
    .command('copy')
    .description(
      'copy the SQLite database to an empty PostgreSQL database, all or nothing; stop the server first',
    )
    .requiredOption(
      '--to <url>',
      'the empty database, postgres://user@host:port/name ("-": read from standard input)',
    )
    .withJson()
    .examples('copy --to postgres://holdfast@db.example.com:5432/holdfast', 'copy --to - < url')
    .addHelpText(
      'after',
      '\nThe process list shows a password in --to to other users: pass it on standard input or in PGPASSWORD.',
    )
    .action(async ({ to, json }: { to: string; json?: boolean }) => {
      const startedMs = monotonicMs()
      if (hasPassword(to))
        warn(
          'other users of this machine can read the password in --to: pass it on standard input or in PGPASSWORD',
        )
      const tables = await copyDatabase(sourceFile(), targetUrl(to === '-' ? await readLine() : to))
      const seconds = (monotonicMs() - startedMs) / 1000
      const rows = tables.reduce((sum, table) => sum + table.rows, 0)
      const bookings = tables.find(({ table }) => table === 'bookings')?.rows ?? 0
      print({ tables, seconds }, json, () => [
        `copied ${rows} rows of ${tables.length} tables, ${bookings} ${bookings === 1 ? 'booking' : 'bookings'} among them, and compared each (${seconds.toFixed(1)} s)`,
        'Set DATABASE_URL to the new database before you start the server. The old file is unchanged: archive it.',
      ])
    })
}

function hasPassword(to: string): boolean {
  return /^\w+:\/\/[^/@]*:[^@]+@/.test(to)
}

const maxUrlLength = 10_000

/** Reads a line from standard input, which the process list does not show. */
async function readLine(): Promise<string> {
  let text = ''
  for await (const chunk of commandIO().stdin?.() ?? []) {
    text += chunk.toString()
    if (text.length > maxUrlLength) throw new UsageError('Standard input is too long to be a URL.')
  }
  return text.trim()
}

function sourceFile(): string {
  const { database } = configFromEnvironment()
  if (database.engine !== 'sqlite')
    throw new UsageError('DATABASE_URL is already a PostgreSQL database: copy needs a SQLite file.')
  if (!existsSync(database.file)) throw noDatabase(database.file)
  return database.file
}

function targetUrl(to: string): string {
  if (!/^postgres(ql)?:\/\//.test(to))
    throw new UsageError('--to must be a PostgreSQL database: postgres://user:password@host:port/name.')
  const { database } = readConfig({ DATABASE_URL: to })
  const [url = to, ...others] = database.engine === 'postgres' ? database.urls : []
  if (others.length > 0) throw new UsageError('--to must name one server: the one that accepts writes.')
  return url
}
