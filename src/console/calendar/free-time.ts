import { isStaff } from '../../access/actor.ts'
import type { Interval } from '../../availability/zone-rules.ts'
import { without } from '../../bookings/calendar-rules.ts'
import { maxDaysOver } from '../../bookings/objection-rules.ts'
import type { ConsoleVisit } from '../frame/console-page.ts'
import {
  blocksOf,
  type CalendarView,
  type Column,
  type Shown,
  type ShownBooking,
  spanOf,
} from './calendar-view.ts'

/* The times that entries of the calendar take and leave free. */

export const fiveMinutesMs = 300_000

const nextStart = (nowMs: number) => Math.ceil(nowMs / fiveMinutesMs) * fiveMinutesMs

/** Returns true if the reader can book the column, or block it if it is a room. Staff can only book themselves. */
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

function gapsIn(view: CalendarView, column: Column, within: Interval): Interval[] {
  const blocked = blocksOf(view.shown.blocks, column).map(spanOf)
  const open = column.open
    .map((span) => ({ from: Math.max(span.from, within.from), to: Math.min(span.to, within.to) }))
    .filter((span) => span.from < span.to)
  return without(open, [...fullTimes(view, column), ...blocked]).filter(
    (gap) => gap.to - gap.from >= fiveMinutesMs,
  )
}

/** Returns true if a column is open and free for a booking of another. People of the same class do not obstruct it. */
export function canTake(view: CalendarView, column: Column, one: ShownBooking): boolean {
  const service = view.calendar.catalogue.services.find(({ id }) => id === one.service.id)
  const isShared = (service?.capacity ?? 1) > 1
  const others = (view.taken.get(column.id) ?? []).filter(
    (other) => !(isShared && other.service.id === one.service.id && other.starts_at === one.starts_at),
  )
  const whole = { from: Date.parse(one.taken_from), to: Date.parse(one.taken_until) }
  const free = gapsIn({ ...view, taken: new Map([[column.id, others]]) }, column, whole)
  return without([whole], lightOf(one)).every((part) =>
    free.some(({ from, to }) => from <= part.from && part.to <= to),
  )
}

/** The bounds of the time that an entry takes, with its buffers. */
export interface Taken {
  taken_from: string
  taken_until: string
}

type TakenEntry = ShownBooking | Shown['holds'][number]

/** Returns the times at which somebody is needed for an entry, without buffers. */
export function stretchesOf(one: TakenEntry): Interval[] {
  const free = lightOf(one)
  return free.length === 0 ? [spanOf(one)] : without([spanOf(one)], free)
}

/** Returns the times within an entry that it leaves free for others. */
export function lightOf(one: TakenEntry): Interval[] {
  return 'item' in one ? one.item.free.map(spanOf) : []
}

interface Use extends Interval {
  /** Seats of the column. */
  size: number
}

/** Returns the times that entries take of a column, with their buffers. */
function usesOf({ taken, calendar }: CalendarView, column: Column): Use[] {
  const { resource } = column
  return (taken.get(column.id) ?? []).flatMap((one) => {
    const whole = { from: Date.parse(one.taken_from), to: Date.parse(one.taken_until) }
    const need = resource && calendar.catalogue.services.find(({ id }) => id === one.service.id)?.needs
    const needed = need?.find(({ resource_ids }) => resource_ids.includes(column.id))?.quantity ?? 1
    const size = resource ? needed : one.party_size
    return without([whole], lightOf(one)).map((span) => ({ ...span, size }))
  })
}

/** Returns the times at which all seats are taken. */
function fullTimes(view: CalendarView, column: Column): Interval[] {
  const seats = column.service?.capacity ?? column.resource?.quantity ?? 1
  const uses = usesOf(view, column)
  return seats === 1 ? uses : levelsOf(uses).filter(({ size }) => size >= seats)
}

/** Returns the seats in use between each two changes. */
function levelsOf(uses: readonly Use[]): Use[] {
  const edges = [...new Set(uses.flatMap(({ from, to }) => [from, to]))].sort((one, other) => one - other)
  return edges.slice(0, -1).map((from, index) => ({
    ...{ from, to: edges[index + 1] ?? from },
    size: uses.filter((one) => one.from <= from && from < one.to).reduce((sum, { size }) => sum + size, 0),
  }))
}

/** Returns the time within an interval at which most seats of a column are in use, and their number. */
export function mostUsed(view: CalendarView, column: Column, { from, to }: Interval): Use | undefined {
  return levelsOf(usesOf(view, column))
    .filter((one) => one.from < to && one.to > from)
    .toSorted((one, other) => other.size - one.size || one.from - other.from)[0]
}
