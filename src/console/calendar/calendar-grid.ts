import { isStaff } from '../../access/actor.ts'
import { dateOf, dayOf } from '../../availability/hours-rules.ts'
import type { Interval } from '../../availability/zone-rules.ts'
import { html, type Html } from '../../base/html.ts'
import { meeting, without } from '../../bookings/calendar-rules.ts'
import { mayKnowReason } from '../../catalogue/block.ts'
import { pathOf } from '../frame/console-page.ts'
import { openIn } from './away-appointments.ts'
import { elsewhereText } from './busy-sources.ts'
import { blockText, columnName, Formats } from './calendar-page.ts'
import { blocksOf, type CalendarView, type Column, type Shown, spanOf, weekOf } from './calendar-view.ts'
import { columnHead } from './column-head.ts'
import { DayGrid, hoursClass, placeOf, type Rows, windowOf } from './day-layout.ts'
import { fiveMinutesMs, freeIn, mayBook, overIn } from './free-time.ts'
import { entryParts } from './grid-entries.ts'

/* The calendar as a grid: a day with columns of staff, services and rooms, or a week of one. */

interface GridColumn {
  label: string
  day: DayGrid['days'][number]
  column: Column
}

/** Renders the grid of a day or a week. */
export async function calendarGrid(view: CalendarView): Promise<Html> {
  const { visit, choice, calendar, nowMs } = view
  const t = visit.texts.calendar
  const formats = new Formats(visit.locale, calendar.timezone)
  const isWeek = choice.view === 'week'
  const first = dayOf(choice.date)
  const dates = isWeek ? weekOf(choice.date, visit.locale) : [dateOf(first)]
  const grid = new DayGrid(dates, calendar.timezone)
  const columns: GridColumn[] = isWeek
    ? grid.days.flatMap((day) =>
        view.columns.slice(0, 1).map((column) => ({ label: formats.date(day.from), day, column })),
      )
    : grid.days.flatMap((day) =>
        view.columns.map((column) => ({
          label: columnName(column, calendar.columns),
          day,
          column,
        })),
      )
  const window = choice.allHours ? { first: 0, end: grid.rows } : shownRows(view, grid, columns)
  const now = grid.days
    .map((day) => grid.rowsOf({ from: nowMs, to: nowMs + 1 }, day))
    .find((rows) => rows !== undefined)
  const hours = grid.hours(window)
  const gives = givenBy(view)
  const parts = await view.slices.map(columns, (column) =>
    columnPart({ ...view, grid, window, formats, gives }, column),
  )
  return html`<div
    class="cal-scroll ${hoursClass(window)}${isWeek ? ' is-week' : ''}"
    tabindex="0"
    role="group"
    aria-label="${t.title}"
  >
    <div class="cal-axis ${hours.some(({ isRepeated }) => isRepeated) ? 'is-long' : ''}" aria-hidden="true">
      <div class="cal-head"></div>
      <div class="cal-rows ${heightOf(window)}">
        ${hours.map(
          ({ row, atMs, isRepeated }) =>
            html`<span class="cal-hour ${placeOf({ first: row, end: row + 1 }, window.first)}"
              >${isRepeated ? formats.namedTime(atMs) : formats.time(atMs)}</span
            >`,
        )}
        ${now && inside(now, window) ? html`<span class="cal-now ${placeOf(now, window.first)}">${formats.time(nowMs)}</span>` : ''}
      </div>
    </div>
    ${parts}
  </div>`
}

const heightOf = ({ first, end }: Rows) => placeOf({ first: 0, end: end - first }, 0)

const inside = ({ first }: Rows, window: Rows) => window.first <= first && first < window.end

/**
 * Returns the rows for opening hours and all bookings, or for office hours without either. People may have longer
 * hours than their locations, for a location that is always open.
 */
function shownRows({ shown, calendar }: CalendarView, grid: DayGrid, columns: GridColumn[]): Rows {
  const ids = new Set(columns.map(({ column }) => column.id))
  const spans = [
    ...columns.flatMap(({ column, day }) => {
      const own = column.open.filter((open) => open.to - open.from < day.to - day.from) // ignores columns that are always open
      const there = meeting(own, calendar.placesOpen)
      return there.length === 0 ? own : there
    }),
    ...[...shown.bookings, ...shown.holds].filter((one) => ids.has(one.column_id)).map(spanOf),
  ]
  const rows = spans.flatMap((span) => grid.days.flatMap((day) => grid.rowsOf(span, day) ?? []))
  const office = { first: Math.min(9 * 12, grid.rows), end: Math.min(18 * 12, grid.rows) }
  const isOpen = columns.some(({ column }) => column.open.some((open) => open.to - open.from < 86_000_000))
  return windowOf(isOpen ? rows : [...rows, office], grid.rows)
}

interface GridView extends CalendarView {
  grid: DayGrid
  window: Rows
  formats: Formats
  gives: ReturnType<typeof givenBy>
}

/**
 * Returns a function for the booked services that a staff member provides. Their appointments may be dragged
 * there.
 */
function givenBy({ shown, calendar }: CalendarView): (staffId: string) => string[] {
  const booked = new Set(shown.bookings.map(({ service }) => service.id))
  const services = calendar.catalogue.services
    .filter(({ id }) => booked.has(id))
    .map(({ id, staff_ids }) => ({ id, people: new Set(staff_ids) }))
  return (staffId) => services.flatMap(({ id, people }) => (people.has(staffId) ? [id] : []))
}

function columnPart(view: GridView, { label, day, column }: GridColumn): Html {
  const { grid, window, nowMs } = view
  const at = (span: Interval) => {
    const rows = grid.rowsOf(span, day)
    if (!rows || rows.end <= window.first || rows.first >= window.end) return undefined
    return { first: Math.max(rows.first, window.first), end: Math.min(rows.end, window.end) }
  }
  const put = (span: Interval, make: (rows: Rows) => Html) => {
    const rows = at(span)
    return rows ? [make(rows)] : []
  }
  const closed = without([{ from: day.from, to: day.to }], column.open).flatMap((span) =>
    put(span, (rows) => html`<li class="closed ${placeOf(rows, window.first)}" aria-hidden="true"></li>`),
  )
  const isShut = closed.length > 0 && meeting([{ from: day.from, to: day.to }], column.open).length === 0
  const now = put({ from: nowMs, to: nowMs + 1 }, (rows) => {
    return html`<li class="cal-now ${placeOf(rows, window.first)}" aria-hidden="true"></li>`
  })
  return html`<section
    class="cal-col${isShut ? ' is-shut' : ''}"
    aria-label="${label}"
    data-key="${columnKey(column, day)}"
    ${columnData(view, { column, day })}
  >
    ${columnHead(view, { label, column, day })}
    <ol class="cal-rows ${heightOf(window)}">
      ${closed} ${freeParts(view, column, { day, put })} ${blockParts(view, column, { day, at, put })}
      ${entryParts(view, column, at)} ${now}
    </ol>
  </section>`
}

const columnKey = (column: Column, day: GridColumn['day']) => `${column.id}/${day.date}`

/** Renders the script's data for a column: its owner, services and the start of its rows. */
function columnData(
  { grid, window, gives }: GridView,
  { column: { id, staff, service, resource, location }, day }: Omit<GridColumn, 'label'>,
): Html {
  const runs = grid
    .runsOf(day)
    .map(
      ({ first, end, atMs }) =>
        [Math.max(first, window.first), Math.min(end, window.end), atMs, first] as const,
    )
    .filter(([first, end]) => first < end)
    .map(([from, end, atMs, first]) => [
      from - window.first,
      end - window.first,
      atMs + (from - first) * fiveMinutesMs,
    ])
  const given = service ? [service.id] : gives(id)
  return html`data-who="${id}" data-staff="${staff ? staff.name : ''}" data-location="${location?.id ?? ''}"
  ${resource ? html`data-room` : ''} data-gives="${given.join(' ')}" data-runs="${JSON.stringify(runs)}"`
}

/** The rows of the label of a block. */
const leastLabelRows = 3

type Put = (span: Interval, make: (rows: Rows) => Html) => Html[]

function freeParts(
  view: GridView,
  column: Column,
  { day, put }: { day: GridColumn['day']; put: Put },
): Html[] {
  const { visit, choice, formats, window } = view
  const t = visit.texts.calendar
  if (!mayBook(visit, column)) return []
  const gaps = [
    ...(column.resource ? [] : overIn(view, column, day)).map((gap) => ({ ...gap, isOver: true })),
    ...freeIn(view, column, day).map((gap) => ({ ...gap, isOver: false })),
  ]
  return gaps.flatMap((gap) =>
    put(gap, (rows) => {
      const start = new Date(gap.from).toISOString()
      const path = column.resource
        ? pathOf('/console/block', visit, { start, who: column.id })
        : pathOf('/console/book', visit, {
            start,
            ...(column.service
              ? { service: column.service.id, location: column.location?.id }
              : { who: column.id, location: choice.location }),
          })
      const act = column.resource ? t.block : gap.isOver ? t.enter : t.book
      // stays the same as time passes: past time ends at the current time, and free time begins there
      const key = gap.isOver
        ? `o-${columnKey(column, day)}-${gap.from}`
        : `f-${columnKey(column, day)}-${gap.to}`
      return html`<li
        class="free ${gap.isOver ? 'is-over ' : ''}${placeOf(rows, window.first)}"
        data-key="${key}"
        data-span="${gap.from} ${gap.to}"
      >
        <a
          href="${path}"
          aria-label="${act}, ${t.free({ from: formats.time(gap.from), to: formats.time(gap.to) })}"
        ></a>
      </li>`
    }),
  )
}

function blockParts(
  view: GridView,
  column: Column,
  { day, at, put }: { day: GridColumn['day']; at: (span: Interval) => Rows | undefined; put: Put },
): Html[] {
  const { visit, shown, window, formats, nowMs } = view
  const mayMove = ({ busy_elsewhere, staff_id }: Shown['blocks'][number]) =>
    busy_elsewhere !== true && (!isStaff(visit.person) || visit.person.staffId === staff_id)
  // a link would reveal which blocks of a colleague come from a busy calendar
  const isOpen = (block: Shown['blocks'][number]) =>
    block.busy_elsewhere !== true && mayKnowReason(block, visit.person)
  const taken = (view.taken.get(column.id) ?? []).map(spanOf)
  return blocksOf(shown.blocks, column).flatMap((block) =>
    put(spanOf(block), (rows) => {
      const { from, to } = spanOf(block)
      // appointments lie over the block, so its label begins after them
      const bare = without([spanOf(block)], taken).map(at)
      const after =
        (bare.find((gap) => gap && gap.end - gap.first >= leastLabelRows) ?? rows).first - rows.first
      const key = `x-${columnKey(column, day)}-${block.id}`
      const isElsewhere = block.busy_elsewhere === true
      const left =
        block.staff_id === null || isElsewhere
          ? 0
          : openIn(view, { ...block, staffId: block.staff_id }, nowMs).length
      const label = html`${after === 0 ? '' : html`<span class="n${after}"></span>`}<bdi
          >${isElsewhere ? elsewhereText(visit, view.sources.get(block.id)) : blockText(visit, block.reason)}</bdi
        >
        ${left === 0 ? '' : html`<b>${visit.texts.away.open({ count: left })}</b>`}
        <span class="unseen">${formats.time(from)}–${formats.time(to)}</span>`
      return html`<li
        class="blocked${isElsewhere ? ' elsewhere' : ''} ${placeOf(rows, window.first)}"
        data-key="${key}"
        data-span="${from} ${to}"
        ${mayMove(block) ? html`data-id="${block.id}" data-block="${block.staff_id === null ? 'location' : 'staff'}"` : ''}
      >
        ${isOpen(block) ? html`<a href="${pathOf(`/console/${left === 0 ? 'block' : 'away'}/${block.id}`, visit)}">${label}</a>` : html`<span class="what">${label}</span>`}
      </li>`
    }),
  )
}
