import type { Transaction } from '../database/database.ts'
import type { BookingRow } from '../database/shown-booking.ts'
import type { Context } from './context.ts'
import { dateAt } from './waitlist-rules.ts'
import { requestSweep, withdrawTaken } from './waitlist-queries.ts'

/**
 * Puts the client of a request that ends without a confirmation back on the waiting list, in the same transaction. Does
 * nothing for a client who was not on it, or whose last date is over.
 */
export async function returnToList(
  context: Pick<Context, 'dueOffers'>,
  tx: Transaction,
  { id, business_id: businessId, timezone }: Pick<BookingRow, 'id' | 'business_id' | 'timezone'>,
): Promise<void> {
  const isBack = await withdrawTaken(tx.db, {
    ...{ id, businessId, now: tx.now },
    today: dateAt(tx.now, timezone),
  })
  if (!isBack) return
  await requestSweep(tx.db, businessId, tx.now)
  tx.onCommit(() => context.dueOffers.raise())
}
