import type { Static } from 'typebox'
import type { Actor } from '../access/actor.ts'
import type { Context } from '../context.ts'
import { toMs } from '../instants.ts'
import type { OfferQuery } from './availability-schemas.ts'
import { withOffer, type VersionedOffer } from './find-offer.ts'
import { daysPerLook, givesWay, lookForSlots, type Looker } from './look-for-slots.ts'
import { dayThere, lastDayOffered } from './offer-rules.ts'
import { presentSlot, type ShownSlot } from './present-slot.ts'
import { eachDay } from './zone-rules.ts'

/** No slot is looked for later than this many days from today. */
const mostDaysAhead = 366
/** Most often a slot is free within a few days: only when there is none, more are looked at. */
const firstLookDays = 7
const mostDaysPerLook = 62

/** The next slot that the caller can hold within 366 days, or null. Throws not_found or slot_not_offered. */
export function findSoonest(
  context: Context,
  actor: Actor,
  query: Static<typeof OfferQuery>,
): Promise<ShownSlot | null> {
  return withOffer(context, actor.reach, {
    request: query,
    work: (offer) => {
      const looker = { actor, nowMs: toMs(context.clock.now()) }
      return search(context, offer, looker)
    },
  })
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
