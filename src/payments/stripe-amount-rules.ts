import { minorDigits } from '../catalogue/currency-rules.ts'

/*
 * How many digits an amount has at Stripe (https://docs.stripe.com/currencies): two, but for these. Kronur and Ugandan
 * shillings have none in life, and two at Stripe all the same, which have to be 00.
 */
const withoutMinorUnit = new Set('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '))
const withThreeDigits = new Set('BHD JOD KWD OMR TND'.split(' '))

function stripeDigits(currency: string): number {
  if (withoutMinorUnit.has(currency)) return 0
  return withThreeDigits.has(currency) ? 3 : 2
}

/**
 * The amount as Stripe counts it, from one in minor units of ISO 4217. Undefined when Stripe cannot take it: the last of
 * three digits has to be 0, and a part of what has no smaller unit there cannot be paid.
 */
export function stripeAmount({ amount, currency }: { amount: number; currency: string }): number | undefined {
  const shift = stripeDigits(currency) - minorDigits(currency)
  const exact = shift < 0 ? amount / 10 ** -shift : amount * 10 ** shift
  if (!Number.isSafeInteger(exact)) return undefined
  return stripeDigits(currency) === 3 && exact % 10 !== 0 ? undefined : exact
}
