import type { Context } from '../context.ts'
import type { Transaction } from '../database/database.ts'
import { insertEvents } from './event-queries.ts'
import { eventPayload, type EventSubject, type EventType } from './event-payload.ts'

/** Records what happened to a booking, in the transaction of the change itself: neither exists without the other. */
export async function recordEvents(
  context: Pick<Context, 'ids'>,
  tx: Transaction,
  happened: { types: EventType[]; booking: EventSubject },
): Promise<void> {
  if (happened.types.length === 0) return
  // ids of the same millisecond are in no order of their own; the order of the types is the order of events
  const ids = happened.types.map(() => context.ids.next()).toSorted()
  await insertEvents(
    tx.db,
    happened.types.map((type, index) => ({
      id: ids[index] ?? context.ids.next(),
      business_id: happened.booking.business_id,
      booking_id: happened.booking.id,
      type,
      payload: eventPayload(type, happened.booking, tx.now),
      occurred_at: tx.now,
    })),
  )
}
