import { ProcessorRefusal, ProcessorUnavailable, type CheckoutProvider } from '../checkouts.ts'
import type { Context } from '../context.ts'
import { applyExpired, applyPaid, applyRefunded, refundUnclaimed } from './apply-payment.ts'
import { findPayment, postponeLook, type PaymentRow } from './payment-queries.ts'
import { nextLookAfter } from './payment-rules.ts'

/** What came of asking the processor about a payment. */
export type Settlement = 'paid' | 'expired' | 'refunded' | 'open' | 'unreachable'

/**
 * Asks the processor about one payment and does what follows. A checkout past its life is closed there first: a booking
 * is never cancelled by time alone. What the processor does not answer is asked again later, ever more seldom.
 */
export async function settlePayment(
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
  const state = isOver ? await provider.expire(payment) : await provider.look(payment)
  switch (state.status) {
    case 'paid':
      await applyPaid(context, { paymentId: id, paymentReference: state.paymentReference })
      return 'paid'
    case 'unknown':
      if (!isOver) return 'open' // it may be about to be opened
      if (payment.checkout_reference !== null)
        throw new ProcessorRefusal('the processor does not know a checkout that it opened')
      await applyExpired(context, { paymentId: id })
      return 'expired'
    case 'expired':
      await applyExpired(context, { paymentId: id })
      return 'expired'
    case 'open':
    case 'processing':
      return 'open'
  }
}

/** Nothing is put off for a checkout that is simply open: it is looked at when its life ends. */
async function postpone(context: Context, payment: PaymentRow): Promise<void> {
  const now = context.clock.now()
  if (payment.status === 'due' && payment.expires_at > now) return
  await context.db.transaction((tx) => postponeLook(tx.db, payment, nextLookAfter(now, payment.looks)))
}

/** The same for one payment by its id; nothing when it is of another processor, or nothing is to be asked. */
export async function settleOne(context: Context, paymentId: string): Promise<void> {
  const { provider } = context.checkouts
  const payment = await findPayment(context.db.reads, paymentId)
  if (provider && payment?.provider === provider.name) await settlePayment(context, provider, payment)
}
