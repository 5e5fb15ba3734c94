import type { Context } from '../context.ts'
import { plusSeconds } from '../instants.ts'
import {
  findDueWebhooks,
  leaseDeliveries,
  lockWebhooks,
  type DueDelivery,
  type Wanted,
} from './due-delivery-queries.ts'

/**
 * How long a delivery is one server's: what was in its hands when it was killed, others take over after this. Longer
 * than it takes to wait for a turn, to send and to write what came of it.
 */
export const leaseSeconds = 30

/** The webhooks that have something to send. */
export function dueWebhooks({ db, clock }: Context): Promise<string[]> {
  return findDueWebhooks(db.reads, clock.now())
}

/** Claims due deliveries of the wanted webhooks for a server: until their leases end nobody else sends them. */
export function claimDeliveries(
  { db }: Context,
  { wanted, by }: { wanted: Wanted[]; by: string },
): Promise<DueDelivery[]> {
  return db.transaction(async (tx) => {
    const locked = await lockWebhooks(tx.db, db.engine, wanted)
    if (locked.length === 0) return []
    const lease = { by, now: tx.now, until: plusSeconds(tx.now, leaseSeconds) }
    return leaseDeliveries(tx.db, db.engine, { wanted: locked, lease })
  })
}
