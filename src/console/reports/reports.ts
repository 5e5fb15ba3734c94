import type { Static } from 'typebox'
import { type CsvForm, csvDate, csvNumber } from '../../base/csv.ts'
import { html, type Html } from '../../base/html.ts'
import type { Numbers } from '../../bookings/numbers-schemas.ts'
import { minorDigits } from '../../catalogue/service-rules.ts'
import { moneyText } from '../../mails/render.ts'
import { dateFormat } from '../frame/formats.ts'
import type { BusinessVisit } from '../frame/console-route.ts'
import { barPlot, heatMap, plotLegend, shareBar } from './numbers-plots.ts'
import { compactMoney, countText, daysText, hoursText, percentText } from './report-formats.ts'

export type Counted = Static<typeof Numbers>
type Period = Counted['total']
type CountedColumn = Counted['columns'][number]

/** A cell of a report: for the page, and for each column of the file. */
interface Cell {
  text: Html | string
  file: (form: CsvForm) => (string | number | null)[]
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

/** Fewer bookings show no pattern. */
const minPattern = 10
/** Maximum number of people and things with a row. The file of all numbers has the others. */
const maxRows = 50
const maxTopServices = 6
/** Maximum number of weeks with a bar each. Longer periods have a bar a month. */
const maxWeeks = 14

/** Returns what all reports of a period share: its parts, and how to show them. */
function toolsFor({ texts: { numbers: texts }, locale }: BusinessVisit, numbers: Counted) {
  const { total, columns, services, weeks, months } = numbers
  const isByMonth = weeks.length > maxWeeks
  const periods = isByMonth ? months : weeks
  const currencies = total.money
    .toSorted((one, other) => other.booked - one.booked)
    .map((one) => one.currency)
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

  return {
    ...{ texts, locale, numbers, total, columns, services, periods, currencies },
    ...{ percent, plain, text, count, share, hours, amount, period, periodHead },
    ...{ labelOf, longLabel, amountHeads, amounts },
  }
}

type Tools = ReturnType<typeof toolsFor>

function revenueReport({
  texts,
  locale,
  total,
  period,
  periodHead,
  periods,
  currencies,
  labelOf,
  longLabel,
  amountHeads,
  amounts,
}: Tools): Report {
  const [currency] = currencies
  const best =
    currency === undefined ? undefined : bestOf(periods, ({ money }) => moneyIn(money, currency).booked)
  const said = currencies.map((one) =>
    moneyText({ amount: moneyIn(total.money, one).booked, currency: one }, locale),
  )
  return {
    id: 'revenue',
    title: texts.revenue,
    sentence:
      currency === undefined || !best
        ? texts.noPrices
        : texts.revenueSays({
            amount: new Intl.ListFormat(locale).format(said),
            best: longLabel(best),
            most: moneyText({ amount: moneyIn(best.money, currency).booked, currency }, locale),
          }),
    plot: html`${currencies.map((one) => {
      const bars = periods.map(({ money, ...rest }) => ({
        label: labelOf({ money, ...rest }),
        value: compactMoney(moneyIn(money, one).booked, one, locale),
        parts: [
          { look: 'full' as const, value: moneyIn(money, one).booked },
          { look: 'hatched' as const, value: moneyIn(money, one).missed },
        ],
      }))
      const title = `${texts.revenue} (${one})`
      return barPlot(bars, { title, axis: (value) => compactMoney(value, one, locale) })
    })}
    ${plotLegend([
      ['full', texts.bookedMoney],
      ['hatched', texts.missed],
    ])}`,
    heads: [periodHead, ...amountHeads(texts.bookedMoney), ...amountHeads(texts.missed)],
    rows: periods.map((one) => [
      period(one),
      ...amounts(one.money, 'booked'),
      ...amounts(one.money, 'missed'),
    ]),
  }
}

function serviceReport({
  texts,
  locale,
  services,
  percent,
  plain,
  text,
  count,
  currencies,
  amountHeads,
  amounts,
}: Tools): Report {
  const [currency] = currencies
  const value = ({ money, bookings }: Counted['services'][number]) =>
    currency === undefined ? bookings : moneyIn(money, currency).booked
  const sorted = services.toSorted((one, other) => value(other) - value(one))
  const sum = sorted.reduce((all, one) => all + value(one), 0)
  const [first] = sorted
  return {
    id: 'services',
    title: texts.byService,
    sentence:
      first && sum > 0 ? texts.servicesSay({ name: first.name, share: percent(value(first) / sum) }) : '',
    plot: html`<table class="numbers ranks">
      ${sorted.slice(0, maxTopServices).map(
        (one) =>
          html`<tr>
            <th scope="row"><bdi>${one.name}</bdi></th>
            <td>${shareBar(sum === 0 ? 0 : value(one) / sum)}</td>
            <td>
              ${currency === undefined ? plain(value(one)) : moneyText({ amount: value(one), currency }, locale)}
            </td>
          </tr>`,
      )}
    </table>`,
    heads: [
      texts.service,
      texts.bookings,
      texts.seats,
      ...amountHeads(texts.bookedMoney),
      ...amountHeads(texts.missed),
    ],
    rows: sorted.map((one) => [
      ...[text(one.name), count(one.bookings), count(one.seats)],
      ...[...amounts(one.money, 'booked'), ...amounts(one.money, 'missed')],
    ]),
  }
}

function clientReport({
  texts,
  total,
  percent,
  plain,
  count,
  period,
  periodHead,
  periods,
  labelOf,
}: Tools): Report {
  const all = total.new_clients + total.returning_clients
  return {
    id: 'clients',
    title: texts.clients,
    sentence: texts.clientsSay({
      ...{ fresh: total.new_clients, returning: total.returning_clients },
      share: percent(all === 0 ? 0 : total.new_clients / all),
    }),
    plot: html`${barPlot(
      periods.map((one) => ({
        label: labelOf(one),
        value: plain(one.returning_clients + one.new_clients),
        parts: [
          { look: 'full' as const, value: one.returning_clients },
          { look: 'hatched' as const, value: one.new_clients },
        ],
      })),
      { title: texts.clients, axis: plain },
    )}
    ${plotLegend([
      ['full', texts.returning],
      ['hatched', texts.fresh],
    ])}`,
    heads: [periodHead, texts.fresh, texts.returning],
    rows: periods.map((one) => [period(one), count(one.new_clients), count(one.returning_clients)]),
  }
}

function attendanceReport({
  texts,
  locale,
  total,
  percent,
  plain,
  count,
  period,
  periodHead,
  periods,
  currencies,
  labelOf,
  amountHeads,
  amounts,
}: Tools): Report {
  const lost = currencies
    .map((currency) => ({ currency, amount: moneyIn(total.money, currency).missed }))
    .filter((money) => money.amount > 0)
    .map((money) => moneyText(money, locale))
  const values = {
    count: total.no_shows,
    share: percent(total.bookings === 0 ? 0 : total.no_shows / total.bookings),
  }
  return {
    id: 'bookings',
    title: texts.attendance,
    sentence:
      lost.length === 0
        ? texts.noShowsSay(values)
        : texts.noShowsCost({ ...values, amount: new Intl.ListFormat(locale).format(lost) }),
    plot: html`${barPlot(
      periods.map((one) => ({
        label: labelOf(one),
        value: plain(one.bookings + one.cancellations),
        parts: [
          { look: 'full' as const, value: one.bookings - one.no_shows },
          { look: 'hatched' as const, value: one.no_shows },
          { look: 'outline' as const, value: one.cancellations },
        ],
      })),
      { title: texts.attendance, axis: plain },
    )}
    ${plotLegend([
      ['full', texts.bookings],
      ['hatched', texts.noShows],
      ['outline', texts.cancelled],
    ])}`,
    heads: [periodHead, texts.bookings, texts.noShows, texts.cancelled, ...amountHeads(texts.missed)],
    rows: periods.map((one) => [
      ...[period(one), count(one.bookings), count(one.no_shows), count(one.cancellations)],
      ...amounts(one.money, 'missed'),
    ]),
  }
}

function leadReport({ texts, numbers, total, plain, text, count, share }: Tools): Report {
  const { lead_times: groups, median_lead_days: days } = numbers
  const named = ({ from_days: from, to_days: to }: Counted['lead_times'][number]) =>
    to === null ? `${from}+` : from === to ? String(from) : `${from}–${to}`
  return {
    id: 'lead',
    title: texts.leads,
    sentence: days === null ? '' : texts.leadsSay({ days }),
    plot: barPlot(
      groups.map((group) => ({
        label: named(group),
        value: plain(group.bookings),
        parts: [{ look: 'full' as const, value: group.bookings }],
      })),
      { title: texts.leads, axis: plain },
    ),
    heads: [texts.leadDays, texts.bookings, texts.share],
    rows: groups.map((group) => [
      text(named(group)),
      count(group.bookings),
      share(group.bookings, total.bookings),
    ]),
  }
}

function utilisationReport({ texts, locale, numbers, percent, share, hours }: Tools): Report {
  const weeks = workloadOf(numbers).map((load, at) => ({ ...load, ...weekAt(numbers, at) }))
  const best = bestOf(weeks, (one) => shareOf(one) ?? 0)
  const all = shareOfAll(weeks)
  return {
    id: 'utilisation',
    title: texts.busy,
    sentence:
      all === undefined || !best
        ? ''
        : texts.busySays({
            share: percent(all),
            best: daysText(best, locale),
            most: percent(shareOf(best) ?? 0),
          }),
    plot: barPlot(
      weeks.map((one) => ({
        label: dateFormat(locale, 'UTC', { day: 'numeric', month: 'short' }).format(Date.parse(one.from)),
        value: percent(shareOf(one) ?? 0),
        parts: [{ look: 'full' as const, value: shareOf(one) ?? 0 }],
      })),
      { title: texts.busy, axis: percent, top: weeks.some((one) => (shareOf(one) ?? 0) > 0.5) ? 1 : 0.5 },
    ),
    heads: [{ text: texts.week, file: [texts.from, texts.to] }, texts.busy, texts.booked, texts.open],
    rows: weeks.map((one) => [
      {
        text: daysText(one, locale),
        file: (form) => [csvDate(one.from, form), csvDate(one.to, form)],
      },
      share(one.booked_minutes, one.open_minutes),
      ...[hours(one.booked_minutes), hours(one.open_minutes)],
    ]),
  }
}

function weekAt({ weeks }: Counted, at: number): { from: string; to: string } {
  const { from = '', to = '' } = weeks[at] ?? {}
  return { from, to }
}

function peopleReport({
  texts,
  locale,
  columns,
  percent,
  text,
  count,
  share,
  hours,
  amountHeads,
  amounts,
}: Tools): Report {
  const shown = columns.filter(
    (one) => sumOf(one.open_minutes) + sumOf(one.bookings) + sumOf(one.cancellations) > 0,
  )
  const staffFirst = shown.toSorted((one, other) => Number(one.staff === null) - Number(other.staff === null))
  const rows = staffFirst.slice(0, maxRows)
  const dayHours = hoursShown(rows.map((one) => one.hours))
  const best = bestOf(
    rows.filter(({ staff }) => staff),
    (one) => shareOf(sumsOf(one)) ?? 0,
  )
  const bestShare = best && shareOf(sumsOf(best))
  return {
    id: 'people',
    title: texts.byPerson,
    isWide: true,
    sentence: best && bestShare ? texts.peopleSay({ name: nameOf(best), share: percent(bestShare) }) : '',
    plot: heatMap(
      {
        corner: texts.who,
        heads: [...dayHours.map((hour) => hourText(hour, locale)), texts.all],
        closed: texts.closed,
      },
      rows.map((one) => ({
        head: html`<bdi>${nameOf(one)}</bdi>`,
        cells: [
          ...dayHours.map((hour) => cellOf(one.hours.booked_minutes[hour], one.hours.open_minutes[hour])),
          shareOf(sumsOf(one)),
        ],
      })),
      percent,
    ),
    heads: [
      ...[texts.who, texts.busy, texts.booked, texts.open, texts.bookings, texts.noShows, texts.cancelled],
      ...amountHeads(texts.bookedMoney),
      ...amountHeads(texts.missed),
    ],
    rows: rows.map((one) => {
      const { booked_minutes: booked, open_minutes: open } = sumsOf(one)
      return [
        ...[text(nameOf(one)), share(booked, open), hours(booked), hours(open)],
        ...[count(sumOf(one.bookings)), count(sumOf(one.no_shows)), count(sumOf(one.cancellations))],
        ...[...amounts(one.money, 'booked'), ...amounts(one.money, 'missed')],
      ]
    }),
  }
}

function weekReport({ texts, locale, numbers, total, percent, text, share, hours }: Tools): Report {
  const { booked_minutes: booked, open_minutes: open } = numbers.hours
  const dayHours = hoursShown(
    booked.map((minutes, day) => ({ booked_minutes: minutes, open_minutes: open[day] ?? [] })),
  )
  const days = weekdays(locale)
  const parts = partsOf(
    numbers.hours,
    days.map(({ long }) => long),
    texts.parts,
    dayHours,
  )
  const low = parts.at(-1)
  const high = parts[0]
  return {
    id: 'hours',
    title: texts.byHour,
    isWide: true,
    sentence:
      total.bookings < minPattern
        ? texts.tooFew({ count: minPattern })
        : low && high && low !== high
          ? texts.hoursSay({
              ...{ low: low.name, least: percent(low.share) },
              high: `${high.name} (${percent(high.share)})`,
            })
          : '',
    plot: heatMap(
      { corner: texts.hour, heads: days.map(({ short }) => short), closed: texts.closed },
      dayHours.map((hour) => ({
        head: hourText(hour, locale),
        cells: days.map((_, day) => cellOf(booked[day]?.[hour], open[day]?.[hour])),
      })),
      percent,
    ),
    heads: [texts.day, texts.hour, texts.busy, texts.booked, texts.open],
    rows: days.flatMap(({ long }, day) =>
      dayHours.map((hour) => {
        const [some = 0, all = 0] = [booked[day]?.[hour], open[day]?.[hour]]
        return [text(long), text(hourText(hour, locale)), share(some, all), hours(some), hours(all)]
      }),
    ),
  }
}

/** Returns the reports of a period, each for a page and a file. */
export function reportsOf(visit: BusinessVisit, numbers: Counted): Report[] {
  const tools = toolsFor(visit, numbers)
  return [
    ...[weekReport(tools), revenueReport(tools), attendanceReport(tools), clientReport(tools)],
    ...[serviceReport(tools), utilisationReport(tools), leadReport(tools), peopleReport(tools)],
  ]
}

/** Returns the amounts in one currency. */
export function moneyIn(money: Period['money'], currency: string) {
  return money.find((one) => one.currency === currency) ?? { booked: 0, missed: 0 }
}

export function nameOf({ staff, service, location }: CountedColumn): string {
  return staff?.name ?? [service?.name ?? '–', ...(location ? [location.name] : [])].join(' · ')
}

function sumOf(list: readonly number[]): number {
  return list.reduce((total, value) => total + value, 0)
}

function sumsOf({ booked_minutes, open_minutes }: CountedColumn) {
  return { booked_minutes: sumOf(booked_minutes), open_minutes: sumOf(open_minutes) }
}

/** Returns the share of the open time; undefined without any. */
export function shareOf({ booked_minutes, open_minutes }: { booked_minutes: number; open_minutes: number }) {
  return open_minutes === 0 ? undefined : booked_minutes / open_minutes
}

function cellOf(booked = 0, open = 0): number | undefined {
  return open === 0 ? (booked === 0 ? undefined : 1) : booked / open
}

function bestOf<Item>(items: readonly Item[], value: (item: Item) => number): Item | undefined {
  const [first] = items.toSorted((one, other) => value(other) - value(one))
  return first && value(first) > 0 ? first : undefined
}

/** Longer opening hours, such as those of an online service, are shown as far as somebody books. */
const maxDayHours = 14

/** Returns the hours of the day from the first to the last that is open. */
function hoursShown(list: readonly { booked_minutes: number[]; open_minutes: number[] }[]): number[] {
  const used = (kind: 'booked_minutes' | 'open_minutes') => {
    const hours = Array.from({ length: 24 }, (_, hour) => hour).filter((hour) =>
      list.some((one) => (one[kind][hour] ?? 0) > 0),
    )
    const [first = 0] = hours
    return Array.from({ length: (hours.at(-1) ?? -1) - first + 1 }, (_, at) => first + at)
  }
  const open = used('open_minutes')
  const booked = used('booked_minutes')
  return open.length > 0 && (open.length <= maxDayHours || booked.length === 0) ? open : booked
}

/** Returns the booked and open minutes of each week: of those who work, or of all things if nobody does. */
export function workloadOf({ columns, weeks }: Counted): { booked_minutes: number; open_minutes: number }[] {
  const open = columns.filter(({ open_minutes }) => sumOf(open_minutes) > 0)
  const people = open.filter(({ staff }) => staff)
  const counted = people.length > 0 ? people : open
  return weeks.map((_, at) => ({
    booked_minutes: sumOf(counted.map(({ booked_minutes }) => booked_minutes[at] ?? 0)),
    open_minutes: sumOf(counted.map(({ open_minutes }) => open_minutes[at] ?? 0)),
  }))
}

/** Returns the share of the open time of several periods. */
export function shareOfAll(periods: readonly { booked_minutes: number; open_minutes: number }[]) {
  return shareOf({
    booked_minutes: sumOf(periods.map((one) => one.booked_minutes)),
    open_minutes: sumOf(periods.map((one) => one.open_minutes)),
  })
}

/** The first hours of parts of the day. */
const dayParts = [
  ['morning', 0, 12],
  ['afternoon', 12, 17],
  ['evening', 17, 24],
] as const

/** Returns the parts of all weekdays that are open for an hour or longer, the fullest first. */
function partsOf(
  { booked_minutes, open_minutes }: Counted['hours'],
  days: readonly string[],
  texts: Record<(typeof dayParts)[number][0], (values: { day: string }) => string>,
  hours: readonly number[],
): { name: string; share: number }[] {
  const within = (list: readonly number[] = [], from: number, to: number) =>
    hours.filter((hour) => hour >= from && hour < to).map((hour) => list[hour] ?? 0)
  return days
    .flatMap((day, at) =>
      dayParts.map(([part, from, to]) => ({
        name: texts[part]({ day }),
        booked: sumOf(within(booked_minutes[at], from, to)),
        open: sumOf(within(open_minutes[at], from, to)),
      })),
    )
    .filter(({ open }) => open >= 60)
    .map(({ name, booked, open }) => ({ name, share: Math.min(1, booked / open) }))
    .toSorted((one, other) => other.share - one.share)
}

/** Returns the names of the weekdays, from Monday. */
function weekdays(locale: string): { long: string; short: string }[] {
  const monday = Date.UTC(2026, 10, 2)
  return Array.from({ length: 7 }, (_, day) => {
    const at = monday + day * 86_400_000
    const named = (weekday: 'long' | 'short') => dateFormat(locale, 'UTC', { weekday }).format(at)
    return { long: named('long'), short: named('short') }
  })
}

function hourText(hour: number, locale: string): string {
  return dateFormat(locale, 'UTC', { hour: 'numeric' }).format(hour * 3_600_000)
}

function monthText(date: string, locale: string): string {
  return dateFormat(locale, 'UTC', { month: 'long', year: 'numeric' }).format(Date.parse(date))
}
