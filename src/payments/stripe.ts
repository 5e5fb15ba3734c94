import type { Stripe } from 'stripe'
import {
  ProcessorRefusal,
  ProcessorUnavailable,
  type CheckoutKey,
  type CheckoutOrder,
  type CheckoutProvider,
  type CheckoutState,
} from '../checkouts.ts'
import type { Config } from '../config.ts'
import { plusSeconds, toMs, type Instant } from '../instants.ts'
import { stripeAmount } from './stripe-amount-rules.ts'
import { connectStripe } from './stripe-client.ts'

/** The name under which our id of a payment stands in the metadata of what is Stripe's. */
export const metadataName = 'holdfast_payment_id'

type Session = Stripe.Checkout.Session

/** A client waits for the checkout: two tries and the pause between them take less than five seconds. */
const whileClientWaits = { timeout: 1_900, maxNetworkRetries: 1 }

/** Stripe Checkout (https://docs.stripe.com/payments/checkout), through the official package. */
export function stripeProvider(config: Config): CheckoutProvider {
  const client = connectStripe(config)
  return {
    name: 'stripe',
    load: async () => {
      await client()
    },
    open: (order) => asking(async () => openSession(await client(), order)),
    look: (checkout) => asking(async () => stateOf(await findSession(await client(), checkout), checkout)),
    expire: (checkout) => asking(async () => expireSession(await client(), checkout)),
    refund: (payment) => asking(async () => refundPayment(await client(), payment)),
  }
}

async function openSession(
  stripe: Stripe,
  order: CheckoutOrder,
): Promise<{ reference: string; url: string }> {
  const amount = stripeAmount(order)
  if (amount === undefined)
    throw new ProcessorRefusal(`Stripe cannot take ${order.amount} of ${order.currency}`)
  const create = (email: string | undefined) =>
    stripe.checkout.sessions.create(sessionParameters(order, { amount, email }), {
      ...whileClientWaits,
      // Stripe answers the same key with the same session, and refuses it with other parameters
      idempotencyKey: `holdfast-checkout-${order.paymentId}${email === undefined ? '-no-email' : ''}`,
    })
  const session = await create(order.email).catch((error: unknown) => {
    // it is more particular about addresses than we are; the client can write another one there
    if (isStripeError(error) && error.param === 'customer_email') return create(undefined)
    throw error
  })
  // one that is over already has no address
  return { reference: session.id, url: session.url ?? order.returnUrl }
}

function sessionParameters(
  { paymentId, currency, serviceName, expiresAt, returnUrl }: CheckoutOrder,
  { amount, email }: { amount: number; email: string | undefined },
): Stripe.Checkout.SessionCreateParams {
  const metadata = { [metadataName]: paymentId }
  return {
    mode: 'payment',
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: currency.toLowerCase(),
          unit_amount: amount,
          product_data: { name: `Deposit: ${serviceName}` },
        },
      },
    ],
    ...(email !== undefined && { customer_email: email }),
    client_reference_id: paymentId,
    metadata,
    payment_intent_data: { metadata },
    expires_at: epochSeconds(expiresAt),
    success_url: returnUrl,
    cancel_url: returnUrl,
  }
}

/** Clocks differ, and a checkout may be opened some time after its record was made. */
const searchMarginSeconds = 15 * 60
const leastLifeSeconds = 30 * 60
const mostSearched = 2_000

/** The session of a checkout; when the answer with its reference was lost, among those of that time. */
async function findSession(stripe: Stripe, checkout: CheckoutKey): Promise<Session | undefined> {
  const { checkout_reference: reference, created_at, expires_at } = checkout
  if (reference !== null) {
    return stripe.checkout.sessions.retrieve(reference).catch((error: unknown) => {
      if (isStripeError(error) && error.code === 'resource_missing') return undefined
      throw error
    })
  }
  const created = {
    gte: epochSeconds(plusSeconds(created_at, -searchMarginSeconds)),
    lte: epochSeconds(plusSeconds(expires_at, searchMarginSeconds - leastLifeSeconds)),
  }
  let searched = 0
  for await (const session of stripe.checkout.sessions.list({ created, limit: 100 })) {
    if (session.metadata?.[metadataName] === checkout.id) return session
    searched += 1
    if (searched >= mostSearched) break
  }
  return undefined
}

async function expireSession(stripe: Stripe, checkout: CheckoutKey): Promise<CheckoutState> {
  const session = await findSession(stripe, checkout)
  const state = stateOf(session, checkout)
  if (!session || state.status !== 'open') return state
  try {
    return stateOf(await stripe.checkout.sessions.expire(session.id), checkout)
  } catch (error) {
    // paid, or expired, since it was looked at: only an open one can be closed
    if (!isStripeError(error) || error.type !== 'StripeInvalidRequestError') throw error
    return stateOf(await stripe.checkout.sessions.retrieve(session.id), checkout)
  }
}

function stateOf(session: Session | undefined, checkout: CheckoutKey): CheckoutState {
  if (!session) return { status: 'unknown' }
  const paymentReference = paymentReferenceOf(session)
  if (session.payment_status !== 'unpaid' && paymentReference !== undefined) {
    const other = otherThanOrdered(session, checkout)
    if (other !== undefined)
      throw new ProcessorRefusal(`what was paid is not what was ordered: another ${other}`)
    return { status: 'paid', paymentReference }
  }
  if (session.status === 'expired') return { status: 'expired' }
  if (session.status === 'complete') return { status: 'processing' }
  return { status: 'open', url: session.url ?? '' }
}

/** Which part of a session is not what our checkout was opened with; undefined when none is. */
export function otherThanOrdered(
  session: Session,
  { id, amount, currency }: Pick<CheckoutKey, 'id' | 'amount' | 'currency'>,
): string | undefined {
  if (session.client_reference_id !== id) return 'client_reference_id'
  if (session.currency !== currency.toLowerCase()) return 'currency'
  return session.amount_total === stripeAmount({ amount, currency }) ? undefined : 'amount_total'
}

/** The id of what was paid at a checkout. */
export function paymentReferenceOf({ payment_intent }: Pick<Session, 'payment_intent'>): string | undefined {
  return typeof payment_intent === 'string' ? payment_intent : payment_intent?.id
}

/**
 * Its list of refunds says whether one is on its way: Stripe forgets an idempotency key after a day, and a refund must
 * not be sent twice even then. One that failed is followed by another.
 */
async function refundPayment(
  stripe: Stripe,
  { id, payment_reference }: { id: string; payment_reference: string },
): Promise<'refunded' | 'pending'> {
  const { data } = await stripe.refunds.list({ payment_intent: payment_reference, limit: 100 })
  const ours = data.filter(({ metadata }) => metadata?.[metadataName] === id)
  const alive = ours.find(({ status }) => status !== 'failed' && status !== 'canceled')
  if (alive) return alive.status === 'succeeded' ? 'refunded' : 'pending'
  try {
    const refund = await stripe.refunds.create(
      { payment_intent: payment_reference, metadata: { [metadataName]: id } },
      { idempotencyKey: `holdfast-refund-${id}-${ours.length}` },
    )
    return refund.status === 'succeeded' ? 'refunded' : 'pending'
  } catch (error) {
    // somebody has done it by hand
    if (isStripeError(error) && error.code === 'charge_already_refunded') return 'refunded'
    throw error
  }
}

function epochSeconds(instant: Instant): number {
  return Math.floor(toMs(instant) / 1000)
}

/** What is read of an error of the package. Not `instanceof`: its classes are loaded when they are needed. */
interface StripeErrorPart extends Error {
  type: string
  code?: string
  param?: string
  statusCode?: number
  requestId?: string
}

function isStripeError(error: unknown): error is StripeErrorPart {
  return error instanceof Error && 'type' in error && String(error.type).startsWith('Stripe')
}

/** A request or key that is wrong stays wrong; all else may work next time. Messages can quote a client: they are left out. */
async function asking<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isStripeError(error)) throw error
    const { type, code, param, statusCode, requestId } = error
    const what = [type, code, param, statusCode, requestId].filter((part) => part !== undefined).join(' ')
    const isForGood = statusCode !== undefined && statusCode >= 400 && statusCode < 500
    const mayPass = statusCode === 409 || statusCode === 429
    if (isForGood && !mayPass) throw new ProcessorRefusal(what)
    // of an error of its own too Stripe keeps the answer under the idempotency key
    throw new ProcessorUnavailable(what, { isKept: statusCode !== undefined && statusCode >= 500 })
  }
}
