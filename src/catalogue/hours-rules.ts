import { isCalendarDate } from '../contact-formats.ts'
import type { Fault } from '../errors.ts'
import type { Hours, Weekday, WeeklyHours } from './catalogue-types.ts'

/** In the order of the week, which begins on Monday (ISO 8601). */
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

/** Minutes from midnight, half-open; the end may lie on the next day. */
interface Stretch {
  start: number
  end: number
}

/** A wall time from 00:00 to 23:59 as minutes from midnight; undefined when it is none. */
function minutesOf(text: string): number | undefined {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? []
  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes)
}

/** The stretch that hours mean: at or before `opens`, `closes` is on the next day. Undefined for no such times. */
function stretchOf({ opens, closes }: Partial<Hours>): Stretch | undefined {
  if (opens === undefined || closes === undefined) return undefined
  const start = minutesOf(opens)
  const end = closes === '24:00' ? minutesADay : minutesOf(closes)
  if (start === undefined || end === undefined) return undefined
  return { start, end: end > start ? end : end + minutesADay }
}

/** What is wrong with the time at which something opens. */
export function opensFaults(text: string): Fault[] {
  if (minutesOf(text) !== undefined) return []
  return [
    { pointer: '', code: 'invalid_format', detail: 'must be a time from 00:00 to 23:59, such as 09:00' },
  ]
}

/** What is wrong with the time at which something closes. */
export function closesFaults(text: string): Fault[] {
  if (text === '24:00' || minutesOf(text) !== undefined) return []
  return [
    { pointer: '', code: 'invalid_format', detail: 'must be a time from 00:00 to 24:00, such as 17:00' },
  ]
}

/** Hours of a week that overlap: also past midnight, and from Sunday into Monday. */
export function weeklyHoursFaults(entries: (Partial<WeeklyHours[number]> | undefined)[]): Fault[] {
  const stretches = entries.map((entry) => {
    const stretch = entry && stretchOf(entry)
    if (!stretch || entry.weekday === undefined) return undefined
    const midnight = weekdays.indexOf(entry.weekday) * minutesADay
    return { start: midnight + stretch.start, end: midnight + stretch.end }
  })
  return overlapFaults(stretches, (one, other) =>
    // the week is a ring: what runs past its end meets its beginning
    [-minutesAWeek, 0, minutesAWeek].some(
      (shift) => one.start < other.end + shift && other.start + shift < one.end,
    ),
  )
}

/** Hours of one date that overlap. */
export function dateHoursFaults(entries: (Partial<Hours> | undefined)[]): Fault[] {
  const stretches = entries.map((entry) => entry && stretchOf(entry))
  return overlapFaults(stretches, (one, other) => one.start < other.end && other.start < one.end)
}

function overlapFaults(
  stretches: (Stretch | undefined)[],
  overlap: (one: Stretch, other: Stretch) => boolean,
): Fault[] {
  return stretches.flatMap((stretch, index) => {
    const before = stretches.findIndex(
      (other, at) => at < index && stretch && other && overlap(stretch, other),
    )
    if (before < 0) return []
    const pointer = `/${index}`
    return [{ pointer, code: 'overlap', detail: `overlaps the hours of entry ${before}` }]
  })
}

/** What is wrong with the date of an override. */
export function dateFaults(text: string): Fault[] {
  if (isCalendarDate(text)) return []
  return [
    { pointer: '', code: 'invalid_format', detail: 'must be a date of the calendar, such as 2026-12-24' },
  ]
}

/** Dates that are named twice. */
export function dateOverridesFaults(entries: ({ date?: string } | undefined)[]): Fault[] {
  return repetitionFaults(
    entries.map((entry) => entry?.date),
    '/date',
  )
}

/** What of a list has come before, with a pointer to each, and below it to a member. */
export function repetitionFaults(entries: (string | undefined)[], member = ''): Fault[] {
  const seen = new Set<string>()
  return entries.flatMap((entry, index) => {
    if (entry === undefined) return []
    if (seen.has(entry))
      return [{ pointer: `/${index}${member}`, code: 'repeated', detail: 'is given twice' }]
    seen.add(entry)
    return []
  })
}
