import type { Static } from 'typebox'
import { type CsvForm, type CsvValue, csvDate, csvNumber } from '../../base/csv.ts'
import { html, type Html } from '../../base/html.ts'
import type { Numbers } from '../../bookings/numbers-schemas.ts'
import { minorDigits } from '../../base/money.ts'
import { moneyText } from '../../mails/times-and-money.ts'
import { dateFormat } from '../frame/formats.ts'
import type { BusinessVisit } from '../frame/console-route.ts'
import { compactMoney, countText, daysText, hoursText, percentText } from './report-formats.ts'

export type Counted = Static<typeof Numbers>
type Period = Counted['total']
type CountedColumn = Counted['columns'][number]

/** A cell of a report: for the page, and for each column of the file. */
interface Cell {
  text: Html | string
  file: (form: CsvForm) => CsvValue[]
}

/** A question of an owner, with its answer in a sentence, as a plot, and as numbers. */
export interface Report {
  id: string
  title: string
  sentence: string
  plot: Html
  isWide?: boolean
  /** Headings of the table, and of the file if it has more columns. */
  heads: (string | { text: string; file: string[] })[]
  rows: Cell[][]
}

/** Maximum number of weeks with a bar each. Longer periods have a bar a month. */
const maxWeeks = 14

/** Returns what all reports of a period share: its parts, and how to show them. */
export function toolsFor({ texts: { numbers: texts, payments }, locale }: BusinessVisit, numbers: Counted) {
  const { total, columns, services, weeks, months } = numbers
  const isByMonth = weeks.length > maxWeeks
  const periods = isByMonth ? months : weeks
  const currencies = byUse(numbers)
  const percent = (share: number) => percentText(share, locale)
  const plain = (value: number) => countText(value, locale)

  const text = (value: string): Cell => ({ text: html`<bdi>${value}</bdi>`, file: () => [value] })
  const count = (value: number): Cell => ({ text: plain(value), file: () => [value] })
  const share = (part: number, whole: number): Cell =>
    whole === 0
      ? { text: '–', file: () => [null] }
      : { text: percent(part / whole), file: (form) => [csvNumber((part / whole) * 100, 1, form)] }
  const hours = (minutes: number): Cell => ({
    text: texts.hours({ hours: hoursText(minutes, locale) }),
    file: (form) => [csvNumber(minutes / 60, 2, form)],
  })
  const amount = (minor: number, currency: string): Cell => ({
    text: moneyText({ amount: minor, currency }, locale),
    file: (form) => [csvNumber(minor / 10 ** minorDigits(currency), minorDigits(currency), form)],
  })
  const period = ({ from, to }: Period): Cell => ({
    text: isByMonth ? monthText(from, locale) : daysText({ from, to }, locale),
    file: (form) => [csvDate(from, form), csvDate(to, form)],
  })
  const periodHead = { text: isByMonth ? texts.month : texts.week, file: [texts.from, texts.to] }
  const labelOf = ({ from }: Period) =>
    dateFormat(locale, 'UTC', isByMonth ? { month: 'short' } : { day: 'numeric', month: 'short' }).format(
      Date.parse(from),
    )
  const longLabel = (one: Period) => (isByMonth ? monthText(one.from, locale) : daysText(one, locale))
  const amountHeads = (title: string) => currencies.map((currency) => `${title} (${currency})`)
  const amounts = (money: Period['money'], kind: 'booked' | 'missed') =>
    currencies.map((currency) => amount(moneyIn(money, currency)[kind], currency))
  const short = (minor: number, currency: string) => ({
    value: compactMoney({ amount: minor, currency }, locale),
    short: compactMoney({ amount: minor, currency }, locale, { isPlain: true }),
  })
  const axisOf = (currency: string) => (minor: number) => compactMoney({ amount: minor, currency }, locale)
  const sums = (money: Period['money'], kind: 'booked' | 'missed') =>
    currencies
      .map((currency) => ({ currency, amount: moneyIn(money, currency)[kind] }))
      .filter((sum) => sum.amount > 0)
      .map((sum) => moneyText(sum, locale))

  return {
    ...{ texts, payments, locale, numbers, total, columns, services, periods, currencies },
    ...{ percent, plain, text, count, share, hours, amount, period, periodHead },
    ...{ labelOf, longLabel, amountHeads, amounts, sums, short, axisOf },
  }
}

export type Tools = ReturnType<typeof toolsFor>

/** Returns the currencies of the booked services, the most used first. Amounts of different ones are never compared. */
function byUse({ total, services }: Counted): string[] {
  const uses = new Map<string, number>()
  for (const { money, bookings } of services)
    for (const { currency } of money) uses.set(currency, (uses.get(currency) ?? 0) + bookings)
  return total.money
    .map(({ currency }) => currency)
    .toSorted((one, other) => (uses.get(other) ?? 0) - (uses.get(one) ?? 0))
}

/** Renders a part for each currency, under its name if there are several. */
export function inEach(currencies: readonly string[], part: (currency: string) => Html): Html {
  return html`${currencies.map(
    (currency) => html`${currencies.length > 1 ? html`<h3>${currency}</h3>` : ''} ${part(currency)}`,
  )}`
}

/** Returns the amounts in one currency. */
export function moneyIn(money: Period['money'], currency: string) {
  return money.find((one) => one.currency === currency) ?? { booked: 0, missed: 0 }
}

/** Returns the payments less the refunds in one currency. */
export function takenIn(taken: Period['taken'], currency: string): number {
  const one = taken.find((sum) => sum.currency === currency)
  return one ? one.received - one.refunded : 0
}

/** Returns the fees for a reason in one currency, with the payments that were kept. */
export function feesIn(fees: Period['fees'], currency: string, reason: FeeReason) {
  const found = fees.find((one) => one.currency === currency)
  return found?.[reason] ?? { charged: 0, received: 0, waived: 0, due: 0, kept: 0 }
}

export type FeeReason = 'no_show' | 'late_cancel'

/** Returns a name with its currency, if there are several. */
export function namedIn(name: string, currency: string, currencies: number): string {
  return currencies > 1 ? `${name} (${currency})` : name
}

export function nameOf({ staff, service, location }: CountedColumn): string {
  return staff?.name ?? [service?.name ?? '–', ...(location ? [location.name] : [])].join(' · ')
}

export function sumOf(list: readonly number[]): number {
  return list.reduce((total, value) => total + value, 0)
}

export function sumsOf({ booked_minutes, open_minutes }: CountedColumn) {
  return { booked_minutes: sumOf(booked_minutes), open_minutes: sumOf(open_minutes) }
}

/** Returns the share of the open time; undefined without any. */
export function shareOf({ booked_minutes, open_minutes }: { booked_minutes: number; open_minutes: number }) {
  return open_minutes === 0 ? undefined : booked_minutes / open_minutes
}

export function bestOf<Item>(items: readonly Item[], value: (item: Item) => number): Item | undefined {
  const [first] = items.toSorted((one, other) => value(other) - value(one))
  return first && value(first) > 0 ? first : undefined
}

function monthText(date: string, locale: string): string {
  return dateFormat(locale, 'UTC', { month: 'long', year: 'numeric' }).format(Date.parse(date))
}
