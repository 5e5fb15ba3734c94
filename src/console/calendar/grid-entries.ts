import type { Interval } from '../../availability/zone-rules.ts'
import { html, type Html } from '../../base/html.ts'
import { icon } from '../../pages/icons.ts'
import { pathOf } from '../frame/console-page.ts'
import { titledFace } from '../frame/faces.ts'
import { clientName } from '../frame/formats.ts'
import { type Formats, leftText, markOf } from './calendar-page.ts'
import {
  blocksOf,
  type CalendarView,
  type Column,
  hueClass,
  type Shown,
  type ShownBooking,
  spanOf,
} from './calendar-view.ts'
import { inLanes, placeOf, type Rows } from './day-layout.ts'
import { lightOf, stretchesOf, type Taken } from './free-time.ts'
import { partWords } from './visit-parts.ts'

/* Bookings and holds in the columns of the grid. */

/** A calendar as a grid that begins at a row. */
interface EntriesView extends CalendarView {
  window: Rows
  formats: Formats
}

type ShownHold = Shown['holds'][number]

/** A stretch of time in a column. A booking that leaves its column free in between has several. */
interface Stretch extends Interval {
  /** Its number from 0. */
  index: number
}

type Entry =
  | { kind: 'booking'; booking: ShownBooking; others: ShownBooking[]; stretch: Stretch }
  | { kind: 'hold'; hold: ShownHold; stretch: Stretch }

type At = (span: Interval) => Rows | undefined

/** Renders the bookings and holds of a column, their buffers, and the steps that leave the column free. */
export function entryParts(view: EntriesView, column: Column, at: At): Html[] {
  const { window } = view
  const placed = entriesOf(view, column).flatMap((entry) => {
    const rows = at(entry.stretch)
    const { before, after } = buffersOf(entry)
    return rows ? [{ ...entry, rows, before: at(before), after: at(after) }] : []
  })
  const blocks = blocksOf(view.shown.blocks, column).map(spanOf)
  const spare = (column.service?.capacity ?? 1) > 1 ? 1 : 0 // leaves room to book in the next lane
  return [
    ...lightParts(view, column, at),
    ...inLanes(placed).flatMap((entry) => {
      const lanes = { lane: entry.lane, lanes: entry.lanes + spare }
      const { from, to } = entry.stretch
      const isBlocked = blocks.some((block) => block.from < to && block.to > from)
      const place = `${placeOf(entry.rows, window.first, lanes)}${isBlocked ? ' over-block' : ''}`
      const buffers = [entry.before, entry.after].map((rows) =>
        rows ? html`<li class="buffer ${placeOf(rows, window.first, lanes)}" aria-hidden="true"></li>` : '',
      )
      const part =
        entry.kind === 'hold'
          ? holdPart(view, entry, place)
          : entry.others.length > 0 || isOpenClass(view, entry, column)
            ? groupPart(view, { ...entry, column }, place)
            : bookingPart(view, { ...entry, column, isBlocked }, place)
      return [html`${buffers}`, part]
    }),
  ]
}

/** Empty intervals, which take no rows, where there is no buffer. */
function buffersOf({ stretch, ...entry }: Entry): { before: Interval; after: Interval } {
  const one: Taken & { starts_at: string; ends_at: string } =
    entry.kind === 'booking' ? entry.booking : entry.hold
  const { from, to } = spanOf(one)
  return {
    before: { from: Math.min(Date.parse(one.taken_from), from), to: stretch.from === from ? from : 0 },
    after: { from: to, to: stretch.to === to ? Date.parse(one.taken_until) : 0 },
  }
}

/** Returns the entries of a column. Bookings of one appointment form a single entry, except in a room. */
function entriesOf({ taken }: CalendarView, column: Column): Entry[] {
  const all = taken.get(column.id) ?? []
  const bookings = all.filter((one) => 'status' in one)
  const groups = Map.groupBy(bookings, ({ id, item, service, starts_at, ends_at }) =>
    (column.resource ? [id, item.id] : [service.id, starts_at, ends_at]).join(),
  )
  return [
    ...[...groups.values()].flatMap(([booking, ...others]): Entry[] =>
      booking ? stretchesIn(booking).map((stretch) => ({ kind: 'booking', booking, others, stretch })) : [],
    ),
    ...all.flatMap((hold): Entry[] =>
      'status' in hold ? [] : stretchesIn(hold).map((stretch) => ({ kind: 'hold', hold, stretch })),
    ),
  ]
}

function stretchesIn(one: ShownBooking | ShownHold): Stretch[] {
  return stretchesOf(one).map((stretch, index) => ({ ...stretch, index }))
}

/** Renders the steps without the person. They take no lane, because others can book them. */
function lightParts(view: EntriesView, column: Column, at: At): Html[] {
  const { taken, window } = view
  return (taken.get(column.id) ?? []).flatMap((one) =>
    lightOf(one).flatMap((span) => {
      const rows = at(span)
      return rows
        ? [
            html`<li
              class="light${hueClass(view, one)} ${placeOf(rows, window.first)}"
              data-tie="${one.id}"
              aria-hidden="true"
            ></li>`,
          ]
        : []
    }),
  )
}

type PartEntry = Extract<Entry, { kind: 'booking' }> & { column: Column; rows: Rows; isBlocked: boolean }

/** Height of a line of text and of the edges, in rows. */
const [rowsPerLine, edgeRows] = [2.56, 0.7]
/** Maximum number of lines below the first. */
const maxLines = 5

/** Returns the places of a class; undefined for other services. Without a person, it has fixed start times. */
function placesOf({ calendar }: CalendarView, { service }: ShownBooking, column: Column): number | undefined {
  const offered = calendar.catalogue.services.find(({ id }) => id === service.id)
  const isClass = column.staff !== undefined || (offered?.timetable ?? null) !== null
  return offered && offered.capacity > 1 && isClass ? offered.capacity : undefined
}

/** Returns true for a class that the reader may open. A single booking of it is shown as one, too. */
function isOpenClass(
  view: CalendarView,
  { booking }: Extract<Entry, { kind: 'booking' }>,
  column: Column,
): boolean {
  return !column.resource && !('redacted' in booking) && placesOf(view, booking, column) !== undefined
}

/** Renders the bookings of one appointment, such as a class, as a link to who comes. */
function groupPart(
  view: EntriesView,
  { booking, others, column }: Extract<Entry, { kind: 'booking' }> & { column: Column },
  place: string,
) {
  const { visit, formats, nowMs } = view
  const { from, to } = spanOf(booking)
  const size = [booking, ...others].reduce((sum, { party_size }) => sum + party_size, 0)
  const capacity = placesOf(view, booking, column)
  const warnings = [booking, ...others].flatMap((one) => {
    const note = view.notes.get(one.id)
    return note === undefined ? [] : [`${clientName(one.client, visit)}: ${note}`]
  })
  const start = new Date(from).toISOString()
  const { id, name } = booking.service
  const path = pathOf('/console/class', visit, { service: id, who: booking.column_id, start })
  const what =
    capacity === undefined
      ? visit.texts.calendar.booked({ count: size })
      : visit.texts.class.seats({ count: size, capacity })
  return html`<li
    class="booking group${to <= nowMs ? ' is-past' : ''}${hueClass(view, booking)} ${place}"
    data-key="b-${booking.id}"
    data-span="${from} ${to}"
  >
    <a
      href="${path}"
      aria-label="${[`${formats.time(from)} ${name} ${what}`, `${formats.time(from)}–${formats.time(to)}`, ...notesLabel(visit, warnings)].join(', ')}"
      >${noteSign(warnings)}${formats.time(from)} <bdi>${name}</bdi> <span class="what">${what}</span></a
    >
  </li>`
}

function bookingPart(view: EntriesView, entry: PartEntry, place: string): Html {
  const { visit, formats, nowMs } = view
  const { booking, stretch } = entry
  const mark = markOf(booking, visit)
  const words = partWords(view.visits, visit, booking)
  const name = clientName(booking.client, visit)
  const key = keyOf(entry)
  const isRequest = booking.respond_by !== undefined
  const status = booking.no_show ? 'no-show' : isRequest ? 'request' : booking.status
  const isOver = stretch.to <= nowMs && booking.status !== 'in_progress'
  const lines = linesIn(entry.rows)
  const isShort = lines < 2 // cuts the words about others
  const size = lines < 1 ? ' is-short' : isShort ? '' : ` lines-${lines}`
  const time = formats.time(stretch.from)
  const others = entry.column.resource ? undefined : words?.others
  const [service, ...more] = whatOf(view, entry)
  const note = view.notes.get(booking.id)
  const warnings = note === undefined ? [] : [note]
  const isSeries = booking.series_id !== undefined
  const label = [
    `${isRequest ? `${mark.text} ` : ''}${time} ${name} ${[service, ...more, ...(others === undefined ? [] : [others])].join(' · ')}`,
    ...timesOf(view, entry),
    ...(isRequest ? [] : [mark.text]),
    ...(isSeries ? [visit.texts.calendar.series] : []),
    ...(words === undefined ? [] : [words.count]),
    ...(entry.isBlocked ? [visit.texts.calendar.blocked] : []),
    ...notesLabel(visit, warnings),
  ]
  return html`<li
    class="booking is-${status}${isOver ? ' is-past' : ''}${size}${hueClass(view, booking)} ${place}"
    data-key="${key}"
    data-span="${stretch.from} ${stretch.to}"
    data-tie="${booking.id}"
    ${moveData(view, booking)}
  >
    <a id="${key}" href="${pathOf(`/console/bookings/${booking.id}`, visit)}" aria-label="${label.join(', ')}"
      >${mark.sign === '' ? '' : html`<span class="sign" aria-hidden="true">${isRequest ? html`${mark.text} ` : mark.sign}</span>`}${noteSign(warnings)}${isSeries ? html`<span class="sign">${icon('again')}</span>` : ''}${time}
      <bdi>${name}</bdi>
      <span class="what" ${words ? html`data-part="${words.sign}"` : ''}
        >${others === undefined || !isShort ? '' : html`${titledFace(words?.other ?? '', others)} `}${service}${[...more, ...(others === undefined || isShort ? [] : [others])].map((part) => html` · <bdi>${part}</bdi>`)}</span
      ></a
    >
  </li>`
}

/** Renders the sign for notes about clients, with the notes as its tip. The label of the link has them in words. */
function noteSign(notes: readonly string[]): Html {
  if (notes.length === 0) return html``
  return html`<span class="sign is-note" title="${notes.join('\n')}">${icon('warning')}</span>`
}

function notesLabel({ texts }: EntriesView['visit'], notes: readonly string[]): string[] {
  return notes.map((note) => texts.calendar.clientNote({ note }))
}

/** The key of an element stays the same while its booking moves. */
function keyOf({ booking: { id, item }, stretch, column }: PartEntry): string {
  const parts = [
    ...(item.number === 0 ? [] : [item.number]),
    ...(stretch.index === 0 ? [] : [`s${stretch.index}`]),
    ...(column.resource ? [column.id] : []),
  ]
  return ['b', id, ...parts].join('-')
}

/** Returns what is booked, and what else its column does not say. */
function whatOf(
  { visit, choice }: EntriesView,
  { booking, stretch, column }: PartEntry,
): [string, ...string[]] {
  const t = visit.texts.calendar
  const { service, party_size, staff, location } = booking
  const isElsewhere = choice.location !== undefined && choice.location !== location.id
  return [
    stretch.index === 0 ? service.name : t.goesOn({ service: service.name }),
    ...(party_size > 1 ? [t.people({ count: party_size })] : []),
    ...(column.resource && staff ? [staff.name] : []),
    ...(isElsewhere ? [location.name] : []),
  ]
}

/** Returns the times of a booking, with those at which others can be booked. */
function timesOf({ visit, formats }: EntriesView, { booking, stretch }: PartEntry): string[] {
  const t = visit.texts.calendar
  const times = ({ from, to }: Interval) => ({ from: formats.time(from), to: formats.time(to) })
  const { from, to } = times(stretch.index > 0 ? stretch : spanOf(booking))
  const light = stretch.index > 0 ? [] : lightOf(booking)
  return [`${from}–${to}`, ...light.map((span) => t.free(times(span)))]
}

/** Renders the data with which the script moves a booking. A visit moves with all its items. */
function moveData({ told, visits }: EntriesView, booking: ShownBooking): Html {
  if (!isMovable(booking)) return html``
  const whole = visits.get(booking.id)
  const ofVisit = whole
    ? html`data-item="${booking.item.id}" data-items="${whole.items.map(({ id }) => id).join(' ')}"
      data-visit="${whole.span.from} ${whole.span.to}"
      data-what="${whole.items.length > 1 ? booking.service.name : ''}"`
    : ''
  return html`data-id="${booking.id}" data-version="${booking.version}" data-service="${booking.service.id}"
  ${told.has(booking.id) ? html`data-told` : ''} ${ofVisit}`
}

/** Returns true for an upcoming or current booking that the reader may change. */
function isMovable(booking: ShownBooking): boolean {
  return !('redacted' in booking) && ['pending', 'confirmed', 'in_progress'].includes(booking.status)
}

/** Returns the number of lines below the first one. */
function linesIn({ first, end }: Rows): number {
  return Math.min(maxLines, Math.floor((end - first - edgeRows) / rowsPerLine) - 1)
}

function holdPart(
  view: EntriesView,
  { hold, rows, stretch: { from, to } }: Extract<Entry, { kind: 'hold' }> & { rows: Rows },
  place: string,
): Html {
  const { visit, nowMs, formats } = view
  const endsMs = Date.parse(hold.expires_at)
  // the hold of a visit has several parts, some in one column
  return html`<li
    class="hold${linesIn(rows) < 1 ? ' is-short' : ''}${hueClass(view, hold)} ${place}"
    tabindex="-1"
    data-key="h-${hold.id}-${from}"
    data-tie="${hold.id}"
  >
    <span class="what">${formats.time(from)} <bdi>${hold.service.name}</bdi></span>
    <span class="what" aria-hidden="true"
      >${icon('waiting')} <span data-until="${endsMs}">${leftText(endsMs - nowMs)}</span></span
    >
    <span class="unseen"
      ><span data-until="${endsMs}">${visit.texts.calendar.held({ left: leftText(endsMs - nowMs) })}</span>,
      ${formats.time(from)}–${formats.time(to)}</span
    >
  </li>`
}
