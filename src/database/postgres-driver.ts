import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import pg from 'pg'
import { type Instant, instantFromMs } from '../base/instants.ts'
import { tracedStatement } from '../base/tracing.ts'
import { DatabaseUnavailable, RolledBack, type StatementListener } from './database.ts'
import type { ConnectionSource } from './postgres-hosts.ts'

/** Limit per connection. The code has far fewer distinct statements. */
const maxPreparedStatements = 500

/** Parses `2026-12-01 09:00:00+00`. Whole seconds take a fast path, because a page of a list has hundreds of them. */
function readInstant(text: string): Instant {
  if (text.length === 22 && text.endsWith('+00')) {
    return `${text.slice(0, 10)}T${text.slice(11, 19)}.000Z` as Instant
  }
  return instantFromMs(Date.parse(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')))
}

/** Parsers that turn results into the types of `tables.ts`. */
const readers: Record<number, (text: string) => unknown> = {
  [pg.types.builtins.TIMESTAMPTZ]: readInstant,
  [pg.types.builtins.INT8]: Number,
  [pg.types.builtins.JSON]: (text) => text,
  [pg.types.builtins.JSONB]: (text) => text,
}

const plainReader = pg.types.getTypeParser as (oid: number) => (text: string) => unknown // its type is `any`

/** Makes a `pg` pool return results in the types of `tables.ts`. */
export const resultTypes = {
  getTypeParser: (oid: number): ((text: string) => unknown) => readers[oid] ?? plainReader(oid),
}

/** Lock not available, and a read-only server (a standby after a failover). */
const unavailableCodes = ['55P03', '25006']

/** Recognises errors after which a retry may well succeed: connection, resources, shutdown, time limit. */
function isUnavailable(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return true // no answer from the server: refused, reset, timed out
  return /^(08|53|57|58)/.test(error.code ?? '') || unavailableCodes.includes(error.code ?? '')
}

/** The server shuts down or has crashed (57P01 to 57P03), or no longer accepts writes. */
function isLeaving({ code }: pg.DatabaseError): boolean {
  return code === '25006' || /^57P0[123]$/.test(code ?? '')
}

/** Disk full, or an I/O error, which a full disk can cause. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === '53100' || error.code === '58030')
}

/**
 * Recognises a statement that returns all columns and was prepared before a migration added one. The code means "not
 * supported" in general. Only the routine identifies this case, because messages are translated.
 */
function isStale(error: unknown): boolean {
  return (
    error instanceof pg.DatabaseError && error.code === '0A000' && error.routine === 'RevalidateCachedQuery'
  )
}

/** An earlier statement of the transaction has failed. */
function isFollowing(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '25P02'
}

/**
 * Serialization failure, deadlock, a slug that another request has just taken, or a stale statement. The transaction
 * must run again.
 */
export function isConflict(error: unknown): boolean {
  if (isStale(error)) return true
  if (!(error instanceof pg.DatabaseError)) return false
  return error.code === '40001' || error.code === '40P01' || error.constraint === 'businesses_by_slug'
}

/** Names of prepared statements, shared by all connections. */
class PreparedNames {
  private readonly names = new Map<string, string>()
  private readonly max: number
  private count = 0

  /** Limits the number of names. With 0, no statement is prepared. */
  constructor(max: number) {
    this.max = max
  }

  get isUsed(): boolean {
    return this.max > 0
  }

  /** Returns undefined if there are too many names. The statement is then not prepared. */
  of(text: string): string | undefined {
    const known = this.names.get(text)
    if (known !== undefined || this.names.size >= this.max) return known
    const name = `s${this.count}`
    this.count += 1
    this.names.set(text, name)
    return name
  }

  /** Prepares every statement again under a new name, unless that has happened since this one got its name. */
  renew(text: string, name: string | undefined): void {
    if (this.names.get(text) === name) this.names.clear()
  }
}

/**
 * A plan stays until PostgreSQL has new statistics, and a new database gets its first ones after a minute. Until then,
 * plans made for empty tables would read whole tables. So a connection plans again after this many statements, and then
 * after eight times as many each time.
 */
const firstReplanning = 64
const replanningFactor = 8

/** Counts the statements that a connection has sent, and the count at which it plans again. */
const sent = new WeakMap<pg.PoolClient, { count: number; next: number }>()

class PostgresConnection implements DatabaseConnection {
  readonly client: pg.PoolClient
  broken = false
  /** A failed statement cannot be repeated in a transaction. */
  inTransaction = false
  /** True until the transaction begins. `begin` goes in one message with its first statement, unless that may write. */
  beginsNext = false
  /** Resolves when a transaction has begun whose first statement may write. */
  private begun: Promise<unknown> | undefined
  /** The first failure of the transaction. Statements sent along with the failed one fail because of it. */
  private failure: Error | undefined
  /** Resolves when the last sent statement has ended, successfully or not. */
  private lastEnded: Promise<unknown> = Promise.resolve()
  private readonly names: PreparedNames
  private readonly onStatement: StatementListener

  constructor(client: pg.PoolClient, names: PreparedNames, onStatement: StatementListener) {
    this.client = client
    this.names = names
    this.onStatement = onStatement
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.beginsNext && !/^\s*select\b/i.test(query.sql)) this.beginAlone()
    if (this.begun) await this.begun // statements asked for at once keep their order
    if (!this.beginsNext) return this.traced<R>(query)
    this.beginsNext = false
    const { stream } = this.client.connection
    stream.cork()
    const both = Promise.all([this.traced(CompiledQuery.raw('begin'), false), this.traced<R>(query, false)])
    stream.uncork()
    const [, result] = await both
    return result
  }

  /**
   * If `begin` failed, the server would commit a statement that was sent along with it. After that, all statements of the
   * transaction fail.
   */
  private beginAlone(): void {
    this.beginsNext = false
    const begun = this.traced(CompiledQuery.raw('begin'))
    this.begun = begun
    begun.then(() => (this.begun = undefined), ignoreError)
  }

  /** `mayReplan` is false for two statements at once: pg warns of a third one. */
  private traced<R>(query: CompiledQuery, mayReplan = true): Promise<QueryResult<R>> {
    this.onStatement(query.sql, query.parameters)
    if (mayReplan) this.replan()
    const before = this.lastEnded
    const sent = tracedStatement('postgresql', query.sql, () => this.send<R>(query, before))
    this.lastEnded = sent.catch(ignoreError)
    return sent
  }

  /** Safe within a transaction, because it only discards plans. */
  private replan(): void {
    if (!this.names.isUsed) return
    const uses = sent.get(this.client) ?? { count: 0, next: firstReplanning }
    sent.set(this.client, uses)
    uses.count += 1
    if (uses.count < uses.next) return
    uses.next *= replanningFactor
    // not awaited, because a later statement could overtake this one; if it fails, the next statement of the
    // transaction fails, too
    this.lastEnded = this.client.query('discard plans').catch((error: unknown) => this.noted(error))
  }

  private async send<R>(query: CompiledQuery, before: Promise<unknown>): Promise<QueryResult<R>> {
    const name = query.parameters.length > 0 ? this.names.of(query.sql) : undefined
    try {
      const result = await this.client.query({
        text: query.sql,
        values: [...query.parameters],
        ...(name !== undefined && { name }),
      })
      // after a failed statement the server answers a commit with a rollback, without an error
      if (query.sql === 'commit' && result.command !== 'COMMIT')
        throw new RolledBack('a statement had failed')
      if (query.sql === 'begin') this.failure = undefined
      if (unreplicated.has(this.client)) {
        this.broken = true
        throw new DatabaseUnavailable('the change is not at the synchronous standby')
      }
      const changed = result.command === 'SELECT' ? undefined : BigInt(result.rowCount ?? 0)
      return { rows: result.rows as R[], ...(changed !== undefined && { numAffectedRows: changed }) }
    } catch (error) {
      if (isFollowing(error)) {
        await before // which may report its failure later
        throw this.failure ?? error
      }
      if (isStale(error)) {
        this.names.renew(query.sql, name)
        if (!this.inTransaction) return this.send<R>(query, before)
      }
      throw this.noted(error)
    }
  }

  private noted(error: unknown): unknown {
    const failure = this.translated(error)
    if (this.inTransaction && failure instanceof Error) this.failure ??= failure
    return failure
  }

  private translated(error: unknown): unknown {
    if (error instanceof RolledBack) return error
    if (!(error instanceof pg.DatabaseError) || isLeaving(error)) this.broken = true
    return isUnavailable(error)
      ? new DatabaseUnavailable('the database does not answer', { cause: error })
      : error
  }

  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('streaming is not used')
  }
}

/** Connections with a commit that only this server has. */
const unreplicated = new WeakSet<pg.PoolClient>()
const noted = new WeakSet<pg.PoolClient>()

/**
 * A commit that waits for a synchronous standby can be cancelled (pg_cancel_backend, a shutdown). It then succeeds with
 * only a warning and would be lost in a failover. So Holdfast must not report success.
 */
function noteUnreplicated(client: pg.PoolClient): void {
  if (noted.has(client)) return
  noted.add(client)
  client.on('notice', ({ routine }) => {
    if (routine === 'SyncRepWaitForLSN') unreplicated.add(client)
  })
}

/**
 * The pool handles errors of idle connections only. An unhandled error of a connection in use would end the process.
 */
function ignoreError(): void {
  // every statement on a lost connection fails, and the pool then drops it
}

/** A Kysely driver over `pg` that prepares its statements and drops broken connections at once. */
class PostgresDriver implements Driver {
  private readonly pool: ConnectionSource
  private readonly names: PreparedNames
  private readonly onStatement: StatementListener

  constructor(pool: ConnectionSource, onStatement: StatementListener, prepares: boolean) {
    this.pool = pool
    this.onStatement = onStatement
    this.names = new PreparedNames(prepares ? maxPreparedStatements : 0)
  }

  async init(): Promise<void> {
    // the pool connects at its first use
  }

  async acquireConnection(): Promise<PostgresConnection> {
    try {
      const client = await this.pool.connect()
      client.on('error', ignoreError)
      noteUnreplicated(client)
      return new PostgresConnection(client, this.names, this.onStatement)
    } catch (error) {
      this.pool.suspect()
      throw new DatabaseUnavailable('no connection to the database', { cause: error })
    }
  }

  async beginTransaction(connection: PostgresConnection): Promise<void> {
    connection.inTransaction = true
    connection.beginsNext = true
  }

  async commitTransaction(connection: PostgresConnection): Promise<void> {
    if (connection.beginsNext) return // no statement has run
    await connection.executeQuery(CompiledQuery.raw('commit'))
  }

  async rollbackTransaction(connection: PostgresConnection): Promise<void> {
    // the server rolls back by itself, or the transaction never began
    if (connection.broken || connection.beginsNext) return
    try {
      await connection.executeQuery(CompiledQuery.raw('rollback'))
    } catch {
      connection.broken = true // closing the connection rolls back; the first error is the one to report
    }
  }

  async releaseConnection(connection: PostgresConnection): Promise<void> {
    connection.client.off('error', ignoreError)
    if (connection.broken) this.pool.suspect()
    connection.client.release(connection.broken)
  }

  async destroy(): Promise<void> {
    await this.pool.end()
  }
}

/** Migrations already run under a lock (postgres-migrate.ts). */
class LocklessAdapter extends PostgresAdapter {
  override acquireMigrationLock = () => Promise.resolve()
  override releaseMigrationLock = () => Promise.resolve()
}

/**
 * Creates the Kysely dialect over a pool of connections. `prepares` is false if two statements may run on different
 * connections.
 */
export function postgresDialect(
  pool: ConnectionSource,
  onStatement: StatementListener,
  prepares = true,
): Dialect {
  return {
    createDriver: () => new PostgresDriver(pool, onStatement, prepares),
    createAdapter: () => new LocklessAdapter(),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  }
}
