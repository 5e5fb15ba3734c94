import type { Static } from 'typebox'
import { hasRole, isStaff } from '../../access/actor.ts'
import { dialled } from '../../base/contact-formats.ts'
import { html, type Html } from '../../base/html.ts'
import { type Instant, readInstant, toMs } from '../../base/instants.ts'
import { presentBooking } from '../../bookings/presented-booking.ts'
import type { ShownPayment } from '../../bookings/shown-payment.ts'
import { type listBookings, type showBooking } from '../../bookings/booking.ts'
import type { HistoryEntry } from '../../bookings/history.ts'
import type { listSeries } from '../../bookings/series-change.ts'
import type { CustomField, Money } from '../../catalogue/catalogue-types.ts'
import type { Service } from '../../catalogue/service-schemas.ts'
import { isGivenBy, type ItemColumns, leftOnSite, totalPriceOf } from '../../database/shown-item-rules.ts'
import type { Mail } from '../../mails/mail-schemas.ts'
import { moneyText } from '../../mails/times-and-money.ts'
import { copied, hidden } from '../../pages/form.ts'
import { icon, type IconName } from '../../pages/icons.ts'
import { type ConsoleVisit, pathOf } from '../frame/console-page.ts'
import { face } from '../frame/faces.ts'
import { clientName, dateFormat, dayText, lengthText, momentText, spanText } from '../frame/formats.ts'
import { priceText } from '../frame/prices.ts'
import { textFor } from '../frame/text-groups.ts'
import { waitText } from '../messages/wait-text.ts'
import { linkedLabel } from '../../pages/answer-fields.ts'
import {
  chargeCurrency,
  disputeText,
  feeLines,
  partRefunded,
  mayRemoveCard,
  refundLink,
  savedCard,
} from './fee-lines.ts'
import { isVisit, itemLines, titleOf } from './item-list.ts'
import { requestPart } from './request-parts.ts'

/** The data of a booking's page. */
export interface BookingView {
  visit: ConsoleVisit
  row: Awaited<ReturnType<typeof showBooking>>
  /** The first service. */
  service: Service | undefined
  /** The questions of all services. */
  questions: CustomField[]
  now: Instant
  /** Oldest first; undefined for people who may not see it. */
  history: HistoryEntry[] | undefined
  hasOlder: boolean
  /** The due payments, each with the URL for paying it. */
  payLinks: (Money & { url: string })[]
  mails: Static<typeof Mail>[]
  /** Its payments and fees. */
  payments: ShownPayment[]
  /** The client's earlier visits and all no-shows; undefined for people who may not see the client. */
  client: { visits: number; no_shows: number; blocked: boolean; notes: string | null } | undefined
  /** The staff of its business, with their pictures. */
  team: readonly { id: string; name: string; image_url: string | null }[]
  /** All dates of its series; empty for one that stands alone. */
  series: Awaited<ReturnType<typeof listSeries>>
}

type Shown = ReturnType<typeof presentBooking>

/** Returns the address of a booking in the console, or of one of its forms. */
export function bookingPath(
  { visit, row }: { visit: ConsoleVisit; row: { id: string } },
  form?: string,
): string {
  return pathOf(`/console/bookings/${row.id}${form === undefined ? '' : `/${form}`}`, visit)
}

/** Renders a booking completely: description, client, services, payment, emails and history, and its actions. */
export function bookingPage(view: BookingView, notice: Html, isNew = false): Html {
  const { visit, row } = view
  const shown = presentBooking(row, visit.person)
  const isMasked = 'redacted' in shown
  return html`<article class="booking">
    <div>
      ${notice}
      ${row.respond_by === null || isMasked ? '' : requestPart(visit, row, { dates: openDates(view), now: view.now })}
      ${bookingHead(view)} ${clientPart(view, shown)}
      <ul class="lines" aria-label="${visit.texts.booking.services}">
        ${itemLines(visit, row, view.team)} ${isMasked || row.cancelled_at !== null ? '' : addLine(view)}
      </ul>
      <ul class="lines">
        ${placeLine(view)}
        ${isMasked ? '' : html`${moneyLine(view, shown)} ${feeLines(view, (form) => bookingPath(view, form))} ${mailLines(view)}`}
        ${isMasked || !(isNew || row.status === 'completed') ? '' : againLine(view)}
      </ul>
      ${isMasked ? '' : payLinks(view)} ${seriesPart(view)}
      ${facts(html`${isMasked ? '' : html`${answerFacts(view, shown)}${consentFacts(view, shown)}${metadataFacts(shown)}`} ${cancelFacts(view)}`)}
    </div>
    <div>
      ${historyPart(view)}
      ${isMasked ? html`<p class="soft">${visit.texts.booking.masked}</p>` : bookingActions(view)}
    </div>
  </article>`
}

function facts(all: Html): Html {
  return all.text.trim() === '' ? html`` : html`<dl class="facts">${all}</dl>`
}

/** Renders the summary of a booking: its services with their status, and below its time, length and price. */
export function bookingHead({ visit, row }: Pick<BookingView, 'visit' | 'row'>, level: 1 | 2 = 1): Html {
  const { texts, locale, business } = visit
  const { timezone } = row
  const place = timezone.split('/').at(-1)?.replaceAll('_', ' ') ?? timezone
  const parts = [
    `${spanText(row, { timezone, locale })}${timezone === business?.timezone ? '' : ` (${place})`}`,
    ...(row.party_size > 1 && !isVisit(row) ? [texts.booking.people({ count: row.party_size })] : []),
    lengthText(visit, (Date.parse(row.ends_at) - Date.parse(row.starts_at)) / 60_000),
    totalText(visit, row),
  ].filter((part) => part !== undefined)
  const name = html`<bdi>${titleOf(row)}</bdi>`
  return html`<header class="booking-head">
    ${level === 1 ? html`<h1>${name}</h1>` : html`<h2>${name}</h2>`} ${stateSign(visit, row)}
    <p class="soft">${parts.join(' · ')}</p>
  </header>`
}

const stateIcons = {
  pending: 'waiting',
  confirmed: 'done',
  in_progress: 'arrived',
  completed: 'done',
  cancelled: 'cancelled',
  absent: 'absent',
} as const

type StateColumns = Pick<BookingView['row'], 'status' | 'no_show_at' | 'respond_by'>

/** Renders a booking's status as a sign and a word. */
export function stateSign(
  { texts: { booking: texts } }: ConsoleVisit,
  { status, no_show_at, respond_by }: StateColumns,
): Html {
  const state = no_show_at === null ? status : 'absent'
  const word = state === 'absent' ? texts.noShow : texts.status[respond_by === null ? state : 'request']
  return html`<span class="state is-${state}">${icon(stateIcons[state])} ${word}</span>`
}

/** Formats the total price for all people. */
export function totalText(visit: ConsoleVisit, row: ItemColumns): string | undefined {
  return priceText(visit, totalPriceOf(row))
}

/** Renders a line of a booking's page: a sign or face, a text, and something at the end. */
function line(sign: Html, text: Html, { more, end }: { more?: Html | undefined; end?: Html } = {}): Html {
  return html`<li>
    ${sign}
    <div>${text}${more === undefined ? '' : html`<span class="soft">${more}</span>`}</div>
    ${end ?? ''}
  </li>`
}

function fact(term: string, ...details: Html[]): Html {
  return html`<dt><bdi>${term}</bdi></dt>
    ${details.map((detail) => html`<dd>${detail}</dd>`)}`
}

function placeLine({ visit, row }: BookingView): Html {
  const { location_name, location_address, online_url } = row
  const more =
    online_url !== null && !isMasked({ visit, row })
      ? html`<a href="${online_url}" rel="noreferrer">${visit.texts.booking.online}</a>`
      : location_address === null
        ? undefined
        : html`<bdi>${location_address}</bdi>`
  return line(icon('place'), html`<bdi>${location_name}</bdi>`, { more })
}

/** Returns the starts for which an answer to the booking's request is. */
export function openDates({ row, series }: Pick<BookingView, 'row' | 'series'>): Instant[] {
  const open = series.filter(({ respond_by }) => respond_by !== null)
  return open.length === 0 ? [row.starts_at] : open.map(({ starts_at }) => starts_at)
}

/** Renders the dates of the booking's series as links. */
function seriesPart({ visit, row, series }: BookingView): Html {
  if (series.length < 2) return html``
  const { texts, locale } = visit
  const setting = { timezone: row.timezone, locale }
  return html`<details class="series">
    <summary>
      ${texts.booking.series.title} (${series.findIndex(({ id }) => id === row.id) + 1}/${series.length})
    </summary>
    ${series.map((date) => {
      const what = momentText(date.starts_at, setting)
      return date.id === row.id
        ? html`<p class="row" aria-current="true"><b>${what}</b> ${stateSign(visit, date)}</p>`
        : html`<a class="row" href="${bookingPath({ visit, row: date })}"
            ><span class="row-what">${what}</span> ${stateSign(visit, date)}</a
          >`
    })}
  </details>`
}

function addLine(view: BookingView): Html {
  return html`<li>
    <a class="add" href="${bookingPath(view, 'services')}"
      >${icon('add')} ${view.visit.texts.booking.addService}</a
    >
  </li>`
}

/** Numbers of weeks after which clients come again. */
const againWeeks = [2, 3, 4, 6] as const
const usualWeeks = 4

/** Returns the address of the form that books the same again for the same client. */
function againPath({ visit, row }: BookingView, weeks: number): string {
  return pathOf('/console/book', visit, { again: row.id, weeks: String(weeks) })
}

function againLine(view: BookingView): Html {
  const { booking } = view.visit.texts
  return html`<li class="not-printed">
    ${icon('again')}
    <div>
      ${booking.again}
      <span class="near"
        >${againWeeks.map(
          (weeks) =>
            html`<a class="button" href="${againPath(view, weeks)}">${booking.inWeeks({ weeks })}</a>`,
        )}</span
      >
    </div>
  </li>`
}

/** Returns true if the person may not see a colleague's client. */
export function isMasked({ visit, row }: Pick<BookingView, 'visit' | 'row'>): boolean {
  return isStaff(visit.person) && !isGivenBy(row, visit.person.staffId)
}

/** Renders the client's name, number of visits and contact details, and the notes. */
function clientPart({ visit, row, client }: BookingView, shown: Shown): Html {
  const texts = visit.texts.booking
  const { email, phone } = shown.client
  const isKnown = client !== undefined && row.client_email !== ''
  const spoken = clientName(shown.client, visit)
  const called = html`<bdi class="client-name">${spoken}</bdi>`
  const missed =
    client && (client.no_shows > 0 ? texts.noShows({ count: client.no_shows }) : texts.neverMissed)
  // a cancelled booking is no visit, nor is a no-show
  const visits = client &&
    row.cancelled_at === null && [
      ...(row.no_show_at === null ? [texts.visit({ number: client.visits + 1 })] : []),
      ...(missed !== undefined && client.visits + client.no_shows > 0 ? [missed] : []),
    ]
  const reach = (name: IconName, href: string, label: string) =>
    html`<a class="button" href="${href}">${icon(name)} <span class="unseen">${label}</span></a>`
  const ways = 'redacted' in shown ? [email] : [phone ?? '', email]
  return html`<section class="client" aria-label="${texts.client}">
    ${face(spoken)}
    <div>
      ${isKnown ? html`<a href="${pathOf(`/console/clients/${row.id}`, visit)}">${called}</a>` : called}
      ${!visits ? '' : html`<span class="soft">${visits.join(' · ')}</span>`}
      ${ways.map((way) => (way === '' ? '' : html`<bdi class="soft">${way}</bdi>`))}
    </div>
    ${
      'redacted' in shown
        ? ''
        : html`<div class="reach not-printed">
            ${phone === null ? '' : reach('phone', `tel:${dialled(phone)}`, `${texts.call} ${phone}`)}
            ${email === '' ? '' : reach('mails', `mailto:${email}`, `${texts.write} ${email}`)}
          </div>`
    }
    ${client?.blocked ? warning(html`${texts.blockedWhy}`) : ''}
    ${client?.notes ? warning(html`<bdi class="written">${client.notes}</bdi>`) : ''}
    ${'redacted' in shown || !shown.notes ? '' : warning(html`<span class="unseen">${texts.notes}:</span> <bdi class="written">${shown.notes}</bdi>`)}
  </section>`
}

/** Renders what the team must know. */
export function warning(text: Html): Html {
  return html`<p class="alert">${icon('warning')} <span>${text}</span></p>`
}

export type BookingRows = Awaited<ReturnType<typeof listBookings>>['data']

function answerFacts({ visit, row, questions }: BookingView, { custom_field_values }: Shown): Html {
  const texts = visit.texts.booking
  const labelOf = (id: string) => questions.find((field) => field.id === id)?.label ?? texts.oldQuestion
  return html`${custom_field_values.map(({ field_id, value, text, agreed_at }) =>
    field_id === row.business_id && text !== undefined && agreed_at !== undefined
      ? fact(
          texts.terms,
          html`<details>
            <summary>
              ${texts.agreed({ moment: momentText(readInstant(agreed_at), { timezone: row.timezone, locale: visit.locale }) })}
            </summary>
            <bdi class="written">${text}</bdi>
          </details>`,
        )
      : text === undefined || agreed_at === undefined
        ? fact(labelOf(field_id), html`<bdi class="written">${answerText(visit, value)}</bdi>`)
        : fact(
            texts.consent,
            html`<bdi class="written">${linkedLabel(text)}</bdi>`,
            html`${texts.agreed({ moment: momentText(readInstant(agreed_at), { timezone: row.timezone, locale: visit.locale }) })}`,
          ),
  )}`
}

/** Shows the sentences by which the client agreed to text messages and to fees. */
function consentFacts({ visit, row }: BookingView, shown: Shown): Html {
  if ('redacted' in shown) return html``
  const texts = visit.texts.booking
  const consents = [
    [texts.textMessages, shown.text_consent],
    [texts.feeConsent, shown.fee_consent],
  ] as const
  return html`${consents.map(([term, consent]) => {
    if (!consent) return ''
    const { text, agreed_at } = consent
    const moment = momentText(readInstant(agreed_at), { timezone: row.timezone, locale: visit.locale })
    return fact(term, html`<bdi class="written">${text}</bdi>`, html`${texts.agreed({ moment })}`)
  })}`
}

/** Shows the metadata of a website, which developers chose. */
function metadataFacts(shown: Shown): Html {
  const entries = 'metadata' in shown ? Object.entries(shown.metadata ?? {}) : []
  return html`${entries.map(([name, value]) => fact(name, html`<bdi class="written">${value}</bdi>`))}`
}

type Answer = Shown['custom_field_values'][number]['value']

/** Formats an answer to a custom field for people. */
function answerText({ texts, locale }: ConsoleVisit, value: Answer): string {
  if (typeof value === 'boolean') return value ? texts.booking.yes : texts.booking.no
  if (typeof value === 'number')
    return new Intl.NumberFormat(locale, { maximumFractionDigits: 20 }).format(value)
  return Array.isArray(value) ? value.join(', ') : value
}

function moneyLine(view: BookingView, shown: Shown): Html {
  const { visit, row } = view
  const payment = 'payment' in shown ? shown.payment : undefined
  const { texts, locale } = visit
  const discount = 'discount' in shown ? shown.discount : undefined
  const coupon = discount
    ? line(
        icon('money'),
        html`${texts.booking.coupon({ code: discount.code, amount: moneyText(discount, locale) })}`,
      )
    : html``
  if (!payment) return coupon
  const amount = moneyText(payment, locale)
  const day = (instant: Instant | null) =>
    instant === null ? '' : dayText(instant, { timezone: row.timezone, locale })
  const provider = payment.provider === 'stripe' ? 'Stripe' : 'Sandbox'
  const t = texts.booking
  const isWhole = payment.kind === 'full'
  const [paidOn, refundedOn] = [day(row.payment_paid_at), day(row.payment_refunded_at)]
  const states: Record<typeof payment.status, () => string> = {
    due: () => (isWhole ? t.fullDue : t.depositDue)({ amount }),
    paid: () => (isWhole ? t.fullPaid : t.depositPaid)({ amount, day: paidOn, provider }),
    expired: () => (isWhole ? t.fullExpired : t.depositExpired)({ amount }),
    refunded: () => (isWhole ? t.fullRefunded : t.depositRefunded)({ amount, day: refundedOn }),
  }
  const cardStates: typeof states = {
    due: () => t.cardDue,
    paid: () => (main && !main.card ? t.cardRemoved : t.cardSaved({ day: paidOn, provider })),
    expired: () => t.cardExpired,
    refunded: () => t.cardExpired,
  }
  const left = row.status === 'cancelled' || row.no_show_at !== null ? null : leftOnSite(row)
  const main = view.payments.find(({ id }) => id === row.payment_id)
  const more = [
    ...(main ? [...disputeText(visit, main), ...partRefunded(visit, main), ...savedCard(visit, main)] : []),
    ...(left ? [t.dueThere({ amount: moneyText(left, locale) })] : []),
  ]
  const paid = line(
    icon('money'),
    html`${(payment.kind === 'card' ? cardStates : states)[payment.status]()}`,
    {
      more: more.length > 0 ? html`${more.join(' · ')}` : undefined,
      ...(main && { end: refundLink(visit, main, bookingPath(view, 'refund')) }),
    },
  )
  return html`${coupon}${paid}`
}

/** Renders the emails and text messages about the booking, the newest first. */
function mailLines({ visit, row, mails }: BookingView): Html {
  const { booking: texts } = visit.texts
  // a request for a payment is not sent once it has arrived
  const shown = mails.filter((mail) => mail.waits_for !== 'deposit' || row.payment_status === 'due')
  return html`${shown.map((mail) => {
    const { kind, channel, status, to, delivered_at, last_error: error } = mail
    const isFailed = status !== 'sent' && status !== 'kept' && error !== null
    const at = momentIn(readInstant(mail.sent_at ?? mail.created_at), { visit, row })
    return line(
      icon(isFailed ? 'warning' : channel === 'text' ? 'phone' : 'mails'),
      html`<span
        >${texts.mails[kind]}
        <bdi>${texts.mailStates[status]({ to })}</bdi
        >${delivered_at === null ? '' : html`, ${visit.texts.mails.arrived}`}</span
      >`,
      {
        more: html`${at}${isFailed ? html` (${error})` : ''}${
          mail.waits_for === null ? '' : html` · ${waitText(visit, mail)}`
        }`,
      },
    )
  })}`
}

/** Formats "22 Nov, 10:00". */
function momentIn(at: Instant, { visit, row }: Pick<BookingView, 'visit' | 'row'>): string {
  return dateFormat(visit.locale, row.timezone, {
    ...{ day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' },
  }).format(toMs(at))
}

/** Renders the payment links, for sending to the client in a chat or similar. */
function payLinks({ visit: { texts, locale }, payLinks: links }: BookingView): Html {
  return html`${links.map(({ url, ...money }, index) => {
    const { payLink, cardLink } = texts.booking
    const label = money.amount > 0 ? `${payLink}: ${moneyText(money, locale)}` : cardLink
    const field = { name: index === 0 ? 'pay' : `pay-${index}`, label, text: url, rows: 1 }
    return html`<div class="narrow not-printed">${copied(texts.website, field)}</div>`
  })}`
}

function cancelFacts({ visit, row }: BookingView): Html {
  if (row.cancelled_at === null) return html``
  const texts = visit.texts.booking
  const at = momentText(row.cancelled_at, { timezone: row.timezone, locale: visit.locale })
  const reason = isMasked({ visit, row }) ? null : row.cancel_reason
  return fact(
    texts.status.cancelled,
    html`${at}`,
    ...(reason === null ? [] : [html`${texts.reason}: <bdi class="written">${reason}</bdi>`]),
  )
}

/** Actions of a booking whose buttons need no confirmation. */
export type PlainAction = 'arrive' | 'confirm' | 'complete' | 'no_show' | 'came' | 'reopen' | 'restore'

/** Time before the start from which a client can have arrived. */
export const arrivalMs = 4 * 3_600_000

/** Returns the actions that make sense now, the main one first. */
function actionsOf({ row, now }: BookingView): PlainAction[] {
  const hasBegun = row.starts_at <= now
  switch (row.status) {
    case 'pending':
      return row.respond_by === null ? ['confirm'] : [] // a request has its buttons at the top
    case 'confirmed':
      if (hasBegun) return ['arrive', 'complete', 'no_show']
      return toMs(row.starts_at) - toMs(now) < arrivalMs ? ['arrive'] : []
    case 'in_progress':
      return hasBegun ? ['complete', 'no_show'] : ['complete']
    case 'completed':
      if (row.no_show_at !== null) return ['came']
      return hasBegun ? ['no_show', 'reopen'] : ['reopen']
    case 'cancelled':
      return ['restore']
  }
}

const mainActions: ReadonlySet<PlainAction> = new Set(['arrive', 'confirm', 'complete'])

/** Renders a bar with the main action, the two most frequent others, and a menu of the rest. */
function bookingActions(view: BookingView): Html {
  const { visit, row } = view
  const texts = visit.texts.booking
  const labels: Record<PlainAction, string> = {
    arrive: texts.arrived,
    confirm: texts.confirm,
    complete: texts.complete,
    no_show: texts.absent,
    came: texts.came,
    reopen: texts.reopen,
    restore: texts.restore,
  }
  const isOver = row.status === 'cancelled'
  const isDone = row.status === 'completed' // to move or cancel it, its status is taken back first
  const mayAssign = !isStaff(visit.person) && !isOver && row.staff_id !== null && !isVisit(row)
  const link = (href: string, label: string, name?: IconName, look = '') =>
    html`<a class="button ${look}" href="${href}">${name ? icon(name) : ''} ${label}</a>`
  const item = (form: string, label: string) => html`<li>${link(bookingPath(view, form), label)}</li>`
  const button = (action: PlainAction, look = '') =>
    html`<form method="post" action="${bookingPath(view, 'status')}">
      ${versionFields(view)} ${hidden({ action })}
      <button type="submit" class="${look}">${labels[action]}</button>
    </form>`
  const [first, ...others] = actionsOf(view)
  const main = first !== undefined && mainActions.has(first) ? first : undefined
  const rest = main === undefined && first !== undefined ? [first, ...others] : others
  const again = againPath(view, usualWeeks)
  return html`<div class="actions save foot not-printed">
    ${
      main !== undefined
        ? button(main, 'main')
        : isOver || isDone
          ? link(again, texts.again, 'again', 'main')
          : ''
    }
    ${isOver ? button('restore') : row.no_show_at !== null ? button('came') : isDone ? '' : link(bookingPath(view, 'move'), texts.move, 'move')}
    ${isOver || isDone || row.respond_by !== null ? '' : link(bookingPath(view, 'cancel'), texts.cancel, undefined, 'danger')}
    <details class="menu up">
      <summary class="button">${icon('more')} <span class="unseen">${texts.more}</span></summary>
      <ul>
        ${rest.filter((action) => action !== 'restore' && action !== 'came').map((action) => html`<li>${button(action)}</li>`)}
        <li>${link(again, texts.againUsually({ weeks: usualWeeks }))}</li>
        ${isOver ? '' : item('services', texts.items)} ${mayAssign ? item('person', texts.person) : ''}
        ${item('client', texts.correct)} ${item('details', texts.details)}
        ${row.client_email === '' || isStaff(visit.person) ? '' : html`<li>${link(pathOf('/console/bookings', visit, { client: row.id }), texts.allBookings)}</li>`}
        ${hasRole(visit.person, 'manager') && chargeCurrency(view) !== undefined ? item('charge', texts.charge) : ''}
        ${mayRemoveCard(view) ? item('card', texts.cardRemove) : ''} ${item('link', texts.link)}
        <li><button type="button" data-print hidden>${texts.print}</button></li>
      </ul>
    </details>
  </div>`
}

/** Returns true if money was paid when booking. A saved card does not count. */
export function isPaid({ payment_status, payment_kind }: BookingView['row']): boolean {
  return payment_status === 'paid' && payment_kind !== 'card'
}

/** Returns true if the person may refund a paid deposit. */
export function mayRefund({ visit, row }: Pick<BookingView, 'visit' | 'row'>): boolean {
  return isPaid(row) && visit.person.role === 'owner'
}

/** Renders the fields with the version that a form is about. */
export function versionFields({ visit, row }: Pick<BookingView, 'visit' | 'row'>): Html {
  return hidden({ once: visit.once, version: String(row.version), seen: row.updated_at })
}

/** Renders the changes of a booking, the newest first. */
function historyPart(view: BookingView): Html {
  const { history, visit } = view
  if (!history) return html``
  const texts = visit.texts.booking
  return html`<section aria-labelledby="history">
    <h2 id="history" class="unseen">${texts.history}</h2>
    <ol class="history">
      ${history.toReversed().map(
        (entry) =>
          html`<li>
            <span>${historyText(view, entry)}</span>
            <time datetime="${entry.at}">${momentIn(entry.at, view)}</time>
          </li>`,
      )}
    </ol>
    ${view.hasOlder ? html`<p class="soft">${texts.earlier}</p>` : ''}
  </section>`
}

/** Describes a change in plain words, with its author. */
export function historyText({ visit, row }: Pick<BookingView, 'visit' | 'row'>, entry: HistoryEntry): Html {
  const texts = visit.texts.booking
  const { action, actor, moved, services } = entry
  const setting = { timezone: row.timezone, locale: visit.locale }
  const names = new Intl.ListFormat(visit.locale, { type: 'conjunction' })
  const changed = services && [
    ...(services.added.length > 0 ? [texts.servicesAdded({ names: names.format(services.added) })] : []),
    ...(services.removed.length > 0
      ? [texts.servicesRemoved({ names: names.format(services.removed) })]
      : []),
  ]
  const done = changed
    ? changed.join(', ')
    : moved
      ? texts.movedFrom({ from: momentText(moved.from, setting), to: momentText(moved.to, setting) })
      : (textFor(texts.events, action.replace(/^booking\./, '')) ?? action)
  const { type, name } = actor
  const by =
    name !== null && (type === 'key' || type === 'person') ? texts.byNamed[type]({ name }) : texts.by[type]
  return ofOthers.has(action) ? html`${done}` : html`${done} <bdi>${by}</bdi>`
}

/** Decisions of banks and clients, which nobody of the business made. */
const ofOthers: ReadonlySet<string> = new Set([
  ...['booking.charge_failed', 'booking.fee_paid'],
  ...['booking.disputed', 'booking.dispute_won', 'booking.dispute_lost'],
])
