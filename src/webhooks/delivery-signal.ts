import type { Database, Transaction } from '../database/database.ts'
import { announceDeliveries } from './delivery-queries.ts'

/** Tells a worker of this process that deliveries, or mails, are due. */
export class DeliverySignal {
  private hear: (() => void) | undefined

  /** Whether this process delivers: the command line does not. */
  get isHeard(): boolean {
    return this.hear !== undefined
  }

  /** Calls `hear` at each signal from now on; undefined ends that. */
  listen(hear: (() => void) | undefined): void {
    this.hear = hear
  }

  raise(): void {
    this.hear?.()
  }
}

/**
 * Has the deliveries that this transaction writes sent after its commit: by this process or, on PostgreSQL, by any server.
 * Servers do not use `NOTIFY`: at the commit it takes one lock for the whole database server, so bookings would commit one
 * after the other.
 */
export async function startDelivering(
  { db, dueDeliveries }: { db: Database; dueDeliveries: DeliverySignal },
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
