import { hasRole, isStaff } from '../../access/actor.ts'
import { addressKey, dialled, fullName, hasEmail } from '../../base/contact-formats.ts'
import { html, type Html } from '../../base/html.ts'
import { type Instant, toMs } from '../../base/instants.ts'
import { wholeNumber } from '../../base/phone-countries.ts'
import type { ClientFigures, clientHistory, clientTimes, ShownClient } from '../../bookings/client.ts'
import type { clientMoney } from '../../bookings/client-fees.ts'
import { tagsOf } from '../../bookings/client-rules.ts'
import { cardText } from '../../bookings/saved-card-rules.ts'
import { moneyText } from '../../mails/times-and-money.ts'
import { hidden } from '../../pages/form.ts'
import { bookingPath, type BookingRows, totalText, stateSign, warning } from '../bookings/booking-page.ts'
import { feeReasonText } from '../bookings/fee-lines.ts'
import { titleOf } from '../bookings/item-list.ts'
import { icon, type IconName } from '../../pages/icons.ts'
import { businessOf, type ConsoleVisit, listFrame, pathOf } from '../frame/console-page.ts'
import { emptyState } from '../frame/empty-state.ts'
import { listHead, nextPage, searchField } from '../frame/lists.ts'
import { face } from '../frame/faces.ts'
import type { BusinessVisit, ShownPage } from '../frame/console-route.ts'
import { clockText, dateFormat, dayText } from '../frame/formats.ts'

/*
 * The list of a business's clients, and the page of one. Addresses of pages identify a client by an ID, never by
 * email.
 */

type ClientMoneyRow = Awaited<ReturnType<typeof clientMoney>>['owed'][number]

type ListedClient = Awaited<ReturnType<typeof clientTimes>>[number]

/** A client with the bookings on their page. */
export interface ClientView {
  visit: BusinessVisit
  /** The booking from whose page the person comes. */
  bookingId: string | undefined
  client: ShownClient['client']
  blocked: boolean
  /** Bookings that have begun. */
  counts: Awaited<ReturnType<typeof clientHistory>>
  /** Undefined for staff, who see only their own appointments. */
  figures: ClientFigures | undefined
  /** Undefined like `figures`. */
  money: Awaited<ReturnType<typeof clientMoney>> | undefined
  last_at: Instant | null
  next_at: Instant | null
  /** When they answered STOP to a text message. */
  stopped: Instant | undefined
  /** Other clients with the same address, at most a few. */
  /** Those with the same address, and further ones with the same phone number. */
  others: Record<'byEmail' | 'byPhone', readonly ShownClient[]>
  ahead: BookingRows
  past: BookingRows
}

/** Returns the address of a client's page, or of one below it. */
export function clientPath(
  visit: ConsoleVisit,
  id: string,
  below = '',
  query: Record<string, string | undefined> = {},
): string {
  return pathOf(`/console/clients/${id}${below}`, visit, query)
}

interface ClientList {
  q: string
  fault: string | undefined
  sort: 'name' | '-name'
  clients: readonly ListedClient[]
  nextCursor: string | null
}

/** Renders the list and its search. */
export function clientList(visit: BusinessVisit, { q, fault, sort, clients, nextCursor }: ClientList): Html {
  const { clients: t, frame } = visit.texts
  const query = { q: q || undefined, sort: sort === 'name' ? undefined : sort }
  const other = sort === 'name' ? '-name' : undefined
  const isEmpty = clients.length === 0 && nextCursor === null
  const list = html`${fault === undefined ? '' : html`<p class="fault" role="status">${fault}</p>`}
  ${
    clients.length > 0
      ? html`<div class="rows-head">
            <a href="${pathOf('/console/clients', visit, { ...query, sort: other })}"
              >${t.name}
              <span class="unseen">${t.sort[sort]}</span> ${icon(sort === 'name' ? 'expand' : 'up')}</a
            >
            <span>${t.phone}</span> <span>${t.lastVisit}</span> <span>${t.nextVisit}</span>
            <span class="end">${frame.bookings}</span> <span class="end">${t.missed}</span>
          </div>
          <ul class="rows of-clients">
            ${clients.map((client) => html`<li>${clientRow(visit, client)}</li>`)}
          </ul>`
      : !isEmpty
        ? html`<p>${t.searchOn}</p>`
        : q === '' || fault !== undefined
          ? emptyState(
              'clients',
              t.nobody,
              html`<p class="actions">
                <a class="button main" href="${pathOf('/console/book', visit)}"
                  >${icon('add')} ${frame.book}</a
                >
                <a class="button" href="${pathOf('/console/website', visit)}"
                  >${icon('website')} ${frame.website}</a
                >
              </p>`,
            )
          : emptyState(
              'search',
              t.nobodyFound,
              html`<a class="button main" href="${pathOf('/console/clients', visit)}"
                >${visit.texts.bookings.clear}</a
              >`,
            )
  }
  ${nextPage(visit, '/console/clients', nextCursor, query)}`
  const more = [
    ...(hasRole(visit.person, 'manager')
      ? [html`<a href="${pathOf('/console/clients/import', visit)}">${t.import}</a>`]
      : []),
    ...(visit.person.role === 'owner'
      ? [
          html`<a href="${pathOf('/console/clients.csv', visit)}" data-turbo="false"
            >${visit.texts.bookings.export}</a
          >`,
        ]
      : []),
  ]
  const main = html`<a class="button main" href="${pathOf('/console/clients/new', visit)}"
    >${icon('add')} ${t.add}</a
  >`
  return html`${listHead(visit, { title: t.title, main, more })}
    <form method="get" action="/console/clients" class="filters" role="search">
      ${hidden({ business: businessOf(visit), sort: query.sort })} ${searchField(t.search, q)}
      <button type="submit" class="main">${t.find}</button>
    </form>
    ${listFrame(visit, list)}`
}

function clientRow(visit: BusinessVisit, { client, blocked, last_at, next_at }: ListedClient): Html {
  const { clients: t, booking, frame } = visit.texts
  const { phone, email, booking_count: count, no_show_count: no_shows } = client
  const day = (at: Instant | null, label: string) =>
    at === null
      ? html`<span class="no-date"></span>`
      : html`<span
          ><span class="soft row-label">${label}</span>
          ${dayText(at, { timezone: visit.business.timezone, locale: visit.locale })}</span
        >`
  const name = fullName(client.first_name, client.last_name)
  return html`<a class="row" href="${clientPath(visit, client.id)}">
    <span class="row-who"
      >${face(name)}
      <bdi class="client-name">${name}</bdi>
      ${blocked ? html`<span class="state is-absent">${icon('blocked')} ${booking.blocked}</span>` : ''}</span
    >
    <bdi class="row-phone">${phone ?? email ?? ''}</bdi>
    ${day(last_at, t.lastVisit)} ${day(next_at, t.nextVisit)}
    <span class="end" title="${t.visits({ count })}"
      >${count}<span class="unseen"> ${frame.bookings}</span></span
    >
    <span class="end ${no_shows > 0 ? 'fault' : 'soft'}"
      >${no_shows > 0 ? no_shows : '–'}<span class="unseen"> ${t.missed}</span></span
    >
  </a>`
}

/** Renders the page of a client. */
export function clientPage(view: ClientView, notice: Html): ShownPage {
  const { visit, bookingId, client, ahead, past } = view
  const { clients: t, setUp } = visit.texts
  const mayList = hasRole(visit.person, 'front_desk')
  const rows = (bookings: BookingRows, none: string) =>
    bookings.length === 0
      ? html`<p class="soft">${none}</p>`
      : html`<ul class="rows of-visits">
          ${bookings.map((row) => html`<li>${visitRow(visit, row)}</li>`)}
        </ul>`
  return {
    title: fullName(client.first_name, client.last_name),
    visit,
    section: 'clients',
    panel: true,
    body: html`<p>
        <a
          class="back"
          href="${pathOf(mayList ? '/console/clients' : ['/console/bookings', ...(bookingId ? [bookingId] : [])].join('/'), visit)}"
          >${setUp.back}</a
        >
      </p>
      ${notice}
      <div class="client-card">
        <div>
          ${cardHead(view)} ${stoppedPart(view, mayList)} ${figuresPart(view)} ${cardActions(view, mayList)}
          ${moneyPart(view)} ${othersPart(view)}
        </div>
        <div>
          <h2>${t.ahead}</h2>
          ${rows(ahead, t.nothingAhead)}
          <h2>${t.past}</h2>
          ${rows(past, t.nothingPast)} ${mayList ? blockPart(view) : ''}
        </div>
      </div>`,
  }
}

/** Renders the face, name and contact of a client, and what the team must know. */
function cardHead(view: ClientView): Html {
  const { visit, client, blocked } = view
  const { clients: t, booking } = visit.texts
  const { email, phone } = client
  const name = fullName(client.first_name, client.last_name)
  const reach = (sign: IconName, href: string, label: string) =>
    html`<a class="button" href="${href}" title="${label}"
      >${icon(sign)} <span class="unseen">${label}</span></a
    >`
  const tags = tagsOf(client)
  return html`<header class="client">
    ${face(name)}
    <div>
      <h1><bdi>${name}</bdi></h1>
      ${phone === null ? '' : html`<bdi class="soft" dir="ltr">${phone}</bdi>`}
      ${email === null ? '' : html`<bdi class="soft">${email}</bdi>`} ${contactsPart(view)}
      ${tags.length === 0 ? '' : html`<span class="tags">${tags.map((tag) => html`<span class="state is-completed"><bdi>${tag}</bdi></span> `)}</span>`}
    </div>
    <div class="reach">
      ${
        phone === null
          ? ''
          : html`${reach('phone', `tel:${dialled(phone)}`, `${booking.call} ${phone}`)}
            ${reach('message', `sms:${dialled(phone)}`, `${t.text} ${phone}`)}`
      }
      ${email === null ? '' : reach('mails', `mailto:${email}`, `${booking.write} ${email}`)}
    </div>
    ${blocked ? warning(html`${booking.blockedWhy}`) : ''}
    ${client.notes === null ? '' : warning(html`<span class="unseen">${t.notes}:</span> <bdi class="written">${client.notes}</bdi>`)}
  </header>`
}

/** Contacts on the card that only bookings have. */
const shownContacts = 3

/** Renders the addresses and numbers that bookings have and the client has not. A booking never changes the client. */
function contactsPart({ visit, client, ahead, past }: ClientView): Html {
  if (isStaff(visit.person)) return html``
  const contacts = new Map<string, string>()
  for (const { client_email: email, client_phone: phone, timezone } of [...ahead, ...past]) {
    if (hasEmail(email)) contacts.set(addressKey(email), email)
    if (phone) contacts.set(wholeNumber(phone, timezone), phone)
  }
  contacts.delete(addressKey(client.email ?? ''))
  contacts.delete(wholeNumber(client.phone ?? '', visit.business.timezone))
  if (contacts.size === 0) return html``
  return html`<span class="soft"
    >${visit.texts.clients.alsoBooked}
    ${[...contacts.values()].slice(0, shownContacts).map((contact) => html`<bdi>${contact}</bdi> `)}</span
  >`
}

function figuresPart({ visit, counts, figures, last_at, next_at }: ClientView): Html {
  const { clients: t } = visit.texts
  const { locale, business } = visit
  const figure = (label: string, value: string, { more = '', isBad = false } = {}) =>
    html`<div>
      <dt>${label}</dt>
      <dd>
        <bdi class="${isBad ? 'fault' : ''}">${value}</bdi>
        ${more === '' ? '' : html`<bdi class="soft">${more}</bdi>`}
      </dd>
    </div>`
  const date = dateFormat(locale, business.timezone, { day: 'numeric', month: 'short', year: 'numeric' })
  const day = (at: Instant | null) => (at === null ? '–' : date.format(toMs(at)))
  const spent = figures?.spent.map((one) => moneyText(one, locale)).join(' + ')
  const cancelled = counts.cancelled > 0 ? t.cancelled({ count: counts.cancelled }) : ''
  return html`<dl class="figures">
    ${figure(t.visitCount, String(counts.visits))}
    ${spent === undefined ? '' : figure(t.spent, spent === '' ? '–' : spent)}
    ${figure(t.missed, String(counts.no_shows), { more: cancelled, isBad: counts.no_shows > 0 })}
    ${figure(t.lastVisit, day(last_at))} ${figure(t.nextVisit, day(next_at))}
    ${figures?.usual ? figure(t.usual, figures.usual.service, { more: figures.usual.staff ?? '' }) : ''}
  </dl>`
}

/** Lists what the client owes, and their saved cards, each with a link to its booking. */
function moneyPart({ visit, money }: ClientView): Html {
  if (!money) return html``
  const { clients: t, booking, payments } = visit.texts
  const { owed, cards } = money
  const part = (title: string, lines: Html[]) =>
    lines.length === 0
      ? html``
      : html`<h2>${title}</h2>
          <ul class="lines">
            ${lines}
          </ul>`
  const about = (row: ClientMoneyRow) => {
    const day = dayText(row.starts_at, { timezone: row.timezone, locale: visit.locale })
    return html`<span class="soft"><bdi>${row.service_name}</bdi>, ${day}</span>`
  }
  const toBooking = (row: ClientMoneyRow, text: string) =>
    html`<a href="${pathOf(`/console/bookings/${row.booking_id}`, visit)}">${text}</a>`
  const named = (row: ClientMoneyRow) => {
    if (row.status === 'charging')
      return booking.fees.charging({ what: feeReasonText(booking, row.reason ?? ''), ...amountOf(row) })
    const what = payments.dueOf[row.kind]
    const why = row.kind === 'fee' ? ` · ${feeReasonText(booking, row.reason ?? '')}` : ''
    return `${what}${why}: ${amountOf(row).amount}`
  }
  const amountOf = (row: ClientMoneyRow) => ({ amount: moneyText(row, visit.locale), day: '' })
  return html`${part(
    t.owed,
    owed.map(
      (row) =>
        html`<li>
          ${icon('money')}
          <div>${toBooking(row, named(row))}${about(row)}</div>
        </li>`,
    ),
  )}
  ${part(
    t.cards,
    cards.map(
      (row) =>
        html`<li>
          ${icon('payments')}
          <div>
            ${toBooking(row, row.card.removing ? booking.cardRemoving : cardText(row.card))}${about(row)}
          </div>
          ${
            row.card.removing || !hasRole(visit.person, 'manager')
              ? ''
              : html`<div class="ends">
                  <a class="button" href="${pathOf(`/console/bookings/${row.booking_id}/card`, visit)}"
                    >${booking.cardRemove}</a
                  >
                </div>`
          }
        </li>`,
    ),
  )}`
}

function cardActions(view: ClientView, mayList: boolean): Html {
  const { visit, client } = view
  const { clients: t, booking } = visit.texts
  const item = (href: string, label: string) => html`<li><a href="${href}">${label}</a></li>`
  return html`<div class="actions">
    <a class="button main" href="${bookAgainPath(view)}">${icon('add')} ${t.bookAgain}</a>
    ${
      mayList
        ? html`<a class="button" href="${clientPath(visit, client.id, '/edit')}">${t.edit}</a>
            <details class="menu">
              <summary class="button">${icon('more')} <span class="unseen">${booking.more}</span></summary>
              <ul>
                ${item(pathOf('/console/bookings', visit, { client: client.id }), booking.allBookings)}
                ${item(clientPath(visit, client.id, '/merge'), t.mergeOpen)}
                ${
                  visit.person.role === 'owner'
                    ? html`<li>
                        <form
                          method="post"
                          action="${clientPath(visit, client.id, '/export')}"
                          data-turbo="false"
                        >
                          <button type="submit">${t.export}</button>
                        </form>
                      </li>`
                    : ''
                }
              </ul>
            </details>`
        : ''
    }
  </div>`
}

/** Renders a visit as a row: day, services and people, price. Its status is there only if it is not the usual one. */
function visitRow(visit: ConsoleVisit, row: BookingRows[number]): Html {
  const { locale } = visit
  const setting = { timezone: row.timezone, locale }
  const { starts_at, status, no_show_at, staff_name, notes, respond_by } = row
  const isUsual =
    no_show_at === null && respond_by === null && (status === 'confirmed' || status === 'completed')
  return html`<a class="row" href="${bookingPath({ visit, row })}">
    <time class="row-time" datetime="${starts_at}"
      >${dayText(starts_at, setting)} <span class="soft">${clockText(starts_at, setting)}</span></time
    >
    <span class="row-what"
      ><span
        ><bdi>${titleOf(row)}</bdi
        >${staff_name === null ? '' : html` <span class="soft">· <bdi>${staff_name}</bdi></span>`}</span
      >
      ${notes === null ? '' : html`<bdi class="soft written">${notes}</bdi>`}</span
    >
    <span class="end">${totalText(visit, row) ?? ''}</span>
    ${isUsual ? '' : html`<span class="row-state">${stateSign(visit, row)}</span>`}
  </a>`
}

/** Renders that a client gets no text messages, and the button that ends it. */
function stoppedPart({ visit, client, stopped }: ClientView, mayChange: boolean): Html {
  const t = visit.texts.clients
  if (stopped === undefined) return html``
  const { timezone } = visit.business
  const date = dayText(stopped, { timezone, locale: visit.locale })
  return html`<div class="stopped">
    ${warning(html`${t.stopped({ date })}`)}
    ${
      mayChange
        ? html`<form method="post" action="${clientPath(visit, client.id)}">
            ${hidden({ action: 'allow_texts' })}
            <button type="submit" aria-describedby="allow-hint">${t.allowTexts}</button>
            <p class="soft" id="allow-hint">${t.allowTextsHint}</p>
          </form>`
        : ''
    }
  </div>`
}

/** Renders others with the same contact: a family, or one person with two entries. */
function othersPart(view: ClientView): Html {
  const { clients: t } = view.visit.texts
  const { byEmail, byPhone } = view.others
  return html`${othersList(view, t.sameEmail, byEmail)} ${othersList(view, t.samePhone, byPhone)}`
}

function othersList({ visit, client }: ClientView, title: string, others: readonly ShownClient[]): Html {
  if (others.length === 0) return html``
  return html`<section class="others">
    <h2>${title}</h2>
    <ul>
      ${others.map(({ client: { id, first_name, last_name } }) => {
        const name = fullName(first_name, last_name)
        return html`<li>
          <a class="row-who" href="${clientPath(visit, id)}">${face(name)} <bdi>${name}</bdi></a>
          <a href="${clientPath(visit, client.id, '/merge', { other: id })}">${visit.texts.clients.merge}</a>
        </li>`
      })}
    </ul>
  </section>`
}

/** Returns the address for booking the same service and staff member for the same client. */
function bookAgainPath({ visit, client, ahead, past }: ClientView): string {
  const latest = past[0] ?? ahead[0]
  return pathOf('/console/book', visit, {
    client: client.id,
    service: latest?.service_id,
    who: latest?.staff_id ?? undefined,
    location: latest?.location_id,
  })
}

function blockPart({ visit, client, blocked }: ClientView): Html {
  const t = visit.texts.clients
  const { id, email } = client
  if (email === null && visit.person.role !== 'owner') return html``
  return html`<details class="more" ${blocked ? html`open` : ''}>
    <summary>${t.more}</summary>
    ${email !== null ? html`<p class="soft">${blocked ? t.isBlocked : t.blockHint}</p>` : ''}
    <div class="actions">
      ${
        email !== null
          ? html`<form method="post" action="${clientPath(visit, id)}">
              ${hidden({ action: blocked ? 'unblock' : 'block' })}
              <button type="submit">${blocked ? t.unblock : t.block}</button>
            </form>`
          : ''
      }
      ${
        visit.person.role === 'owner'
          ? html`<a class="button" href="${clientPath(visit, id, '/erase')}">${t.erase}</a>`
          : ''
      }
    </div>
  </details>`
}

/** Renders the confirmation before a client is erased. */
export function erasePage({ visit, client, ahead }: ClientView, now: Instant): ShownPage {
  const t = visit.texts.clients
  const { id } = client
  const title = t.eraseTitle({ name: fullName(client.first_name, client.last_name) })
  const coming = ahead.filter(({ cancelled_at, ends_at }) => cancelled_at === null && ends_at > now).length
  return {
    title,
    visit,
    section: 'clients',
    panel: true,
    body: html`<div class="narrow">
      <h1><bdi>${title}</bdi></h1>
      <p>${t.eraseWhat}</p>
      <p>${t.eraseStays}</p>
      ${coming === 0 ? '' : html`<p class="alert">${t.eraseAhead({ count: coming })}</p>`}
      <p><strong>${t.eraseFinal}</strong></p>
      <form method="post" action="${clientPath(visit, id, '/erase')}" class="fields">
        <div class="buttons">
          <button type="submit" class="main danger">${t.eraseNow}</button>
          <a class="button" href="${clientPath(visit, id)}">${t.keep}</a>
        </div>
      </form>
    </div>`,
  }
}
