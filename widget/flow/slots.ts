import type { Availability, Slot as WireSlot } from '../api/api-types.ts'
import { firstDayOf, lastDayOf, plusDays } from '../times/civil-dates.ts'
import { dateIn } from '../times/zones.ts'

/** A slot with its instants in milliseconds. */
export interface Slot {
  startsAt: string
  startsAtMs: number
  endsAtMs: number
  staffIds: string[]
  seatsLeft: number
  heldByYou: boolean
}

export function slotOf(slot: WireSlot): Slot {
  return {
    startsAt: slot.starts_at,
    startsAtMs: Date.parse(slot.starts_at),
    endsAtMs: Date.parse(slot.ends_at),
    staffIds: slot.staff_ids,
    seatsLeft: slot.seats_left,
    heldByYou: slot.held_by_you === true,
  }
}

export function slotsOf(availability: Availability): Slot[] {
  return availability.days.flatMap(({ slots }) => slots.map(slotOf))
}

/** Slots by local date in the zone, in order. */
export function slotsByDate(slots: Slot[], zone: string): Map<string, Slot[]> {
  return Map.groupBy(slots, ({ startsAtMs }) => dateIn(zone, startsAtMs))
}

/**
 * The dates to request, in the zone of the location, for a month in any other zone: one day more
 * at both ends.
 */
export function rangeFor(month: string, today: string): { from: string; to: string } {
  const first = plusDays(firstDayOf(month), -1)
  const last = lastDayOf(month)
  const from = first < plusDays(today, -1) ? plusDays(today, -1) : first
  return { from, to: plusDays(last, 1) }
}

/** Times of one date that look the same: the hour that a clock change repeats. */
export function repeatedTimes(slots: Slot[], write: (ms: number) => string): Set<number> {
  const byText = Map.groupBy(slots, ({ startsAtMs }) => write(startsAtMs))
  const repeated = [...byText.values()].filter((group) => group.length > 1).flat()
  return new Set(repeated.map(({ startsAtMs }) => startsAtMs))
}
