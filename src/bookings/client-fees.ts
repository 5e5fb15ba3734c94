import type { Static } from 'typebox'
import { checkoutAddress } from './checkouts.ts'
import type { Context } from './context.ts'
import { findFeesOf } from './payment-list-queries.ts'
import type { FeeOfClient } from './payment-schemas.ts'

/** A fee as its client sees it. */
export type ClientFee = Static<typeof FeeOfClient>

/** Returns the fees of bookings for their clients, the oldest first, by the IDs of the bookings. */
export async function listClientFees(
  { db, config }: Pick<Context, 'db' | 'config'>,
  bookings: readonly { id: string; business_id: string; fee_rules_json: string | null }[],
): Promise<ReadonlyMap<string, ClientFee[]>> {
  const charged = bookings.filter(({ fee_rules_json }) => fee_rules_json !== null)
  if (charged.length === 0) return new Map()
  const fees = await findFeesOf(db.reads, charged)
  const shown = fees.map(({ id, booking_id, amount, currency, status, refund_total, reason }) => ({
    booking_id,
    fee: {
      ...{ amount, currency, reason: reason ?? '' },
      status: refund_total === amount ? 'refunded' : (status as ClientFee['status']), // as the query selects
      pay_url: status === 'due' ? checkoutAddress(config, id) : null,
    } satisfies ClientFee,
  }))
  const byBooking = Map.groupBy(shown, ({ booking_id }) => booking_id)
  return new Map([...byBooking].map(([id, list]) => [id, list.map(({ fee }) => fee)]))
}
