import type { Static } from 'typebox'
import type { Actor } from '../access/actor.ts'
import { recordAudit } from '../access/audit.ts'
import { type Problem, validationProblem } from '../base/errors.ts'
import { showBooking } from '../bookings/booking.ts'
import type { RefundBooking } from '../bookings/payment-schemas.ts'
import type { Context } from '../bookings/context.ts'
import { bookingForPayment } from '../bookings/pending-booking.ts'
import { unpayableDetail } from '../catalogue/service-rules.ts'
import type { Transaction } from '../database/database.ts'
import { type StoreResponse, storeNothing } from '../database/idempotency.ts'
import type { BookingRow } from '../database/shown-booking.ts'
import { recordRefundMail } from '../mails/outbox.ts'
import { findCharges, lockPayment, type PaymentRow } from './payment-queries.ts'
import { after, requestRefund } from './payment.ts'

/** A payment after a refund was requested, and the zone of its booking. */
export interface Refunded {
  payment: PaymentRow
  timezone: string
}

/**
 * Requests a refund of a part of what was paid for a booking, or of all that is left. The payment worker sends it.
 * Throws not_found, or validation_failed if less is left.
 */
export async function refundBooking(
  context: Context,
  actor: Actor,
  { id, amount, reason, payment_id: paymentId, notify = true }: { id: string } & Static<typeof RefundBooking>,
  store: StoreResponse<Refunded> = storeNothing,
): Promise<Refunded> {
  const { id: bookingId, business_id: businessId } = await showBooking(context, actor, id)
  return context.db.transaction(async (tx) => {
    const booking = await bookingForPayment(tx, { businessId, id: bookingId })
    const paid = booking && (await paymentToRefund(tx, booking, paymentId))
    const left = paid ? refundable(paid) : 0
    if (!booking || !paid || left === 0) throw refusal('not_allowed', 'is not possible: nothing paid is left')
    const wanted = amount ?? left
    if (wanted > left) throw refusal('out_of_range', `must be at most ${left}, which is left`)
    const detail = unpayableDetail({ amount: wanted, currency: paid.currency })
    if (detail !== undefined) throw refusal('not_allowed', detail)
    const { payment, number } = await requestRefund(context.checkouts, tx, {
      ...{ payment: paid, amount: wanted },
      reason: reason ?? null,
    })
    await recordAudit(context, tx, {
      ...{ by: actor, action: 'booking.refunded' as const, subjectId: bookingId, businessId },
    })
    if (notify)
      await recordRefundMail(context, tx, { booking, by: actor, occasion: `${payment.id}/${number}` })
    const refunded = { payment, timezone: booking.timezone }
    await store(tx, refunded)
    return refunded
  })
}

/**
 * Returns the named payment of a booking. Without a name, that in advance, or the earliest fee if nothing of it is left.
 * Throws validation_failed for a name that the booking does not have.
 */
async function paymentToRefund(
  tx: Transaction,
  booking: BookingRow,
  id: string | undefined,
): Promise<PaymentRow | undefined> {
  const main = booking.payment_id === null ? undefined : await lockPayment(tx.db, booking.payment_id)
  if (id === undefined && main && refundable(main) > 0) return main
  const charges = await findCharges(tx.db, booking)
  const wanted = id?.toLowerCase()
  const found =
    wanted === undefined
      ? charges.find((charge) => refundable(charge) > 0)
      : [main, ...charges].find((payment) => payment?.id === wanted)
  if (found) return lockPayment(tx.db, found.id)
  if (id === undefined) return main
  const detail = 'is not a payment of this booking'
  throw validationProblem([{ pointer: '/payment_id', code: 'unknown_reference', detail }])
}

/** Returns what can still be refunded of a payment, in minor units. After a lost dispute, the bank has taken all of it. */
function refundable(payment: PaymentRow): number {
  if (payment.dispute === 'lost') return 0
  return after(payment, 'part refund asked') === undefined ? 0 : payment.amount - payment.refund_total
}

function refusal(code: 'not_allowed' | 'out_of_range', detail: string): Problem {
  return validationProblem([{ pointer: '/amount', code, detail }])
}
