import type { Stripe } from 'stripe'
import { Problem } from '../errors.ts'
import { isUuid } from '../ids.ts'
import type { Context } from '../context.ts'
import { applyExpired, applyPaid, applyRefundChanged, applyRefunded } from './apply-payment.ts'
import { findPaymentByReference } from './payment-queries.ts'
import { metadataName, paymentReferenceOf } from './stripe.ts'
import { connectStripe } from './stripe-client.ts'

/** How old a signature may be, so that a recorded one is of no use, in seconds. */
const toleranceSeconds = 300

/** The event of a request by Stripe. Throws invalid_signature when the raw body was not signed by it, just now. */
export async function readStripeEvent(
  { config, clock }: Pick<Context, 'config' | 'clock'>,
  { body, signature }: { body: Buffer; signature: string },
): Promise<Stripe.Event> {
  const stripe = await connectStripe(config)()
  try {
    const { stripeWebhookSecret: secret } = config
    const time = clock.nowMs()
    return stripe.webhooks.constructEvent(body, signature, secret, toleranceSeconds, undefined, time)
  } catch (error) {
    const isSigned = !(error instanceof Error && 'type' in error)
    if (isSigned) throw new Problem('malformed_json', 'The event is not valid JSON.')
    throw new Problem(
      'invalid_signature',
      'The event is not signed with the secret that is known here, or it is too old.',
    )
  }
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
    const { metadata, payment_status } = event.data.object
    const paymentReference = paymentReferenceOf(event.data.object)
    const paymentId = ourPayment(metadata)
    if (paymentId === undefined || paymentReference === undefined || payment_status === 'unpaid') return
    await applyPaid(context, { paymentId, paymentReference, event: noted })
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
