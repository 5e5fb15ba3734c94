import { dateOf, dayOf } from '../../availability/hours-rules.ts'
import { categoryHues } from '../frame/faces.ts'
import type { Interval } from '../../availability/zone-rules.ts'
import { toMs } from '../../base/instants.ts'
import type { Slices } from '../../base/slices.ts'
import { type Calendar, presentCalendar, readCalendar } from '../../bookings/calendar.ts'
import type { Context } from '../../bookings/context.ts'
import { toldAt } from '../bookings/telling.ts'
import type { ConsoleVisit } from '../frame/console-page.ts'
import { firstWeekday } from '../frame/formats.ts'
import type { BusinessVisit } from '../frame/console-route.ts'
import { type Visits, visitsOf } from './visit-parts.ts'

/* The chosen part of a calendar: the choices in the address, and the data for the parts of the page. */

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
  /** True to show everyone to staff, whose lists otherwise show their own appointments. */
  everyone?: boolean
  /** True to show closed hours. */
  allHours: boolean
  /** True to show columns of rooms and equipment. */
  resources: boolean
  /** Cursor of further columns; undefined for the first ones. */
  cursor: string | undefined
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
  /** Bookings of several things, by ID. */
  visits: Visits
  /** The number of the hue of a service's category, by service. Services without a category have none. */
  hues: ReadonlyMap<string, number>
  /** The source and age of times from connected calendars, by block. */
  sources: ReadonlyMap<string, string>
  /** The beginning of the notes about clients, by booking. Without those that the reader may not see. */
  notes: ReadonlyMap<string, string>
  /** Bookings whose clients a message about a move can reach, by email or text. */
  told: ReadonlySet<string>
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
  {
    visit,
    choice,
    nowMs,
    slices,
    sources = new Map(),
  }: Pick<CalendarView, 'visit' | 'choice' | 'nowMs' | 'slices'> & Partial<Pick<CalendarView, 'sources'>>,
): Promise<CalendarView> {
  const all = await presentCalendar(calendar, visit.person, slices)
  const visits = await visitsOf(calendar, slices)
  const isWeek = choice.view === 'week'
  const known = (id: string | null | undefined) => calendar.columns.find((column) => column.id === id)
  const only =
    known(choice.who) ?? (isWeek ? (known(visit.person.staffId) ?? calendar.columns[0]) : undefined)
  const columns = only ? [only] : columnsInUse(calendar)
  const ids = new Set(columns.map(({ id }) => id))
  const shown = {
    ...all,
    bookings: all.bookings.filter(({ column_id }) => ids.has(column_id)),
    holds: all.holds.filter(({ column_id }) => ids.has(column_id)),
    blocks: blocksIn(all.blocks, columns),
  }
  const taken = Map.groupBy([...shown.bookings, ...shown.holds], ({ column_id }) => column_id)
  const present = { ...choice, who: known(choice.who)?.id }
  const told = new Set(
    calendar.bookings.flatMap((row) => ('to' in toldAt(visit, row, ['changed']) ? [row.id] : [])),
  )
  const notes = notesIn(calendar, all)
  const about = { visits, hues: huesOf(calendar, shown), notes, told, sources, taken }
  return { visit, choice: present, calendar, columns, shown, ...about, nowMs, slices }
}

/** Returns the column of staff whose list shows only their own appointments, until they choose otherwise. */
export function ownColumn({ visit: { person }, choice, calendar }: CalendarView): Column | undefined {
  if (person.role !== 'staff' || choice.who !== undefined || choice.everyone === true) return undefined
  return calendar.columns.find(({ id }) => id === person.staffId)
}

/** Returns a view with the content of one column. */
export function onlyOf(view: CalendarView, column: Column): CalendarView {
  const isIts = ({ column_id }: { column_id: string }) => column_id === column.id
  const { shown } = view
  const [bookings, holds] = [shown.bookings.filter(isIts), shown.holds.filter(isIts)]
  const blocks = blocksIn(shown.blocks, [column])
  return { ...view, columns: [column], shown: { ...shown, bookings, holds, blocks } }
}

/** Returns true if the day is the present one at the business. */
export function isPresentDay({ calendar: { range }, choice, nowMs }: CalendarView): boolean {
  return choice.view !== 'week' && range.from <= nowMs && nowMs < range.to
}

/** Returns the notes about the clients whom the reader may see. */
function notesIn(calendar: Calendar, { bookings }: Shown): Map<string, string> {
  const seen = new Set(bookings.flatMap((one) => ('redacted' in one ? [] : [one.id])))
  return new Map(
    calendar.bookings.flatMap(({ id, client_notes: notes }) =>
      notes !== null && notes !== '' && seen.has(id) ? [[id, notes] as const] : [],
    ),
  )
}

/** Leaves out services without staff that have no appointment, because they take the room of people. */
function columnsInUse({ columns, bookings, holds }: Calendar): Calendar['columns'] {
  if (!columns.some(({ staff }) => staff)) return columns
  const used = new Set([
    ...bookings.map(({ columnId }) => columnId),
    ...holds.map((hold) => hold.resource_id),
  ])
  return columns.filter(({ id, service }) => !service || used.has(id))
}

/** Gives each category a hue, in the order of the catalogue. */
function huesOf({ catalogue: { services } }: Calendar, { bookings, holds }: Shown): Map<string, number> {
  const hues = categoryHues(services)
  const shown = new Set([...bookings, ...holds].map(({ service }) => service.id))
  return new Map(
    services
      .filter(({ id }) => shown.has(id))
      .flatMap(({ id, category }) => (category === null ? [] : [[id, hues.get(category) ?? 0] as const])),
  )
}

/** Returns the class for the hue of a service. */
export function hueClass({ hues }: CalendarView, { service }: { service: { id: string } }): string {
  const hue = hues.get(service.id) ?? 0
  return hue === 0 ? '' : ` hue-${hue}`
}

export type Column = Calendar['columns'][number]

/** Returns the blocks that concern one of the columns. */
export function blocksIn(blocks: Shown['blocks'], columns: Column[]): Shown['blocks'] {
  const people = new Set(columns.map(({ staff }) => staff?.id))
  const rooms = new Set(columns.map(({ resource }) => resource?.id))
  const places = new Set(columns.map(({ location }) => location?.id))
  return blocks.filter(({ staff_id, location_id, resource_id }) =>
    staff_id !== null
      ? people.has(staff_id)
      : resource_id !== null
        ? rooms.has(resource_id)
        : places.has(undefined) || places.has(location_id ?? undefined),
  )
}

export function blocksOf(blocks: Shown['blocks'], { staff, resource, location }: Column): Shown['blocks'] {
  return blocks.filter((block) =>
    block.staff_id !== null
      ? block.staff_id === staff?.id
      : block.resource_id !== null
        ? block.resource_id === resource?.id
        : location === undefined || block.location_id === location.id,
  )
}

export const spanOf = (one: { starts_at: string; ends_at: string }): Interval => ({
  from: Date.parse(one.starts_at),
  to: Date.parse(one.ends_at),
})

/** Returns the dates of a week, which begins on the usual day of a locale. */
export function weekOf(date: string, locale: string): string[] {
  const day = dayOf(date)
  const first = day - ((day + 11 - firstWeekday(locale)) % 7) // day 4 is a Monday
  return Array.from({ length: 7 }, (_, index) => dateOf(first + index))
}

/** Returns the current instant from the server's clock. */
export function nowOf(context: { clock: { now(): Parameters<typeof toMs>[0] } }): number {
  return toMs(context.clock.now())
}

/** Reads all columns of some days, for pages next to the calendar. */
export async function readDays<Result>(
  context: Context,
  visit: BusinessVisit,
  days: { from: string; to: string; columnId?: string },
  show: (view: CalendarView) => Promise<Result>,
): Promise<Result> {
  const { from, to, columnId } = days
  const none = { location: undefined, who: undefined, cursor: undefined }
  const choice = { view: 'day' as const, date: from, ...none, allHours: false, resources: false }
  const query = {
    from,
    to,
    business_id: visit.business.id,
    ...(columnId !== undefined && { column_id: columnId }),
  }
  const nowMs = nowOf(context)
  const { shown } = await readCalendar(
    context,
    visit.person,
    { query, isGone: visit.isGone },
    async (calendar, { slices }) => ({
      result: await show(await chosenView(calendar, { visit, choice, nowMs, slices })),
    }),
  )
  if (!shown) throw new Error('a calendar without a known tag was not shown')
  return shown.result
}
