import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { monotonicMs } from '../clock.ts'
import { tracedStatement } from '../tracing.ts'
import { pause, type StatementListener } from './database.ts'
import { isBusy, translate } from './sqlite-errors.ts'
import { writeTimeoutMs } from './turnstile.ts'

const mostCachedStatements = 500

/** node:sqlite would bind a Date as NULL and take an object for named parameters. */
function assertPrimitive(value: unknown): SQLInputValue {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  throw new TypeError(`cannot bind a ${typeof value} to a statement`)
}

/**
 * Tries again while another process holds the file. SQLite's own waiting would block the event
 * loop, so this waits beside it, until four seconds after the start.
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
  returnsRows: boolean
}

/** A connection of node:sqlite that keeps its statements prepared. */
export class SqliteConnection implements DatabaseConnection {
  readonly file: DatabaseSync
  private readonly statements = new Map<string, Prepared>()
  private readonly onStatement: StatementListener

  constructor(file: DatabaseSync, onStatement: StatementListener) {
    this.file = file
    this.onStatement = onStatement
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    this.onStatement(query.sql, query.parameters)
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
