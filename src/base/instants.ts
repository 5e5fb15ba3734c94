/**
 * The only type for points in time: fixed-width UTC text with milliseconds, `2026-12-01T09:00:00.000Z`. With a fixed
 * width, `<` and `>` compare times both in code and in SQLite.
 */
export type Instant = string & { readonly __brand: 'Instant' }

const earliestMs = 0
/** The last representable instant, in milliseconds since 1970-01-01T00:00:00Z. */
export const latestMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

const rfc3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):([0-5]\d)(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

const dayMs = 86_400_000
/** `00` to `59`. */
export const twoDigits: readonly string[] = Array.from({ length: 60 }, (_, number) =>
  String(number).padStart(2, '0'),
)

/** Checks for the form of an `Instant`. */
export function isInstant(text: string): text is Instant {
  return (
    text.length === 24 &&
    text.endsWith('Z') &&
    !Number.isNaN(Date.parse(text)) &&
    new Date(text).toISOString() === text
  )
}

/** Converts milliseconds since 1970-01-01T00:00:00Z. Throws a RangeError outside the years 1970 to 9999. */
export function instantFromMs(epochMilliseconds: number): Instant {
  if (!(epochMilliseconds >= earliestMs && epochMilliseconds <= latestMs)) {
    throw new RangeError('an instant must lie between the years 1970 and 9999')
  }
  const wholeMs = Math.trunc(epochMilliseconds)
  return `${wallText(wholeMs)}.${String(1000 + (wholeMs % 1000)).slice(1)}Z` as Instant
}

/** Like `instantFromMs`, but clamps to the years 1970 to 9999. */
export function nearestInstant(epochMilliseconds: number): Instant {
  return instantFromMs(Math.min(Math.max(epochMilliseconds, earliestMs), latestMs))
}

/** Milliseconds since 1970-01-01T00:00:00Z. */
export function toMs(instant: Instant): number {
  return secondsTextToMs(instant) + Number(instant.slice(20, 23))
}

/**
 * Parses the UTC text `2026-12-01T09:00:00` at a position of a text into milliseconds. Several times as fast as
 * Date.parse, because a month of claims has thousands of them.
 */
export function secondsTextToMs(text: string, at = 0): number {
  const two = (place: number) => text.charCodeAt(at + place) * 10 + text.charCodeAt(at + place + 1) - 528
  const month = two(5)
  // years begin in March, so that a leap day is their last day (H. Hinnant, days_from_civil)
  const year = two(0) * 100 + two(2) - (month <= 2 ? 1 : 0)
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + two(8) - 1
  const leapDays = Math.floor(year / 4) - Math.floor(year / 100) + Math.floor(year / 400)
  const days = year * 365 + leapDays + dayOfYear - 719_468
  return ((days * 24 + two(11)) * 60 + two(14)) * 60_000 + two(17) * 1000
}

/**
 * Parses an RFC 3339 date-time with an explicit offset or `Z` and truncates it to whole seconds. Returns undefined if
 * it is malformed, does not exist, or is outside the years 1970 to 9999.
 */
export function parseInstant(text: string): Instant | undefined {
  if (text.length > 64 || !rfc3339.test(text)) return undefined
  const wallMs = secondsTextToMs(text)
  const wall = wallText(wallMs)
  // an invalid date (30 February) or hour 24 results in a different one
  if (!wall.startsWith(text.slice(0, 10)) || !wall.endsWith(text.slice(11, 19))) return undefined
  const epochMs = wallMs - offsetMsOf(text)
  return epochMs >= earliestMs && epochMs <= latestMs ? instantFromMs(epochMs) : undefined
}

/** Returns the offset at the end of a text that matches `rfc3339`. */
function offsetMsOf(text: string): number {
  if (/z$/i.test(text)) return 0
  const [hours, minutes] = [Number(text.slice(-5, -3)), Number(text.slice(-2))]
  return (text.at(-6) === '-' ? -1 : 1) * (hours * 60 + minutes) * 60_000
}

/** Accepts a date of the years 1970 to 9999 in the form 2026-12-01 (RFC 3339, full-date). */
export function isDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && parseInstant(`${text}T00:00:00Z`) !== undefined
}

/** Parses a text that a schema has validated. Throws a TypeError for any other text, which is a bug. */
export function readInstant(text: string): Instant {
  const instant = parseInstant(text)
  if (!instant) throw new TypeError('an instant passed validation that cannot be read')
  return instant
}

/** A body with these members as instants. */
export type WithInstants<Body, Name extends keyof Body> = {
  [Key in keyof Body]: Key extends Name ? Instant | Exclude<Body[Key], string> : Body[Key]
}

/** Parses members of a body that a schema has validated. An absent member stays absent. */
export function readInstants<Body extends object, Name extends keyof Body & string>(
  body: Body,
  ...names: Name[]
): WithInstants<Body, Name> {
  const parsed = names.flatMap((name) => {
    const text = body[name]
    return typeof text === 'string' ? [[name, readInstant(text)] as const] : []
  })
  return { ...body, ...Object.fromEntries(parsed) } as WithInstants<Body, Name>
}

/** Returns the instant `seconds` later (earlier if negative). Throws a RangeError outside the years 1970 to 9999. */
export function plusSeconds(instant: Instant, seconds: number): Instant {
  return instantFromMs(toMs(instant) + seconds * 1000)
}

/** Returns the instant `minutes` later (earlier if negative). Throws a RangeError outside the years 1970 to 9999. */
export function plusMinutes(instant: Instant, minutes: number): Instant {
  return plusSeconds(instant, minutes * 60)
}

/** Returns the whole seconds from `from` until `to`, rounded up. */
export function secondsUntil(from: Instant, to: Instant): number {
  return Math.ceil((toMs(to) - toMs(from)) / 1000)
}

/** Returns the same instant or the next whole second. */
export function roundUpToSecond(instant: Instant): Instant {
  return instantFromMs(Math.ceil(toMs(instant) / 1000) * 1000)
}

/** Caches the latest day texts, such as `2026-12-01T`. One answer may contain half a dozen. */
const dayTexts = new Map<number, string>()
const maxDays = 2_000

function dayText(day: number): string {
  const known = dayTexts.get(day)
  if (known !== undefined) return known
  if (dayTexts.size >= maxDays) dayTexts.clear()
  const text = new Date(day * dayMs).toISOString().slice(0, 11)
  dayTexts.set(day, text)
  return text
}

/**
 * Formats local time, given in milliseconds since local 1970-01-01T00:00:00, as `2026-12-01T10:00:00`. Several times as
 * fast as toISOString, because a month of slots has thousands of them.
 */
export function wallText(wallMs: number): string {
  const day = Math.floor(wallMs / dayMs)
  const seconds = Math.floor(wallMs / 1000) - day * 86_400
  const minutes = Math.floor(seconds / 60)
  const [hour, minute] = [twoDigits[Math.floor(minutes / 60)] ?? '', twoDigits[minutes % 60] ?? '']
  return `${dayText(day)}${hour}:${minute}:${twoDigits[seconds % 60] ?? ''}`
}

/**
 * Formats an instant in an IANA zone, in whole seconds with a numeric offset: `2026-12-01T10:00:00+01:00`. Uses UTC if
 * local time has reached the year 10000, because RFC 3339 has four digits.
 */
export function formatInstant(instant: Instant, timeZone: string): string {
  const epochMs = toMs(instant)
  const { offsetMs, offset } = offsetIntervalAt(epochMs, timeZone)
  if (epochMs + offsetMs > latestMs) return `${instant.slice(0, 19)}+00:00`
  return wallText(epochMs + offsetMs) + offset
}

/** An interval in which a zone's offset from UTC does not change. */
interface OffsetInterval {
  fromMs: number
  toMs: number
  /** Local time minus UTC. */
  offsetMs: number
  /** Rounded to minutes: `+01:00`. */
  offset: string
}

/** Caches the latest intervals of each zone, because a query of `Temporal` takes several times as long. */
const intervals = new Map<string, OffsetInterval[]>()
/** More than the number of zones, because a name has several spellings. */
const maxZones = 1_000
const maxIntervals = 8

/** Returns the interval of a zone's offset that contains an instant. */
export function offsetIntervalAt(epochMs: number, timeZone: string): OffsetInterval {
  const known = intervals.get(timeZone) ?? []
  for (const interval of known) if (epochMs >= interval.fromMs && epochMs < interval.toMs) return interval
  const interval = readInterval(epochMs, timeZone)
  if (intervals.size >= maxZones) intervals.clear()
  intervals.set(timeZone, [interval, ...known.slice(0, maxIntervals - 1)])
  return interval
}

function readInterval(epochMs: number, timeZone: string): OffsetInterval {
  const at = (ms: number) => Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timeZone)
  const here = at(epochMs)
  return {
    // a change at this very millisecond belongs to the interval that it begins
    fromMs: at(epochMs + 1).getTimeZoneTransition('previous')?.epochMilliseconds ?? -Infinity,
    toMs: here.getTimeZoneTransition('next')?.epochMilliseconds ?? Infinity,
    offsetMs: here.offsetNanoseconds / 1e6,
    offset: here.toString({ timeZoneName: 'never' }).slice(-6),
  }
}

/** True if the runtime's time-zone data has this IANA name (region/city form, or UTC), in any case. */
export function isTimeZone(name: string): boolean {
  return timeZoneNamed(name) !== undefined
}

/** Returns the IANA name in the spelling of the tz database, or undefined if it is invalid. A link keeps its name. */
export function timeZoneNamed(name: string): string | undefined {
  if (!/^(?:[a-z_]+(?:\/[a-z0-9_+-]+)+|utc)$/i.test(name)) return undefined
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId
  } catch {
    return undefined
  }
}

/** Retention of attempts: outlasts every unpaid booking, whose network the caps on holds need. */
export const daySeconds = 86_400
