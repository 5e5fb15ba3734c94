import { csvDate } from '../../base/csv.ts'
import { html, type Html } from '../../base/html.ts'
import { moneyText } from '../../mails/times-and-money.ts'
import { dateFormat } from '../frame/formats.ts'
import type { BusinessVisit } from '../frame/console-route.ts'
import { peopleReport, weekReport } from './hour-reports.ts'
import { barPlot, plotLegend, shareBar } from './numbers-plots.ts'
import { daysText } from './report-formats.ts'
import {
  bestOf,
  type Counted,
  type FeeReason,
  feesIn,
  inEach,
  moneyIn,
  type Report,
  shareOf,
  sumOf,
  takenIn,
  type Tools,
  toolsFor,
} from './report-tools.ts'

const maxTopServices = 6

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
  sums,
  short,
  axisOf,
}: Tools): Report {
  const hasPrices = sums(total.money, 'missed').length > 0
  const says = (currency: string) => {
    const booked = ({ money }: Pick<Counted['total'], 'money'>) => moneyIn(money, currency).booked
    const best = bestOf(periods, booked)
    if (!best) return []
    const [amount, most] = [total, best].map((one) => moneyText({ amount: booked(one), currency }, locale))
    return [texts.revenueSays({ amount: amount ?? '', best: longLabel(best), most: most ?? '' })]
  }
  return {
    id: 'revenue',
    title: texts.revenue,
    sentence: currencies.flatMap(says).join(' ') || (hasPrices ? '' : texts.noPrices),
    plot: html`${inEach(currencies, (one) => {
      const bars = periods.map(({ money, ...rest }) => ({
        label: labelOf({ money, ...rest }),
        ...short(moneyIn(money, one).booked, one),
        parts: [
          { look: 'full' as const, value: moneyIn(money, one).booked },
          { look: 'hatched' as const, value: moneyIn(money, one).missed },
        ],
      }))
      return barPlot(bars, { title: `${texts.revenue} (${one})`, axis: axisOf(one) })
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

/** Shows the money that moved online, one plot a currency. */
function takenReport({
  texts,
  payments,
  locale,
  total,
  amount,
  period,
  periodHead,
  periods,
  labelOf,
  short,
  axisOf,
}: Tools): Report {
  const list = new Intl.ListFormat(locale)
  const said = (kind: 'received' | 'refunded') =>
    list.format(
      total.taken
        .filter((sum) => sum[kind] > 0)
        .map((sum) => moneyText({ amount: sum[kind], currency: sum.currency }, locale)),
    )
  const refunded = said('refunded')
  const received =
    said('received') || moneyText({ amount: 0, currency: total.taken[0]?.currency ?? '' }, locale)
  return {
    id: 'taken',
    title: texts.taken,
    sentence:
      refunded === ''
        ? texts.takenSays({ amount: received })
        : texts.takenAndBack({ amount: received, refunded }),
    plot: inEach(
      total.taken.map(({ currency }) => currency),
      (currency) =>
        barPlot(
          periods.map((one) => ({
            label: labelOf(one),
            ...short(takenIn(one.taken, currency), currency),
            parts: [{ look: 'full' as const, value: takenIn(one.taken, currency) }],
          })),
          { title: `${texts.taken} (${currency})`, axis: axisOf(currency) },
        ),
    ),
    heads: [
      periodHead,
      ...total.taken.flatMap(({ currency }) =>
        [payments.received, payments.refunded].map((name) => `${name} (${currency})`),
      ),
    ],
    rows: periods.map((one) => [
      period(one),
      ...total.taken.flatMap(({ currency }) => {
        const sum = one.taken.find((taken) => taken.currency === currency)
        return [amount(sum?.received ?? 0, currency), amount(sum?.refunded ?? 0, currency)]
      }),
    ]),
  }
}

function serviceReport(tools: Tools): Report {
  const { texts, services, text, count, currencies, amountHeads, amounts } = tools
  const [only] = currencies
  // amounts in several currencies have no order
  const value = ({ money, bookings }: Counted['services'][number]) =>
    only === undefined || currencies.length > 1 ? bookings : moneyIn(money, only).booked
  const sorted = services.toSorted((one, other) => value(other) - value(one))
  const first = only === undefined || currencies.length > 1 ? '' : mostSays(tools, only)
  const earning = currencies.filter((currency) => ranked(tools, currency).length > 0)
  return {
    id: 'services',
    title: texts.byService,
    sentence: first,
    plot:
      earning.length === 0
        ? ranking(tools)
        : inEach(earning, (currency) => {
            const most = currencies.length > 1 ? mostSays(tools, currency) : ''
            return html`${most === '' ? '' : html`<p>${most}</p>`} ${ranking(tools, currency)}`
          }),
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

/** Returns the services with revenue in a currency, the highest first; without one, with their bookings. */
function ranked({ services }: Pick<Tools, 'services'>, currency: string | undefined) {
  const value = ({ money, bookings }: Counted['services'][number]) =>
    currency === undefined ? bookings : moneyIn(money, currency).booked
  return services
    .map((one) => ({ name: one.name, value: value(one) }))
    .filter((one) => one.value > 0)
    .toSorted((one, other) => other.value - one.value)
}

/** Names the service with the highest revenue in a currency. */
function mostSays({ texts, percent, services }: Tools, currency: string): string {
  const list = ranked({ services }, currency)
  const [first] = list
  if (!first) return ''
  return texts.servicesSay({
    name: first.name,
    share: percent(first.value / sumOf(list.map(({ value }) => value))),
  })
}

function ranking({ services, plain, locale }: Tools, currency?: string): Html {
  const list = ranked({ services }, currency)
  const sum = sumOf(list.map(({ value }) => value))
  return html`<table class="numbers ranks">
    ${list.slice(0, maxTopServices).map(
      ({ name, value }) =>
        html`<tr>
          <th scope="row"><bdi>${name}</bdi></th>
          <td>${shareBar(value / sum)}</td>
          <td>${currency === undefined ? plain(value) : moneyText({ amount: value, currency }, locale)}</td>
        </tr>`,
    )}
  </table>`
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
  labelOf,
  amountHeads,
  amounts,
  sums,
}: Tools): Report {
  const lost = sums(total.money, 'missed')
  const list = new Intl.ListFormat(locale)
  const back = total.fees
    .map(({ currency, no_show: { received, kept } }) => ({ currency, amount: received + kept }))
    .filter(({ amount }) => amount > 0)
    .map((one) => moneyText(one, locale))
  const values = {
    count: total.no_shows,
    share: percent(total.bookings === 0 ? 0 : total.no_shows / total.bookings),
  }
  return {
    id: 'bookings',
    title: texts.attendance,
    sentence: [
      lost.length === 0
        ? texts.noShowsSay(values)
        : texts.noShowsCost({ ...values, amount: list.format(lost) }),
      ...(back.length === 0 ? [] : [texts.noShowsBack({ amount: list.format(back) })]),
    ].join(' '),
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

/** Returns the currencies in which fees were charged or payments kept for a reason. */
function feeCurrencies({ fees }: Counted['total'], reason: FeeReason): string[] {
  return fees.filter((one) => one[reason].charged > 0 || one[reason].kept > 0).map(({ currency }) => currency)
}

/** Says what fees and payments in advance brought for a reason: for no-shows against what these cost. */
function recoveredText({ texts, locale, total, sums }: Tools, reason: FeeReason): string {
  const list = new Intl.ListFormat(locale)
  const fees = feeCurrencies(total, reason).map((currency) => ({
    currency,
    ...feesIn(total.fees, currency, reason),
  }))
  const charging = fees.filter(({ charged }) => charged > 0)
  const said = (kind: 'charged' | 'received' | 'kept', some: typeof fees) =>
    list.format(some.map(({ currency, [kind]: amount }) => moneyText({ amount, currency }, locale)))
  const lost = list.format(reason === 'no_show' ? sums(total.money, 'missed') : [])
  const kept = said(
    'kept',
    fees.filter((one) => one.kept > 0),
  )
  const values = { charged: said('charged', charging), received: said('received', charging), kept, lost }
  if (charging.length === 0) return lost === '' ? texts.keptSay(values) : texts.keptAgainst(values)
  const ofFees = lost === '' ? texts.feesSay(values) : texts.feesAgainst(values)
  return kept === '' ? ofFees : `${ofFees} ${texts.keptSay(values)}`
}

/** Shows what fees brought, and what was kept of payments in advance, for a reason. */
function feeReport(tools: Tools, reason: FeeReason): Report {
  const { texts, payments, total, amount, periods, labelOf, short, axisOf } = tools
  const currencies = feeCurrencies(total, reason)
  const isNoShow = reason === 'no_show'
  const title = isNoShow ? texts.feesNoShow : texts.feesLate
  const names = {
    ...{ kept: texts.feesKept, charged: texts.feesCharged, received: payments.received },
    ...{ waived: texts.feesWaived, due: texts.feesDue },
  }
  const kinds = ['kept', 'charged', 'received', 'waived', 'due'] as const
  const looks = [
    ['half', 'kept'],
    ['full', 'received'],
    ['hatched', 'due'],
    ['outline', 'waived'],
  ] as const
  const isShown = (kind: (typeof looks)[number][1]) =>
    currencies.some((currency) => feesIn(total.fees, currency, reason)[kind] > 0)
  return {
    id: isNoShow ? 'no_show_fees' : 'late_fees',
    title,
    sentence: recoveredText(tools, reason),
    plot: html`${inEach(currencies, (currency) =>
      barPlot(
        periods.map((one) => {
          const fees = feesIn(one.fees, currency, reason)
          return {
            label: labelOf(one),
            ...short(fees.charged + fees.kept, currency),
            parts: looks.map(([look, kind]) => ({ look, value: fees[kind] })),
          }
        }),
        { title: `${title} (${currency})`, axis: axisOf(currency) },
      ),
    )}
    ${plotLegend(looks.filter(([, kind]) => isShown(kind)).map(([look, kind]) => [look, names[kind]]))}`,
    heads: [
      tools.periodHead,
      ...(isNoShow ? tools.amountHeads(texts.missed) : []),
      ...currencies.flatMap((currency) => kinds.map((kind) => `${names[kind]} (${currency})`)),
    ],
    rows: periods.map((one) => [
      tools.period(one),
      ...(isNoShow ? tools.amounts(one.money, 'missed') : []),
      ...currencies.flatMap((currency) => {
        const fees = feesIn(one.fees, currency, reason)
        return kinds.map((kind) => amount(fees[kind], currency))
      }),
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

function waitlistReport({
  texts,
  locale,
  total,
  plain,
  count,
  period,
  periodHead,
  periods,
  labelOf,
  amountHeads,
  amounts,
  sums,
}: Tools): Report {
  const booked = sums(total.waitlist_money, 'booked')
  const values = { count: total.waitlist_bookings }
  return {
    id: 'waitlist',
    title: texts.gaps,
    sentence:
      booked.length === 0
        ? texts.gapsSay(values)
        : texts.gapsBrought({ ...values, amount: new Intl.ListFormat(locale).format(booked) }),
    plot: barPlot(
      periods.map((one) => ({
        label: labelOf(one),
        value: plain(one.waitlist_bookings),
        parts: [{ look: 'full' as const, value: one.waitlist_bookings }],
      })),
      { title: texts.gaps, axis: plain },
    ),
    heads: [periodHead, texts.bookings, ...amountHeads(texts.bookedMoney), ...amountHeads(texts.missed)],
    rows: periods.map((one) => [
      ...[period(one), count(one.waitlist_bookings)],
      ...[...amounts(one.waitlist_money, 'booked'), ...amounts(one.waitlist_money, 'missed')],
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

/** Returns the reports of a period, each for a page and a file. */
export function reportsOf(visit: BusinessVisit, numbers: Counted): Report[] {
  const tools = toolsFor(visit, numbers)
  return [
    ...[weekReport(tools), revenueReport(tools)],
    ...(numbers.total.taken.length > 0 ? [takenReport(tools)] : []),
    attendanceReport(tools),
    ...(['no_show', 'late_cancel'] as const)
      .filter((reason) => feeCurrencies(numbers.total, reason).length > 0)
      .map((reason) => feeReport(tools, reason)),
    clientReport(tools),
    ...[serviceReport(tools), utilisationReport(tools), leadReport(tools)],
    ...(numbers.total.waitlist_bookings > 0 ? [waitlistReport(tools)] : []),
    peopleReport(tools),
  ]
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
