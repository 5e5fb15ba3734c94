import { html, type Html } from '../../base/html.ts'
import type { Context } from '../../bookings/context.ts'
import { listRequests } from '../../bookings/request.ts'
import { presentBooking } from '../../bookings/presented-booking.ts'
import type { BookingRow } from '../../database/shown-booking.ts'
import type { ConsoleVisit } from '../frame/console-page.ts'
import { face } from '../frame/faces.ts'
import { clientName, momentText } from '../frame/formats.ts'
import { bookingPath } from './booking-page.ts'
import { namesOfPeople, titleOf } from './item-list.ts'
import { answerButtons, datesPart, deadlineText } from './request-parts.ts'

/** Renders the unanswered requests with their buttons, those that end first at the top. Empty without any. */
export async function requestList(context: Context, visit: ConsoleVisit): Promise<Html> {
  const { business, openRequests, person, texts } = visit
  if (!business || openRequests === 0) return html``
  const requests = await listRequests(context, person, business.id)
  return html`<section class="requests" id="requests" aria-labelledby="requests-title">
    <h2 id="requests-title">${texts.requests.title}</h2>
    <p class="soft">${texts.requests.what}</p>
    <ul>
      ${requests.map((dates) => html`<li class="request">${requestRow(visit, dates)}</li>`)}
    </ul>
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
