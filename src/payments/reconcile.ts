import { OperatorError } from '../base/errors.ts'
import { type CheckoutProvider, ProcessorRefusal, ProcessorUnavailable } from '../bookings/checkouts.ts'
import type { Context } from '../bookings/context.ts'
import { settleCharge, settleWaived } from './charge.ts'
import { anyOwnAccount } from './own-stripe-queries.ts'
import { findPayment, findUnsettled, type PaymentRow, postponeCheck } from './payment-queries.ts'
import { nextCheckAfter } from './payment-rules.ts'
import { applyExpired, applyPaid, endChecks, settleRefunds } from './payment.ts'
import { settleCard } from './saved-card.ts'

/* The work with the processor: each payment is compared with its state there, and whatever is missing is done. */

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
  const { id, status } = payment
  if (status === 'refunded' || status === 'paid') return settlePaid(context, provider, payment)
  if (status === 'charging') return settleCharge(context, provider, payment)
  if (status === 'waived') return settleWaived(context, provider, payment)
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

/** Settles the refunds of a payment, and then its saved card. */
async function settlePaid(
  context: Context,
  provider: CheckoutProvider,
  payment: PaymentRow,
): Promise<Settlement> {
  const refunds = await settleRefunds(context, provider, payment.id)
  if (payment.saves_card === 0) return refunds
  const card = await settleCard(context, provider, payment.id)
  if (refunds === 'open' || card === 'open') return 'open'
  await endChecks(context, payment)
  return refunds
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
