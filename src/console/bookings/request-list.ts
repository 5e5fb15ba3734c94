import { html, type Html } from '../../base/html.ts'
import type { Context } from '../../bookings/context.ts'
import { listRequests } from '../../bookings/request.ts'
import { presentBooking } from '../../bookings/presented-booking.ts'
import type { BookingRow } from '../../database/shown-booking.ts'
import { type ConsoleVisit, pathOf } from '../frame/console-page.ts'
import { face } from '../frame/faces.ts'
import { clientName, momentText } from '../frame/formats.ts'
import { pageOrFirst } from '../frame/lists.ts'
import { bookingPath } from './booking-page.ts'
import { namesOfPeople, titleOf } from './item-list.ts'
import { answerButtons, datesPart, deadlineText } from './request-parts.ts'

/** Renders a page of the unanswered requests with their buttons, those that end first at the top. Empty without any. */
export async function requestList(
  context: Context,
  visit: ConsoleVisit,
  address: Record<string, string | undefined>,
): Promise<Html> {
  const { business, openRequests, person, texts } = visit
  if (!business || openRequests === 0) return html``
  const { data: requests, next_cursor } = await pageOrFirst(address['requests'], (cursor) =>
    listRequests(context, person, { businessId: business.id, cursor }),
  )
  const at = (cursor: string | undefined) =>
    `${pathOf('/console/bookings', visit, { ...address, requests: cursor })}#requests`
  const first = html`<a class="button" href="${at(undefined)}">${texts.requests.first}</a>`
  const next =
    next_cursor === null ? '' : html`<a class="button" href="${at(next_cursor)}">${texts.requests.more}</a>`
  const isLater = address['requests'] !== undefined
  return html`<section class="requests" id="requests" aria-labelledby="requests-title">
    <h2 id="requests-title">${texts.requests.title}</h2>
    <p class="soft">${texts.requests.what}</p>
    <ul>
      ${requests.map((dates) => html`<li class="request">${requestRow(visit, dates)}</li>`)}
    </ul>
    ${isLater || next_cursor !== null ? html`<p class="actions">${isLater ? first : ''} ${next}</p>` : ''}
  </section>`
}

function requestRow(visit: ConsoleVisit, dates: readonly [BookingRow, ...BookingRow[]]): Html {
  const [row] = dates
  const starts = dates.map(({ starts_at }) => starts_at)
  const name = clientName(presentBooking(row, visit.person).client, visit)
  const people = namesOfPeople(row).join(', ')
  const at = momentText(row.starts_at, { timezone: row.timezone, locale: visit.locale })
  return html`<p>
      ${face(name)}
      <span>
        <a href="${bookingPath({ visit, row })}"><bdi class="client-name">${name}</bdi></a>
        <span
          ><bdi>${titleOf(row)}</bdi> ·
          ${at}${people === '' ? '' : html` <bdi>${visit.texts.calendar.withWhom({ name: people })}</bdi>`}</span
        >
        <b>${deadlineText(visit, row)}</b>
      </span>
    </p>
    ${datesPart(visit, starts, row.timezone)} ${answerButtons(visit, row, 'list')}`
}
