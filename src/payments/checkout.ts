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
  type Charge,
  checkoutAddress,
  type CheckoutOrder,
  type CheckoutProvider,
  type Checkouts,
  type CheckoutState,
  type Deposit,
  type OpenCheckout,
  type PaymentHome,
  type PaymentPart,
  ProcessorRefusal,
  ProcessorUnavailable,
  type Waived,
} from '../bookings/checkouts.ts'
import { policyOf } from '../catalogue/change-policy-rules.ts'
import type { Reads, Transaction } from '../database/database.ts'
import type { BookingRow } from '../database/shown-booking.ts'
import { changeRulesOf } from '../database/shown-item-rules.ts'
import type { PaymentKind } from '../database/tables.ts'
import { isTestBusiness } from '../database/test-time.ts'
import { DueSignal } from '../database/lease-loop.ts'
import type { Context } from '../bookings/context.ts'
import { knownWaivers, waiveCharges } from './charge.ts'
import {
  findCharges,
  findPayment,
  findPaymentsOfHold,
  findSavedCard,
  insertCharge,
  insertPayment,
  lockHold,
  lockPayment,
  recordCheckoutUrl,
  recordPageCheck,
  recordReference,
  type PaymentRow,
  updatePayment,
} from './payment-queries.ts'
import { hasCardWork, isUnconfirmed, noOrder, reusablePayment } from './payment-rules.ts'
import { applyExpired, applyPaid, lockBoth, requestRefund } from './payment.ts'
import { OwnStripe } from './own-stripe.ts'
import { findPresentAccount } from './own-stripe-queries.ts'
import { sandboxProvider } from './sandbox.ts'
import { stripeProvider } from './stripe.ts'

type Parts = Pick<Context, 'db' | 'ids' | 'log' | 'config' | 'secret'> & {
  provider: CheckoutProvider | undefined
}

/** Waits for the processor's own event of the end before checking. */
const graceSeconds = 30

/** Handles deposits through a payment processor. Each payment's `next_check_at` schedules its remaining work. */
export class DepositCheckouts implements Checkouts {
  readonly provider: CheckoutProvider | undefined
  readonly due = new DueSignal()
  private readonly parts: Parts
  private readonly own: OwnStripe
  /** For test businesses, whatever the processor of the server. */
  private readonly sandbox: CheckoutProvider

  constructor(parts: Parts) {
    this.parts = parts
    this.provider = parts.provider
    this.own = new OwnStripe(parts)
    this.sandbox = parts.provider?.name === 'sandbox' ? parts.provider : sandboxProvider(parts)
  }

  async providerOf({
    provider,
    business_id,
    stripe_account_id: id,
  }: PaymentHome): Promise<CheckoutProvider | undefined> {
    if (id !== null) return this.own.find({ id, business_id })
    if (this.provider?.name === provider) return this.provider
    const isOfTest = provider === 'sandbox' && (await this.staysInSandbox(this.parts.db.reads, business_id))
    return isOfTest ? this.sandbox : undefined
  }

  /** Returns true for a test business on a server with another processor. */
  private async staysInSandbox(db: Reads, businessId: string): Promise<boolean> {
    return this.provider?.name !== 'sandbox' && (await isTestBusiness(db, businessId))
  }

  async open(deposit: Deposit): Promise<OpenCheckout | undefined> {
    const { reads } = this.parts.db
    const account = await findPresentAccount(reads, deposit.businessId)
    const usual = (await this.staysInSandbox(reads, deposit.businessId)) ? this.sandbox : this.provider
    const provider = account ? await this.own.find(account) : usual
    if (!provider) {
      if (deposit.isOptional) return undefined
      throw unavailable(
        account
          ? 'Deposits cannot be taken: the owner has to connect Stripe again.'
          : 'Deposits cannot be taken: the operator has to set STRIPE_SECRET_KEY, or the owner to connect Stripe.',
      )
    }
    const home = { provider: provider.name, stripe_account_id: account?.id ?? null }
    const payment = await this.prepare(deposit, home)
    const returnUrl = checkoutAddress(this.parts.config, payment.id)
    // paid, although the response with its URL never arrived
    if (payment.status !== 'preparing') return { paymentId: payment.id, reference: null, url: returnUrl }
    const order = { ...deposit, paymentId: payment.id, expiresAt: payment.expires_at, returnUrl }
    try {
      return { paymentId: payment.id, ...(await provider.open(order)) }
    } catch (error) {
      if (deposit.isOptional && isOfProcessor(error)) {
        this.parts.log.warn(
          { err: error, payment_id: payment.id },
          'no checkout was opened; the booking stands',
        )
        return { paymentId: payment.id, reference: null, url: returnUrl }
      }
      throw await this.whyNotOpened(payment, error)
    }
  }

  /** Records the checkout before the processor knows it, so that none is ever lost. */
  private prepare(deposit: Deposit, home: Omit<PaymentHome, 'business_id'>): Promise<PaymentRow> {
    const { config, ids } = this.parts
    const digest = orderDigest(deposit, publicUrl(config))
    return this.parts.db.transaction(async (tx) => {
      if (!(await lockHold(tx.db, deposit)))
        throw new Problem('hold_not_found', 'There is no hold with this id.')
      const known = await findPaymentsOfHold(tx.db, deposit.holdId)
      const same = known.filter(
        (one) => one.provider === home.provider && one.stripe_account_id === home.stripe_account_id,
      )
      const reusable = reusablePayment(same, { digest, now: tx.now })
      if (reusable) return reusable
      return insertPayment(tx.db, {
        id: ids.next(),
        business_id: deposit.businessId,
        booking_id: deposit.holdId,
        ...home,
        kind: deposit.kind,
        amount: deposit.amount,
        currency: deposit.currency,
        status: 'preparing',
        order_digest: digest,
        ...unpaid,
        saves_card: deposit.savesCard ? 1 : 0,
        ...newLife(config, tx.now),
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
    // the processor repeats a stored answer, so the next attempt must be a new order
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
        next_check_at: hasCardWork(payment) ? tx.now : null,
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

  async reserve(tx: Transaction, deposit: Deposit): Promise<PaymentRow | undefined> {
    const { businessId: business_id, holdId: booking_id, kind, amount, currency } = deposit
    const home = await this.findHome(tx, business_id)
    if (!home) return undefined
    return insertPayment(tx.db, {
      ...{ id: this.parts.ids.next(), business_id, booking_id, kind, amount, currency },
      status: 'preparing',
      ...{ ...home, order_digest: noOrder },
      ...unpaid,
      saves_card: deposit.savesCard ? 1 : 0,
      ...{ expires_at: tx.now, next_check_at: null, created_at: tx.now },
    })
  }

  /** Returns the account for a new payment: that of the business, or this server's processor. */
  private async findHome(
    tx: Transaction,
    businessId: string,
  ): Promise<Omit<PaymentHome, 'business_id'> | undefined> {
    const account = await findPresentAccount(tx.db, businessId)
    if (account) return { provider: 'stripe', stripe_account_id: account.id }
    if (await this.staysInSandbox(tx.db, businessId)) return { provider: 'sandbox', stripe_account_id: null }
    return this.provider && { provider: this.provider.name, stripe_account_id: null }
  }

  /** Refunds a part, and settles a payment that is still due. */
  private async refundPart(
    tx: Transaction,
    {
      payment,
      booking,
      amount,
    }: { payment: PaymentRow; booking: 'confirmed' | 'cancelled' | undefined; amount: number },
  ): Promise<PaymentPart & { refundBegins: boolean }> {
    const changes = settlement(payment, { booking, refund: false, now: tx.now })
    if (changes) await updatePayment(tx.db, payment.id, changes)
    const { payment: refunded } = await requestRefund(this, tx, {
      ...{ payment: { ...payment, ...changes }, amount, reason: null },
    })
    return { ...refunded, refundBegins: true }
  }

  async charge(
    tx: Transaction,
    { booking, amount, currency, reason, occasion, at }: Charge,
  ): Promise<{ id: string } | undefined> {
    const { id: booking_id, business_id } = booking
    const card = await findSavedCard(tx.db, { booking_id, business_id })
    const home = card
      ? { provider: card.provider, stripe_account_id: card.stripe_account_id }
      : await this.findHome(tx, business_id)
    if (!home) return undefined
    const charge = await insertCharge(tx.db, {
      ...{ id: this.parts.ids.next(), business_id, booking_id, ...home, amount, currency },
      ...{ kind: 'fee', status: 'charging', order_digest: noOrder },
      ...{ ...unpaid, reason, occasion },
      ...{ expires_at: at, next_check_at: at, created_at: tx.now },
    })
    if (charge) tx.onCommit(() => this.due.raise())
    return charge
  }

  async waive(
    tx: Transaction,
    { booking, reason }: { booking: BookingRow; reason: string },
  ): Promise<Waived[]> {
    const charges = (await findCharges(tx.db, booking)).filter(
      (one) => one.reason === reason && one.occasion?.startsWith(`${reason}/`),
    )
    return knownWaivers(await waiveCharges(this, tx, charges))
  }

  lock(tx: Transaction, paymentId: string | null): Promise<PaymentRow | undefined> {
    return paymentId === null ? Promise.resolve(undefined) : lockPayment(tx.db, paymentId)
  }

  async renew(
    tx: Transaction,
    { paymentId, amount, kind: wanted, lapses }: Parameters<Checkouts['renew']>[1],
  ): Promise<PaymentRow> {
    const { config, ids } = this.parts
    const old = await findPayment(tx.db, paymentId)
    if (!old) throw new Error('a booking has no payment') // no payment is deleted before its booking
    const { id, business_id, booking_id, currency } = old
    const kind = wanted ?? old.kind
    if (old.status === 'preparing') {
      await updatePayment(tx.db, id, { amount, kind })
      return { ...old, amount, kind }
    }
    if (old.status === 'due') {
      await updatePayment(tx.db, id, { status: 'expired', next_check_at: tx.now, checks: 0 })
      tx.onCommit(() => this.due.raise())
    }
    const life = newLife(config, tx.now)
    const home = await this.findHome(tx, business_id)
    return insertPayment(tx.db, {
      ...{ id: ids.next(), business_id, booking_id, kind, amount, currency, status: 'due' },
      ...(home ?? { provider: old.provider, stripe_account_id: old.stripe_account_id }),
      order_digest: noOrder,
      ...unpaid,
      saves_card: old.saves_card,
      ...life,
      next_check_at: lapses ? life.next_check_at : null,
      created_at: tx.now,
    })
  }

  async abandon({ paymentId, reference }: OpenCheckout): Promise<void> {
    await this.close(paymentId, reference)
    this.due.raise()
  }

  /**
   * Closes a checkout that nobody has heard of at the processor as soon as possible. Payments made in the meantime are
   * detected.
   */
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
    { paymentId, booking, refund, refundAmount }: Parameters<Checkouts['settle']>[1],
  ): Promise<(PaymentPart & { refundBegins?: boolean }) | undefined> {
    const payment = paymentId === null ? undefined : await lockPayment(tx.db, paymentId)
    if (refund && (!payment || payment.paid_at === null || payment.kind === 'card')) throw nothingToRefund()
    if (!payment) return undefined
    const isTaken = payment.dispute !== 'lost' // then the bank has given it back
    if (refund && isTaken && refundAmount !== undefined)
      return this.refundPart(tx, { payment, booking, amount: refundAmount })
    const changes = settlement(payment, { booking, refund: refund && isTaken, now: tx.now })
    if (!changes) return payment
    await updatePayment(tx.db, payment.id, changes)
    if (changes.next_check_at) {
      tx.onCommit(() => this.due.raise())
    }
    return { ...payment, ...changes, refundBegins: changes.refund_requested_at !== undefined }
  }
}

const unpaid = {
  checkout_reference: null,
  checkout_url: null,
  payment_reference: null,
  closed_because: null,
  last_page_check_at: null,
  paid_at: null,
  refund_requested_at: null,
  refunded_at: null,
  ...{ refund_total: 0, refunded_amount: 0 },
  saves_card: 0 as 0 | 1,
  ...{ reason: null, occasion: null, charge_begun_at: null, failure: null },
  ...{ dispute: null, disputed_at: null, card_brand: null, card_last_four: null, card_read_at: null },
  ...{ card_removal_requested_at: null, card_removed_at: null },
}

/** Returns the end of a checkout opened now, and the time to check it. */
function newLife({ checkoutMinutes }: Context['config'], now: Instant) {
  const expires_at = plusMinutes(now, checkoutMinutes)
  return { expires_at, next_check_at: plusSeconds(expires_at, graceSeconds) }
}

function settlement(
  payment: PaymentRow,
  {
    booking,
    refund,
    now,
  }: { booking: 'confirmed' | 'cancelled' | undefined; refund: boolean; now: PaymentRow['created_at'] },
): Partial<PaymentRow> | undefined {
  if (payment.status === 'preparing' && booking) {
    // the booking was a request, because others begin with a due payment
    const isDue = booking === 'confirmed'
    return isDue ? { status: 'due' } : { status: 'expired', closed_because: 'cancelled' }
  }
  if (payment.status === 'due' && booking) {
    return { status: 'expired', closed_because: booking, next_check_at: now, checks: 0 }
  }
  // the latest change decides how to treat a payment that still arrives
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

/** Limits processor requests for one page, however often it is reloaded. */
const minSecondsBetweenChecks = 3

/** A checkout page's data. Contains no client data, because anyone may have the URL. */
export interface CheckoutView {
  paymentId: string
  bookingId: string
  state: 'due' | 'confirmed' | 'cancelled' | 'refunded' | 'refunding'
  kind: PaymentKind
  money: Pick<PaymentRow, 'amount' | 'currency' | 'reason'>
  /** The booking, if the checkout saves a card: its fees are shown. */
  feeTerms: BookingRow | undefined
  /** Until when the client may cancel and move a confirmed booking. Null: never. */
  cancelUntil: Instant | null
  moveUntil: Instant | null
  /** True if the booking stands while the deposit is due. */
  stands: boolean
  serviceName: string
  startsAt: Instant
  /** The end of the payment period. */
  expiresAt: Instant
  /** The location's zone, for the displayed times. */
  timezone: string
  /** The URL for the payment. Undefined if unknown at the moment. */
  payUrl: string | undefined
  /** The booking page with this service. Undefined if the business has none. */
  bookAgainUrl: string | undefined
  /** The client's language during the booking (BCP 47). */
  locale: string | null
  business: Awaited<ReturnType<typeof findShownBusiness>>
}

/**
 * Reads a payment's booking after a check with the processor, whose event may be late. Opens a checkout if none is open
 * and the deposit is still due. Throws not_found.
 */
export async function showCheckout(context: Context, id: string): Promise<CheckoutView> {
  const found = await presentPayment(context, id)
  const isOpened = found.status === 'due' && found.order_digest !== noOrder
  const state = isOpened ? await askProcessor(context, found) : undefined
  const now = await paymentFor(context, found.id)
  if (state?.status === 'open') return viewOf(context, now, state.url)
  const isUnknown = state?.status === 'unknown'
  if (now.status !== 'due' || (now.order_digest !== noOrder && !isUnknown))
    return viewOf(context, now, undefined)
  const payUrl = await openAgain(context, now, isUnknown)
  return viewOf(context, await paymentFor(context, now.id), payUrl)
}

/** A checkout that the processor still does not know after this time was never opened. */
const lostAfterSeconds = 60

/**
 * Opens the checkout of a due payment, with a new lifetime if none can be open. Two simultaneous calls open the same
 * one, so nobody can pay twice. Returns undefined if nothing is due any more, or if the processor does not open it.
 */
async function openAgain(context: Context, due: PaymentRow, isUnknown: boolean): Promise<string | undefined> {
  const { checkouts, config, db, log } = context
  const provider = await checkouts.providerOf(due)
  const { id } = due
  const ordered = await db.transaction(async (tx) => {
    const { payment, booking } = (await lockBoth(tx, id, undefined)) ?? {}
    if (payment?.status !== 'due' || !provider) return undefined
    if (!booking || (payment.kind !== 'fee' && !isPaidFor(booking, id))) return undefined
    const begunAt = plusMinutes(payment.expires_at, -config.checkoutMinutes)
    const isLost = isUnknown && begunAt <= plusSeconds(tx.now, -lostAfterSeconds)
    const isNew = payment.order_digest === noOrder || isLost
    if (!isNew) return orderOf(config, payment, booking)
    const life = newLife(config, tx.now)
    const order = orderOf(config, { ...payment, ...life }, booking)
    const order_digest = orderDigest(order, publicUrl(config))
    const unopened = { checkout_reference: null, checkout_url: null }
    await updatePayment(tx.db, id, { ...life, ...unopened, order_digest, checks: 0 })
    return order
  })
  if (!ordered || !provider) return undefined
  try {
    const { reference, url } = await provider.open(ordered)
    const opened = { id, reference, url, expires_at: ordered.expiresAt }
    await db.transaction((tx) => recordReference(tx.db, { ...opened, now: tx.now }))
    return url
  } catch (error) {
    if (!isOfProcessor(error)) throw error
    log.warn({ err: error, payment_id: id }, 'the payment processor opens no checkout; the deposit stays due')
    return undefined
  }
}

function isPaidFor({ payment_id, status }: Pick<BookingRow, 'payment_id' | 'status'>, id: string): boolean {
  return payment_id === id && status !== 'cancelled'
}

function orderOf(
  config: Context['config'],
  payment: PaymentRow,
  { service_name, client_email }: { service_name: string; client_email: string },
): CheckoutOrder {
  const { id, business_id, booking_id, kind, amount, currency, expires_at, saves_card } = payment
  return {
    ...{ paymentId: id, businessId: business_id, holdId: booking_id, kind, amount, currency },
    ...{ serviceName: service_name, email: client_email, isOptional: true, savesCard: saves_card === 1 },
    ...{ expiresAt: expires_at, returnUrl: checkoutAddress(config, id) },
  }
}

/**
 * Ends a checkout early. A payment made in the meantime counts, and a booking that does not depend on it stays. Throws
 * not_found or unavailable.
 */
export async function giveUpCheckout(context: Context, id: string): Promise<void> {
  const payment = await paymentFor(context, id)
  const provider = await context.checkouts.providerOf(payment)
  if (payment.status !== 'due' || !provider) return
  if (payment.order_digest === noOrder)
    return applyExpired(context, { paymentId: payment.id, checkout: payment })
  try {
    await applyState(context, payment, await provider.expire(payment))
  } catch (error) {
    if (!isOfProcessor(error)) throw error
    throw unavailable('The payment processor does not answer at the moment; try again.')
  }
}

async function paymentFor(context: Context, id: string): Promise<PaymentRow> {
  const payment = isUuid(id) ? await findPayment(context.db.reads, id.toLowerCase()) : undefined
  if (!payment || payment.status === 'preparing' || payment.status === 'charging')
    throw new Problem('not_found', 'There is no such checkout.')
  return payment
}

/** Returns the payment that counts, because another may have replaced an unpaid one. */
async function presentPayment(context: Context, id: string): Promise<PaymentRow> {
  const payment = await paymentFor(context, id)
  if (payment.status !== 'expired') return payment
  const { payment_id } = await showBooking(context, operator, payment.booking_id)
  return payment_id === null || payment_id === payment.id ? payment : paymentFor(context, payment_id)
}

async function askProcessor(context: Context, payment: PaymentRow): Promise<CheckoutState | undefined> {
  const provider = await context.checkouts.providerOf(payment)
  if (!provider) return undefined
  const mayAsk = await context.db.transaction((tx) => {
    const since = plusSeconds(tx.now, -minSecondsBetweenChecks)
    return recordPageCheck(tx.db, { id: payment.id, since, now: tx.now })
  })
  const { checkout_url: known } = payment
  if (!mayAsk) return known === null ? undefined : { status: 'open', url: known }
  try {
    const state = await provider.retrieve(payment)
    const url = state.status === 'open' ? state.url : null
    if (url !== known) await context.db.transaction((tx) => recordCheckoutUrl(tx.db, payment, url))
    await applyState(context, payment, state)
    return state
  } catch (error) {
    if (!isOfProcessor(error)) throw error
    context.log.warn({ err: error, payment_id: payment.id }, 'the payment processor does not answer')
    return undefined
  }
}

async function applyState(context: Context, payment: PaymentRow, state: CheckoutState): Promise<void> {
  const { id } = payment
  if (state.status === 'paid')
    await applyPaid(context, { paymentId: id, paymentReference: state.paymentReference })
  if (state.status === 'expired') await applyExpired(context, { paymentId: id, checkout: payment })
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
  const policy = policyOf(changeRulesOf(booking), booking, context.clock.now())
  return {
    paymentId: payment.id,
    bookingId: payment.booking_id,
    kind: payment.kind,
    money: payment,
    feeTerms: payment.saves_card === 1 ? booking : undefined,
    cancelUntil: policy.cancelRefusal === null ? policy.cancelUntil : null,
    moveUntil: policy.rescheduleRefusal === null ? policy.rescheduleUntil : null,
    state: payment.kind === 'fee' ? feeState(payment) : stateOf(payment, isPaidFor(booking, payment.id)),
    stands: payment.kind === 'fee' || !isUnconfirmed(booking),
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

/** A waived fee has ended like a cancelled booking. */
function feeState(payment: PaymentRow): CheckoutView['state'] {
  return stateOf(payment, payment.status !== 'waived')
}

function stateOf(payment: PaymentRow, isBooked: boolean): CheckoutView['state'] {
  if (payment.status === 'refunded') return 'refunded'
  if (payment.refund_requested_at !== null) return 'refunding'
  if (!isBooked) return 'cancelled'
  return payment.status === 'due' ? 'due' : 'confirmed'
}

/** Returns equal digests for equal orders. Ignores the checkout's ID and expiry. */
function orderDigest(
  { kind, amount, currency, serviceName, email, savesCard }: Deposit,
  returnAddress: string,
): string {
  const kinds = [...(kind === 'deposit' ? [] : [kind]), ...(savesCard ? ['saves_card'] : [])]
  const parts = [amount, currency, serviceName, email, returnAddress, ...kinds]
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
}

/**
 * Returns Stripe if its key is set, or else the sandbox. Production refuses the sandbox: no real booking for play
 * money.
 */
export function openProvider(parts: Pick<Context, 'db' | 'ids' | 'config'>): CheckoutProvider | undefined {
  if (parts.config.stripeSecretKey !== '') return stripeProvider(parts.config)
  return parts.config.environment === 'production' ? undefined : sandboxProvider(parts)
}
