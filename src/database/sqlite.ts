import { realpathSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
  type SelectModifierNode,
  sql,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { type Clock, monotonicMs } from '../base/clock.ts'
import { OperatorError } from '../base/errors.ts'
import {
  type Database,
  type DatabaseLoad,
  DatabaseUnavailable,
  type Listening,
  type Queries,
  DiskSpaceMonitor,
  pause,
  runTransaction,
  type SharingOptions,
  type StatementListener,
  type Transaction,
  type TransactionRunner,
} from './database.ts'
import { adoptAllBookings, migrate, migrator, pendingMigrations, rewriteRows } from './migrate.ts'
import { makePrivateFile, makePrivateFolderOf, takeServerLock, probeDiskSpace } from './sqlite-file.ts'
import { SharedTransactions } from './shared-transaction.ts'
import type { Tables } from './tables.ts'
import { isDiskFull, SqliteConnection, translate, whileBusy, writeTimeoutMs } from './sqlite-connection.ts'

interface SqliteOptions {
  file: string
  clock: Clock
  fraction: () => number
  onStatement?: StatementListener
  /** Opens an existing file and changes nothing in it. */
  readsOnly?: boolean
}

/** Opens a SQLite file, creating it if needed. Throws an OperatorError if that is impossible. */
export function openSqlite(options: SqliteOptions): Database {
  try {
    if (!options.readsOnly) {
      makePrivateFolderOf(options.file)
      makePrivateFile(options.file)
    }
    const writer = new DatabaseSync(options.file, { timeout: writeTimeoutMs })
    // FULL: an acknowledged booking survives a power failure, not only the end of the process. Deleted data is
    // overwritten. A checkpoint writes each page once for many commits, but is small enough not to stall the server
    // (docs/benchmark.md).
    writer.exec(
      options.readsOnly
        ? 'pragma query_only = on; pragma busy_timeout = 0'
        : 'pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; pragma busy_timeout = 0; pragma temp_store = memory; pragma secure_delete = on; pragma wal_autocheckpoint = 2000',
    )
    // a read-only connection that closes last would leave the WAL files behind
    const reader = options.readsOnly ? writer : new DatabaseSync(options.file, { timeout: 0, readOnly: true })
    return new SqliteDatabase(options, writer, reader)
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown'
    throw new OperatorError(
      `DATABASE_URL: the SQLite file ${options.file} cannot be opened (${reason}). Its folder must exist or be ` +
        'creatable, be writable, and lie on a local disk.',
      { cause: error },
    )
  }
}

/** Runs all migrations in memory, then `work` on the result, to compare another database with it. */
export async function migratedInMemory<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
  const file = new DatabaseSync(':memory:')
  const db = new Kysely<Tables>({ dialect: sqliteDialect(file, new Mutex(), () => undefined) })
  try {
    await migrate(migrator(db, 'sqlite'))
    return await work(db)
  } finally {
    file.close()
  }
}

class SqliteDatabase implements Database {
  readonly engine = 'sqlite'
  readonly reads: Kysely<Tables>
  private readonly writes: Kysely<Tables>
  private readonly file: string
  private readonly mutex = new Mutex()
  private readonly diskSpace: DiskSpaceMonitor
  private readonly runner: TransactionRunner
  private readonly shared: SharedTransactions
  private retries = 0
  private readonly connections: DatabaseSync[]
  private serverLock: { close(): void } | undefined

  constructor(options: SqliteOptions, writer: DatabaseSync, reader: DatabaseSync) {
    const onStatement = options.onStatement ?? (() => undefined)
    this.file = options.file
    this.diskSpace = new DiskSpaceMonitor(isDiskFull, () => probeDiskSpace(options.file))
    this.connections = [reader, writer]
    this.writes = new Kysely({ dialect: sqliteDialect(writer, this.mutex, onStatement) })
    this.reads = new Kysely({ dialect: sqliteDialect(reader, undefined, onStatement) })
    this.runner = {
      system: 'sqlite',
      db: this.writes,
      diskSpace: this.diskSpace,
      now: () => options.clock.now(),
      isConflict: () => false, // transactions are serial
      fraction: options.fraction,
      onRetry: () => (this.retries += 1),
    }
    this.shared = new SharedTransactions(this, { maxGroups: 1, maxMembers: 64, fraction: options.fraction })
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return runTransaction(this.runner, work)
  }

  sharedTransaction<T>(work: (tx: Transaction) => Promise<T>, options: SharingOptions): Promise<T> {
    return this.shared.run(work, options)
  }

  recently<T>(read: (db: Queries) => Promise<T>): Promise<T> {
    return read(this.reads)
  }

  async ping(): Promise<void> {
    await sql`select 1 from sqlite_schema`.execute(this.reads)
  }

  hasRoom(): Promise<boolean> {
    return this.diskSpace.hasRoom()
  }

  commitsWait(): Promise<boolean> {
    return Promise.resolve(false) // SQLite has no standby
  }

  async migrate(rest?: (db: Queries) => Promise<void>): Promise<string[]> {
    const batch = <T>(work: (tx: Kysely<Tables>) => Promise<T>) => this.writes.transaction().execute(work)
    await rewriteRows(this.writes, 'sqlite', batch)
    const ran = await this.migrateQuickly()
    await adoptAllBookings('sqlite', batch)
    if (rest) await this.transaction(({ db }) => rest(db))
    return ran
  }

  /** To add a column, SQLite would evaluate all checks of all rows of its table again, while nobody can write. */
  private async migrateQuickly(): Promise<string[]> {
    await sql`pragma ignore_check_constraints = on`.execute(this.writes)
    try {
      return await migrate(migrator(this.writes, 'sqlite'))
    } finally {
      await sql`pragma ignore_check_constraints = off`.execute(this.writes)
    }
  }

  pendingMigrations(): Promise<string[]> {
    return pendingMigrations(migrator(this.reads, 'sqlite'))
  }

  lockForServer(): void {
    this.serverLock = takeServerLock(this.file, realpathSync(this.file))
  }

  async forgetDeleted(): Promise<boolean> {
    const startedMs = monotonicMs()
    for (;;) {
      const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(this.writes)
      if (rows[0]?.busy === 0) return true
      if (monotonicMs() - startedMs > forgetTimeoutMs) return false
      await pause(forgetPauseMs) // a reader, such as a backup, still needs it
    }
  }

  load(): DatabaseLoad {
    return { waiting: this.mutex.waiting, retries: this.retries }
  }

  listen(): Listening {
    return { close: () => Promise.resolve() } // no other server uses the file, and commands cannot send notifications
  }

  async close(): Promise<void> {
    await this.reads.destroy()
    await this.writes.destroy()
    // Kysely closes only used connections. The writer closes last, because only it can remove the WAL.
    for (const connection of this.connections) if (connection.isOpen) connection.close()
    this.serverLock?.close()
  }
}

const forgetTimeoutMs = 5_000
const forgetPauseMs = 100

/** One holder's use of the connection: a transaction or single statements. */
class WriterConnection implements DatabaseConnection {
  isTransaction = false
  /** Start of the wait for the mutex and the file together. */
  readonly startedMs: number
  private letNextIn: (() => void) | undefined
  private readonly connection: SqliteConnection

  constructor(connection: SqliteConnection, entered: { startedMs: number; letNextIn: () => void }) {
    this.connection = connection
    this.startedMs = entered.startedMs
    this.letNextIn = entered.letNextIn
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { file } = this.connection
    return this.connection.execute(query, this.isTransaction ? () => assertNotUndone(file) : undefined)
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    return this.connection.streamQuery()
  }

  /** Lets the next holder in after a turn of the event loop. Other processes can take the file meanwhile. */
  leave(): void {
    if (this.letNextIn) setImmediate(this.letNextIn)
    this.letNextIn = undefined
  }
}

/** Throws if an error has rolled back the transaction (full disk, I/O). Further statements would run outside it. */
function assertNotUndone(file: DatabaseSync): void {
  if (!file.isTransaction) throw new DatabaseUnavailable('an error has rolled back the transaction')
}

/** A Kysely driver over the one writing connection, with one holder at a time. */
class SqliteWriter implements Driver {
  private readonly connection: SqliteConnection
  private readonly mutex: Mutex

  constructor(connection: SqliteConnection, mutex: Mutex) {
    this.connection = connection
    this.mutex = mutex
  }

  async init(): Promise<void> {
    // the file is already open
  }

  async acquireConnection(): Promise<WriterConnection> {
    const startedMs = monotonicMs()
    return new WriterConnection(this.connection, { startedMs, letNextIn: await this.mutex.enter() })
  }

  /** Uses `begin immediate`: a deferred transaction fails at once when its snapshot is stale. */
  async beginTransaction(holder: WriterConnection): Promise<void> {
    await whileBusy(() => {
      this.connection.file.exec('begin immediate')
    }, holder.startedMs)
    holder.isTransaction = true
  }

  async commitTransaction(holder: WriterConnection): Promise<void> {
    assertNotUndone(this.connection.file)
    try {
      this.connection.file.exec('commit')
    } catch (error) {
      throw translate(error)
    }
    holder.isTransaction = false
  }

  async rollbackTransaction(holder: WriterConnection): Promise<void> {
    // some errors have already rolled back
    if (holder.isTransaction && this.connection.file.isTransaction) this.connection.file.exec('rollback')
    holder.isTransaction = false
  }

  async releaseConnection(holder: WriterConnection): Promise<void> {
    holder.leave()
  }

  async destroy(): Promise<void> {
    this.connection.file.close()
  }
}

/** Lets one holder in at a time, in order of arrival. */
class Mutex {
  waiting = 0
  private last: Promise<void> = Promise.resolve()

  /** Resolves with the function that lets the next holder in. Rejects after `writeTimeoutMs`. */
  async enter(): Promise<() => void> {
    const before = this.last
    this.waiting += 1
    let letNextIn: () => void = () => undefined
    this.last = new Promise((resolve) => {
      letNextIn = resolve
    })
    let timer: NodeJS.Timeout | undefined
    const tooLate = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        reject(new DatabaseUnavailable('too many writers wait for the database file'))
      }, writeTimeoutMs)
    })
    try {
      await Promise.race([before, tooLate])
      return letNextIn
    } catch (error) {
      void before.then(letNextIn) // later waiters still wait for earlier ones
      throw error
    } finally {
      clearTimeout(timer)
      this.waiting -= 1
    }
  }
}

/** A Kysely driver over a read-only connection, without transactions. Each statement is a snapshot. */
class SqliteReader implements Driver {
  private readonly connection: SqliteConnection

  constructor(connection: SqliteConnection) {
    this.connection = connection
  }

  async init(): Promise<void> {
    // the file is already open
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.connection
  }

  async beginTransaction(): Promise<void> {
    throw new Error('a transaction needs the connection that writes')
  }

  async commitTransaction(): Promise<void> {
    // there are no transactions
  }

  async rollbackTransaction(): Promise<void> {
    // there are no transactions
  }

  async releaseConnection(): Promise<void> {
    // all users share it
  }

  async destroy(): Promise<void> {
    this.connection.file.close()
  }
}

const rowLocks = ['ForUpdate', 'ForNoKeyUpdate', 'SkipLocked']

/** SQLite has no row locks and needs none, because `begin immediate` locks the whole database. */
class LocklessQueryCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (!rowLocks.includes(node.modifier ?? '')) super.visitSelectModifier(node)
  }
}

class SqliteFileAdapter extends SqliteAdapter {
  /** DDL is transactional in SQLite, although Kysely's own adapter does not rely on it. */
  override get supportsTransactionalDdl(): boolean {
    return true
  }

  /** Otherwise Kysely would queue all transactions itself, without a limit. The mutex has one. */
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

/** Creates the Kysely dialect over one connection. A writing connection has a mutex. */
function sqliteDialect(
  file: DatabaseSync,
  mutex: Mutex | undefined,
  onStatement: StatementListener,
): Dialect {
  const connection = new SqliteConnection(file, onStatement)
  return {
    createDriver: () => (mutex ? new SqliteWriter(connection, mutex) : new SqliteReader(connection)),
    createAdapter: () => new SqliteFileAdapter(),
    createQueryCompiler: () => new LocklessQueryCompiler(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  }
}
