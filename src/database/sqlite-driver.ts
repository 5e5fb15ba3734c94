import {
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  type SelectModifierNode,
} from 'kysely'
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { monotonicMs } from '../clock.ts'
import { tracedStatement } from '../tracing.ts'
import { DatabaseUnavailable, pause, type StatementListener } from './database.ts'

/** How long a transaction waits for its turn, and for other processes that write to the file. */
export const writeTimeoutMs = 4_000
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
 * loop, so this waits beside it, until four seconds after the start.
 */
async function whileBusy<T>(attempt: () => T, startedMs = monotonicMs()): Promise<T> {
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
    return tracedStatement('sqlite', query.sql, () =>
      whileBusy(() => {
        const { statement, returnsRows } = this.prepared(query.sql)
        if (returnsRows) return { rows: statement.all(...values) as R[] }
        return { rows: [], numAffectedRows: BigInt(statement.run(...values).changes) }
      }),
    )
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
export class Turnstile {
  /** How many wait for their turn. */
  waiting = 0
  private last: Promise<void> = Promise.resolve()

  /** Resolves when it is the caller's turn, with the function that ends it. Rejects after the time limit. */
  async enter(): Promise<() => void> {
    const before = this.last
    this.waiting += 1
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
      this.waiting -= 1
    }
  }
}

/** A Kysely driver over one connection of node:sqlite. */
class SqliteDriver implements Driver {
  private readonly connection: SqliteConnection
  private readonly turnstile: Turnstile | undefined
  private leave: () => void = () => undefined
  /** Since when the present holder has waited: waiting for its turn and for the file counts together. */
  private waitingSinceMs = 0

  /** A connection that writes is used by one at a time; one that reads needs no turns: each statement is a snapshot. */
  constructor(connection: SqliteConnection, turnstile: Turnstile | undefined) {
    this.connection = connection
    this.turnstile = turnstile
  }

  async init(): Promise<void> {
    // the file is open already
  }

  async acquireConnection(): Promise<SqliteConnection> {
    const startedMs = monotonicMs()
    if (this.turnstile) this.leave = await this.turnstile.enter()
    this.waitingSinceMs = startedMs
    return this.connection
  }

  /** Takes the write lock at once: a deferred transaction fails when its snapshot is stale. */
  async beginTransaction(connection: SqliteConnection): Promise<void> {
    await whileBusy(() => {
      connection.file.exec('begin immediate')
    }, this.waitingSinceMs)
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
    if (!rowLocks.includes(node.modifier ?? '')) super.visitSelectModifier(node)
  }
}

const rowLocks = ['ForUpdate', 'ForNoKeyUpdate', 'SkipLocked']

class SqliteFileAdapter extends SqliteAdapter {
  /** DDL is transactional in SQLite; Kysely's own adapter does not count on it. */
  override get supportsTransactionalDdl(): boolean {
    return true
  }

  /** Otherwise Kysely would queue all transactions itself, without a limit; the turnstile has one. */
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

/** The Kysely dialect over one connection; one that writes has a turnstile. */
export function sqliteDialect(
  file: DatabaseSync,
  turnstile: Turnstile | undefined,
  onStatement: StatementListener,
): Dialect {
  return {
    createDriver: () => new SqliteDriver(new SqliteConnection(file, onStatement), turnstile),
    createAdapter: () => new SqliteFileAdapter(),
    createQueryCompiler: () => new LocklessQueryCompiler(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  }
}
