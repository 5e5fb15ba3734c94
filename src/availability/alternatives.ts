import { Problem } from '../base/errors.ts'
import { latestMs } from '../base/instants.ts'
import { givesWay } from './busy.ts'
import { isSlotUnavailable, localDay } from './offer-rules.ts'
import { presentSlot, type ShownSlot } from './shown-slot-rules.ts'
import type { SlotSource } from './slot-source.ts'
import { StaleOffering } from './versioned-offering.ts'
import { dayMs, type Days, eachDay, type Interval, type ZoneOffsets } from './zone-rules.ts'

const maxAlternatives = 3
/** Maximum distance of an alternative from the wanted start. */
const reachMs = 14 * dayMs
/** Days to read first before and after the wanted one. Fewer if there are many seats. */
const firstReachDays = 7

interface Refused {
  source: SlotSource
  startsAtMs: number
  nowMs: number
  /** The least distance of an alternative from the wanted start. Absent: any. */
  apartMs?: number
}

/**
 * Adds up to three free slots to a refusal (slot_held, slot_booked, slot_not_offered). Picks the nearest to
 * the wanted start within 14 days, and the later of two equally near.
 */
export async function addAlternatives(refusal: unknown, refused: Refused): Promise<unknown> {
  if (!isSlotUnavailable(refusal)) return refusal
  const { code, message, parts } = refusal
  const alternatives = await nearestSlots(refused)
  return new Problem(code, message, { ...parts, extensions: { ...parts.extensions, alternatives } })
}

/** Reads the days around the wanted one first. Reads more only while they could contain nearer slots. */
export async function nearestSlots({
  source,
  startsAtMs,
  nowMs,
  apartMs = 0,
}: Refused): Promise<ShownSlot[]> {
  const within = daysWithinHorizon(source, startsAtMs, nowMs)
  const seen = { days: { first: within.middle, last: within.middle - 1 }, from: startsAtMs, to: startsAtMs }
  const giveWay = givesWay()
  let nearest: Near[] = []
  const furthest = () => nearest[maxAlternatives - 1]?.distance ?? Infinity
  try {
    for (;;) {
      const days = nextDays(source, seen.days, within)
      if (!days || furthest() < minUnseen(seen, within, startsAtMs)) break
      const free = (await source.read(days)).slots()
      for (const day of nearestDays(days, free.zone, startsAtMs)) {
        if (distanceTo(free.zone.spanOf({ first: day, last: day }), startsAtMs) > furthest()) break
        for (const slot of free.onDay(day)) {
          if (!slot) {
            await giveWay()
            continue
          }
          if (slot.from - startsAtMs > furthest()) break
          const distance = Math.abs(slot.from - startsAtMs)
          if (distance === 0 || distance < apartMs || distance > reachMs) continue
          const shown = presentSlot(slot, free.zone)
          nearest = byDistance([...nearest, { distance, startsAtMs: slot.from, shown }])
        }
        await giveWay()
      }
      widen(seen, days, free.zone.spanOf(days))
    }
    return nearest.map(({ shown }) => shown)
  } catch (error) {
    if (error instanceof StaleOffering) return [] // the catalogue has just changed: no alternatives are better than wrong ones
    throw error
  }
}

/** A free slot near the wanted start. Distances are in milliseconds. */
interface Near {
  distance: number
  startsAtMs: number
  shown: ShownSlot
}

/** Returns the nearest slots, and the later of two equally near first. */
function byDistance(slots: Near[]): Near[] {
  return slots
    .toSorted((one, other) => one.distance - other.distance || other.startsAtMs - one.startsAtMs)
    .slice(0, maxAlternatives)
}

function nearestDays(days: Days, zone: ZoneOffsets, startsAtMs: number): number[] {
  const distance = (day: number) => distanceTo(zone.spanOf({ first: day, last: day }), startsAtMs)
  return [...eachDay(days)].toSorted((one, other) => distance(one) - distance(other))
}

/** Returns the distance of an interval from an instant; 0 within it. */
function distanceTo({ from, to }: Interval, instantMs: number): number {
  return Math.max(0, from - instantMs, instantMs - to)
}

/** Days on which an alternative may start. */
interface Within extends Days {
  /** The day nearest to the wanted one. */
  middle: number
}

function daysWithinHorizon(source: SlotSource, startsAtMs: number, nowMs: number): Within {
  const day = (instantMs: number) => localDay(source, Math.min(Math.max(instantMs, 0), latestMs))
  const first = Math.max(day(nowMs), day(startsAtMs - reachMs))
  const last = Math.min(source.lastDay, day(startsAtMs + reachMs))
  return { first, last, middle: Math.min(Math.max(day(startsAtMs), first), last) }
}

/** The consecutive days read so far, and their interval. */
interface Seen extends Interval {
  days: Days
}

/** Returns the next days to read, on the side with fewer days read so far. Undefined if all are read. */
function nextDays(source: SlotSource, seen: Days, within: Within): Days | undefined {
  const { first, last, middle } = within
  const max = source.daysPerRead
  if (last < first) return undefined
  if (seen.last < seen.first) {
    const around = Math.min(firstReachDays, Math.floor((max - 1) / 2))
    return { first: Math.max(first, middle - around), last: Math.min(last, middle + around) }
  }
  const isAfter = seen.first === first || (seen.last < last && seen.last - middle <= middle - seen.first)
  const step = Math.min(max, firstReachDays)
  if (isAfter && seen.last === last) return undefined
  return isAfter
    ? { first: seen.last + 1, last: Math.min(last, seen.last + step) }
    : { first: Math.max(first, seen.first - step), last: seen.first - 1 }
}

/** Returns the least distance of an unread slot from the wanted start. */
function minUnseen(seen: Seen, { first, last }: Days, startsAtMs: number): number {
  const before = seen.days.first > first ? startsAtMs - seen.from : Infinity
  const after = seen.days.last < last ? seen.to - startsAtMs : Infinity
  return Math.min(before, after)
}

function widen(seen: Seen, { first, last }: Days, { from, to }: Interval): void {
  const isFirst = seen.days.last < seen.days.first
  seen.days = isFirst
    ? { first, last }
    : { first: Math.min(seen.days.first, first), last: Math.max(seen.days.last, last) }
  seen.from = isFirst ? from : Math.min(seen.from, from)
  seen.to = isFirst ? to : Math.max(seen.to, to)
}
