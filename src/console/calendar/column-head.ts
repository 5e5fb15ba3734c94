import type { Interval } from '../../availability/zone-rules.ts'
import { html, type Html } from '../../base/html.ts'
import { merged, without } from '../../bookings/calendar-rules.ts'
import { pathOf } from '../frame/console-page.ts'
import { faceOf } from '../frame/faces.ts'
import { lengthText } from '../frame/formats.ts'
import { percentText } from '../reports/report-formats.ts'
import { calendarPath, type Formats } from './calendar-page.ts'
import { blocksOf, type CalendarView, type Column, spanOf } from './calendar-view.ts'
import type { Rows } from './day-layout.ts'
import { fiveMinutesMs, mayBook, mostUsed, stretchesOf } from './free-time.ts'

/* The head of a column: its owner, and the booked part of its day. */

const minuteMs = 60_000

interface HeadView extends CalendarView {
  formats: Formats
  /** The visible rows, which stand for the working hours of people who are always open. */
  window: Rows
}

/** Renders the head of a column on a day. A week shows the same person every day, so without initials. */
export function columnHead(
  view: HeadView,
  { label, column, day }: { label: string; column: Column; day: Interval },
): Html {
  const isWeek = view.choice.view === 'week'
  const { resource, staff } = column
  const sign = isWeek
    ? ''
    : resource
      ? html`<span class="face is-room" aria-hidden="true">${resource.quantity}</span>`
      : staff
        ? faceOf(staff)
        : ''
  const load = resource
    ? useText(view, column, day)
    : column.service
      ? closedText(view, column, day)
      : loadText(view, column, day)
  return html`<div class="cal-head">
    ${sign}
    <div class="cal-whose">
      <h2><bdi>${isWeek ? view.formats.dayOfWeek(day.from) : label}</bdi></h2>
      ${load === '' ? '' : html`<p>${load}</p>`}
    </div>
    ${staff && !isWeek ? personMenu(view, column, label) : ''}
  </div>`
}

/** Renders the menu of a person: their week, absence and printed day. The button covers the head. */
function personMenu({ visit, choice }: HeadView, column: Column, name: string): Html {
  const { calendar: t, away } = visit.texts
  const id = `cal-who-${column.id}`
  const { date } = choice
  const link = (path: string, text: string) => html`<a class="button" href="${path}">${text}</a>`
  const own = { date, who: column.id }
  return html`<button type="button" class="cal-who" popovertarget="${id}">
      <span class="unseen">${visit.texts.frame.menu}: ${name}</span>
    </button>
    <div id="${id}" class="cal-tools" popover>
      ${link(calendarPath(visit, { ...choice, view: 'week', who: column.id }), t.views.week)}
      ${
        mayBook(visit, column)
          ? html`${link(pathOf('/console/away', visit, own), away.title)}
            ${link(pathOf('/console/block', visit, own), t.block)}`
          : ''
      }
      ${link(pathOf('/console/print', visit, own), t.print)}
    </div>`
}

/** Renders the booked time of a day and its share of the working hours: "5 h 30 · 79 %". */
function loadText(view: HeadView, column: Column, day: Interval): Html | string {
  const { visit, shown, taken } = view
  const within = (spans: readonly Interval[]) =>
    spans
      .map(({ from, to }) => ({ from: Math.max(from, day.from), to: Math.min(to, day.to) }))
      .filter(({ from, to }) => from < to)
  const bookings = (taken.get(column.id) ?? []).filter((one) => 'status' in one)
  const busy = minutesOf(merged(within(bookings.flatMap(stretchesOf))))
  const blocked = blocksOf(shown.blocks, column).map(spanOf)
  const open = minutesOf(without(within(column.open), blocked))
  const { off } = visit.texts.calendar
  if (open === 0)
    return busy === 0 ? off : html`${off}<span class="cal-booked"> · ${lengthText(visit, busy)}</span>`
  const { first, end } = view.window
  const hours = Math.min(open, ((end - first) * fiveMinutesMs) / minuteMs)
  return html`<span class="cal-booked">${lengthText(visit, busy)} · </span
    >${percentText(Math.min(1, busy / hours), visit.locale)}`
}

/** Returns a text for a service that has no hours on a day. Services without staff have no working hours. */
function closedText({ visit }: HeadView, { open }: Column, day: Interval): string {
  return open.some(({ from, to }) => from < day.to && to > day.from) ? '' : visit.texts.calendar.closed
}

/** Formats how many rooms are in use at the busiest time: "2 in use at 11:00". */
function useText(view: HeadView, column: Column, day: Interval): string {
  const most = mostUsed(view, column, day)
  const t = view.visit.texts.calendar
  if (!most || most.size === 0) return t.notUsed
  return t.inUse({ count: most.size, time: view.formats.time(Math.max(most.from, day.from)) })
}

function minutesOf(spans: readonly Interval[]): number {
  return Math.round(spans.reduce((sum, { from, to }) => sum + to - from, 0) / minuteMs)
}
