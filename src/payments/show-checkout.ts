import { operator } from '../access/operator.ts'
import { showBooking } from '../bookings/show-booking.ts'
import { ProcessorRefusal, ProcessorUnavailable, type CheckoutState } from '../checkouts.ts'
import type { Context } from '../context.ts'
import { Problem, unavailable } from '../errors.ts'
import { isUuid } from '../ids.ts'
import { plusSeconds, type Instant } from '../instants.ts'
import { applyExpired, applyPaid } from './apply-payment.ts'
import { findPayment, noteLook, type PaymentRow } from './payment-queries.ts'

/** The processor is not asked for one page more often than this, whoever reloads it. */
const leastSecondsBetweenLooks = 3

/** What the page of a checkout says: nothing of the client, for whoever has the address. */
export interface CheckoutView {
  paymentId: string
  bookingId: string
  state: 'due' | 'confirmed' | 'cancelled' | 'refunded' | 'refunding'
  serviceName: string
  startsAt: Instant
  /** Until when it can be paid. */
  expiresAt: Instant
  /** Of the location, in which times are shown. */
  timezone: string
  /** Where it can be paid; undefined when that is not known at this moment. */
  payUrl: string | undefined
}

/** How the booking of a payment stands. The processor is asked first: its event may be on its way. Throws not_found. */
export async function showCheckout(context: Context, id: string): Promise<CheckoutView> {
  const found = await paymentFor(context, id)
  const state = found.status === 'due' ? await askProcessor(context, found) : undefined
  return viewOf(context, await paymentFor(context, id), state?.status === 'open' ? state.url : undefined)
}

/** Gives a checkout up, as if its life were over. One that was paid meanwhile is paid. Throws not_found or unavailable. */
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
    const since = plusSeconds(tx.now, -leastSecondsBetweenLooks)
    return noteLook(tx.db, { id: payment.id, since, now: tx.now })
  })
  if (!mayAsk) return undefined
  try {
    const state = await provider.look(payment)
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
  return {
    paymentId: payment.id,
    bookingId: payment.booking_id,
    state: stateOf(payment, booking.payment_id === payment.id && booking.status !== 'cancelled'),
    serviceName: booking.service_name,
    startsAt: booking.starts_at,
    expiresAt: payment.expires_at,
    timezone: booking.timezone,
    payUrl,
  }
}

function stateOf(payment: PaymentRow, isBooked: boolean): CheckoutView['state'] {
  if (payment.status === 'refunded') return 'refunded'
  if (payment.refund_requested_at !== null) return 'refunding'
  if (!isBooked) return 'cancelled'
  return payment.status === 'due' ? 'due' : 'confirmed'
}
