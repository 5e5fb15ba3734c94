import { Kysely } from 'kysely'
import pg from 'pg'
import { monotonicMs } from '../base/clock.ts'
import { DatabaseUnavailable, pause, type StatementListener } from './database.ts'
import { migrate, migrator } from './migrate.ts'
import { isPooled, plainSource } from './postgres-hosts.ts'
import { isConflict, postgresDialect, resultTypes } from './postgres-driver.ts'
import type { Tables } from './tables.ts'

/** While a migration waits for a table, all requests for it wait, too. */
const lockTimeoutMs = 300
/** Another server may be running the same migrations, and they may take long. */
const patienceMs = 120_000
const maxPauseMs = 400

interface MigrationOptions {
  url: string
  connectTimeoutMs: number
  fraction: () => number
  onStatement?: StatementListener
}

/**
 * Brings the schema up to date, beside running servers. When a table stays locked for longer than a moment, rolls back
 * everything and tries again, for two minutes.
 */
export async function migratePostgres(options: MigrationOptions): Promise<string[]> {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: 1,
    connectionTimeoutMillis: options.connectTimeoutMs,
    keepAlive: true,
    application_name: 'holdfast migrate',
    ...(!isPooled(options.url) && { options: `-c lock_timeout=${lockTimeoutMs}` }),
    types: resultTypes,
  })
  pool.on('error', () => undefined) // the statement on it reports the same
  const db = new Kysely<Tables>({
    dialect: postgresDialect(
      plainSource(pool),
      options.onStatement ?? (() => undefined),
      !isPooled(options.url),
    ),
  })
  const startedMs = monotonicMs()
  try {
    for (;;) {
      try {
        return await migrate(migrator(db, 'postgres'))
      } catch (error) {
        if (!isLockConflict(error) || monotonicMs() - startedMs > patienceMs) throw error
      }
      await pause(options.fraction() * maxPauseMs)
    }
  } finally {
    await db.destroy()
  }
}

/** A lock timeout or a deadlock. */
function isLockConflict(error: unknown): boolean {
  if (isConflict(error)) return true
  return (
    error instanceof DatabaseUnavailable &&
    error.cause instanceof pg.DatabaseError &&
    error.cause.code === '55P03'
  )
}
