import type { Database, SharingOptions, Transaction } from '../../src/database/database.ts'

/** Returns the same database, but `around` wraps the work of its transactions, within the same transaction. */
export function aroundTransactions(
  db: Database,
  around: (tx: Transaction, work: () => Promise<unknown>) => Promise<unknown>,
): Database {
  return {
    engine: db.engine,
    reads: db.reads,
    // `around` returns the result of the work
    transaction: <T>(work: (tx: Transaction) => Promise<T>) =>
      db.transaction((tx) => around(tx, () => work(tx)) as Promise<T>),
    sharedTransaction: <T>(work: (tx: Transaction) => Promise<T>, options: SharingOptions) =>
      db.sharedTransaction((tx) => around(tx, () => work(tx)) as Promise<T>, options),
    recently: (read, isTooOld) => db.recently(read, isTooOld),
    ping: () => db.ping(),
    hasRoom: () => db.hasRoom(),
    commitsWait: () => db.commitsWait(),
    migrate: () => db.migrate(),
    pendingMigrations: () => db.pendingMigrations(),
    lockForServer: () => db.lockForServer(),
    forgetDeleted: () => db.forgetDeleted(),
    load: () => db.load(),
    listen: (channel, onNotice) => db.listen(channel, onNotice),
    close: () => db.close(),
  }
}
