import type { Database, Transaction } from '../database/database.ts'
import type { DueSignal } from '../database/lease-loop.ts'
import { announceDeliveries } from './delivery-queries.ts'

/**
 * Has the deliveries that this transaction writes sent after its commit: by this process or, on PostgreSQL, by any server.
 * Servers do not use `NOTIFY`: at the commit it takes one lock for the whole database server, so bookings would commit one
 * after the other.
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
