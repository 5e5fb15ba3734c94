import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import { monotonicMs } from '../clock.ts'
import { CommitGroup } from './commit-group.ts'
import { whileBusy, type SqliteConnection } from './sqlite-connection.ts'
import type { Turnstile } from './turnstile.ts'

/** One use of the connection: a transaction, or statements each of which is one. */
class SqliteTurn implements DatabaseConnection {
  /** Whether it is a transaction that has begun and not ended. */
  isTransaction = false
  /** Since when it has waited: waiting for its turn and for the file counts together. */
  readonly startedMs: number
  private letNextIn: (() => void) | undefined
  private readonly connection: SqliteConnection
  private readonly group: CommitGroup

  constructor(
    connection: SqliteConnection,
    group: CommitGroup,
    entered: { startedMs: number; letNextIn: () => void },
  ) {
    this.connection = connection
    this.group = group
    this.startedMs = entered.startedMs
    this.letNextIn = entered.letNextIn
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.isTransaction) this.group.assertNotUndone()
    else this.group.commit() // what commits by itself must not end up among those that wait
    return this.connection.executeQuery(query)
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    return this.connection.streamQuery()
  }

  /** Lets the next one in, at the first call. */
  leave(): void {
    this.letNextIn?.()
    this.letNextIn = undefined
  }
}

/** A Kysely driver over the one connection that writes: one at a time, and several transactions a commit. */
export class SqliteWriter implements Driver {
  private readonly connection: SqliteConnection
  private readonly group: CommitGroup
  private readonly turnstile: Turnstile
  private commitIsPlanned = false
  /** Ends a moment after each commit: in between, other processes get at the file. */
  private gap: Promise<void> | undefined

  constructor(connection: SqliteConnection, turnstile: Turnstile) {
    this.connection = connection
    this.group = new CommitGroup(connection.file)
    this.turnstile = turnstile
  }

  async init(): Promise<void> {
    // the file is open already
  }

  async acquireConnection(): Promise<SqliteTurn> {
    const startedMs = monotonicMs()
    try {
      return new SqliteTurn(this.connection, this.group, {
        startedMs,
        letNextIn: await this.turnstile.enter(),
      })
    } catch (error) {
      this.planCommit() // it may have been the last that those who have ended waited for
      throw error
    }
  }

  async beginTransaction(turn: SqliteTurn): Promise<void> {
    await this.gap
    await whileBusy(() => {
      this.group.begin()
    }, turn.startedMs)
    turn.isTransaction = true
  }

  /** Leaves the turn to the next before the commit, and resolves after it. */
  async commitTransaction(turn: SqliteTurn): Promise<void> {
    const committed = this.group.end()
    turn.isTransaction = false
    this.endTurn(turn)
    await committed
  }

  async rollbackTransaction(turn: SqliteTurn): Promise<void> {
    // after a commit that failed there is nothing left to undo: what is under way now is of others
    if (!turn.isTransaction) return
    const settled = this.group.undo()
    turn.isTransaction = false
    this.endTurn(turn)
    await settled
  }

  async releaseConnection(turn: SqliteTurn): Promise<void> {
    this.endTurn(turn)
  }

  async destroy(): Promise<void> {
    this.group.commit()
    this.connection.file.close()
  }

  private endTurn(turn: SqliteTurn): void {
    if (this.group.isFull) this.commit()
    turn.leave()
    this.planCommit()
  }

  /**
   * Commits when nobody else comes. Requests that have arrived by now are read before that, as an
   * immediate comes after all events that are due.
   */
  private planCommit(): void {
    if (this.commitIsPlanned) return
    this.commitIsPlanned = true
    setImmediate(() => {
      this.commitIsPlanned = false
      if (this.turnstile.present === 0) this.commit() // else who leaves last plans it again
    })
  }

  private commit(): void {
    this.group.commit()
    this.gap = new Promise((resolve) => {
      setImmediate(resolve)
    })
  }
}
