import type { Stripe } from 'stripe'
import { plusSeconds, toMs } from '../base/instants.ts'
import {
  type ChargeOrder,
  type ChargeState,
  ProcessorRefusal,
  type SavedCard,
} from '../bookings/checkouts.ts'
import { isStripeError, metadataName, shownCard, stripeAmount } from './stripe-values.ts'

/* Charges to saved cards, without their clients (https://docs.stripe.com/payments/save-and-reuse). */

/** Clocks differ. */
const searchMarginSeconds = 15 * 60
const maxSearched = 1_000

type Card = { customer: string; payment_method: string }

/**
 * Charges a saved card, once. Searches for the charge first, because Stripe forgets an idempotency key after a day. Any
 * error of a card or of its data is final: the client has to pay by a checkout.
 */
export async function chargeCard(stripe: Stripe, order: ChargeOrder): Promise<ChargeState> {
  const card = await findCard(stripe, order.card)
  if (!card) return { status: 'failed', failure: 'no_card' }
  const found = await search(stripe, card, order)
  if (found) return stateOf(found, order)
  const { id, currency, serviceName } = order
  const amount = stripeAmount(order)
  if (amount === undefined) return { status: 'failed', failure: 'invalid_amount' }
  try {
    const intent = await stripe.paymentIntents.create(
      {
        ...{ amount, currency: currency.toLowerCase(), ...card, off_session: true, confirm: true },
        ...{
          allowed_payment_method_types: ['card'],
          metadata: { [metadataName]: id },
          description: serviceName,
        },
      },
      { idempotencyKey: `holdfast-charge-${id}` },
    )
    return stateOf(intent, order)
  } catch (error) {
    const failure = finalFailure(error)
    if (failure === undefined) throw error
    return { status: 'failed', failure }
  }
}

/** Reads a charge without making it. */
export async function findCharge(stripe: Stripe, order: ChargeOrder): Promise<ChargeState> {
  const card = await findCard(stripe, order.card)
  const intent = card && (await search(stripe, card, order))
  return intent ? stateOf(intent, order) : { status: 'none' }
}

/** Reads the customer and the card that a checkout saved. Undefined if they are gone. */
async function findCard(stripe: Stripe, { payment_reference }: SavedCard): Promise<Card | undefined> {
  const intent = await unlessMissing<Stripe.PaymentIntent | Stripe.SetupIntent>(
    payment_reference.startsWith('seti_')
      ? stripe.setupIntents.retrieve(payment_reference)
      : stripe.paymentIntents.retrieve(payment_reference),
  )
  const [customer, payment_method] = [idOf(intent?.customer), idOf(intent?.payment_method)]
  return customer === undefined || payment_method === undefined ? undefined : { customer, payment_method }
}

/** Returns undefined in place of an object that Stripe does not have. */
function unlessMissing<Found>(found: Promise<Found>): Promise<Found | undefined> {
  return found.catch((error: unknown) => {
    if (isStripeError(error) && error.code === 'resource_missing') return undefined
    throw error
  })
}

/** Reads what may be shown of a saved card. */
export async function readCard(
  stripe: Stripe,
  saved: SavedCard,
): Promise<{ brand: string; lastFour: string } | undefined> {
  const card = await findCard(stripe, saved)
  const method = card && (await unlessMissing(stripe.paymentMethods.retrieve(card.payment_method)))
  return shownCard(method?.card)
}

/**
 * Detaches a saved card from its customer. Stripe never attaches it again
 * (https://docs.stripe.com/api/payment_methods/detach). Does nothing if it is detached already.
 */
export async function removeCard(stripe: Stripe, saved: SavedCard): Promise<void> {
  const card = await findCard(stripe, saved)
  const method = card && (await unlessMissing(stripe.paymentMethods.retrieve(card.payment_method)))
  if (!method || method.customer === null) return
  await unlessMissing(stripe.paymentMethods.detach(method.id))
}

function idOf(part: string | { id: string } | null | undefined): string | undefined {
  return typeof part === 'string' ? part : part?.id
}

async function search(
  stripe: Stripe,
  { customer }: Card,
  { id, begunAt }: ChargeOrder,
): Promise<Stripe.PaymentIntent | undefined> {
  const created = { gte: Math.floor(toMs(plusSeconds(begunAt, -searchMarginSeconds)) / 1000) }
  let searched = 0
  for await (const intent of stripe.paymentIntents.list({ customer, created, limit: 100 })) {
    if (intent.metadata[metadataName] === id) return intent
    searched += 1
    if (searched >= maxSearched) break
  }
  return undefined
}

function stateOf(intent: Stripe.PaymentIntent, order: ChargeOrder): ChargeState {
  const { id, status, amount_received, last_payment_error } = intent
  if (status === 'succeeded') {
    if (amount_received === stripeAmount(order)) return { status: 'paid', paymentReference: id }
    throw new ProcessorRefusal('what was charged is not what was ordered')
  }
  if (status === 'processing' || status === 'requires_capture') return { status: 'processing' }
  return { status: 'failed', failure: wordOf(last_payment_error) ?? status }
}

/** Returns the most exact word of an error. The package has empty texts for missing ones. */
function wordOf(
  error: { code?: string | undefined; decline_code?: string | undefined } | null,
): string | undefined {
  return [error?.decline_code, error?.code].find((word) => word !== undefined && word !== '')
}

/**
 * Returns Stripe's word for an error after which the same card is never charged. Undefined for errors of the account or
 * the connection, after which it may be.
 */
function finalFailure(error: unknown): string | undefined {
  if (!isStripeError(error)) return undefined
  if (error.type === 'StripeCardError') return wordOf(error) ?? 'card_declined'
  const isOfRequest = error.type === 'StripeInvalidRequestError' && error.code !== 'idempotency_key_in_use'
  return isOfRequest ? (error.code ?? 'invalid_request') : undefined
}
