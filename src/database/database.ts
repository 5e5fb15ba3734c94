import type { CompiledQuery, Kysely, QueryExecutor, QueryResult } from 'kysely'
import { monotonicMs, testTime } from '../base/clock.ts'
import type { Instant } from '../base/instants.ts'
import { traced } from '../base/tracing.ts'
import type { Tables } from './tables.ts'

/** The service behaves the same on both. */
export type Engine = 'sqlite' | 'postgres'

/** The query builder of a transaction. */
export type Queries = Kysely<Tables>

/** The part of the query builder that reads, inside or outside a transaction. */
export type Reads = Pick<
  Queries,
  | 'selectFrom'
  | 'selectNoFrom'
  | 'with'
  | 'withRecursive'
  | 'fn'
  | 'introspection'
  | 'withoutPlugins'
  | 'executeQuery'
  | 'getExecutor'
>

/** A transaction in progress. Everything in it happens at `now`, which may be the time of a test business. */
export interface Transaction {
  readonly db: Queries
  /** The same connection, for reads. */
  readonly reads: Reads
  readonly now: Instant
  /** Counts the retries after conflicts with concurrent transactions. */
  readonly attempt: number
  /** Schedules work for after the commit; a rollback drops it. It must not throw. */
  onCommit(work: () => void): void
}

/** The port to the database: two engines, one behaviour. */
export interface Database {
  readonly engine: Engine
  /** Reads outside a transaction. On SQLite it cannot write. */
  readonly reads: Reads
  /**
   * Runs a read whose result may be up to one second old. Uses a replica if one lags by at most a second (contract,
   * section 22), and `reads` otherwise. `isTooOld`, if given, runs first and can rule out a replica.
   */
  recently<T>(read: (db: Reads) => Promise<T>, isTooOld?: () => Promise<boolean>): Promise<T>
  /**
   * Runs `work` in a transaction (READ COMMITTED on PostgreSQL, serial on SQLite). Commits, or rolls back if `work`
   * throws. Retries after a conflict reported by the engine or by `RetryTransaction`, at most five times within 2.5
   * seconds. Therefore `work` must have no effects outside the transaction. Throws DatabaseUnavailable if the database
   * does not answer in time.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /**
   * Runs like `transaction`, but shares the transaction with others that wait at the same time (see
   * shared-transaction.ts). Use it for operations that many clients run at once. No member makes another fail. `owner`
   * is the tenant, so that no tenant starves another. If `isGone` returns true, the client has disconnected and its
   * work does not start (MemberGone).
   */
  sharedTransaction<T>(work: (tx: Transaction) => Promise<T>, options: SharingOptions): Promise<T>
  /** Resolves when the database answers. Otherwise throws DatabaseUnavailable within five seconds. */
  ping(): Promise<void>
  /**
   * Reports if the disk has space. After a transaction has failed on a full disk, probes decide, at most one a second,
   * until one succeeds.
   */
  hasRoom(): Promise<boolean>
  /**
   * Reports if a commit has waited for a synchronous standby for three seconds (PostgreSQL). By then its request has
   * been refused, and other requests should be too. Reads a view and writes nothing, because a test commit would wait
   * as well and occupy another connection.
   */
  commitsWait(): Promise<boolean>
  /** Migrates the schema under a lock, then runs `rest`. Returns the names of the migrations that ran. */
  migrate(rest?: (db: Queries) => Promise<void>): Promise<string[]>
  /** Names the migrations that have not run. */
  pendingMigrations(): Promise<string[]>
  /** Locks a SQLite file for this server. Throws an OperatorError if another server holds it. */
  lockForServer(): void
  /**
   * Erases deleted data from the files next to the database. On SQLite, the write-ahead log keeps it for a while.
   * Returns false if another program has been reading from the log for five seconds.
   */
  forgetDeleted(): Promise<boolean>
  load(): DatabaseLoad
  /**
   * Calls `onNotice` at each notification on the channel (PostgreSQL), and whenever one may have been missed. This is
   * only a hint: notifications can get lost, and SQLite has none.
   */
  listen(channel: string, onNotice: () => void): Listening
  close(): Promise<void>
}

export interface SharingOptions {
  owner: string
  isGone?: (() => boolean) | undefined
}

export interface Listening {
  close(): Promise<void>
}

/** The load of a database, for the metrics. */
export interface DatabaseLoad {
  /** Waiters for a connection (PostgreSQL) or for the writer lock (SQLite). */
  waiting: number
  /** Connections of the pool. Absent on SQLite, which has one for writing and one for reading. */
  connections?: { inUse: number; idle: number; max: number }
  /** Upper bound for the delay of the most current replica, in milliseconds. Infinity if unknown, absent on SQLite. */
  replicaDelayMs?: number
  /** Retries of transactions after conflicts since the database was opened. */
  retries: number
}

/** Connections of a dedicated pool. */
export const dedicatedPoolSize = 3

/** Connections that a server spends on listening. */
export const listeningConnections = 1

/** A few separate connections, for short statements that must not wait behind others. */
export interface DedicatedPool {
  /** Runs each statement in a separate transaction, which fails after two seconds. */
  readonly queries: Queries
  close(): Promise<void>
}

/** Receives every statement with its values, for tests that count them and benchmarks that repeat them. */
export type StatementListener = (sql: string, values: readonly unknown[]) => void

/** The database did not answer in time, or cannot take the change now (full disk, shutdown). */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable'
}

/** Thrown by a transaction that lost a race. The transaction rolls back and runs again. */
export class RetryTransaction extends Error {
  override readonly name = 'RetryTransaction'
}

/** Nothing of the transaction was committed, although no error was reported. */
export class RolledBack extends Error {
  override readonly name = 'RolledBack'
}

/** Time between two probes of a full disk. */
const probeIntervalMs = 1_000

/**
 * Knows if the disk has space. A successful change proves nothing, because it may have fit into free pages. Therefore a
 * probe that needs new pages decides.
 */
export class DiskSpaceMonitor {
  private inDoubt = false
  private probing: Promise<unknown> | undefined
  private probedMs = -Infinity
  private readonly isDiskFull: (cause: unknown) => boolean
  private readonly probe: () => Promise<void>

  /** `isDiskFull` recognises errors of the engine that may mean a full disk. `probe` fails if the disk is full. */
  constructor(isDiskFull: (cause: unknown) => boolean, probe: () => Promise<void>) {
    this.isDiskFull = isDiskFull
    this.probe = probe
  }

  /** Detects work that fails because of a full disk. */
  async over<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      if (error instanceof DatabaseUnavailable && this.isDiskFull(error.cause)) this.inDoubt = true
      throw error
    }
  }

  async hasRoom(): Promise<boolean> {
    if (!this.inDoubt) return true
    if (monotonicMs() - this.probedMs >= probeIntervalMs) {
      this.probedMs = Infinity // one probe at a time
      this.probing = this.probe()
        .then(
          () => (this.inDoubt = false),
          () => undefined,
        )
        .finally(() => (this.probedMs = monotonicMs()))
    }
    await this.probing
    return !this.inDoubt
  }
}

/** The way in which an engine runs its transactions. */
export interface TransactionRunner {
  system: 'postgresql' | 'sqlite'
  db: Queries
  diskSpace: DiskSpaceMonitor
  now: () => Instant
  isConflict: (error: unknown) => boolean
  fraction: () => number
  onRetry: () => void
}

/** Implements `Database.transaction` for both engines: retries, spans, and work after the commit. */
export function runTransaction<T>(
  { system, db, diskSpace, now, isConflict, fraction, onRetry }: TransactionRunner,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const attemptOnce = async (attempt: number) => {
    if (attempt > 0) onRetry()
    const afterCommit: (() => void)[] = [] // dropped when the attempt rolls back
    const onCommit = (done: () => void) => void afterCommit.push(done)
    const result = await db.transaction().execute(async (tx) => {
      await bindConnection(tx)
      return work({ db: tx, reads: tx, now: testTime()?.now ?? now(), attempt, onCommit })
    })
    for (const done of afterCommit) done()
    return result
  }
  const attempts = traced('transaction', { 'db.system.name': system }, () =>
    withRetries(attemptOnce, isConflict, fraction),
  )
  return diskSpace.over(attempts)
}

const bound = new WeakMap<Reads, QueryExecutor>()

async function bindConnection(tx: Queries): Promise<void> {
  const executor = tx.getExecutor()
  const connection = await executor.provideConnection((one) => Promise.resolve(one))
  bound.set(tx, executor.withConnectionProvider({ provideConnection: (use) => use(connection) }))
}

/**
 * Sends a query at once, even if another query of the transaction is still running. Kysely would wait for that one.
 * Statements of a transaction run in the order of the calls.
 */
export function executeAtOnce<Row>(db: Reads, query: CompiledQuery<Row>): Promise<QueryResult<Row>> {
  return (bound.get(db) ?? db).executeQuery(query)
}

const maxRetries = 5
/** No retry begins later than this. A request gets its response within five seconds, and a deadlock costs one. */
const retryLimitMs = 2_500
/** Bound of the first random pause. Without a pause, the retry meets the same rival, which has not even woken up. */
const firstPauseMs = 20

/**
 * Retries while attempts end in conflicts, with a growing random pause. `isConflict` recognises the errors of the
 * engine.
 */
export async function withRetries<T>(
  attemptOnce: (attempt: number) => Promise<T>,
  isConflict: (error: unknown) => boolean,
  fraction: () => number,
): Promise<T> {
  const startedMs = monotonicMs()
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await attemptOnce(attempt)
    } catch (error) {
      if (!(error instanceof RetryTransaction) && !isConflict(error)) throw error
      if (attempt >= maxRetries || monotonicMs() - startedMs > retryLimitMs) {
        throw new DatabaseUnavailable('too many conflicts', { cause: error })
      }
      await pause(fraction() * firstPauseMs * 2 ** attempt)
    }
  }
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}

/**
 * Works like `Promise.all`, for simultaneous statements of one transaction. After a failure it waits for the remaining
 * statements before it throws. Otherwise a later statement would run in no transaction, or in the next one.
 */
export async function allOf<T extends readonly unknown[]>(
  asked: readonly [...T],
): Promise<{ -readonly [Index in keyof T]: Awaited<T[Index]> }> {
  const all = Promise.all(asked)
  await Promise.allSettled([all, ...asked])
  return all // throws the first failure, which caused the others
}
