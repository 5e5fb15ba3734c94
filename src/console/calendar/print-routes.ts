import type { FastifyInstance } from 'fastify'
import { dateOf, dayOf } from '../../availability/hours-rules.ts'
import { html, type Html } from '../../base/html.ts'
import { isUuid } from '../../base/ids.ts'
import { instantFromMs, isDate } from '../../base/instants.ts'
import { listBookings } from '../../bookings/booking.ts'
import type { Context } from '../../bookings/context.ts'
import { filledInQuery } from '../bookings/book-routes.ts'
import { type BusinessVisit, type ConsoleRoute, consoleRoutes } from '../frame/console-route.ts'
import { emptyState } from '../frame/empty-state.ts'
import { clientName, dateFormat, wallFields } from '../frame/formats.ts'
import { columnName, Formats, markOf, noteText } from './calendar-page.ts'
import {
  type CalendarView,
  type Column,
  onlyOf,
  readDays,
  type ShownBooking,
  spanOf,
} from './calendar-view.ts'
import { partWords } from './visit-parts.ts'

/** Registers the day for the printer: a page for each person. */
export function printRoutes(app: FastifyInstance, context: Context): void {
  consoleRoutes(app, context, [printRoute(context)])
}

function printRoute(context: Context): ConsoleRoute {
  return {
    path: '/console/print',
    name: 'PrintedDay',
    summary: 'A day for the printer, with a page for each person',
    role: 'staff',
    query: filledInQuery,
    show: async (visit, { query }) => {
      const { timezone } = visit.business
      const { date: today } = wallFields(context.clock.now(), timezone)
      const { date: wanted = today, who, location } = query
      const date = isDate(wanted) ? wanted : today
      const columnId = who !== undefined && isUuid(who) ? who : undefined
      const days = { from: date, to: date, ...(columnId !== undefined && { columnId }) }
      const notes = await notesOf(context, visit, date)
      const parts = await readDays(context, visit, days, (view) => pagesOf(view, { date, location, notes }))
      const t = visit.texts.calendar
      const body = html`<div class="head not-printed">
          <h1>${t.print}</h1>
          <button type="button" class="main" data-print hidden>${visit.texts.booking.print}</button>
          <noscript><p class="soft">${t.printHint}</p></noscript>
        </div>
        ${parts.length === 0 ? emptyState('calendar', t.nothing) : parts}`
      return { title: t.print, section: 'calendar', body }
    },
  }
}

/** Maximum number of bookings whose notes are read: those of one calendar. */
const maxRead = 20
const notesPerPage = 100

/** Reads the notes of bookings that begin on a day, by booking. Those of colleagues stay hidden from staff. */
async function notesOf(
  context: Context,
  { person, business }: BusinessVisit,
  date: string,
): Promise<Map<string, string>> {
  const at = (day: string) =>
    instantFromMs(Temporal.PlainDate.from(day).toZonedDateTime(business.timezone).epochMilliseconds)
  const query = {
    from: at(date),
    to: at(dateOf(dayOf(date) + 1)),
    sort: 'starts_at' as const,
    business_id: business.id,
  }
  const notes = new Map<string, string>()
  let cursor: string | null = null
  for (let page = 0; page < maxRead; page += 1) {
    const found: Awaited<ReturnType<typeof listBookings>> = await listBookings(context, person, {
      ...{ ...query, limit: notesPerPage },
      ...(cursor !== null && { cursor }),
    })
    for (const { id, notes: text } of found.data) if (text !== null) notes.set(id, text)
    cursor = found.next_cursor
    if (cursor === null) break
  }
  return notes
}

interface Printed {
  date: string
  location: string | undefined
  notes: ReadonlyMap<string, string>
}

/** Renders a page for each column with appointments. */
function pagesOf(view: CalendarView, printed: Printed): Promise<Html[]> {
  const formats = new Formats(view.visit.locale, view.calendar.timezone)
  return view.slices
    .map(view.columns, (column) => {
      const { shown } = onlyOf(view, column)
      const bookings = shown.bookings
        .filter((one) => printed.location === undefined || one.location.id === printed.location)
        .toSorted((one, other) => spanOf(one).from - spanOf(other).from)
      return bookings.length === 0 ? undefined : pageOf(view, { column, bookings, formats, printed })
    })
    .then((pages) => pages.filter((page) => page !== undefined))
}

function pageOf(
  view: CalendarView,
  {
    column,
    bookings,
    formats,
    printed,
  }: { column: Column; bookings: ShownBooking[]; formats: Formats; printed: Printed },
): Html {
  const { visit, calendar } = view
  const t = visit.texts
  const day = dateFormat(visit.locale, 'UTC', {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
  })
  const name = columnName(column, calendar.columns)
  return html`<section class="printed-day">
    <h2><bdi>${name}</bdi>, ${day.format(dayOf(printed.date) * 86_400_000)}</h2>
    <table>
      <thead>
        <tr>
          <th scope="col">${t.book.time}</th>
          <th scope="col">${t.booking.client}</th>
          <th scope="col">${t.booking.phone}</th>
          <th scope="col">${t.book.notes}</th>
        </tr>
      </thead>
      <tbody>
        ${bookings.map((booking) => rowOf(view, booking, { formats, note: 'redacted' in booking ? undefined : printed.notes.get(booking.id) }))}
      </tbody>
    </table>
  </section>`
}

function rowOf(
  view: CalendarView,
  booking: ShownBooking,
  { formats, note }: { formats: Formats; note: string | undefined },
): Html {
  const { visit } = view
  const { from, to } = spanOf(booking)
  const words = partWords(view.visits, visit, booking)
  const mark = markOf(booking, visit)
  const more = [
    booking.service.name,
    ...(booking.party_size > 1 ? [visit.texts.calendar.people({ count: booking.party_size })] : []),
    ...(words?.others === undefined ? [] : [words.others]),
    ...(mark.sign === '' ? [] : [mark.text]),
  ]
  return html`<tr>
    <td>${formats.time(from)}–${formats.time(to)}</td>
    <td>
      <b><bdi>${clientName(booking.client, visit)}</bdi></b>
      <div>${more.map((part, index) => html`${index === 0 ? '' : ' · '}<bdi>${part}</bdi>`)}</div>
    </td>
    <td><bdi>${booking.client.phone ?? ''}</bdi></td>
    <td>${noteText(view, booking)}${note === undefined ? '' : html`<bdi class="written">${note}</bdi>`}</td>
  </tr>`
}
