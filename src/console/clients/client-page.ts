import { hasRole } from '../../access/actor.ts'
import { dialled, fullName } from '../../base/contact-formats.ts'
import { html, type Html } from '../../base/html.ts'
import type { Instant } from '../../base/instants.ts'
import type { clientHistory, clientTimes, ShownClient } from '../../bookings/client.ts'
import { tagsOf } from '../../bookings/client-rules.ts'
import { hidden } from '../../pages/form.ts'
import { bookingRow, type BookingRows, warning } from '../bookings/booking-page.ts'
import { icon } from '../../pages/icons.ts'
import { businessOf, type ConsoleVisit, listFrame, pathOf } from '../frame/console-page.ts'
import { emptyState } from '../frame/empty-state.ts'
import { listHead, nextPage, searchField } from '../frame/lists.ts'
import { face } from '../frame/faces.ts'
import type { BusinessVisit, ShownPage } from '../frame/console-route.ts'
import { dayText } from '../frame/formats.ts'

/*
 * The list of a business's clients, and the page of one. Addresses of pages identify a client by an ID, never by
 * email.
 */

type ListedClient = Awaited<ReturnType<typeof clientTimes>>[number]

/** A client with the bookings on their page. */
export interface ClientView {
  visit: BusinessVisit
  /** The booking from whose page the person comes. */
  bookingId: string | undefined
  client: ShownClient['client']
  blocked: boolean
  counts: Awaited<ReturnType<typeof clientHistory>>
  /** When they answered STOP to a text message. */
  stopped: Instant | undefined
  /** Other clients with the same address, at most a few. */
  others: readonly ShownClient[]
  ahead: BookingRows
  past: BookingRows
}

/** Returns the address of a client's page, or of one below it. */
function clientPath(visit: ConsoleVisit, id: string, below = ''): string {
  return pathOf(`/console/clients/${id}${below}`, visit)
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
            <a
              href="${pathOf('/console/clients', visit, { ...query, sort: other })}"
              aria-label="${t.sort[sort]}"
              >${t.name} ${icon(sort === 'name' ? 'expand' : 'up')}</a
            >
            <span>${t.phone}</span> <span>${t.lastVisit}</span> <span>${t.nextVisit}</span>
            <span class="end">${t.visitCount}</span> <span class="end">${t.missed}</span>
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
  const { clients: t, booking } = visit.texts
  const { phone, email, booking_count, no_show_count: no_shows } = client
  const visits = booking_count - no_shows
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
    <span class="end" title="${t.visits({ count: visits })}"
      >${visits}<span class="unseen"> ${t.visitCount}</span></span
    >
    <span class="end ${no_shows > 0 ? 'fault' : 'soft'}"
      >${no_shows > 0 ? no_shows : '–'}<span class="unseen"> ${t.missed}</span></span
    >
  </a>`
}

function countText({ visit: { texts }, counts, blocked }: ClientView): string {
  const { visits, no_shows, cancelled } = counts
  return [
    texts.clients.visits({ count: visits }),
    ...(no_shows > 0 ? [texts.booking.noShows({ count: no_shows })] : []),
    ...(cancelled > 0 ? [texts.clients.cancelled({ count: cancelled })] : []),
    ...(blocked ? [texts.booking.blocked] : []),
  ].join(' · ')
}

/** Renders the page of a client. */
export function clientPage(view: ClientView, notice: Html): ShownPage {
  const { visit, bookingId, client, ahead, past } = view
  const { id } = client
  const { clients: t, booking, setUp } = visit.texts
  const { first_name, last_name, email, phone } = client
  const name = fullName(first_name, last_name)
  const mayList = hasRole(visit.person, 'front_desk')
  const rows = (bookings: BookingRows, none: string) =>
    bookings.length === 0
      ? html`<p>${none}</p>`
      : html`<ul class="rows">
          ${bookings.map((row) => html`<li>${bookingRow(visit, row, whatOf(row))}</li>`)}
        </ul>`
  return {
    title: name,
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
      <header class="booking-head">
        <h1><bdi>${name}</bdi></h1>
        <p class="soft">${countText(view)}</p>
        ${tagsOf(client).map((tag) => html`<span class="state"><bdi>${tag}</bdi></span> `)}
      </header>
      ${client.notes === null ? '' : warning(html`<span class="unseen">${t.notes}:</span> <bdi class="written">${client.notes}</bdi>`)}
      ${stoppedPart(view, mayList)}
      <dl class="facts">
        <dt>${booking.email}</dt>
        <dd>${email === null ? booking.noEmail : html`<a href="mailto:${email}"><bdi>${email}</bdi></a>`}</dd>
        ${
          phone === null
            ? ''
            : html`<dt>${booking.phone}</dt>
                <dd>
                  <a href="tel:${dialled(phone)}"><bdi>${phone}</bdi></a>
                </dd>`
        }
        ${othersPart(view)}
      </dl>
      <div class="actions">
        <a class="button main" href="${bookAgainPath(view)}">${t.bookAgain}</a>
        ${
          mayList
            ? html`<a class="button" href="${clientPath(visit, id, '/edit')}">${t.edit}</a>
                <a class="button" href="${pathOf('/console/bookings', visit, { client: id })}"
                  >${booking.allBookings}</a
                >`
            : ''
        }
        ${
          visit.person.role === 'owner'
            ? html`<form method="post" action="${clientPath(visit, id, '/export')}" data-turbo="false">
                <button type="submit">${t.export}</button>
              </form>`
            : ''
        }
      </div>
      <h2>${t.ahead}</h2>
      ${rows(ahead, t.nothingAhead)}
      <h2>${t.past}</h2>
      ${rows(past, t.nothingPast)} ${mayList ? blockPart(view) : ''}`,
  }
}

/** Renders that a client gets no text messages, and the button that ends it. */
function stoppedPart({ visit, client, stopped }: ClientView, mayChange: boolean): Html {
  const t = visit.texts.clients
  if (stopped === undefined) return html``
  const { timezone } = visit.business
  const date = dayText(stopped, { timezone, locale: visit.locale })
  return html`<div class="notice">
    <p>${t.stopped({ date })}</p>
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

/** Renders others with the same address: a family, or one person who spelled their name in two ways. */
function othersPart({ visit, client, others }: ClientView): Html {
  const { clients: t } = visit.texts
  if (others.length === 0) return html``
  return html`<dt>${client.email === null ? t.samePhone : t.sameEmail}</dt>
    ${others.map(
      ({ client: { id, first_name, last_name } }) =>
        html`<dd>
          <a href="${clientPath(visit, id)}"><bdi>${fullName(first_name, last_name)}</bdi></a>
          <details class="more">
            <summary>${t.merge}</summary>
            <p>
              ${t.mergeHint({
                other: fullName(first_name, last_name),
                name: fullName(client.first_name, client.last_name),
              })}
            </p>
            <form method="post" action="${clientPath(visit, client.id, '/merge')}">
              ${hidden({ other: id })}
              <button type="submit">${t.merge}</button>
            </form>
          </details>
        </dd>`,
    )}`
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

function whatOf({ service_name, staff_name, notes }: BookingRows[number]): Html {
  return html`<span
      ><bdi>${service_name}</bdi>${staff_name === null ? '' : html` · <bdi>${staff_name}</bdi>`}</span
    >
    ${notes === null ? '' : html`<bdi class="soft written">${notes}</bdi>`}`
}

function blockPart({ visit, client, blocked }: ClientView): Html {
  const t = visit.texts.clients
  const { id, email } = client
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
          <button type="submit" class="main">${t.eraseNow}</button>
          <a class="button" href="${clientPath(visit, id)}">${t.keep}</a>
        </div>
      </form>
    </div>`,
  }
}
