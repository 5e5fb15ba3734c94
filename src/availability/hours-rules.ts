import type { DateOverride, Hours, Timetable, Weekday, WeeklyHours } from '../catalogue/catalogue-types.ts'
import { dayMs, type Interval, type ZoneOffsets } from './zone-rules.ts'

/** Hours of a location or staff member. Without weekly hours, always open. */
export interface Schedule {
  weekly_hours: WeeklyHours | null
  date_overrides: DateOverride[]
}

/** Hours of one day in milliseconds from midnight. `to` exceeds a day for hours past the next midnight. */
type DayHours = readonly Interval[]

/** A schedule parsed into numbers. */
interface ParsedSchedule {
  weekly: readonly DayHours[] | null
  /** By local day. */
  overrides: ReadonlyMap<number, DayHours>
}

/** Parses a date such as 2026-12-24 into days since 1970-01-01. */
export function dayOf(date: string): number {
  return Date.parse(date) / dayMs
}

export function dateOf(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10)
}

const wholeDay: DayHours = [{ from: 0, to: dayMs }]

export function isAlwaysOpen({ weekly_hours, date_overrides }: Schedule): boolean {
  return weekly_hours === null && date_overrides.length === 0
}

/**
 * Returns the intervals in which a schedule is open on some local days. An always open schedule has an
 * opening for each local day. A clock change can split an opening in two, or remove it.
 */
export function openingsOf(
  schedule: Schedule,
  zone: ZoneOffsets,
  days: { first: number; last: number },
): Interval[] {
  const { weekly, overrides } = parseSchedule(schedule)
  const openings: Interval[] = []
  for (let day = days.first; day <= days.last; day += 1) {
    const hours = overrides.get(day) ?? (weekly ? weekly[weekdayOf(day)] : wholeDay)
    for (const { from, to } of hours ?? []) {
      openings.push(...zone.instantsShowing({ from: day * dayMs + from, to: day * dayMs + to }))
    }
  }
  return openings
}

/** Returns the weekday; Monday is 0. 1970-01-01 was a Thursday. */
function weekdayOf(day: number): number {
  return (day + 3) % 7
}

const weekdays: Weekday[] = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

const parsedSchedules = new WeakMap<Schedule, ParsedSchedule>()

function parseSchedule(schedule: Schedule): ParsedSchedule {
  const known = parsedSchedules.get(schedule)
  if (known) return known
  const { weekly_hours, date_overrides } = schedule
  const read = {
    weekly:
      weekly_hours &&
      weekdays.map((weekday) => weekly_hours.filter((hours) => hours.weekday === weekday).map(parseHours)),
    overrides: new Map(date_overrides.map(({ date, hours }) => [dayOf(date), hours.map(parseHours)])),
  }
  parsedSchedules.set(schedule, read)
  return read
}

function parseHours({ opens, closes }: Hours): Interval {
  const from = parseWallTime(opens)
  const to = parseWallTime(closes)
  return { from, to: to <= from ? to + dayMs : to }
}

function parseWallTime(text: string): number {
  const [hours = NaN, minutes = NaN] = text.split(':').map(Number)
  return (hours * 60 + minutes) * 60_000
}

/** The starts of a timetable by weekday, in milliseconds from midnight; Monday comes first. */
type Starts = readonly ReadonlySet<number>[]

const parsedTimetables = new WeakMap<Timetable, Starts>()

function startsOf(timetable: Timetable): Starts {
  const known = parsedTimetables.get(timetable)
  if (known) return known
  const starts = weekdays.map((weekday) => {
    const ofDay = timetable.filter((entry) => entry.weekday === weekday)
    return new Set(ofDay.flatMap((entry) => entry.starts.map(parseWallTime)))
  })
  parsedTimetables.set(timetable, starts)
  return starts
}

/**
 * Returns the instants in an interval at which a timetable starts slots, in order. A start that a clock
 * change skips has no instant; a repeated one has two, like all wall times.
 */
export function timetableTimes(timetable: Timetable, zone: ZoneOffsets, { from, to }: Interval): number[] {
  const starts = startsOf(timetable)
  const times: number[] = []
  for (let day = zone.dayAt(from); day <= zone.dayAt(to - 1); day += 1) {
    for (const start of starts[weekdayOf(day)] ?? []) {
      const wall = day * dayMs + start
      times.push(...zone.instantsShowing({ from: wall, to: wall + 1 }).map((instant) => instant.from))
    }
  }
  return times.filter((time) => from <= time && time < to).sort((one, other) => one - other)
}

/** Returns true if a timetable starts a slot at a wall time, in milliseconds as in `zone.wallTime`. */
export function isInTimetable(timetable: Timetable, wallMs: number): boolean {
  const day = Math.floor(wallMs / dayMs)
  return startsOf(timetable)[weekdayOf(day)]?.has(wallMs - day * dayMs) ?? false
}

/**
 * A union of intervals. Fast if queried in chronological order, because each search starts at the last
 * result.
 */
export class Spans {
  /** Sorted and disjoint. */
  private readonly merged: Interval[]
  private hint = 0

  constructor(spans: readonly Interval[]) {
    this.merged = merge(spans)
  }

  /** Returns true if the whole interval is covered. */
  cover({ from, to }: Interval): boolean {
    const span = this.merged[this.firstEndingAfter(from)]
    return span !== undefined && span.from <= from && to <= span.to
  }

  /** Returns true if any part of the interval is covered. */
  meet({ from, to }: Interval): boolean {
    const span = this.merged[this.firstEndingAfter(from)]
    return span !== undefined && span.from < to
  }

  private firstEndingAfter(instantMs: number): number {
    const endsBy = (at: number) => (this.merged[at]?.to ?? Infinity) <= instantMs
    while (this.hint > 0 && !endsBy(this.hint - 1)) this.hint -= 1
    while (endsBy(this.hint)) this.hint += 1
    return this.hint
  }
}

function merge(spans: readonly Interval[]): Interval[] {
  const merged: Interval[] = []
  for (const { from, to } of spans.toSorted((one, other) => one.from - other.from)) {
    const last = merged.at(-1)
    if (last && from <= last.to) last.to = Math.max(last.to, to)
    else merged.push({ from, to })
  }
  return merged
}
