import type { Static } from 'typebox'
import type { Actor } from '../access/actor.ts'
import { dayOf } from '../availability/hours-rules.ts'
import { zoneAround } from '../availability/offer-rules.ts'
import { Problem } from '../base/errors.ts'
import { formatInstant, type Instant, instantFromMs, toMs } from '../base/instants.ts'
import { Slices } from '../base/slices.ts'
import { keptCatalogues, type WholeCatalogue } from '../catalogue/offering.ts'
import { businessAsked, catalogueOf } from './calendar.ts'
import type { Context } from './context.ts'
import { turnsFor } from './costly.ts'
import { findFeeItems, findMovedItems, movementName } from './movement-queries.ts'
import { withShares } from './movement-rules.ts'
import { NumbersCount } from './numbers-count.ts'
import {
  type DayRow,
  findCatalogueVersion,
  findDays,
  findEarlierClients,
  findNumbers,
} from './numbers-queries.ts'
import type { Numbers, NumbersQuery } from './numbers-schemas.ts'

interface NumbersRequest {
  query: Static<typeof NumbersQuery>
  isGone?: () => boolean
  /** The first day of weeks, from 1 for Monday to 7. */
  firstWeekday?: number
}

/**
 * Counts the bookings of some days by week and resource, together with the open time, and presents the
 * numbers. Counts one request per business at a time. Throws not_found, unavailable if too many are waiting,
 * MemberGone, or validation_failed if a hub names no business.
 */
export async function readNumbers<Shown>(
  context: Context,
  actor: Actor,
  { query, isGone, firstWeekday = 1 }: NumbersRequest,
  show: (numbers: Static<typeof Numbers>, slices: Slices) => Shown | Promise<Shown>,
): Promise<Shown> {
  const businessId = await businessAsked(context, actor, query)
  const work = async () => {
    const slices = new Slices(isGone)
    return show(await countNumbers(context, businessId, { query, slices, firstWeekday }), slices)
  }
  return turnsFor(context, 'numbers').run(businessId, work, isGone)
}

async function countNumbers(
  context: Context,
  businessId: string,
  {
    query,
    slices,
    firstWeekday,
  }: Pick<Required<NumbersRequest>, 'query' | 'firstWeekday'> & { slices: Slices },
): Promise<Static<typeof Numbers>> {
  const catalogue = await presentCatalogue(context, businessId, slices)
  const { location_id: locationId, staff_id: staffId } = query
  const location = catalogue.locations.find(({ id }) => id === locationId)
  if (locationId !== undefined && !location)
    throw new Problem('not_found', 'There is no location with this location_id.')
  if (staffId !== undefined && !catalogue.staff.some(({ id }) => id === staffId))
    throw new Problem('not_found', 'There is no staff member with this staff_id.')
  const timezone = location?.timezone ?? catalogue.timezone
  const days = { first: dayOf(query.from), last: dayOf(query.to) }
  const zone = zoneAround(timezone, days)
  const whole = zone.spanOf(days)
  const count = new NumbersCount({ catalogue, locationId, staffId, timezone, days, firstWeekday })
  const db = context.db.reads
  const startsAt = instantFromMs(whole.from)
  for (const span of count.spans) {
    await count.addOpenTime(span, slices)
    const { from, to } = span.range
    const dates = { starts_at: instantFromMs(from), ends_at: instantFromMs(to) }
    const items = await findNumbers(db, { businessId, locationId, staffId }, dates)
    const emails = count.unknownClients(items)
    const earlier =
      emails.length === 0
        ? new Set<string>()
        : await findEarlierClients(db, { businessId, before: startsAt }, emails)
    await slices.rest()
    count.meet(emails, earlier)
    await slices.map(items, (item) => count.add(span, item))
    const bookingIds = [...new Set(items.flatMap((item) => (item.may_recover ? item.booking_id : [])))]
    const fees = bookingIds.length === 0 ? [] : await findFeeItems(db, { businessId, bookingIds })
    for (const fee of withShares(fees, movementName)) count.addFee(span, fee)
  }
  for (const spans of Map.groupBy(count.spans, ({ month }) => month).values()) {
    const [from, to] = [spans[0]?.range.from ?? 0, spans.at(-1)?.range.to ?? 0]
    const dates = { starts_at: instantFromMs(from), ends_at: instantFromMs(to) }
    const moved = await findMovedItems(db, { businessId, locationId }, dates)
    await slices.map(withShares(moved, movementName), (item) => {
      const span = spans.find(({ range }) => toMs(item.at) < range.to)
      if (span) count.addMoved(span, item)
    })
  }
  return {
    business_id: businessId,
    timezone,
    starts_at: formatInstant(startsAt, timezone),
    ends_at: formatInstant(instantFromMs(whole.to), timezone),
    ...(await count.present(slices)),
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
