import {
  CompiledQuery,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
} from 'kysely'
import pg from 'pg'
import { instantFromMs, type Instant } from '../instants.ts'
import { tracedStatement } from '../tracing.ts'
import { DatabaseUnavailable, type StatementListener } from './database.ts'

/** Statements kept prepared on each connection; the number of distinct ones in the code is far smaller. */
const mostPreparedStatements = 500

/**
 * Reads `2026-12-01 09:00:00+00`. Nearly all are whole seconds of UTC, which differ from instants by a few letters:
 * a page of a list has hundreds of them.
 */
function readInstant(text: string): Instant {
  if (text.length === 22 && text.endsWith('+00')) {
    return `${text.slice(0, 10)}T${text.slice(11, 19)}.000Z` as Instant
  }
  return instantFromMs(Date.parse(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')))
}

/** Converts what the driver reads to the types of `tables.ts`. */
const readers: Record<number, (text: string) => unknown> = {
  [pg.types.builtins.TIMESTAMPTZ]: readInstant,
  [pg.types.builtins.INT8]: Number,
  [pg.types.builtins.JSON]: (text) => text,
  [pg.types.builtins.JSONB]: (text) => text,
}

const plainReader = pg.types.getTypeParser as (oid: number) => (text: string) => unknown // its type is any

/** For a `pg` pool: results come in the types of `tables.ts`. */
export const resultTypes = {
  getTypeParser: (oid: number): ((text: string) => unknown) => readers[oid] ?? plainReader(oid),
}

/** Lock not available, and a server that only reads (a standby after a failover). */
const unavailableCodes = ['55P03', '25006']

/** Errors after which the same request may well succeed a little later: connection, resources, shutdown, time. */
function isUnavailable(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return true // no answer from the server: refused, reset, timed out
  return /^(08|53|57|58)/.test(error.code ?? '') || unavailableCodes.includes(error.code ?? '')
}

/** Disk full, and an I/O error, which the same may bring. */
export function isWantOfRoom(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === '53100' || error.code === '58030')
}

/**
 * A migration has added a column since the statement was prepared, and the statement gives all columns. The code of this
 * error is that of everything that is not supported; the routine tells it apart, in whatever language the message is.
 */
function isStale(error: unknown): boolean {
  return (
    error instanceof pg.DatabaseError && error.code === '0A000' && error.routine === 'RevalidateCachedQuery'
  )
}

/** Serialization failure, deadlock, and a stale statement: the transaction is to be run again. */
export function isConflict(error: unknown): boolean {
  if (isStale(error)) return true
  return error instanceof pg.DatabaseError && (error.code === '40001' || error.code === '40P01')
}

/** The names of prepared statements, which all connections share. */
class PreparedNames {
  private readonly names = new Map<string, string>()
  private given = 0

  /** Undefined when there are too many already: the statement is then not prepared. */
  of(text: string): string | undefined {
    const known = this.names.get(text)
    if (known !== undefined || this.names.size >= mostPreparedStatements) return known
    const name = `s${this.given}`
    this.given += 1
    this.names.set(text, name)
    return name
  }

  /** Has every statement prepared anew, under a new name, unless that has been done since this one got its name. */
  renew(text: string, name: string | undefined): void {
    if (this.names.get(text) === name) this.names.clear()
  }
}

class PostgresConnection implements DatabaseConnection {
  readonly client: pg.PoolClient
  broken = false
  /** In one, a statement that failed cannot be sent again. */
  inTransaction = false
  private readonly names: PreparedNames
  private readonly onStatement: StatementListener

  constructor(client: pg.PoolClient, names: PreparedNames, onStatement: StatementListener) {
    this.client = client
    this.names = names
    this.onStatement = onStatement
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    this.onStatement(query.sql, query.parameters)
    return tracedStatement('postgresql', query.sql, () => this.answerTo<R>(query))
  }

  private async answerTo<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const name = query.parameters.length > 0 ? this.names.of(query.sql) : undefined
    try {
      const result = await this.client.query({
        text: query.sql,
        values: [...query.parameters],
        ...(name !== undefined && { name }),
      })
      const changed = result.command === 'SELECT' ? undefined : BigInt(result.rowCount ?? 0)
      return { rows: result.rows as R[], ...(changed !== undefined && { numAffectedRows: changed }) }
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) this.broken = true
      if (isUnavailable(error))
        throw new DatabaseUnavailable('the database does not answer', { cause: error })
      if (!isStale(error)) throw error
      this.names.renew(query.sql, name)
      if (this.inTransaction) throw error
      return this.answerTo<R>(query)
    }
  }

  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('streaming is not used')
  }
}

/** The pool listens on idle connections only: unheard, the loss of one in use would end the process. */
function toldByTheNextStatement(): void {
  // every statement on a lost connection fails, and the connection is then given up
}

/** A Kysely driver over `pg` that prepares its statements and gives up broken connections at once. */
class PostgresDriver implements Driver {
  private readonly pool: pg.Pool
  private readonly names = new PreparedNames()
  private readonly onStatement: StatementListener

  constructor(pool: pg.Pool, onStatement: StatementListener) {
    this.pool = pool
    this.onStatement = onStatement
  }

  async init(): Promise<void> {
    // the pool connects when it is first asked
  }

  async acquireConnection(): Promise<PostgresConnection> {
    try {
      const client = await this.pool.connect()
      client.on('error', toldByTheNextStatement)
      return new PostgresConnection(client, this.names, this.onStatement)
    } catch (error) {
      throw new DatabaseUnavailable('no connection to the database', { cause: error })
    }
  }

  async beginTransaction(connection: PostgresConnection): Promise<void> {
    connection.inTransaction = true
    await connection.executeQuery(CompiledQuery.raw('begin'))
  }

  async commitTransaction(connection: PostgresConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'))
  }

  async rollbackTransaction(connection: PostgresConnection): Promise<void> {
    if (connection.broken) return // the server rolls back what its client left
    try {
      await connection.executeQuery(CompiledQuery.raw('rollback'))
    } catch {
      connection.broken = true // closing the connection rolls back; the error that led here is the one to report
    }
  }

  async releaseConnection(connection: PostgresConnection): Promise<void> {
    connection.client.off('error', toldByTheNextStatement)
    connection.client.release(connection.broken)
  }

  async destroy(): Promise<void> {
    await this.pool.end()
  }
}

/** The Kysely dialect over a pool of connections. */
export function postgresDialect(pool: pg.Pool, onStatement: StatementListener): Dialect {
  return {
    createDriver: () => new PostgresDriver(pool, onStatement),
    createAdapter: () => new PostgresAdapter(),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  }
}
