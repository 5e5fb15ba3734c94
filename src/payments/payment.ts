import { OperatorError } from '../base/errors.ts'
import { plusSeconds } from '../base/instants.ts'
import { type CheckoutProvider, ProcessorRefusal, ProcessorUnavailable } from '../bookings/checkouts.ts'
import {
  bookingForPayment,
  cancelUnpaid,
  confirmDeposit,
  confirmLateDeposit,
} from '../bookings/pending-booking.ts'
import { eventSubject } from '../webhooks/event-payload.ts'
import { recordPayment } from '../webhooks/event.ts'
import { recordPaymentMail } from '../mails/outbox.ts'
import { RetryTransaction, type Transaction } from '../database/database.ts'
import type { PaymentsTable } from '../database/tables.ts'
import type { Context } from '../bookings/context.ts'
import type { CleanupJob } from '../database/context.ts'
import {
  anyDeposit,
  deleteOldEvents,
  deleteUnusedPayments,
  findPayment,
  findUnsettled,
  holdActiveUntil,
  insertProcessorEvent,
  isBooked,
  lockPayment,
  type PaymentRow,
  postponeCheck,
  updatePayment,
} from './payment-queries.ts'
import {
  decidePaid,
  isUnconfirmed,
  type MissingSetting,
  missingSettings,
  nextCheckAfter,
  noOrder,
} from './payment-rules.ts'
import { anyOwnAccount } from './own-stripe-queries.ts'
import { deleteOldSandboxCheckouts } from './sandbox-queries.ts'

type Booking = NonNullable<Awaited<ReturnType<typeof bookingForPayment>>>

/** A processor's event, which is applied once however often it arrives. */
export interface AppliedEvent {
  provider: PaymentsTable['provider']
  id: string
}

/**
 * Locks the booking, then the payment. One order everywhere prevents deadlocks. Returns undefined if the payment is
 * unknown or its event was applied before.
 */
export async function lockBoth(
  tx: Transaction,
  paymentId: string,
  event: AppliedEvent | undefined,
): Promise<{ payment: PaymentRow; booking: Booking | undefined } | undefined> {
  const found = await findPayment(tx.db, paymentId)
  if (!found) return undefined
  const note = event && { provider: event.provider, event_id: event.id, applied_at: tx.now }
  if (note && !(await insertProcessorEvent(tx.db, note))) return undefined
  const booking = await bookingForPayment(tx, { businessId: found.business_id, id: found.booking_id })
  const payment = await lockPayment(tx.db, paymentId)
  if (!payment) return undefined
  // a conversion that has just committed held the payment's lock until now
  if (!booking && (await isBooked(tx.db, payment)))
    throw new RetryTransaction('the booking of a payment has just been written')
  return { payment, booking }
}

/** Applies an arrived payment, however late or often reported: confirms its booking, records it, or refunds it. */
export async function applyPaid(
  context: Context,
  paid: { paymentId: string; paymentReference: string; event?: AppliedEvent },
): Promise<void> {
  const isConfirmed = await context.db.transaction(async (tx) => {
    const both = await lockBoth(tx, paid.paymentId, paid.event)
    if (!both || both.payment.paid_at !== null) return false
    const columns = { status: 'paid', paid_at: tx.now, payment_reference: paid.paymentReference } as const
    const { next, confirmed } = await consequence(context, tx, both)
    await updatePayment(tx.db, paid.paymentId, { ...columns, ...next })
    await tellOf(context, tx, { ...both, payment: { ...both.payment, ...columns } }, 'payment.paid')
    if (next.next_check_at !== null) {
      tx.onCommit(() => context.checkouts.due.raise())
    }
    return confirmed
  })
  if (isConfirmed) context.metrics.booking('created')
}

type Next = Pick<PaymentRow, 'next_check_at'> & Partial<Pick<PaymentRow, 'refund_requested_at' | 'checks'>>

async function consequence(
  context: Context,
  tx: Transaction,
  { payment, booking }: { payment: PaymentRow; booking: Booking | undefined },
): Promise<{ next: Next; confirmed: boolean }> {
  const refund = { refund_requested_at: tx.now, next_check_at: tx.now, checks: 0 }
  const activeUntil = booking ? undefined : await holdActiveUntil(tx.db, payment, tx.now)
  const decision = decidePaid(payment, booking, { now: tx.now, holdIsActive: activeUntil !== undefined })
  switch (decision) {
    case 'confirm':
      if (booking) await confirmDeposit(context, tx, booking)
      return { next: { next_check_at: null }, confirmed: true }
    case 'retake': {
      const confirmed = booking && (await confirmLateDeposit(context, tx, booking))
      return confirmed
        ? { next: { next_check_at: null }, confirmed: true }
        : { next: refund, confirmed: false }
    }
    case 'record':
      if (booking) await recordPaymentMail(context, tx, booking)
      return { next: { next_check_at: null }, confirmed: false }
    case 'wait':
      return { next: { next_check_at: activeUntil ?? tx.now, checks: 0 }, confirmed: false }
    case 'refund':
      return { next: refund, confirmed: false }
  }
}

/** The checkout that has ended at the processor, as it was at the time of the query. */
type EndedCheckout = Pick<PaymentRow, 'checkout_reference'> & Partial<Pick<PaymentRow, 'expires_at'>>

/**
 * Applies the end of a checkout. Cancels a booking that still waits for it and frees its slot in this transaction. If
 * the booking stands without it, the deposit stays due and gets another checkout when the client asks for it.
 */
export async function applyExpired(
  context: Context,
  expired: { paymentId: string; checkout: EndedCheckout; event?: AppliedEvent },
): Promise<void> {
  await context.db.transaction(async (tx) => {
    const both = await lockBoth(tx, expired.paymentId, expired.event)
    if (!both) return
    const { payment, booking } = both
    const { checkout_reference, expires_at = payment.expires_at } = expired.checkout
    const isPresent = payment.checkout_reference === checkout_reference && payment.expires_at === expires_at
    if (payment.status === 'due' && !isPresent) return // from an earlier checkout, while another may be open
    if (payment.status !== 'preparing' && payment.status !== 'due' && payment.status !== 'expired') return
    const isDue = payment.status === 'due' && booking?.payment_id === payment.id
    if (isDue && booking.status !== 'cancelled' && !isUnconfirmed(booking)) {
      const none = { order_digest: noOrder, checkout_reference: null, next_check_at: null, checks: 0 }
      await updatePayment(tx.db, payment.id, none)
      return
    }
    const cancels = isDue && isUnconfirmed(booking)
    if (cancels) await cancelUnpaid(context, tx, booking)
    await updatePayment(tx.db, payment.id, {
      status: 'expired',
      next_check_at: null,
      ...(cancels && { closed_because: 'expired' }),
    })
    if (isDue)
      await tellOf(context, tx, { booking, payment: { ...payment, status: 'expired' } }, 'payment.failed')
  })
}

/** Records an event about a deposit, with its booking as it is now. None without a booking. */
async function tellOf(
  context: Context,
  tx: Transaction,
  { booking, payment }: { booking: Booking | undefined; payment: PaymentRow },
  type: 'payment.paid' | 'payment.refunded' | 'payment.failed',
): Promise<void> {
  if (!booking) return
  const now = await bookingForPayment(tx, { businessId: booking.business_id, id: booking.id })
  if (now) await recordPayment(context, tx, { type, booking: eventSubject(now), payment })
}

/** Refunds a payment whose hold ended without a booking. */
async function refundUnclaimed(context: Context, paymentId: string): Promise<void> {
  await context.db.transaction(async (tx) => {
    const both = await lockBoth(tx, paymentId, undefined)
    if (!both || both.payment.status !== 'paid' || both.payment.refund_requested_at !== null) return
    const activeUntil = both.booking ? undefined : await holdActiveUntil(tx.db, both.payment, tx.now)
    const isFor = both.booking?.payment_id === paymentId
    await updatePayment(
      tx.db,
      paymentId,
      isFor || activeUntil !== undefined
        ? { next_check_at: activeUntil ?? null }
        : { refund_requested_at: tx.now, next_check_at: tx.now, checks: 0 },
    )
  })
}

/** Applies a refund made by the processor, regardless of who requested it. */
export async function applyRefunded(
  context: Context,
  refunded: { paymentId: string; event?: AppliedEvent },
): Promise<void> {
  await context.db.transaction(async (tx) => {
    const both = await lockBoth(tx, refunded.paymentId, refunded.event)
    if (!both || both.payment.status !== 'paid') return
    const { refund_requested_at } = both.payment
    await updatePayment(tx.db, refunded.paymentId, {
      status: 'refunded',
      refunded_at: tx.now,
      refund_requested_at: refund_requested_at ?? tx.now,
      next_check_at: null,
    })
    await tellOf(
      context,
      tx,
      { ...both, payment: { ...both.payment, status: 'refunded' } },
      'payment.refunded',
    )
  })
}

/** Schedules a check of a changed refund, because even a completed one can come back from the client's bank. */
export async function applyRefundChanged(
  context: Context,
  changed: { paymentId: string; failed: boolean; event: AppliedEvent },
): Promise<void> {
  await context.db.transaction(async (tx) => {
    const both = await lockBoth(tx, changed.paymentId, changed.event)
    if (!both || both.payment.refund_requested_at === null) return
    if (both.payment.status === 'refunded' && !changed.failed) return
    const back = { status: 'paid', refunded_at: null } as const
    await updatePayment(tx.db, both.payment.id, { ...back, next_check_at: tx.now, checks: 0 })
    tx.onCommit(() => context.checkouts.due.raise())
  })
}

/** The result of a payment check. */
type Settlement = 'paid' | 'expired' | 'refunded' | 'open' | 'unreachable'

/**
 * Reconciles one payment with the processor. Closes an overdue checkout there first, because time alone never cancels a
 * booking. Retries an unanswered check later, with growing delays.
 */
export async function reconcilePayment(
  context: Context,
  provider: CheckoutProvider,
  payment: PaymentRow,
): Promise<Settlement> {
  try {
    const settlement = await settle(context, provider, payment)
    if (settlement === 'open') await postpone(context, payment)
    return settlement
  } catch (error) {
    const isKnown = error instanceof ProcessorUnavailable || error instanceof ProcessorRefusal
    if (!isKnown) throw error
    const about = { err: error, payment_id: payment.id }
    if (error instanceof ProcessorRefusal)
      context.log.error(about, 'the payment processor refuses; asked again later')
    else context.log.warn(about, 'the payment processor does not answer; asked again later')
    await postpone(context, payment)
    return 'unreachable'
  }
}

async function settle(
  context: Context,
  provider: CheckoutProvider,
  payment: PaymentRow,
): Promise<Settlement> {
  const { id, status, payment_reference } = payment
  if (status === 'refunded') return 'refunded'
  if (status === 'paid') {
    if (payment.refund_requested_at === null) {
      await refundUnclaimed(context, id)
      return 'paid'
    }
    if (payment_reference === null) throw new Error('a payment without its reference') // the schema forbids it
    if ((await provider.refund({ id, payment_reference })) === 'pending') return 'open'
    await applyRefunded(context, { paymentId: id })
    return 'refunded'
  }
  const isOver = status === 'expired' || payment.expires_at <= context.clock.now()
  const state = isOver ? await provider.expire(payment) : await provider.retrieve(payment)
  switch (state.status) {
    case 'paid':
      await applyPaid(context, { paymentId: id, paymentReference: state.paymentReference })
      return 'paid'
    case 'unknown':
      if (!isOver) return 'open' // its checkout may be about to open
      if (payment.checkout_reference !== null)
        throw new ProcessorRefusal('the processor does not know a checkout that it opened')
      await applyExpired(context, { paymentId: id, checkout: payment })
      return 'expired'
    case 'expired':
      await applyExpired(context, { paymentId: id, checkout: payment })
      return 'expired'
    case 'open':
    case 'processing':
      return 'open'
  }
}

/** Applies no backoff to an open checkout, which is checked when it expires. */
async function postpone(context: Context, payment: PaymentRow): Promise<void> {
  const now = context.clock.now()
  if (payment.status === 'due' && payment.expires_at > now) return
  await context.db.transaction((tx) => postponeCheck(tx.db, payment, nextCheckAfter(now, payment.checks)))
}

/** Does the same by ID. Does nothing for another processor's payment or a finished one. */
export async function settleOne(context: Context, paymentId: string): Promise<void> {
  const payment = await findPayment(context.db.reads, paymentId)
  const provider = payment && (await context.checkouts.providerOf(payment))
  if (provider) await reconcilePayment(context, provider, payment)
}

const pageSize = 100

/** Reconciles every unfinished payment and returns counts by result. */
export async function reconcilePayments(context: Context): Promise<Record<Settlement, number>> {
  const { provider } = context.checkouts
  if (!provider && !(await anyOwnAccount(context.db.reads)))
    throw new OperatorError('There is no payment processor: set STRIPE_SECRET_KEY.')
  const counts: Record<Settlement, number> = { paid: 0, expired: 0, refunded: 0, open: 0, unreachable: 0 }
  let after = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const page = await findUnsettled(context.db.reads, { provider: provider?.name, after, max: pageSize })
    for (const payment of page) {
      const its = await context.checkouts.providerOf(payment)
      counts[its ? await reconcilePayment(context, its, payment) : 'unreachable'] += 1
    }
    const last = page.at(-1)
    if (!last || page.length < pageSize) return counts
    after = last.id
  }
}

/** Stripe resends an event for at most three days. */
const retentionSeconds = 30 * 86_400
/** Older payments were checked before. This bounds the scan as bookings' payments accumulate. */
const checkedAtSeconds = 7 * 86_400

/** Deletes events that Stripe no longer resends. */
export const oldProcessorEvents: CleanupJob = {
  name: 'old events of the payment processor',
  deleteBatch: ({ db }, max) =>
    db.transaction((tx) => deleteOldEvents(tx.db, plusSeconds(tx.now, -retentionSeconds), max)),
}

/** Deletes sandbox checkouts, before their payments. */
export const oldSandboxCheckouts: CleanupJob = {
  name: 'old sandbox checkouts',
  deleteBatch: ({ db }, max) =>
    db.transaction((tx) => deleteOldSandboxCheckouts(tx.db, plusSeconds(tx.now, -retentionSeconds), max)),
}

/** Deletes unpaid checkouts without a booking. */
export const unusedPayments: CleanupJob = {
  name: 'unused checkouts',
  deleteBatch: ({ db }, max) =>
    db.transaction((tx) => {
      const before = plusSeconds(tx.now, -retentionSeconds)
      return deleteUnusedPayments(tx.db, { from: plusSeconds(before, -checkedAtSeconds), before }, max)
    }),
}

/** Finds configuration errors for deposits. There are none while no service requires any. */
export async function checkDeposits({
  db,
  config,
}: Pick<Context, 'db' | 'config'>): Promise<MissingSetting[]> {
  const missing = missingSettings(config)
  return missing.length > 0 && (await anyDeposit(db.reads)) ? missing : []
}
