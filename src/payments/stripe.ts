import type { Stripe } from 'stripe'
import type { Config } from '../base/config.ts'
import { hasEmail } from '../base/contact-formats.ts'
import { Problem } from '../base/errors.ts'
import { type Instant, plusSeconds, toMs } from '../base/instants.ts'
import {
  type CheckoutKey,
  type CheckoutOrder,
  type CheckoutProvider,
  type CheckoutState,
  type ProcessorRefund,
  ProcessorRefusal,
  ProcessorUnavailable,
  type RefundedPayment,
} from '../bookings/checkouts.ts'
import { minorDigits } from '../base/money.ts'
import type { Context } from '../bookings/context.ts'
import { chargeCard, findCharge, readCard, removeCard } from './stripe-charges.ts'
import { isStripeError, metadataName, stripeAmount, stripeDigits } from './stripe-values.ts'

/** Metadata key for our number of a refund. */
const numberName = 'holdfast_refund'

type Session = Stripe.Checkout.Session

/** Two attempts and their pause take less than five seconds, because a client is waiting. */
const whileClientWaits = { timeout: 1_900, maxNetworkRetries: 1 }

/** An owner waits in a form. */
const tryMs = 5_000

/** Stripe Checkout (https://docs.stripe.com/payments/checkout), through the official package. */
export function stripeProvider(config: Pick<Config, 'stripeSecretKey' | 'stripeApiUrl'>): CheckoutProvider {
  const client = connectStripe(config)
  return {
    name: 'stripe',
    load: async () => {
      await client()
    },
    open: (order) => asking(async () => openSession(await client(), order)),
    retrieve: (checkout) =>
      asking(async () => stateOf(await findSession(await client(), checkout), checkout)),
    expire: (checkout) => asking(async () => expireSession(await client(), checkout)),
    refund: (payment, wanted) => asking(async () => refundPayment(await client(), payment, wanted)),
    charge: (order) => asking(async () => chargeCard(await client(), order)),
    findCharge: (order) => asking(async () => findCharge(await client(), order)),
    readCard: (card) => asking(async () => readCard(await client(), card)),
    removeCard: (card) => asking(async () => removeCard(await client(), card)),
  }
}

/** Reads the latest checkout with a key. Throws ProcessorRefusal or ProcessorUnavailable unless the key may do that. */
export function tryStripeKey(config: Pick<Config, 'stripeApiUrl'>, stripeSecretKey: string): Promise<void> {
  return asking(async () => {
    const stripe = await connectStripe({ ...config, stripeSecretKey })()
    await stripe.checkout.sessions.list({ limit: 1 }, { timeout: tryMs, maxNetworkRetries: 0 })
  })
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
      // Stripe returns the same session for the same key and refuses other parameters, so a reopened one gets another
      // key
      idempotencyKey: `holdfast-checkout-${order.paymentId}-${epochSeconds(order.expiresAt)}${email === undefined ? '-no-email' : ''}`,
    })
  const session = await create(hasEmail(order.email) ? order.email : undefined).catch((error: unknown) => {
    // Stripe accepts fewer email addresses than we do; the client can enter another one there
    if (isStripeError(error) && error.param === 'customer_email') return create(undefined)
    throw error
  })
  // an ended session has no URL
  return { reference: session.id, url: session.url ?? order.returnUrl }
}

function sessionParameters(
  order: CheckoutOrder,
  { amount, email }: { amount: number; email: string | undefined },
): Stripe.Checkout.SessionCreateParams {
  const { paymentId, kind, expiresAt, returnUrl, savesCard } = order
  const metadata = { [metadataName]: paymentId }
  const common = {
    ...(email !== undefined && { customer_email: email }),
    ...(savesCard && { customer_creation: 'always' as const }),
    client_reference_id: paymentId,
    metadata,
    expires_at: epochSeconds(expiresAt),
    success_url: returnUrl,
    cancel_url: returnUrl,
  }
  if (kind === 'card')
    return {
      ...common,
      mode: 'setup',
      allowed_payment_method_types: ['card'],
      setup_intent_data: { metadata },
    }
  return {
    ...common,
    mode: 'payment',
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: order.currency.toLowerCase(),
          unit_amount: amount,
          product_data: { name: lineOf(order) },
        },
      },
    ],
    // only a card can be charged later
    ...(savesCard && { allowed_payment_method_types: ['card' as const] }),
    payment_intent_data: { metadata, ...(savesCard && { setup_future_usage: 'off_session' }) },
  }
}

function lineOf({ kind, serviceName }: Pick<CheckoutOrder, 'kind' | 'serviceName'>): string {
  const words = { deposit: 'Deposit: ', fee: 'Fee: ', full: '', card: '' }
  return `${words[kind]}${serviceName}`
}

/** Clocks differ, and a checkout may open some time after its record. */
const searchMarginSeconds = 15 * 60
const minLifeSeconds = 30 * 60
/** Stripe's own limit. */
const maxLifeSeconds = 24 * 3_600
const maxSearched = 2_000

/** Finds a checkout's session. Without a reference, searches the sessions of its time. */
async function findSession(stripe: Stripe, checkout: CheckoutKey): Promise<Session | undefined> {
  const { checkout_reference: reference, created_at, expires_at } = checkout
  if (reference !== null) {
    return stripe.checkout.sessions.retrieve(reference).catch((error: unknown) => {
      if (isStripeError(error) && error.code === 'resource_missing') return undefined
      throw error
    })
  }
  const longestAgo = plusSeconds(expires_at, -maxLifeSeconds) // a reopened session is younger than its payment
  const since = created_at > longestAgo ? created_at : longestAgo
  const created = {
    gte: epochSeconds(plusSeconds(since, -searchMarginSeconds)),
    lte: epochSeconds(plusSeconds(expires_at, searchMarginSeconds - minLifeSeconds)),
  }
  let searched = 0
  for await (const session of stripe.checkout.sessions.list({ created, limit: 100 })) {
    if (session.metadata?.[metadataName] === checkout.id) return session
    searched += 1
    if (searched >= maxSearched) break
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
    // paid or expired since it was read: only an open one can be closed
    if (!isStripeError(error) || error.type !== 'StripeInvalidRequestError') throw error
    return stateOf(await stripe.checkout.sessions.retrieve(session.id), checkout)
  }
}

function stateOf(session: Session | undefined, checkout: CheckoutKey): CheckoutState {
  if (!session) return { status: 'unknown' }
  const paymentReference = referenceOf(session)
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

/** Returns the part of a session that differs from our order, or undefined if all match. */
export function otherThanOrdered(
  session: Session,
  { id, kind, amount, currency }: Pick<CheckoutKey, 'id' | 'kind' | 'amount' | 'currency'>,
): string | undefined {
  if (session.client_reference_id !== id) return 'client_reference_id'
  if ((session.mode === 'setup') !== (kind === 'card')) return 'mode'
  if (kind === 'card') return undefined
  if (session.currency !== currency.toLowerCase()) return 'currency'
  return session.amount_total === stripeAmount({ amount, currency }) ? undefined : 'amount_total'
}

/** Returns the payment of a completed session, or the card that it saved. */
export function referenceOf(session: Session): string | undefined {
  if (session.mode !== 'setup') return paymentReferenceOf(session)
  if (session.status !== 'complete') return undefined
  return typeof session.setup_intent === 'string' ? session.setup_intent : session.setup_intent?.id
}

export function paymentReferenceOf({ payment_intent }: Pick<Session, 'payment_intent'>): string | undefined {
  return typeof payment_intent === 'string' ? payment_intent : payment_intent?.id
}

/**
 * Reads the list of refunds first. Stripe forgets an idempotency key after a day, and no refund may be sent twice. A
 * failed one is sent again.
 */
async function refundPayment(
  stripe: Stripe,
  payment: RefundedPayment,
  wanted: readonly { number: number; amount: number }[],
): Promise<{ refunds: ProcessorRefund[]; refused: number[] }> {
  const { id, currency, payment_reference: payment_intent } = payment
  const { data } = await stripe.refunds.list({ payment_intent, limit: 100 })
  const refunds = data.map((refund) => refundOf(refund, payment))
  const refused: number[] = []
  for (const { number, amount: ours } of wanted) {
    const tried = refunds.filter((one) => one.number === number)
    if (tried.some(({ status }) => status !== 'failed')) continue
    const amount = stripeAmount({ amount: ours, currency })
    if (amount === undefined) throw new ProcessorRefusal(`Stripe cannot refund ${ours} of ${currency}`)
    const metadata = { [metadataName]: id, [numberName]: String(number) }
    try {
      const refund = await stripe.refunds.create(
        { payment_intent, amount, metadata },
        { idempotencyKey: `holdfast-refund-${id}-${number}-${tried.length}` },
      )
      refunds.push(refundOf(refund, payment))
    } catch (error) {
      // refunded by hand, wholly or in part
      const isTooMuch =
        isStripeError(error) && (error.code === 'charge_already_refunded' || error.param === 'amount')
      if (!isTooMuch) throw error
      refused.push(number)
    }
  }
  return { refunds, refused }
}

/** Returns a refund of Stripe. Those from before refunds had numbers were whole. */
function refundOf(
  { id: reference, amount, status, metadata }: Stripe.Refund,
  { id, currency }: RefundedPayment,
): ProcessorRefund {
  const states: Partial<Record<string, ProcessorRefund['status']>> = {
    succeeded: 'refunded',
    failed: 'failed',
    canceled: 'failed',
  }
  const isOurs = metadata?.[metadataName] === id
  return {
    reference,
    number: isOurs ? Number(metadata[numberName] ?? 1) : undefined,
    amount: amount * 10 ** (minorDigits(currency) - stripeDigits(currency)),
    status: (status && states[status]) || 'pending',
  }
}

function epochSeconds(instant: Instant): number {
  return Math.floor(toMs(instant) / 1000)
}

/**
 * An invalid request or key stays invalid. Anything else may work later. Omits messages, which can quote client data.
 */
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
    // Stripe stores even its own errors under the idempotency key
    throw new ProcessorUnavailable(what, { isKept: statusCode !== undefined && statusCode >= 500 })
  }
}

/** Pinned, because an account's default may differ. */
const apiVersion = '2026-10-28.endive'
/** Events of a business can be verified without a key of this server. */
const noKey = 'none'
const timeoutMs = 10_000

/** Loads the package on first use. It is slow to load, and most commands do not need it. */
function connectStripe({
  stripeSecretKey,
  stripeApiUrl,
}: Pick<Config, 'stripeSecretKey' | 'stripeApiUrl'>): () => Promise<Stripe> {
  let client: Promise<Stripe> | undefined
  const connect = async () => {
    const { Stripe } = await import('stripe')
    const { hostname, port, protocol } = new URL(stripeApiUrl)
    return new Stripe(stripeSecretKey || noKey, {
      apiVersion,
      host: hostname,
      port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
      protocol: protocol === 'https:' ? 'https' : 'http',
      timeout: timeoutMs,
      maxNetworkRetries: 1,
      telemetry: false,
      appInfo: { name: 'Holdfast' },
    })
  }
  return () => (client ??= connect())
}

/** Maximum age of a signature, in seconds, which prevents replay. */
const toleranceSeconds = 300

/**
 * Verifies and parses an event. Throws invalid_signature unless Stripe signed the raw body just now. Throws
 * malformed_json or malformed_request if the body is not an event.
 */
export async function readStripeEvent(
  { config, clock }: Pick<Context, 'config' | 'clock'>,
  { body, signature, secret }: { body: Buffer; signature: string; secret: string },
): Promise<Stripe.Event> {
  const stripe = await connectStripe(config)()
  const nowMs = clock.nowMs()
  if (!isSignedAround(signature, nowMs)) throw notSigned()
  let event: unknown
  try {
    event = stripe.webhooks.constructEvent(body, signature, secret, toleranceSeconds, undefined, nowMs)
  } catch (error) {
    const isSigned = !(error instanceof Error && 'type' in error)
    throw isSigned ? new Problem('malformed_json', 'The event is not valid JSON.') : notSigned()
  }
  if (isEvent(event)) return event
  throw new Problem(
    'malformed_request',
    'The signed body is not an event: it needs id, type and data.object.',
  )
}

/** Checks the signed time, because the package accepts one that is not a number or is in the future. */
function isSignedAround(signature: string, nowMs: number): boolean {
  const times = signature.split(',').filter((part) => part.trim().startsWith('t='))
  const [, seconds] = /^t=(\d{1,12})$/.exec(times[0] ?? '') ?? []
  if (times.length !== 1 || seconds === undefined) return false
  return Math.abs(Number(seconds) * 1000 - nowMs) <= toleranceSeconds * 1000
}

function notSigned(): Problem {
  return new Problem(
    'invalid_signature',
    'The event is not signed with the configured secret, or not within five minutes of now.',
  )
}

function isEvent(value: unknown): value is Stripe.Event {
  if (!isObject(value) || !isObject(value['data'])) return false
  const { id, type, data } = value
  return (
    typeof id === 'string' && /^\w{1,255}$/.test(id) && typeof type === 'string' && isObject(data['object'])
  )
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
