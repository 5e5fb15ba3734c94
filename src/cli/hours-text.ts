import { weekdays } from '../catalogue/hours-rules.ts'
import type { DateOverride, Hours, Weekday, WeeklyHours } from '../catalogue/catalogue-types.ts'
import { UsageError } from '../errors.ts'

/*
 * Opening hours as people write them at the command line: "mon-fri 09:00-18:00, sat 10:00-14:00". Whether the times
 * exist and overlap is for the rules of the catalogue to say.
 */

const form = 'write "mon-fri 09:00-12:00 13:00-18:00, sat 10:00-14:00", "always" or "never"'

/** Hours of a week; null for "always". Throws a UsageError. */
export function readWeeklyHours(text: string): WeeklyHours | null {
  if (text.trim() === 'always') return null
  if (text.trim() === 'never') return []
  return text.split(',').flatMap((part) => {
    const [days = '', ...spans] = part.trim().split(/\s+/)
    if (spans.length === 0) throw new UsageError(`"${part.trim()}" are no hours; ${form}.`)
    return daysOf(days).flatMap((weekday) => spans.map((span) => ({ weekday, ...readSpan(span) })))
  })
}

/** The hours of one date: "2026-12-24 09:00-12:00" or "2026-12-25 closed". Throws a UsageError. */
export function readOverride(text: string): DateOverride {
  const [date = '', ...spans] = text.trim().split(/\s+/)
  if (spans.length === 0) {
    throw new UsageError(`"${text}" is no override; write "2026-12-24 09:00-12:00" or "2026-12-25 closed".`)
  }
  return { date, hours: spans.join(' ') === 'closed' ? [] : spans.map(readSpan) }
}

function readSpan(text: string): Hours {
  const [, opens, closes] = /^(\d{2}:\d{2})-(\d{2}:\d{2})$/.exec(text) ?? []
  if (opens === undefined || closes === undefined) throw new UsageError(`"${text}" are no hours; ${form}.`)
  return { opens, closes }
}

function daysOf(text: string): Weekday[] {
  if (text === 'daily') return [...weekdays]
  const [first = '', last = first] = text.toLowerCase().split('-')
  const [from, to] = [dayIndex(first), dayIndex(last)]
  if (from < 0 || to < 0) throw new UsageError(`"${text}" are no days; write mon, mon-fri or daily.`)
  const many = ((to - from + weekdays.length) % weekdays.length) + 1
  return Array.from({ length: many }, (_, step) => weekdays[(from + step) % weekdays.length] ?? 'monday')
}

function dayIndex(text: string): number {
  return text.length < 2 ? -1 : weekdays.findIndex((day) => day.startsWith(text))
}

/** Hours of a week for people, in the form in which they are read. */
export function weeklyHoursText(hours: WeeklyHours | null): string {
  if (hours === null) return 'always'
  if (hours.length === 0) return 'never'
  const byDay = weekdays.map((day) => spansText(hours.filter(({ weekday }) => weekday === day)))
  const groups: { first: string; last: string; spans: string }[] = []
  for (const [index, spans] of byDay.entries()) {
    const day = (weekdays[index] ?? '').slice(0, 3)
    const before = index > 0 && byDay[index - 1] === spans ? groups.at(-1) : undefined
    if (before) before.last = day
    else groups.push({ first: day, last: day, spans })
  }
  return groups
    .filter(({ spans }) => spans !== '')
    .map(({ first, last, spans }) => `${first === last ? first : `${first}-${last}`} ${spans}`)
    .join(', ')
}

function spansText(hours: Hours[]): string {
  return hours
    .toSorted((one, other) => (one.opens < other.opens ? -1 : 1))
    .map(({ opens, closes }) => `${opens}-${closes}`)
    .join(' ')
}
