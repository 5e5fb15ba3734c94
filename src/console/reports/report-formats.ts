import { LRUCache } from 'lru-cache'
import { minorDigits, withMinus } from '../../base/money.ts'
import { dateFormat } from '../frame/formats.ts'

/** Formats, cached because a table has thousands of numbers and creating one takes longer than using it. */
const formats = new LRUCache<string, Intl.NumberFormat>({ max: 100 })

function numberFormat(locale: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const name = JSON.stringify([locale, options])
  const format = formats.get(name) ?? new Intl.NumberFormat(locale, options)
  formats.set(name, format)
  return format
}

export function countText(count: number, locale: string): string {
  return numberFormat(locale, {}).format(count)
}

export function percentText(share: number, locale: string): string {
  const maximumFractionDigits = share > 0 && share < 0.01 ? 1 : 0
  return numberFormat(locale, { style: 'percent', maximumFractionDigits }).format(share)
}

/** Formats a change, with its sign. */
export function changeText(share: number, locale: string): string {
  return withMinus(
    numberFormat(locale, {
      style: 'percent',
      maximumFractionDigits: 0,
      signDisplay: 'exceptZero',
    }).format(share),
  )
}

export function hoursText(minutes: number, locale: string): string {
  return numberFormat(locale, { maximumFractionDigits: 1 }).format(minutes / 60)
}

/** Formats an amount for a plot, such as €4.2K. Without the currency if its sign has no room there: 4.2K. */
export function compactMoney(
  { amount, currency }: { amount: number; currency: string },
  locale: string,
  { isPlain = false } = {},
): string {
  const digits = minorDigits(currency)
  const value = amount / 10 ** digits
  const size = Math.abs(value)
  const decimals = size < 1 ? digits : size < 10 ? Math.min(digits, 1) : 0
  const text = numberFormat(locale, {
    ...(!isPlain && { style: 'currency', currency, currencyDisplay: 'narrowSymbol' }),
    notation: 'compact',
    useGrouping: true, // German thousands have no short form
    minimumFractionDigits: 0,
    maximumFractionDigits: size < 1_000 ? decimals : 1,
  }).format(value)
  return withMinus(text)
}

/** Formats a range of days, such as 23–29 Nov 2026. */
export function daysText({ from, to }: { from: string; to: string }, locale: string): string {
  const options = { day: 'numeric', month: 'short', year: 'numeric' } as const
  return dateFormat(locale, 'UTC', options).formatRange(Date.parse(from), Date.parse(to))
}
