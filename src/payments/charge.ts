import type { Static } from 'typebox'
import type { Actor } from '../access/actor.ts'
import { recordAudit } from '../access/audit.ts'
import { Problem, unavailable, validationProblem } from '../base/errors.ts'
import { type Instant, plusSeconds } from '../base/instants.ts'
import { isUuid } from '../base/ids.ts'
import { showBooking } from '../bookings/booking.ts'
import {
  type Charge,
  type ChargeOrder,
  type CheckoutProvider,
  ProcessorRefusal,
  type Waived,
} from '../bookings/checkouts.ts'
import type { Context } from '../bookings/context.ts'
import type { ChargeBooking } from '../bookings/payment-schemas.ts'
import { bookingForPayment, noteCharge } from '../bookings/pending-booking.ts'
import { chargeLimit } from '../catalogue/booking-fee-rules.ts'
import { unpayableDetail } from '../catalogue/service-rules.ts'
import type { Transaction } from '../database/database.ts'
import { type StoreResponse, storeNothing } from '../database/idempotency.ts'
import type { BookingRow } from '../database/shown-booking.ts'
import { totalPriceOf } from '../database/shown-item-rules.ts'
import { endAwaitedCharge, recordFeeMail, recordMoneyNotice } from '../mails/outbox.ts'
import {
  findCharges,
  findSavedCard,
  lockPayment,
  type PaymentRow,
  postponeCheck,
  updatePayment,
} from './payment-queries.ts'
import { noOrder } from './payment-rules.ts'
import { after, applyPaid, lockBoth, recordOutcome, tellOf } from './payment.ts'
import type { Refunded } from './refund.ts'

/*
 * Charges to saved cards. A charge is recorded with its reason and made by the payment worker after the commit:
 *
 *   1. `charge_begun_at` is committed before the processor is asked, so that no charge is ever lost.
 *   2. The processor is asked for the charge first, and makes it under one idempotency key. None is made twice.
 *   3. A declined charge becomes due, and the client gets a link to a checkout.
 */

/** Longer than a lease and any answer of a processor: a charge that has begun is made by then, or never. */
const settledAfterSeconds = 150

/** A processor that keeps refusing a charge, for whatever reason, is asked for some hours. */
const maxRefusals = 9

/** Makes the charge of a payment at the processor, once, and applies its outcome. */
export async function settleCharge(
  context: Context,
  provider: CheckoutProvider,
  payment: PaymentRow,
): Promise<'paid' | 'open'> {
  const { id: paymentId } = payment
  const order = await beginCharge(context, paymentId)
  if (order === 'gone') return 'open'
  if (order === 'no_card') return applyChargeFailed(context, paymentId, order)
  try {
    const state = await provider.charge(order)
    if (state.status === 'failed') return await applyChargeFailed(context, paymentId, state.failure)
    if (state.status === 'processing' && state.decidedAt !== undefined) {
      const { decidedAt } = state
      await context.db.transaction((tx) => postponeCheck(tx.db, payment, decidedAt))
    }
    if (state.status !== 'paid') return 'open'
    await applyPaid(context, { paymentId, paymentReference: state.paymentReference })
    return 'paid'
  } catch (error) {
    if (!(error instanceof ProcessorRefusal) || payment.checks < maxRefusals) throw error
    return applyChargeFailed(context, paymentId, 'refused')
  }
}

/** Records that the processor is about to be asked. */
function beginCharge(context: Context, paymentId: string): Promise<ChargeOrder | 'gone' | 'no_card'> {
  return context.db.transaction(async (tx) => {
    const both = await lockBoth(tx, paymentId, undefined)
    if (both?.payment.status !== 'charging' || !both.booking) return 'gone'
    const { payment, booking } = both
    const begunAt = payment.charge_begun_at ?? tx.now
    if (payment.charge_begun_at === null) await updatePayment(tx.db, paymentId, { charge_begun_at: begunAt })
    const hasBegun = payment.charge_begun_at !== null
    const order = await orderOf(tx, { ...payment, charge_begun_at: begunAt }, hasBegun)
    return order ? { ...order, serviceName: booking.service_name } : 'no_card'
  })
}

async function orderOf(
  tx: Transaction,
  payment: PaymentRow,
  hasBegun = true,
): Promise<ChargeOrder | undefined> {
  const { id, amount, currency, charge_begun_at: begunAt } = payment
  const card = await findSavedCard(tx.db, payment, { hasBegun })
  const isHere = card?.provider === payment.provider && card.stripe_account_id === payment.stripe_account_id
  if (!card || !isHere || card.payment_reference === null || begunAt === null) return undefined
  const { id: cardId, kind, payment_reference } = card
  return {
    ...{ id, amount, currency, begunAt, serviceName: '' },
    card: { id: cardId, kind, payment_reference },
  }
}

/** Reports if the client of a booking has saved a card for charges. */
export async function hasSavedCard(
  { db }: Pick<Context, 'db'>,
  { id: booking_id, business_id }: { id: string; business_id: string },
): Promise<boolean> {
  return (await findSavedCard(db.reads, { booking_id, business_id })) !== undefined
}

/** Makes a charge due that the card declined. The client gets a link to pay it. */
export async function applyChargeFailed(
  context: Context,
  paymentId: string,
  failure: string,
): Promise<'open'> {
  await context.db.transaction(async (tx) => {
    const both = await lockBoth(tx, paymentId, undefined)
    if (!both || after(both.payment, 'charge failed') === undefined) return
    const { booking } = both
    const columns = {
      ...({ status: 'due', order_digest: noOrder, checkout_reference: null, next_check_at: null } as const),
      ...{ checks: 0, failure, expires_at: tx.now },
    }
    await updatePayment(tx.db, paymentId, columns)
    await tellOf(context, tx, { booking, payment: { ...both.payment, ...columns } }, 'payment.failed')
    if (!booking) return
    await endAwaitedCharge(context, tx, booking)
    await recordFeeMail(context, tx, { booking, kind: 'fee_due', paymentId })
    // without a card, nothing was tried
    if (failure !== 'no_card')
      await recordMoneyNotice(context, tx, { booking, kind: 'charge_failed', paymentId })
    await recordOutcome(context, tx, { booking, action: 'booking.charge_failed' })
  })
  return 'open'
}

/** Ends whatever is open of a waived charge. One that was made at the last moment is refunded. */
export async function settleWaived(
  context: Context,
  provider: CheckoutProvider,
  payment: PaymentRow,
): Promise<'paid' | 'open' | 'expired'> {
  const { id: paymentId } = payment
  const order = await context.db.transaction((tx) => orderOf(tx, payment))
  const charge = order ? await provider.findCharge(order) : { status: 'none' as const }
  if (charge.status === 'processing') return 'open'
  const checkout = payment.order_digest === noOrder ? undefined : await provider.expire(payment)
  if (checkout?.status === 'processing') return 'open'
  const paid = [charge, checkout].find((one) => one?.status === 'paid')
  if (paid?.status === 'paid') {
    await applyPaid(context, { paymentId, paymentReference: paid.paymentReference })
    return 'paid'
  }
  await context.db.transaction(async (tx) => {
    const now = await lockPayment(tx.db, paymentId)
    if (now?.status === 'waived') await updatePayment(tx.db, paymentId, { next_check_at: null })
  })
  return 'expired'
}

/** Returns the changes that waive a charge. Undefined if nothing is left to waive. */
function waiver(payment: PaymentRow, now: Instant): Partial<PaymentRow> | undefined {
  if (after(payment, 'waived') === undefined || payment.refund_total === payment.amount) return undefined
  if (payment.dispute === 'lost') return undefined // the bank has taken it back
  if (payment.status === 'paid') return { refund_requested_at: now, next_check_at: now, checks: 0 }
  const isOpened = payment.order_digest !== noOrder
  if (payment.status === 'due') return { status: 'waived', next_check_at: isOpened ? now : null, checks: 0 }
  const settled = plusSeconds(now, settledAfterSeconds) // the processor may be making it at this moment
  return { status: 'waived', next_check_at: payment.charge_begun_at === null ? null : settled, checks: 0 }
}

/** Waives charges of a booking that the transaction has locked. Returns those that it changed. */
export async function waiveCharges(
  { due }: Pick<Context['checkouts'], 'due'>,
  tx: Transaction,
  charges: readonly PaymentRow[],
): Promise<PaymentRow[]> {
  const waived: PaymentRow[] = []
  for (const { id } of charges) {
    const payment = await lockPayment(tx.db, id)
    const changes = payment && waiver(payment, tx.now)
    if (!payment || !changes) continue
    await updatePayment(tx.db, id, changes)
    waived.push({ ...payment, ...changes })
  }
  if (waived.length > 0) tx.onCommit(() => due.raise())
  return waived
}

/** Returns the waived charges of which the client may know, because the card or the client was asked for them. */
export function knownWaivers(charges: readonly PaymentRow[]): Waived[] {
  return charges
    .filter(({ charge_begun_at: begunAt }) => begunAt !== null)
    .map(({ id, amount, refund_total }) => ({ paymentId: id, waived: amount - refund_total }))
}

/**
 * Charges the saved card of a booking, or makes the amount due without one. A repeated call with the same reason
 * and amount changes nothing. Throws not_found, or unavailable without a processor. Throws validation_failed for another
 * amount of the same reason, and for more than the client agreed to.
 */
export async function chargeBooking(
  context: Context,
  actor: Actor,
  { id, amount, reason }: { id: string } & Static<typeof ChargeBooking>,
  store: StoreResponse<Refunded> = storeNothing,
): Promise<Refunded> {
  const { id: bookingId, business_id: businessId } = await showBooking(context, actor, id)
  return context.db.transaction(async (tx) => {
    const booking = await bookingForPayment(tx, { businessId, id: bookingId })
    if (!booking) throw new Error('a booking is gone') // no booking is deleted
    const currency = booking.payment_currency ?? totalPriceOf(booking)?.currency
    if (currency === undefined)
      throw fault('/amount', 'not_allowed', 'is not possible: the booking has no price')
    const detail = unpayableDetail({ amount, currency })
    if (detail !== undefined) throw fault('/amount', 'not_allowed', detail)
    const occasion = occasionOf(reason)
    const charge: Charge = { booking, amount, currency, reason, occasion, at: tx.now }
    const known = await findCharges(tx.db, booking)
    if (!known.some((one) => one.occasion === occasion))
      await assertAgreed(tx, { booking, charges: known, amount })
    const made = await context.checkouts.charge(tx, charge)
    const payment = (await findCharges(tx.db, booking)).find((one) => one.occasion === occasion)
    if (!payment) throw unavailable('Nothing can be charged: no payment processor is configured.')
    if (payment.amount !== amount)
      throw fault('/reason', 'repeated', 'was charged before, with another amount: give another reason')
    if (made) {
      await noteCharge(tx, booking)
      const change = { action: 'booking.charge_requested' as const, subjectId: bookingId, businessId }
      await recordAudit(context, tx, { by: actor, ...change })
    }
    const charged = { payment, timezone: booking.timezone }
    await store(tx, charged)
    return charged
  })
}

/**
 * Refuses a charge to a saved card above what the client agreed to. Without a card, the client decides when they pay by
 * the link. The booking is locked, so no other charge comes between.
 */
async function assertAgreed(
  tx: Transaction,
  { booking, charges, amount }: { booking: BookingRow; charges: readonly PaymentRow[]; amount: number },
): Promise<void> {
  const { id: booking_id, business_id } = booking
  if (!(await findSavedCard(tx.db, { booking_id, business_id }))) return
  const parts = charges.map((one) => ({
    ...{ status: one.status, amount: one.amount },
    returned: one.refund_requested_at === null ? one.refund_total : one.amount,
  }))
  const limit = chargeLimit(booking, parts)
  if (!limit || amount <= limit.left) return
  const { left, most } = limit
  throw left === 0
    ? fault(
        '/amount',
        'not_allowed',
        `is not possible: nothing is left of the ${most} that the client agreed to`,
      )
    : fault(
        '/amount',
        'out_of_range',
        `must be at most ${left}, which is left of the ${most} that the client agreed to`,
      )
}

/** Names a charge by a person. Two reasons are the same if only their case or spaces differ. */
function occasionOf(reason: string): string {
  return `reason/${reason.toLowerCase().replaceAll(/\s+/g, ' ')}`
}

/**
 * Waives a fee of a booking. Takes nothing more, and refunds what was taken. A waived one stays as it is. Throws
 * not_found, also for a payment that is no fee.
 */
export async function waiveFee(
  context: Context,
  actor: Actor,
  { id, paymentId }: { id: string; paymentId: string },
): Promise<Refunded> {
  const { id: bookingId, business_id: businessId } = await showBooking(context, actor, id)
  return context.db.transaction(async (tx) => {
    const booking = await bookingForPayment(tx, { businessId, id: bookingId })
    const wanted = isUuid(paymentId) ? paymentId.toLowerCase() : ''
    const fee = booking && (await findCharges(tx.db, booking)).find((one) => one.id === wanted)
    if (!fee) throw new Problem('not_found', 'The booking has no fee with this id.')
    const [waived] = await waiveCharges(context.checkouts, tx, [fee])
    if (waived) {
      const change = { action: 'booking.fee_waived' as const, subjectId: bookingId, businessId }
      await recordAudit(context, tx, { by: actor, ...change })
      for (const known of knownWaivers([waived]))
        await recordFeeMail(context, tx, { ...known, booking, kind: 'fee_waived' })
    }
    return { payment: waived ?? fee, timezone: booking.timezone }
  })
}

function fault(pointer: string, code: string, detail: string): Problem {
  return validationProblem([{ pointer, code, detail }])
}
