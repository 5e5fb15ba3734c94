import { type Days, eachDay } from '../availability/zone-rules.ts'
import type { FieldError } from '../base/errors.ts'
import { rangeErrors } from './calendar-rules.ts'

/** Maximum number of days in one answer: 53 weeks. */
export const maxNumbersDays = 371

/** Checks that the last date is not before the first, nor too far after it. */
export function numbersErrors(query: { from?: string; to?: string }): FieldError[] {
  return rangeErrors(query, maxNumbersDays)
}

/** Returns weeks from Monday to Sunday. The first and last one may be partial. */
export function weeksOf(days: Days): Days[] {
  const weeks: Days[] = []
  for (const day of eachDay(days)) {
    const week = weeks.at(-1)
    if (week && !isMonday(day)) week.last = day
    else weeks.push({ first: day, last: day })
  }
  return weeks
}

/** Returns true for a Monday. 1970-01-01, day 0, was a Thursday. */
function isMonday(day: number): boolean {
  return (day + 3) % 7 === 0
}
