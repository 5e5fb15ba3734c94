import {
  CompiledQuery,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  type SelectModifierNode,
} from 'kysely'
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { monotonicMs, type Clock } from '../clock.ts'
import { OperatorError } from '../errors.ts'
import {
  DatabaseUnavailable,
  pause,
  withRepetition,
  type Database,
  type StatementListener,
  type Transaction,
} from './database.ts'
import { migrator, migrate, pendingMigrations } from './migrate.ts'
import type { Tables } from './tables.ts'

/** How long a transaction waits for its turn, and for other processes that write to the file. */
const writeTimeoutMs = 4_000
const mostCachedStatements = 500

/** Result codes of SQLite that say "not now": busy, locked, I/O error, full, cannot open, read-only. */
const unavailableCodes = [5, 6, 8, 10, 13, 14]
const busyCode = 5

function resultCode(error: unknown): number {
  // the low byte is the primary code (https://sqlite.org/rescode.html)
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode & 0xff
    : 0
}

function translate(error: unknown): unknown {
  return unavailableCodes.includes(resultCode(error))
    ? new DatabaseUnavailable('the database file cannot be used now', { cause: error })
    : error
}

/** node:sqlite would bind a Date as NULL and take an object for named parameters. */
function assertPrimitive(value: unknown): SQLInputValue {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  throw new TypeError(`cannot bind a ${typeof value} to a statement`)
}

/**
 * Tries again while another process holds the file. SQLite's own waiting would block the event
 * loop, so this waits beside it, for at most four seconds.
 */
async function whileBusy<T>(attempt: () => T): Promise<T> {
  const startedMs = monotonicMs()
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 50)) {
    try {
      return attempt()
    } catch (error) {
      if (resultCode(error) !== busyCode || monotonicMs() - startedMs > writeTimeoutMs) throw translate(error)
    }
    await pause(pauseMs)
  }
}

interface Prepared {
  statement: StatementSync
  returnsRows: boolean
}

class SqliteConnection implements DatabaseConnection {
  readonly file: DatabaseSync
  private readonly statements = new Map<string, Prepared>()
  private readonly onStatement: StatementListener

  constructor(file: DatabaseSync, onStatement: StatementListener) {
    this.file = file
    this.onStatement = onStatement
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    this.onStatement(query.sql)
    const values = query.parameters.map(assertPrimitive)
    return whileBusy(() => {
      const { statement, returnsRows } = this.prepared(query.sql)
      if (returnsRows) return { rows: statement.all(...values) as R[] }
      return { rows: [], numAffectedRows: BigInt(statement.run(...values).changes) }
    })
  }

  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('streaming is not used')
  }

  private prepared(text: string): Prepared {
    const known = this.statements.get(text)
    if (known) return known
    const statement = this.file.prepare(text)
    const prepared = { statement, returnsRows: statement.columns().length > 0 }
    if (this.statements.size < mostCachedStatements) this.statements.set(text, prepared)
    return prepared
  }
}

/** Lets one holder in at a time, in order of arrival. */
class Turnstile {
  private last: Promise<void> = Promise.resolve()

  /** Resolves when it is the caller's turn, with the function that ends it. Rejects after the time limit. */
  async enter(): Promise<() => void> {
    const before = this.last
    let leave: () => void = () => undefined
    this.last = new Promise((resolve) => {
      leave = resolve
    })
    let timer: NodeJS.Timeout | undefined
    const tooLate = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        reject(new DatabaseUnavailable('too many writers wait for the database file'))
      }, writeTimeoutMs)
    })
    try {
      await Promise.race([before, tooLate])
      return leave
    } catch (error) {
      void before.then(leave) // those behind still wait for those before
      throw error
    } finally {
      clearTimeout(timer)
    }
  }
}

/** A Kysely driver over one connection of node:sqlite. */
class SqliteDriver implements Driver {
  private readonly connection: SqliteConnection
  private readonly turnstile: Turnstile | undefined
  private leave: () => void = () => undefined

  /** A connection that writes is used by one at a time; one that reads needs no turns: each statement is a snapshot. */
  constructor(connection: SqliteConnection, use: 'write' | 'read') {
    this.connection = connection
    this.turnstile = use === 'write' ? new Turnstile() : undefined
  }

  async init(): Promise<void> {
    // the file is open already
  }

  async acquireConnection(): Promise<SqliteConnection> {
    if (this.turnstile) this.leave = await this.turnstile.enter()
    return this.connection
  }

  /** Takes the write lock at once: a deferred transaction fails when its snapshot is stale. */
  async beginTransaction(connection: SqliteConnection): Promise<void> {
    await whileBusy(() => {
      connection.file.exec('begin immediate')
    })
  }

  async commitTransaction(connection: SqliteConnection): Promise<void> {
    try {
      connection.file.exec('commit')
    } catch (error) {
      throw translate(error)
    }
  }

  async rollbackTransaction(connection: SqliteConnection): Promise<void> {
    if (connection.file.isTransaction) connection.file.exec('rollback') // some errors have rolled back already
  }

  async releaseConnection(): Promise<void> {
    this.leave()
  }

  async destroy(): Promise<void> {
    this.connection.file.close()
  }
}

/** SQLite locks the whole database at `begin immediate`: row locks are neither known nor needed. */
class LocklessQueryCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (node.modifier !== 'ForUpdate' && node.modifier !== 'SkipLocked') super.visitSelectModifier(node)
  }
}

/** DDL is transactional in SQLite; Kysely's own adapter does not count on it. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

function dialectOver(driver: SqliteDriver): Dialect {
  return {
    createDriver: () => driver,
    createAdapter: () => new TransactionalSqliteAdapter(),
    createQueryCompiler: () => new LocklessQueryCompiler(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  }
}

export interface SqliteOptions {
  file: string
  clock: Clock
  fraction: () => number
  onStatement?: StatementListener
}

/** Opens (and creates) a SQLite file. Throws an OperatorError when that is not possible. */
export function openSqlite(options: SqliteOptions): Database {
  try {
    mkdirSync(dirname(options.file), { recursive: true })
    const writer = new DatabaseSync(options.file, { timeout: writeTimeoutMs })
    // FULL: an acknowledged booking survives a power cut, not only the end of the process
    writer.exec(
      'pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; pragma busy_timeout = 0',
    )
    const reader = new DatabaseSync(options.file, { timeout: 0, readOnly: true })
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

class SqliteDatabase implements Database {
  readonly engine = 'sqlite'
  readonly reads: Kysely<Tables>
  private readonly writes: Kysely<Tables>
  private readonly options: SqliteOptions
  private serverLock: DatabaseSync | undefined

  constructor(options: SqliteOptions, writer: DatabaseSync, reader: DatabaseSync) {
    const onStatement = options.onStatement ?? (() => undefined)
    this.options = options
    this.writes = new Kysely({
      dialect: dialectOver(new SqliteDriver(new SqliteConnection(writer, onStatement), 'write')),
    })
    this.reads = new Kysely({
      dialect: dialectOver(new SqliteDriver(new SqliteConnection(reader, onStatement), 'read')),
    })
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return withRepetition(
      (attempt) =>
        this.writes.transaction().execute((db) => work({ db, now: this.options.clock.now(), attempt })),
      () => false, // writers come one after the other
      this.options.fraction,
    )
  }

  async ping(): Promise<void> {
    await sql`select 1 from sqlite_schema`.execute(this.reads)
  }

  migrate(): Promise<string[]> {
    return migrate(migrator(this.writes, 'sqlite'))
  }

  pendingMigrations(): Promise<string[]> {
    return pendingMigrations(migrator(this.reads, 'sqlite'))
  }

  /** The lock is SQLite's own, on a file beside: the operating system gives it up even when the process is killed. */
  lockForServer(): void {
    const lock = new DatabaseSync(`${this.options.file}.server-lock`, { timeout: 0 })
    try {
      lock.exec('pragma locking_mode = exclusive; begin exclusive')
      this.serverLock = lock
    } catch (error) {
      lock.close()
      throw new OperatorError(
        `Another Holdfast server already uses ${this.options.file}. Stop it first, or give this one another ` +
          'DATABASE_URL; several servers can share a PostgreSQL database.',
        { cause: error },
      )
    }
  }

  async close(): Promise<void> {
    await this.reads.destroy()
    await this.writes.destroy()
    this.serverLock?.close()
  }
}
