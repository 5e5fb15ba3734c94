import { createHash } from 'node:crypto'
import { operator } from '../access/actor.ts'
import { bookingPageKey } from '../access/page-key.ts'
import { findShownBusiness } from '../access/session.ts'
import { Problem, unavailable, validationProblem } from '../base/errors.ts'
import { isUuid } from '../base/ids.ts'
import { type Instant, plusMinutes, plusSeconds } from '../base/instants.ts'
import { publicUrl } from '../base/public-url.ts'
import { showBooking } from '../bookings/booking.ts'
import {
  checkoutAddress,
  type CheckoutProvider,
  type Checkouts,
  type CheckoutState,
  type Deposit,
  type OpenCheckout,
  type PaymentPart,
  ProcessorRefusal,
  ProcessorUnavailable,
} from '../bookings/checkouts.ts'
import type { Transaction } from '../database/database.ts'
import type { Context } from '../bookings/context.ts'
import {
  findPayment,
  findPaymentsOfHold,
  insertPayment,
  lockHold,
  lockPayment,
  recordPageCheck,
  type PaymentRow,
  updatePayment,
} from './payment-queries.ts'
import { reusablePayment } from './payment-rules.ts'
import { applyExpired, applyPaid } from './payment.ts'
import { sandboxProvider } from './sandbox.ts'
import { stripeProvider } from './stripe.ts'

type Parts = Pick<Context, 'db' | 'ids' | 'log' | 'config'> & { provider: CheckoutProvider | undefined }

/** Waits for the processor's own event of the end before checking. */
const graceSeconds = 30

/** Deposits through a payment processor. Each payment's `next_check_at` schedules its remaining work. */
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
    const returnUrl = checkoutAddress(this.parts.config, payment.id)
    // paid, although the response with its URL never arrived
    if (payment.status !== 'preparing') return { paymentId: payment.id, reference: null, url: returnUrl }
    const order = { ...deposit, paymentId: payment.id, expiresAt: payment.expires_at, returnUrl }
    try {
      return { paymentId: payment.id, ...(await provider.open(order)) }
    } catch (error) {
      throw await this.whyNotOpened(payment, error)
    }
  }

  /** Records the checkout before the processor knows it, so that none is ever lost. */
  private prepare(deposit: Deposit, provider: CheckoutProvider): Promise<PaymentRow> {
    const { config, ids } = this.parts
    const digest = orderDigest(deposit, publicUrl(config))
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
        next_check_at: plusSeconds(expiresAt, graceSeconds),
        last_page_check_at: null,
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
        next_check_at: null,
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
        ...(reference !== null && { next_check_at: tx.now }),
      })
    })
  }

  async settle(
    tx: Transaction,
    { paymentId, booking, refund }: Parameters<Checkouts['settle']>[1],
  ): Promise<(PaymentPart & { refundBegins?: boolean }) | undefined> {
    const payment = paymentId === null ? undefined : await lockPayment(tx.db, paymentId)
    if (refund && (!payment || payment.paid_at === null)) throw nothingToRefund()
    if (!payment) return undefined
    const changes = settlement(payment, { booking, refund, now: tx.now })
    if (!changes) return payment
    await updatePayment(tx.db, payment.id, changes)
    if (changes.next_check_at) {
      tx.onCommit(() => {
        this.wake()
      })
    }
    return { ...payment, ...changes, refundBegins: changes.refund_requested_at !== undefined }
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
    return { status: 'expired', closed_because: booking, next_check_at: now, checks: 0 }
  }
  // how a payment that still comes is to be taken follows from what happened last
  if (payment.status === 'expired' && booking) return { closed_because: booking }
  if (refund && payment.refund_requested_at === null && payment.status === 'paid') {
    return { refund_requested_at: now, next_check_at: now, checks: 0 }
  }
  return undefined
}

function nothingToRefund(): Problem {
  const detail = 'can only be full where a deposit was paid'
  return validationProblem([{ pointer: '/refund', code: 'not_allowed', detail }])
}

/** Limits processor requests of one page, however often it is reloaded. */
const minSecondsBetweenChecks = 3

/** A checkout page's data, without client data: anyone may have the URL. */
export interface CheckoutView {
  paymentId: string
  bookingId: string
  state: 'due' | 'confirmed' | 'cancelled' | 'refunded' | 'refunding'
  serviceName: string
  startsAt: Instant
  /** When payment ends. */
  expiresAt: Instant
  /** The location's zone, for shown times. */
  timezone: string
  /** Where to pay; undefined when unknown at the moment. */
  payUrl: string | undefined
  /** The booking page with this service; undefined where the business has none. */
  bookAgainUrl: string | undefined
  /** The language that the client read while booking (BCP 47). */
  locale: string | null
  business: Awaited<ReturnType<typeof findShownBusiness>>
}

/** Reads a payment's booking after a check with the processor, whose event may be late. Throws not_found. */
export async function showCheckout(context: Context, id: string): Promise<CheckoutView> {
  const found = await paymentFor(context, id)
  const state = found.status === 'due' ? await askProcessor(context, found) : undefined
  return viewOf(context, await paymentFor(context, id), state?.status === 'open' ? state.url : undefined)
}

/** Ends a checkout early; one paid meanwhile stays paid. Throws not_found or unavailable. */
export async function giveUpCheckout(context: Context, id: string): Promise<void> {
  const payment = await paymentFor(context, id)
  const { provider } = context.checkouts
  if (payment.status !== 'due' || provider?.name !== payment.provider) return
  try {
    await applyState(context, payment, await provider.expire(payment))
  } catch (error) {
    if (!isOfProcessor(error)) throw error
    throw unavailable('The payment processor does not answer at the moment; try again.')
  }
}

async function paymentFor(context: Context, id: string): Promise<PaymentRow> {
  const payment = isUuid(id) ? await findPayment(context.db.reads, id.toLowerCase()) : undefined
  if (!payment || payment.status === 'preparing') throw new Problem('not_found', 'There is no such checkout.')
  return payment
}

async function askProcessor(context: Context, payment: PaymentRow): Promise<CheckoutState | undefined> {
  const { provider } = context.checkouts
  if (provider?.name !== payment.provider) return undefined
  const mayAsk = await context.db.transaction((tx) => {
    const since = plusSeconds(tx.now, -minSecondsBetweenChecks)
    return recordPageCheck(tx.db, { id: payment.id, since, now: tx.now })
  })
  if (!mayAsk) return undefined
  try {
    const state = await provider.retrieve(payment)
    await applyState(context, payment, state)
    return state
  } catch (error) {
    if (!isOfProcessor(error)) throw error
    context.log.warn({ err: error, payment_id: payment.id }, 'the payment processor does not answer')
    return undefined
  }
}

async function applyState(context: Context, { id }: PaymentRow, state: CheckoutState): Promise<void> {
  if (state.status === 'paid')
    await applyPaid(context, { paymentId: id, paymentReference: state.paymentReference })
  if (state.status === 'expired') await applyExpired(context, { paymentId: id })
}

function isOfProcessor(error: unknown): boolean {
  return error instanceof ProcessorUnavailable || error instanceof ProcessorRefusal
}

async function viewOf(
  context: Context,
  payment: PaymentRow,
  payUrl: string | undefined,
): Promise<CheckoutView> {
  const booking = await showBooking(context, operator, payment.booking_id)
  const { business_id: businessId } = booking
  const business = await findShownBusiness(context.db.reads, { businessId })
  const key = await bookingPageKey(context, businessId)
  return {
    paymentId: payment.id,
    bookingId: payment.booking_id,
    state: stateOf(payment, booking.payment_id === payment.id && booking.status !== 'cancelled'),
    serviceName: booking.service_name,
    startsAt: booking.starts_at,
    expiresAt: payment.expires_at,
    timezone: booking.timezone,
    payUrl,
    bookAgainUrl: key && `${publicUrl(context.config)}/book/${key}?service=${booking.service_id}`,
    locale: booking.locale,
    business,
  }
}

function stateOf(payment: PaymentRow, isBooked: boolean): CheckoutView['state'] {
  if (payment.status === 'refunded') return 'refunded'
  if (payment.refund_requested_at !== null) return 'refunding'
  if (!isBooked) return 'cancelled'
  return payment.status === 'due' ? 'due' : 'confirmed'
}

/** Equal for equal orders: ignores the checkout's id and expiry. */
function orderDigest({ amount, currency, serviceName, email }: Deposit, returnAddress: string): string {
  const parts = [amount, currency, serviceName, email, returnAddress]
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
}

/** Stripe if its key is set, else the sandbox, which production refuses: no real booking for play money. */
export function openProvider(parts: Pick<Context, 'db' | 'ids' | 'config'>): CheckoutProvider | undefined {
  if (parts.config.stripeSecretKey !== '') return stripeProvider(parts.config)
  return parts.config.environment === 'production' ? undefined : sandboxProvider(parts)
}
