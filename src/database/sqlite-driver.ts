import {
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type SelectModifierNode,
} from 'kysely'
import type { DatabaseSync } from 'node:sqlite'
import type { StatementListener } from './database.ts'
import { SqliteConnection } from './sqlite-connection.ts'
import { SqliteWriter } from './sqlite-writer.ts'
import type { Turnstile } from './turnstile.ts'

/** A Kysely driver over a connection of node:sqlite without transactions and turns: each statement is a snapshot. */
class SqliteReader implements Driver {
  private readonly connection: SqliteConnection

  constructor(connection: SqliteConnection) {
    this.connection = connection
  }

  async init(): Promise<void> {
    // the file is open already
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.connection
  }

  async beginTransaction(): Promise<void> {
    throw new Error('a transaction needs the connection that writes')
  }

  async commitTransaction(): Promise<void> {
    // none begins
  }

  async rollbackTransaction(): Promise<void> {
    // none begins
  }

  async releaseConnection(): Promise<void> {
    // all use it at once
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
  const connection = new SqliteConnection(file, onStatement)
  return {
    createDriver: () => (turnstile ? new SqliteWriter(connection, turnstile) : new SqliteReader(connection)),
    createAdapter: () => new SqliteFileAdapter(),
    createQueryCompiler: () => new LocklessQueryCompiler(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  }
}
