import type { Static, TSchema } from 'typebox'
import { type FieldError, Problem, UsageError } from '../base/errors.ts'
import { formatInstant, instantFromMs, isDate, parseInstant } from '../base/instants.ts'
import type {
  DateOverride,
  Fee,
  Hours,
  Money,
  Timetable,
  Weekday,
  WeeklyHours,
} from '../catalogue/catalogue-types.ts'
import { weekdays } from '../catalogue/schedule-rules.ts'
import { minorDigits } from '../base/money.ts'
import { amountText, currencyErrors } from '../catalogue/service-rules.ts'
import { normalise } from '../base/normalise.ts'
import { compileCreation, compileQuery, compileSchema, fieldErrorsOf } from '../base/validation.ts'

/**
 * Options by API field, such as --duration for duration_minutes. Lists only fields whose option has a
 * different name.
 */
export type OptionNames = Record<string, string>

/** The members of T without undefined. */
type Given<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> }

const date = String.raw`(?<date>\d{4}-\d{2}-\d{2})`
const time = String.raw`(?<time>\d{2}:\d{2})(?<seconds>:\d{2})?`
const wallTime = new RegExp(`^${date}[ T]${time}$`)
const timeWithOffset = new RegExp(
  String.raw`^${date}[ Tt]${time}(?:\.\d+)? ?(?<offset>[Zz]|[+-]\d{2}:\d{2})$`,
)
const hoursForm = 'write "mon-fri 09:00-12:00 13:00-18:00, sat 10:00-14:00", "always" or "never"'

/** Collects a repeatable option. */
export function repeated(value: string, before: string[] = []): string[] {
  return [...before, value]
}

/** Drops undefined members. */
export function given<T extends object>(members: T): Given<T> {
  const defined = Object.entries(members).filter(([, value]) => value !== undefined)
  return Object.fromEntries(defined) as Given<T> // a subset of the members
}

/** Returns null for "none", which clears a field. Otherwise reads the text. */
export function unlessNone<T>(text: string, read: (text: string) => T): T | null {
  return text.trim() === 'none' ? null : read(text)
}

/** Reads a whole number. The schema checks its bounds. Throws a UsageError with the expected value. */
export function numberIn(text: string, option: string, wanted: string): number {
  if (/^-?\d{1,15}$/.test(text.trim())) return Number(text)
  throw new UsageError(`${option} must be ${wanted}.`)
}

/** A reader for each field. It returns undefined if the option is missing. */
export type Readers = Record<string, () => unknown>

/** The fields read so far, without undefined members, and the faults of the others. */
interface ReadFields<T extends Readers> {
  fields: Given<{ [Key in keyof T]: Awaited<ReturnType<T[Key]>> }>
  /** Sentences by field. */
  faults: Record<string, string>
}

/** Reads all fields. Turns a UsageError into the fault of its field, so that one message names them all. */
export async function readFields<T extends Readers>(readers: T): Promise<ReadFields<T>> {
  const fields: Record<string, unknown> = {}
  const faults: Record<string, string> = {}
  for (const [field, read] of Object.entries(readers)) {
    try {
      fields[field] = await read()
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      faults[field] = [error.message, error.fix].filter(Boolean).join(' ')
    }
  }
  return { fields: given(fields) as ReadFields<T>['fields'], faults } // each value comes from the reader of its field
}

/** Throws a UsageError that names all faults, if there are any. */
export function assertNoFaults(faults: Record<string, string>): void {
  const sentences = Object.values(faults)
  if (sentences.length > 0) throw new UsageError(sentences.join(' '))
}

/** Throws a UsageError if there is no field to change. */
export function assertChanges(fields: object, options = 'an option of --help'): void {
  if (Object.keys(fields).length === 0) throw new UsageError(`Nothing to change: give ${options}.`)
}

/** Validates a creation as the API does. Treats null as absent. Throws a UsageError with every fault. */
export function checkedCreation<T extends TSchema>(
  schema: T,
  value: unknown,
  names: OptionNames,
  faults: Record<string, string> = {},
): Static<T> {
  return checked(compileCreation(schema), value, { names, faults }) as Static<T> // the schema has just accepted it
}

/** Validates a query as the API does. Throws a UsageError with every fault. */
export function checkedQuery<T extends TSchema>(
  schema: T,
  value: unknown,
  names: OptionNames,
  faults: Record<string, string> = {},
): Static<T> {
  return checked(compileQuery(schema), value, { names, faults }) as Static<T> // the schema has just accepted it
}

/** Validates a change as the API does. Throws a UsageError with every fault. */
export function checkedChange<T extends TSchema>(
  schema: T,
  value: unknown,
  names: OptionNames,
  faults: Record<string, string> = {},
): Static<T> {
  return checked(compileSchema(schema), value, { names, faults }) as Static<T> // the schema has just accepted it
}

/** Validates a value. `faults` holds the unreadable fields, which the value lacks. */
function checked(
  validate: ReturnType<typeof compileCreation>,
  value: unknown,
  { names, faults }: { names: OptionNames; faults: Record<string, string> },
): unknown {
  const input = normalise(value)
  const errors = validate(input) ? [] : fieldErrorsOf(validate.errors ?? [])
  const others = errors.filter(({ pointer }) => !Object.hasOwn(faults, pointer.split('/')[1] ?? ''))
  assertNoFaults({ ...faults, ...(others.length > 0 && { '': optionErrors(others, names).message }) })
  return input
}

/** Runs work and reports an invalid field by the name of its option. */
export async function inOptions<T>(names: OptionNames, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Problem && error.parts.errors) throw optionErrors(error.parts.errors, names)
    throw error
  }
}

function optionErrors(errors: FieldError[], names: OptionNames): UsageError {
  return new UsageError(
    `${errors.map(({ pointer, detail }) => `${optionOf(pointer, names)} ${detail}`).join('; ')}.`,
  )
}

function optionOf(pointer: string, names: OptionNames): string {
  const [, member = '', index] = pointer.split('/')
  const name = names[member] ?? `--${member.replaceAll('_', '-')}`
  return index !== undefined && /^\d+$/.test(index) ? `${name} (number ${Number(index) + 1})` : name
}

/**
 * Reads a time with an offset, or a wall time in the zone ("2026-12-01 10:00"). Returns RFC 3339. Throws a
 * UsageError for anything else, and for a wall time that a clock change skips or repeats.
 */
export function readTime(input: string, timeZone: string): string {
  const text = input.trim()
  const withOffset = timeWithOffset.exec(text)?.groups
  if (withOffset) {
    const { date, time, seconds = ':00', offset = 'Z' } = withOffset
    const instant = parseInstant(`${date}T${time}${seconds}${offset}`)
    if (instant) return formatInstant(instant, timeZone)
  }
  const [first, second] = wallTime.test(text) ? atWallTime(text, timeZone) : []
  if (!first || !second) {
    throw new UsageError(
      `"${input}" is not a valid time; write "2026-12-01 10:00" (in ${timeZone}) or "2026-12-01 10:00 +01:00".`,
    )
  }
  if (first.text === second.text) return first.text
  throw new UsageError(
    first.fits
      ? `${input} occurs twice in ${timeZone}, because the clocks go back: write "${shownTime(first.text)}" for the ` +
          `first, "${shownTime(second.text)}" for the second.`
      : `There is no ${input} in ${timeZone}, because the clocks go forward: write "${shownTime(first.text)}" or ` +
          `"${shownTime(second.text)}".`,
  )
}

/**
 * Reads a bound of a list: RFC 3339, a date (from its beginning), or a time as `readTime` does. Returns RFC
 * 3339. Throws a UsageError for a date or wall time without a zone.
 */
export function readBound(input: string, option: string, timeZone: string | undefined): string {
  const text = input.trim()
  if (parseInstant(text)) return text
  if (timeZone === undefined) {
    if (timeWithOffset.test(text)) return readTime(text, 'UTC')
    throw new UsageError(
      `${option} "${input}" needs an offset, such as "2026-12-01 10:00 +01:00", or --business or --location, ` +
        'whose zone then applies.',
    )
  }
  if (isDate(text)) {
    const { epochMilliseconds } = Temporal.PlainDate.from(text).toZonedDateTime(timeZone)
    if (epochMilliseconds >= 0) return formatInstant(instantFromMs(epochMilliseconds), timeZone)
  }
  try {
    return readTime(text, timeZone)
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(`${option}: ${error.message}`)
    throw error
  }
}

/**
 * Returns the earlier and later instant of a wall time; they differ only at a clock change. Empty for an
 * invalid date.
 */
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

/** Formats an API time for people so that `readTime` can read it: `2026-12-01 10:00 +01:00`. */
export function shownTime(text: string): string {
  return text.replace('T', ' ').replace(/(?::00)?(?=[+-]\d{2}:\d{2}$)/, ' ')
}

/**
 * Reads weekly hours: "mon-fri 09:00-18:00, sat 10:00-14:00"; null for "always". Throws a UsageError. The
 * catalogue rules check that the times exist and do not overlap.
 */
export function readWeeklyHours(text: string): WeeklyHours | null {
  if (text.trim() === 'always') return null
  if (text.trim() === 'never') return []
  return text.split(',').flatMap((part) => {
    const [days = '', ...spans] = part.trim().split(/\s+/)
    if (spans.length === 0) throw new UsageError(`"${part.trim()}" is not valid; ${hoursForm}.`)
    return daysOf(days).flatMap((weekday) => spans.map((span) => ({ weekday, ...readSpan(span) })))
  })
}

/**
 * Reads a timetable: "mon-fri 09:00 18:30, sat 10:00". Throws a UsageError. The catalogue rules check the
 * times.
 */
export function readTimetable(text: string): Timetable {
  return text.split(',').flatMap((part) => {
    const [days = '', ...starts] = part.trim().split(/\s+/)
    if (starts.length === 0) {
      throw new UsageError(`"${part.trim()}" is not valid; write "mon-fri 09:00 18:30, sat 10:00" or "none".`)
    }
    return daysOf(days).map((weekday) => ({ weekday, starts }))
  })
}

/** Reads fees: "50% in 1440, 100% in 120". Throws a UsageError. The catalogue rules check the numbers. */
export function readFees(text: string): Fee[] {
  return text.split(',').map((part) => {
    const [, percent, minutes] = /^(\d{1,3})\s*% in (\d{1,6})$/.exec(part.trim()) ?? []
    if (percent === undefined || minutes === undefined)
      throw new UsageError(`"${part.trim()}" is not valid; write "50% in 1440, 100% in 120" or "none".`)
    return { within_minutes: Number(minutes), percent: Number(percent) }
  })
}

/** Reads the hours of one date: "2026-12-24 09:00-12:00" or "2026-12-25 closed". Throws a UsageError. */
export function readOverride(text: string): DateOverride {
  const [date = '', ...spans] = text.trim().split(/\s+/)
  if (spans.length === 0) {
    throw new UsageError(
      `"${text}" is not a valid override; write "2026-12-24 09:00-12:00" or "2026-12-25 closed".`,
    )
  }
  return { date, hours: spans.join(' ') === 'closed' ? [] : spans.map(readSpan) }
}

function readSpan(text: string): Hours {
  const [, opens, closes] = /^(\d{2}:\d{2})-(\d{2}:\d{2})$/.exec(text) ?? []
  if (opens === undefined || closes === undefined)
    throw new UsageError(`"${text}" is not valid; ${hoursForm}.`)
  return { opens, closes }
}

function daysOf(text: string): Weekday[] {
  if (text === 'daily') return [...weekdays]
  const [first = '', last = first] = text.toLowerCase().split('-')
  const [from, to] = [dayIndex(first), dayIndex(last)]
  if (from < 0 || to < 0) {
    throw new UsageError(`"${text}" is not a valid day range; use mon, mon-fri or daily.`)
  }
  const many = ((to - from + weekdays.length) % weekdays.length) + 1
  return Array.from({ length: many }, (_, step) => weekdays[(from + step) % weekdays.length] ?? 'monday')
}

function dayIndex(text: string): number {
  return text.length < 2 ? -1 : weekdays.findIndex((day) => day.startsWith(text))
}

/** Formats weekly hours so that `readWeeklyHours` can read them. */
export function weeklyHoursText(hours: WeeklyHours | null): string {
  if (hours === null) return 'always'
  if (hours.length === 0) return 'never'
  const groups: { first: string; last: string; spans: string }[] = []
  for (const weekday of weekdays) {
    const day = weekday.slice(0, 3)
    const spans = spansText(hours.filter((span) => span.weekday === weekday))
    const before = groups.at(-1)
    if (before?.spans === spans) before.last = day
    else groups.push({ first: day, last: day, spans })
  }
  return groups
    .filter(({ spans }) => spans !== '')
    .map(({ first, last, spans }) => `${first === last ? first : `${first}-${last}`} ${spans}`)
    .join(', ')
}

function spansText(hours: Hours[]): string {
  return hours
    .toSorted((one, other) => (one.opens < other.opens ? -1 : 1))
    .map(({ opens, closes }) => `${opens}-${closes}`)
    .join(' ')
}

/** Reads an amount: "25 EUR", "25.50 EUR". Throws a UsageError. */
export function readMoney(text: string): Money {
  const [, whole = '', fraction = '', code = ''] =
    /^(\d{1,9})(?:\.(\d{1,4}))? ?([A-Za-z]{3})$/.exec(text.trim()) ?? []
  const currency = code.toUpperCase()
  const digits = currencyErrors(currency).length === 0 ? minorDigits(currency) : -1
  if (digits < 0 || fraction.length > digits) {
    throw new UsageError(`"${text}" is not a valid amount; write "25 EUR" or "25.50 EUR".`)
  }
  return { amount: Number(whole + fraction.padEnd(digits, '0')), currency }
}

/** Formats an amount so that `readMoney` can read it. */
export function moneyText(money: Money | null): string {
  return money ? amountText(money) : ''
}

/** Reads a whole number from an option. Throws a UsageError if it is out of bounds. */
export function readInteger(text: string, option: string, [min, max]: [number, number]): number {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : NaN
  if (value >= min && value <= max) return value
  throw new UsageError(`${option} must be a whole number from ${min} to ${max}.`)
}

/** Checks the server's address and drops trailing slashes. Throws a UsageError. */
export function readUrl(text: string): string {
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? '')) return text.replace(/\/+$/, '')
  throw new UsageError(`"${text}" is not a valid --url; write one like http://127.0.0.1:3000.`)
}
