import type { CheckoutProvider, Checkouts, Deposit, OpenCheckout, PaymentPart } from '../checkouts.ts'
import { ProcessorRefusal, ProcessorUnavailable } from '../checkouts.ts'
import type { Context } from '../context.ts'
import type { Transaction } from '../database/database.ts'
import { Problem, unavailable, validationProblem } from '../errors.ts'
import { plusMinutes, plusSeconds } from '../instants.ts'
import { publicAddress } from '../public-address.ts'
import { orderDigest } from './order-digest.ts'
import {
  findPaymentsOfHold,
  insertPayment,
  lockHold,
  lockPayment,
  updatePayment,
  type PaymentRow,
} from './payment-queries.ts'
import { reusablePayment } from './payment-rules.ts'
import { returnAddress } from './return-address.ts'

type Parts = Pick<Context, 'db' | 'ids' | 'log' | 'config'> & { provider: CheckoutProvider | undefined }

/** The processor tells of the end itself, a little later; only then it is asked. */
const graceSeconds = 30

/** Deposits by a payment processor. What is still to be done with it stands in `next_look_at` of each payment. */
export class DepositCheckouts implements Checkouts {
  readonly provider: CheckoutProvider | undefined
  private readonly parts: Parts
  private hear: (() => void) | undefined

  constructor(parts: Parts) {
    this.parts = parts
    this.provider = parts.provider
  }

  async open(deposit: Deposit): Promise<OpenCheckout> {
    const { provider } = this
    if (!provider) throw unavailable('Deposits cannot be taken: the operator has to set STRIPE_SECRET_KEY.')
    const payment = await this.prepare(deposit, provider)
    const returnUrl = returnAddress(this.parts.config, payment.id)
    // paid, although the answer with its address never came
    if (payment.status !== 'preparing') return { paymentId: payment.id, reference: null, url: returnUrl }
    const order = { ...deposit, paymentId: payment.id, expiresAt: payment.expires_at, returnUrl }
    try {
      return { paymentId: payment.id, ...(await provider.open(order)) }
    } catch (error) {
      throw await this.whyNotOpened(payment, error)
    }
  }

  /** The record of the checkout comes first: whatever happens at the processor, it is known here. */
  private prepare(deposit: Deposit, provider: CheckoutProvider): Promise<PaymentRow> {
    const { config, ids } = this.parts
    const digest = orderDigest(deposit, publicAddress(config))
    return this.parts.db.transaction(async (tx) => {
      if (!(await lockHold(tx.db, deposit)))
        throw new Problem('hold_not_found', 'There is no hold with this id.')
      const known = await findPaymentsOfHold(tx.db, deposit.holdId)
      const same = known.filter((payment) => payment.provider === provider.name)
      const reusable = reusablePayment(same, { digest, now: tx.now })
      if (reusable) return reusable
      const expiresAt = plusMinutes(tx.now, config.checkoutMinutes)
      return insertPayment(tx.db, {
        id: ids.next(),
        business_id: deposit.businessId,
        booking_id: deposit.holdId,
        provider: provider.name,
        amount: deposit.amount,
        currency: deposit.currency,
        status: 'preparing',
        order_digest: digest,
        checkout_reference: null,
        payment_reference: null,
        closed_because: null,
        expires_at: expiresAt,
        next_look_at: plusSeconds(expiresAt, graceSeconds),
        looked_at: null,
        paid_at: null,
        refund_requested_at: null,
        refunded_at: null,
        created_at: tx.now,
      })
    })
  }

  private async whyNotOpened(payment: PaymentRow, error: unknown): Promise<unknown> {
    const isAway = error instanceof ProcessorUnavailable
    if (!isAway && !(error instanceof ProcessorRefusal)) return error
    const about = { err: error, payment_id: payment.id }
    if (isAway) this.parts.log.warn(about, 'the payment processor does not answer; the hold stays as it is')
    else this.parts.log.error(about, 'the payment processor opens no checkout; the hold stays as it is')
    // what it has answered once it answers again: the next try is to be another order
    if (!isAway || error.isKept) await this.close(payment.id, null)
    return unavailable(
      isAway
        ? 'The payment processor does not answer at the moment; the hold stays. Try again.'
        : 'The payment processor does not take this deposit; the hold stays.',
    )
  }

  async attach(tx: Transaction, checkout: OpenCheckout): Promise<PaymentPart> {
    const payment = await lockPayment(tx.db, checkout.paymentId)
    if (payment?.status === 'paid' && payment.refund_requested_at === null) {
      await updatePayment(tx.db, payment.id, {
        next_look_at: null,
        checkout_reference: checkout.reference ?? payment.checkout_reference,
      })
      return payment
    }
    if (payment?.status !== 'preparing') {
      throw unavailable('The checkout was closed meanwhile; the hold stays. Try again.')
    }
    const due = { status: 'due', checkout_reference: checkout.reference } as const
    await updatePayment(tx.db, payment.id, due)
    return { ...payment, ...due }
  }

  async abandon({ paymentId, reference }: OpenCheckout): Promise<void> {
    await this.close(paymentId, reference)
    this.wake()
  }

  /** What nobody was told of is closed at the processor as soon as it can be; if it was paid all the same, that is seen. */
  private close(paymentId: string, reference: string | null): Promise<void> {
    return this.parts.db.transaction(async (tx) => {
      const payment = await lockPayment(tx.db, paymentId)
      if (payment?.status !== 'preparing') return
      await updatePayment(tx.db, paymentId, {
        status: 'expired',
        checkout_reference: reference,
        ...(reference !== null && { next_look_at: tx.now }),
      })
    })
  }

  async settle(
    tx: Transaction,
    { paymentId, booking, refund }: Parameters<Checkouts['settle']>[1],
  ): Promise<PaymentPart | undefined> {
    const payment = paymentId === null ? undefined : await lockPayment(tx.db, paymentId)
    if (refund && (!payment || payment.paid_at === null)) throw nothingToRefund()
    if (!payment) return undefined
    const changes = settlement(payment, { booking, refund, now: tx.now })
    if (!changes) return payment
    await updatePayment(tx.db, payment.id, changes)
    if (changes.next_look_at) {
      tx.onCommit(() => {
        this.wake()
      })
    }
    return { ...payment, ...changes }
  }

  wake(): void {
    this.hear?.()
  }

  listen(hear: (() => void) | undefined): void {
    this.hear = hear
  }
}

function settlement(
  payment: PaymentRow,
  {
    booking,
    refund,
    now,
  }: { booking: 'confirmed' | 'cancelled' | undefined; refund: boolean; now: PaymentRow['created_at'] },
): Partial<PaymentRow> | undefined {
  if (payment.status === 'due' && booking) {
    return { status: 'expired', closed_because: booking, next_look_at: now, looks: 0 }
  }
  // how a payment that still comes is to be taken follows from what happened last
  if (payment.status === 'expired' && booking) return { closed_because: booking }
  if (refund && payment.refund_requested_at === null && payment.status === 'paid') {
    return { refund_requested_at: now, next_look_at: now, looks: 0 }
  }
  return undefined
}

function nothingToRefund(): Problem {
  const detail = 'can only be full where a deposit was paid'
  return validationProblem([{ pointer: '/refund', code: 'not_allowed', detail }])
}
