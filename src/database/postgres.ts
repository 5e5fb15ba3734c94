import { Kysely, sql } from 'kysely'
import pg from 'pg'
import { type Clock, SharedClock } from '../base/clock.ts'
import { OperatorError } from '../base/errors.ts'
import { type Instant } from '../base/instants.ts'
import {
  type Database,
  type DatabaseLoad,
  DatabaseUnavailable,
  dedicatedPoolSize,
  type DedicatedPool,
  DiskSpaceMonitor,
  type Listening,
  pause,
  type Queries,
  runTransaction,
  type SharingOptions,
  type StatementListener,
  type Transaction,
  type TransactionRunner,
} from './database.ts'
import { migrator, pendingMigrations } from './migrate.ts'
import { isConflict, isDiskFull, postgresDialect, resultTypes } from './postgres-driver.ts'
import { isPooled, plainSource, Primary, PrimaryPool } from './postgres-hosts.ts'
import { Replica } from './postgres-replica.ts'
import { migratePostgres } from './postgres-migrate.ts'
import { SharedTransactions } from './shared-transaction.ts'
import type { Tables } from './tables.ts'

/*
 * A request fails within five seconds if the database does not answer: at most 2.2 s of waiting for a connection and
 * 2.2 s for the statement on it. The server's own limit is a little lower. A slow statement therefore ends cleanly, and
 * only a dead server costs the connection.
 */
const connectTimeoutMs = 2_200
const statementTimeoutMs = 2_000
const queryTimeoutMs = 2_200
const idleInTransactionTimeoutMs = 10_000
/** Time to wait for a dead server when closing. */
const closeTimeoutMs = 1_000
const reconnectMs = 1_000

const dedicatedTimeoutMs = 1_000

/**
 * With `force_generic_plan`, one plan of a prepared statement serves all its parameters. PostgreSQL would otherwise
 * often plan again, which can cost as much as the statement. All statements look rows up by their keys
 * (test/database/full-scans.test.ts). `jit` compiles a statement each time if its estimated cost is high. A hold then
 * took 80 ms of CPU time, not 3.
 */
const sessionOptions = '-c timezone=UTC -c plan_cache_mode=force_generic_plan -c jit=off'

/** The second one serves other businesses, and takes over when the first waits for a lock or a distant server. */
const maxSharedTransactions = 2
/**
 * Most transactions end earlier. When a busy business always had two, its neighbours waited a third longer to show
 * bookings (docs/benchmark.md), without more holds.
 */
const sharedPatienceMs = 20
/**
 * The code of all members runs in one turn of the event loop, which delays others. With 64, a busy business made the
 * requests of its neighbours three times as slow (docs/benchmark.md).
 */
const maxMembers = 16

interface PostgresOptions {
  /** URLs of all servers of the database. Holdfast uses the one that accepts writes. */
  urls: readonly string[]
  /** URLs of replicas, for reads that may be a second old. */
  readUrls?: readonly string[]
  poolSize: number
  fraction: () => number
  /** Replaces the database's own time in tests. */
  clock?: Clock
  onStatement?: StatementListener
  /** Receives errors of idle connections, which the pool replaces by itself. */
  onIdleError?: (error: Error) => void
}

/**
 * Opens a PostgreSQL database and its shared clock. Throws an OperatorError if it is unreachable, older than version
 * 14, or behind an undeclared pooler. Also throws one if it could lose acknowledged bookings (fsync, full_page_writes).
 */
export async function openPostgres(options: PostgresOptions): Promise<{ db: Database; clock: Clock }> {
  const { primary, pool, queries, close } = openPool(options, {
    max: options.poolSize,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    query_timeout: queryTimeoutMs,
    idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
    idleTimeoutMillis: 30_000,
    application_name: 'holdfast',
  })
  const shared = new SharedClock(() => readTime(queries))
  try {
    await refuseUnsafeServer(queries)
    await refuseUnnamedPooler(queries, options.urls)
    await shared.start()
  } catch (error) {
    await close()
    throw error instanceof DatabaseUnavailable ? unreachable(options.urls, error) : error
  }
  const clock = options.clock ?? shared
  const replicas = (options.readUrls ?? []).map((url) => openReplica(url, primary, options))
  const closeAll = async () => {
    shared.stop()
    await Promise.all([close(), ...replicas.map((replica) => replica.close())])
  }
  return {
    db: new PostgresDatabase(queries, { options, primary, pool, replicas, clock, close: closeAll }),
    clock,
  }
}

function openReplica(
  url: string,
  primary: Primary,
  { poolSize, onStatement }: Pick<PostgresOptions, 'poolSize' | 'onStatement'>,
): Replica {
  const pool = new pg.Pool(
    poolConfig(url, {
      max: poolSize,
      connectionTimeoutMillis: dedicatedTimeoutMs, // then the primary answers
      statement_timeout: dedicatedTimeoutMs,
      query_timeout: dedicatedTimeoutMs,
      idleTimeoutMillis: 30_000,
      application_name: 'holdfast reads',
    }),
  )
  pool.on('error', () => undefined) // the next read on it fails or gets another connection
  const dialect = postgresDialect(plainSource(pool), onStatement ?? (() => undefined), !isPooled(url))
  return new Replica(url, primary, new Kysely<Tables>({ dialect }))
}

/** Opens a few connections for short statements, without checking that the server is available. */
export function openDedicatedPool(
  options: Pick<PostgresOptions, 'urls' | 'onStatement' | 'onIdleError'>,
): DedicatedPool {
  return openPool(options, {
    max: dedicatedPoolSize,
    connectionTimeoutMillis: dedicatedTimeoutMs,
    statement_timeout: dedicatedTimeoutMs,
    query_timeout: dedicatedTimeoutMs,
    idleTimeoutMillis: 0, // connections stay open: a short statement has no time to connect
    application_name: 'holdfast side',
  })
}

function openPool(
  { urls, onStatement, onIdleError }: Pick<PostgresOptions, 'urls' | 'onStatement' | 'onIdleError'>,
  config: pg.PoolConfig,
) {
  const primary = new Primary(urls)
  const pool = new PrimaryPool(primary, (url) => {
    // sends simultaneous statements of a transaction at once
    const opened = new pg.Pool(poolConfig(url, { ...config, pipeline: true }))
    opened.on('error', (error) => {
      primary.suspect()
      onIdleError?.(error)
    })
    return opened
  })
  const queries = new Kysely<Tables>({
    dialect: postgresDialect(pool, onStatement ?? (() => undefined), !isPooled(urls[0] ?? '')),
  })
  const close = async () => {
    await queries.destroy() // sends the terminate messages without waiting
    setTimeout(() => pool.closeSockets(), closeTimeoutMs).unref() // an open socket would keep the process alive
  }
  return { primary, pool, queries, close }
}

/**
 * A pooler that gives each transaction another connection (`pgbouncer=true` in the URL) drops the settings of
 * connections. The settings of the role apply then (docs/guides/high-availability.md).
 */
function poolConfig(url: string, config: pg.PoolConfig): pg.PoolConfig {
  const common = { ...config, connectionString: url, keepAlive: true, types: resultTypes }
  if (!isPooled(url)) return { ...common, options: sessionOptions }
  const { statement_timeout, idle_in_transaction_session_timeout, ...pooled } = common
  return pooled
}

interface PostgresParts {
  options: PostgresOptions
  primary: Primary
  pool: PrimaryPool
  replicas: readonly Replica[]
  clock: Clock
}

class PostgresDatabase implements Database {
  readonly engine = 'postgres'
  readonly reads: Kysely<Tables>
  readonly close: () => Promise<void>
  private readonly parts: PostgresParts
  private readonly diskSpace: DiskSpaceMonitor
  private readonly runner: TransactionRunner
  private readonly shared: SharedTransactions
  private retries = 0

  constructor(reads: Kysely<Tables>, { close, ...parts }: PostgresParts & { close: () => Promise<void> }) {
    this.reads = reads
    this.parts = parts
    this.close = close
    this.diskSpace = new DiskSpaceMonitor(isDiskFull, () => probeDiskSpace(reads))
    this.runner = {
      system: 'postgresql',
      db: reads,
      diskSpace: this.diskSpace,
      now: () => parts.clock.now(),
      isConflict,
      fraction: parts.options.fraction,
      onRetry: () => (this.retries += 1),
    }
    this.shared = new SharedTransactions(this, {
      maxGroups: maxSharedTransactions,
      maxMembers,
      patienceMs: sharedPatienceMs,
      fraction: parts.options.fraction,
    })
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return runTransaction(this.runner, work)
  }

  sharedTransaction<T>(work: (tx: Transaction) => Promise<T>, options: SharingOptions): Promise<T> {
    return this.shared.run(work, options)
  }

  async recently<T>(read: (db: Queries) => Promise<T>, isTooOld?: () => Promise<boolean>): Promise<T> {
    const replica = this.parts.replicas.find((one) => one.isFresh())
    if (!replica || (await isTooOld?.())) return read(this.reads)
    try {
      return await read(replica.queries)
    } catch (error) {
      // a replica also cancels reads of rows that the primary has since cleaned up
      if (!(error instanceof DatabaseUnavailable || error instanceof pg.DatabaseError)) throw error
      replica.suspect()
      return read(this.reads)
    }
  }

  async ping(): Promise<void> {
    await sql`select 1`.execute(this.reads)
  }

  hasRoom(): Promise<boolean> {
    return this.diskSpace.hasRoom()
  }

  async commitsWait(): Promise<boolean> {
    const { rows } = await sql`
      select 1 from pg_stat_activity
       where wait_event = 'SyncRep' and query_start < clock_timestamp() - interval '3 seconds' limit 1`.execute(
      this.reads,
    )
    return rows.length > 0
  }

  async migrate(rest?: (db: Queries) => Promise<void>): Promise<string[]> {
    const { options, primary } = this.parts
    return migratePostgres({ ...options, url: await primary.url(), connectTimeoutMs }, rest)
  }

  pendingMigrations(): Promise<string[]> {
    return pendingMigrations(migrator(this.reads, 'postgres'))
  }

  lockForServer(): void {
    // any number of servers may share a PostgreSQL database
  }

  forgetDeleted(): Promise<boolean> {
    return Promise.resolve(true) // PostgreSQL manages vacuum and the write-ahead log itself
  }

  load(): DatabaseLoad {
    const { waiting, inUse, idle } = this.parts.pool.counts
    return {
      waiting,
      connections: { inUse, idle, max: this.parts.options.poolSize },
      replicaDelayMs: Math.min(...this.parts.replicas.map(({ delayMs }) => delayMs)), // Infinity without replicas
      retries: this.retries,
    }
  }

  listen(channel: string, onNotice: () => void): Listening {
    return listenOnPostgres(this.parts.primary, channel, onNotice)
  }
}

/** Throws if the tables' disk cannot take another mebibyte. Rolls its table back. */
async function probeDiskSpace(db: Kysely<Tables>): Promise<void> {
  const tx = await db.startTransaction().execute()
  try {
    await sql`
      create unlogged table holdfast_room_trial as
      select repeat('x', 1900) as text from generate_series(1, 512)`.execute(tx)
  } finally {
    await tx.rollback().execute()
  }
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
  const setting = server.fsync !== 'on' ? 'fsync' : server.pages !== 'on' ? 'full_page_writes' : undefined
  if (setting === undefined) return
  throw new OperatorError(
    `The PostgreSQL server at DATABASE_URL runs with ${setting}=off: a power cut could lose bookings that were ` +
      `acknowledged. Set ${setting}=on in postgresql.conf and reload the server.`,
  )
}

/**
 * Detects a pooler that the URL does not declare. PgBouncer with `ignore_startup_parameters` drops the settings that a
 * connection requests. It may change the server connection between two transactions, and the new one lacks the prepared
 * statements.
 */
async function refuseUnnamedPooler(db: Kysely<Tables>, urls: readonly string[]): Promise<void> {
  if (isPooled(urls[0] ?? '')) return
  const { rows } = await sql`
    select 1 from pg_settings where name = 'statement_timeout' and source = 'client'`.execute(db)
  if (rows.length > 0) return
  throw new OperatorError(
    `DATABASE_URL: a pooler such as PgBouncer answers at ${hostsOf(urls)}: it drops the startup parameters ` +
      `of connections (ignore_startup_parameters). ${addPooled(urls)}`,
  )
}

function hostsOf(urls: readonly string[]): string {
  return urls.map((url) => new URL(url).host).join(' or ')
}

function addPooled([url = '']: readonly string[]): string {
  return `Add pgbouncer=true to the URL: ${new URL(url).pathname}?pgbouncer=true.`
}

function unreachable(urls: readonly string[], error: DatabaseUnavailable): OperatorError {
  const hosts = hostsOf(urls)
  const reason = reasonOf(error.cause) || error.message
  const answers = urls.length > 1 ? 'that takes writes answers' : 'answers'
  if (/unsupported startup parameter/.test(reason)) {
    return new OperatorError(`DATABASE_URL: PgBouncer answers at ${hosts} (${reason}). ${addPooled(urls)}`, {
      cause: error,
    })
  }
  return new OperatorError(
    `DATABASE_URL: no PostgreSQL ${answers} at ${hosts}${new URL(urls[0] ?? '').pathname} (${reason}). Start the server, or correct the address, ` +
      'user, password or database name.',
    { cause: error },
  )
}

/** Returns the last message of a chain of causes. For several addresses, it returns the message of each. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ')
  if (!(error instanceof Error)) return ''
  return reasonOf(error.cause) || error.message
}

/** Listens on a channel with a dedicated connection and reconnects whenever that is lost. */
function listenOnPostgres(primary: Primary, channel: string, onNotice: () => void): Listening {
  const stopping = new AbortController()
  const aborted = new Promise((resolve) => stopping.signal.addEventListener('abort', resolve, { once: true }))
  let current: pg.Client | undefined
  const leave = () => current?.connection.stream.destroy() // a server that does not answer delays nobody
  primary.onChange(leave)
  const hasStopped = () => stopping.signal.aborted
  const running = (async () => {
    while (!hasStopped()) {
      const url = await primary.url().catch(() => undefined)
      if (url === undefined || hasStopped()) continue // the search for a server takes time
      if (isPooled(url)) return // a notification would go to a connection that by then belongs to someone else
      current = new pg.Client({
        connectionString: url,
        connectionTimeoutMillis: connectTimeoutMs,
        keepAlive: true,
        application_name: 'holdfast listener',
      })
      await listenUntilLost(current, channel, onNotice)
      await Promise.race([pause(reconnectMs), aborted])
    }
  })()
  return {
    close: () => {
      stopping.abort()
      leave()
      return running
    },
  }
}

/** Resolves when the connection is lost or fails. A poller running in parallel misses nothing. */
async function listenUntilLost(client: pg.Client, channel: string, onNotice: () => void): Promise<void> {
  const lost = new Promise<void>((resolve) => {
    client.on('error', () => resolve())
    client.on('end', () => resolve())
  })
  client.on('notification', onNotice)
  try {
    await client.connect()
    await client.query(`listen ${client.escapeIdentifier(channel)}`)
    onNotice() // earlier notifications may have been missed
    await lost
  } catch {
    // the server is unreachable; the next attempt follows
  } finally {
    client.connection.stream.destroy()
  }
}
