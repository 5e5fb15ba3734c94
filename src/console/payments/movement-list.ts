import { csvDate, type CsvForm, csvFormOf, csvNumber, csvRow, csvStart } from '../../base/csv.ts'
import { html, type Html } from '../../base/html.ts'
import { isUuid } from '../../base/ids.ts'
import { readInstant } from '../../base/instants.ts'
import { cursorOf, idPart, instantPart, linePart } from '../../base/paging.ts'
import type { Context } from '../../bookings/context.ts'
import type { Takings } from '../../bookings/movement-rules.ts'
import {
  disputeNumber,
  type DueSum,
  eachMovement,
  type ListedMovement,
  listMovements,
  type MovementsRequest,
  readTakings,
} from '../../bookings/movements.ts'
import { serviceKind } from '../../catalogue/catalogue-kinds.ts'
import { minorDigits } from '../../base/money.ts'
import { moneyText } from '../../mails/times-and-money.ts'
import { choice, faultSummary, type FormState, hidden } from '../../pages/form.ts'
import { icon } from '../../pages/icons.ts'
import { businessOf, pathOf } from '../frame/console-page.ts'
import type { BusinessVisit } from '../frame/console-route.ts'
import { feeReasonText } from '../bookings/fee-lines.ts'
import { emptyState } from '../frame/empty-state.ts'
import { face } from '../frame/faces.ts'
import { clientName, clockText, dateFormat, momentText, wallFields } from '../frame/formats.ts'
import { byDay, listItems, nextPage, pageOrFirst } from '../frame/lists.ts'
import { inEach, namedIn } from '../reports/report-tools.ts'
import { type AskedPeriod, periodAddress, periodFields, readPeriod } from '../frame/period.ts'

export const paymentsPath = '/console/payments'

const types = ['payment', 'refund', 'due'] as const
const perPage = 50

/** The payments that an address asks for, or the faults of its days. */
interface AskedPayments extends AskedPeriod {
  request: MovementsRequest
  state: FormState
}

type Address = Record<string, string | undefined>
type Service = { id: string; name: string }

/** Reads the period and the filters in an address. Ignores invalid filters. */
export function readPayments(context: Context, visit: BusinessVisit, address: Address): AskedPayments {
  const { typed, faults, ...period } = readPeriod(context, visit, address)
  const type = types.find((one) => one === address['type'])
  const service = address['service']
  const serviceId = service !== undefined && isUuid(service) ? service.toLowerCase() : undefined
  const { from, to } = period
  return {
    ...period,
    request: { businessId: visit.business.id, from, to, serviceId, type, isGone: visit.isGone },
    state: { typed: { ...typed, type: type ?? '', service: serviceId ?? '' }, faults },
  }
}

/** Renders the filters, the sums, and the payments and refunds by day. */
export async function movementList(context: Context, visit: BusinessVisit, address: Address): Promise<Html> {
  const asked = readPayments(context, visit, address)
  const services = await listItems(context, visit.person, {
    kind: serviceKind,
    businessId: visit.business.id,
  })
  const form = filterForm(visit, asked, services)
  if (Object.keys(asked.state.faults).length > 0)
    return html`${form} ${faultSummary(asked.state, { ...visit.texts.setUp, notSaved: '' })}`
  const { request } = asked
  const cursors = cursorOf('movements', instantPart, idPart, linePart)
  const takings = await readTakings(context, visit.person, request)
  const page = await pageOrFirst(address['cursor'], (cursor) => {
    const at = cursor === undefined ? undefined : cursors.read(cursor)
    const after = at && ([at[0], at[1], Number(at[2]) || 0] as const)
    return listMovements(context, visit.person, request, { after, max: perPage })
  })
  const { type, serviceId } = request
  const kept = { ...periodAddress(asked), type, service: serviceId }
  const [at, id, number] = page.next ?? []
  const next = at === undefined || id === undefined ? null : cursors.write([at, id, String(number)])
  return html`${form} ${sumTiles(visit, takings)}
  ${page.movements.length === 0 ? nothing(visit, request) : daysOf(context, visit, { ...page, request })}
  ${nextPage(visit, paymentsPath, next, kept)} ${sumTables(visit, takings, services)}
  ${
    type === 'due' || page.movements.length === 0
      ? ''
      : html`<p class="not-printed">
          <a class="button" href="${pathOf(`${paymentsPath}.csv`, visit, kept)}"
            >${visit.texts.numbers.csv}</a
          >
        </p>`
  }`
}

function filterForm(visit: BusinessVisit, asked: AskedPayments, services: readonly Service[]): Html {
  const { payments: t, numbers, bookings } = visit.texts
  const { state, request } = asked
  const options = [['', t.types.all] as const, ...types.map((one) => [one, t.types[one]] as const)]
  const offered = services.map(({ id, name }) => [id, name] as const)
  return html`<form method="get" action="${paymentsPath}" class="filters not-printed" data-apply>
    ${hidden({ business: businessOf(visit) })}
    ${request.type === 'due' ? hidden(periodAddress(asked)) : periodFields(visit, asked, state)}
    ${choice(state, { name: 'type', label: t.type, options })}
    ${
      services.length > 1
        ? choice(state, {
            name: 'service',
            label: numbers.service,
            options: [['', visit.texts.website.allServices], ...offered],
          })
        : ''
    }
    <button type="submit" class="${asked.range === 'own' ? 'main' : ''}">${bookings.show}</button>
  </form>`
}

function nothing({ texts: { payments: t } }: BusinessVisit, { type }: MovementsRequest): Html {
  return emptyState('payments', type === 'due' ? t.nothingDue : t.nothing)
}

type TakingsRead = Awaited<ReturnType<typeof readTakings>>

function sumTiles(visit: BusinessVisit, { total, due }: TakingsRead): Html {
  const { payments: t, numbers } = visit.texts
  const { locale } = visit
  const money = (amount: number, currency: string) => moneyText({ amount, currency }, locale)
  const currencies = new Set([...total, ...due].map(({ currency }) => currency)).size
  const tile = (name: string, amount: number, currency: string, more = '') =>
    [namedIn(name, currency, currencies), money(amount, currency), more] as const
  const taken = total.flatMap(({ currency, received, refunded }) => [
    tile(t.received, received, currency),
    ...(refunded === 0
      ? []
      : [tile(t.refunded, refunded, currency), tile(t.net, received - refunded, currency)]),
  ])
  const open = due.map(({ currency, amount, count }: DueSum) =>
    tile(t.dueNow, amount, currency, t.dueCount({ count })),
  )
  if (taken.length + open.length === 0) return html``
  return html`<dl class="tiles" aria-label="${numbers.overview}">
    ${[...taken, ...open].map(
      ([name, value, more]) =>
        html`<div>
          <dt>${name}</dt>
          <dd><strong>${value}</strong> ${more === '' ? '' : html`<span class="soft">${more}</span>`}</dd>
        </div>`,
    )}
  </dl>`
}

function daysOf(
  context: Context,
  visit: BusinessVisit,
  { movements, request }: { movements: ListedMovement[]; request: MovementsRequest },
): Html[] {
  const { timezone } = visit.business
  const days = byDay(movements, {
    ...{ now: context.clock.now(), locale: visit.locale },
    at: ({ at }) => [readInstant(at), timezone],
  })
  return days.map(
    ({ heading, items }) =>
      html`<h2>${heading}</h2>
        <ul class="rows of-payments">
          ${items.map((one) => html`<li>${movementRow(visit, one, request.type === 'due')}</li>`)}
        </ul>`,
  )
}

function movementRow(visit: BusinessVisit, movement: ListedMovement, isDue: boolean): Html {
  const { locale, business } = visit
  const name = nameOf(visit, movement)
  const state = isDue ? 'due' : movement.type
  const time = clockText(readInstant(movement.at), { timezone: business.timezone, locale })
  const content = html`<span class="row-time soft">${time}</span>
    <span class="row-who"
      >${name === undefined ? '' : html`${face(name)} <bdi class="client-name">${name}</bdi>`}</span
    >
    <span class="row-what"
      ><bdi>${serviceText(visit, movement)}</bdi>
      <span class="soft">${appointmentText(visit, movement)}</span></span
    >
    <span class="state is-${state === 'payment' ? 'confirmed' : 'pending'}"
      >${icon(state === 'payment' ? 'done' : 'money')}
      ${[kindText(visit, movement, isDue), ...reasonText(visit, movement), ...openDispute(visit, movement)].join(' · ')}</span
    >
    <b class="end">${moneyText(movement, locale)}</b>`
  return movement.booking_id === null
    ? html`<div class="row">${content}</div>`
    : html`<a class="row" href="${pathOf(`/console/bookings/${movement.booking_id}`, visit)}">${content}</a>`
}

function kindText(
  { texts: { payments: t } }: BusinessVisit,
  { type, kind, number }: ListedMovement,
  isDue: boolean,
) {
  if (number === disputeNumber) return t.disputeLost
  if (type === 'refund') return t.refund
  return isDue ? t.dueOf[kind] : t.kinds[kind]
}

/** Returns the reason of a fee, or of its refund. */
function reasonText({ texts }: BusinessVisit, { reason }: ListedMovement): string[] {
  return reason === null ? [] : [feeReasonText(texts.booking, reason)]
}

/** Names the dispute of a payment. One that was lost has its own row. */
function openDispute({ texts }: BusinessVisit, { type, dispute }: ListedMovement): string[] {
  if (type !== 'payment' || dispute === null) return []
  return [dispute === 'open' ? texts.booking.disputed : texts.booking.disputes[dispute]]
}

function nameOf(visit: BusinessVisit, { client_first_name, client_last_name }: ListedMovement) {
  if (client_first_name === null) return undefined
  return clientName({ first_name: client_first_name, last_name: client_last_name ?? '', email: '' }, visit)
}

function serviceText(
  { texts: { payments: t } }: BusinessVisit,
  { service_name: name, item_count: count }: ListedMovement,
): string {
  if (name === null) return t.noBooking
  return count === null || count < 2 ? name : t.visit({ service: name, others: count - 1 })
}

function appointmentText({ locale }: BusinessVisit, { starts_at, timezone }: ListedMovement): string {
  return starts_at === null || timezone === null
    ? ''
    : momentText(readInstant(starts_at), { timezone, locale })
}

/** Renders the sums by day and by service, folded. */
function sumTables(
  visit: BusinessVisit,
  { total, days, services }: TakingsRead,
  known: readonly Service[],
): Html {
  if (total.length === 0) return html``
  const { payments: t, numbers } = visit.texts
  const names = new Map(known.map(({ id, name }) => [id, name]))
  const dayName = (date: string) =>
    dateFormat(visit.locale, 'UTC', {
      weekday: 'short',
      day: 'numeric',
      month: 'short',
    }).format(Date.parse(date))
  const ofServices = services.map(({ id, money }) => ({
    name: id === null ? t.noBooking : (names.get(id) ?? t.otherService),
    money,
  }))
  const ofDays = days.map(({ date, money }) => ({ name: dayName(date), money }))
  const tables = (head: string, rows: SumRows, order?: (one: Sum, other: Sum) => number) =>
    inEach(
      total.map(({ currency }) => currency),
      (currency) => {
        const sums = rows.flatMap(({ name, money }) =>
          money.filter((sum) => sum.currency === currency).map((sum) => ({ name, sum })),
        )
        return sumTable(visit, head, order ? sums.toSorted(order) : sums)
      },
    )
  const section = (title: string, content: Html) =>
    html`<section class="report">
      <h2>${title}</h2>
      <div class="scrolled" role="region" aria-label="${title}" tabindex="0">${content}</div>
    </section>`
  return html`<div class="plots not-printed">
    ${section(t.byDay, tables(t.columns.date, ofDays))}
    ${section(
      t.byService,
      tables(numbers.service, ofServices, (one, other) => netOf(other.sum) - netOf(one.sum)),
    )}
  </div>`
}

type SumRows = { name: string; money: Takings[] }[]
type Sum = { name: string; sum: Takings }

function netOf({ received, refunded }: Takings): number {
  return received - refunded
}

/** Renders sums in one currency. */
function sumTable({ texts: { payments: t }, locale }: BusinessVisit, head: string, rows: Sum[]): Html {
  const received = { title: t.received, of: (sum: Takings) => sum.received }
  const refunded = { title: t.refunded, of: (sum: Takings) => sum.refunded }
  const net = { title: t.net, of: netOf }
  const hasRefunds = rows.some(({ sum }) => sum.refunded > 0)
  const columns = hasRefunds ? [received, refunded, net] : [received]
  return html`<table class="numbers">
    <thead>
      <tr>
        ${[head, ...columns.map(({ title: one }) => one)].map((one) => html`<th scope="col">${one}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        ({ name, sum }) =>
          html`<tr>
            <th scope="row"><bdi>${name}</bdi></th>
            ${columns.map(({ of }) => html`<td>${moneyText({ amount: of(sum), currency: sum.currency }, locale)}</td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`
}

/** Yields payments and refunds as a file for the till, the latest first. The first part has the headings. */
export async function* movementRows(
  context: Context,
  visit: BusinessVisit,
  { request }: AskedPayments,
): AsyncGenerator<string, void> {
  const { payments: t, booking, bookings } = visit.texts
  const form = csvFormOf(visit.locale)
  const { service, starts, currency } = bookings.columns
  const { date, time, method, refunded, paymentId, bookingId } = t.columns
  const heads = [
    ...[date, time, t.kind, booking.reason, t.client, service, starts],
    ...[t.amount, refunded, currency, method, paymentId, bookingId],
  ]
  yield csvStart + csvRow(heads, form)
  for await (const movement of eachMovement(context, visit.person, request)) {
    if (visit.isGone()) return
    yield movementLine(visit, movement, { form, isDue: request.type === 'due' })
  }
}

function movementLine(
  visit: BusinessVisit,
  movement: ListedMovement,
  { form, isDue }: { form: CsvForm; isDue: boolean },
): string {
  const { amount, currency, booking_id, starts_at, timezone, provider } = movement
  const { columns } = visit.texts.payments
  const moved = wallFields(readInstant(movement.at), visit.business.timezone)
  const wall = (at: Parameters<typeof wallFields>[0], zone: string) => {
    const { date, time } = wallFields(at, zone)
    return csvDate(`${date}T${time}`, form)
  }
  const digits = minorDigits(currency)
  const money = (minor: number) => csvNumber(minor / 10 ** digits, digits, form)
  return csvRow(
    [
      ...[csvDate(moved.date, form), moved.time],
      kindText(visit, movement, isDue),
      reasonText(visit, movement)[0] ?? null,
      nameOf(visit, movement) ?? null,
      serviceText(visit, movement),
      starts_at === null || timezone === null ? null : wall(readInstant(starts_at), timezone),
      ...[money(amount), movement.type === 'refund' ? null : money(movement.refunded_amount), currency],
      provider === 'sandbox' ? columns.test : 'Stripe',
      ...[movement.payment_id, booking_id],
    ],
    form,
  )
}
