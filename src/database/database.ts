import type { CompiledQuery, Kysely, QueryExecutor, QueryResult } from 'kysely'
import { monotonicMs } from '../base/clock.ts'
import type { Instant } from '../base/instants.ts'
import { traced } from '../base/tracing.ts'
import type { Tables } from './tables.ts'

/** The service behaves the same on both. */
export type Engine = 'sqlite' | 'postgres'

/** The query builder of a transaction. */
export type Queries = Kysely<Tables>

/** The part of the query builder that reads, in a transaction or outside. */
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

/** A transaction in progress. Everything in it happens at `now`. */
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
  /** For reads outside a transaction. On SQLite it cannot write. */
  readonly reads: Reads
  /**
   * Runs a read that may show what was true up to a second ago: on a replica, where there is one that is not further behind
   * (contract, section 22), else as `reads`. `isTooOld` is asked before, if there is one: then a replica will not do.
   */
  recently<T>(read: (db: Reads) => Promise<T>, isTooOld?: () => Promise<boolean>): Promise<T>
  /**
   * Runs `work` in a transaction (READ COMMITTED on PostgreSQL, serial on SQLite) and commits, or rolls back when it
   * throws. Retries after a conflict that the engine or a `RetryTransaction` reports, at most five times within 2.5
   * seconds; so `work` must have no effects outside the transaction.
   * Throws DatabaseUnavailable when the database does not answer in time.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /**
   * As `transaction`, but shared with others that wait at the same time (see shared-transaction.ts): for what many clients
   * do at once. No member fails another. `owner` is the tenant, as none starves another; `isGone` tells that the client
   * has gone, so that its work need not begin (MemberGone).
   */
  sharedTransaction<T>(work: (tx: Transaction) => Promise<T>, options: SharingOptions): Promise<T>
  /** Resolves when the database answers; else throws DatabaseUnavailable within five seconds. */
  ping(): Promise<void>
  /**
   * Whether the disk has space. After a transaction failed on a full disk, probes decide, at most one a second, until one
   * succeeds.
   */
  hasRoom(): Promise<boolean>
  /**
   * Whether a commit has waited for a synchronous standby for three seconds (PostgreSQL): its request was refused by then, and
   * so are others. Reads a view, and writes nothing: a commit to try it would wait as well, at a connection of its own.
   */
  commitsWait(): Promise<boolean>
  /** Brings the schema up to date under a lock, then does the rest. Returns the names of the migrations that ran. */
  migrate(rest?: (db: Queries) => Promise<void>): Promise<string[]>
  /** Names the migrations that have not run. */
  pendingMigrations(): Promise<string[]>
  /** Keeps every other server off a SQLite file, or throws an OperatorError when one is there. */
  lockForServer(): void
  /**
   * Leaves nothing of what was deleted in the files beside the database: on SQLite, where the write-ahead log keeps it for
   * a while. False when another program has read from it for five seconds.
   */
  forgetDeleted(): Promise<boolean>
  load(): DatabaseLoad
  /**
   * Calls `onNotice` at each notification on the channel (PostgreSQL), and when it may have missed one. A hint only: it can
   * be lost, and never comes on SQLite.
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

/** How busy a database is, for the metrics. */
export interface DatabaseLoad {
  /** Waiters: for a connection (PostgreSQL), for the writer lock (SQLite). */
  waiting: number
  /** Of the pool; absent with SQLite, which has one to write and one to read. */
  connections?: { inUse: number; idle: number; max: number }
  /** How far the replica that is least behind is so, at most, in milliseconds; Infinity when that is not known. Absent with SQLite. */
  replicaDelayMs?: number
  /** Retries of transactions after conflicts, since the database was opened. */
  retries: number
}

/** Connections of a dedicated pool. */
export const dedicatedPoolSize = 3

/** Connections that a server spends on listening. */
export const listeningConnections = 1

/** A few connections of their own, for short statements that must not wait behind others. */
export interface DedicatedPool {
  /** Each statement is a transaction of its own and fails within two seconds. */
  readonly queries: Queries
  close(): Promise<void>
}

/** Gets every statement with its values, for tests that count and benchmarks that repeat. */
export type StatementListener = (sql: string, values: readonly unknown[]) => void

/** The database did not answer in time, or cannot take the change now (disk full, shutting down). */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable'
}

/** Thrown by a transaction that lost a race: it rolls back and runs again. */
export class RetryTransaction extends Error {
  override readonly name = 'RetryTransaction'
}

/** Nothing of the transaction was committed, and no error said so before. */
export class RolledBack extends Error {
  override readonly name = 'RolledBack'
}

/** Time between two probes of a full disk. */
const probeIntervalMs = 1_000

/**
 * Knows whether the disk has space. A change that succeeds proves nothing, as it may have fit into free pages; so a
 * probe that needs new ones decides.
 */
export class DiskSpaceMonitor {
  private inDoubt = false
  private probing: Promise<unknown> | undefined
  private probedMs = -Infinity
  private readonly isDiskFull: (cause: unknown) => boolean
  private readonly probe: () => Promise<void>

  /** `isDiskFull` recognises the engine's errors that may mean a full disk; `probe` fails on a full disk. */
  constructor(isDiskFull: (cause: unknown) => boolean, probe: () => Promise<void>) {
    this.isDiskFull = isDiskFull
    this.probe = probe
  }

  /** Notices when the work fails because of a full disk. */
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

/** How a database runs its transactions. */
export interface TransactionRunner {
  system: 'postgresql' | 'sqlite'
  db: Queries
  diskSpace: DiskSpaceMonitor
  now: () => Instant
  isConflict: (error: unknown) => boolean
  fraction: () => number
  onRetry: () => void
}

/** `Database.transaction` for both engines: retries, spans, and work after the commit. */
export function runTransaction<T>(
  { system, db, diskSpace, now, isConflict, fraction, onRetry }: TransactionRunner,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const attemptOnce = async (attempt: number) => {
    if (attempt > 0) onRetry()
    const afterCommit: (() => void)[] = [] // of a rolled back attempt, nothing is done
    const onCommit = (done: () => void) => void afterCommit.push(done)
    const result = await db.transaction().execute(async (tx) => {
      await bindConnection(tx)
      return work({ db: tx, reads: tx, now: now(), attempt, onCommit })
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
 * Sends a query at once, also in a transaction where another is under way: Kysely would wait for that one. The statements
 * of a transaction run in the order in which they were asked for.
 */
export function executeAtOnce<Row>(db: Reads, query: CompiledQuery<Row>): Promise<QueryResult<Row>> {
  return (bound.get(db) ?? db).executeQuery(query)
}

const maxRetries = 5
/** No retry begins later than this: a request gets its response within five seconds, and a deadlock costs one. */
const retryLimitMs = 2_500
/** Bound of the first random pause: without one, the retry meets the same rival, which has not even woken up. */
const firstPauseMs = 20

/** Retries while attempts end in conflicts, with a growing random pause. `isConflict` knows the engine's own errors. */
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
 * As `Promise.all`, for what one transaction asks at the same time. When something fails it waits for the rest before it
 * throws: a statement that were sent after that would belong to no transaction, or to the next one.
 */
export async function allOf<T extends readonly unknown[]>(
  asked: readonly [...T],
): Promise<{ -readonly [Index in keyof T]: Awaited<T[Index]> }> {
  const all = Promise.all(asked)
  await Promise.allSettled([all, ...asked])
  return all // of several failures the first: the others follow from it
}
