import type { Context } from '../context.ts'
import { Problem } from '../errors.ts'
import { latestMs } from '../instants.ts'
import { isSlotRefusal } from './refusal-rules.ts'
import { StaleOffer, type VersionedOffer } from './find-offer.ts'
import { daysPerLook, givesWay, lookForSlots, type Looker } from './look-for-slots.ts'
import { dayThere, lastDayOffered } from './offer-rules.ts'
import { presentSlot, type ShownSlot } from './present-slot.ts'
import { dayMs, eachDay, type Days, type MsSpan } from './zone-rules.ts'

/** So many are named. */
const mostAlternatives = 3
/** None is named that starts further from the wanted start. */
const reachMs = 14 * dayMs
/** The first look takes in this many days before and after the wanted one, or fewer where there are many seats. */
const firstReachDays = 7

/**
 * Answers a refusal (slot_held, slot_booked, slot_not_offered) with up to three free slots for the same request: the
 * nearest to the wanted start within 14 days, of two that are as near the later one.
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

/** Looks at the days around the wanted one first, and at more only while what they hold could be nearer. */
async function nearestSlots(
  context: Context,
  offer: VersionedOffer,
  { startsAtMs, looker }: { startsAtMs: number; looker: Looker },
): Promise<ShownSlot[]> {
  const within = daysWithinReach(offer, startsAtMs, looker)
  const seen = { days: { first: within.middle, last: within.middle - 1 }, from: startsAtMs, to: startsAtMs }
  const giveWay = givesWay()
  let nearest: { distance: number; startsAtMs: number; shown: ShownSlot }[] = []
  try {
    for (;;) {
      const days = nextDays(offer, seen.days, within)
      const furthest = nearest[mostAlternatives - 1]
      if (!days || (furthest && furthest.distance < leastUnseen(seen, within, startsAtMs))) break
      const free = await lookForSlots(context, offer, { days, looker })
      for (const day of eachDay(days)) {
        for (const slot of free.onDay(day)) {
          const distance = Math.abs(slot.from - startsAtMs)
          if (distance === 0 || distance > reachMs) continue
          nearest.push({ distance, startsAtMs: slot.from, shown: presentSlot(slot, free.zone) })
        }
        await giveWay()
      }
      nearest.sort((one, other) => one.distance - other.distance || other.startsAtMs - one.startsAtMs)
      nearest = nearest.slice(0, mostAlternatives)
      widen(seen, days, free.zone.spanOf(days))
    }
    return nearest.map(({ shown }) => shown)
  } catch (error) {
    if (error instanceof StaleOffer) return [] // the catalogue has just changed: better none than wrong ones
    throw error
  }
}

/** The days on which a slot within reach may start, and the one of them that is nearest to the wanted day. */
interface Within extends Days {
  middle: number
}

function daysWithinReach(offer: VersionedOffer, startsAtMs: number, { nowMs }: Looker): Within {
  const day = (instantMs: number) => dayThere(offer, Math.min(Math.max(instantMs, 0), latestMs))
  const first = Math.max(day(nowMs), day(startsAtMs - reachMs))
  const last = Math.min(lastDayOffered(offer, nowMs), day(startsAtMs + reachMs))
  return { first, last, middle: Math.min(Math.max(day(startsAtMs), first), last) }
}

/** The days seen so far, which follow each other, and their first moment and end. */
interface Seen extends MsSpan {
  days: Days
}

/** The days to look at next, on the side of which less has been seen; undefined when all have been. */
function nextDays(offer: VersionedOffer, seen: Days, within: Within): Days | undefined {
  const { first, last, middle } = within
  const most = daysPerLook(offer)
  if (last < first) return undefined
  if (seen.last < seen.first) {
    const reach = Math.min(firstReachDays, Math.floor((most - 1) / 2))
    return { first: Math.max(first, middle - reach), last: Math.min(last, middle + reach) }
  }
  const isAfter = seen.first === first || (seen.last < last && seen.last - middle <= middle - seen.first)
  const step = Math.min(most, firstReachDays)
  if (isAfter && seen.last === last) return undefined
  return isAfter
    ? { first: seen.last + 1, last: Math.min(last, seen.last + step) }
    : { first: Math.max(first, seen.first - step), last: seen.first - 1 }
}

/** No slot that has not been seen is nearer to the wanted start than this. */
function leastUnseen(seen: Seen, { first, last }: Days, startsAtMs: number): number {
  const before = seen.days.first > first ? startsAtMs - seen.from : Infinity
  const after = seen.days.last < last ? seen.to - startsAtMs : Infinity
  return Math.min(before, after)
}

function widen(seen: Seen, { first, last }: Days, { from, to }: MsSpan): void {
  const isFirst = seen.days.last < seen.days.first
  seen.days = isFirst
    ? { first, last }
    : { first: Math.min(seen.days.first, first), last: Math.max(seen.days.last, last) }
  seen.from = isFirst ? from : Math.min(seen.from, from)
  seen.to = isFirst ? to : Math.max(seen.to, to)
}
