import { existsSync } from 'node:fs'
import { OperatorError, UsageError } from '../errors.ts'
import { configFromEnvironment } from './run-command.ts'

/** The SQLite file of DATABASE_URL. Throws a UsageError that says what to do instead where it is a PostgreSQL database. */
export function sqliteFile(instead: string): string {
  const { database } = configFromEnvironment()
  if (database.engine === 'sqlite') return database.file
  throw new UsageError(`DATABASE_URL is a PostgreSQL database, which has tools of its own: ${instead}`)
}

/** The same, where it has to be there. */
export function existingSqliteFile(instead: string): string {
  const file = sqliteFile(instead)
  if (existsSync(file)) return file
  throw new OperatorError(
    `There is no database at ${file}. Run this where the server runs, or set DATABASE_URL as the server has it.`,
  )
}
