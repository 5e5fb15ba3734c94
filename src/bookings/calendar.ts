import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Static } from 'typebox'
import { type Actor, isStaff } from '../access/actor.ts'
import { zoneAround } from '../availability/offer-rules.ts'
import { dayOf } from '../availability/hours-rules.ts'
import { locationResource } from '../availability/resource-rules.ts'
import type { Interval } from '../availability/zone-rules.ts'
import { Problem, unavailable, validationProblem } from '../base/errors.ts'
import { formatInstant, nearestInstant, instantFromMs } from '../base/instants.ts'
import { showBusinessInScope } from '../catalogue/business.ts'
import { findWholeCatalogue, type WholeCatalogue } from '../catalogue/offering.ts'
import type { BlocksTable } from '../database/tables.ts'
import { locationKind, showOfCatalogue } from '../catalogue/catalogue.ts'
import { maskedClient } from './booking.ts'
import {
  type CalendarBookingRow,
  type CalendarHoldRow,
  type CalendarMarks,
  type CalendarRange,
  findCalendarBlocks,
  findCalendarBookings,
  findCalendarHolds,
  findMarks,
} from './calendar-queries.ts'
import { type Column, columnsOf } from './calendar-rules.ts'
import type { CalendarQuery } from './calendar-schemas.ts'
import type { Context } from './context.ts'

/** More bookings, holds or blocks than this are not in one answer. */
const maxEntries = 2_000
const maxReadings = 4
const maxCatalogues = 200

/** Whole catalogues, each used only while the database still has its version. */
export type Catalogues = LRUCache<string, WholeCatalogue>

/** A cache for `readCalendar`. */
export function catalogueCache(): Catalogues {
  return new LRUCache({ max: maxCatalogues })
}

interface CalendarContext extends Context {
  catalogues: Catalogues
}

/** Everything that takes time on some days, in one zone. */
export interface Calendar {
  businessId: string
  timezone: string
  range: Interval
  columns: Column[]
  bookings: (CalendarBookingRow & { columnId: string })[]
  holds: CalendarHoldRow[]
  blocks: BlocksTable[]
  complete: boolean
  catalogue: WholeCatalogue
}

/** The calendar and a tag that changes with it; without the calendar where the caller knows the tag. */
interface CalendarReading {
  tag: string
  calendar: Calendar | undefined
}

/**
 * Reads what takes time on some days: one statement when nothing has changed since `knownTag`, four when something has, and
 * four more when the catalogue has. Throws not_found, or validation_failed where a hub names no business.
 */
export async function readCalendar(
  context: CalendarContext,
  actor: Actor,
  query: Static<typeof CalendarQuery>,
  knownTag?: (tag: string) => boolean,
): Promise<CalendarReading> {
  const businessId = await businessAsked(context, actor, query)
  for (let reading = 1; ; reading += 1) {
    const catalogue = await catalogueOf(context, businessId)
    const shown = shownOf(catalogue, query)
    const range = rangeOf(catalogue, shown, context.clock.now())
    const marks = await findMarks(context.db.reads, range)
    if (marks?.version !== catalogue.version || marks.timezone !== catalogue.timezone) {
      context.catalogues.delete(businessId)
      if (reading === maxReadings) throw unavailable('The catalogue is being changed; try again.')
      continue
    }
    const tag = tagOf(marks, actor, query)
    if (knownTag?.(tag)) return { tag, calendar: undefined }
    return { tag, calendar: await calendarOf(context, catalogue, { shown, range, query }) }
  }
}

/** What a calendar shows, with times in its zone; clients of others are masked for staff. */
export function presentCalendar(calendar: Calendar, actor: Actor) {
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
    service: { id: row.service_id, name: row.service_name },
    location: { id: row.location_id, name: row.location_name },
    staff: row.staff_id === null ? null : { id: row.staff_id, name: row.staff_name ?? '' },
  })
  const { starts_at, ends_at } = span(calendar.range)
  return {
    business_id: calendar.businessId,
    timezone: calendar.timezone,
    starts_at,
    ends_at,
    columns: calendar.columns.map(({ id, staff, service, location, open }) => ({
      id,
      staff: named(staff),
      service: named(service),
      location: named(location),
      open: open.map(span),
    })),
    bookings: calendar.bookings.map((row) => ({
      ...taken(row),
      column_id: row.columnId,
      version: row.version,
      status: row.status,
      no_show: row.no_show_at !== null,
      deposit_due: row.payment_status === 'due',
      ...clientOf(row, actor),
    })),
    holds: calendar.holds.map((row) => ({
      ...taken(row),
      column_id: row.resource_id,
      expires_at: time(row.expires_at),
    })),
    blocks: calendar.blocks.map(({ id, staff_id, location_id, reason, busy_calendar_id, ...block }) => ({
      ...{ id, staff_id, location_id, reason },
      ...(busy_calendar_id !== null && { busy_elsewhere: true as const }),
      starts_at: time(block.starts_at),
      ends_at: time(block.ends_at),
    })),
    complete: calendar.complete,
  }
}

function clientOf(row: CalendarBookingRow, actor: Actor) {
  if (isStaff(actor) && actor.staffId !== row.staff_id)
    return { client: maskedClient(row), redacted: true as const }
  const { client_first_name: first_name, client_last_name: last_name } = row
  return { client: { first_name, last_name, email: row.client_email, phone: row.client_phone } }
}

/**
 * The business that a caller asks about, without a statement for callers of one. Throws not_found, or validation_failed
 * where a hub names none.
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

async function catalogueOf({ catalogues, db }: CalendarContext, businessId: string): Promise<WholeCatalogue> {
  const known = catalogues.get(businessId)
  if (known) return known
  const found = await findWholeCatalogue(db.reads, businessId)
  if (!found) throw new Problem('not_found', 'There is no business with this id.')
  catalogues.set(businessId, found)
  return found
}

interface Shown {
  timezone: string
  interval: Interval
  columns: Column[]
}

function shownOf(catalogue: WholeCatalogue, query: Static<typeof CalendarQuery>): Shown {
  const { location_id: locationId, column_id: columnId } = query
  const location = catalogue.locations.find(({ id }) => id === locationId)
  if (locationId !== undefined && !location)
    throw new Problem('not_found', 'There is no location with this location_id.')
  const timezone = location?.timezone ?? catalogue.timezone
  const days = { first: dayOf(query.from), last: dayOf(query.to) }
  const interval = zoneAround(timezone, days).spanOf(days)
  const columns = columnsOf(catalogue, { locationId, days, range: interval })
  return {
    timezone,
    interval,
    columns: columns.filter(({ id }) => columnId === undefined || id === columnId),
  }
}

function rangeOf(
  { businessId }: WholeCatalogue,
  { interval, columns }: Shown,
  now: CalendarRange['now'],
): CalendarRange {
  const resourceIds = columns.map(({ id }) => id)
  return { businessId, from: instantFromMs(interval.from), to: instantFromMs(interval.to), resourceIds, now }
}

function tagOf(marks: CalendarMarks, actor: Actor, query: Static<typeof CalendarQuery>): string {
  const viewer = isStaff(actor) ? actor.staffId : null
  const made = JSON.stringify([marks, viewer, query.from, query.to, query.location_id, query.column_id])
  return createHash('sha256').update(made).digest('base64url').slice(0, 27)
}

async function calendarOf(
  { db }: Context,
  catalogue: WholeCatalogue,
  { shown, range, query }: { shown: Shown; range: CalendarRange; query: Static<typeof CalendarQuery> },
): Promise<Calendar> {
  const found = await findCalendarBookings(db.reads, range, maxEntries + 1)
  const holds = await findCalendarHolds(db.reads, range, maxEntries + 1)
  const blocks = await findCalendarBlocks(db.reads, range, maxEntries + 1)
  const placed = found.slice(0, maxEntries).map((row) => ({ ...row, columnId: resourceOf(catalogue, row) }))
  const columns = [...shown.columns, ...formerColumns(catalogue, placed, { shown, query })]
  const ids = new Set(columns.map(({ id }) => id))
  return {
    businessId: catalogue.businessId,
    timezone: shown.timezone,
    range: shown.interval,
    columns,
    bookings: placed.filter(({ columnId }) => ids.has(columnId)),
    holds: holds.slice(0, maxEntries),
    blocks: blocks.slice(0, maxEntries),
    complete: Math.max(found.length, holds.length, blocks.length) <= maxEntries,
    catalogue,
  }
}

/** What a booking takes: its staff member, else its service at its location. */
function resourceOf({ services }: WholeCatalogue, row: CalendarBookingRow): string {
  if (row.staff_id !== null) return row.staff_id
  const service = services.find(({ id }) => id === row.service_id)
  return service ? locationResource(service, row.location_id).id : row.service_id
}

/** Those that still have bookings although they are not offered any more: closed, but not hidden. */
function formerColumns(
  { services, locations, staff }: WholeCatalogue,
  bookings: Calendar['bookings'],
  { shown, query }: { shown: Shown; query: Static<typeof CalendarQuery> },
): Column[] {
  const columns = new Map<string, Column>()
  for (const { columnId: id, staff_id, service_id, location_id } of bookings) {
    const isElsewhere = query.location_id !== undefined && query.location_id !== location_id
    const isOther = query.column_id !== undefined && query.column_id !== id
    if (isElsewhere || isOther || shown.columns.some((one) => one.id === id)) continue
    columns.set(id, {
      id,
      staff: staff.find((one) => one.id === staff_id),
      service: staff_id === null ? services.find((one) => one.id === service_id) : undefined,
      location: staff_id === null ? locations.find((one) => one.id === location_id) : undefined,
      open: [],
    })
  }
  return [...columns.values()]
}
