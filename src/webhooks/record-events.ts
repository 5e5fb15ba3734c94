import type { Context } from '../context.ts'
import type { Transaction } from '../database/database.ts'
import { currentTraceparent } from '../tracing.ts'
import { announceDeliveries, insertEvents } from './event-queries.ts'
import { eventPayload, type EventSubject, type EventType } from './event-payload.ts'

/**
 * Records what happened to a booking and what is to be delivered of it, in the transaction of the change itself: neither
 * exists without the other. Sending begins after the commit.
 */
export async function recordEvents(
  context: Pick<Context, 'db' | 'ids' | 'dueDeliveries'>,
  tx: Transaction,
  happened: { types: EventType[]; booking: EventSubject },
): Promise<void> {
  if (happened.types.length === 0) return
  // ids of the same millisecond are in no order of their own; the order of the types is the order of events
  const ids = happened.types.map(() => context.ids.next()).toSorted()
  const deliveries = await insertEvents(
    tx.db,
    context.db.engine,
    happened.types.map((type, index) => ({
      id: ids[index] ?? context.ids.next(),
      business_id: happened.booking.business_id,
      booking_id: happened.booking.id,
      type,
      payload: eventPayload(type, happened.booking, tx.now),
      occurred_at: tx.now,
      traceparent: currentTraceparent(),
    })),
  )
  if (deliveries > 0) await startDelivering(context, tx)
}

/** Has deliveries that this transaction writes sent as soon as it is committed, by this process or by a server. */
export async function startDelivering(
  { db, dueDeliveries }: Pick<Context, 'db' | 'dueDeliveries'>,
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
