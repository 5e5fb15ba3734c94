import type { BusyTime } from './busy-times.ts'
import { FetchFailed } from './calendar-http.ts'
import type { Span } from './calendar-server.ts'

/* Times of events as providers write them. */

const maxTimes = 5_000

/** Adds a time if it is within a span. Throws too_many_times for one too many. */
export function addTime(times: BusyTime[], time: BusyTime, { fromMs, toMs }: Span): void {
  const [from, to] = time
  if (to <= fromMs || from >= toMs || to <= from) return
  if (times.length === maxTimes) throw new FetchFailed('too_many_times')
  times.push(time)
}

/** Returns a time with its offset in milliseconds since 1970-01-01T00:00:00Z; undefined for other texts. */
export function instantMs(text: string | undefined): number | undefined {
  try {
    return text === undefined ? undefined : Temporal.Instant.from(text).epochMilliseconds
  } catch {
    return undefined
  }
}

/** Returns the start of a day such as 2026-07-10 in a zone, in milliseconds since 1970-01-01T00:00:00Z. */
export function dayInZone(date: string, timezone: string): number | undefined {
  try {
    return Temporal.PlainDate.from(date).toZonedDateTime(timezone).epochMilliseconds
  } catch {
    return undefined
  }
}

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/** Returns the ID of a booking or item that an event names. */
export function itemIn(text: string | undefined): string | null {
  return text !== undefined && uuid.test(text) ? text : null
}
