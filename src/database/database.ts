import type { Kysely } from 'kysely'
import { monotonicMs } from '../clock.ts'
import type { Instant } from '../instants.ts'
import type { Tables } from './tables.ts'

/** Where the data lies. Which one it is makes no difference to what the service does. */
export type Engine = 'sqlite' | 'postgres'

/** What queries are written against, inside a transaction and outside. */
export type Queries = Kysely<Tables>

/** A transaction in progress. Its time stands still: everything in it happens at `now`. */
export interface Transaction {
  db: Queries
  now: Instant
  /** 0 at first; counts the repetitions after conflicts with concurrent transactions. */
  attempt: number
  /** Has something done once the transaction is committed; nothing when it is rolled back. It must not throw. */
  onCommit(work: () => void): void
}

/** The database as the rest of the program sees it: two engines, one behaviour. */
export interface Database {
  readonly engine: Engine
  /** For reads outside a transaction. On SQLite it cannot write. */
  readonly reads: Queries
  /**
   * Runs `work` in a transaction (READ COMMITTED on PostgreSQL, serial on SQLite) and commits, or
   * rolls back when it throws. It is run again after a conflict that the engine or a `Repeat`
   * reports, at most five times within 2.5 seconds; `work` therefore has no effects outside the transaction.
   * Throws DatabaseUnavailable when the database does not answer in time.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /** Resolves when the database answers; else throws DatabaseUnavailable within five seconds. */
  ping(): Promise<void>
  /**
   * Whether changes can be written. After a transaction that failed for want of room on the disk, a trial tells, at most
   * one a second, until one succeeds.
   */
  hasRoom(): Promise<boolean>
  /** Brings the schema up to date under a lock. Names the migrations that ran. */
  migrate(): Promise<string[]>
  /** Migrations that have not run yet. */
  pendingMigrations(): Promise<string[]>
  /** Keeps every other server off a SQLite file, or throws an OperatorError when one is there. */
  lockForServer(): void
  /** How busy it is at this moment. */
  load(): DatabaseLoad
  /**
   * Calls `onNotice` whenever some process announces something on the channel (PostgreSQL), and when it may have
   * missed that. A hint: it can be lost, and on SQLite it never comes.
   */
  listen(channel: string, onNotice: () => void): Listening
  close(): Promise<void>
}

/** Ends with `close`. */
export interface Listening {
  close(): Promise<void>
}

/** How busy a database is, for those who watch the service. */
export interface DatabaseLoad {
  /** Who waits: for a connection (PostgreSQL), for a turn to write (SQLite). */
  waiting: number
  /** The connections of the pool; absent with SQLite, which has one to write and one to read. */
  connections?: { inUse: number; idle: number; most: number }
  /** How many transactions were run again after a conflict, since the database was opened. */
  repetitions: number
}

/** A few connections beside those of a database, for short statements that must not wait behind others. */
export interface SideConnections {
  /** Each statement is a transaction of its own and fails within two seconds. */
  readonly queries: Queries
  close(): Promise<void>
}

/** Told of every statement that reaches the engine and of its values, for tests that count and benchmarks that repeat. */
export type StatementListener = (sql: string, values: readonly unknown[]) => void

/** The database did not answer in time, or cannot take the change now (disk full, shutting down). */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable'
}

/** Thrown inside a transaction that lost a race and has to look again: it is rolled back and repeated. */
export class Repeat extends Error {
  override readonly name = 'Repeat'
}

/** No trial comes sooner after one that failed. */
const trialIntervalMs = 1_000

/**
 * Knows whether a disk has room. A change that succeeds is no sign of it, as it may have fit into a place that was free
 * already; a trial that needs a place of some size is.
 */
export class RoomWatch {
  private inDoubt = false
  private trial: Promise<unknown> | undefined
  private triedMs = -Infinity
  private readonly isWantOfRoom: (cause: unknown) => boolean
  private readonly tryOut: () => Promise<void>

  /** `isWantOfRoom` knows the errors of the engine that may mean it; `tryOut` fails when there is no room. */
  constructor(isWantOfRoom: (cause: unknown) => boolean, tryOut: () => Promise<void>) {
    this.isWantOfRoom = isWantOfRoom
    this.tryOut = tryOut
  }

  /** Notices when this fails for want of room. */
  async over<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      if (error instanceof DatabaseUnavailable && this.isWantOfRoom(error.cause)) this.inDoubt = true
      throw error
    }
  }

  async hasRoom(): Promise<boolean> {
    if (!this.inDoubt) return true
    if (monotonicMs() - this.triedMs >= trialIntervalMs) {
      this.triedMs = Infinity // nobody begins another beside it
      this.trial = this.tryOut()
        .then(
          () => (this.inDoubt = false),
          () => undefined,
        )
        .finally(() => (this.triedMs = monotonicMs()))
    }
    await this.trial
    return !this.inDoubt
  }
}

/** How often a transaction is repeated after conflicts, before it counts as unavailable. */
const mostRepetitions = 5
/** No repetition begins later than this: a request has its answer within five seconds, and a deadlock costs one. */
const repetitionLimitMs = 2_500
/** The first pause is at most this long: who comes back at once meets the same rival, who has not even woken up. */
const firstPauseMs = 20

/**
 * Runs one attempt after another while they end in conflicts, with a growing random pause.
 * `isConflict` knows the engine's own errors for "try again".
 */
export async function withRepetition<T>(
  attemptOnce: (attempt: number) => Promise<T>,
  isConflict: (error: unknown) => boolean,
  fraction: () => number,
): Promise<T> {
  const startedMs = monotonicMs()
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await attemptOnce(attempt)
    } catch (error) {
      if (!(error instanceof Repeat) && !isConflict(error)) throw error
      if (attempt >= mostRepetitions || monotonicMs() - startedMs > repetitionLimitMs) {
        throw new DatabaseUnavailable('too many conflicts', { cause: error })
      }
      await pause(fraction() * firstPauseMs * 2 ** attempt)
    }
  }
}

/**
 * Runs one attempt of a transaction and then what it has left for after the commit. What a rolled back attempt has
 * left is forgotten.
 */
export async function withCommitWork<T>(
  attemptOnce: (onCommit: Transaction['onCommit']) => Promise<T>,
): Promise<T> {
  const left: (() => void)[] = []
  const result = await attemptOnce((work) => left.push(work))
  for (const work of left) work()
  return result
}

/** Waits for the given milliseconds. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}

/**
 * The same database, in whose transactions `around` does something before and after the work, within
 * the same transaction.
 */
export function aroundTransactions(
  db: Database,
  around: (tx: Transaction, work: () => Promise<unknown>) => Promise<unknown>,
): Database {
  return {
    engine: db.engine,
    reads: db.reads,
    // `around` gives what the work gives
    transaction: <T>(work: (tx: Transaction) => Promise<T>) =>
      db.transaction((tx) => around(tx, () => work(tx)) as Promise<T>),
    ping: () => db.ping(),
    hasRoom: () => db.hasRoom(),
    migrate: () => db.migrate(),
    pendingMigrations: () => db.pendingMigrations(),
    lockForServer: () => {
      db.lockForServer()
    },
    load: () => db.load(),
    listen: (channel, onNotice) => db.listen(channel, onNotice),
    close: () => db.close(),
  }
}
