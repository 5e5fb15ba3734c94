import type { Interval } from '../../availability/zone-rules.ts'
import { html, type Html } from '../../base/html.ts'
import { merged, without } from '../../bookings/calendar-rules.ts'
import { mayKnowReason } from '../../catalogue/block.ts'
import { hidden } from '../../pages/form.ts'
import { icon } from '../../pages/icons.ts'
import { type ConsoleVisit, pathOf } from '../frame/console-page.ts'
import { emptyState } from '../frame/empty-state.ts'
import { clientName, relativeTime } from '../frame/formats.ts'
import { elsewhereText } from './busy-sources.ts'
import { blockText, columnName, Formats, leftText, markOf, noteText } from './calendar-page.ts'
import {
  type CalendarView,
  hueClass,
  isPresentDay,
  onlyOf,
  ownColumn,
  type Shown,
  type ShownBooking,
  spanOf,
} from './calendar-view.ts'
import { fiveMinutesMs, freeIn, mayBook } from './free-time.ts'
import { partWords } from './visit-parts.ts'

/** Renders the list of a day: the next booking, those that are over as one line, the others, and free time. */
export async function calendarList(all: CalendarView): Promise<Html> {
  const own = ownColumn(all)
  const view = own ? onlyOf(all, own) : all
  const { visit, calendar, choice, nowMs, slices } = view
  const shown = listedOnce(view)
  const t = visit.texts.calendar
  const formats = new Formats(visit.locale, calendar.timezone)
  const gaps = await slices.map(await gapsOf(view), (gap) => ({
    at: gap,
    part: listedGap(view, gap, formats),
  }))
  const isFolded = view.columns.length > 1
  const rows = [
    ...(await slices.map(shown.bookings, (booking) => ({
      at: spanOf(booking),
      isOver: isOver(booking, nowMs),
      part: listedBooking(view, booking, formats),
    }))),
    ...(await slices.map(shown.holds, (hold) => ({
      at: spanOf(hold),
      part: listedHold(view, hold, formats),
    }))),
    ...(await slices.map(shown.blocks, (block) => ({
      at: spanOf(block),
      part: listedBlock(view, block, formats),
    }))),
    ...breaksOf(view, formats),
    ...(isFolded ? [] : gaps),
  ].toSorted((one, other) => one.at.from - other.at.from)
  const isToday = isPresentDay(view)
  const next = isToday ? shown.bookings.find((booking) => isNext(booking, nowMs)) : undefined
  const over = isToday ? rows.filter((row) => 'isOver' in row && row.isOver) : []
  const left = isToday ? rows.filter((row) => !over.includes(row) && row.at.to > nowMs) : rows
  const isDone = over.length > 0 && over.length === shown.bookings.length
  const agenda = (some: typeof rows) =>
    html`<ol class="agenda cal-agenda">
      ${some.map(({ part }) => part)}
    </ol>`
  const { date, location } = choice
  const bookLink = html`<a
    class="button main"
    href="${pathOf('/console/book', visit, { date, location, who: own?.id })}"
    >${icon('add')} ${visit.texts.frame.book}</a
  >`
  return html`${next ? nextCard(view, next, formats) : ''}
  ${
    over.length === 0
      ? ''
      : html`<details class="cal-folded" data-key="over">
          <summary>${visit.texts.today.over({ count: over.length })}</summary>
          ${agenda(over)}
        </details>`
  }
  ${shown.bookings.length > 0 ? '' : emptyState('calendar', t.nothing, bookLink)} ${agenda(left)}
  ${isDone ? html`<p class="notice">${icon('done')} ${visit.texts.today.done}</p>` : ''}
  ${
    isFolded && gaps.length > 0
      ? html`<details class="cal-folded" data-key="gaps">
          <summary>${visit.texts.book.freeTimes}</summary>
          ${agenda(gaps)}
        </details>`
      : ''
  }`
}

function isNext({ status, starts_at, ...booking }: ShownBooking, nowMs: number): boolean {
  const isOpen = status === 'confirmed' || status === 'pending'
  return !('redacted' in booking) && Date.parse(starts_at) >= nowMs && isOpen
}

const isOver = ({ status, ends_at }: ShownBooking, nowMs: number) =>
  status === 'completed' || (Date.parse(ends_at) <= nowMs && status !== 'in_progress')

/** Returns the pauses between the working hours of a single person. */
function breaksOf(
  { columns, calendar, visit }: CalendarView,
  formats: Formats,
): { at: Interval; part: Html }[] {
  const [only] = columns
  if (!only?.staff || columns.length > 1) return []
  const { open } = only
  const inner = { from: open[0]?.from ?? 0, to: open.at(-1)?.to ?? 0 }
  return without([inner], open)
    .filter(({ from }) => from >= calendar.range.from)
    .map((at) => ({
      at,
      part: html`<li class="soft" data-key="lp-${at.from}">
        <span>${formats.time(at.from)}<span class="until">–${formats.time(at.to)}</span></span>
        <span>${visit.texts.today.pause}</span>
      </li>`,
    }))
}

/**
 * Leaves out the rooms of bookings whose people are listed. Joins the parts of a hold, which are known by one ID.
 */
function listedOnce({ shown, columns }: CalendarView): Shown {
  const rooms = new Set(columns.flatMap(({ id, resource }) => (resource ? [id] : [])))
  const isListed = ({ column_id }: { column_id: string }) =>
    !rooms.has(column_id) || rooms.size === columns.length
  const holds = Map.groupBy(shown.holds.filter(isListed), ({ id }) => id)
  return {
    ...shown,
    bookings: shown.bookings.filter(isListed),
    holds: [...holds.values()].flatMap(([first, ...others]) => {
      if (!first) return []
      const last = others.reduce((one, other) => (spanOf(other).to > spanOf(one).to ? other : one), first)
      return [{ ...first, ends_at: last.ends_at }]
    }),
  }
}

/** Time in which some staff are free, the same ones throughout. */
interface Gap extends Interval {
  /** Empty for a single column, and for more staff than a row can name. */
  free: CalendarView['columns']
}

/**
 * Maximum number of named staff. Among many, somebody is nearly always free, and rows would change with every
 * appointment.
 */
const maxNamed = 6

/** Returns the times at which the reader can book at least one of the visible columns. */
async function gapsOf(view: CalendarView): Promise<Gap[]> {
  const columns = view.columns.filter((column) => !column.resource && mayBook(view.visit, column))
  const { range } = view.calendar
  const [only] = columns
  if (only && columns.length === 1) {
    const free = view.columns.length === 1 ? [] : columns
    return freeIn(view, only, range).map((gap) => ({ ...gap, free }))
  }
  const people = columns.filter(({ staff }) => staff)
  // columns that are always open, such as online ones, do not show when staff are there
  const times = await view.slices.map(people.length > 0 ? people : columns, (column) => ({
    column,
    gaps: freeIn(view, column, range).filter(({ from, to }) => to - from >= leastGapMs),
  }))
  if (times.length > maxNamed)
    return merged(times.flatMap(({ gaps }) => gaps)).map((gap) => ({ ...gap, free: [] }))
  const edges = [...new Set(times.flatMap(({ gaps }) => gaps.flatMap(({ from, to }) => [from, to])))]
  const gaps: Gap[] = []
  for (const from of edges.toSorted((one, other) => one - other)) {
    const now = times.filter((one) => one.gaps.some((gap) => gap.from <= from && from < gap.to))
    const last = gaps.at(-1)
    if (last && last.to === Infinity) last.to = from
    if (now.length > 0) gaps.push({ from, to: Infinity, free: now.map(({ column }) => column) })
  }
  return gaps
}

const leastGapMs = 3 * fiveMinutesMs

function nextCard(view: CalendarView, booking: ShownBooking, formats: Formats): Html {
  const { visit, nowMs } = view
  const t = visit.texts.calendar
  const { from, to } = spanOf(booking)
  const { phone } = booking.client
  const minutes = Math.round((from - nowMs) / 60_000)
  return html`<section class="cal-next" aria-label="${t.nextUp}">
    <p class="soft">${t.nextUp} · ${minutes < 1 ? t.now : relativeTime(minutes, visit.locale)}</p>
    <h2>
      <a href="${pathOf(`/console/bookings/${booking.id}`, visit)}"
        ><bdi>${clientName(booking.client, visit)}</bdi></a
      >
    </h2>
    <p>
      ${formats.time(from)}–${formats.time(to)} · <bdi>${booking.service.name}</bdi>
      ${booking.staff ? html` · <bdi>${booking.staff.name}</bdi>` : ''}
    </p>
    ${noteText(view, booking)}
    <div class="actions">
      ${booking.status === 'confirmed' ? statusForm(visit, booking, 'arrive') : ''}
      ${
        phone === null
          ? ''
          : html`<a class="button" href="tel:${phone.replaceAll(/[^\d+]/g, '')}"
              >${icon('phone')} ${t.call} <bdi class="cal-phone">${phone}</bdi></a
            >`
      }
      <a class="button" href="${pathOf(`/console/bookings/${booking.id}/move`, visit)}"
        >${icon('move')} ${visit.texts.booking.move}</a
      >
    </div>
  </section>`
}

/** Renders the button that marks a client as arrived or an appointment as done, and leads back to the list. */
function statusForm(visit: ConsoleVisit, { id, version }: ShownBooking, action: 'arrive' | 'complete'): Html {
  const t = visit.texts.booking
  return html`<form method="post" action="${pathOf(`/console/bookings/${id}/status`, visit)}">
    ${hidden({ once: visit.once, version: String(version), action, to: 'list' })}
    <button type="submit">
      ${icon(action === 'arrive' ? 'arrived' : 'done')} ${action === 'arrive' ? t.arrived : t.complete}
    </button>
  </form>`
}

function listedBooking(view: CalendarView, booking: ShownBooking, formats: Formats): Html {
  const { visit, columns, nowMs } = view
  const t = visit.texts.calendar
  const { from, to } = spanOf(booking)
  const mark = markOf(booking, visit)
  const isShared = columns.length > 1
  const words = partWords(view.visits, visit, booking)
  const more = [
    ...(booking.party_size > 1 ? [html`${t.people({ count: booking.party_size })}`] : []),
    ...(isShared && booking.staff ? [html`<bdi>${booking.staff.name}</bdi>`] : []),
    ...(words ? [html`${words.count}`] : []),
    ...(words?.others === undefined ? [] : [html`${words.others}`]),
    ...(booking.series_id === undefined ? [] : [html`${t.series}`]),
    ...(mark.sign === '' ? [] : [html`${mark.sign} ${mark.text}`]),
  ]
  const past = isOver(booking, nowMs) ? ' is-past' : ''
  const key = `lb-${booking.id}${booking.item.number === 0 ? '' : `-${booking.item.number}`}`
  return html`<li
    class="is-${booking.no_show ? 'no-show' : booking.respond_by === undefined ? booking.status : 'request'}${past}${hueClass(view, booking)}"
    data-key="${key}"
    data-tie="${booking.id}"
  >
    <span>${formats.time(from)}<span class="until">–${formats.time(to)}</span></span>
    <span>
      <a href="${pathOf(`/console/bookings/${booking.id}`, visit)}"
        ><bdi>${clientName(booking.client, visit)}</bdi></a
      >
      <span class="soft"><bdi>${booking.service.name}</bdi>${more.map((part) => html` · ${part}`)}</span>
      ${noteText(view, booking)}
    </span>
    ${booking.status === 'in_progress' && !('redacted' in booking) ? statusForm(visit, booking, 'complete') : ''}
  </li>`
}

function listedHold(view: CalendarView, hold: Shown['holds'][number], formats: Formats): Html {
  const { visit, nowMs } = view
  const { from, to } = spanOf(hold)
  const endsMs = Date.parse(hold.expires_at)
  return html`<li class="is-held${hueClass(view, hold)}" data-key="lh-${hold.id}">
    <span>${formats.time(from)}<span class="until">–${formats.time(to)}</span></span>
    <span>
      <bdi>${hold.service.name}</bdi>
      <span class="soft"
        ><span data-until="${endsMs}">${visit.texts.calendar.held({ left: leftText(endsMs - nowMs) })}</span
        >${hold.staff ? html` · <bdi>${hold.staff.name}</bdi>` : ''}</span
      >
    </span>
  </li>`
}

function listedBlock(
  { visit, calendar, sources }: CalendarView,
  block: Shown['blocks'][number],
  formats: Formats,
): Html {
  const t = visit.texts.calendar
  const { from, to } = spanOf(block)
  const { staff, locations, resources } = calendar.catalogue
  const owner = block.staff_id ?? block.location_id ?? block.resource_id
  const nameIn = (some: { id: string; name: string }[]) => some.find(({ id }) => id === owner)?.name
  const whose = nameIn(staff) ?? nameIn(locations) ?? nameIn(resources) ?? ''
  const { range } = calendar
  const isLong = from < range.from || to > range.to
  const moment = (ms: number) => `${formats.date(ms)} ${formats.time(ms)}`
  const until = html`<span class="until">–${formats.time(Math.min(to, range.to))}</span>`
  return html`<li class="soft" data-key="lx-${block.id}">
    <span>${formats.time(Math.max(from, range.from))}${until}</span>
    <span
      >${
        block.busy_elsewhere === true
          ? elsewhereText(visit, sources.get(block.id))
          : mayKnowReason(block, visit.person)
            ? html`<a href="${pathOf(`/console/block/${block.id}`, visit)}"
                ><bdi>${blockText(visit, block.reason)}</bdi></a
              >`
            : t.blocked
      }
      · <bdi>${whose}</bdi>${isLong ? html` · ${moment(from)} – ${moment(to)}` : ''}</span
    >
  </li>`
}

function listedGap({ visit, choice, columns }: CalendarView, gap: Gap, formats: Formats): Html {
  const t = visit.texts.calendar
  const start = new Date(gap.from).toISOString()
  const [first, ...others] = gap.free
  const only = columns.length === 1 ? columns[0]?.staff?.id : undefined
  const who = choice.who ?? only ?? (others.length === 0 ? first?.id : undefined)
  const path = pathOf('/console/book', visit, { start, who, location: choice.location })
  return html`<li class="gap" data-key="lf-${gap.to}">
    <span>${formats.time(gap.from)}–${formats.time(gap.to)}</span>
    <span
      ><a href="${path}"
        >${t.book}<span class="unseen">
          ${t.free({ from: formats.time(gap.from), to: formats.time(gap.to) })}</span
        ></a
      >
      ${visit.texts.today.free}
      <span class="soft"
        >${gap.free.map(
          (column, index) => html`${index === 0 ? '' : ', '}<bdi>${columnName(column, columns)}</bdi>`,
        )}</span
      ></span
    >
  </li>`
}
