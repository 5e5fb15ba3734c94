import type { Static } from 'typebox'
import { isStaff } from '../../access/actor.ts'
import { dialled } from '../../base/contact-formats.ts'
import { html, type Html } from '../../base/html.ts'
import { type Instant, readInstant, toMs } from '../../base/instants.ts'
import { presentBooking } from '../../bookings/presented-booking.ts'
import { type listBookings, type showBooking } from '../../bookings/booking.ts'
import type { HistoryEntry } from '../../bookings/history.ts'
import type { CustomField } from '../../catalogue/catalogue-types.ts'
import type { Service } from '../../catalogue/service-schemas.ts'
import { isGivenBy, leftOnSite, totalPriceOf } from '../../database/shown-item-rules.ts'
import type { Mail } from '../../mails/mail-schemas.ts'
import { moneyText } from '../../mails/render.ts'
import { copied, hidden } from '../../pages/form.ts'
import { icon, type IconName } from '../../pages/icons.ts'
import { type ConsoleVisit, pathOf } from '../frame/console-page.ts'
import { face } from '../frame/faces.ts'
import { clientName, dayText, momentText, spanText } from '../frame/formats.ts'
import { textFor } from '../frame/text-groups.ts'
import { waitText } from '../messages/wait-text.ts'
import { linkedLabel } from './answer-fields.ts'
import { isVisit, itemFact, titleOf } from './item-list.ts'

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
  /** URL for paying a due deposit; null if none is due or nobody can take it. */
  payUrl: string | null
  mails: Static<typeof Mail>[]
  /** The client's earlier bookings; undefined for people who may not see the client. */
  client: { visits: number; no_shows: number; blocked: boolean } | undefined
}

type Shown = ReturnType<typeof presentBooking>

/** Returns the address of a booking in the console, or of one of its forms. */
export function bookingPath(
  { visit, row }: { visit: ConsoleVisit; row: { id: string } },
  form?: string,
): string {
  return pathOf(`/console/bookings/${row.id}${form === undefined ? '' : `/${form}`}`, visit)
}

/** Renders a booking completely: description, client, actions and history. */
export function bookingPage(view: BookingView, notice: Html): Html {
  const { visit, row } = view
  const shown = presentBooking(row, visit.person)
  const isMasked = 'redacted' in shown
  return html`<article class="booking">
    ${notice} ${bookingHead(view)} ${clientPart(view, shown)}
    <dl class="facts">
      ${timeFacts(view)} ${isMasked ? '' : answerFacts(view, shown)}
      ${isMasked ? '' : moneyFacts(view, shown)} ${cancelFacts(view)}
    </dl>
    ${isMasked ? '' : payLink(view)}
    ${isMasked ? html`<p class="soft">${visit.texts.booking.masked}</p>` : bookingActions(view)}
    ${historyPart(view)}
  </article>`
}

/** Renders the summary of a booking in one line, with its status. */
export function bookingHead({ visit, row }: Pick<BookingView, 'visit' | 'row'>, level: 1 | 2 = 1): Html {
  const texts = visit.texts.booking
  const parts = [
    ...(row.party_size > 1 && !isVisit(row) ? [texts.people({ count: row.party_size })] : []),
    texts.minutes({ minutes: (Date.parse(row.ends_at) - Date.parse(row.starts_at)) / 60_000 }),
    priceText({ visit, row }),
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

/** Renders a booking's status as a sign and a word. */
function stateSign(
  { texts: { booking: texts } }: ConsoleVisit,
  { status, no_show_at }: Pick<BookingView['row'], 'status' | 'no_show_at'>,
): Html {
  const state = no_show_at === null ? status : 'absent'
  return html`<span class="state is-${state}"
    >${icon(stateIcons[state])} ${state === 'absent' ? texts.noShow : texts.status[state]}</span
  >`
}

/** Returns the total price for all people. */
function priceText({ visit, row }: Pick<BookingView, 'visit' | 'row'>): string | undefined {
  const price = totalPriceOf(row)
  return price ? moneyText(price, visit.locale) : undefined
}

function fact(term: string, ...details: Html[]): Html {
  return html`<dt>${term}</dt>
    ${details.map((detail) => html`<dd>${detail}</dd>`)}`
}

/** Renders time, location and staff member. */
export function timeFacts({ visit, row }: Pick<BookingView, 'visit' | 'row'>): Html {
  const texts = visit.texts.booking
  const { timezone, location_name, location_address, staff_name } = row
  const place = timezone.split('/').at(-1)?.replaceAll('_', ' ') ?? timezone
  return html`${fact(texts.when, html`${spanText(row, { timezone, locale: visit.locale })} (${place})`)}
  ${fact(
    texts.where,
    html`<bdi>${location_name}</bdi>${location_address === null ? '' : html`, <bdi>${location_address}</bdi>`}
      ${
        row.online_url === null || isMasked({ visit, row })
          ? ''
          : html` <a href="${row.online_url}" rel="noreferrer">${texts.online}</a>`
      }`,
  )}
  ${isVisit(row) ? itemFact(visit, row) : staff_name === null ? '' : fact(texts.who, html`<bdi>${staff_name}</bdi>`)}`
}

/** Returns true if the person may not see a colleague's client. */
export function isMasked({ visit, row }: Pick<BookingView, 'visit' | 'row'>): boolean {
  return isStaff(visit.person) && !isGivenBy(row, visit.person.staffId)
}

/** Renders the client's name, number of visits and contact details. */
function clientPart({ visit, row, client }: BookingView, shown: Shown): Html {
  const texts = visit.texts.booking
  const { email, phone } = shown.client
  const isKnown = client !== undefined && row.client_email !== ''
  const spoken = clientName(shown.client, visit)
  const called = html`<bdi class="client-name">${spoken}</bdi>`
  const name = isKnown ? html`<a href="${pathOf(`/console/clients/${row.id}`, visit)}">${called}</a>` : called
  const notes = [
    ...(client ? [texts.visit({ number: client.visits + 1 })] : []),
    ...(client && client.no_shows > 0 ? [texts.noShows({ count: client.no_shows })] : []),
  ]
  const reach = (name: IconName, href: string, label: string, text: string) =>
    html`<a class="button" href="${href}"
      >${icon(name)} <span class="unseen">${label}</span> <bdi>${text}</bdi></a
    >`
  return html`<section class="card client" aria-label="${texts.client}">
    ${face(spoken)}
    <div>
      ${name} ${notes.length === 0 ? '' : html`<span class="soft">${notes.join(' · ')}</span>`}
      ${'redacted' in shown ? html`<span class="soft"><bdi>${email}</bdi></span>` : ''}
      ${
        isKnown && !isStaff(visit.person)
          ? html`<a class="not-printed" href="${pathOf('/console/bookings', visit, { client: row.id })}"
              >${texts.allBookings}</a
            >`
          : ''
      }
    </div>
    ${
      'redacted' in shown
        ? ''
        : html`<div class="reach">
            ${phone === null ? '' : reach('phone', `tel:${dialled(phone)}`, texts.call, phone)}
            ${email === '' ? '' : reach('mails', `mailto:${email}`, texts.write, email)}
          </div>`
    }
    ${client?.blocked ? html`<p class="alert">${texts.blockedWhy}</p>` : ''}
  </section>`
}

export type BookingRows = Awaited<ReturnType<typeof listBookings>>['data']

/** Renders a booking in a list as a link to it: time, service and status. */
export function bookingRow(visit: ConsoleVisit, row: BookingRows[number], what: Html): Html {
  return html`<a class="row" href="${bookingPath({ visit, row })}">
    <span class="row-time">${spanText(row, { timezone: row.timezone, locale: visit.locale })}</span>
    <span class="row-what">${what}</span>
    ${stateSign(visit, row)}
  </a>`
}

function answerFacts({ visit, row, questions }: BookingView, { custom_field_values, notes }: Shown): Html {
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
  )}
  ${fact(texts.notes, notes ? html`<bdi class="written">${notes}</bdi>` : html`<span class="soft">${texts.noNotes}</span>`)}`
}

type Answer = Shown['custom_field_values'][number]['value']

/** Formats an answer to a custom field for people. */
function answerText({ texts, locale }: ConsoleVisit, value: Answer): string {
  if (typeof value === 'boolean') return value ? texts.booking.yes : texts.booking.no
  if (typeof value === 'number')
    return new Intl.NumberFormat(locale, { maximumFractionDigits: 20 }).format(value)
  return Array.isArray(value) ? value.join(', ') : value
}

function moneyFacts({ visit, row }: BookingView, shown: Shown): Html {
  const payment = 'payment' in shown ? shown.payment : undefined
  if (!payment) return html``
  const { texts, locale } = visit
  const amount = moneyText(payment, locale)
  const day = (instant: Instant | null) =>
    instant === null ? '' : dayText(instant, { timezone: row.timezone, locale })
  const provider = payment.provider === 'stripe' ? 'Stripe' : 'Sandbox'
  const states: Record<typeof payment.status, () => string> = {
    due: () => texts.booking.depositDue({ amount }),
    paid: () => texts.booking.depositPaid({ amount, day: day(row.payment_paid_at), provider }),
    expired: () => texts.booking.depositExpired({ amount }),
    refunded: () => texts.booking.depositRefunded({ amount, day: day(row.payment_refunded_at) }),
  }
  const left = row.status === 'cancelled' ? null : leftOnSite(row)
  return fact(
    texts.booking.money,
    html`${states[payment.status]()}`,
    ...(left ? [html`${texts.booking.dueThere({ amount: moneyText(left, locale) })}`] : []),
  )
}

/** Renders the payment link, for sending to the client in a chat or similar. */
function payLink({ visit: { texts }, payUrl }: BookingView): Html {
  if (payUrl === null) return html``
  const field = { name: 'pay', label: texts.booking.payLink, text: payUrl, rows: 1 }
  return html`<div class="narrow not-printed">${copied(texts.website, field)}</div>`
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
const arrivalMs = 4 * 3_600_000

/** Returns the actions that make sense now, the main one first. */
function actionsOf({ row, now }: BookingView): PlainAction[] {
  const hasBegun = row.starts_at <= now
  switch (row.status) {
    case 'pending':
      return ['confirm']
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
  const mayAssign = !isStaff(visit.person) && !isOver && row.staff_id !== null && !isVisit(row)
  const link = (form: string, label: string, name?: IconName, look = '') =>
    html`<a class="button ${look}" href="${bookingPath(view, form)}">${name ? icon(name) : ''} ${label}</a>`
  return html`<div class="actions save not-printed">
    ${actionsOf(view).map(
      (action, index) =>
        html`<form method="post" action="${bookingPath(view, 'status')}">
          ${versionFields(view)} ${hidden({ action })}
          <button type="submit" class="${index === 0 && mainActions.has(action) ? 'main' : ''}">
            ${labels[action]}
          </button>
        </form>`,
    )}
    ${isOver ? '' : link('move', texts.move, 'move')}
    ${isOver ? '' : link('cancel', texts.cancel, undefined, 'danger')}
    ${isOver && mayRefund(view) ? link('cancel', texts.refund) : ''}
    <details class="menu up">
      <summary class="button">${icon('more')} ${texts.more}</summary>
      <ul>
        ${isOver ? '' : html`<li>${link('services', texts.items)}</li>`}
        ${mayAssign ? html`<li>${link('person', texts.person)}</li>` : ''}
        <li>${link('client', texts.correct)}</li>
        <li>${link('details', texts.details)}</li>
        <li>${link('link', texts.link)}</li>
        <li><button type="button" data-print hidden>${texts.print}</button></li>
      </ul>
    </details>
  </div>`
}

/** Returns true if the person may refund a paid deposit. */
export function mayRefund({ visit, row }: Pick<BookingView, 'visit' | 'row'>): boolean {
  return row.payment_status === 'paid' && visit.person.role === 'owner'
}

/** Renders the fields with the version that a form is about. */
export function versionFields({ visit, row }: Pick<BookingView, 'visit' | 'row'>): Html {
  return hidden({ once: visit.once, version: String(row.version), seen: row.updated_at })
}

function historyPart(view: BookingView): Html {
  const { history, mails, visit, row } = view
  if (!history) return html``
  const texts = visit.texts.booking
  const entries = [
    ...history.map((entry) => ({ at: entry.at, isMail: false, text: historyText(view, entry) })),
    ...mails.map((mail) => ({
      at: readInstant(mail.sent_at ?? mail.created_at),
      isMail: true,
      text: mailText(view, mail),
    })),
  ].toSorted(inOrder)
  const setting = { timezone: row.timezone, locale: visit.locale }
  return html`<section aria-labelledby="history">
    <h2 id="history">${texts.history}</h2>
    ${view.hasOlder ? html`<p class="soft">${texts.earlier}</p>` : ''}
    <ol class="history">
      ${entries.map(
        ({ at, text }) =>
          html`<li><time datetime="${at}">${momentText(at, setting)}</time> <span>${text}</span></li>`,
      )}
    </ol>
  </section>`
}

interface Told {
  at: Instant
  isMail: boolean
}

/** Sorts by time. Emails have times in whole seconds, and the change that causes an email comes first. */
function inOrder(one: Told, other: Told): number {
  const second = ({ at }: Told) => Math.floor(toMs(at) / 1_000)
  return (
    second(one) - second(other) ||
    Number(one.isMail) - Number(other.isMail) ||
    (one.at < other.at ? -1 : one.at > other.at ? 1 : 0)
  )
}

/** Describes a change in plain words, with its author. */
export function historyText({ visit, row }: Pick<BookingView, 'visit' | 'row'>, entry: HistoryEntry): Html {
  const texts = visit.texts.booking
  const { action, actor, moved } = entry
  const setting = { timezone: row.timezone, locale: visit.locale }
  const done = moved
    ? texts.movedFrom({ from: momentText(moved.from, setting), to: momentText(moved.to, setting) })
    : (textFor(texts.events, action.replace(/^booking\./, '')) ?? action)
  const { type, name } = actor
  const by =
    name !== null && (type === 'key' || type === 'person') ? texts.byNamed[type]({ name }) : texts.by[type]
  return html`${done} <bdi>${by}</bdi>`
}

function mailText({ visit }: BookingView, mail: Static<typeof Mail>): Html {
  const { kind, status, to, last_error } = mail
  const texts = visit.texts.booking
  const error =
    status !== 'sent' && last_error !== null ? html` <span class="soft">(${last_error})</span>` : ''
  const wait = mail.waits_for === null ? '' : html` <span class="soft">${waitText(visit, mail)}</span>`
  return html`${texts.mails[kind]} <bdi>${texts.mailStates[status]({ to })}</bdi>${error}${wait}`
}
