import type { Availability, FirstTimes, ProblemDocument, Slot as WireSlot } from '../api/api-types.ts'
import { firstDayOf, lastDayOf, monthOf, plusDays } from '../times/civil-dates.ts'
import { dateIn } from '../times/zones.ts'

/** A slot with its instants in milliseconds. */
export interface Slot {
  startsAt: string
  startsAtMs: number
  endsAtMs: number
  staffIds: string[]
  seatsLeft: number
  heldByYou: boolean
  /** The services of a visit. */
  items?: SlotItem[]
}

/** A service of a slot; its person once it is held. */
export interface SlotItem {
  serviceId: string
  staffId: string | null
  startsAtMs: number
  endsAtMs: number
}

export function slotOf(slot: WireSlot): Slot {
  return {
    startsAt: slot.starts_at,
    startsAtMs: Date.parse(slot.starts_at),
    endsAtMs: Date.parse(slot.ends_at),
    staffIds: slot.staff_ids,
    seatsLeft: slot.seats_left,
    heldByYou: slot.held_by_you === true,
    ...(slot.items && { items: slot.items.map(slotItemOf) }),
  }
}

export function slotItemOf(item: {
  service_id: string
  staff_id?: string | null
  starts_at: string
  ends_at: string
}): SlotItem {
  return {
    serviceId: item.service_id,
    staffId: item.staff_id ?? null,
    startsAtMs: Date.parse(item.starts_at),
    endsAtMs: Date.parse(item.ends_at),
  }
}

/** Returns the slots that a refusal offers instead, earliest first. */
export function alternativesIn({ alternatives = [] }: ProblemDocument): Slot[] {
  return alternatives.map(slotOf).sort((one, other) => one.startsAtMs - other.startsAtMs)
}

/** The slots of the first free day, and the free dates of its month. */
export interface FirstSlots {
  slots: Slot[]
  /** The next free slots, on several days. */
  next: Slot[]
  /** Dates at the location. Reading the month corrects them for other zones. */
  dates: string[]
}

export function firstSlotsOf({ slots, next, dates }: FirstTimes): FirstSlots {
  return { slots: slots.map(slotOf), next: next.map(slotOf), dates }
}

/** Returns the known slots of a month; undefined if none are known. */
export function knownSlots(
  { slots, first }: { slots: Record<string, Slot[]>; first?: FirstSlots | undefined },
  month: string,
): Slot[] | undefined {
  return slots[month] ?? (first?.dates.some((date) => monthOf(date) === month) ? first.slots : undefined)
}

export function slotsOf(availability: Availability): Slot[] {
  return availability.days.flatMap(({ slots }) => slots.map(slotOf))
}

/** Groups slots by local date in the zone, in order. */
export function slotsByDate(slots: Slot[], zone: string): Map<string, Slot[]> {
  return Map.groupBy(slots, ({ startsAtMs }) => dateIn(zone, startsAtMs))
}

/**
 * Returns the dates to request, in the zone of the location, for a month in any zone: one more day at both
 * ends.
 */
export function rangeFor(month: string, today: string): { from: string; to: string } {
  const first = plusDays(firstDayOf(month), -1)
  const last = lastDayOf(month)
  const from = first < plusDays(today, -1) ? plusDays(today, -1) : first
  return { from, to: plusDays(last, 1) }
}
