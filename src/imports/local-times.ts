import { type Instant, instantFromMs, latestMs } from '../base/instants.ts'

/* Reads the wall times of other systems. */

/** Returns the instant of a wall time. Of one that exists twice, the first; one that is skipped is as much later. */
export function localInstant(text: string, timeZone: string): Instant | undefined {
  const wall = wallTime(text)
  if (!wall) return undefined
  const ms = wall.toZonedDateTime(timeZone).epochMilliseconds
  return ms >= 0 && ms <= latestMs ? instantFromMs(ms) : undefined
}

/** Returns a start, and the end that is as much later as the two clocks show: an hour in the clock is an hour. */
export function localSpan(
  { from, to }: { from: string; to: string },
  timeZone: string,
): { starts_at: Instant; ends_at: Instant } | undefined {
  const [first, last] = [wallTime(from), wallTime(to)]
  const starts_at = localInstant(from, timeZone)
  if (!first || !last || starts_at === undefined) return undefined
  const ms = Date.parse(starts_at) + first.until(last).total('milliseconds')
  return ms > Date.parse(starts_at) && ms <= latestMs ? { starts_at, ends_at: instantFromMs(ms) } : undefined
}

/** Reads `2026-12-01 09:00:00`, also with a `T`. Undefined for anything else, such as a date of zeros. */
export function wallTime(text: string): Temporal.PlainDateTime | undefined {
  if (!/^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d{1,6})?)?$/.test(text)) return undefined
  try {
    return Temporal.PlainDateTime.from(text.replace(' ', 'T'))
  } catch {
    return undefined
  }
}
