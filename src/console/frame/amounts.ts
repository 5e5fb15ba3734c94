import { minorDigits } from '../../base/money.ts'
import type { Money } from '../../catalogue/catalogue-types.ts'

/* Amounts of money as people type them, with a currency sign and separators of any language. */

const sign = String.raw`(?:\p{Sc}|[A-Z]{3}|kr\.?|Fr\.?|zł|Kč|Ft)`
const signs = new RegExp(String.raw`^${sign}\s*|\s*${sign}$`, 'giu')

/** Removes a currency sign before or after an amount: "30" from "30 €". */
export function withoutSign(amount: string): string {
  return amount.trim().replace(signs, '')
}

/** The decimals of a currency, and the language of the form. */
interface AmountForm {
  digits: number
  locale: string
}

/**
 * Reads an amount in minor units. Null for an empty text. Returns the text itself if it is no number, or may mean
 * several: "1,000" is a thousand for some and one for others. Accepts separators whose meaning is certain.
 */
export function readAmount(text: string | undefined, { digits, locale }: AmountForm): number | string | null {
  const given = (text ?? '').trim()
  if (given === '') return null
  const parts = partsOf(plainDigits(withoutSign(given)), { digits, locale })
  if (!parts || parts.whole.length > 9 || parts.fraction.length > digits) return given
  return Number(parts.whole + parts.fraction.padEnd(digits, '0'))
}

interface Parts {
  whole: string
  fraction: string
}

const integer = /^\d+$/
/** One separator before the last digits: "19,99". */
const oneSeparator = /^(\d+)([.,])(\d+)$/
/** Groups of three by one separator, and decimals after the other one: "1.234,50". */
const bothSeparators = /^(\d{1,3}(?:([.,])\d{3})(?:\2\d{3})*)(?!\2)[.,](\d+)$/
/** Two or more groups of three: "1.234.567". */
const groupsOnly = /^\d{1,3}([.,])\d{3}(?:\1\d{3})+$/
/** Groups by spaces or apostrophes, which are never decimal signs: "1 234,50" and "1’234.50". */
const certainGroups = /^\d{1,3}(?:[\s'’٬]\d{3})+(?=$|[.,])/

function partsOf(text: string, form: AmountForm): Parts | undefined {
  const [grouped] = certainGroups.exec(text) ?? []
  if (grouped !== undefined) {
    const [, fraction] = /^[.,](\d+)$/.exec(text.slice(grouped.length)) ?? []
    const isWhole = grouped.length === text.length
    return isWhole || fraction !== undefined
      ? { whole: onlyDigits(grouped), fraction: fraction ?? '' }
      : undefined
  }
  if (integer.test(text) || groupsOnly.test(text)) return { whole: onlyDigits(text), fraction: '' }
  const [, whole, , fraction] = bothSeparators.exec(text) ?? []
  if (whole !== undefined && fraction !== undefined) return { whole: onlyDigits(whole), fraction }
  return decimalParts(text, form)
}

/** Splits at the only separator, unless it may separate thousands. */
function decimalParts(text: string, { locale }: AmountForm): Parts | undefined {
  const [, whole, separator, fraction] = oneSeparator.exec(text) ?? []
  if (whole === undefined || separator === undefined || fraction === undefined) return undefined
  const mayGroup = fraction.length === 3 && whole.length <= 3 && whole !== '0'
  return mayGroup && separator !== decimalIn(locale) ? undefined : { whole, fraction }
}

function onlyDigits(text: string): string {
  return text.replaceAll(/\D/g, '')
}

/** Replaces the digits and signs of Arabic and Persian numbers. */
function plainDigits(text: string): string {
  return text.replaceAll(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) % 16)).replaceAll('٫', '.')
}

function decimalIn(locale: string): string {
  const parts = new Intl.NumberFormat(locale, { numberingSystem: 'latn' }).formatToParts(0.5)
  return parts.find(({ type }) => type === 'decimal')?.value === ',' ? ',' : '.'
}

/** Formats an amount for `readAmount`, with the decimal sign of the language and without groups. */
export function typedAmount({ amount, currency }: Money, locale: string): string {
  const digits = minorDigits(currency)
  const units = amount / 10 ** digits
  return Number.isInteger(units) ? String(units) : units.toFixed(digits).replace('.', decimalIn(locale))
}
