import type { Instant } from '../base/instants.ts'
import { type BookingFee, noShowFee } from '../catalogue/booking-fee-rules.ts'
import type { Transaction } from '../database/database.ts'
import type { BookingRow } from '../database/shown-booking.ts'
import { awaitCharge, recordFeeMail } from '../mails/outbox.ts'
import type { Context } from './context.ts'

interface ChangedFees {
  before: BookingRow
  after: BookingRow
  /** For cancelling it now as its client. Null: it costs nothing. */
  fee: BookingFee | null
  /** When to charge the card, because the change can still be undone before. */
  at: Instant
  /** False: a no-show costs nothing this time. */
  chargesNoShow?: boolean | undefined
}

/**
 * Records the fee of a change in its transaction: for a late cancellation by the client, or a no-show. A change that
 * takes one of them back waives its fee.
 */
export async function settleFees(
  context: Context,
  tx: Transaction,
  { before, after, fee, at, chargesNoShow = true }: ChangedFees,
): Promise<void> {
  if (after.fee_rules_json === null) return
  const { checkouts } = context
  const charge = async (due: BookingFee | null, reason: 'late_cancel' | 'no_show') => {
    if (!due || due.charged === 0) return
    const { charged: amount, currency } = due
    const occasion = `${reason}/${after.version}` // the same change done again is another one
    const made = await checkouts.charge(tx, { booking: after, amount, currency, reason, occasion, at })
    if (made && reason === 'late_cancel') await awaitCharge(tx, after, at)
  }
  const waive = async (reason: 'late_cancel' | 'no_show') => {
    for (const waived of await checkouts.waive(tx, { booking: after, reason }))
      await recordFeeMail(context, tx, { ...waived, booking: after, kind: 'fee_waived' })
  }
  if (before.status !== 'cancelled' && after.status === 'cancelled') await charge(fee, 'late_cancel')
  if (before.no_show_at === null && after.no_show_at !== null && chargesNoShow)
    await charge(noShowFee(after), 'no_show')
  if (before.no_show_at !== null && after.no_show_at === null) await waive('no_show')
  if (before.status === 'cancelled' && after.status !== 'cancelled') await waive('late_cancel')
}
