import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite'
import { type CompiledQuery, type DatabaseConnection, type QueryResult } from 'kysely'
import { monotonicMs } from '../base/clock.ts'
import { tracedStatement } from '../base/tracing.ts'
import { DatabaseUnavailable, pause, type StatementListener } from './database.ts'

/** A transaction on SQLite waits this long for the mutex and for other processes that write to the file. */
export const writeTimeoutMs = 4_000
const maxCachedStatements = 500
/**
 * Only rows with this many columns, such as bookings, are worth a shape. When all rows got one, a conversion took
 * longer.
 */
const manyColumns = 20

/** Result codes of SQLite: busy, locked, I/O error, full, cannot open, read-only. A retry may succeed. */
const unavailableCodes = [5, 6, 8, 10, 13, 14]
const busyCode = 5
/** I/O error (for example when the WAL file cannot grow), full. */
const diskFullCodes = [10, 13]
/** Corrupt, or not a database. */
const corruptCodes = [11, 26]

/**
 * Retries while another process holds the file, until four seconds after the start. SQLite's own busy wait would block
 * the event loop.
 */
export async function whileBusy<T>(attempt: () => T, startedMs = monotonicMs()): Promise<T> {
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 50)) {
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error) || monotonicMs() - startedMs > writeTimeoutMs) throw translate(error)
    }
    await pause(pauseMs)
  }
}

interface Prepared {
  statement: StatementSync
  /** Converts the returned rows. Undefined if the statement returns none. */
  present: ((rows: Row[]) => Row[]) | undefined
}

type Row = Record<string, SQLOutputValue>

/** A connection of node:sqlite that caches its prepared statements. */
export class SqliteConnection implements DatabaseConnection {
  readonly file: DatabaseSync
  private readonly statements = new Map<string, Prepared>()
  private readonly onStatement: StatementListener
  /** Resolves when the statement that met a busy file has ended. */
  private retrying: Promise<void> | undefined

  constructor(file: DatabaseSync, onStatement: StatementListener) {
    this.file = file
    this.onStatement = onStatement
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.execute(query)
  }

  /** Runs a statement after those requested earlier. `before` may throw and thus prevent it. */
  execute<R>(query: CompiledQuery, before?: () => void): Promise<QueryResult<R>> {
    this.onStatement(query.sql, query.parameters)
    const values = query.parameters.map(assertPrimitive)
    return tracedStatement('sqlite', query.sql, () =>
      this.inOrder(() => {
        before?.()
        const { statement, present } = this.prepared(query.sql)
        if (present) return { rows: present(statement.all(...values)) as R[] }
        return { rows: [], numAffectedRows: BigInt(statement.run(...values).changes) }
      }),
    )
  }

  /**
   * While one statement is retried, later ones wait. A transaction sends several at once, and later ones depend on
   * earlier ones.
   */
  private async inOrder<T>(attempt: () => T): Promise<T> {
    while (this.retrying) await this.retrying
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error)) throw translate(error)
    }
    const again = whileBusy(attempt)
    this.retrying = again.then(nothing, nothing).then(() => {
      this.retrying = undefined
    })
    return again
  }

  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('streaming is not used')
  }

  private prepared(text: string): Prepared {
    const known = this.statements.get(text)
    if (known) return known
    const statement = this.file.prepare(text)
    const columns = statement.columns().length
    const present = columns === 0 ? undefined : columns < manyColumns ? asTheyAre : shaper()
    const prepared = { statement, present }
    if (this.statements.size < maxCachedStatements) this.statements.set(text, prepared)
    return prepared
  }
}

function asTheyAre(rows: Row[]): Row[] {
  return rows
}

/**
 * Turns rows into objects with a fixed shape. For many columns, node:sqlite returns hash tables, which are slower to
 * read and slow to copy (`{ ...booking }`). Column names may change, because SQLite prepares a statement again after
 * another process has changed its tables.
 */
function shaper(): (rows: Row[]) => Row[] {
  let names: string[] = []
  let empty: Row = {}
  return (rows) => {
    const now = Object.keys(rows[0] ?? empty)
    if (now.length !== names.length || now.some((name, index) => name !== names[index])) {
      names = now
      empty = Object.fromEntries(names.map((name) => [name, null]))
    }
    return rows.map((found) => {
      const row = { ...empty }
      for (const name of names) row[name] = found[name] ?? null
      return row
    })
  }
}

function nothing(): void {
  // it has ended, successfully or not
}

/** node:sqlite would bind a Date as NULL and take an object for named parameters. */
function assertPrimitive(value: unknown): SQLInputValue {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  throw new TypeError(`cannot bind a ${typeof value} to a statement`)
}

/** Another process holds the file. */
export function isBusy(error: unknown): boolean {
  return resultCode(error) === busyCode
}

/** The disk may be full. */
export function isDiskFull(error: unknown): boolean {
  return diskFullCodes.includes(resultCode(error))
}

/** The file is corrupt or not a database. */
export function isCorrupt(error: unknown): error is Error {
  return corruptCodes.includes(resultCode(error))
}

/** Turns errors after which a retry may succeed into DatabaseUnavailable. */
export function translate(error: unknown): unknown {
  return unavailableCodes.includes(resultCode(error))
    ? new DatabaseUnavailable('the database file cannot be used now', { cause: error })
    : error
}

function resultCode(error: unknown): number {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : 0
  return typeof code === 'number' ? code & 0xff : 0 // the low byte is the primary code (https://sqlite.org/rescode.html)
}
