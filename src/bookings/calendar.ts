import { createHash } from 'node:crypto'
import type { Static } from 'typebox'
import { type Actor, isStaff } from '../access/actor.ts'
import { shownEmail } from '../base/contact-formats.ts'
import { zoneAround } from '../availability/offer-rules.ts'
import { dayOf } from '../availability/hours-rules.ts'
import { dayMs, type Interval } from '../availability/zone-rules.ts'
import { Problem, unavailable, validationProblem } from '../base/errors.ts'
import { formatInstant, nearestInstant, instantFromMs, toMs } from '../base/instants.ts'
import { Slices } from '../base/slices.ts'
import { cursorOf, countPart } from '../base/paging.ts'
import { showBusinessInScope } from '../catalogue/business.ts'
import { mayKnowReason } from '../catalogue/block.ts'
import type { Service } from '../catalogue/service-schemas.ts'
import { findWholeCatalogue, keptCatalogues, type WholeCatalogue } from '../catalogue/offering.ts'
import type { Reads } from '../database/database.ts'
import { serviceAndLocation, staffShown } from '../database/shown-booking.ts'
import { itemsOf, isGivenBy } from '../database/shown-item-rules.ts'
import type { BlocksTable } from '../database/tables.ts'
import { showOfCatalogue } from '../catalogue/catalogue.ts'
import { locationKind } from '../catalogue/catalogue-kinds.ts'
import { maskedClient } from './presented-booking.ts'
import {
  type CalendarBookingRow,
  type CalendarHoldRow,
  type CalendarMarks,
  type CalendarRange,
  findCalendarBlocks,
  findCalendarBookings,
  findCalendarHolds,
  findMarks,
  type TakenTime,
} from './calendar-queries.ts'
import { type Column, ColumnHours, columnsIn, merged, roomId, without } from './calendar-rules.ts'
import type { CalendarQuery } from './calendar-schemas.ts'
import type { Context } from './context.ts'
import { turnsFor } from './costly.ts'

/** Maximum number of bookings, holds or blocks in one answer. */
const maxEntries = 2_000
/** Bookings per statement. Other requests proceed between two statements. */
const bookingsAtOnce = 250
const maxReadings = 4
/** Maximum number of columns on a page. */
const maxColumns = 300

/** Everything that takes up time on some days, in one zone. */
export interface Calendar {
  businessId: string
  timezone: string
  range: Interval
  columns: Column[]
  /** Opening hours of the locations, without those that are always open. */
  placesOpen: Interval[]
  /** Cursor of the next columns; null if there are none. */
  nextCursor: string | null
  bookings: CalendarEntry[]
  holds: CalendarHoldRow[]
  blocks: BlocksTable[]
  complete: boolean
  catalogue: WholeCatalogue
}

/** A booking in a column, or one service of a visit. */
interface CalendarEntry extends CalendarBookingRow {
  columnId: string
  item: EntryItem
  /** True in the column of a room or equipment. */
  isEquipment: boolean
}

interface EntryItem {
  id: string
  /** Number from 0. */
  number: number
  /** Number of services of the booking. */
  count: number
  /** Parts of its time that do not take the column. */
  free: Interval[]
}

/** Options for reading a calendar. */
interface CalendarRequest {
  query: Static<typeof CalendarQuery>
  /** Returns true if the caller has the calendar with this tag. */
  knows?: (tag: string) => boolean
  isGone?: () => boolean
  /** Number of columns per page; the maximum by default. */
  columnsAtOnce?: number
}

/** The tag changes with the calendar. `shown` is undefined if the caller knows the tag. */
interface CalendarReading<Shown> {
  tag: string
  shown: Shown | undefined
}

/**
 * Reads everything that takes up time on some days, and presents it. Needs one statement if the caller knows
 * the tag and nothing has changed. Otherwise needs four for a small calendar, and more after a change of the
 * catalogue. Reads calendars of one business one at a time. Throws not_found, unavailable if too many are
 * waiting, MemberGone, or validation_failed if a hub names no business.
 */
export async function readCalendar<Shown>(
  context: Context,
  actor: Actor,
  request: CalendarRequest,
  show: (calendar: Calendar, read: { tag: string; slices: Slices }) => Promise<Shown>,
): Promise<CalendarReading<Shown>> {
  const { query, knows = () => false, isGone } = request
  const businessId = await businessAsked(context, actor, query)
  const catalogues = keptCatalogues(context)
  const read = async (catalogue: WholeCatalogue, slices = new Slices(isGone)) => {
    const choice = await choose(catalogue, request, slices)
    const range = rangeOf(catalogue, choice, context.clock.now())
    const marks = await findMarks(context.db.reads, range, maxEntries + 1)
    const isFresh = marks?.version === catalogue.version && marks.timezone === catalogue.timezone
    if (!isFresh) catalogues.delete(businessId)
    return isFresh ? { catalogue, choice, range, tag: tagOf(marks, actor, query) } : undefined
  }
  const kept = catalogues.get(businessId)
  const before = kept && (await read(kept))
  if (before && knows(before.tag)) return { tag: before.tag, shown: undefined }
  const work = async (): Promise<CalendarReading<Shown>> => {
    const slices = new Slices(isGone)
    for (let reading = 1, found = before; ; reading += 1) {
      found ??= await read(await catalogueOf(context, businessId, slices), slices)
      if (found) {
        const { tag } = found
        if (knows(tag)) return { tag, shown: undefined }
        const calendar = await calendarOf(context, { ...found, query, slices })
        return { tag, shown: await show(calendar, { tag, slices }) }
      }
      if (reading === maxReadings) throw unavailable('The catalogue is being changed; try again.')
    }
  }
  return turnsFor(context, 'calendar').run(businessId, work, isGone)
}

/**
 * Presents a calendar with times in its zone. Staff see neither the clients of colleagues nor the reasons of
 * their absence.
 */
export async function presentCalendar(calendar: Calendar, actor: Actor, slices: Slices) {
  const time = (instant: CalendarHoldRow['starts_at']) => formatInstant(instant, calendar.timezone)
  const span = ({ from, to }: Interval) => ({
    starts_at: time(nearestInstant(from)),
    ends_at: time(nearestInstant(to)),
  })
  const named = (one: { id: string; name: string } | undefined) =>
    one ? { id: one.id, name: one.name } : null
  const taken = (row: CalendarBookingRow | CalendarHoldRow) => ({
    id: row.id,
    starts_at: time(row.starts_at),
    ends_at: time(row.ends_at),
    taken_from: time(row.taken_from ?? row.starts_at),
    taken_until: time(row.taken_until ?? row.ends_at),
    party_size: row.party_size,
    ...serviceAndLocation(row),
    staff: staffShown(row),
  })
  const { starts_at, ends_at } = span(calendar.range)
  return {
    business_id: calendar.businessId,
    timezone: calendar.timezone,
    starts_at,
    ends_at,
    columns: await slices.map(calendar.columns, ({ id, staff, service, resource, location, open }) => ({
      id,
      staff: named(staff),
      service: named(service),
      resource: named(resource),
      location: named(location),
      open: open.map(span),
    })),
    next_cursor: calendar.nextCursor,
    bookings: await slices.map(calendar.bookings, (row) => ({
      ...taken(row),
      column_id: row.columnId,
      item: {
        id: row.item.id,
        number: row.item.number,
        count: row.item.count,
        free: row.item.free.map(span),
      },
      version: row.version,
      status: row.status,
      ...(row.respond_by !== null && { respond_by: time(row.respond_by) }),
      ...(row.series_id !== null && { series_id: row.series_id }),
      no_show: row.no_show_at !== null,
      ...{ deposit_due: row.payment_status === 'due', payment_kind: row.payment_kind },
      ...clientOf(row, actor),
    })),
    holds: await slices.map(calendar.holds, (row) => ({
      ...taken(ofVisit(row)),
      column_id: row.resource_id,
      expires_at: time(row.expires_at),
    })),
    blocks: await slices.map(
      calendar.blocks,
      ({ id, staff_id, location_id, resource_id, busy_calendar_id, ...block }) => ({
        ...{ id, staff_id, location_id, resource_id, reason: null },
        ...(mayKnowReason({ staff_id }, actor) && {
          reason: block.reason,
          ...(busy_calendar_id !== null && { busy_elsewhere: true as const }),
        }),
        starts_at: time(block.starts_at),
        ends_at: time(block.ends_at),
      }),
    ),
    complete: calendar.complete,
  }
}

/** Returns a hold of several things as the part that it takes of one. */
function ofVisit(row: CalendarHoldRow): CalendarHoldRow {
  if (row.visit_id === null && row.claim_count === 1) return row
  const times = { starts_at: row.taken_from, ends_at: row.taken_until }
  return { ...row, ...times, id: row.visit_id ?? row.id }
}

function clientOf(row: CalendarEntry, actor: Actor) {
  if (isStaff(actor) && !isGivenBy(row, actor.staffId))
    return { client: maskedClient(row), redacted: true as const }
  const { client_first_name: first_name, client_last_name: last_name } = row
  return { client: { first_name, last_name, email: shownEmail(row.client_email), phone: row.client_phone } }
}

/**
 * Returns the business in a request, without a statement for callers with only one. Throws not_found, or
 * validation_failed if a hub names none.
 */
export async function businessAsked(
  context: Context,
  actor: Actor,
  { business_id, location_id }: { business_id?: string; location_id?: string },
): Promise<string> {
  const own = 'businessId' in actor.scope ? actor.scope.businessId : undefined
  if (own !== undefined && (business_id === undefined || business_id === own)) return own
  if (business_id !== undefined) return (await showBusinessInScope(context, actor, business_id)).id
  if (location_id !== undefined)
    return (await showOfCatalogue(context, actor, { kind: locationKind, id: location_id })).business_id
  const detail = 'is required: this key reaches several businesses'
  throw validationProblem([{ pointer: '/business_id', code: 'required', detail }])
}

/** Returns the cached catalogue of a business, or the current one. Throws not_found and MemberGone. */
export async function catalogueOf(
  context: Context,
  businessId: string,
  slices: Slices,
): Promise<WholeCatalogue> {
  const catalogues = keptCatalogues(context)
  const known = catalogues.get(businessId)
  if (known) return known
  const found = await findWholeCatalogue(context.db.reads, businessId, slices)
  if (!found) throw new Problem('not_found', 'There is no business with this id.')
  catalogues.set(businessId, found)
  return found
}

/** The columns and days to show. */
interface Choice {
  timezone: string
  interval: Interval
  list: ReturnType<typeof columnsIn>
  hours: ColumnHours
  seeds: ReturnType<ReturnType<typeof columnsIn>['some']>
  isFirst: boolean
  nextCursor: string | null
}

async function choose(
  catalogue: WholeCatalogue,
  { query, columnsAtOnce = maxColumns }: CalendarRequest,
  slices: Slices,
): Promise<Choice> {
  const { location_id: locationId, column_id: columnId } = query
  const location = catalogue.locations.find(({ id }) => id === locationId)
  if (locationId !== undefined && !location)
    throw new Problem('not_found', 'There is no location with this location_id.')
  const timezone = location?.timezone ?? catalogue.timezone
  const days = { first: dayOf(query.from), last: dayOf(query.to) }
  const interval = zoneAround(timezone, days).spanOf(days)
  const list = columnsIn(catalogue, locationId)
  const common = { timezone, interval, list, hours: new ColumnHours({ days, range: interval }) }
  if (columnId !== undefined) {
    const only = await list.find(columnId, () => slices.giveWay())
    return { ...common, seeds: only ? [only] : [], isFirst: true, nextCursor: null }
  }
  const from = query.cursor === undefined ? 0 : columnCursor.read(query.cursor)[0]
  const next = from + columnsAtOnce
  const isAsked = query.resources === 'true' && from === 0
  const equipment = isAsked ? list.ofEquipment({ max: maxColumns }) : []
  return {
    ...common,
    seeds: [...list.some({ from, max: columnsAtOnce }), ...equipment],
    isFirst: from === 0,
    nextCursor: next < list.length ? columnCursor.write([next]) : null,
  }
}

const columnCursor = cursorOf('column', countPart)

function rangeOf(
  { businessId }: WholeCatalogue,
  { interval, seeds }: Choice,
  now: CalendarRange['now'],
): CalendarRange {
  const resourceIds = seeds.map(({ id }) => id)
  return { businessId, from: instantFromMs(interval.from), to: instantFromMs(interval.to), resourceIds, now }
}

function tagOf(marks: CalendarMarks, actor: Actor, query: Static<typeof CalendarQuery>): string {
  const viewer = isStaff(actor) ? actor.staffId : null
  const { from, to, location_id, column_id, resources, cursor } = query
  const made = JSON.stringify([marks, viewer, from, to, location_id, column_id, resources, cursor])
  return createHash('sha256').update(made).digest('base64url').slice(0, 27)
}

async function placesOpenIn({ catalogue, choice, query, slices }: FoundCalendar): Promise<Interval[]> {
  const { location_id: only } = query
  const places = catalogue.locations.filter(({ id, active }) => active && (only === undefined || id === only))
  const open = await slices.map(places, (place) => choice.hours.ofPlace(place))
  return merged(open.flat().filter(({ from, to }) => to - from < dayMs))
}

interface FoundCalendar {
  catalogue: WholeCatalogue
  choice: Choice
  range: CalendarRange
  query: Static<typeof CalendarQuery>
  slices: Slices
}

async function calendarOf({ db }: Context, found: FoundCalendar): Promise<Calendar> {
  const { catalogue, choice, range, slices } = found
  const { rows, isComplete } = await bookingsIn(db.reads, range, slices)
  const holds = await findCalendarHolds(db.reads, range, maxEntries + 1)
  await slices.giveWay()
  const blocks = await findCalendarBlocks(db.reads, range, maxEntries + 1)
  const services = new Map(catalogue.services.map((service) => [service.id, service]))
  const placed = (await slices.map(rows, (row) => entriesOf(services, row))).flat()
  const columns = await slices.map(choice.seeds, (seed) => choice.hours.column(seed))
  if (choice.isFirst) columns.push(...formerColumns(placed, found))
  const ids = new Set(columns.map(({ id }) => id))
  return {
    businessId: catalogue.businessId,
    timezone: choice.timezone,
    range: choice.interval,
    columns,
    placesOpen: await placesOpenIn(found),
    nextCursor: choice.nextCursor,
    bookings: placed.filter(({ columnId }) => ids.has(columnId)),
    holds: holds.slice(0, maxEntries),
    blocks: blocks.slice(0, maxEntries),
    complete: isComplete && Math.max(holds.length, blocks.length) <= maxEntries,
    catalogue,
  }
}

async function bookingsIn(
  db: Reads,
  range: CalendarRange,
  slices: Slices,
): Promise<{ rows: CalendarBookingRow[]; isComplete: boolean }> {
  const rows: CalendarBookingRow[] = []
  while (rows.length <= maxEntries) {
    const some = await findCalendarBookings(db, range, { after: rows.at(-1), max: bookingsAtOnce })
    rows.push(...some)
    if (some.length < bookingsAtOnce) return { rows, isComplete: rows.length <= maxEntries }
    await slices.giveWay()
  }
  return { rows: rows.slice(0, maxEntries), isComplete: false }
}

/** Returns what a booking takes: one entry, or for each service of a visit one for its person and each of its rooms. */
function entriesOf(services: ReadonlyMap<string, Service>, row: CalendarBookingRow): CalendarEntry[] {
  if (row.items_json === null) {
    const item = { id: row.id, number: 0, count: 1, free: [] }
    return [{ ...row, columnId: resourceOf(services, row), item, isEquipment: false }]
  }
  const claims = JSON.parse(row.claims_json ?? '[]') as TakenTime[] // written by the statement
  const items = itemsOf(row)
  const entries = items.flatMap((item, number) => {
    const { id, service, staff, starts_at, ends_at, party_size, resources } = item
    const own = {
      ...{ ...row, starts_at, ends_at, party_size, service_id: service.id, service_name: service.name },
      ...{ staff_id: staff?.id ?? null, staff_name: staff?.name ?? null },
    }
    const shown = { id, number, count: items.length, free: [] }
    return [
      { ...own, columnId: resourceOf(services, own), item: shown, isEquipment: false },
      ...resources.map((one) => ({ ...own, columnId: one.id, item: shown, isEquipment: true })),
    ]
  })
  return entries.map((entry) => withTaken(entry, entries, claims))
}

/** Adds the time that an entry takes of its column, and the parts of it that it does not take. */
function withTaken(
  entry: CalendarEntry,
  entries: readonly CalendarEntry[],
  claims: readonly TakenTime[],
): CalendarEntry {
  const span = { from: toMs(entry.starts_at), to: toMs(entry.ends_at) }
  const taken = claims
    .filter(({ resource_id }) => resource_id === entry.columnId)
    .map(({ from_ms: from, to_ms: to }) => ({ from, to }))
    .filter(({ from, to }) => from < span.to && to > span.from)
  // there are no buffers between services of one person
  const others = entries.filter(({ columnId, item }) => columnId === entry.columnId && item !== entry.item)
  const isFirst = others.every(({ starts_at }) => starts_at >= entry.starts_at)
  const isLast = others.every(({ ends_at }) => ends_at <= entry.ends_at)
  const from = Math.min(span.from, ...(isFirst ? taken.map((one) => one.from) : []))
  const to = Math.max(span.to, ...(isLast ? taken.map((one) => one.to) : []))
  return {
    ...entry,
    ...{ taken_from: nearestInstant(from), taken_until: nearestInstant(to) },
    item: { ...entry.item, free: taken.length === 0 ? [] : without([span], taken) },
  }
}

/** Returns the resource of a booking: its staff member, or its service at its location. */
function resourceOf(
  services: ReadonlyMap<string, Service>,
  row: Pick<CalendarBookingRow, 'staff_id' | 'service_id' | 'location_id'>,
): string {
  if (row.staff_id !== null) return row.staff_id
  const service = services.get(row.service_id)
  return service ? roomId(service, { id: row.location_id }) : row.service_id
}

/**
 * Returns columns that still have bookings although they are no longer offered. They are closed but not
 * hidden.
 */
function formerColumns(
  bookings: Calendar['bookings'],
  { catalogue: { services, locations, staff }, choice, query }: FoundCalendar,
): Column[] {
  const columns = new Map<string, Column>()
  for (const { columnId: id, staff_id, service_id, location_id, isEquipment } of bookings) {
    const isElsewhere = query.location_id !== undefined && query.location_id !== location_id
    const isOther = query.column_id !== undefined && query.column_id !== id
    const isKnown = columns.has(id) || choice.list.has({ staff_id, service_id, location_id })
    if (isElsewhere || isOther || isKnown || isEquipment) continue
    columns.set(id, {
      id,
      staff: staff.find((one) => one.id === staff_id),
      service: staff_id === null ? services.find((one) => one.id === service_id) : undefined,
      resource: undefined,
      location: staff_id === null ? locations.find((one) => one.id === location_id) : undefined,
      open: [],
    })
  }
  return [...columns.values()]
}
