import { cancelUnpaid, confirmDeposit, confirmLateDeposit, lockBooking } from '../bookings/settle-deposit.ts'
import type { Context } from '../context.ts'
import { Repeat, type Transaction } from '../database/database.ts'
import type { PaymentsTable } from '../database/payment-tables.ts'
import {
  findPayment,
  holdActiveUntil,
  insertProcessorEvent,
  isBooked,
  lockPayment,
  updatePayment,
  type PaymentRow,
} from './payment-queries.ts'
import { decidePaid, isUnconfirmed } from './payment-rules.ts'

type Booking = NonNullable<Awaited<ReturnType<typeof lockBooking>>>

/** An event of a processor, which is applied once however often it comes. */
export interface AppliedEvent {
  provider: PaymentsTable['provider']
  id: string
}

/**
 * Locks the booking and then the payment: the same order everywhere, so that no two wait for each other. Undefined when
 * the payment is unknown, or its event has been applied before.
 */
async function lockBoth(
  tx: Transaction,
  paymentId: string,
  event: AppliedEvent | undefined,
): Promise<{ payment: PaymentRow; booking: Booking | undefined } | undefined> {
  const found = await findPayment(tx.db, paymentId)
  if (!found) return undefined
  const note = event && { provider: event.provider, event_id: event.id, applied_at: tx.now }
  if (note && !(await insertProcessorEvent(tx.db, note))) return undefined
  const booking = await lockBooking(tx, { businessId: found.business_id, id: found.booking_id })
  const payment = await lockPayment(tx.db, paymentId)
  if (!payment) return undefined
  // a conversion that was about to be committed held the payment until now
  if (!booking && (await isBooked(tx.db, payment)))
    throw new Repeat('the booking of a payment has just been written')
  return { payment, booking }
}

/**
 * Applies that a payment has arrived, whenever it comes and however often it is told: the booking is confirmed by it, or
 * the payment is on record beside what else has happened, or it goes back.
 */
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
    if (next.next_look_at !== null) {
      tx.onCommit(() => {
        context.checkouts.wake()
      })
    }
    return confirmed
  })
  if (isConfirmed) context.metrics.booking('created')
}

type Next = Pick<PaymentRow, 'next_look_at'> & Partial<Pick<PaymentRow, 'refund_requested_at' | 'looks'>>

async function consequence(
  context: Context,
  tx: Transaction,
  { payment, booking }: { payment: PaymentRow; booking: Booking | undefined },
): Promise<{ next: Next; confirmed: boolean }> {
  const refund = { refund_requested_at: tx.now, next_look_at: tx.now, looks: 0 }
  const activeUntil = booking ? undefined : await holdActiveUntil(tx.db, payment, tx.now)
  const decision = decidePaid(payment, booking, { now: tx.now, holdIsActive: activeUntil !== undefined })
  switch (decision) {
    case 'confirm':
      if (booking) await confirmDeposit(context, tx, booking)
      return { next: { next_look_at: null }, confirmed: true }
    case 'retake': {
      const confirmed = booking && (await confirmLateDeposit(context, tx, booking))
      return confirmed
        ? { next: { next_look_at: null }, confirmed: true }
        : { next: refund, confirmed: false }
    }
    case 'record':
      return { next: { next_look_at: null }, confirmed: false }
    case 'wait':
      return { next: { next_look_at: activeUntil ?? tx.now, looks: 0 }, confirmed: false }
    case 'refund':
      return { next: refund, confirmed: false }
  }
}

/**
 * Applies that nobody can pay at a checkout any more: the booking that still waits for it is cancelled, and its slot is
 * free with this very transaction.
 */
export async function applyExpired(
  context: Context,
  expired: { paymentId: string; event?: AppliedEvent },
): Promise<void> {
  await context.db.transaction(async (tx) => {
    const both = await lockBoth(tx, expired.paymentId, expired.event)
    if (!both) return
    const { payment, booking } = both
    if (payment.status !== 'preparing' && payment.status !== 'due' && payment.status !== 'expired') return
    const lapses = payment.status === 'due' && booking?.payment_id === payment.id && isUnconfirmed(booking)
    if (lapses) await cancelUnpaid(tx, booking)
    await updatePayment(tx.db, payment.id, {
      status: 'expired',
      next_look_at: null,
      ...(lapses && { closed_because: 'lapsed' }),
    })
  })
}

/** Applies that a payment for which there will be no booking goes back: its hold has ended without one. */
export async function refundUnclaimed(context: Context, paymentId: string): Promise<void> {
  await context.db.transaction(async (tx) => {
    const both = await lockBoth(tx, paymentId, undefined)
    if (!both || both.payment.status !== 'paid' || both.payment.refund_requested_at !== null) return
    const activeUntil = both.booking ? undefined : await holdActiveUntil(tx.db, both.payment, tx.now)
    const isFor = both.booking?.payment_id === paymentId
    await updatePayment(
      tx.db,
      paymentId,
      isFor || activeUntil !== undefined
        ? { next_look_at: activeUntil ?? null }
        : { refund_requested_at: tx.now, next_look_at: tx.now, looks: 0 },
    )
  })
}

/** Applies that the processor has given a payment back, whoever asked for it. */
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
      next_look_at: null,
    })
  })
}

/**
 * Applies that something has changed about a refund: the processor is asked how it stands. One that had arrived can
 * still come back from the client's bank.
 */
export async function applyRefundChanged(
  context: Context,
  changed: { paymentId: string; failed: boolean; event: AppliedEvent },
): Promise<void> {
  await context.db.transaction(async (tx) => {
    const both = await lockBoth(tx, changed.paymentId, changed.event)
    if (!both || both.payment.refund_requested_at === null) return
    if (both.payment.status === 'refunded' && !changed.failed) return
    const back = { status: 'paid', refunded_at: null } as const
    await updatePayment(tx.db, both.payment.id, { ...back, next_look_at: tx.now, looks: 0 })
    tx.onCommit(() => {
      context.checkouts.wake()
    })
  })
}
