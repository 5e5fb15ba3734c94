import type { Actor } from '../access/actor.ts'
import { recordAudit } from '../access/audit.ts'
import { Problem } from '../base/errors.ts'
import { showBooking } from '../bookings/booking.ts'
import { type CheckoutProvider, ProcessorRefusal } from '../bookings/checkouts.ts'
import type { Context } from '../bookings/context.ts'
import { bookingForPayment } from '../bookings/pending-booking.ts'
import { mayRemoveCard } from '../bookings/saved-card-rules.ts'
import type { BookingRow } from '../database/shown-booking.ts'
import type { Transaction } from '../database/database.ts'
import {
  findCharges,
  findSavedCards,
  hasOpenCharges,
  lockPayment,
  type PaymentRow,
  updatePayment,
} from './payment-queries.ts'
import { hasCardWork } from './payment-rules.ts'

/*
 * Saved cards: their brand and last four digits, which are read once, and their removal. Both are work with the
 * processor, which the payment worker does until it succeeds.
 */

/** Reads the saved card of a payment, or removes it if that was requested. `open`: a charge still needs it. */
export async function settleCard(
  context: Context,
  provider: CheckoutProvider,
  paymentId: string,
): Promise<'done' | 'open'> {
  const { db, clock, log } = context
  const payment = await db.transaction(async (tx) => {
    const locked = await lockPayment(tx.db, paymentId)
    if (!locked || !hasCardWork(locked)) return 'done' as const
    const isWaiting = locked.card_removal_requested_at !== null && (await hasOpenCharges(tx.db, locked))
    return isWaiting ? ('open' as const) : locked
  })
  if (payment === 'done' || payment === 'open') return payment
  const { id, kind, payment_reference, card_removal_requested_at: wanted } = payment
  if (payment_reference === null) throw new Error('a saved card without its reference') // the schema forbids it
  const card = { id, kind, payment_reference }
  if (wanted !== null) {
    await provider.removeCard(card)
    const removed = { card_removed_at: clock.now(), card_brand: null, card_last_four: null }
    await db.transaction((tx) => updatePayment(tx.db, id, removed))
    return 'done'
  }
  const read = await provider.readCard(card).catch((error: unknown) => {
    if (!(error instanceof ProcessorRefusal)) throw error
    log.warn({ err: error, payment_id: id }, 'the payment processor does not show a saved card')
    return undefined
  })
  await db.transaction((tx) =>
    updatePayment(tx.db, id, {
      ...{ card_read_at: tx.now, card_brand: read?.brand ?? null, card_last_four: read?.lastFour ?? null },
    }),
  )
  return 'done'
}

/**
 * Requests the removal of the saved card of a booking. The payment worker detaches it at the processor, once no charge
 * needs it. A repetition changes nothing. Throws not_found without a card, and change_not_allowed for a client whose
 * appointment may still cost something.
 */
export async function removeSavedCard(context: Context, actor: Actor, id: string): Promise<void> {
  const { id: bookingId, business_id: businessId } = await showBooking(context, actor, id)
  await context.db.transaction(async (tx) => {
    const booking = await bookingForPayment(tx, { businessId, id: bookingId })
    const cards = booking ? await findSavedCards(tx.db, booking) : []
    if (!booking || cards.length === 0) throw new Problem('not_found', 'The booking has no saved card.')
    if (actor.type === 'manage') await assertSettled(tx, booking)
    if (!(await requestRemoval(context, tx, cards))) return
    const change = { action: 'booking.card_removed' as const, subjectId: bookingId, businessId }
    await recordAudit(context, tx, { by: actor, ...change })
  })
}

async function assertSettled(tx: Transaction, booking: BookingRow): Promise<void> {
  if (mayRemoveCard(booking, await findCharges(tx.db, booking), tx.now)) return
  const detail = 'The card can be removed once the appointment is over and nothing is due.'
  throw new Problem('change_not_allowed', detail, { extensions: { reason: 'not_allowed' } })
}

/** Has saved cards removed. Returns false if that was requested before. */
async function requestRemoval(
  { checkouts: { due } }: Pick<Context, 'checkouts'>,
  tx: Transaction,
  cards: readonly PaymentRow[],
): Promise<boolean> {
  const saved = cards.filter((card) => card.card_removal_requested_at === null)
  for (const { id } of saved) {
    await lockPayment(tx.db, id)
    const at = tx.now
    await updatePayment(tx.db, id, { card_removal_requested_at: at, next_check_at: at, checks: 0 })
  }
  if (saved.length > 0) tx.onCommit(() => due.raise())
  return saved.length > 0
}
