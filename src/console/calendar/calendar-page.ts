import { dateOf, dayOf } from '../../availability/hours-rules.ts'
import { html, type Html } from '../../base/html.ts'
import type { Calendar } from '../../bookings/calendar.ts'
import { hidden } from '../../pages/form.ts'
import { icon } from '../../pages/icons.ts'
import { businessOf, type ConsoleVisit, pathOf } from '../frame/console-page.ts'
import { face, faceOf } from '../frame/faces.ts'
import { dateFormat, datesAt } from '../frame/formats.ts'
import {
  type CalendarChoice,
  type CalendarView,
  type Column,
  isPresentDay,
  ownColumn,
  type ShownBooking,
  type View,
  views,
  weekOf,
} from './calendar-view.ts'
import { mayBook } from './free-time.ts'

/*
 * The calendar as HTML: addresses, formats and the bar above. Grid and list are in separate files. It is
 * complete without a script.
 */

/** Returns the address of the calendar with another choice. */
export function calendarPath(visit: ConsoleVisit, choice: CalendarChoice): string {
  return pathOf('/console', visit, addressOf(choice))
}

/** Returns the address of the part of the calendar that changes. */
export function livePath(visit: ConsoleVisit, choice: CalendarChoice): string {
  return pathOf('/console/calendar', visit, addressOf(choice))
}

function addressOf({ view, date, location, who: id, everyone, allHours, resources, cursor }: CalendarChoice) {
  const hours = allHours ? 'all' : undefined
  const who = id ?? (everyone === true ? 'all' : undefined)
  return { view, date, location, who, hours, resources: resources ? 'true' : undefined, cursor }
}

/** Formats of a page, cached because many appointments begin at the same time. */
export class Formats {
  private readonly times = new Map<number, string>()
  private readonly clock: Intl.DateTimeFormat
  private readonly named: Intl.DateTimeFormat
  private readonly day: Intl.DateTimeFormat
  private readonly head: Intl.DateTimeFormat

  constructor(locale: string, timeZone: string) {
    const time = { hour: 'numeric', minute: '2-digit' } as const
    this.clock = dateFormat(locale, timeZone, time)
    this.named = dateFormat(locale, timeZone, { ...time, timeZoneName: 'short' })
    this.day = dateFormat(locale, timeZone, { weekday: 'short', day: 'numeric', month: 'short' })
    this.head = dateFormat(locale, timeZone, { weekday: 'short', day: 'numeric' })
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

  /** Formats a date without its month, such as "Mon 16", for a column of a week. */
  dayOfWeek(ms: number): string {
    return this.head.format(ms)
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
    resources: choice.resources ? 'true' : undefined,
    cursor: choice.cursor,
  })
  const isToday = choice.view !== 'day' && isPresentDay(view)
  const heading = (length: 'long' | 'short') =>
    headingOf(choice, datesAt(locale, calendar.timezone), new Date(view.nowMs).toISOString(), length)
  return html`<div
    class="cal-bar ${choice.view === undefined ? 'by-width' : ''} ${isToday ? 'is-today' : ''}"
  >
    ${isToday ? greeting(view) : ''}
    <h1>
      <span class="cal-long">${heading('long')}</span><span class="cal-short">${heading('short')}</span>
    </h1>
    <nav class="cal-days" aria-label="${t.date}">
      <a class="button" rel="prev" href="${shift(-step)}" aria-label="${t.previous}">${icon('previous')}</a>
      <a class="button" href="${today}">${t.today}</a>
      <a class="button" rel="next" href="${shift(step)}" aria-label="${t.next}">${icon('next')}</a>
    </nav>
    ${
      choice.view === undefined
        ? html`${viewLinks(visit, choice, 'day', 'as-grid')}${viewLinks(visit, choice, 'list', 'as-list')}`
        : viewLinks(visit, choice, choice.view)
    }
    <button type="button" class="cal-more" popovertarget="cal-tools">
      ${toolsName(view)} ${icon('expand')}
    </button>
    <div id="cal-tools" class="cal-tools" popover>${filterMenu(view)}</div>
    ${searchForm(visit)}
    <button
      type="button"
      class="cal-more is-last"
      popovertarget="cal-do"
      aria-label="${visit.texts.frame.menu}"
    >
      ${icon('more')}
    </button>
    ${moreMenu(view)}
  </div>`
}

/** Renders the head of phones for the present day, which has no other bar there. */
function greeting({ visit, choice, calendar: { timezone }, nowMs }: CalendarView): Html {
  const { person, locale, texts } = visit
  const hour = Number(dateFormat('en-GB', timezone, { hour: '2-digit', hour12: false }).format(nowMs))
  const part = hour < 12 ? 'morning' : hour < 18 ? 'afternoon' : 'evening'
  const [name = person.name] = person.name.split(' ')
  return html`<div class="today-head">
    <p>${headingOf(choice, datesAt(locale, timezone), new Date(nowMs).toISOString())}</p>
    <h1>${texts.today[part]({ name })}</h1>
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

/** Renders the actions of the day and what else it can show. */
function moreMenu(view: CalendarView): Html {
  const { visit, choice } = view
  const { calendar: t, away } = visit.texts
  const { date, location, who } = placeChoice(view)
  const link = (path: string, text: string, look = '') =>
    html`<a class="button ${look}" href="${path}">${text}</a>`
  return html`<div id="cal-do" class="cal-tools cal-do" popover>
    <a hidden href="${pathOf('/console/book', visit, { date, location, who })}">${t.book}</a>
    ${link(pathOf('/console/block', visit, { date, location, who }), t.block)}
    ${link(pathOf('/console/away', visit, { date, who }), away.title)} ${roomsSwitch(view)}
    ${choice.view === 'list' ? '' : link(calendarPath(visit, { ...choice, allHours: !choice.allHours }), choice.allHours ? t.openHours : t.wholeDay, 'as-grid')}
    ${link(pathOf('/console/print', visit, { date, location, who }), t.print)}
  </div>`
}

/** Renders the link that shows or hides the columns of rooms and equipment. */
function roomsSwitch({ visit, choice, calendar }: CalendarView): Html {
  const isThere = calendar.catalogue.resources.some(
    ({ active, location_id }) => active && (choice.location === undefined || location_id === choice.location),
  )
  if (!isThere || choice.view === 'week' || choice.view === 'list') return html``
  const t = visit.texts.calendar
  return html`<a
    class="button cal-rooms as-grid"
    href="${calendarPath(visit, { ...choice, resources: !choice.resources })}"
    ${choice.resources ? html`aria-current="true"` : ''}
    >${t.rooms}<span class="unseen">: ${choice.resources ? t.roomsShown : t.roomsHidden}</span></a
  >`
}

/** Returns the label of the button for date and filters, which shows the choice. */
function toolsName(view: CalendarView): Html {
  const { visit, choice, calendar } = view
  const { texts } = visit
  const place = calendar.catalogue.locations.find(({ id }) => id === choice.location)?.name
  const column = onlyColumn(view)
  const shown = (only: Column | undefined, look = '') => {
    const chosen = [place, only && columnName(only, calendar.columns)].filter((name) => name !== undefined)
    return html`<span class="${look}"
      >${
        chosen.length === 0
          ? texts.calendar.everyone
          : chosen.map((name, index) => html`${index === 0 ? '' : ', '}<bdi>${name}</bdi>`)
      }</span
    >`
  }
  // the list of phones shows staff their own appointments
  const own = choice.view === undefined ? ownColumn(view) : undefined
  return own ? html`${shown(column, 'as-grid')}${shown(own, 'as-list')}` : shown(column)
}

/** Formats the day, or the first and last day of the week. This year goes without saying. */
function headingOf(
  { view, date }: CalendarChoice,
  locale: string,
  today: string,
  length: 'long' | 'short' = 'long',
): string {
  const atMs = (day: string) => dayOf(day) * 86_400_000
  const days = view === 'week' ? weekOf(date, locale) : [date]
  const isThisYear = days.every((day) => day.slice(0, 4) === today.slice(0, 4))
  const format = dateFormat(locale, 'UTC', {
    ...(view !== 'week' && { weekday: length }),
    ...{ day: 'numeric', month: length },
    ...(!isThisYear && { year: 'numeric' }),
  })
  return format.formatRange(atMs(days[0] ?? date), atMs(days.at(-1) ?? date))
}

/** Returns the only visible column: the chosen one, or that of a week. */
function onlyColumn(view: CalendarView): Column | undefined {
  const { choice, columns } = view
  const own = choice.view === 'list' ? ownColumn(view) : undefined
  return own ?? (choice.who !== undefined || choice.view === 'week' ? columns[0] : undefined)
}

function placeChoice(view: CalendarView): Record<string, string | undefined> {
  const { visit, choice } = view
  const column = onlyColumn(view)
  const who = column && mayBook(visit, column) ? column.id : undefined
  return { date: choice.date, location: choice.location, who }
}

/** Renders the menu of people, locations and the date. */
function filterMenu(view: CalendarView): Html {
  const { visit, choice, calendar } = view
  const { catalogue, columns } = calendar
  const t = visit.texts.calendar
  const first = choice.view === 'week' && choice.who === undefined ? view.columns[0] : undefined
  const chosen = choice.who ?? (choice.view === 'list' ? ownColumn(view)?.id : undefined) ?? first?.id
  const places = catalogue.locations.filter(({ active }) => active)
  const link = (part: Partial<CalendarChoice>, isChosen: boolean, content: Html | string) =>
    html`<a
      class="button"
      href="${calendarPath(visit, { ...choice, ...part })}"
      ${isChosen ? html`aria-current="true"` : ''}
      >${content}</a
    >`
  const everyone = { who: undefined, everyone: visit.person.role === 'staff' }
  return html`<form class="cal-filter" method="get" action="/console">
      ${hidden({
        ...{ view: choice.view, business: businessOf(visit), cursor: choice.cursor },
        ...{ location: choice.location, who: choice.who ?? (choice.everyone === true ? 'all' : undefined) },
        resources: choice.resources ? 'true' : undefined,
      })}
      <label>${t.date}<input type="date" name="date" value="${choice.date}" required /></label>
      <button type="submit">${t.show}</button>
    </form>
    <nav aria-label="${t.who}">
      ${choice.view === 'week' ? '' : link(everyone, chosen === undefined, t.everyone)}
      ${columns.map((column) => {
        const { staff, id } = column
        const name = columnName(column, columns)
        return link({ who: id }, id === chosen, html`${staff ? faceOf(staff) : face(name)}<bdi>${name}</bdi>`)
      })}
    </nav>
    ${
      places.length > 1
        ? html`<nav aria-label="${t.location}">
            ${link({ location: undefined }, choice.location === undefined, t.allLocations)}
            ${places.map(({ id, name }) => link({ location: id }, id === choice.location, html`<bdi>${name}</bdi>`))}
          </nav>`
        : ''
    }`
}

/** Renders the search for a client's bookings at any time. The key `/` focuses it. */
function searchForm(visit: ConsoleVisit): Html {
  const { bookings, clients } = visit.texts
  return html`<form class="cal-search" method="get" action="/console/bookings" role="search">
    ${icon('search')} ${hidden({ business: businessOf(visit), when: 'all' })} <kbd aria-hidden="true">/</kbd>
    <label
      ><span class="unseen">${bookings.search}</span
      ><input
        type="search"
        name="q"
        placeholder="${clients.find}"
        title="${bookings.search}"
        minlength="3"
        maxlength="100"
        dir="auto"
        required
    /></label>
    <button type="submit" class="unseen" tabindex="-1">${clients.find}</button>
  </form>`
}

/** Returns the name of a column, with its location if the service has several. */
export function columnName(
  { staff, service, resource, location }: Calendar['columns'][number],
  columns: Calendar['columns'],
): string {
  if (!service) return staff?.name ?? resource?.name ?? ''
  const isAlone = columns.filter((other) => other.service?.id === service.id).length < 2
  return isAlone || !location ? service.name : `${service.name} · ${location.name}`
}

/** Formats a block with its reason. */
export function blockText({ texts: { calendar } }: ConsoleVisit, reason: string | null): string {
  return reason === null ? calendar.blocked : calendar.blockedFor({ reason })
}

/** Returns the status of a booking in a word or two. The normal case has no sign. */
export function markOf(
  { status, no_show, deposit_due, payment_kind, respond_by }: ShownBooking,
  visit: ConsoleVisit,
): { sign: string; text: string } {
  const t = visit.texts.calendar
  if (no_show) return { sign: '✗', text: t.noShow }
  if (respond_by !== undefined) return { sign: '?', text: t.request }
  if (deposit_due) return { sign: '€', text: visit.texts.payments.dueOf[payment_kind ?? 'deposit'] }
  const sign = { pending: '?', confirmed: '', in_progress: '▶', completed: '✔', cancelled: '✗' }[status]
  return { sign, text: t.status[status] }
}

/** Renders the notes about a booking's client, if the reader may see them. */
export function noteText(
  { visit, notes }: Pick<CalendarView, 'visit' | 'notes'>,
  { id }: { id: string },
): Html {
  const note = notes.get(id)
  if (note === undefined) return html``
  const [before = '', after = ''] = visit.texts.calendar.clientNote({ note: '\n' }).split('\n')
  return html`<span class="cal-warning"
    >${icon('warning')}<span class="unseen">${before}</span><bdi>${note}</bdi
    ><span class="unseen">${after}</span></span
  >`
}

/** Formats minutes and seconds: 7:05. */
export function leftText(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
