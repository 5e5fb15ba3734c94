import { recordAudit } from '../access/audit.ts'
import { type Instant, plusSeconds } from '../base/instants.ts'
import type { CheckoutProvider } from '../bookings/checkouts.ts'
import {
  agreeToFees,
  bookingForPayment,
  cancelUnpaid,
  confirmDeposit,
  confirmLateDeposit,
} from '../bookings/pending-booking.ts'
import { eventSubject } from '../webhooks/event-payload.ts'
import { recordPayment } from '../webhooks/event.ts'
import { endAwaitedCharge, recordFeeMail, recordMoneyNotice, recordPaymentMail } from '../mails/outbox.ts'
import { RetryTransaction, type Transaction } from '../database/database.ts'
import type { PaymentsTable } from '../database/tables.ts'
import type { Context } from '../bookings/context.ts'
import type { CleanupJob } from '../database/context.ts'
import {
  anyDeposit,
  deleteOldEvents,
  deleteUnusedPayments,
  findPayment,
  holdActiveUntil,
  insertProcessorEvent,
  isBooked,
  lockPayment,
  type PaymentRow,
  updatePayment,
} from './payment-queries.ts'
import {
  decidePaid,
  hasCardWork,
  isUnconfirmed,
  type MissingSetting,
  missingSettings,
  noOrder,
} from './payment-rules.ts'
import { refundChanges } from './refund-rules.ts'
import { findRefunds, insertRefund, type RefundRow, updateRefund } from './refund-queries.ts'
import { deleteOldSandboxCheckouts } from './sandbox-queries.ts'

/**
 * The states of a payment. `refunding`: all that is left was asked back, and the processor has not returned it yet. A
 * payment of which a part was refunded stays `paid`.
 */
export type PaymentState = PaymentsTable['status'] | 'refunding'

export type PaymentEvent =
  | 'paid'
  | 'checkout ended'
  | 'confirmed otherwise'
  | 'cancelled'
  | 'part refund asked'
  | 'whole refund asked'
  | 'part refunded'
  | 'all refunded'
  | 'refund failed'
  | 'charge failed'
  | 'waived'

/** The next state by state and event. An absent event changes nothing, however often it comes. */
export const paymentStates: Record<PaymentState, Partial<Record<PaymentEvent, PaymentState>>> = {
  // a checkout is on record, or waits for the answer of the business
  preparing: {
    ...{ paid: 'paid', 'checkout ended': 'expired' },
    ...{ 'confirmed otherwise': 'due', cancelled: 'expired' },
  },
  // a booking that stands without the payment keeps it due when its checkout ends
  due: {
    ...{ paid: 'paid', 'checkout ended': 'expired' },
    ...{ 'confirmed otherwise': 'expired', cancelled: 'expired', waived: 'waived' },
  },
  // a fee is to be charged to the saved card, or the processor was asked and has not answered
  charging: { paid: 'paid', 'charge failed': 'due', waived: 'waived' },
  // the charge may have been made at the last moment, and then comes back
  waived: { paid: 'refunding' },
  // nothing is due any more, but the client may have paid at the last moment
  expired: { paid: 'paid', 'checkout ended': 'expired' },
  paid: {
    ...{ 'part refund asked': 'paid', 'whole refund asked': 'refunding' },
    ...{ 'part refunded': 'paid', 'all refunded': 'refunded', waived: 'refunding' },
  },
  refunding: { 'part refunded': 'refunding', 'all refunded': 'refunded' },
  // the bank of the client sends it back, and it is sent again
  refunded: { 'refund failed': 'refunding' },
}

export function paymentState({
  status,
  refund_requested_at,
}: Pick<PaymentRow, 'status' | 'refund_requested_at'>): PaymentState {
  return status === 'paid' && refund_requested_at !== null ? 'refunding' : status
}

/** Returns the state after an event. Undefined if it changes nothing. */
export function after(payment: PaymentRow, event: PaymentEvent): PaymentState | undefined {
  return paymentStates[paymentState(payment)][event]
}

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
    if (!both || after(both.payment, 'paid') === undefined) return false
    const columns = { status: 'paid', paid_at: tx.now, payment_reference: paid.paymentReference } as const
    const { next: other, confirmed } = await consequence(context, tx, both)
    const payment = { ...both.payment, ...columns }
    const isRead = other.next_check_at !== null || !hasCardWork(payment)
    const next = isRead ? other : { ...other, next_check_at: tx.now, checks: 0 }
    await updatePayment(tx.db, paid.paymentId, { ...columns, ...next })
    await tellOf(context, tx, { ...both, payment }, 'payment.paid')
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
  if (payment.kind === 'fee') {
    const isOfCard = payment.failure === null // else the client paid with the link
    const action = isOfCard ? ('booking.charged' as const) : ('booking.fee_paid' as const)
    if (booking) await recordOutcome(context, tx, { booking, action })
    if (payment.status === 'waived') return { next: refund, confirmed: false }
    if (booking) {
      await endAwaitedCharge(context, tx, booking)
      await recordFeeMail(context, tx, { booking, kind: 'fee_paid', paymentId: payment.id })
    }
    return { next: { next_check_at: null }, confirmed: false }
  }
  if (booking?.payment_id === payment.id) await agreeToFees(tx, booking, payment)
  const activeUntil = booking ? undefined : await holdActiveUntil(tx.db, payment, tx.now)
  const decision = decidePaid(payment, booking, { now: tx.now, holdIsActive: activeUntil !== undefined })
  switch (decision) {
    case 'confirm':
      if (booking) await confirmDeposit(context, tx, booking)
      return { next: { next_check_at: null }, confirmed: true }
    case 'retake': {
      const confirmed = booking && (await confirmLateDeposit(context, tx, booking))
      const isKept = confirmed !== undefined || payment.kind === 'card'
      return { next: isKept ? { next_check_at: null } : refund, confirmed: confirmed !== undefined }
    }
    case 'record':
      if (booking) await recordPaymentMail(context, tx, booking)
      return { next: { next_check_at: null }, confirmed: false }
    case 'wait':
      return { next: { next_check_at: activeUntil ?? tx.now, checks: 0 }, confirmed: false }
    case 'refund':
      return { next: payment.kind === 'card' ? { next_check_at: null } : refund, confirmed: false }
  }
}

type Outcome =
  | ('booking.charged' | 'booking.charge_failed' | 'booking.fee_paid')
  | ('booking.disputed' | 'booking.dispute_won' | 'booking.dispute_lost')

/** Records the outcome of a charge, or a dispute, in the history of its booking. */
export function recordOutcome(
  context: Context,
  tx: Transaction,
  { booking: { id: subjectId, business_id: businessId }, action }: { booking: Booking; action: Outcome },
): Promise<void> {
  return recordAudit(context, tx, { by: 'system', action, subjectId, businessId })
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
    if (after(payment, 'checkout ended') === undefined) return
    const none = { order_digest: noOrder, checkout_reference: null, next_check_at: null, checks: 0 }
    if (payment.kind === 'fee') {
      if (payment.status === 'due') await updatePayment(tx.db, payment.id, none) // it stays due
      return
    }
    const isDue = payment.status === 'due' && booking?.payment_id === payment.id
    if (isDue && booking.status !== 'cancelled' && !isUnconfirmed(booking)) {
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

/** Records an event about a payment, with its booking as it is now. None without a booking. */
export async function tellOf(
  context: Context,
  tx: Transaction,
  { booking, payment }: { booking: Booking | undefined; payment: PaymentRow },
  type: 'payment.paid' | 'payment.refunded' | 'payment.failed',
): Promise<void> {
  if (!booking) return
  const now = await bookingForPayment(tx, { businessId: booking.business_id, id: booking.id })
  if (now) await recordPayment(context, tx, { type, booking: eventSubject(now), payment })
}

/** Asks back all that is left of a payment whose hold ended without a booking. */
async function refundUnclaimed(context: Context, paymentId: string): Promise<void> {
  await context.db.transaction(async (tx) => {
    const both = await lockBoth(tx, paymentId, undefined)
    if (!both || after(both.payment, 'whole refund asked') === undefined) return
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

/**
 * Applies a report about refunds, regardless of who requested them. Reports can arrive in any order and without those
 * before them, so the payment is checked in any case. Even a completed refund can come back from the client's bank.
 */
export async function applyRefundReport(
  context: Context,
  {
    paymentId,
    report,
    event,
  }: { paymentId: string; report: 'whole' | 'part' | 'failed'; event: AppliedEvent },
): Promise<void> {
  await context.db.transaction(async (tx) => {
    const both = await lockBoth(tx, paymentId, event)
    if (!both || both.payment.paid_at === null) return
    const { payment } = both
    const isNew = report === 'whole' && after(payment, 'all refunded') === 'refunded'
    const isBack = report === 'failed' && after(payment, 'refund failed') !== undefined
    await updatePayment(tx.db, paymentId, {
      ...(isNew && wholly(payment, tx.now)),
      ...(isBack && { status: 'paid', refunded_at: null }),
      ...{ next_check_at: tx.now, checks: 0 },
    })
    if (isNew)
      await tellOf(
        context,
        tx,
        { ...both, payment: { ...payment, ...wholly(payment, tx.now) } },
        'payment.refunded',
      )
    tx.onCommit(() => context.checkouts.due.raise())
  })
}

/** Has a charge or its checkout checked soon, because the processor has news of it. */
export async function checkSoon(context: Context, paymentId: string, event: AppliedEvent): Promise<void> {
  await context.db.transaction(async (tx) => {
    const both = await lockBoth(tx, paymentId, event)
    const isOpen = both && after(both.payment, 'paid') !== undefined && both.payment.charge_begun_at !== null
    if (!isOpen || both.payment.status === 'due') return
    await updatePayment(tx.db, paymentId, { next_check_at: tx.now, checks: 0 })
    tx.onCommit(() => context.checkouts.due.raise())
  })
}

/** Marks a payment that its client disputes with their bank, and informs the business. One that has ended stays so. */
export async function applyDispute(
  context: Context,
  {
    paymentId,
    dispute,
    event,
  }: { paymentId: string; dispute: NonNullable<PaymentRow['dispute']>; event: AppliedEvent },
): Promise<void> {
  await context.db.transaction(async (tx) => {
    const both = await lockBoth(tx, paymentId, event)
    if (!both) return
    const { payment, booking } = both
    if (dispute === payment.dispute || (dispute === 'open' && payment.dispute !== null)) return
    await updatePayment(tx.db, paymentId, { dispute, disputed_at: payment.disputed_at ?? tx.now })
    if (!booking) return
    await recordMoneyNotice(context, tx, { booking, kind: 'disputed', paymentId, dispute })
    await recordOutcome(context, tx, { booking, action: disputeActions[dispute] })
  })
}

const disputeActions = {
  open: 'booking.disputed',
  won: 'booking.dispute_won',
  lost: 'booking.dispute_lost',
} as const

function wholly({ amount, refund_requested_at }: PaymentRow, now: Instant) {
  return {
    status: 'refunded' as const,
    ...{ refunded_at: now, refund_requested_at: refund_requested_at ?? now },
    ...{ refund_total: amount, refunded_amount: amount },
  }
}

/** Asks back a part of a payment, or all that is left. The caller has locked it. Returns the payment and the refund's number. */
export async function requestRefund(
  { due: signal }: Pick<Context['checkouts'], 'due'>,
  tx: Transaction,
  given: { payment: PaymentRow; amount: number; reason: string | null },
): Promise<{ payment: PaymentRow; number: number }> {
  const { payment, number } = await addRefund(tx, given)
  const due = { next_check_at: tx.now, checks: 0 }
  await updatePayment(tx.db, payment.id, due)
  tx.onCommit(() => signal.raise())
  return { payment: { ...payment, ...due }, number }
}

/** Records a refund and leaves the time of the next check as it is, which may be a lease. */
async function addRefund(
  tx: Transaction,
  { payment, amount, reason }: { payment: PaymentRow; amount: number; reason: string | null },
): Promise<{ payment: PaymentRow; number: number }> {
  const { id: payment_id, business_id } = payment
  const number = ((await findRefunds(tx.db, payment_id)).at(-1)?.number ?? 0) + 1
  await insertRefund(tx.db, {
    ...{ payment_id, number, business_id, amount, reason, status: 'requested', by_hand: 0 },
    ...{ processor_reference: null, requested_at: tx.now, refunded_at: null },
  })
  const refund_total = payment.refund_total + amount
  const columns = {
    refund_total,
    ...(refund_total === payment.amount && { refund_requested_at: payment.refund_requested_at ?? tx.now }),
  }
  await updatePayment(tx.db, payment_id, columns)
  return { payment: { ...payment, ...columns }, number }
}

/**
 * Applies the processor's list of refunds: it alone decides how much was refunded. Refunds made there get a number.
 * Returns true if one of ours failed and has to be sent again.
 */
async function applyRefunds(
  context: Context,
  paymentId: string,
  { refunds, refused }: Awaited<ReturnType<CheckoutProvider['refund']>>,
): Promise<Pick<ReturnType<typeof refundChanges>, 'isOpen' | 'lacks' | 'failed'>> {
  return context.db.transaction(async (tx) => {
    const both = await lockBoth(tx, paymentId, undefined)
    if (!both) return { isOpen: false, lacks: false, failed: false }
    const { payment } = both
    const rows = await findRefunds(tx.db, paymentId)
    const changes = refundChanges(rows, { refunds, refused, payment, now: tx.now })
    for (const row of changes.changed) await updateRefund(tx.db, row, row)
    for (const row of changes.added) await insertRefund(tx.db, row)
    const { refunded_amount, refund_total, isOpen, lacks, failed } = changes
    const isWhole = refunded_amount === payment.amount
    const columns = {
      ...{ refunded_amount, refund_total: Math.min(refund_total, payment.amount) },
      ...(isWhole
        ? { ...wholly(payment, payment.refunded_at ?? tx.now) }
        : ({ status: 'paid', refunded_at: null } as const)),
      ...(!isOpen && !hasCardWork(payment) && { next_check_at: null }),
    }
    await updatePayment(tx.db, paymentId, columns)
    if (refunded_amount > payment.refunded_amount)
      await tellOf(context, tx, { ...both, payment: { ...payment, ...columns } }, 'payment.refunded')
    return { isOpen, lacks, failed }
  })
}

/** Completes the refund of all that is left, which others ask for by its time alone. Returns the refunds to make. */
async function wantedRefunds(
  context: Context,
  paymentId: string,
): Promise<
  { payment: PaymentRow; wanted: Pick<RefundRow, 'number' | 'amount'>[]; isFor: boolean } | undefined
> {
  return context.db.transaction(async (tx) => {
    const both = await lockBoth(tx, paymentId, undefined)
    if (!both || both.payment.paid_at === null) return undefined
    let { payment } = both
    const left = payment.amount - payment.refund_total
    if (payment.refund_requested_at !== null && payment.status === 'paid' && left > 0)
      payment = (await addRefund(tx, { payment, amount: left, reason: null })).payment
    const rows = await findRefunds(tx.db, paymentId)
    const wanted = rows
      .filter(({ status, by_hand }) => status === 'requested' && by_hand === 0)
      .map(({ number, amount: part }) => ({ number, amount: part }))
    const isFor = payment.kind === 'fee' || both.booking?.payment_id === paymentId
    return { payment, wanted, isFor }
  })
}

/**
 * Makes the refunds of a payment that are due, and reads all that the processor has. Leaves the time of the next check
 * while something is left to do with a saved card.
 */
export async function settleRefunds(
  context: Context,
  provider: CheckoutProvider,
  id: string,
): Promise<'paid' | 'open' | 'refunded'> {
  const found = await wantedRefunds(context, id)
  if (!found) return 'paid'
  const { payment, wanted, isFor } = found
  if (payment.kind === 'card') return 'paid' // no money
  const { payment_reference, currency } = payment
  if (wanted.length === 0 && paymentState(payment) === 'paid' && !isFor) {
    await refundUnclaimed(context, id)
    return 'paid'
  }
  if (payment_reference === null) throw new Error('a payment without its reference') // the schema forbids it
  const result = await provider.refund({ id, currency, payment_reference }, wanted)
  const { isOpen, lacks, failed } = await applyRefunds(context, id, result)
  // a failed one is requested again, and then pending; a reported one may be missing in the list
  if (failed || (lacks && wanted.length === 0)) return settleRefunds(context, provider, id)
  return isOpen ? 'open' : 'refunded'
}

/** Ends the checks of a paid payment if nothing is left to do, also under the lease of another server. */
export async function endChecks(context: Context, { id, next_check_at }: PaymentRow): Promise<void> {
  await context.db.transaction(async (tx) => {
    const payment = await lockPayment(tx.db, id)
    if (!payment || payment.next_check_at !== next_check_at || hasCardWork(payment)) return
    const isOpen = (await findRefunds(tx.db, id)).some(({ status }) => status === 'requested')
    if (isOpen || paymentState(payment) === 'refunding') return
    await updatePayment(tx.db, id, { next_check_at: null })
  })
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
