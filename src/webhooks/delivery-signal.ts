import type { Database, Transaction } from '../database/database.ts'
import type { DueSignal } from '../database/lease-loop.ts'
import { announceDeliveries } from './delivery-queries.ts'

/**
 * Sends the deliveries written in this transaction after its commit: by this process or, on PostgreSQL, by any server.
 * Servers do not use `NOTIFY`, which takes one lock for the whole database server at the commit. Bookings would then
 * commit one after the other.
 */
export async function startDelivering(
  { db, dueDeliveries }: { db: Database; dueDeliveries: DueSignal },
  tx: Transaction,
): Promise<void> {
  if (dueDeliveries.isHeard) {
    tx.onCommit(() => {
      dueDeliveries.raise()
    })
  } else if (db.engine === 'postgres') {
    await announceDeliveries(tx.db)
  }
}
