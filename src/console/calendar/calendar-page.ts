import { isStaff } from '../../access/actor.ts'
import { dateOf, dayOf } from '../../availability/hours-rules.ts'
import type { Interval } from '../../availability/zone-rules.ts'
import { html, type Html } from '../../base/html.ts'
import { toMs } from '../../base/instants.ts'
import type { Slices } from '../../base/slices.ts'
import { type Calendar, presentCalendar } from '../../bookings/calendar.ts'
import { without } from '../../bookings/calendar-rules.ts'
import { maxDaysOver } from '../../bookings/objection-rules.ts'
import { hidden } from '../../pages/form.ts'
import { businessOf, type ConsoleVisit, pathOf } from '../frame/console-page.ts'
import { dateFormat, datesAt } from '../frame/formats.ts'

/*
 * The calendar as HTML: choices and the bar above. Grid and list are in separate files. It is complete
 * without a script.
 */

export const views = ['day', 'week', 'list'] as const
export type View = (typeof views)[number]

/** The choices in the page's address. */
export interface CalendarChoice {
  /** Undefined: the list on phones, otherwise the day. */
  view: View | undefined
  date: string
  location: string | undefined
  /** The chosen column; undefined for all, or for the first one in a week. */
  who: string | undefined
  /** True to show closed hours. */
  allHours: boolean
  /** Cursor of further columns; undefined for the first ones. */
  cursor: string | undefined
}

/** Returns the address of the calendar with another choice. */
export function calendarPath(visit: ConsoleVisit, choice: CalendarChoice): string {
  return pathOf('/console', visit, addressOf(choice))
}

/** Returns the address of the part of the calendar that changes. */
export function livePath(visit: ConsoleVisit, choice: CalendarChoice): string {
  return pathOf('/console/calendar', visit, addressOf(choice))
}

function addressOf({ view, date, location, who, allHours, cursor }: CalendarChoice) {
  return { view, date, location, who, hours: allHours ? 'all' : undefined, cursor }
}

export type Shown = Awaited<ReturnType<typeof presentCalendar>>
export type ShownBooking = Shown['bookings'][number]

/** Data for the parts of the page. */
export interface CalendarView {
  visit: ConsoleVisit
  choice: CalendarChoice
  calendar: Calendar
  /** The chosen columns, and their content. */
  columns: Calendar['columns']
  shown: Shown
  /** Bookings and holds by column. */
  taken: ReadonlyMap<string, (ShownBooking | Shown['holds'][number])[]>
  nowMs: number
  /** Divides the rendering of the page, so that other requests proceed. */
  slices: Slices
}

/**
 * Returns the chosen part of a calendar. A week shows one column, by default that of the person themselves.
 */
export async function chosenView(
  calendar: Calendar,
  { visit, choice, nowMs, slices }: Pick<CalendarView, 'visit' | 'choice' | 'nowMs' | 'slices'>,
): Promise<CalendarView> {
  const all = await presentCalendar(calendar, visit.person, slices)
  const isWeek = choice.view === 'week'
  const known = (id: string | null | undefined) => calendar.columns.find((column) => column.id === id)
  const only =
    known(choice.who) ?? (isWeek ? (known(visit.person.staffId) ?? calendar.columns[0]) : undefined)
  const columns = only ? [only] : calendar.columns
  const ids = new Set(columns.map(({ id }) => id))
  const shown = {
    ...all,
    bookings: all.bookings.filter(({ column_id }) => ids.has(column_id)),
    holds: all.holds.filter(({ column_id }) => ids.has(column_id)),
    blocks: blocksIn(all.blocks, columns),
  }
  const taken = Map.groupBy([...shown.bookings, ...shown.holds], ({ column_id }) => column_id)
  const present = { ...choice, who: known(choice.who)?.id }
  return { visit, choice: present, calendar, columns, shown, taken, nowMs, slices }
}

/** Formats of a page, cached because many appointments begin at the same time. */
export class Formats {
  private readonly times = new Map<number, string>()
  private readonly clock: Intl.DateTimeFormat
  private readonly named: Intl.DateTimeFormat
  private readonly day: Intl.DateTimeFormat

  constructor(locale: string, timeZone: string) {
    const time = { hour: 'numeric', minute: '2-digit' } as const
    this.clock = dateFormat(locale, timeZone, time)
    this.named = dateFormat(locale, timeZone, { ...time, timeZoneName: 'short' })
    this.day = dateFormat(locale, timeZone, { weekday: 'short', day: 'numeric', month: 'short' })
  }

  time(ms: number): string {
    const known = this.times.get(ms)
    if (known !== undefined) return known
    const text = this.clock.format(ms)
    this.times.set(ms, text)
    return text
  }

  /** Formats a time with the zone's current abbreviation, such as CEST. */
  namedTime(ms: number): string {
    const zone = this.named.formatToParts(ms).find(({ type }) => type === 'timeZoneName')
    return `${this.time(ms)} ${zone?.value ?? ''}`
  }

  date(ms: number): string {
    return this.day.format(ms)
  }
}

/** Renders the bar above: dates, views, filters and actions. */
export function calendarBar(view: CalendarView): Html {
  const { visit, choice, calendar } = view
  const { texts, locale } = visit
  const t = texts.calendar
  const step = choice.view === 'week' ? 7 : 1
  const at = (date: string) => calendarPath(visit, { ...choice, date })
  const shift = (days: number) => at(dateOf(dayOf(choice.date) + days))
  const today = pathOf('/console', visit, {
    view: choice.view,
    location: choice.location,
    who: choice.who,
    cursor: choice.cursor,
  })
  return html`<div class="cal-bar ${choice.view === undefined ? 'by-width' : ''}">
    <h1>${headingOf(choice, datesAt(locale, calendar.timezone))}</h1>
    <nav class="cal-days" aria-label="${t.date}">
      <a class="button" rel="prev" href="${shift(-step)}" aria-label="${t.previous}">‹</a>
      <a class="button" href="${today}">${t.today}</a>
      <a class="button" rel="next" href="${shift(step)}" aria-label="${t.next}">›</a>
    </nav>
    ${
      choice.view === undefined
        ? html`${viewLinks(visit, choice, 'day', 'as-grid')}${viewLinks(visit, choice, 'list', 'as-list')}`
        : viewLinks(visit, choice, choice.view)
    }
    <div id="cal-tools" class="cal-tools" popover>${filterForm(view)} ${searchForm(visit)}</div>
    <p class="cal-do">
      <a class="button main" href="${pathOf('/console/book', visit, placeChoice(view))}">+ ${t.book}</a>
      <a class="button" href="${pathOf('/console/block', visit, placeChoice(view))}">${t.block}</a>
      <button type="button" class="button cal-more" popovertarget="cal-tools">${toolsName(view)}</button>
    </p>
  </div>`
}

/** Renders links to the next and first columns, if a business has more than a page shows. */
export function furtherColumns({ visit, choice, calendar }: CalendarView): Html {
  const t = visit.texts.calendar
  const { nextCursor } = calendar
  if (nextCursor === null && choice.cursor === undefined) return html``
  const link = (cursor: string | undefined, text: string) =>
    html`<a class="button" href="${calendarPath(visit, { ...choice, cursor })}">${text}</a>`
  return html`<p class="actions not-printed">
    ${choice.cursor === undefined ? '' : link(undefined, t.firstColumns)}
    ${nextCursor === null ? '' : link(nextCursor, t.moreColumns)}
  </p>`
}

/**
 * Renders the view links twice, because the default depends on the page's width. One of each pair is hidden.
 */
function viewLinks(visit: ConsoleVisit, choice: CalendarChoice, present: View, where = ''): Html {
  const t = visit.texts.calendar
  return html`<nav class="cal-views ${where}" aria-label="${t.view}">
    ${views.map(
      (view) =>
        html`<a
          class="button"
          href="${calendarPath(visit, { ...choice, view })}"
          ${view === present ? html`aria-current="page"` : ''}
          >${t.views[view]}</a
        >`,
    )}
  </nav>`
}

/** Returns the label of the button for date, filters and search on phones, which shows the choice. */
function toolsName(view: CalendarView): Html {
  const { visit, choice, calendar } = view
  const { texts } = visit
  const place = calendar.catalogue.locations.find(({ id }) => id === choice.location)?.name
  const column = onlyColumn(view)
  const chosen = [place, column && columnName(column, calendar.columns)].filter((name) => name !== undefined)
  return chosen.length === 0
    ? html`${texts.calendar.tools}`
    : html`${chosen.map((name, index) => html`${index === 0 ? '' : ', '}<bdi>${name}</bdi>`)} ▾`
}

/** Formats the day, or the first and last day of the week. */
function headingOf({ view, date }: CalendarChoice, locale: string): string {
  const atMs = (day: string) => dayOf(day) * 86_400_000
  const days = view === 'week' ? weekOf(date) : [date]
  const format = dateFormat(locale, 'UTC', { dateStyle: view === 'week' ? 'long' : 'full' })
  return format.formatRange(atMs(days[0] ?? date), atMs(days.at(-1) ?? date))
}

/** Returns the only visible column: the chosen one, or that of a week. */
function onlyColumn({ choice, columns }: CalendarView): Column | undefined {
  return choice.who !== undefined || choice.view === 'week' ? columns[0] : undefined
}

function placeChoice(view: CalendarView): Record<string, string | undefined> {
  const { visit, choice } = view
  const column = onlyColumn(view)
  const who = column && mayBook(visit, column) ? column.id : undefined
  return { date: choice.date, location: choice.location, who }
}

function filterForm(view: CalendarView): Html {
  const { visit, choice, calendar } = view
  const { catalogue, columns } = calendar
  const t = visit.texts.calendar
  const first = choice.view === 'week' && choice.who === undefined ? view.columns[0] : undefined
  const places = catalogue.locations.filter(({ active }) => active)
  const option = (id: string | undefined, name: string, chosen: string | undefined) =>
    html`<option value="${id ?? ''}" ${id === chosen ? html`selected` : ''}>${name}</option>`
  return html`<form class="cal-filter" method="get" action="/console">
    ${hidden({ view: choice.view, business: businessOf(visit), cursor: choice.cursor })}
    <label
      ><span class="unseen">${t.date}</span><input type="date" name="date" value="${choice.date}" required
    /></label>
    ${
      places.length > 1
        ? html`<label
            ><span class="unseen">${t.location}</span
            ><select name="location">
              ${option(undefined, t.allLocations, choice.location)}
              ${places.map(({ id, name }) => option(id, name, choice.location))}
            </select></label
          >`
        : ''
    }
    <label
      ><span class="unseen">${t.who}</span
      ><select name="who">
        ${choice.view === 'week' ? '' : option(undefined, t.everyone, choice.who)}
        ${columns.map((column) => option(column === first ? undefined : column.id, columnName(column, columns), choice.who))}
      </select></label
    >
    <button type="submit">${t.show}</button>
  </form>`
}

/** Renders the search for a client's bookings at any time. The key `/` focuses it. */
function searchForm(visit: ConsoleVisit): Html {
  const { bookings, clients } = visit.texts
  return html`<form class="cal-search" method="get" action="/console/bookings" role="search">
    ${hidden({ business: businessOf(visit), when: 'all' })}
    <label
      ><span class="unseen">${bookings.search}</span
      ><input
        type="search"
        name="q"
        placeholder="${bookings.search}"
        minlength="3"
        maxlength="100"
        dir="auto"
        required
    /></label>
    <button type="submit">${clients.find}</button>
  </form>`
}

/** Returns the name of a column, with its location if the service has several. */
export function columnName(
  { staff, service, location }: Calendar['columns'][number],
  columns: Calendar['columns'],
): string {
  if (!service) return staff?.name ?? ''
  const isAlone = columns.filter((other) => other.service?.id === service.id).length < 2
  return isAlone || !location ? service.name : `${service.name} · ${location.name}`
}

/** Returns the dates from Monday to Sunday. */
export function weekOf(date: string): string[] {
  const day = dayOf(date)
  const monday = day - ((day + 3) % 7)
  return Array.from({ length: 7 }, (_, index) => dateOf(monday + index))
}

export const fiveMinutesMs = 300_000

const nextStart = (nowMs: number) => Math.ceil(nowMs / fiveMinutesMs) * fiveMinutesMs

type Column = Calendar['columns'][number]

/** Returns true if the reader can book the column. Staff can only book themselves. */
export function mayBook({ person }: ConsoleVisit, { staff }: Column): boolean {
  return !isStaff(person) || person.staffId === staff?.id
}

/** Returns the times at which a column can still be booked: open, not blocked, and with a free seat. */
export function freeIn(view: CalendarView, column: Column, { from, to }: Interval): Interval[] {
  return gapsIn(view, column, { from: Math.max(from, nextStart(view.nowMs)), to })
}

/** Returns free times in the past, as far back as bookings may be recorded. */
export function overIn(view: CalendarView, column: Column, { from, to }: Interval): Interval[] {
  const now = nextStart(view.nowMs)
  const first = now - maxDaysOver * 24 * 12 * fiveMinutesMs
  return gapsIn(view, column, { from: Math.max(from, first), to: Math.min(to, now) })
}

function gapsIn({ shown, taken: all }: CalendarView, column: Column, within: Interval): Interval[] {
  const taken = all.get(column.id) ?? []
  const seats = column.service?.capacity ?? 1
  const blocked = blocksOf(shown.blocks, column).map(spanOf)
  const open = column.open
    .map((span) => ({ from: Math.max(span.from, within.from), to: Math.min(span.to, within.to) }))
    .filter((span) => span.from < span.to)
  return without(open, [...fullTimes(taken, seats), ...blocked]).filter(
    (gap) => gap.to - gap.from >= fiveMinutesMs,
  )
}

export interface Taken {
  taken_from: string
  taken_until: string
  party_size: number
}

/** Returns the times at which all seats are taken. */
function fullTimes(taken: readonly Taken[], seats: number): Interval[] {
  const spans = taken.map((one) => ({ ...takenOf(one), size: one.party_size }))
  if (seats === 1) return spans
  const edges = [...new Set(spans.flatMap(({ from, to }) => [from, to]))].sort((one, other) => one - other)
  return edges.slice(0, -1).flatMap((from, index) => {
    const inUse = spans.filter((one) => one.from <= from && from < one.to)
    const full = inUse.reduce((sum, { size }) => sum + size, 0) >= seats
    return full ? [{ from, to: edges[index + 1] ?? from }] : []
  })
}

/** Returns the blocks that concern one of the columns. */
function blocksIn(blocks: Shown['blocks'], columns: Calendar['columns']): Shown['blocks'] {
  const people = new Set(columns.map(({ staff }) => staff?.id))
  const places = new Set(columns.map(({ location }) => location?.id))
  return ofColumns(blocks).filter(({ staff_id, location_id }) =>
    staff_id !== null ? people.has(staff_id) : places.has(undefined) || places.has(location_id ?? undefined),
  )
}

/** Leaves out blocks of resources, which close no column. */
function ofColumns(blocks: Shown['blocks']): Shown['blocks'] {
  return blocks.filter(({ resource_id }) => resource_id === null)
}

export function blocksOf(blocks: Shown['blocks'], { staff, location }: Calendar['columns'][number]) {
  return ofColumns(blocks).filter((block) =>
    block.staff_id !== null
      ? block.staff_id === staff?.id
      : location === undefined || block.location_id === location.id,
  )
}

/** Formats a block with its reason. */
export function blockText({ texts: { calendar } }: ConsoleVisit, reason: string | null): string {
  return reason === null ? calendar.blocked : calendar.blockedFor({ reason })
}

const takenOf = (one: Taken): Interval => ({
  from: Date.parse(one.taken_from),
  to: Date.parse(one.taken_until),
})
export const spanOf = (one: { starts_at: string; ends_at: string }): Interval => ({
  from: Date.parse(one.starts_at),
  to: Date.parse(one.ends_at),
})

/** Returns the status of a booking in a word or two; empty for a confirmed one. */
export function markOf(
  { status, no_show, deposit_due }: ShownBooking,
  visit: ConsoleVisit,
): { sign: string; text: string } {
  const t = visit.texts.calendar
  if (no_show) return { sign: '✗', text: t.noShow }
  if (deposit_due) return { sign: '€', text: t.depositDue }
  const sign = { pending: '?', confirmed: '✓', in_progress: '▶', completed: '✔', cancelled: '✗' }[status]
  return { sign, text: t.status[status] }
}

/** Formats minutes and seconds: 7:05. */
export function leftText(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** Returns the current instant from the server's clock. */
export function nowOf(context: { clock: { now(): Parameters<typeof toMs>[0] } }): number {
  return toMs(context.clock.now())
}
