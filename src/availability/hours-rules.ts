import type { DateOverride, Hours, Weekday, WeeklyHours } from '../catalogue/catalogue-types.ts'
import { dayMs, type MsSpan, type ZoneOffsets } from './zone-rules.ts'

/** The hours that a location or a staff member keeps; without weekly hours it is always there. */
export interface Schedule {
  weekly_hours: WeeklyHours | null
  date_overrides: DateOverride[]
}

/** Hours of one day as milliseconds from its midnight; past midnight `to` is more than a day. */
type DayHours = readonly MsSpan[]

/** A schedule in numbers, made once for each schedule. */
interface ReadSchedule {
  weekly: readonly DayHours[] | null
  /** By local day. */
  overrides: ReadonlyMap<number, DayHours>
}

/** Days since 1970-01-01 that a date such as 2026-12-24 names. */
export function dayOf(date: string): number {
  return Date.parse(date) / dayMs
}

/** The date of a local day. */
export function dateOf(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10)
}

const wholeDay: DayHours = [{ from: 0, to: dayMs }]

/** Whether a schedule limits nothing. */
export function isAlwaysOpen({ weekly_hours, date_overrides }: Schedule): boolean {
  return weekly_hours === null && date_overrides.length === 0
}

/**
 * The times in which a schedule is open that begins on one of some local days, each from an opening on: always open
 * is a new opening at each local midnight. A change of the clocks can make two of one, or none.
 */
export function openingsOf(
  schedule: Schedule,
  zone: ZoneOffsets,
  days: { first: number; last: number },
): MsSpan[] {
  const { weekly, overrides } = readSchedule(schedule)
  const openings: MsSpan[] = []
  for (let day = days.first; day <= days.last; day += 1) {
    const hours = overrides.get(day) ?? (weekly ? weekly[weekdayOf(day)] : wholeDay)
    for (const { from, to } of hours ?? []) {
      openings.push(...zone.instantsShowing({ from: day * dayMs + from, to: day * dayMs + to }))
    }
  }
  return openings
}

/** Monday is 0; 1970-01-01 was a Thursday. */
function weekdayOf(day: number): number {
  return (day + 3) % 7
}

const weekdays: Weekday[] = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

const alreadyRead = new WeakMap<Schedule, ReadSchedule>()

function readSchedule(schedule: Schedule): ReadSchedule {
  const known = alreadyRead.get(schedule)
  if (known) return known
  const { weekly_hours, date_overrides } = schedule
  const read = {
    weekly:
      weekly_hours &&
      weekdays.map((weekday) => weekly_hours.filter((hours) => hours.weekday === weekday).map(readHours)),
    overrides: new Map(date_overrides.map(({ date, hours }) => [dayOf(date), hours.map(readHours)])),
  }
  alreadyRead.set(schedule, read)
  return read
}

function readHours({ opens, closes }: Hours): MsSpan {
  const from = readWallTime(opens)
  const to = readWallTime(closes)
  return { from, to: to <= from ? to + dayMs : to }
}

function readWallTime(text: string): number {
  const [hours = NaN, minutes = NaN] = text.split(':').map(Number)
  return (hours * 60 + minutes) * 60_000
}
