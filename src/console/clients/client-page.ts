import { hasRole } from '../../access/actor.ts'
import { dialled, fullName, hasEmail } from '../../base/contact-formats.ts'
import { html, type Html } from '../../base/html.ts'
import { type Instant, readInstant } from '../../base/instants.ts'
import type { listClients } from '../../bookings/client.ts'
import { hidden } from '../../pages/form.ts'
import { bookingRow, type BookingRows } from '../bookings/booking-page.ts'
import { businessOf, type ConsoleVisit, pathOf } from '../frame/console-page.ts'
import { face } from '../frame/faces.ts'
import type { BusinessVisit, ShownPage } from '../frame/console-route.ts'
import { momentText } from '../frame/formats.ts'

/*
 * The list of a business's clients, and the page of one. Addresses of pages identify a client by a booking,
 * never by email.
 */

type Client = Awaited<ReturnType<typeof listClients>>['data'][number]

/** A client with the bookings on their page. */
export interface ClientView {
  visit: BusinessVisit
  /** The booking that identifies the client in the address. */
  id: string
  client: Client
  /** Other clients with the same address, at most a few. */
  others: Client[]
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
  clients: Client[]
  nextCursor: string | null
}

/** Renders the list and its search. */
export function clientList(visit: BusinessVisit, { q, fault, clients, nextCursor }: ClientList): Html {
  const { clients: t, setUp } = visit.texts
  const empty = nextCursor !== null ? t.searchOn : q === '' || fault !== undefined ? t.nobody : t.nobodyFound
  return html`<h1>${t.title}</h1>
    <form method="get" action="/console/clients" class="filters" role="search">
      ${hidden({ business: businessOf(visit) })}
      <div>
        <label for="q">${t.search}</label>
        <input id="q" name="q" type="search" value="${q}" maxlength="100" dir="auto" autocomplete="off" />
      </div>
      <button type="submit" class="main">${t.find}</button>
    </form>
    ${fault === undefined ? '' : html`<p class="fault" role="status">${fault}</p>`}
    ${
      clients.length === 0
        ? html`<p>${empty}</p>`
        : html`<ul class="rows">
            ${clients.map((client) => clientRow(visit, client))}
          </ul>`
    }
    ${
      nextCursor === null
        ? ''
        : html`<p>
            <a
              class="button"
              href="${pathOf('/console/clients', visit, { q: q || undefined, cursor: nextCursor })}"
              >${setUp.next}</a
            >
          </p>`
    }`
}

function clientRow(visit: BusinessVisit, client: Client): Html {
  const { clients: t, booking } = visit.texts
  const { last_at, next_at } = client
  const at = (text: string) =>
    momentText(readInstant(text), { timezone: visit.business.timezone, locale: visit.locale })
  const times = [
    ...(next_at === null ? [] : [t.next({ when: at(next_at) })]),
    ...(last_at === null ? [] : [t.last({ when: at(last_at) })]),
  ]
  const name = fullName(client.first_name, client.last_name)
  return html`<li>
    <a class="row" href="${clientPath(visit, client.latest_booking_id)}">
      <span class="row-who">${face(name)} <bdi class="client-name">${name}</bdi></span>
      <span class="row-what">
        <span
          >${[client.email, client.phone ?? '']
            .filter((part) => part !== '')
            .map((part, at) => html`${at === 0 ? '' : ' · '}<bdi>${part}</bdi>`)}</span
        >
        <span class="soft">${times.join(' · ')}</span>
      </span>
      <span class="soft"
        >${t.visits({ count: client.visits })}${client.blocked ? html` · <b>${booking.blocked}</b>` : ''}</span
      >
    </a>
  </li>`
}

function countText({ texts }: ConsoleVisit, { visits, no_shows, cancelled, blocked }: Client): string {
  return [
    texts.clients.visits({ count: visits }),
    ...(no_shows > 0 ? [texts.booking.noShows({ count: no_shows })] : []),
    ...(cancelled > 0 ? [texts.clients.cancelled({ count: cancelled })] : []),
    ...(blocked ? [texts.booking.blocked] : []),
  ].join(' · ')
}

/** Renders the page of a client. */
export function clientPage(view: ClientView, notice: Html): ShownPage {
  const { visit, id, client, ahead, past } = view
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
        <a class="back" href="${pathOf(mayList ? '/console/clients' : `/console/bookings/${id}`, visit)}"
          >← ${setUp.back}</a
        >
      </p>
      ${notice}
      <header class="booking-head">
        <h1><bdi>${name}</bdi></h1>
        <p class="soft">${countText(visit, client)}</p>
      </header>
      <dl class="facts">
        <dt>${booking.email}</dt>
        <dd>
          ${hasEmail(email) ? html`<a href="mailto:${email}"><bdi>${email}</bdi></a>` : booking.noEmail}
        </dd>
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
            ? html`<a class="button" href="${pathOf('/console/bookings', visit, { client: id })}"
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

/** Renders others with the same address: a family, or one person who spelled their name in two ways. */
function othersPart({ visit, client, others }: ClientView): Html {
  const { clients: t } = visit.texts
  if (others.length === 0) return html``
  return html`<dt>${hasEmail(client.email) ? t.sameEmail : t.samePhone}</dt>
    ${others.map(
      ({ first_name, last_name, latest_booking_id }) =>
        html`<dd>
          <a href="${clientPath(visit, latest_booking_id)}"><bdi>${fullName(first_name, last_name)}</bdi></a>
        </dd>`,
    )}`
}

/** Returns the address for booking the same service and staff member for the same client. */
function bookAgainPath({ visit, id, ahead, past }: ClientView): string {
  const latest = past[0] ?? ahead[0]
  return pathOf('/console/book', visit, {
    client: id,
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

function blockPart({ visit, id, client }: ClientView): Html {
  const t = visit.texts.clients
  const { blocked } = client
  return html`<details class="more" ${blocked ? html`open` : ''}>
    <summary>${t.more}</summary>
    ${hasEmail(client.email) ? html`<p class="soft">${blocked ? t.isBlocked : t.blockHint}</p>` : ''}
    <div class="actions">
      ${
        hasEmail(client.email)
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
export function erasePage({ visit, id, client, others, ahead }: ClientView, now: Instant): ShownPage {
  const t = visit.texts.clients
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
      ${
        others.length === 0
          ? ''
          : html`<p class="alert">
              ${t.eraseOthers}
              ${others.map(
                ({ first_name, last_name }, index) =>
                  html`${index === 0 ? '' : ', '}<bdi>${fullName(first_name, last_name)}</bdi>`,
              )}
            </p>`
      }
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
