import { asLine } from '../base/contact-formats.ts'
import { type Instant, instantFromMs, latestMs } from '../base/instants.ts'
import { nameKey } from '../base/search-text.ts'
import { weekdays } from '../catalogue/schedule-rules.ts'
import type { StaffEntry } from '../catalogue/catalogue-file-schemas.ts'
import type { Source } from './source-types.ts'

/* Parts that readers of several systems share. Values of other systems may be of any type. */

export function newSource(system: Source['system'], noun: string): Source {
  return {
    ...{ system, noun, locations: [], people: [], services: [], clients: [] },
    ...{ bookings: [], blocks: [], remarks: [] },
  }
}

/** Returns a text or number as text; empty for anything else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
}

/** Returns a whole number within limits, or undefined. */
export function wholeOf(value: unknown, min: number, max: number): number | undefined {
  const number = typeof value === 'number' ? value : Number.NaN
  return Number.isInteger(number) && number >= min && number <= max ? number : undefined
}

/** Returns an object's members, or none. */
export function membersOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** Reads an instant in RFC 3339. Without an offset, it is in UTC. Returns undefined for other values. */
export function utcInstant(value: unknown): Instant | undefined {
  const text = textOf(value).replace(' ', 'T')
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text)) return undefined
  const ms = Date.parse(/(Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`)
  return ms >= 0 && ms <= latestMs ? instantFromMs(ms) : undefined
}

/** Adds the location that stands for a zone, because hours are in that of a location. */
export function locationIn(source: Source, zone: string, name: string): string {
  if (!source.locations.some(({ key }) => key === zone)) {
    const isFirst = source.locations.length === 0
    source.locations.push({ key: zone, name: isFirst ? name : `${name} (${zone})`, timezone: zone })
  }
  return zone
}

/** Adds a client by name and email, once. Returns the key. */
export function clientNamed(
  source: Source,
  {
    name,
    first = '',
    last = '',
    email,
    phone = '',
    locale = '',
    zone = '',
  }: Record<'name' | 'email', string> &
    Partial<Record<'first' | 'last' | 'phone' | 'locale' | 'zone', string>>,
): string {
  const words = asLine(name).trim().split(/\s+/)
  const last_name = first === '' ? words.slice(1).join(' ') : last
  const first_name = first === '' ? (words[0] ?? '') : first
  const key = `${nameKey({ first_name, last_name })} ${email.toLowerCase() || phone}`.trim()
  if (!source.clients.some((client) => client.key === key)) {
    const others = { notes: '', locale, time_zone: zone }
    source.clients.push({ key, first_name, last_name, email, phone, ...others })
  }
  return key
}

type Weekly = NonNullable<StaffEntry['weekly_hours']>

/** Joins hours of one day that overlap or touch, as `09:00` to `24:00`. */
export function joinHours(
  spans: readonly (readonly [from: string, to: string])[],
): { opens: string; closes: string }[] {
  const joined: { opens: string; closes: string }[] = []
  for (const [opens, closes] of spans
    .filter(([from, to]) => from < to)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const last = joined.at(-1)
    if (last && opens <= last.closes) last.closes = last.closes > closes ? last.closes : closes
    else joined.push({ opens, closes })
  }
  return joined
}

/** Returns the weekly hours of spans by weekday, counted from Monday. */
export function weeklyOf(byDay: ReadonlyMap<number, (readonly [from: string, to: string])[]>): Weekly {
  return weekdays.flatMap((weekday, day) =>
    joinHours(byDay.get(day) ?? []).map((hours) => ({ weekday, ...hours })),
  )
}

/** Reads `09:00:00` as `09:00`; the last minute of a day as `24:00`. Undefined for anything else. */
export function hourOf(value: unknown): string | undefined {
  const [, hour = ''] = /^((?:[01]\d|2[0-3]):[0-5]\d)(?::\d\d(?:\.\d+)?)?Z?$/.exec(textOf(value)) ?? []
  if (hour === '') return undefined
  return hour === '23:59' ? '24:00' : hour
}
