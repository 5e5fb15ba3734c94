/**
 * The one type for a point in time: fixed-width UTC text with milliseconds, `2026-12-01T09:00:00.000Z`.
 * Fixed width makes `<` and `>` compare times, in code and in SQLite alike.
 */
export type Instant = string & { readonly __brand: 'Instant' }

const earliestMs = 0
/** The last instant that there is, in milliseconds since 1970-01-01T00:00:00Z. */
export const latestMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

const rfc3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):([0-5]\d)(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

/** Whether a text is an instant in the form in which instants are kept. */
export function isInstant(text: string): text is Instant {
  return (
    text.length === 24 &&
    text.endsWith('Z') &&
    !Number.isNaN(Date.parse(text)) &&
    new Date(text).toISOString() === text
  )
}

/** From milliseconds since 1970-01-01T00:00:00Z; a RangeError outside the years 1970 to 9999. */
export function instantFromMs(epochMilliseconds: number): Instant {
  if (!(epochMilliseconds >= earliestMs && epochMilliseconds <= latestMs)) {
    throw new RangeError('an instant must lie between the years 1970 and 9999')
  }
  const wholeMs = Math.trunc(epochMilliseconds)
  return `${wallText(wholeMs)}.${String(1000 + (wholeMs % 1000)).slice(1)}Z` as Instant
}

/** As `instantFromMs`; what lies outside the years 1970 to 9999 becomes the nearest instant within. */
export function nearestInstant(epochMilliseconds: number): Instant {
  return instantFromMs(Math.min(Math.max(epochMilliseconds, earliestMs), latestMs))
}

/** Milliseconds since 1970-01-01T00:00:00Z. */
export function toMs(instant: Instant): number {
  return secondsTextToMs(instant) + Number(instant.slice(20, 23))
}

/**
 * Milliseconds of the UTC text `2026-12-01T09:00:00` that stands at a place of a text: several times as fast as
 * Date.parse, where a month of claims has thousands of them.
 */
export function secondsTextToMs(text: string, at = 0): number {
  const two = (place: number) => text.charCodeAt(at + place) * 10 + text.charCodeAt(at + place + 1) - 528
  const month = two(5)
  // years from March on: the day that some have more is their last (H. Hinnant, days_from_civil)
  const year = two(0) * 100 + two(2) - (month <= 2 ? 1 : 0)
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + two(8) - 1
  const leapDays = Math.floor(year / 4) - Math.floor(year / 100) + Math.floor(year / 400)
  const days = year * 365 + leapDays + dayOfYear - 719_468
  return ((days * 24 + two(11)) * 60 + two(14)) * 60_000 + two(17) * 1000
}

/**
 * Reads an RFC 3339 date-time with an explicit offset or `Z` and cuts it to whole seconds.
 * Undefined when it is none, when there is no such date, or outside the years 1970 to 9999.
 */
export function parseInstant(text: string): Instant | undefined {
  if (text.length > 64 || !rfc3339.test(text)) return undefined
  try {
    // Temporal reads at most nine digits of a fraction; RFC 3339 has no limit
    const whole = text.toUpperCase().replace(/\.\d+/, '')
    return instantFromMs(Temporal.Instant.from(whole).epochMilliseconds)
  } catch {
    return undefined // no such date (30 February), hour 24, or out of range
  }
}

/** Whether a text is a date of the years 1970 to 9999 in the form 2026-12-01 (RFC 3339, full-date). */
export function isDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && parseInstant(`${text}T00:00:00Z`) !== undefined
}

/** Reads a text that the schema of a request has checked; anything else is a mistake of the program. */
export function readInstant(text: string): Instant {
  const instant = parseInstant(text)
  if (!instant) throw new TypeError('an instant passed validation that cannot be read')
  return instant
}

/** The instant `seconds` later (earlier when negative). A RangeError outside the years 1970 to 9999. */
export function plusSeconds(instant: Instant, seconds: number): Instant {
  return instantFromMs(toMs(instant) + seconds * 1000)
}

/** The instant `minutes` later (earlier when negative). A RangeError outside the years 1970 to 9999. */
export function plusMinutes(instant: Instant, minutes: number): Instant {
  return plusSeconds(instant, minutes * 60)
}

/** Whole seconds from `from` until `to`, rounded up. */
export function secondsUntil(from: Instant, to: Instant): number {
  return Math.ceil((toMs(to) - toMs(from)) / 1000)
}

/** The same instant or the next whole second. */
export function roundUpToSecond(instant: Instant): Instant {
  return instantFromMs(Math.ceil(toMs(instant) / 1000) * 1000)
}

const dayMs = 86_400_000
/** `00` to `59`. */
export const twoDigits: readonly string[] = Array.from({ length: 60 }, (_, number) =>
  String(number).padStart(2, '0'),
)
/** Many texts lie on the day of the one before. */
const latestDay = { day: NaN, text: '' }

/**
 * `2026-12-01T10:00:00` of what clocks show, in milliseconds since they showed 1970-01-01T00:00:00: several times as fast
 * as toISOString, where a month of slots has thousands of them.
 */
export function wallText(wallMs: number): string {
  const day = Math.floor(wallMs / dayMs)
  if (day !== latestDay.day) {
    latestDay.text = new Date(day * dayMs).toISOString().slice(0, 11)
    latestDay.day = day
  }
  const seconds = Math.floor(wallMs / 1000) - day * 86_400
  const minutes = Math.floor(seconds / 60)
  const [hour, minute] = [twoDigits[Math.floor(minutes / 60)] ?? '', twoDigits[minutes % 60] ?? '']
  return `${latestDay.text}${hour}:${minute}:${twoDigits[seconds % 60] ?? ''}`
}

/** A time in which the clocks of a zone show the same offset from UTC. */
interface Stretch {
  fromMs: number
  toMs: number
  /** What the clocks show, less UTC. */
  offsetMs: number
  /** As it is written, rounded to minutes: `+01:00`. */
  offset: string
}

/** Of each zone the stretches that were asked for last: to ask `Temporal` each time takes several times as long. */
const stretches = new Map<string, Stretch[]>()
/** More than there are zones; a name can be written in several ways. */
const mostZones = 1_000
/** Some years of summer and winter. */
const mostStretches = 8

function stretchAt(epochMs: number, timeZone: string): Stretch {
  const known = stretches.get(timeZone) ?? []
  const found = known.find(({ fromMs, toMs }) => epochMs >= fromMs && epochMs < toMs)
  if (found) return found
  const stretch = readStretch(epochMs, timeZone)
  if (stretches.size >= mostZones) stretches.clear()
  stretches.set(timeZone, [stretch, ...known.slice(0, mostStretches - 1)])
  return stretch
}

function readStretch(epochMs: number, timeZone: string): Stretch {
  const at = (ms: number) => Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timeZone)
  const here = at(epochMs)
  return {
    // the one before the next moment, as a change at this very moment belongs to what follows it
    fromMs: at(epochMs + 1).getTimeZoneTransition('previous')?.epochMilliseconds ?? -Infinity,
    toMs: here.getTimeZoneTransition('next')?.epochMilliseconds ?? Infinity,
    offsetMs: here.offsetNanoseconds / 1e6,
    offset: here.toString({ timeZoneName: 'never' }).slice(-6),
  }
}

/**
 * ISO 8601 with a numeric offset and whole seconds in an IANA zone: `2026-12-01T10:00:00+01:00`.
 * In UTC where the zone has reached the year 10000 already: five digits would be no RFC 3339.
 */
export function formatInstant(instant: Instant, timeZone: string): string {
  const epochMs = toMs(instant)
  const { offsetMs, offset } = stretchAt(epochMs, timeZone)
  if (epochMs + offsetMs > latestMs) return `${instant.slice(0, 19)}+00:00`
  return wallText(epochMs + offsetMs) + offset
}

/** Whether the runtime's time-zone data knows this IANA name (region/city form, or UTC), in whatever case. */
export function isTimeZone(name: string): boolean {
  return timeZoneNamed(name) !== undefined
}

/** The IANA name as the tz database spells it, whatever its case; a link keeps its name. Undefined for what is none. */
export function timeZoneNamed(name: string): string | undefined {
  if (!/^(?:[a-z_]+(?:\/[a-z0-9_+-]+)+|utc)$/i.test(name)) return undefined
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId
  } catch {
    return undefined
  }
}
