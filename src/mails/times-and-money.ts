import { type Instant, toMs } from '../base/instants.ts'
import type { Language } from '../base/languages.ts'
import { formatMoney, withMinus } from '../base/money.ts'
import type { Money } from '../catalogue/catalogue-types.ts'

/* Times and amounts in the language of who reads them: in emails, text messages and pages. */

interface Spanned {
  startsAt: Instant
  endsAt: Instant
  timezone: string
}

/** Returns the date and the time of a start, such as Mon 30 Nov and 9:30. */
export function timesOf({ startsAt, timezone }: Spanned, language: Language): { date: string; time: string } {
  return {
    date: formatted(startsAt, timezone, language, { weekday: 'short', day: 'numeric', month: 'short' }),
    time: clockTime(startsAt, timezone, language),
  }
}

export function timesLine({ startsAt, endsAt, timezone }: Spanned, language: Language): string {
  return language.say('mail.timeAt', {
    from: clockTime(startsAt, timezone, language),
    to: clockTime(endsAt, timezone, language),
    zone: zoneName(startsAt, timezone, language),
  })
}

/** Formats date and times, such as Mon 30 Nov · 9:30 – 10:00 (CET). */
export function spanText(span: Spanned, language: Language): string {
  const { date } = timesOf(span, language)
  return `${date} · ${timesLine(span, language)}`
}

/** Returns a short name such as CET or GMT+1. */
export function shortZone(instant: Instant, timezone: string, language: Language): string {
  return partOfZone(instant, timezone, language, 'short')
}

/** Returns a short name such as CET. Returns the full name if the language has no short one and would use GMT+1. */
export function zoneName(instant: Instant, timezone: string, language: Pick<Language, 'locale'>): string {
  const short = partOfZone(instant, timezone, language, 'short')
  return /\p{N}/u.test(short) ? partOfZone(instant, timezone, language, 'long') : short
}

function partOfZone(
  instant: Instant,
  timezone: string,
  language: Pick<Language, 'locale'>,
  timeZoneName: 'short' | 'long',
): string {
  const parts = dateFormat(timezone, language, { timeZoneName }).formatToParts(toMs(instant))
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? timezone
}

export function momentOf(instant: Instant, timezone: string, language: Language): string {
  return formatted(instant, timezone, language, {
    ...{ weekday: 'short', day: 'numeric', month: 'short' },
    ...{ hour: 'numeric', minute: '2-digit' },
  })
}

export function longDate(instant: Instant, timezone: string, language: Language): string {
  return formatted(instant, timezone, language, {
    ...{ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' },
  })
}

/** Returns a date with its year, because a series may last longer than one. */
export function shortDate(instant: Instant, timezone: string, language: Language): string {
  return formatted(instant, timezone, language, {
    ...{ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
  })
}

export function clockTime(instant: Instant, timezone: string, language: Language): string {
  return formatted(instant, timezone, language, { hour: 'numeric', minute: '2-digit' })
}

function formatted(
  instant: Instant,
  timezone: string,
  language: Language,
  options: Intl.DateTimeFormatOptions,
): string {
  return withPlainSpaces(dateFormat(timezone, language, options).format(toMs(instant)))
}

function dateFormat(
  timeZone: string,
  { locale }: Pick<Language, 'locale'>,
  options: Intl.DateTimeFormatOptions,
) {
  // plain English uses the conventions of the location
  const dates = locale === 'en' && !timeZone.startsWith('America/') ? 'en-GB' : locale
  return new Intl.DateTimeFormat(dates, { ...options, timeZone })
}

/** Counts days on the calendar of the location. */
export function daysBetween(from: Instant, to: Instant, timezone: string): number {
  const dayOf = (instant: Instant) =>
    Temporal.Instant.fromEpochMilliseconds(toMs(instant)).toZonedDateTimeISO(timezone).toPlainDate()
  return dayOf(from).until(dayOf(to), { largestUnit: 'day' }).days
}

/** Formats an amount in the reader's language. One below zero has a minus sign (U+2212). */
export function moneyText(money: Money, locale: string): string {
  return withMinus(withPlainSpaces(formatMoney(money, locale)))
}

/** Formats a price. One of 0 is the word for free. */
export function priceText(price: Money, { say, locale }: Pick<Language, 'say' | 'locale'>): string {
  return price.amount === 0 ? say('widget.noCharge') : moneyText(price, locale)
}

/** Spaces of other widths look odd in some email programs' lists, and make text messages longer. */
function withPlainSpaces(text: string): string {
  return text.replaceAll(/[\u00a0\u2009\u202f]/g, ' ')
}
