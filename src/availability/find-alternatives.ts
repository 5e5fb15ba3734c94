import type { Context } from '../context.ts'
import { Problem } from '../errors.ts'
import { isSlotRefusal } from './refusal-rules.ts'
import { StaleOffer, type VersionedOffer } from './find-offer.ts'
import { daysPerLook, givesWay, lookForSlots, type Looker } from './look-for-slots.ts'
import { dayThere, lastDayOffered } from './offer-rules.ts'
import { presentSlot, type ShownSlot } from './present-slot.ts'
import type { Slot } from './slot-rules.ts'
import { eachDay, type Days } from './zone-rules.ts'

/** So many are named. */
const mostAlternatives = 3
/** Slots are looked for on so many days before and after the one that was wanted, or fewer where there are many seats. */
const reachDays = 7

/**
 * Answers a refusal (slot_held, slot_booked, slot_not_offered) with up to three free slots for the same request, the
 * nearest to the one that was wanted: those of its day first, then by their distance. It looks at the database once.
 */
export async function withAlternatives(
  context: Context,
  refusal: unknown,
  { offer, startsAtMs, looker }: { offer: VersionedOffer; startsAtMs: number; looker: Looker },
): Promise<unknown> {
  if (!isSlotRefusal(refusal)) return refusal
  const { code, message, parts } = refusal
  const alternatives = await nearestSlots(context, offer, { startsAtMs, looker })
  return new Problem(code, message, { ...parts, extensions: { ...parts.extensions, alternatives } })
}

async function nearestSlots(
  context: Context,
  offer: VersionedOffer,
  { startsAtMs, looker }: { startsAtMs: number; looker: Looker },
): Promise<ShownSlot[]> {
  const day = dayThere(offer, startsAtMs)
  const days = daysAround(offer, day, looker)
  const found: { slot: Slot; onDay: boolean; distance: number }[] = []
  const giveWay = givesWay()
  try {
    const free = await lookForSlots(context, offer, { days, looker })
    for (const candidate of eachDay(days)) {
      for (const slot of free.onDay(candidate)) {
        const distance = Math.abs(slot.from - startsAtMs)
        if (distance > 0) found.push({ slot, onDay: candidate === day, distance })
      }
      await giveWay()
    }
    return found
      .sort((one, other) => Number(other.onDay) - Number(one.onDay) || one.distance - other.distance)
      .slice(0, mostAlternatives)
      .map(({ slot }) => presentSlot(slot, free.zone))
  } catch (error) {
    if (error instanceof StaleOffer) return [] // the catalogue has just changed: better none than wrong ones
    throw error
  }
}

/** Around the wanted day, or the day nearest to it on which anything may be offered. */
function daysAround(offer: VersionedOffer, wanted: number, { nowMs }: Looker): Days {
  const first = dayThere(offer, nowMs)
  const last = Math.max(first, lastDayOffered(offer, nowMs))
  const middle = Math.min(Math.max(wanted, first), last)
  const reach = Math.min(reachDays, Math.floor((daysPerLook(offer) - 1) / 2))
  return { first: Math.max(first, middle - reach), last: Math.min(last, middle + reach) }
}
