import { isSession } from '../access/actor.ts'
import type { Context } from '../access/context.ts'
import { instantFromMs } from '../base/instants.ts'
import { findTakenForVisits, type OwnItem, readTakenForVisits } from './availability-queries.ts'
import { maxSeatDays, readAtVersion, type Viewer } from './busy.ts'
import type { OwnSlot, Slot } from './slot-rules.ts'
import {
  assertParties,
  isRefusal,
  longestSpan,
  type PlannedVisit,
  resourceIdsOf,
  type VisitOffer,
  type VisitReason,
  VisitRules,
  zoneAroundVisit,
} from './visit-rules.ts'
import type { Days, ZoneOffsets } from './zone-rules.ts'

/** Returns how many days one statement reads, as `daysPerRead` does for a plain service. */
export function visitDaysPerRead({ items, resources }: VisitOffer): number {
  const seats = new Map<string, number>()
  for (const { service, staff } of items) {
    const ids = service.staff_ids.length === 0 ? [service.id] : staff.map(({ id }) => id)
    for (const id of ids) seats.set(id, Math.max(service.capacity, seats.get(id) ?? 0))
  }
  for (const { id, quantity } of resources) seats.set(id, quantity)
  const all = seats.values().reduce((sum, count) => sum + count, 0)
  return Math.max(1, Math.floor(maxSeatDays / Math.max(1, all)))
}

/**
 * Reads everything that obstructs a visit on some local days, in one statement. Throws StaleOffering if the catalogue is
 * newer, or validation_failed for a party larger than its service takes.
 */
export async function readVisits(
  context: Context,
  offer: VisitOffer,
  { days, viewer, showsItems }: { days: Days; viewer: Viewer; showsItems: boolean },
): Promise<VisitSlots> {
  const { items, location, resources } = offer
  const { actor, nowMs, exceptBookingId, recently = false } = viewer
  const zone = zoneAroundVisit(offer, days)
  const now = instantFromMs(nowMs)
  const span = zone.spanOf(days)
  const request = {
    now,
    businessId: location.business_id,
    serviceId: items[0]?.service.id ?? '',
    locationId: location.id,
    staffIds: [...new Set(items.flatMap(({ staff }) => staff.map(({ id }) => id)))],
    resourceIds: resourceIdsOf(offer),
    roomIds: resources.map(({ id }) => id),
    seats: Math.max(...items.map(({ service }) => service.capacity), ...resources.map((one) => one.quantity)),
    span: longestSpan(offer, span),
    days: span,
    isSeveral: items.length > 1,
    ownerId: isSession(actor) ? actor.ownerId : undefined,
    exceptBookingId,
  }
  const { version } = offer
  const rows = await readAtVersion(context, (reads) => findTakenForVisits(reads, request), {
    ...{ actor, now, recently, version },
  })
  assertParties(offer, () => (showsItems ? '/items' : '/party_size'))
  const { claims, blocks, roomBlocks, bookings, ownSlots, ownVisits } = readTakenForVisits(rows)
  const rules = new VisitRules(offer, days, {
    ...{ zone, nowMs, claims },
    blocks: [...blocks, ...roomBlocks],
    bookingsOfDay: countByDay(bookings, zone),
    onExhausted: () => {
      context.metrics.visitSearchGaveUp()
    },
  })
  return new VisitSlots(rules, { zone, ownSlots, ownVisits, showsItems })
}

/** Returns a function for the number of bookings of each staff member on a local day. */
function countByDay(
  bookings: ReadonlyMap<string, number[]>,
  zone: ZoneOffsets,
): (day: number) => ReadonlyMap<string, number> {
  const days = new Map<number, Map<string, number>>()
  for (const [staffId, starts] of bookings) {
    for (const startsAtMs of starts) {
      const day = zone.dayAt(startsAtMs)
      const ofDay = days.get(day) ?? new Map<string, number>()
      ofDay.set(staffId, (ofDay.get(staffId) ?? 0) + 1)
      days.set(day, ofDay)
    }
  }
  const none = new Map<string, number>()
  return (day) => days.get(day) ?? none
}

/** The free slots of a visit. */
class VisitSlots {
  readonly zone: ZoneOffsets
  private readonly rules: VisitRules
  private readonly ownSlots: OwnSlot[]
  private readonly ownVisits: OwnItem[][]
  private readonly showsItems: boolean

  constructor(
    rules: VisitRules,
    {
      zone,
      ownSlots,
      ownVisits,
      showsItems,
    }: { zone: ZoneOffsets; ownSlots: OwnSlot[]; ownVisits: OwnItem[][]; showsItems: boolean },
  ) {
    this.rules = rules
    this.zone = zone
    this.ownSlots = ownSlots
    this.ownVisits = ownVisits
    this.showsItems = showsItems
  }

  /** Yields the slots that start on a local day, in order. Yields undefined after each search, for a pause. */
  *onDay(day: number): Generator<Slot | undefined> {
    for (const startsAtMs of this.rules.gridTimes(this.zone.spanOf({ first: day, last: day }))) {
      if (this.zone.dayAt(startsAtMs) !== day) continue
      const plan = this.rules.planOnGrid(startsAtMs)
      if (plan) yield this.slotOf(plan)
      yield undefined
    }
  }

  /** Returns why a visit cannot start at an instant, and the number of the item that cannot be served; null if it can. */
  reasonAgainst(startsAtMs: number, isAgreed = false): { reason: VisitReason; item: number } | null {
    const found = isAgreed ? this.rules.atAgreed(startsAtMs) : this.rules.at(startsAtMs)
    return isRefusal(found) ? found : null
  }

  private slotOf({ from, to, items, seatsLeft }: Omit<PlannedVisit, 'claims'>): Slot {
    const staffIds = items[0]?.staffIds ?? []
    const isOwn = (own: OwnItem[]) =>
      own.length === items.length &&
      own.every(({ serviceId, startsAtMs }, index) => {
        return serviceId === items[index]?.service.id && startsAtMs === items[index].from
      })
    const heldByYou =
      this.ownVisits.some(isOwn) ||
      this.ownSlots.some(
        (own) => own.startsAtMs === from && (own.staffId === null || staffIds.includes(own.staffId)),
      )
    const slot = { from, to, staffIds, seatsLeft, heldByYou }
    if (!this.showsItems) return slot
    return { ...slot, items: items.map((item) => ({ ...item, serviceId: item.service.id })) }
  }
}
