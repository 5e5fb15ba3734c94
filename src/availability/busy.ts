import { isDeepStrictEqual } from 'node:util'
import { LRUCache } from 'lru-cache'
import { type Actor, isSession } from '../access/actor.ts'
import type { Context } from '../access/context.ts'
import { type Instant, instantFromMs } from '../base/instants.ts'
import { Slices } from '../base/slices.ts'
import type { Reads } from '../database/database.ts'
import { findTaken, hasHolds, readTaken, type TakenRow, versionOf } from './availability-queries.ts'
import { AvailabilityRules, tooSoon, zoneAround } from './offer-rules.ts'
import { assertParty, locationResource, takenBySlots } from './resource-rules.ts'
import { FreeSlots } from './slot-rules.ts'
import { StaleOffering, type VersionedOffering } from './versioned-offering.ts'
import type { Days, ZoneOffsets } from './zone-rules.ts'

/** The caller and the current time. */
export interface Viewer {
  actor: Actor
  nowMs: number
  /** Number of people; 1 if absent. */
  partySize?: number
  /** The booking to move, which does not obstruct itself. */
  exceptBookingId?: string | undefined
  /** True if the answer may be up to a second old. The primary decides in the end what can be held. */
  recently?: boolean
}

/** Bounds seats times days per statement, because more rows would block the event loop. */
export const maxSeatDays = 400

export function daysPerRead({ service, staff }: VersionedOffering): number {
  const seats = service.capacity * Math.max(1, staff.length)
  return Math.max(1, Math.floor(maxSeatDays / seats))
}

/** The result of one statement about an offering on some local days. */
export interface BusySnapshot {
  offer: VersionedOffering
  days: Days
  zone: ZoneOffsets
  nowMs: number
  partySize: number
  rows: TakenRow[]
}

/** Returns the free slots of a snapshot. */
export function freeSlotsOf({ offer, days, zone, nowMs, partySize, rows }: BusySnapshot): FreeSlots {
  const { blocks, ...taken } = readTaken(rows)
  const rules = new AvailabilityRules(offer, days, { zone, nowMs, blocks })
  return new FreeSlots(offer, { zone, rules }, { ...taken, partySize })
}

/**
 * Reads everything that obstructs an offering on some local days. Throws StaleOffering if the catalogue is
 * newer, or validation_failed for a party larger than the service takes.
 */
export async function readBusy(
  context: Context,
  offer: VersionedOffering,
  { days, viewer }: { days: Days; viewer: Viewer },
): Promise<BusySnapshot> {
  const { service, location, staff } = offer
  const { actor, nowMs, partySize = 1, exceptBookingId, recently = false } = viewer
  const zone = zoneAround(location.timezone, days)
  const staffIds = staff.map(({ id }) => id)
  const now = instantFromMs(nowMs)
  const request = {
    now,
    businessId: service.business_id,
    serviceId: service.id,
    locationId: location.id,
    staffIds,
    resourceIds: service.staff_ids.length === 0 ? [locationResource(service, location.id).id] : staffIds,
    seats: service.capacity,
    span: takenBySlots(service, zone.spanOf(days)),
    ownerId: isSession(actor) ? actor.ownerId : undefined,
    exceptBookingId,
  }
  const find = (reads: Reads) => findTaken(reads, request)
  const rows = await readAtVersion(context, find, { actor, now, recently, version: offer.version })
  assertParty(service, partySize)
  return { offer, days, zone, nowMs, partySize, rows }
}

/** Reads rows, from a replica if they may be a second old. Throws StaleOffering if the catalogue has another version. */
export async function readAtVersion(
  { db }: Context,
  find: (reads: Reads) => Promise<TakenRow[]>,
  { actor, now, recently, version }: { actor: Actor; now: Instant; recently: boolean; version: number },
): Promise<TakenRow[]> {
  const ofPrimary = () => find(db.reads)
  // a session sees its own holds at once
  const holdsAny = async () => isSession(actor) && (await hasHolds(db.reads, { ownerId: actor.ownerId, now }))
  let rows = recently ? await db.recently(find, holdsAny) : await ofPrimary()
  if (recently && versionOf(rows) !== version) rows = await ofPrimary() // a replica may have an older catalogue
  if (versionOf(rows) !== version) throw new StaleOffering()
  return rows
}

/** Returns a function to await between days of a long computation, so that other requests proceed. */
export function givesWay(): () => Promise<void> | undefined {
  const slices = new Slices()
  return () => slices.giveWay()
}

/** The slots of a day, in the format of the caller. */
export interface ComputedDay<Day> {
  shown: Day
  /** Number of slot and staff pairs. A slot without staff counts as one. */
  pairs: number
}

/** Days of a snapshot. */
export interface ComputedDays<Day> {
  byDay: ReadonlyMap<number, ComputedDay<Day>>
  /** Start of the first free slot, in epoch milliseconds; Infinity if none is free. */
  earliestMs: number
}

/** Room for two dozen months of busy locations, or two thousand weeks of small ones. */
const maxCharacters = 16_000_000
/** Approximate size of a row without its claims. */
const charactersOfRow = 200

/**
 * Caches serialised days with the rows they were made from. Never stale: each request reads the rows and the
 * catalogue version again, and reuses the days only if both are unchanged.
 */
export class DayCache {
  private readonly kept = new LRUCache<
    string,
    { rows: TakenRow[]; nowMs: number; shown: ComputedDays<string> }
  >({
    maxSize: maxCharacters,
    sizeCalculation: ({ rows, shown: { byDay } }) =>
      byDay.values().reduce((size, { shown }) => size + shown.length, 0) +
      rows.reduce((size, row) => size + charactersOfRow + (row.kind === 'claims' ? row.claims.length : 0), 0),
  })

  /** Finds days made from the same rows, unless the time passed since then removes a slot. */
  find(seen: BusySnapshot): ComputedDays<string> | undefined {
    const last = this.kept.get(keyOf(seen))
    if (!last || seen.nowMs < last.nowMs) return undefined // if the clock was set back, slots that were too soon may be free again
    const { earliestMs } = last.shown
    const isOver = tooSoon(seen.offer.service, earliestMs, seen.nowMs) !== undefined
    return !isOver && isDeepStrictEqual(seen.rows, last.rows) ? last.shown : undefined
  }

  keep(seen: BusySnapshot, shown: ComputedDays<string>): void {
    const { rows, nowMs } = seen
    this.kept.set(keyOf(seen), { rows, nowMs, shown })
  }
}

/**
 * Returns the cache key. The number of keys is bounded, because past days and days beyond the horizon are
 * never read.
 */
function keyOf({ offer: { service, location, staff }, days, partySize }: BusySnapshot): string {
  return [service.id, location.id, days.first, days.last, partySize, ...staff.map(({ id }) => id)].join(' ')
}
