import { html, type Html } from '../../base/html.ts'
import type { Instant } from '../../base/instants.ts'
import { policyOf } from '../../catalogue/change-policy-rules.ts'
import { presentBooking } from '../../bookings/presented-booking.ts'
import type { BookingRow } from '../../database/shown-booking.ts'
import { changeRulesOf } from '../../database/shown-item-rules.ts'
import { hidden } from '../../pages/form.ts'
import { icon } from '../../pages/icons.ts'
import { type ConsoleVisit, pathOf } from '../frame/console-page.ts'
import { clientName, momentText } from '../frame/formats.ts'

/* The parts of pages that show an open request. */

/** Renders the end of a request's time to answer. */
export function deadlineText(
  { texts, locale }: Pick<ConsoleVisit, 'texts' | 'locale'>,
  { respond_by: respondBy, timezone }: Pick<BookingRow, 'respond_by' | 'timezone'>,
): string {
  if (respondBy === null) return ''
  return texts.requests.answerBy({ time: momentText(respondBy, { timezone, locale }) })
}

/** Renders the buttons that answer a request. `to` names the page that follows, else it is that of the booking. */
export function answerButtons(visit: ConsoleVisit, row: BookingRow, to?: 'list'): Html {
  const { confirm, confirmOf, decline, declineOf } = visit.texts.requests
  const path = `/console/bookings/${row.id}/answer`
  const named = {
    client: clientName(presentBooking(row, visit.person).client, visit),
    time: momentText(row.starts_at, { timezone: row.timezone, locale: visit.locale }),
  }
  return html`<div class="answers not-printed">
    <form method="post" action="${pathOf(path, visit)}">
      ${hidden({ once: visit.once, answer: 'confirm', to })}
      <button type="submit" class="main" aria-label="${confirmOf(named)}">${confirm}</button>
    </form>
    <a class="button" href="${pathOf(path, visit, { to })}" aria-label="${declineOf(named)}">${decline}</a>
  </div>`
}

/** Renders the dates of a series, for all of which one answer is. Empty for a single one. */
export function datesPart(
  { texts, locale }: Pick<ConsoleVisit, 'texts' | 'locale'>,
  dates: readonly Instant[],
  timezone: string,
): Html {
  if (dates.length < 2) return html``
  return html`<details class="dates">
    <summary>${texts.requests.allDates({ count: dates.length })}</summary>
    <ul>
      ${dates.map((startsAt) => html`<li>${momentText(startsAt, { timezone, locale })}</li>`)}
    </ul>
  </details>`
}

/** Renders the deadline of a request and the buttons that answer it, for the top of its page. */
export function requestPart(
  visit: ConsoleVisit,
  row: BookingRow,
  { dates, now }: { dates: readonly Instant[]; now: Instant },
): Html {
  const title = visit.texts.booking.status.request
  return html`<section class="request" aria-label="${title}">
    <p>
      ${icon('waiting')} <span><b>${title}</b> <span>${deadlineText(visit, row)}</span></span>
    </p>
    ${datesPart(visit, dates, row.timezone)} ${lateNote(visit, row, now)} ${answerButtons(visit, row)}
  </section>`
}

/** Renders that the client could not cancel a booking online once the request is confirmed. */
function lateNote({ texts, locale }: ConsoleVisit, row: BookingRow, now: Instant): Html {
  const { cancelUntil } = policyOf(changeRulesOf(row), row, now)
  if (cancelUntil === null || now < cancelUntil) return html``
  const time = momentText(cancelUntil, { timezone: row.timezone, locale })
  return html`<p class="soft">${texts.requests.tooLate({ time })}</p>`
}
