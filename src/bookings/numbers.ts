import type { Static } from 'typebox'
import type { Actor } from '../access/actor.ts'
import { dateOf, dayOf } from '../availability/hours-rules.ts'
import { zoneAround } from '../availability/offer-rules.ts'
import type { Days, Interval } from '../availability/zone-rules.ts'
import { Problem } from '../base/errors.ts'
import { formatInstant, type Instant, instantFromMs, toMs } from '../base/instants.ts'
import { Slices } from '../base/slices.ts'
import type { Service } from '../catalogue/service-schemas.ts'
import { stepsOf, sumOf } from '../catalogue/service-rules.ts'
import { keptCatalogues, type WholeCatalogue } from '../catalogue/offering.ts'
import { businessAsked, catalogueOf } from './calendar.ts'
import { type Column, ColumnHours, columnsIn, minutesIn, roomId } from './calendar-rules.ts'
import type { Context } from './context.ts'
import { turnsFor } from './costly.ts'
import {
  type DayRow,
  findCatalogueVersion,
  findDays,
  findNumbers,
  type NumbersRow,
} from './numbers-queries.ts'
import { weeksOf } from './numbers-rules.ts'
import type { Numbers, NumbersQuery } from './numbers-schemas.ts'

type CountName = 'bookings' | 'cancellations' | 'no_shows' | 'booked_minutes' | 'open_minutes'

/** A number for each week. */
type Counts = Record<CountName, number[]>

/** The counts of one column. */
type CountedColumn = Pick<Column, 'id' | 'staff' | 'service' | 'location'> & Counts

/** Maximum number of listed columns. Further ones are only counted. */
const maxColumns = 1_000

/** A week, possibly partial. */
interface Week {
  days: Days
  range: Interval
}

/**
 * Counts the bookings of some days by week and resource, together with the open time, and presents the
 * numbers. Counts one request per business at a time. Throws not_found, unavailable if too many are waiting,
 * MemberGone, or validation_failed if a hub names no business.
 */
export async function readNumbers<Shown>(
  context: Context,
  actor: Actor,
  { query, isGone }: { query: Static<typeof NumbersQuery>; isGone?: () => boolean },
  show: (numbers: Static<typeof Numbers>, slices: Slices) => Shown | Promise<Shown>,
): Promise<Shown> {
  const businessId = await businessAsked(context, actor, query)
  const work = async () => {
    const slices = new Slices(isGone)
    return show(await countNumbers(context, businessId, { query, slices }), slices)
  }
  return turnsFor(context, 'numbers').run(businessId, work, isGone)
}

async function countNumbers(
  context: Context,
  businessId: string,
  { query, slices }: { query: Static<typeof NumbersQuery>; slices: Slices },
): Promise<Static<typeof Numbers>> {
  const catalogue = await presentCatalogue(context, businessId, slices)
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
  const rows = await findNumbers(context.db.reads, { businessId, locationId, spans }, () => slices.giveWay())
  const { columns, isComplete, sums } = await countColumns(catalogue, { locationId, weeks, rows, slices })
  const whole = zone.spanOf(days)
  return {
    business_id: businessId,
    timezone,
    starts_at: formatInstant(instantFromMs(whole.from), timezone),
    ends_at: formatInstant(instantFromMs(whole.to), timezone),
    weeks: weeks.map((week, at) => ({
      from: dateOf(week.days.first),
      to: dateOf(week.days.last),
      bookings: sums.bookings[at] ?? 0,
      cancellations: sums.cancellations[at] ?? 0,
      no_shows: sums.no_shows[at] ?? 0,
      booked_minutes: sums.booked_minutes[at] ?? 0,
      open_minutes: sums.open_minutes[at] ?? 0,
    })),
    columns: await slices.map(columns, presentColumn),
    complete: isComplete,
  }
}

/** Returns the catalogue at the database's current version. */
async function presentCatalogue(
  context: Context,
  businessId: string,
  slices: Slices,
): Promise<WholeCatalogue> {
  const kept = keptCatalogues(context).get(businessId)
  const version = kept && (await findCatalogueVersion(context.db.reads, businessId))
  if (kept?.version !== version) keptCatalogues(context).delete(businessId)
  return catalogueOf(context, businessId, slices)
}

/** The subject of a count. */
interface Counting {
  locationId: string | undefined
  weeks: readonly Week[]
  rows: readonly NumbersRow[]
  slices: Slices
}

/**
 * Returns current and former columns, each with its numbers per week, and the totals. The totals include
 * unlisted columns.
 */
async function countColumns(
  catalogue: WholeCatalogue,
  { locationId, weeks, rows, slices }: Counting,
): Promise<{ columns: CountedColumn[]; isComplete: boolean; sums: Counts }> {
  const list = columnsIn(catalogue, locationId)
  const seeds = list.some({ from: 0, max: maxColumns })
  const columns = new Map<string, CountedColumn>()
  const sums = zeros(weeks.length)
  for (const [at, week] of weeks.entries()) {
    const hours = new ColumnHours(week)
    await slices.map(seeds, (seed) => {
      const { open, ...column } = hours.column(seed)
      const counted = columns.get(column.id) ?? { ...column, ...zeros(weeks.length) }
      columns.set(column.id, counted)
      counted.open_minutes[at] = minutesIn(open)
    })
    sums.open_minutes[at] = await list.openMinutes(hours, () => slices.giveWay())
  }
  const services = new Map(catalogue.services.map((service) => [service.id, service]))
  let isComplete = list.length <= seeds.length
  await slices.map(rows, (row) => {
    const service = row.service_id === null ? undefined : services.get(row.service_id)
    const { first_bookings: bookings, first_cancellations: cancellations, first_no_shows: no_shows } = row
    const minutes = minutesOfRow(row, services)
    count({ ...row, minutes, bookings, cancellations, no_shows }, sums, service)
    const column = columnFor(row, { catalogue, columns, service, weeks: weeks.length })
    if (column) count({ ...row, minutes }, column, service)
    else isComplete = false
  })
  return { columns: [...columns.values()], isComplete, sums }
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

/**
 * Returns the column of a booking's resource; a new one if it is no longer offered. Undefined if there are
 * too many.
 */
function columnFor(
  row: NumbersRow,
  {
    catalogue: { staff, locations },
    columns,
    service,
    weeks,
  }: {
    catalogue: WholeCatalogue
    columns: Map<string, CountedColumn>
    service: Service | undefined
    weeks: number
  },
): CountedColumn | undefined {
  const ofService =
    service && row.location_id !== null ? roomId(service, { id: row.location_id }) : row.service_id
  const id = row.staff_id ?? ofService ?? ''
  const known = columns.get(id)
  if (known) return known
  if (columns.size >= 2 * maxColumns) return undefined
  const column = {
    id,
    staff: staff.find((one) => one.id === row.staff_id),
    service,
    location: locations.find((one) => one.id === row.location_id),
    ...zeros(weeks),
  }
  columns.set(id, column)
  return column
}

/** Returns the booked minutes of a row without the steps of its service that need no person. */
function minutesOfRow(row: NumbersRow, services: ReadonlyMap<string, Service>): number {
  const { item_service_id, staff_id, minutes, appointments } = row
  const service = item_service_id === null ? undefined : services.get(item_service_id)
  if (!service) return minutes
  const free = stepsOf(service, staff_id).filter(({ staffed }) => !staffed)
  return Math.max(0, minutes - appointments * sumOf(free))
}

function count(row: NumbersRow, counts: Counts, service: Service | undefined): void {
  const add = (to: number[], number: number) => (to[row.span] = (to[row.span] ?? 0) + number)
  add(counts.bookings, row.bookings)
  add(counts.cancellations, row.cancellations)
  add(counts.no_shows, row.no_shows)
  // a service without staff is fully booked if all its seats are taken
  add(counts.booked_minutes, Math.round(row.minutes / (service?.capacity ?? 1)))
}

function presentColumn({ staff, service, location, ...column }: CountedColumn) {
  const named = (one: { id: string; name: string } | undefined) =>
    one ? { id: one.id, name: one.name } : null
  return { ...column, staff: named(staff), service: named(service), location: named(location) }
}

/**
 * Counts today's bookings and finds the next one, for the given businesses, by ID. The caller has already
 * found these businesses.
 */
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
