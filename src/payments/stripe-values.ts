import { minorDigits } from '../base/money.ts'

/** Metadata key for our payment ID. */
export const metadataName = 'holdfast_payment_id'

/** The resources of Stripe that a restricted key must read and write. The console and the guide list them. */
export const stripePermissions = [
  ...['Checkout Sessions', 'Refunds', 'Payment Intents', 'Setup Intents', 'Payment Methods', 'Customers'],
] as const

/** Fields of the package's errors. Not `instanceof`, because the classes load lazily. */
interface StripeErrorPart extends Error {
  type: string
  code?: string
  param?: string
  decline_code?: string
  statusCode?: number
  requestId?: string
}

export function isStripeError(error: unknown): error is StripeErrorPart {
  return error instanceof Error && 'type' in error && String(error.type).startsWith('Stripe')
}

/*
 * Currencies that have no decimals at Stripe, where most have two (https://docs.stripe.com/currencies). Icelandic króna
 * and Ugandan shilling have no smaller unit, but Stripe expects two decimals, which must be 00.
 */
const withoutMinorUnit = new Set('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '))
const withThreeDigits = new Set('BHD JOD KWD OMR TND'.split(' '))

export function stripeDigits(currency: string): number {
  if (withoutMinorUnit.has(currency)) return 0
  return withThreeDigits.has(currency) ? 3 : 2
}

/**
 * Converts an amount in minor units of ISO 4217 to Stripe's units. Returns undefined if Stripe cannot take it: the last
 * of three decimals must be 0, and currencies without a smaller unit there need whole amounts.
 */
export function stripeAmount({ amount, currency }: { amount: number; currency: string }): number | undefined {
  const shift = stripeDigits(currency) - minorDigits(currency)
  const exact = shift < 0 ? amount / 10 ** -shift : amount * 10 ** shift
  if (!Number.isSafeInteger(exact)) return undefined
  return stripeDigits(currency) === 3 && exact % 10 !== 0 ? undefined : exact
}

/** Stripe's words for brands of cards (https://docs.stripe.com/api/payment_methods/object), for people. */
const brands: Partial<Record<string, string>> = {
  ...{ visa: 'Visa', mastercard: 'Mastercard', amex: 'American Express', discover: 'Discover' },
  ...{ diners: 'Diners Club', jcb: 'JCB', unionpay: 'UnionPay', cartes_bancaires: 'Cartes Bancaires' },
}

/** Returns what may be shown of a card. Undefined unless Stripe has exactly four digits of it. */
export function shownCard(
  card: { brand: string; last4: string } | null | undefined,
): { brand: string; lastFour: string } | undefined {
  if (!card || !/^\d{4}$/.test(card.last4)) return undefined
  return { brand: brands[card.brand] ?? 'Card', lastFour: card.last4 }
}
