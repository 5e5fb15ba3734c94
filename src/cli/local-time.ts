import { UsageError } from '../errors.ts'
import { formatInstant, instantFromMs, parseInstant } from '../instants.ts'

const day = String.raw`(?<date>\d{4}-\d{2}-\d{2})`
const time = String.raw`(?<time>\d{2}:\d{2})(?<seconds>:\d{2})?`
const wallTime = new RegExp(`^${day}[ T]${time}$`)
const timeWithOffset = new RegExp(String.raw`^${day}[ Tt]${time}(?:\.\d+)? ?(?<offset>[Zz]|[+-]\d{2}:\d{2})$`)

/**
 * Reads a time as people at the command line write it: with an offset, or as wall time of a zone
 * ("2026-12-01 10:00"). Gives RFC 3339. Throws a UsageError when it is none, or when a clock change
 * skips or repeats that wall time.
 */
export function readTime(text: string, timeZone: string): string {
  const withOffset = timeWithOffset.exec(text.trim())?.groups
  if (withOffset) {
    const { date, time, seconds = ':00', offset = 'Z' } = withOffset
    const instant = parseInstant(`${date}T${time}${seconds}${offset}`)
    if (instant) return formatInstant(instant, timeZone)
  }
  const [first, second] = wallTime.test(text.trim()) ? atWallTime(text.trim(), timeZone) : []
  if (!first || !second) {
    throw new UsageError(
      `"${text}" is no time; write "2026-12-01 10:00" (in ${timeZone}) or "2026-12-01 10:00 +01:00".`,
    )
  }
  if (first.text === second.text) return first.text
  throw new UsageError(
    first.fits
      ? `${text} comes twice in ${timeZone}, because the clocks go back: write "${shownTime(first.text)}" for the ` +
          `first, "${shownTime(second.text)}" for the second.`
      : `There is no ${text} in ${timeZone}: the clocks go forward over it. "${shownTime(first.text)}" and ` +
          `"${shownTime(second.text)}" are there.`,
  )
}

/** The earlier and the later instant that a wall time can mean: the same but at a clock change. Empty for no such date. */
function atWallTime(text: string, timeZone: string): { text: string; fits: boolean }[] {
  try {
    const wall = Temporal.PlainDateTime.from(text.replace(' ', 'T'))
    return (['earlier', 'later'] as const).map((disambiguation) => {
      const zoned = wall.toZonedDateTime(timeZone, { disambiguation })
      return {
        text: formatInstant(instantFromMs(zoned.epochMilliseconds), timeZone),
        fits: zoned.toPlainDateTime().equals(wall),
      }
    })
  } catch {
    return [] // 30 February, hour 25, or outside the years 1970 to 9999
  }
}

/** A time of the wire for people, `2026-12-01 10:00 +01:00`: in a form that `readTime` reads. */
export function shownTime(text: string): string {
  return text.replace('T', ' ').replace(/(?::00)?(?=[+-]\d{2}:\d{2}$)/, ' ')
}
