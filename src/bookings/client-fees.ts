import type { Static } from 'typebox'
import { checkoutAddress } from './checkouts.ts'
import type { BookingRow } from '../database/shown-booking.ts'
import type { Context } from './context.ts'
import { type ClientMoney, findCardsOf, findFeesOf, findMoneyOfClient } from './payment-list-queries.ts'
import type { CardOfClient, FeeOfClient } from './payment-schemas.ts'
import { mayRemoveCard, type ShownCard, shownCardOf } from './saved-card-rules.ts'

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

/** Amounts and cards on the page of a client. */
const maxOfClient = 20

/** Returns what a client owes, and the cards that they saved, of their latest bookings. */
export async function clientMoney(
  { db }: Pick<Context, 'db'>,
  client: { id: string; business_id: string },
): Promise<{ owed: ClientMoney[]; cards: (ClientMoney & { card: ShownCard })[] }> {
  const found = await findMoneyOfClient(db.reads, client, maxOfClient)
  const cards = found.flatMap((one) => {
    const card = shownCardOf(one)
    return card ? [{ ...one, card }] : []
  })
  return { owed: found.filter(({ status }) => status === 'due' || status === 'charging'), cards }
}

/** The saved card of a booking as its client sees it. */
export type ClientCard = Static<typeof CardOfClient>

/** Returns the saved cards of bookings for their clients, by the IDs of the bookings. */
export async function listClientCards(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  bookings: readonly Pick<BookingRow, 'id' | 'business_id' | 'payment_id' | 'status' | 'ends_at'>[],
  fees: ReadonlyMap<string, readonly ClientFee[]>,
): Promise<ReadonlyMap<string, ClientCard>> {
  const paid = bookings.filter(({ payment_id }) => payment_id !== null)
  if (paid.length === 0) return new Map()
  const cards = new Map((await findCardsOf(db.reads, paid)).map((one) => [one.booking_id, shownCardOf(one)]))
  const now = clock.now()
  const shown = paid.flatMap((booking) => {
    const card = cards.get(booking.id)
    if (!card) return []
    const can_remove = !card.removing && mayRemoveCard(booking, fees.get(booking.id) ?? [], now)
    return [[booking.id, { ...card, can_remove }] as const]
  })
  return new Map(shown)
}
