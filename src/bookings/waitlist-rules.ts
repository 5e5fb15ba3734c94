import { itemsQuery } from '../availability/visit-query-rules.ts'
import { erasedName } from '../base/contact-formats.ts'
import type { FieldError } from '../base/errors.ts'
import { type Instant, instantFromMs, plusSeconds, roundUpToSecond, toMs } from '../base/instants.ts'
import { weekdays } from '../catalogue/schedule-rules.ts'
import type { QuietHours } from '../catalogue/mail-settings-rules.ts'
import type { WaitlistEntriesTable } from '../database/tables.ts'
import type { WishedItem } from './visit.ts'

export type EntryRow = WaitlistEntriesTable

/** The longest window of an entry, in days. */
export const maxWindowDays = 62
/** The furthest day, counted from today, as for bookings of sessions. */
export const maxDaysAhead = 730
/** Offers in a row without an answer after which an entry ends. */
export const maxUnanswered = 3
/** A time whose booking closes sooner is not offered, because nobody could answer. */
const leastOfferSeconds = 300

/** When offers wait if the business has no quiet hours. */
export const usualQuietHours: QuietHours = { from: '21:00', to: '08:00' }

interface Window {
  from?: string
  to?: string
  after?: string
  before?: string
}

/** Returns errors of dates and times that contradict each other. */
export function windowErrors({ from, to, after, before }: Window): FieldError[] {
  const errors: FieldError[] = []
  const outOfRange = (pointer: string, detail: string) =>
    errors.push({ pointer, code: 'out_of_range', detail })
  if (from !== undefined && to !== undefined) {
    const days = dayNumber(to) - dayNumber(from)
    if (days < 0) outOfRange('/to', 'must not be before from')
    else if (days >= maxWindowDays) outOfRange('/to', `must be at most ${maxWindowDays - 1} days after from`)
  }
  if (after !== undefined && before !== undefined && before < after)
    outOfRange('/before', 'must not be before after')
  return errors
}

function dayNumber(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / 86_400_000
}

/** Returns errors of a window at a place where a date is today. */
export function windowErrorsOn(today: string, { from, to }: { from: string; to: string }): FieldError[] {
  if (to < today) return [{ pointer: '/to', code: 'out_of_range', detail: 'must not be in the past' }]
  return dayNumber(from) - dayNumber(today) > maxDaysAhead
    ? [{ pointer: '/from', code: 'out_of_range', detail: `must be at most ${maxDaysAhead} days ahead` }]
    : []
}

/** Returns the date at an instant in a zone. */
export function dateAt(instant: Instant, timezone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(toMs(instant))
    .toZonedDateTimeISO(timezone)
    .toPlainDate()
    .toString()
}

/** The wishes of an entry. */
type Wishes = Pick<EntryRow, 'from' | 'to' | 'weekdays_json' | 'after' | 'before'>

/** Returns true if a local start, as slots show it, is within the window of an entry. */
export function isWithin({ from, to, weekdays_json, after, before }: Wishes, startsAt: string): boolean {
  const [date, time] = [startsAt.slice(0, 10), startsAt.slice(11, 16)]
  if (date < from || date > to) return false
  if (after !== null && time < after) return false
  if (before !== null && time > before) return false
  const wanted = weekdaysOf(weekdays_json)
  return wanted === null || wanted.includes(weekdayOf(date))
}

export function weekdaysOf(json: string | null): string[] | null {
  return json === null ? null : (JSON.parse(json) as string[]) // only `newEntry` writes it
}

function weekdayOf(date: string): string {
  // 1970-01-01 was a Thursday
  return weekdays[(dayNumber(date) + 3) % 7] ?? ''
}

/** A service of an entry. */
type EntryItem = { [Name in keyof WishedItem]: Exclude<WishedItem[Name], undefined> }

/** Returns the services of an entry, as on a hold. */
export function itemsOfEntry({ items_json, ...one }: EntryRow): EntryItem[] {
  if (items_json !== null) return JSON.parse(items_json) as EntryItem[] // only `newEntry` writes it
  const { service_id, staff_id, party_size } = one
  return [{ service_id, party_size, ...(staff_id !== null && { staff_id }) }]
}

/** Returns what a hold of an entry's services asks for. */
export function wishOfEntry(entry: EntryRow) {
  const { location_id, items_json } = entry
  const items = itemsOfEntry(entry)
  const [one] = items
  if (items_json !== null || !one) return { location_id, items }
  const { starts: _, ...wanted } = one
  return { location_id, ...wanted }
}

/** Returns the same as a query for free times. Entries with the same query are compared with the same times. */
export function queryOfEntry(entry: EntryRow) {
  const { location_id, items_json } = entry
  const items = itemsOfEntry(entry)
  const [one] = items
  if (items_json !== null || !one) {
    const asked = items.map(({ service_id, staff_id, party_size = 1, starts = 'after' }) => ({
      ...{ service_id, party_size, starts: starts === 'with' ? ('with' as const) : ('after' as const) },
      ...(staff_id !== undefined && { staff_id }),
    }))
    return { location_id, items: itemsQuery(asked) }
  }
  const { service_id, staff_id, party_size = 1 } = one
  return { location_id, service_id, party_size, ...(staff_id !== undefined && { staff_id }) }
}

/**
 * Returns the end of an offer: after the minutes of the business, and before the notice of the service. Undefined if
 * nobody could answer in time.
 */
export function offerEnd(
  now: Instant,
  {
    startsAt,
    noticeMinutes,
    offerMinutes,
  }: { startsAt: Instant; noticeMinutes: number; offerMinutes: number },
): Instant | undefined {
  const closesMs = toMs(startsAt) - noticeMinutes * 60_000
  if (closesMs - toMs(now) < leastOfferSeconds * 1_000) return undefined
  const end = roundUpToSecond(plusSeconds(now, offerMinutes * 60))
  return toMs(end) < closesMs ? end : instantFromMs(closesMs)
}

/** The columns of an erased entry. */
export const erasedEntry = {
  ...{ first_name: erasedName, last_name: erasedName, email: null, phone: null, client_id: null },
  ...{ locale: null, time_zone: null, text_consent: null, text_agreed_at: null },
} as const
