import { erasedName, fullName } from '../../base/contact-formats.ts'
import { type Instant, instantFromMs, isDate, plusMinutes, readInstant, toMs } from '../../base/instants.ts'
import type { ConsoleTexts } from './texts.ts'

/*
 * Dates and times for people, in a zone and the language of the page. Formats are cached, because creating
 * one takes longer than using it.
 */

const known = new Map<string, Intl.DateTimeFormat>()
/**
 * Maximum number of cached formats. There are few zones and languages, so only unusual requests exceed it.
 */
const maxKnown = 500

/** Returns the locale for dates at a place. Plain English uses the local variety. */
export function datesAt(locale: string, timeZone: string): string {
  if (locale !== 'en') return locale
  return timeZone.startsWith('America/') ? 'en-US' : 'en-GB'
}

/** Returns the first day of the week from 1 for Monday to 7. Plain English starts on Monday. */
export function firstWeekday(locale: string): number {
  return new Intl.Locale(datesAt(locale, '')).getWeekInfo().firstDay
}

/** Returns a cached format. */
export function dateFormat(locale: string, timeZone: string, options: Intl.DateTimeFormatOptions) {
  const dates = datesAt(locale, timeZone)
  const key = `${dates} ${timeZone} ${JSON.stringify(options)}`
  let format = known.get(key)
  if (!format) {
    if (known.size >= maxKnown) known.clear()
    format = new Intl.DateTimeFormat(dates, { ...options, timeZone })
    known.set(key, format)
  }
  return format
}

/** The zone and language of a time. */
interface Setting {
  timezone: string
  locale: string
}

/** Returns the name of a client. An erased one has neither name nor address. */
export function clientName(
  { first_name, last_name, email }: { first_name: string; last_name: string; email: string },
  { texts }: { texts: { booking: { erased: string } } },
): string {
  const isErased = first_name === erasedName && !email.includes('@')
  return isErased ? texts.booking.erased : fullName(first_name, last_name)
}

/** Formats "Mon 23 Nov 2026, 09:30". */
export function momentText(instant: Instant, { timezone, locale }: Setting): string {
  return dateFormat(locale, timezone, {
    ...{ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
    ...{ hour: 'numeric', minute: '2-digit' },
  }).format(toMs(instant))
}

/** Formats like `momentText`, for a time in the API's format at a business. */
export function momentOf(
  shown: string,
  { business, locale }: { business: { timezone: string } | undefined; locale: string },
): string {
  return momentText(readInstant(shown), { timezone: business?.timezone ?? 'UTC', locale })
}

/** Formats "Mon 23 Nov 2026". */
export function dayText(instant: Instant, { timezone, locale }: Setting): string {
  return dateFormat(locale, timezone, {
    ...{ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
  }).format(toMs(instant))
}

/** Formats "09:30". */
export function clockText(instant: Instant, { timezone, locale }: Setting): string {
  return dateFormat(locale, timezone, { hour: 'numeric', minute: '2-digit' }).format(toMs(instant))
}

/** Formats hours such as `09:00` and `18:00` like the times of appointments: "9:00–18:00". */
export function hoursSpan(
  { opens, closes }: { opens: string; closes: string },
  { locale, business }: { locale: string; business?: { timezone: string } | undefined },
): string {
  const clock = dateFormat(datesAt(locale, business?.timezone ?? ''), 'UTC', {
    ...{ hour: 'numeric', minute: '2-digit' },
  })
  const shown = (time: string) => {
    const ms = Date.parse(`2024-01-01T${time}Z`)
    return Number.isNaN(ms) ? time : clock.format(ms) // a refused form may contain anything
  }
  return `${shown(opens)}–${shown(closes)}`
}

/** Formats "Mon 23 Nov 2026, 09:30–10:00", with the end's day if it differs. Whole days have no times. */
export function spanText(span: { starts_at: Instant; ends_at: Instant }, setting: Setting): string {
  const { timezone } = setting
  if ([span.starts_at, span.ends_at].every((at) => wallFields(at, timezone).time === '00:00')) {
    const days = [dayText(span.starts_at, setting), dayText(plusMinutes(span.ends_at, -1), setting)]
    return [...new Set(days)].join(' – ')
  }
  const isOneDay = dayText(span.starts_at, setting) === dayText(span.ends_at, setting)
  const end = isOneDay ? clockText(span.ends_at, setting) : momentText(span.ends_at, setting)
  return `${momentText(span.starts_at, setting)}–${end}`
}

/** Formats the length of an appointment: "2 h 15". */
export function lengthText({ texts: { calendar: t } }: { texts: ConsoleTexts }, minutes: number): string {
  const hours = Math.floor(minutes / 60)
  const rest = minutes % 60
  if (hours === 0 && rest > 0) return t.minutes({ minutes: rest })
  return rest === 0
    ? t.hours({ hours })
    : t.hoursAndMinutes({ hours, minutes: String(rest).padStart(2, '0') })
}

/** Formats a day as a heading: "Tomorrow, Friday 27 November". The year only if it is another one. */
export function dayHeading(instant: Instant, now: Instant, { timezone, locale }: Setting): string {
  const dayOf = (one: Instant) => Temporal.PlainDate.from(wallFields(one, timezone).date)
  const [day, today] = [dayOf(instant), dayOf(now)]
  const text = dateFormat(locale, timezone, {
    ...{ weekday: 'long', day: 'numeric', month: 'long' },
    ...(day.year !== today.year && { year: 'numeric' }),
  }).format(toMs(instant))
  const { days } = today.until(day)
  if (Math.abs(days) > 1) return text
  const near = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(days, 'day')
  const comma = locale.startsWith('ar') ? '، ' : locale.startsWith('ja') ? '、' : ', '
  return `${near.charAt(0).toLocaleUpperCase(locale)}${near.slice(1)}${comma}${text}`
}

/** Formats "in 5 minutes", or "5 minutes ago" for a negative number. Formats parts of a minute in seconds. */
export function relativeTime(minutes: number, locale: string): string {
  const size = Math.abs(minutes)
  const [count, unit] =
    size > 0 && size < 1
      ? ([Math.round(minutes * 60), 'second'] as const)
      : size < 100
        ? ([Math.round(minutes), 'minute'] as const)
        : size < 48 * 60
          ? ([Math.round(minutes / 60), 'hour'] as const)
          : ([Math.round(minutes / 1_440), 'day'] as const)
  return new Intl.RelativeTimeFormat(locale).format(count, unit)
}

/** The values of a date field and a time field. */
interface WallFields {
  date: string
  time: string
}

/** Returns the field values for an instant. */
export function wallFields(instant: Instant, timeZone: string): WallFields {
  const local = Temporal.Instant.fromEpochMilliseconds(toMs(instant)).toZonedDateTimeISO(timeZone)
  return {
    date: local.toPlainDate().toString(),
    time: local.toPlainTime().toString({ smallestUnit: 'minute' }),
  }
}

/**
 * Returns the instant of the field values. Returns `known` if they are unchanged, so that a repeated hour
 * keeps its meaning; otherwise the first such instant. `skipped` for a time that clocks skip; undefined for
 * an invalid time.
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
