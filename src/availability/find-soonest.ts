import type { Static } from 'typebox'
import type { Actor } from '../access/actor.ts'
import type { Context } from '../context.ts'
import { toMs } from '../instants.ts'
import type { OfferQuery } from './availability-schemas.ts'
import { withOffer, type VersionedOffer } from './find-offer.ts'
import { daysPerLook, givesWay, lookForSlots, type Looker } from './look-for-slots.ts'
import { dayThere, lastDayOffered } from './offer-rules.ts'
import { presentSlot, type ShownSlot } from './present-slot.ts'
import { NobodyGives } from './refusal-rules.ts'
import { eachDay } from './zone-rules.ts'

/** No slot is looked for later than this many days from today. */
const mostDaysAhead = 366
/** Most often a slot is free within a few days: only when there is none, more are looked at. */
const firstLookDays = 7
const mostDaysPerLook = 62

/**
 * The next slot that the caller can hold within 366 days, or null. Throws not_found, or slot_not_offered for what is
 * inactive.
 */
export async function findSoonest(
  context: Context,
  actor: Actor,
  query: Static<typeof OfferQuery>,
): Promise<ShownSlot | null> {
  try {
    return await withOffer(context, actor.reach, {
      request: query,
      work: (offer) => search(context, offer, { actor, nowMs: toMs(context.clock.now()) }),
    })
  } catch (error) {
    if (error instanceof NobodyGives) return null
    throw error
  }
}

async function search(context: Context, offer: VersionedOffer, looker: Looker): Promise<ShownSlot | null> {
  const today = dayThere(offer, looker.nowMs)
  const latest = Math.min(today + mostDaysAhead, lastDayOffered(offer, looker.nowMs))
  let step = Math.min(firstLookDays, daysPerLook(offer))
  const giveWay = givesWay()
  for (let first = today; first <= latest; first += step) {
    if (first > today) step = Math.min(step * 2, daysPerLook(offer), mostDaysPerLook)
    const days = { first, last: Math.min(first + step - 1, latest) }
    const free = await lookForSlots(context, offer, { days, looker })
    for (const day of eachDay(days)) {
      for (const slot of free.onDay(day)) return presentSlot(slot, free.zone)
      await giveWay()
    }
  }
  return null
}
