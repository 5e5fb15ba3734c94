import { type Instant, instantFromMs, isDate, toMs } from '../../base/instants.ts'

/* What date and time fields of forms say, in a zone. */

/** The values of a date field and a time field. */
interface WallFields {
  date: string
  time: string
}

/** What the fields show for an instant. */
export function wallFields(instant: Instant, timeZone: string): WallFields {
  const local = Temporal.Instant.fromEpochMilliseconds(toMs(instant)).toZonedDateTimeISO(timeZone)
  return {
    date: local.toPlainDate().toString(),
    time: local.toPlainTime().toString({ smallestUnit: 'minute' }),
  }
}

/**
 * The instant that the fields name: `known` where they say what they said for it, so that of an hour that a day has twice
 * the one stays that was meant, else the first. `skipped` for a time that clocks skip; undefined for no time at all.
 */
export function instantOf(
  { date, time }: WallFields,
  timeZone: string,
  known?: Instant,
): Instant | 'skipped' | undefined {
  if (!isDate(date) || !/^\d\d:\d\d(:\d\d)?$/.test(time)) return undefined
  if (known) {
    const before = wallFields(known, timeZone)
    if (before.date === date && before.time === time.slice(0, 5)) return known
  }
  try {
    const wall = Temporal.PlainDate.from(date).toPlainDateTime(Temporal.PlainTime.from(time))
    const zoned = wall.toZonedDateTime(timeZone, { disambiguation: 'earlier' })
    if (!zoned.toPlainDateTime().equals(wall)) return 'skipped'
    return instantFromMs(zoned.epochMilliseconds)
  } catch {
    return undefined
  }
}
