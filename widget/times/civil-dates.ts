/*
 * Calendar dates without time or zone (`2026-12-01`), and months (`2026-12`). They are strings, as in the
 * API, and compare in chronological order.
 */

const dayMs = 86_400_000

/**
 * Returns the date as an instant at midnight UTC, in milliseconds. Used for arithmetic, and for Intl with the
 * zone UTC.
 */
export function civilMs(date: string): number {
  return Date.parse(`${date}T00:00:00Z`)
}

function civilDate(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

export function plusDays(date: string, days: number): string {
  return civilDate(civilMs(date) + days * dayMs)
}

/** Returns the day halfway, rounded down. */
export function middleOf(first: string, last: string): string {
  return civilDate((civilMs(first) + civilMs(last)) / 2)
}

export function monthOf(date: string): string {
  return date.slice(0, 7)
}

export function plusMonths(month: string, months: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return civilDate(Date.UTC(year, number - 1 + months, 1)).slice(0, 7)
}

export function firstDayOf(month: string): string {
  return `${month}-01`
}

export function lastDayOf(month: string): string {
  return plusDays(firstDayOf(plusMonths(month, 1)), -1)
}

/** Returns the same day of another month, or its last day if there is no such day. */
export function sameDayIn(month: string, date: string): string {
  const wanted = `${month}-${date.slice(8)}`
  const last = lastDayOf(month)
  return wanted > last ? last : wanted
}

/** Returns the weekday, from 1 for Monday to 7 for Sunday (ISO 8601). */
export function weekdayOf(date: string): number {
  return new Date(civilMs(date)).getUTCDay() || 7
}

/**
 * Returns the weeks of a month with seven dates each, and null for dates of other months. With `from`, returns
 * five weeks from this date, also of the next month.
 */
export function weeksOf(month: string, firstWeekday: number, from?: string | false): (string | null)[][] {
  const last = from ? plusDays(from, 28) : lastDayOf(month)
  const weeks: (string | null)[][] = []
  for (
    let start = startOfWeek(from || firstDayOf(month), firstWeekday);
    start <= last;
    start = plusDays(start, 7)
  ) {
    const dates = Array.from({ length: 7 }, (_, index) => plusDays(start, index))
    weeks.push(dates.map((date) => (monthOf(date) === month || (from && date > from) ? date : null)))
  }
  return weeks
}

/** Fewer days left in a month leave room for the next one. The server sends as many (booking-start.ts). */
const daysLeft = 13

/** True if few days of today's month are left. */
export function isNearEnd(month: string, today: string): boolean {
  return month === monthOf(today) && monthOf(plusDays(today, daysLeft)) > month
}

export function startOfWeek(date: string, firstWeekday: number): string {
  return plusDays(date, -((weekdayOf(date) - firstWeekday + 7) % 7))
}
