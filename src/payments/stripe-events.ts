import type { Stripe } from 'stripe'
import { Problem } from '../errors.ts'
import { isUuid } from '../ids.ts'
import type { Context } from '../context.ts'
import {
  applyExpired,
  applyPaid,
  applyRefundChanged,
  applyRefunded,
  type AppliedEvent,
} from './apply-payment.ts'
import { findPayment, findPaymentByReference } from './payment-queries.ts'
import { metadataName, otherThanOrdered, paymentReferenceOf } from './stripe.ts'
import { connectStripe } from './stripe-client.ts'

/** How far from now an event may have been signed, in seconds: one that was recorded is of no use. */
const toleranceSeconds = 300

/**
 * The event of a request by Stripe. Throws invalid_signature when the raw body was not signed by it, just now;
 * malformed_json or malformed_request when it is none all the same.
 */
export async function readStripeEvent(
  { config, clock }: Pick<Context, 'config' | 'clock'>,
  { body, signature }: { body: Buffer; signature: string },
): Promise<Stripe.Event> {
  const stripe = await connectStripe(config)()
  const nowMs = clock.nowMs()
  if (!isSignedAround(signature, nowMs)) throw notSigned()
  let event: unknown
  try {
    const { stripeWebhookSecret: secret } = config
    event = stripe.webhooks.constructEvent(body, signature, secret, toleranceSeconds, undefined, nowMs)
  } catch (error) {
    const isSigned = !(error instanceof Error && 'type' in error)
    throw isSigned ? new Problem('malformed_json', 'The event is not valid JSON.') : notSigned()
  }
  if (isEvent(event)) return event
  throw new Problem(
    'malformed_request',
    'The body is signed, but no event: it needs id, type and data.object.',
  )
}

/** The package lets a time pass that is no number, or lies ahead. */
function isSignedAround(signature: string, nowMs: number): boolean {
  const times = signature.split(',').filter((part) => part.trim().startsWith('t='))
  const [, seconds] = /^t=(\d{1,12})$/.exec(times[0] ?? '') ?? []
  if (times.length !== 1 || seconds === undefined) return false
  return Math.abs(Number(seconds) * 1000 - nowMs) <= toleranceSeconds * 1000
}

function notSigned(): Problem {
  return new Problem(
    'invalid_signature',
    'The event is not signed with the secret that is known here, or not within five minutes of now.',
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

/**
 * Does what follows from an event, once, in whatever order events come. Of what is none of ours, or tells nothing new,
 * nothing follows: an account may serve other programs too.
 */
export async function applyStripeEvent(context: Context, event: Stripe.Event): Promise<void> {
  const noted = { provider: 'stripe', id: event.id } as const
  if (
    event.type === 'checkout.session.completed' ||
    event.type === 'checkout.session.async_payment_succeeded'
  ) {
    await applyPaidSession(context, event.data.object, noted)
  }
  if (event.type === 'checkout.session.expired' || event.type === 'checkout.session.async_payment_failed') {
    const paymentId = ourPayment(event.data.object.metadata)
    if (paymentId !== undefined) await applyExpired(context, { paymentId, event: noted })
  }
  if (event.type === 'charge.refunded' && event.data.object.refunded) {
    const paymentId = await paymentOf(context, event.data.object)
    if (paymentId !== undefined) await applyRefunded(context, { paymentId, event: noted })
  }
  if (event.type === 'refund.updated' || event.type === 'refund.failed') {
    const paymentId = await paymentOf(context, event.data.object)
    const failed = event.data.object.status === 'failed'
    if (paymentId !== undefined) await applyRefundChanged(context, { paymentId, failed, event: noted })
  }
}

async function applyPaidSession(
  context: Context,
  session: Stripe.Checkout.Session,
  event: AppliedEvent,
): Promise<void> {
  const paymentReference = paymentReferenceOf(session)
  const paymentId = ourPayment(session.metadata)
  if (paymentId === undefined || paymentReference === undefined || session.payment_status === 'unpaid') return
  const payment = await findPayment(context.db.reads, paymentId)
  if (!payment) return
  const other = otherThanOrdered(session, payment)
  if (other === undefined) return applyPaid(context, { paymentId, paymentReference, event })
  const about = { payment_id: paymentId, event_id: event.id, other }
  context.log.error(about, 'a payment is not what was ordered; nothing is confirmed by it')
}

function ourPayment(metadata: Stripe.Metadata | null): string | undefined {
  const id = metadata?.[metadataName]
  return id !== undefined && isUuid(id) ? id : undefined
}

async function paymentOf(
  context: Context,
  part: { payment_intent: string | Stripe.PaymentIntent | null },
): Promise<string | undefined> {
  const reference = paymentReferenceOf(part)
  if (reference === undefined) return undefined
  const payment = await findPaymentByReference(context.db.reads, { provider: 'stripe', reference })
  return payment?.id
}
