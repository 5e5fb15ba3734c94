import type { Config } from '../base/config.ts'
import { type Instant, plusSeconds } from '../base/instants.ts'
import type { BookingsTable, PaymentsTable } from '../database/tables.ts'

/** The consequence of an arrived payment. */
type PaidDecision =
  /** The booking has its slot: confirm it. */
  | 'confirm'
  /** The checkout had expired: take the slot again if free, else refund. */
  | 'retake'
  /** The booking needs no change: record the payment. */
  | 'record'
  /** The hold may still become a booking. */
  | 'wait'
  /** Nothing to book: refund. */
  | 'refund'

type DecidedBooking = Pick<BookingsTable, 'status' | 'confirmed_at' | 'payment_id' | 'starts_at'>

/** Decides about a payment. Without a booking, the decision depends on whether the hold is still active. */
export function decidePaid(
  payment: Pick<PaymentsTable, 'id' | 'closed_because'>,
  booking: DecidedBooking | undefined,
  { now, holdIsActive }: { now: Instant; holdIsActive: boolean },
): PaidDecision {
  if (!booking) return holdIsActive ? 'wait' : 'refund'
  if (booking.payment_id !== payment.id) return 'refund' // another checkout of the same hold counts
  if (booking.status !== 'cancelled') return isUnconfirmed(booking) ? 'confirm' : 'record'
  const cameLate = booking.confirmed_at === null && payment.closed_because === 'expired'
  return cameLate && booking.starts_at > now ? 'retake' : 'refund'
}

/** A pending booking that was never confirmed. */
export function isUnconfirmed({
  status,
  confirmed_at,
}: Pick<BookingsTable, 'status' | 'confirmed_at'>): boolean {
  return status === 'pending' && confirmed_at === null
}

/** True if the processor is still to be asked for the saved card of a payment, or to remove it. */
export function hasCardWork(payment: CardColumns): boolean {
  if (payment.saves_card === 0 || payment.paid_at === null || payment.card_removed_at !== null) return false
  return payment.card_read_at === null || payment.card_removal_requested_at !== null
}

type CardColumns = Pick<PaymentsTable, 'saves_card' | 'paid_at' | 'card_read_at'> &
  Pick<PaymentsTable, 'card_removal_requested_at' | 'card_removed_at'>

/** The digest of a due payment for which the processor has no checkout. One is opened when the client asks for it. */
export const noOrder = ''

const firstPauseSeconds = 60
const maxPauseSeconds = 3_600

/** Backs off after fruitless checks. */
export function nextCheckAfter(now: Instant, checks: number): Instant {
  return plusSeconds(now, Math.min(firstPauseSeconds * 2 ** Math.min(checks, 10), maxPauseSeconds))
}

/**
 * A checkout is reused only while the processor would still open it. Stripe requires a lifetime of at least 30 minutes,
 * by its own clock.
 */
const minLifeLeftSeconds = 30.5 * 60

/** Finds the hold's checkout that the same order can reuse. */
export function reusablePayment<Payment extends ReusablePart>(
  payments: Payment[],
  { digest, now }: { digest: string; now: Instant },
): Payment | undefined {
  const paid = payments.find(({ status, refund_requested_at }) => status === 'paid' && !refund_requested_at)
  if (paid) return paid
  const minExpiry = plusSeconds(now, minLifeLeftSeconds)
  return payments.find(
    ({ status, order_digest, expires_at }) =>
      status === 'preparing' && order_digest === digest && expires_at >= minExpiry,
  )
}

type ReusablePart = Pick<PaymentsTable, 'status' | 'order_digest' | 'expires_at' | 'refund_requested_at'>

export interface MissingSetting {
  detail: string
  fix: string
}

type Settings = Pick<Config, 'environment' | 'stripeSecretKey' | 'stripeWebhookSecret' | 'publicUrl'>

/** Finds configuration errors of a server whose services require deposits. */
export function missingSettings(config: Settings): MissingSetting[] {
  if (config.stripeSecretKey === '') {
    if (config.environment !== 'production') return []
    const detail = 'services ask for deposits, which nobody takes: clients cannot book them (503)'
    return [{ detail, fix: 'set STRIPE_SECRET_KEY, or take the deposits off the services' }]
  }
  const missing: MissingSetting[] = []
  if (config.stripeWebhookSecret === '') {
    missing.push({
      detail: 'Stripe cannot tell of payments: bookings are confirmed only when they are asked about',
      fix: 'add an endpoint for /payments/stripe/webhook at Stripe, and set STRIPE_WEBHOOK_SECRET',
    })
  }
  if (config.publicUrl === '') {
    missing.push({
      detail: 'clients are sent back from paying to an address that only this machine knows',
      fix: 'set PUBLIC_URL',
    })
  }
  return missing
}
