import { type FieldError, Problem, validationProblem } from '../base/errors.ts'
import { type Instant, instantFromMs, isDate, latestMs, nearestInstant, toMs } from '../base/instants.ts'
import { maxRepeats } from '../catalogue/service-rules.ts'
import type { Service } from '../catalogue/service-schemas.ts'

/** The repetition of an appointment at the same wall time. Either `count` or `until`. */
export interface Repeat {
  every: 'day' | 'week' | 'month'
  /** If absent: 1. */
  interval?: number
  /** Number of appointments, the first included. */
  count?: number
  /** The last local day on which one may begin, as `2026-12-31`. */
  until?: string
}

/** Why the calendar or the clock has no such time. */
type CalendarReason = 'no_such_day' | 'time_skipped' | 'beyond_horizon'

/** One time of a series. */
export interface Occurrence {
  /**
   * For a day that the month lacks: the last day of the month. For a time that a clock change skips: as much later as the
   * clock goes forward.
   */
  startsAt: Instant
  /** Undefined if the time exists. */
  reason: CalendarReason | undefined
}

/** Returns errors of `repeat` and `conflicts` that the schema cannot express. */
export function repeatErrors({ repeat, conflicts }: { repeat?: Repeat; conflicts?: string }): FieldError[] {
  if (!repeat) {
    const detail = 'goes with repeat only'
    return conflicts === undefined ? [] : [{ pointer: '/conflicts', code: 'not_allowed', detail }]
  }
  const { count, until } = repeat
  if (count === undefined && until === undefined)
    return [{ pointer: '/repeat/count', code: 'required', detail: 'is required, or until' }]
  if (count !== undefined && until !== undefined)
    return [{ pointer: '/repeat/until', code: 'not_allowed', detail: 'is for series without count' }]
  if (until !== undefined && !isDate(until))
    return [{ pointer: '/repeat/until', code: 'invalid_format', detail: 'must be a date such as 2026-12-31' }]
  return []
}

/** Returns all times of a series in ascending order, by the wall clock of a zone. Throws validation_failed. */
export function occurrencesOf(repeat: Repeat, startsAt: Instant, timeZone: string): Occurrence[] {
  const { every, interval = 1, count = maxRepeats + 1, until } = repeat
  const wall = wallTimeAt(startsAt, timeZone)
  const found: Occurrence[] = [{ startsAt, reason: undefined }]
  while (found.length < count) {
    const step = { [`${every}s`]: interval * found.length }
    const date = wall.toPlainDate().add(step)
    if (until !== undefined && Temporal.PlainDate.compare(date, until) > 0) break
    const at = instantShowing(date.toPlainDateTime(wall.toPlainTime()), timeZone)
    // months are counted from the first date, so that the 31st stays the 31st
    const isOtherDay = every === 'month' && date.day !== wall.day
    found.push(
      isOtherDay ? { ...at, reason: at.reason === 'beyond_horizon' ? at.reason : 'no_such_day' } : at,
    )
  }
  if (found.length > maxRepeats) throw refusedUntil(`must allow at most ${maxRepeats} appointments`)
  if (found.length < 2) throw refusedUntil('must allow at least two appointments')
  return found
}

function refusedUntil(detail: string): Problem {
  return validationProblem([{ pointer: '/repeat/until', code: 'out_of_range', detail }])
}

function wallTimeAt(instant: Instant, timeZone: string): Temporal.PlainDateTime {
  return Temporal.Instant.fromEpochMilliseconds(toMs(instant)).toZonedDateTimeISO(timeZone).toPlainDateTime()
}

/** Returns the first instant at which the clock of a zone shows a wall time. */
function instantShowing(wall: Temporal.PlainDateTime, timeZone: string): Occurrence {
  const zoned = wall.toZonedDateTime(timeZone) // the earlier of two; after a gap, as much later as it is long
  const { epochMilliseconds } = zoned
  const isKnown = epochMilliseconds >= 0 && epochMilliseconds <= latestMs
  if (!isKnown) return { startsAt: nearestInstant(epochMilliseconds), reason: 'beyond_horizon' }
  const isSkipped = !zoned.toPlainDateTime().equals(wall)
  return { startsAt: instantFromMs(epochMilliseconds), reason: isSkipped ? 'time_skipped' : undefined }
}

/** Returns a start that moves as far by the wall clock as another start moves. */
export function movedAlong(
  startsAt: Instant,
  { from, to }: { from: Instant; to: Instant },
  timeZone: string,
): Occurrence {
  const shift = wallTimeAt(from, timeZone).until(wallTimeAt(to, timeZone), { largestUnit: 'days' })
  const wall = wallTimeAt(startsAt, timeZone).add(shift)
  // an unchanged time stays, also the second of two that a clock shows
  return shift.blank ? { startsAt, reason: undefined } : instantShowing(wall, timeZone)
}

/** Throws validation_failed if a visitor may not repeat these services so often. */
export function assertMayRepeat(
  services: readonly Pick<Service, 'max_repeats' | 'payment'>[],
  { count, isOfSession }: { count: number; isOfSession: boolean },
): void {
  if (!isOfSession) return
  const most = Math.min(...services.map(({ max_repeats }) => max_repeats))
  if (services.some(({ payment }) => payment !== 'none')) throw noDeposit('/repeat')
  if (count <= most) return
  const detail =
    most === 1 ? 'is not offered for this service' : `must give at most ${most} appointments of this service`
  throw validationProblem([
    most === 1
      ? { pointer: '/repeat', code: 'not_allowed', detail }
      : { pointer: '/repeat/count', code: 'out_of_range', detail },
  ])
}

/** Returns the refusal of a series by a visitor, because a deposit is for one appointment. */
export function noDeposit(pointer: string): Problem {
  const detail = 'is not possible with a deposit, which is paid for one appointment; book each by itself'
  return validationProblem([{ pointer, code: 'not_allowed', detail }])
}

/** A time of a series that cannot be had. */
export interface Conflict {
  startsAt: Instant
  reason: string
  refusal: Problem
}

const details: Record<CalendarReason, string> = {
  no_such_day: 'The month has no such day.',
  time_skipped: 'The clock skips that time.',
  beyond_horizon: 'The time is too far ahead.',
}

/** Returns the conflict of a time that does not exist. */
export function calendarConflict({ startsAt, reason }: Occurrence & { reason: CalendarReason }): Conflict {
  const refusal = new Problem('slot_not_offered', details[reason], {
    extensions: { reason, alternatives: [] },
  })
  return { startsAt, reason, refusal }
}

/** Returns the conflict of a refused time. The reason is that of the rules, or the code. */
export function conflictOf(startsAt: Instant, refusal: Problem): Conflict {
  const { reason } = refusal.parts.extensions ?? {}
  return { startsAt, reason: typeof reason === 'string' ? reason : refusal.code, refusal }
}

/** Returns the refusal of a whole series: that of its first taken time, else of the first other one. */
export function refusalOfSeries(conflicts: readonly Conflict[], shown: readonly object[]): Problem {
  const taken = conflicts.find(({ refusal }) => refusal.code !== 'slot_not_offered') ?? conflicts[0]
  if (!taken) throw new RangeError('a refused series has a conflict')
  const { code, message, parts } = taken.refusal
  const first = shown[conflicts.indexOf(taken)] as { alternatives?: unknown } | undefined
  const extensions = {
    ...parts.extensions,
    ...(first?.alternatives !== undefined && { alternatives: first.alternatives }),
    conflicts: shown,
  }
  return new Problem(code, message, { ...parts, extensions })
}
