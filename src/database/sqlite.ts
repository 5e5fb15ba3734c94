import { Kysely, sql } from 'kysely'
import { realpathSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { Clock } from '../clock.ts'
import { OperatorError } from '../errors.ts'
import { traced } from '../tracing.ts'
import {
  RoomWatch,
  withCommitWork,
  withRepetition,
  type Database,
  type DatabaseLoad,
  type Listening,
  type StatementListener,
  type Transaction,
} from './database.ts'
import { migrator, migrate, pendingMigrations } from './migrate.ts'
import { takeServerLock } from './server-lock.ts'
import { sqliteDialect } from './sqlite-driver.ts'
import { isWantOfRoom } from './sqlite-errors.ts'
import { makePrivateFile, makePrivateFolderOf, tryRoomBeside } from './sqlite-file.ts'
import type { Tables } from './tables.ts'
import { Turnstile, writeTimeoutMs } from './turnstile.ts'

/** Which file is opened, and with what. */
export interface SqliteOptions {
  file: string
  clock: Clock
  fraction: () => number
  onStatement?: StatementListener
  /** Opens a file that is there and changes nothing in it. */
  looksOnly?: boolean
}

/** Opens (and creates) a SQLite file. Throws an OperatorError when that is not possible. */
export function openSqlite(options: SqliteOptions): Database {
  try {
    if (!options.looksOnly) {
      makePrivateFolderOf(options.file)
      makePrivateFile(options.file)
    }
    const writer = new DatabaseSync(options.file, { timeout: writeTimeoutMs })
    // FULL: an acknowledged booking survives a power cut, not only the end of the process
    writer.exec(
      options.looksOnly
        ? 'pragma query_only = on; pragma busy_timeout = 0'
        : 'pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; pragma busy_timeout = 0; pragma temp_store = memory',
    )
    // a connection that can only read leaves the files of the WAL behind when it is the last to close
    const reader = options.looksOnly ? writer : new DatabaseSync(options.file, { timeout: 0, readOnly: true })
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
  private readonly turnstile = new Turnstile()
  private readonly room: RoomWatch
  private repetitions = 0
  private readonly connections: DatabaseSync[]
  private serverLock: { close(): void } | undefined

  constructor(options: SqliteOptions, writer: DatabaseSync, reader: DatabaseSync) {
    const onStatement = options.onStatement ?? (() => undefined)
    this.options = options
    this.room = new RoomWatch(isWantOfRoom, () => tryRoomBeside(options.file))
    this.connections = [reader, writer]
    this.writes = new Kysely({ dialect: sqliteDialect(writer, this.turnstile, onStatement) })
    this.reads = new Kysely({ dialect: sqliteDialect(reader, undefined, onStatement) })
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const attempts = traced('transaction', { 'db.system.name': 'sqlite' }, () =>
      withRepetition(
        (attempt) => {
          if (attempt > 0) this.repetitions += 1
          return withCommitWork((onCommit) =>
            this.writes
              .transaction()
              .execute((db) => work({ db, now: this.options.clock.now(), attempt, onCommit })),
          )
        },
        () => false, // writers come one after the other
        this.options.fraction,
      ),
    )
    return this.room.over(attempts)
  }

  async ping(): Promise<void> {
    await sql`select 1 from sqlite_schema`.execute(this.reads)
  }

  hasRoom(): Promise<boolean> {
    return this.room.hasRoom()
  }

  migrate(): Promise<string[]> {
    return migrate(migrator(this.writes, 'sqlite'))
  }

  pendingMigrations(): Promise<string[]> {
    return pendingMigrations(migrator(this.reads, 'sqlite'))
  }

  lockForServer(): void {
    this.serverLock = takeServerLock(this.options.file, realpathSync(this.options.file))
  }

  load(): DatabaseLoad {
    return { waiting: this.turnstile.waiting, repetitions: this.repetitions }
  }

  listen(): Listening {
    return { close: () => Promise.resolve() } // no other server uses the file, and a command cannot call one
  }

  async close(): Promise<void> {
    await this.reads.destroy()
    await this.writes.destroy()
    // Kysely closes only what was used; the last to close tidies the WAL away, which only the writer can
    for (const connection of this.connections) if (connection.isOpen) connection.close()
    this.serverLock?.close()
  }
}
