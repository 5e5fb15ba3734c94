import { Kysely } from 'kysely'
import pg from 'pg'
import { monotonicMs } from '../clock.ts'
import { DatabaseUnavailable, pause, type StatementListener } from './database.ts'
import { migrate, migrator } from './migrate.ts'
import { isConflict, postgresDialect, resultTypes } from './postgres-driver.ts'
import type { Tables } from './tables.ts'

/** Everybody who wants a table waits behind a migration that waits for it: requests bear that for so long. */
const lockTimeoutMs = 300
/** Another server may be about the same migrations, and they may take long. */
const patienceMs = 120_000
const longestPauseMs = 400

/** Which server, and how long a connection may take. */
export interface MigrationOptions {
  url: string
  connectTimeoutMs: number
  fraction: () => number
  onStatement?: StatementListener
}

/**
 * Brings the schema up to date, beside servers that serve. A table that is in use for longer than a moment is let go,
 * and with it everything that was done; then all of it is tried again, for two minutes.
 */
export async function migratePostgres(options: MigrationOptions): Promise<string[]> {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: 1,
    connectionTimeoutMillis: options.connectTimeoutMs,
    keepAlive: true,
    application_name: 'holdfast migrate',
    options: `-c lock_timeout=${lockTimeoutMs}`,
    types: resultTypes,
  })
  pool.on('error', () => undefined) // the statement on it reports the same
  const db = new Kysely<Tables>({ dialect: postgresDialect(pool, options.onStatement ?? (() => undefined)) })
  const startedMs = monotonicMs()
  try {
    for (;;) {
      try {
        return await migrate(migrator(db, 'postgres'))
      } catch (error) {
        if (!isInTheWay(error) || monotonicMs() - startedMs > patienceMs) throw error
      }
      await pause(options.fraction() * longestPauseMs)
    }
  } finally {
    await db.destroy()
  }
}

/** A lock that did not come in time, or that two wanted of each other. */
function isInTheWay(error: unknown): boolean {
  if (isConflict(error)) return true
  return (
    error instanceof DatabaseUnavailable &&
    error.cause instanceof pg.DatabaseError &&
    error.cause.code === '55P03'
  )
}
