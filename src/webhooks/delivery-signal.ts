import type { Database, Transaction } from '../database/database.ts'
import { announceDeliveries } from './delivery-queries.ts'

/** Tells the worker of this process that deliveries are due, so that it need not wait for its next poll. */
export class DeliverySignal {
  private hear: (() => void) | undefined

  /** Whether this process delivers at all: the command line does not. */
  get isHeard(): boolean {
    return this.hear !== undefined
  }

  /** Calls `hear` at each signal from now on, until undefined takes its place. */
  listen(hear: (() => void) | undefined): void {
    this.hear = hear
  }

  raise(): void {
    this.hear?.()
  }
}

/**
 * Has deliveries that this transaction writes sent once it is committed: by this process, or, on PostgreSQL, by any server.
 * Servers signal without `NOTIFY`: it takes a lock at the commit that is one for the whole database server, so bookings
 * would commit one after the other.
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
