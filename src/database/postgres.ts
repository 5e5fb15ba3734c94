import { Kysely, sql } from 'kysely'
import pg from 'pg'
import { SharedClock, type Clock } from '../clock.ts'
import { OperatorError } from '../errors.ts'
import type { Instant } from '../instants.ts'
import { traced } from '../tracing.ts'
import {
  DatabaseUnavailable,
  RoomWatch,
  withCommitWork,
  withRepetition,
  type Database,
  type DatabaseLoad,
  type Listening,
  type SideConnections,
  type StatementListener,
  type Transaction,
} from './database.ts'
import { migratePostgres } from './migrate-postgres.ts'
import { migrator, pendingMigrations } from './migrate.ts'
import { isConflict, isWantOfRoom, postgresDialect, resultTypes } from './postgres-driver.ts'
import { listenOnPostgres } from './postgres-notices.ts'
import type { Tables } from './tables.ts'

/*
 * A request fails within five seconds when the database does not answer: at most 2.2 s of waiting
 * for a connection (many requests at once queue for theirs) and 2.2 s for the statement on it. The
 * server's own limit comes a little earlier, so that a slow statement ends cleanly and only a dead server
 * costs the connection.
 */
const connectTimeoutMs = 2_200
const statementTimeoutMs = 2_000
const answerTimeoutMs = 2_200
const idleInTransactionTimeoutMs = 10_000
/** A farewell that a dead server does not answer ends after this. */
const closeTimeoutMs = 1_000

/**
 * Settings of each connection. One plan of a prepared statement serves all its parameters: PostgreSQL would often plan
 * anew for each request, which costs as much as many a statement itself, and all look rows up by their keys anyhow
 * (test/database/full-scans.test.ts).
 */
const sessionOptions = '-c timezone=UTC -c plan_cache_mode=force_generic_plan'

/** Which server is opened, and with what. */
export interface PostgresOptions {
  url: string
  poolSize: number
  fraction: () => number
  /** In place of the database's own time, for tests. */
  clock?: Clock
  onStatement?: StatementListener
  /** Told of errors on idle connections, which the pool replaces by itself. */
  onIdleError?: (error: Error) => void
}

/**
 * Opens a PostgreSQL database and its shared clock. Throws an OperatorError when it cannot be
 * reached, is older than version 14, or could lose acknowledged bookings (fsync, full_page_writes).
 */
export async function openPostgres(options: PostgresOptions): Promise<{ db: Database; clock: Clock }> {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    query_timeout: answerTimeoutMs,
    idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    application_name: 'holdfast',
    options: sessionOptions,
    types: resultTypes,
  })
  pool.on('error', options.onIdleError ?? (() => undefined))
  const sockets = socketsOf(pool)
  const reads = new Kysely<Tables>({
    dialect: postgresDialect(pool, options.onStatement ?? (() => undefined)),
  })
  const shared = new SharedClock(() => readTime(reads))
  try {
    await refuseUnsafeServer(reads)
    await shared.start()
  } catch (error) {
    await closeWithin(reads, sockets)
    throw error instanceof DatabaseUnavailable ? unreachable(options.url, error) : error
  }
  const clock = options.clock ?? shared
  return {
    db: new PostgresDatabase(reads, {
      options,
      pool,
      clock,
      close: () => {
        shared.stop()
        return closeWithin(reads, sockets)
      },
    }),
    clock,
  }
}

/** How many they are. */
export const sideConnections = 3
const sideTimeoutMs = 1_000

/** Opens a few connections of their own to a PostgreSQL database; it does not ask whether the server is there. */
export function openSideConnections(
  options: Pick<PostgresOptions, 'url' | 'onStatement' | 'onIdleError'>,
): SideConnections {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: sideConnections,
    connectionTimeoutMillis: sideTimeoutMs,
    statement_timeout: sideTimeoutMs,
    query_timeout: sideTimeoutMs,
    idleTimeoutMillis: 0, // kept: a statement that is to be short has no time to connect
    keepAlive: true,
    application_name: 'holdfast side',
    options: sessionOptions,
    types: resultTypes,
  })
  pool.on('error', options.onIdleError ?? (() => undefined))
  const sockets = socketsOf(pool)
  const queries = new Kysely<Tables>({
    dialect: postgresDialect(pool, options.onStatement ?? (() => undefined)),
  })
  return { queries, close: () => closeWithin(queries, sockets) }
}

interface PostgresParts {
  options: PostgresOptions
  pool: pg.Pool
  clock: Clock
}

class PostgresDatabase implements Database {
  readonly engine = 'postgres'
  readonly reads: Kysely<Tables>
  readonly close: () => Promise<void>
  private readonly parts: PostgresParts
  private readonly room: RoomWatch
  private repetitions = 0

  constructor(reads: Kysely<Tables>, { close, ...parts }: PostgresParts & { close: () => Promise<void> }) {
    this.reads = reads
    this.parts = parts
    this.room = new RoomWatch(isWantOfRoom, () => tryRoom(reads))
    this.close = close
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const attempts = traced('transaction', { 'db.system.name': 'postgresql' }, () =>
      withRepetition(
        (attempt) => {
          if (attempt > 0) this.repetitions += 1
          return withCommitWork((onCommit) =>
            this.reads
              .transaction()
              .execute((db) => work({ db, now: this.parts.clock.now(), attempt, onCommit })),
          )
        },
        isConflict,
        this.parts.options.fraction,
      ),
    )
    return this.room.over(attempts)
  }

  async ping(): Promise<void> {
    await sql`select 1`.execute(this.reads)
  }

  hasRoom(): Promise<boolean> {
    return this.room.hasRoom()
  }

  migrate(): Promise<string[]> {
    return migratePostgres({ ...this.parts.options, connectTimeoutMs })
  }

  pendingMigrations(): Promise<string[]> {
    return pendingMigrations(migrator(this.reads, 'postgres'))
  }

  lockForServer(): void {
    // any number of servers may share a PostgreSQL database
  }

  load(): DatabaseLoad {
    const { totalCount, idleCount, waitingCount } = this.parts.pool
    const most = this.parts.options.poolSize
    return {
      waiting: waitingCount,
      connections: { inUse: totalCount - idleCount, idle: idleCount, most },
      repetitions: this.repetitions,
    }
  }

  listen(channel: string, onNotice: () => void): Listening {
    return listenOnPostgres(this.parts.options.url, channel, onNotice)
  }
}

/** Throws when there is no room for a mebibyte where the tables lie. Of the table that it makes nothing stays. */
async function tryRoom(db: Kysely<Tables>): Promise<void> {
  const tx = await db.startTransaction().execute()
  try {
    await sql`
      create unlogged table holdfast_room_trial as
      select repeat('x', 1900) as text from generate_series(1, 512)`.execute(tx)
  } finally {
    await tx.rollback().execute()
  }
}

/** The sockets of a pool's connections, as long as they are its. */
function socketsOf(pool: pg.Pool): Set<{ destroy: () => unknown }> {
  const sockets = new Set<{ destroy: () => unknown }>()
  pool.on('connect', ({ connection: { stream } }) => {
    sockets.add(stream)
    stream.once('close', () => sockets.delete(stream))
  })
  return sockets
}

/** Takes leave of the server, and of one that does not answer within a second by closing the sockets. */
async function closeWithin(
  reads: Kysely<Tables>,
  sockets: ReadonlySet<{ destroy: () => unknown }>,
): Promise<void> {
  await reads.destroy() // the pool says farewell and does not wait for the answers
  const closeAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  setTimeout(closeAll, closeTimeoutMs).unref() // a socket that is still open would keep the process
}

async function readTime(db: Kysely<Tables>): Promise<Instant> {
  const { rows } = await sql<{ time: Instant }>`select clock_timestamp() as time`.execute(db)
  if (!rows[0]) throw new DatabaseUnavailable('the database did not tell the time')
  return rows[0].time
}

async function refuseUnsafeServer(db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ fsync: string; pages: string; version: string }>`
    select current_setting('fsync') as fsync, current_setting('full_page_writes') as pages,
           current_setting('server_version_num') as version`.execute(db)
  const server = rows[0]
  if (!server) throw new DatabaseUnavailable('the database did not tell its settings')
  if (Number(server.version) < 140_000) {
    throw new OperatorError('DATABASE_URL points to a PostgreSQL older than version 14; upgrade the server.')
  }
  for (const [setting, value] of [
    ['fsync', server.fsync],
    ['full_page_writes', server.pages],
  ]) {
    if (value !== 'on') {
      throw new OperatorError(
        `The PostgreSQL server at DATABASE_URL runs with ${setting}=off: a power cut could lose bookings that were ` +
          `acknowledged. Set ${setting}=on in postgresql.conf and reload the server.`,
      )
    }
  }
}

function unreachable(url: string, error: DatabaseUnavailable): OperatorError {
  const { host, pathname } = new URL(url)
  const reason = reasonOf(error.cause) || error.message
  return new OperatorError(
    `DATABASE_URL: no PostgreSQL answers at ${host}${pathname} (${reason}). Start the server, or correct the address, ` +
      'user, password or database name.',
    { cause: error },
  )
}

/** The last message of a chain of causes; of several addresses that were tried, what each of them said. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ')
  if (!(error instanceof Error)) return ''
  return reasonOf(error.cause) || error.message
}
