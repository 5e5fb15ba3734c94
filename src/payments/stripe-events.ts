import type { Stripe } from 'stripe'
import { isUuid } from '../base/ids.ts'
import type { Context } from '../bookings/context.ts'
import { findPayment, findPaymentByReference, type PaymentRow } from './payment-queries.ts'
import {
  type AppliedEvent,
  applyDispute,
  applyExpired,
  applyPaid,
  applyRefundReport,
  checkSoon,
} from './payment.ts'
import { otherThanOrdered, paymentReferenceOf, referenceOf } from './stripe.ts'
import { metadataName } from './stripe-values.ts'

/* Stripe's events: the list that an endpoint needs, and what each does. */

/** An event, with the business whose own account reports it. Null for the account of this server. */
type Noted = AppliedEvent & { owner: string | null }

type ObjectOf<Type extends Stripe.Event.Type> = Extract<Stripe.Event, { type: Type }>['data']['object']

/** The handler of each event. The console and the guide list these events for the endpoint at Stripe. */
const handlers = {
  'checkout.session.completed': applyPaidSession,
  'checkout.session.async_payment_succeeded': applyPaidSession,
  'checkout.session.async_payment_failed': applyEndedSession,
  'checkout.session.expired': applyEndedSession,
  'charge.refunded': async (context, charge, event) => {
    const paymentId = await paymentOf(context, charge, event.owner)
    const report = charge.refunded ? 'whole' : 'part'
    if (paymentId !== undefined) await applyRefundReport(context, { paymentId, report, event })
  },
  'refund.updated': applyRefund,
  'refund.failed': applyRefund,
  'payment_intent.succeeded': applyCharge,
  'payment_intent.payment_failed': applyCharge,
  'charge.dispute.created': applyDisputeReport,
  'charge.dispute.closed': applyDisputeReport,
} satisfies {
  [Type in Stripe.Event.Type]?: (context: Context, object: ObjectOf<Type>, event: Noted) => Promise<void>
}

/** The events that an endpoint at Stripe has to send. */
export const stripeEvents: readonly string[] = Object.keys(handlers)

/**
 * Applies an event once, in any order of arrival. Ignores events that are foreign or outdated, because an account may
 * serve other programs, too.
 */
export async function applyStripeEvent(
  context: Context,
  { id, type, data }: Stripe.Event,
  owner: string | null = null,
): Promise<void> {
  if (!Object.hasOwn(handlers, type)) return
  const apply = handlers[type as keyof typeof handlers] as (
    context: Context,
    object: unknown,
    event: Noted,
  ) => Promise<void>
  // an owner who signs events with their own secret must not touch payments or events of other accounts
  await apply(context, data.object, { provider: 'stripe', id: owner === null ? id : `${owner}/${id}`, owner })
}

async function applyEndedSession(
  context: Context,
  { id: checkout_reference, metadata }: Stripe.Checkout.Session,
  event: Noted,
): Promise<void> {
  const paymentId = (await ourPayment(context, metadata, event.owner))?.id
  if (paymentId !== undefined)
    await applyExpired(context, { paymentId, checkout: { checkout_reference }, event })
}

async function applyRefund(context: Context, refund: Stripe.Refund, event: Noted): Promise<void> {
  const paymentId = await paymentOf(context, refund, event.owner)
  const report = refund.status === 'failed' ? 'failed' : 'part'
  if (paymentId !== undefined) await applyRefundReport(context, { paymentId, report, event })
}

/** Reads the charge again, because the order of these events says nothing. */
async function applyCharge(
  context: Context,
  { metadata }: Stripe.PaymentIntent,
  event: Noted,
): Promise<void> {
  const payment = await ourPayment(context, metadata, event.owner)
  if (payment?.kind === 'fee') await checkSoon(context, payment.id, event)
}

async function applyDisputeReport(context: Context, dispute: Stripe.Dispute, event: Noted): Promise<void> {
  const paymentId = await paymentOf(context, dispute, event.owner)
  const state = disputeStates[dispute.status] ?? 'open'
  if (paymentId !== undefined) await applyDispute(context, { paymentId, dispute: state, event })
}

/** The states in which a dispute has ended. A closed warning has taken nothing. */
const disputeStates: Partial<Record<string, 'won' | 'lost'>> = {
  ...{ won: 'won', warning_closed: 'won', prevented: 'won', lost: 'lost' },
}

async function applyPaidSession(
  context: Context,
  session: Stripe.Checkout.Session,
  event: Noted,
): Promise<void> {
  const paymentReference = referenceOf(session)
  if (paymentReference === undefined || session.payment_status === 'unpaid') return
  const payment = await ourPayment(context, session.metadata, event.owner)
  if (!payment) return
  const { id: paymentId } = payment
  const other = otherThanOrdered(session, payment)
  if (other === undefined) return applyPaid(context, { paymentId, paymentReference, event })
  const about = { payment_id: paymentId, event_id: event.id, other }
  context.log.error(about, 'a payment is not what was ordered; nothing is confirmed by it')
}

/** Returns the business whose own account has a payment. Null for the account of this server. */
function ownerOf({ business_id, stripe_account_id }: PaymentRow): string | null {
  return stripe_account_id === null ? null : business_id
}

/** Finds the payment of an object, if it is with an account of the owner who reports it. */
async function ourPayment(
  context: Context,
  metadata: Stripe.Metadata | null,
  owner: string | null,
): Promise<PaymentRow | undefined> {
  const id = metadata?.[metadataName]
  if (id === undefined || !isUuid(id)) return undefined
  const payment = await findPayment(context.db.reads, id)
  return payment && ownerOf(payment) === owner ? payment : undefined
}

async function paymentOf(
  context: Context,
  part: { payment_intent: string | Stripe.PaymentIntent | null },
  owner: string | null,
): Promise<string | undefined> {
  const reference = paymentReferenceOf(part)
  if (reference === undefined) return undefined
  const payment = await findPaymentByReference(context.db.reads, { provider: 'stripe', reference, owner })
  return payment?.id
}
