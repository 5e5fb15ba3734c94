import type { Static } from 'typebox'
import type { Actor } from '../access/actor.ts'
import { givesWay } from '../availability/busy.ts'
import { dateOf, dayOf } from '../availability/hours-rules.ts'
import { zoneAround } from '../availability/offer-rules.ts'
import { locationResource } from '../availability/resource-rules.ts'
import type { Days, Interval } from '../availability/zone-rules.ts'
import { Problem } from '../base/errors.ts'
import { formatInstant, type Instant, instantFromMs, toMs } from '../base/instants.ts'
import { findWholeCatalogue, type WholeCatalogue } from '../catalogue/offering.ts'
import { businessAsked } from './calendar.ts'
import { type Column, columnsOf } from './calendar-rules.ts'
import type { Context } from './context.ts'
import { type DayRow, findDays, findNumbers, type NumbersRow } from './numbers-queries.ts'
import { weeksOf } from './numbers-rules.ts'
import type { Numbers, NumbersQuery } from './numbers-schemas.ts'

type CountName = 'bookings' | 'cancellations' | 'no_shows' | 'booked_minutes' | 'open_minutes'

/** A number for each week. */
type Counts = Record<CountName, number[]>

/** What is counted of one column. */
type CountedColumn = Pick<Column, 'id' | 'staff' | 'service' | 'location'> & Counts

/**
 * Counts the bookings of some days by week and by what they take, beside its open time: one statement over the bookings of
 * these days, besides those of the catalogue. Throws not_found, or validation_failed where a hub names no business.
 */
export async function readNumbers(
  context: Context,
  actor: Actor,
  query: Static<typeof NumbersQuery>,
): Promise<Static<typeof Numbers>> {
  const businessId = await businessAsked(context, actor, query)
  const db = context.db.reads
  const catalogue = await findWholeCatalogue(db, businessId)
  if (!catalogue) throw new Problem('not_found', 'There is no business with this id.')
  const { location_id: locationId } = query
  const location = catalogue.locations.find(({ id }) => id === locationId)
  if (locationId !== undefined && !location)
    throw new Problem('not_found', 'There is no location with this location_id.')
  const timezone = location?.timezone ?? catalogue.timezone
  const days = { first: dayOf(query.from), last: dayOf(query.to) }
  const zone = zoneAround(timezone, days)
  const weeks = weeksOf(days).map((week) => ({ days: week, range: zone.spanOf(week) }))
  const spans = weeks.map(({ range: { from, to } }) => ({
    starts_at: instantFromMs(from),
    ends_at: instantFromMs(to),
  }))
  const rows = await findNumbers(db, { businessId, locationId, spans })
  const columns = await openColumns(catalogue, locationId, weeks)
  for (const row of rows) count(row, columnFor(row, { catalogue, columns, weeks: weeks.length }))
  const whole = zone.spanOf(days)
  return {
    business_id: businessId,
    timezone,
    starts_at: formatInstant(instantFromMs(whole.from), timezone),
    ends_at: formatInstant(instantFromMs(whole.to), timezone),
    weeks: weeks.map((week, at) => ({
      from: dateOf(week.days.first),
      to: dateOf(week.days.last),
      ...sumsAt([...columns.values()], at),
    })),
    columns: [...columns.values()].map(presentColumn),
  }
}

/** What can be booked now, with its open minutes of each week. */
async function openColumns(
  catalogue: WholeCatalogue,
  locationId: string | undefined,
  weeks: readonly { days: Days; range: Interval }[],
): Promise<Map<string, CountedColumn>> {
  const columns = new Map<string, CountedColumn>()
  const giveWay = givesWay()
  for (const [at, { days, range }] of weeks.entries()) {
    for (const { open, ...column } of columnsOf(catalogue, { locationId, days, range })) {
      const counted = columns.get(column.id) ?? { ...column, ...zeros(weeks.length) }
      columns.set(column.id, counted)
      counted.open_minutes[at] = Math.round(open.reduce((sum, { from, to }) => sum + to - from, 0) / 60_000)
    }
    await giveWay()
  }
  return columns
}

function zeros(weeks: number): Counts {
  const none = () => Array.from({ length: weeks }, () => 0)
  return {
    bookings: none(),
    cancellations: none(),
    no_shows: none(),
    booked_minutes: none(),
    open_minutes: none(),
  }
}

/** The column that bookings took; a new one for what is not offered any more. */
function columnFor(
  row: NumbersRow,
  {
    catalogue: { services, staff, locations },
    columns,
    weeks,
  }: { catalogue: WholeCatalogue; columns: Map<string, CountedColumn>; weeks: number },
): CountedColumn {
  const service = services.find(({ id }) => id === row.service_id)
  const ofService =
    service && row.location_id !== null ? locationResource(service, row.location_id).id : row.service_id
  const id = row.staff_id ?? ofService ?? ''
  const column = columns.get(id) ?? {
    id,
    staff: staff.find((one) => one.id === row.staff_id),
    service,
    location: locations.find((one) => one.id === row.location_id),
    ...zeros(weeks),
  }
  columns.set(id, column)
  return column
}

function count(row: NumbersRow, column: CountedColumn): void {
  const add = (to: number[], number: number) => (to[row.span] = (to[row.span] ?? 0) + number)
  add(column.bookings, row.bookings)
  add(column.cancellations, row.cancellations)
  add(column.no_shows, row.no_shows)
  // as many as have room at once fill a service without staff
  add(column.booked_minutes, Math.round(row.minutes / (column.service?.capacity ?? 1)))
}

function sumsAt(columns: CountedColumn[], at: number): Record<CountName, number> {
  const sum = (name: CountName) => columns.reduce((total, column) => total + (column[name][at] ?? 0), 0)
  return {
    bookings: sum('bookings'),
    cancellations: sum('cancellations'),
    no_shows: sum('no_shows'),
    booked_minutes: sum('booked_minutes'),
    open_minutes: sum('open_minutes'),
  }
}

function presentColumn({ staff, service, location, ...column }: CountedColumn) {
  const named = (one: { id: string; name: string } | undefined) =>
    one ? { id: one.id, name: one.name } : null
  return { ...column, staff: named(staff), service: named(service), location: named(location) }
}

/** Counts today's bookings, and finds the next, of businesses that the caller has found; by their ids. */
export async function readToday(
  context: Context,
  businesses: readonly { id: string; timezone: string }[],
): Promise<Map<string, DayRow>> {
  const now = context.clock.now()
  const days = businesses.map(({ id, timezone }) => ({ business_id: id, now, ...todayIn(timezone, now) }))
  const rows = days.length === 0 ? [] : await findDays(context.db.reads, days)
  return new Map(rows.map((row) => [row.business_id, row]))
}

function todayIn(timezone: string, now: Instant) {
  const today = Temporal.Instant.fromEpochMilliseconds(toMs(now)).toZonedDateTimeISO(timezone).toPlainDate()
  const startOf = (date: Temporal.PlainDate) =>
    instantFromMs(date.toZonedDateTime(timezone).epochMilliseconds)
  return { starts_at: startOf(today), ends_at: startOf(today.add({ days: 1 })) }
}
