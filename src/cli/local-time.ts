import { UsageError } from '../errors.ts'
import { instantFromMs, formatInstant, parseInstant } from '../instants.ts'

/**
 * Reads a time as people at the command line write it: with an offset, or as wall time of a zone
 * ("2026-12-01 10:00"). Gives RFC 3339. Throws a UsageError when it is none, or when a clock change
 * skips or repeats that wall time.
 */
export function readTime(text: string, timeZone: string): string {
  if (parseInstant(text)) return text
  try {
    const wall = Temporal.PlainDateTime.from(text.trim().replace(' ', 'T'))
    const zoned = wall.toZonedDateTime(timeZone, { disambiguation: 'reject' })
    return formatInstant(instantFromMs(zoned.epochMilliseconds), timeZone)
  } catch {
    throw new UsageError(
      `"${text}" is no time there; write "2026-12-01 10:00" (in ${timeZone}) or 2026-12-01T10:00:00+01:00. ` +
        'A time that a clock change skips or repeats needs the second form.',
    )
  }
}
