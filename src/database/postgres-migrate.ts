import { Kysely, sql, type Transaction } from 'kysely'
import pg from 'pg'
import { monotonicMs } from '../base/clock.ts'
import { DatabaseUnavailable, pause, type Queries, type StatementListener } from './database.ts'
import { adoptAllBookings, migrate, migrator, rewriteRows } from './migrate.ts'
import { bookingIndexes } from './migrations/0034-clients.ts'
import { seriesIndexes } from './migrations/0039-series.ts'
import { clientIndexes } from './migrations/0042-client-order.ts'
import { isPooled, plainSource } from './postgres-hosts.ts'
import { isConflict, postgresDialect, resultTypes } from './postgres-driver.ts'
import type { Tables } from './tables.ts'

/** While a migration waits for a table, all requests for that table wait, too. */
const lockTimeoutMs = 300
/** Time limit for getting the locks on the tables. */
const patienceMs = 120_000
/** Another server may be running the same migrations, which can take long. */
const othersTimeoutMs = 3_600_000
/** Kysely's lock ID. Servers of earlier releases take it as a session lock, which conflicts with this one as well. */
const lockId = '3853314791062309107'
const maxPauseMs = 400

interface MigrationOptions {
  url: string
  connectTimeoutMs: number
  fraction: () => number
  onStatement?: StatementListener
}

/**
 * Migrates the schema and runs `rest` while other servers keep running. If a table stays locked for longer than a
 * moment, rolls back everything and tries again, for two minutes.
 */
export async function migratePostgres(
  options: MigrationOptions,
  rest: (tx: Queries) => Promise<void> = () => Promise.resolve(),
): Promise<string[]> {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: 1,
    connectionTimeoutMillis: options.connectTimeoutMs,
    keepAlive: true,
    application_name: 'holdfast migrate',
    types: resultTypes,
  })
  pool.on('error', () => undefined) // the statement on this connection reports the same error
  const db = new Kysely<Tables>({
    dialect: postgresDialect(
      plainSource(pool),
      options.onStatement ?? (() => undefined),
      !isPooled(options.url),
    ),
  })
  try {
    const batch = <T>(work: (tx: Transaction<Tables>) => Promise<T>) =>
      untilLocked(options, () =>
        db.transaction().execute(async (tx) => {
          await setTimeouts(tx, lockTimeoutMs)
          return work(tx)
        }),
      )
    await rewriteRows(db, 'postgres', batch)
    const ran = await untilLocked(options, () =>
      db.transaction().execute(async (tx) => {
        const ran = await migrateAlone(tx)
        await rest(tx)
        return ran
      }),
    )
    await createLateIndexes(db)
    await adoptAllBookings('postgres', batch)
    return ran
  } finally {
    await db.destroy()
  }
}

/** Indexes of large tables, which are made while servers write. */
const lateIndexes = [...bookingIndexes, ...seriesIndexes, ...clientIndexes]

/**
 * Creates the missing indexes of large tables while servers write. An interruption leaves an invalid index, which is replaced.
 * Does nothing while another server creates them, because that one also adopts the bookings.
 */
async function createLateIndexes(db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ name: string; is_valid: boolean }>`
    select c.relname as name, i.indisvalid as is_valid from pg_index as i join pg_class as c on c.oid = i.indexrelid
     where c.relnamespace = current_schema()::regnamespace
       and c.relname in (${sql.join(lateIndexes.map(({ name }) => sql.lit(name)))})`.execute(db)
  for (const { name, definition } of lateIndexes) {
    const found = rows.find((row) => row.name === name)
    if (found?.is_valid) continue
    if (found) await sql`drop index concurrently if exists ${sql.raw(name)}`.execute(db)
    await sql`create index concurrently if not exists ${sql.raw(`${name} ${definition}`)}`.execute(db)
  }
}

/** Repeats a transaction until it has its locks, for two minutes. */
async function untilLocked<T>(
  { fraction }: Pick<MigrationOptions, 'fraction'>,
  run: () => Promise<T>,
): Promise<T> {
  const startedMs = monotonicMs()
  for (;;) {
    try {
      return await run()
    } catch (error) {
      if (!isLockConflict(error) || monotonicMs() - startedMs > patienceMs) throw error
    }
    await pause(fraction() * maxPauseMs)
  }
}

/**
 * Migrates under a transaction lock. Kysely's own lock belongs to a session. Through PgBouncer, the release could go to
 * another session, and the next server would wait for an hour.
 */
async function migrateAlone(tx: Transaction<Tables>): Promise<string[]> {
  await setTimeouts(tx, othersTimeoutMs)
  await sql`select pg_advisory_xact_lock(${sql.lit(lockId)}::bigint)`.execute(tx)
  await setTimeouts(tx, lockTimeoutMs)
  return migrate(migrator(tx, 'postgres'))
}

/**
 * Sets the limits for the transaction, because a pooled connection has no settings of its own. A role may have a
 * statement limit.
 */
async function setTimeouts(tx: Transaction<Tables>, lockMs: number): Promise<void> {
  await sql`
    select set_config('statement_timeout', '0', true), set_config('lock_timeout', ${sql.lit(String(lockMs))}, true)
  `.execute(tx)
}

/** Recognises a lock timeout or a deadlock. */
function isLockConflict(error: unknown): boolean {
  if (isConflict(error)) return true
  return (
    error instanceof DatabaseUnavailable &&
    error.cause instanceof pg.DatabaseError &&
    error.cause.code === '55P03'
  )
}
