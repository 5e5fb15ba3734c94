import type { PaymentsTable } from '../database/payment-tables.ts'
import type { BookingsTable } from '../database/tables.ts'
import { plusSeconds, type Instant } from '../instants.ts'

/** What follows from a payment that has arrived. */
export type PaidDecision =
  /** The booking has its slot and is confirmed by the payment. */
  | 'confirm'
  /** The checkout had lapsed: the slot is taken again if it is free, else the payment goes back. */
  | 'retake'
  /** The booking is as it should be; the payment is on record. */
  | 'record'
  /** The hold may still become a booking. */
  | 'wait'
  /** Nothing is given for it: it goes back. */
  | 'refund'

/** Of a booking, what such a decision depends on. */
type DecidedBooking = Pick<BookingsTable, 'status' | 'confirmed_at' | 'payment_id' | 'starts_at'>

/** What follows from a payment at an instant. Without a booking it depends on whether the hold is still active. */
export function decidePaid(
  payment: Pick<PaymentsTable, 'id' | 'closed_because'>,
  booking: DecidedBooking | undefined,
  { now, holdIsActive }: { now: Instant; holdIsActive: boolean },
): PaidDecision {
  if (!booking) return holdIsActive ? 'wait' : 'refund'
  if (booking.payment_id !== payment.id) return 'refund' // another checkout of the same hold counts
  if (booking.status !== 'cancelled') return isUnconfirmed(booking) ? 'confirm' : 'record'
  const cameLate = booking.confirmed_at === null && payment.closed_because === 'lapsed'
  return cameLate && booking.starts_at > now ? 'retake' : 'refund'
}

/** Whether a booking waits for its deposit, or for the business to confirm it without. */
export function isUnconfirmed({
  status,
  confirmed_at,
}: Pick<BookingsTable, 'status' | 'confirmed_at'>): boolean {
  return status === 'pending' && confirmed_at === null
}

const firstPauseSeconds = 60
const longestPauseSeconds = 3_600

/** When the processor is asked again after so many looks in vain. */
export function nextLookAfter(now: Instant, looks: number): Instant {
  return plusSeconds(now, Math.min(firstPauseSeconds * 2 ** Math.min(looks, 10), longestPauseSeconds))
}

/**
 * A checkout is asked for again, rather than another opened, as long as the processor would still open it: Stripe
 * takes no life of less than 30 minutes, and its clock is not ours.
 */
const leastLifeLeftSeconds = 30.5 * 60

/** Of the checkouts of a hold, the one that the same order may go on with. */
export function reusablePayment<Payment extends ReusablePart>(
  payments: Payment[],
  { digest, now }: { digest: string; now: Instant },
): Payment | undefined {
  const paid = payments.find(({ status, refund_requested_at }) => status === 'paid' && !refund_requested_at)
  if (paid) return paid
  const leastExpiry = plusSeconds(now, leastLifeLeftSeconds)
  return payments.find(
    ({ status, order_digest, expires_at }) =>
      status === 'preparing' && order_digest === digest && expires_at >= leastExpiry,
  )
}

type ReusablePart = Pick<PaymentsTable, 'status' | 'order_digest' | 'expires_at' | 'refund_requested_at'>
