/*
 * Not Intl.NumberFormat: it has the digits that people write (none for HUF), not those that amounts are counted in.
 */
const digitsOtherThanTwo = new Map([
  ...of(0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'),
  ...of(3, 'BHD IQD JOD KWD LYD OMR TND'),
  ...of(4, 'CLF UYW'),
])

function of(digits: number, codes: string): [string, number][] {
  return codes.split(' ').map((code) => [code, digits])
}

/** How many digits the minor unit of a currency stands for (ISO 4217): two for EUR, none for JPY, three for KWD. */
export function minorDigits(currency: string): number {
  return digitsOtherThanTwo.get(currency) ?? 2
}

/** An amount of minor units as people write it: "25.00 EUR", "500 JPY". */
export function amountText({ amount, currency }: { amount: number; currency: string }): string {
  const digits = minorDigits(currency)
  return `${(amount / 10 ** digits).toFixed(digits)} ${currency}`
}

/**
 * What no payment processor takes of a currency: the last digit of three must be 0, and of an ariary, whose minor
 * unit is a fifth, only whole ones can be paid. The divisor of amounts that can be paid.
 */
export function payableStep(currency: string): number {
  if (currency === 'MGA') return 100
  return minorDigits(currency) === 3 ? 10 : 1
}
