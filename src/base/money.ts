/*
 * Amounts of money for people. The widget bundles this file, so it imports nothing.
 *
 * Not the digits of Intl.NumberFormat: it has those that people write, such as none for HUF. Amounts are counted
 * in those of ISO 4217.
 */

/** Currencies whose minor unit has other digits than two (ISO 4217), each list at its number of digits. */
const otherDigits = [
  'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  '',
  '',
  'BHD IQD JOD KWD LYD OMR TND',
  'CLF UYW',
]

/**
 * Returns the decimal digits of a currency's minor unit (ISO 4217): two for EUR, none for JPY, three for KWD.
 */
export function minorDigits(currency: string): number {
  const digits = otherDigits.findIndex((codes) => codes.includes(currency))
  return digits < 0 ? 2 : digits
}

/** Replaces the hyphen of formatted numbers by the minus sign, which all screens show. Files for programs keep it. */
export function withMinus(text: string): string {
  return text.replace('-', '\u2212')
}

/**
 * Formats minor units, without the decimals of whole amounts. Depends only on the language, because regions write
 * one price in two forms and a business has readers from several. Portuguese texts are European.
 */
export function formatMoney(
  { amount, currency }: { amount: number; currency: string },
  locale: string,
): string {
  const digits = minorDigits(currency)
  const shown = amount % 10 ** digits ? digits : 0
  const { language } = new Intl.Locale(locale)
  return (amount / 10 ** digits).toLocaleString(language === 'pt' ? 'pt-PT' : language, {
    style: 'currency',
    currency,
    minimumFractionDigits: shown,
    maximumFractionDigits: shown,
  })
}
