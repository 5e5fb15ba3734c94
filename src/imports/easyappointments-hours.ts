import { weekdays } from '../catalogue/schedule-rules.ts'
import type { StaffEntry } from '../catalogue/catalogue-file-schemas.ts'
import type { DumpRow } from './sql-dump.ts'

/* The working plans of Easy!Appointments: a start, an end and breaks for each weekday, and other ones for dates. */

/** A working plan that is not one. */
export class BadPlan extends Error {}

interface Hours {
  opens: string
  closes: string
}

/** Returns the weekly hours of a plan in JSON. Throws BadPlan. */
export function weeklyHours(json: string): NonNullable<StaffEntry['weekly_hours']> {
  const plan = parseObject(json)
  return weekdays.flatMap((weekday) =>
    hoursOf(plan[weekday], weekday).map((hours) => ({ weekday, ...hours })),
  )
}

/** A day with other hours; none: away. */
export interface OtherDay {
  date: string
  hours: Hours[]
}

/** The most dates that a person may have other hours on. */
export const maxDates = 1_000

/** Returns the dates of exceptions in JSON, as older releases keep them. Throws BadPlan. */
export function exceptionsIn(json: string): OtherDay[] {
  return Object.entries(parseObject(json)).map(([date, day]) => {
    if (!isPlainDate(date)) throw new BadPlan(`the date ${date.slice(0, 20)}`)
    return { date, hours: hoursOf(day, date) }
  })
}

/** Returns the dates of a row of the table of exceptions from `since` on. Throws BadPlan. */
export function exceptionDates(row: DumpRow, since: string): OtherDay[] {
  const { start_date: first, end_date: last, start_time: start, end_time: end, breaks } = row
  if (!first || !last || !isPlainDate(first) || !isPlainDate(last)) throw new BadPlan('the dates')
  const day = start && end ? { start, end, breaks: breaks ? parse(breaks) : [] } : null
  const hours = hoursOf(day, first)
  const dates: OtherDay[] = []
  const end_ = Temporal.PlainDate.from(last)
  let date = Temporal.PlainDate.from(first < since ? since : first)
  for (
    ;
    Temporal.PlainDate.compare(date, end_) <= 0 && dates.length <= maxDates;
    date = date.add({ days: 1 })
  )
    dates.push({ date: date.toString(), hours })
  return dates
}

function isPlainDate(text: string): boolean {
  try {
    return Temporal.PlainDate.from(text).toString() === text
  } catch {
    return false
  }
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw new BadPlan('no JSON')
  }
}

function parseObject(json: string): Record<string, unknown> {
  const value = parse(json)
  if (Array.isArray(value) && value.length === 0) return {} // PHP writes an empty object so
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new BadPlan('no object')
  return value as Record<string, unknown>
}

/** Returns the hours of a day without its breaks. None for null. Throws BadPlan. */
function hoursOf(day: unknown, name: string): Hours[] {
  if (day === null || day === undefined) return []
  const { start, end, breaks = [] } = day as { start?: unknown; end?: unknown; breaks?: unknown }
  const opens = minutesOf(start)
  const closes = minutesOf(end) || 1_440 // midnight ends the day
  const pauses = Array.isArray(breaks) ? breaks.slice(0, 50) : []
  if (opens === undefined || minutesOf(end) === undefined || closes <= opens)
    throw new BadPlan(`the hours of ${name}`)
  let spans: [number, number][] = [[opens, closes]]
  for (const pause of pauses) {
    const { start: first, end: last } = (pause ?? {}) as { start?: unknown; end?: unknown }
    const [from, to] = [minutesOf(first), minutesOf(last)]
    if (from === undefined || to === undefined) throw new BadPlan(`a break of ${name}`)
    spans = spans.flatMap(([one, other]): [number, number][] =>
      to <= one || from >= other
        ? [[one, other]]
        : [
            [one, from],
            [to, other],
          ],
    )
    spans = spans.filter(([one, other]) => one < other)
  }
  return spans.map(([from, to]) => ({ opens: timeText(from), closes: timeText(to) }))
}

/** Reads `09:00` or `09:00:00`. */
function minutesOf(time: unknown): number | undefined {
  const found = typeof time === 'string' ? /^(\d{1,2}):(\d\d)(:\d\d)?$/.exec(time) : null
  if (!found) return undefined
  const [hours, minutes] = [Number(found[1]), Number(found[2])]
  return hours <= 24 && minutes < 60 && hours * 60 + minutes <= 1_440 ? hours * 60 + minutes : undefined
}

function timeText(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
}
