import { formatMoney } from '../../src/base/money.ts'
import { civilMs, firstDayOf, plusDays, startOfWeek } from './civil-dates.ts'
import { dateIn, hourIn } from './zones.ts'

/** First weekdays for browsers that do not know them: Monday, except for these regions. */
const sundayFirst = /-(US|CA|MX|BR|IL|IN|JP|KR|TW|HK|ZA|SA|PH|CO|PE|VE)\b|^(ja|ko|he|hi)\b/
const saturdayFirst = /^ar\b|^fa\b/

interface WeekInfo {
  firstDay: number
}

/** Returns the first day of the week in a locale, from 1 for Monday to 7 for Sunday. */
export function firstWeekdayOf(locale: string): number {
  // a method in new browsers, a property in older ones, missing in some
  const described = new Intl.Locale(locale) as { getWeekInfo?: () => WeekInfo; weekInfo?: WeekInfo }
  const known = described.getWeekInfo ? described.getWeekInfo() : described.weekInfo
  if (known) return known.firstDay
  return sundayFirst.test(locale) ? 7 : saturdayFirst.test(locale) ? 6 : 1
}

/** Clock changes of an hour, and of half an hour on Lord Howe Island. */
const clockChangesMs = [-3_600_000, -1_800_000, 1_800_000, 3_600_000]

/** Formats times, dates, durations and amounts for a locale. */
export class Formats {
  readonly firstWeekday: number
  readonly locale: string
  private readonly known = new Map<string, Intl.DateTimeFormat>()

  constructor(locale: string) {
    this.firstWeekday = firstWeekdayOf(locale)
    // the month grid is Gregorian, whatever the locale prefers
    this.locale = new Intl.Locale(locale, { calendar: 'gregory' }).toString()
  }

  /** Creates the slow calendar formats early, while a request is pending. */
  warmUp(zone: string, ms: number): void {
    dateIn(zone, ms)
    hourIn(zone, ms)
    this.time(ms, zone)
    this.longDay(ms, zone)
    this.month('2026-01')
    this.weekdays('short')
    this.weekdays('long')
    this.zone(zone, ms)
    this.longDate('2026-01-01')
  }

  /** Formats `10:30` or `10:30 AM`. Adds the zone's name in an hour that a clock change repeats. */
  time(ms: number, zone: string): string {
    const options = { hour: 'numeric', minute: '2-digit', timeZone: zone } as const
    const text = this.format(options, ms)
    const isRepeated = clockChangesMs.some((change) => this.format(options, ms + change) === text)
    return isRepeated ? this.format({ ...options, timeZoneName: 'short' }, ms) : text
  }

  /** Formats an instant as `Tuesday, 1 December 2026`. */
  longDay(ms: number, zone: string): string {
    return this.format(
      { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric', timeZone: zone },
      ms,
    )
  }

  /** Formats an instant as `Tue 1 Dec`. */
  shortDay(ms: number, zone: string): string {
    return this.format({ weekday: 'short', day: 'numeric', month: 'short', timeZone: zone }, ms)
  }

  /** Formats a calendar date as `Tuesday, 1 December 2026`. */
  longDate(date: string): string {
    return this.longDay(civilMs(date), 'UTC')
  }

  /** Formats a month as `December 2026`. */
  month(month: string): string {
    return this.format({ month: 'long', year: 'numeric', timeZone: 'UTC' }, civilMs(firstDayOf(month)))
  }

  /** Formats two months as `November – December 2026`. */
  months(first: string, last: string): string {
    const format = this.formatOf({ month: 'long', year: 'numeric', timeZone: 'UTC' })
    return format.formatRange(civilMs(firstDayOf(first)), civilMs(firstDayOf(last)))
  }

  /** Formats the day number in a month grid. */
  dayOfMonth(date: string): string {
    return this.number(Number(date.slice(8)))
  }

  /** Returns the names of the seven weekdays in the order of the locale. */
  weekdays(style: 'long' | 'short' | 'narrow'): string[] {
    const first = startOfWeek('2026-01-05', this.firstWeekday)
    return Array.from({ length: 7 }, (_, index) =>
      this.format({ weekday: style, timeZone: 'UTC' }, civilMs(plusDays(first, index))),
    )
  }

  /** Formats a zone as `Tokyo (Japan Standard Time)`: the city, and the zone's name at an instant. */
  zone(zone: string, ms: number): string {
    const named = this.formatOf({ timeZone: zone, timeZoneName: 'long' })
    const name = named.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? ''
    return name === '' ? placeOf(zone) : `${placeOf(zone)} (${name})`
  }

  /** Formats a duration as `1 hour, 30 minutes` or `1 hr, 30 min`. */
  minutes(minutes: number, unitDisplay: 'long' | 'short' = 'long'): string {
    const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
    const parts = [
      hours ? this.number(hours, { style: 'unit', unit: 'hour', unitDisplay }) : '',
      rest || !hours ? this.number(rest, { style: 'unit', unit: 'minute', unitDisplay }) : '',
    ]
    return new Intl.ListFormat(this.locale, { type: 'unit' }).format(parts.filter(Boolean))
  }

  /** Formats a duration as `12 seconds`. */
  seconds(seconds: number): string {
    return this.number(seconds, { style: 'unit', unit: 'second', unitDisplay: 'long' })
  }

  /** Formats an amount in minor units of its currency. */
  money(money: { amount: number; currency: string }): string {
    return formatMoney(money, this.locale)
  }

  number(value: number, options?: Intl.NumberFormatOptions): string {
    return value.toLocaleString(this.locale, options)
  }

  private format(options: Intl.DateTimeFormatOptions, ms: number): string {
    return this.formatOf(options).format(ms)
  }

  private formatOf(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
    const key = JSON.stringify(options)
    const format = this.known.get(key) ?? new Intl.DateTimeFormat(this.locale, options)
    this.known.set(key, format)
    return format
  }
}

/** Returns the city of a zone name: `New York` from `America/New_York`. */
export function placeOf(zone: string): string {
  return (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ')
}
