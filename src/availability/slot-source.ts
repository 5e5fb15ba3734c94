import type { Context } from '../access/context.ts'
import type { Location } from '../catalogue/location-and-staff-schemas.ts'
import { isPlainService } from '../catalogue/service-rules.ts'
import type { Service } from '../catalogue/service-schemas.ts'
import { type BusySnapshot, daysPerRead, freeSlotsOf, readBusy, type Viewer } from './busy.ts'
import { lastDayOffered } from './offer-rules.ts'
import type { Slot } from './slot-rules.ts'
import type { VersionedOffering } from './versioned-offering.ts'
import { readVisits, visitDaysPerRead } from './visit-busy.ts'
import type { VisitOffer, VisitReason } from './visit-rules.ts'
import type { Days, ZoneOffsets } from './zone-rules.ts'

/** The slots of some days. */
export interface SlotsOfDays {
  zone: ZoneOffsets
  /** Yields the slots of a local day, in order. Undefined between two of them is a chance to give way. */
  onDay(day: number): Iterable<Slot | undefined>
  /**
   * Returns the reason why a start cannot be held, and the number of the item of a visit; null if it can.
   * `isAgreed` ignores the grid and the notice of a visit.
   */
  reasonAgainst(startsAtMs: number, isAgreed?: boolean): { reason: VisitReason; item?: number } | null
}

/** The result of one statement. The slots are computed when they are asked for. */
interface SlotReading {
  /** For the cache of days. Absent for visits, which are not cached. */
  seen?: BusySnapshot
  slots: () => SlotsOfDays
}

/** Slots of one service, or of a visit. */
export interface SlotSource {
  location: Location
  /** The last local day on which a slot may start. */
  lastDay: number
  daysPerRead: number
  /** The most pairs of slot and staff member that a day could have, judging by the grid. */
  pairsPerDay: number
  /** Reads some local days. Throws StaleOffering, or validation_failed for too large a party. */
  read(days: Days): Promise<SlotReading>
}

/** Returns the slots of one service. Those of a plain one need no search. */
export function serviceSource(context: Context, offer: VersionedOffering, viewer: Viewer): SlotSource {
  const { service, location, staff, resources = [], version } = offer
  if (!isPlainService(service)) {
    const { partySize = 1 } = viewer
    const item = { service, staff, chosenStaffId: null, partySize, startsWith: false }
    const visit = { items: [item], location, resources, maxGapMinutes: 0, version }
    return visitSource(context, visit, { viewer, showsItems: false })
  }
  return {
    location,
    lastDay: lastDayOffered(offer, viewer.nowMs),
    daysPerRead: daysPerRead(offer),
    pairsPerDay: startsPerDay(service) * Math.max(1, staff.length),
    read: async (days) => {
      const seen = await readBusy(context, offer, { days, viewer })
      return { seen, slots: () => plainSlots(seen) }
    },
  }
}

function plainSlots(seen: BusySnapshot): SlotsOfDays {
  const free = freeSlotsOf(seen)
  return {
    zone: free.zone,
    onDay: (day) => free.onDay(day),
    reasonAgainst: (startsAtMs) => {
      const reason = free.reasonAgainst(startsAtMs)
      return reason && { reason }
    },
  }
}

/** Returns the slots of a visit. They name its items with `showsItems`. */
export function visitSource(
  context: Context,
  offer: VisitOffer,
  { viewer, showsItems }: { viewer: Viewer; showsItems: boolean },
): SlotSource {
  const { items, location } = offer
  const [first] = items
  const lastDays = items.map(({ service }) => lastDayOffered({ service, location }, viewer.nowMs))
  const pairs = items.reduce((sum, { staff }) => sum + Math.max(1, staff.length), 0)
  return {
    location,
    lastDay: Math.min(...lastDays),
    daysPerRead: visitDaysPerRead(offer),
    pairsPerDay: (first ? startsPerDay(first.service) : 0) * pairs,
    read: async (days) => {
      const slots = await readVisits(context, offer, { days, viewer, showsItems })
      return { slots: () => slots }
    },
  }
}

function startsPerDay({ timetable, slot_interval_minutes }: Service): number {
  if (timetable) return Math.max(0, ...timetable.map(({ starts }) => starts.length))
  return (24 * 60) / slot_interval_minutes
}
