import { dateOf } from '../availability/hours-rules.ts'
import { type Days, eachDay, type Interval, type ZoneOffsets } from '../availability/zone-rules.ts'
import type { FieldError } from '../base/errors.ts'
import { toMs } from '../base/instants.ts'
import { priceFor, stepsOf } from '../catalogue/service-rules.ts'
import type { Service } from '../catalogue/service-schemas.ts'
import { rangeErrors } from './calendar-rules.ts'
import type { NumbersItem, NumbersMoney } from './numbers-types.ts'

/** Maximum number of days in one answer: 53 weeks. */
export const maxNumbersDays = 371

/** Checks that the last date is not before the first, nor too far after it. */
export function numbersErrors(query: { from?: string; to?: string }): FieldError[] {
  return rangeErrors(query, maxNumbersDays)
}

/** Days of one week and one month. */
interface NumbersSpan {
  days: Days
  week: number
  month: number
}

/** Divides days at the first days of weeks, from 1 for Monday to 7, and at firsts of months. The first and last week and month may be partial. */
export function spansOf(
  days: Days,
  firstWeekday: number,
): { spans: NumbersSpan[]; weeks: Days[]; months: Days[] } {
  const spans: NumbersSpan[] = []
  const weeks: Days[] = []
  const months: Days[] = []
  for (const day of eachDay(days)) {
    const isNewWeek = weeks.length === 0 || (day + 3) % 7 === firstWeekday - 1 // day 0 was a Thursday
    const isNewMonth = months.length === 0 || dateOf(day).endsWith('-01')
    if (isNewWeek) weeks.push({ first: day, last: day })
    if (isNewMonth) months.push({ first: day, last: day })
    if (isNewWeek || isNewMonth)
      spans.push({ days: { first: day, last: day }, week: weeks.length - 1, month: months.length - 1 })
    for (const last of [weeks.at(-1), months.at(-1), spans.at(-1)?.days]) if (last) last.last = day
  }
  return { spans, weeks, months }
}

const hourMs = 3_600_000
/** Cells of a week: an hour of a weekday, from Monday. */
export const weekCells = 7 * 24

/**
 * Adds time to the hours of the week that a local clock shows meanwhile. An hour that a clock change repeats counts
 * twice in its cell, and a skipped one not at all.
 */
export function addHours(
  cells: Float64Array,
  zone: ZoneOffsets,
  { from, to, part = 1 }: Interval & { part?: number },
): void {
  for (let at = from; at < to;) {
    const wall = zone.wallTime(at)
    const hour = Math.floor(wall / hourMs)
    const end = Math.min(to, at + (hour + 1) * hourMs - wall)
    const cell = (((hour + 72) % weekCells) + weekCells) % weekCells // hour 0 is on a Thursday
    cells[cell] = (cells[cell] ?? 0) + ((end - at) / 60_000) * part
    at = end
  }
}

/** The time that an item takes of its person or thing: without the steps that leave the person free. */
export function takenTimes(item: NumbersItem, service: Service | undefined): Interval[] {
  const [from, to] = [toMs(item.starts_at), toMs(item.ends_at)]
  if (item.is_item === 0 || item.staff_id === null || !service) return [{ from, to }]
  const times: Interval[] = []
  let at = from
  for (const { minutes, staffed } of stepsOf(service, item.staff_id)) {
    const end = Math.min(to, at + minutes * 60_000)
    if (staffed && end > at) times.push({ from: at, to: end })
    at = end
  }
  return times
}

/** Sums of amounts, one for each currency. */
export class MoneySums {
  private readonly sums = new Map<string, NumbersMoney>()

  /** Adds an item. Older bookings have the present price of their service. */
  add(item: NumbersItem, service: Service | undefined): void {
    if (item.state === 'cancelled') return
    const present = item.currency === null && item.is_item === 0 && service
    const { amount, currency } = (present ? priceFor(service, item.staff_id) : item) ?? {
      amount: null,
      currency: null,
    }
    if (amount === null || !currency) return
    const sum = this.sums.get(currency) ?? { currency, booked: 0, missed: 0 }
    this.sums.set(currency, sum)
    sum[item.state] += amount * item.party_size - item.discount
  }

  list(): NumbersMoney[] {
    return this.sums
      .values()
      .toArray()
      .toSorted((one, other) => (one.currency < other.currency ? -1 : 1))
  }
}

/** Longer distances count as this one. */
export const maxLeadDays = 400
/** First days of the groups in which lead times are counted. */
const leadStarts = [0, 1, 2, 4, 8, 15, 29]

/** Counts the days from booking to appointment. */
export class LeadTimes {
  private readonly days = new Uint32Array(maxLeadDays + 1)

  add(distance: number): void {
    const days = Math.min(distance, maxLeadDays)
    this.days[days] = (this.days[days] ?? 0) + 1
  }

  /** Returns the groups, without those at the end that are empty. */
  groups(): { from_days: number; to_days: number | null; bookings: number }[] {
    return leadStarts.map((from, at) => {
      const next = leadStarts[at + 1]
      const bookings = this.days.slice(from, next).reduce((sum, count) => sum + count, 0)
      return { from_days: from, to_days: next === undefined ? null : next - 1, bookings }
    })
  }

  /** Returns the number of days that half of the bookings do not exceed; null without bookings. */
  median(): number | null {
    const all = this.days.reduce((sum, count) => sum + count, 0)
    let before = 0
    for (const [days, count] of this.days.entries()) {
      before += count
      if (count > 0 && before * 2 >= all) return days
    }
    return null
  }
}
