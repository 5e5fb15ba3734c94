import { isCalendarDate } from '../base/contact-formats.ts'
import type { FieldError } from '../base/errors.ts'
import type { Hours, Weekday, WeeklyHours } from './catalogue-types.ts'

/** In the order of the week, from Monday (ISO 8601). */
export const weekdays = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const satisfies readonly Weekday[]

const minutesADay = 1_440
const minutesAWeek = 7 * minutesADay

/** Minutes from midnight, half-open. The end may lie on the next day. */
interface MinuteInterval {
  start: number
  end: number
}

/** Parses a wall time from 00:00 to 23:59 into minutes from midnight; undefined if invalid. */
function minutesOf(text: string): number | undefined {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? []
  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes)
}

/**
 * Returns the interval of opening hours. `closes` is on the next day if it is at or before `opens`. Undefined
 * for an invalid time.
 */
function intervalOf({ opens, closes }: Partial<Hours>): MinuteInterval | undefined {
  if (opens === undefined || closes === undefined) return undefined
  const start = minutesOf(opens)
  const end = closes === '24:00' ? minutesADay : minutesOf(closes)
  if (start === undefined || end === undefined) return undefined
  return { start, end: end > start ? end : end + minutesADay }
}

export function opensErrors(text: string): FieldError[] {
  if (minutesOf(text) !== undefined) return []
  return [
    { pointer: '', code: 'invalid_format', detail: 'must be a time from 00:00 to 23:59, such as 09:00' },
  ]
}

export function closesErrors(text: string): FieldError[] {
  if (text === '24:00' || minutesOf(text) !== undefined) return []
  return [
    { pointer: '', code: 'invalid_format', detail: 'must be a time from 00:00 to 24:00, such as 17:00' },
  ]
}

/** Returns errors for overlapping weekly hours, also past midnight and from Sunday into Monday. */
export function weeklyHoursErrors(entries: (Partial<WeeklyHours[number]> | undefined)[]): FieldError[] {
  const intervals = entries.map((entry) => {
    const interval = entry && intervalOf(entry)
    if (!interval || entry.weekday === undefined) return undefined
    const midnight = weekdays.indexOf(entry.weekday) * minutesADay
    return { start: midnight + interval.start, end: midnight + interval.end }
  })
  return overlapErrors(entries, intervals, (one, other) =>
    // the week wraps around
    [-minutesAWeek, 0, minutesAWeek].some(
      (shift) => one.start < other.end + shift && other.start + shift < one.end,
    ),
  )
}

export function dateHoursErrors(entries: (Partial<Hours> | undefined)[]): FieldError[] {
  const intervals = entries.map((entry) => entry && intervalOf(entry))
  return overlapErrors(entries, intervals, (one, other) => one.start < other.end && other.start < one.end)
}

function overlapErrors(
  entries: (Partial<Hours> | undefined)[],
  intervals: (MinuteInterval | undefined)[],
  overlap: (one: MinuteInterval, other: MinuteInterval) => boolean,
): FieldError[] {
  return intervals.flatMap((interval, index) => {
    const before = intervals.findIndex(
      (other, at) => at < index && interval && other && overlap(interval, other),
    )
    if (before < 0) return []
    const pointer = `/${index}`
    const { opens, closes } = entries[before] ?? {}
    return [{ pointer, code: 'overlap', detail: `overlaps entry ${before}, ${opens}–${closes}` }]
  })
}

export function timetableErrors(entries: ({ weekday?: string } | undefined)[]): FieldError[] {
  return duplicateErrors(
    entries.map((entry) => entry?.weekday),
    '/weekday',
  )
}

function isTime(text: string | undefined): text is string {
  return text !== undefined && /^\d\d:\d\d$/.test(text)
}

/** Returns errors for starts that are not later than the previous one. */
export function startsErrors(starts: (string | undefined)[]): FieldError[] {
  return starts.flatMap((start, index) => {
    const before = starts[index - 1]
    if (!isTime(start) || !isTime(before) || start > before) return [] // invalid times have a separate error
    if (start === before) return [{ pointer: `/${index}`, code: 'repeated', detail: 'is given twice' }]
    return [{ pointer: `/${index}`, code: 'out_of_range', detail: `must be later than ${before}, before it` }]
  })
}

export function dateErrors(text: string): FieldError[] {
  if (isCalendarDate(text)) return []
  return [
    { pointer: '', code: 'invalid_format', detail: 'must be a date of the calendar, such as 2026-12-24' },
  ]
}

export function dateOverridesErrors(entries: ({ date?: string } | undefined)[]): FieldError[] {
  return duplicateErrors(
    entries.map((entry) => entry?.date),
    '/date',
  )
}

/** Returns errors for repeated entries, with a pointer to each, or to a member of it. */
export function duplicateErrors(entries: (string | undefined)[], member = ''): FieldError[] {
  const seen = new Set<string>()
  return entries.flatMap((entry, index) => {
    if (entry === undefined) return []
    if (seen.has(entry))
      return [{ pointer: `/${index}${member}`, code: 'repeated', detail: 'is given twice' }]
    seen.add(entry)
    return []
  })
}
