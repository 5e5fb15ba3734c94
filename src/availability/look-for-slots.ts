import { setImmediate } from 'node:timers/promises'
import { isSession, type Actor } from '../access/actor.ts'
import { monotonicMs } from '../clock.ts'
import type { Context } from '../context.ts'
import { instantFromMs } from '../instants.ts'
import type { Service } from '../catalogue/catalogue-types.ts'
import { findTaken, readTaken, versionOf, type TakenRow } from './availability-queries.ts'
import { StaleOffer, type VersionedOffer } from './find-offer.ts'
import { OfferRules, zoneAround } from './offer-rules.ts'
import { placeResource } from './resource-rules.ts'
import { FreeSlots } from './slot-rules.ts'
import type { Days, MsSpan, ZoneOffsets } from './zone-rules.ts'

/** Who looks, and when. */
export interface Looker {
  actor: Actor
  nowMs: number
  /** A booking that is to be moved, which is not in its own way. */
  exceptBookingId?: string
}

/** At most this many seats times days are looked at in one statement: so many rows pass without holding others up. */
const mostSeatDays = 400

/** How many days of an offer one look takes in. */
export function daysPerLook({ service, staff }: VersionedOffer): number {
  const seats = service.capacity * Math.max(1, staff.length)
  return Math.max(1, Math.floor(mostSeatDays / seats))
}

/** What one look at the database saw of an offer on some local days. */
export interface Look {
  offer: VersionedOffer
  days: Days
  zone: ZoneOffsets
  nowMs: number
  rows: TakenRow[]
}

/** Looks once at all that obstructs an offer on some local days, and tells which slots are free. Throws as `look` does. */
export async function lookForSlots(...args: Parameters<typeof look>): Promise<FreeSlots> {
  return freeSlotsOf(await look(...args))
}

/** Which slots are free by what was seen. */
export function freeSlotsOf({ offer, days, zone, nowMs, rows }: Look): FreeSlots {
  const { blocks, ...taken } = readTaken(rows)
  return new FreeSlots(offer, { zone, rules: new OfferRules(offer, days, { zone, nowMs, blocks }) }, taken)
}

/** Looks once at all that obstructs an offer on some local days. Throws StaleOffer when the catalogue is a later one. */
export async function look(
  context: Context,
  offer: VersionedOffer,
  { days, looker }: { days: Days; looker: Looker },
): Promise<Look> {
  const { service, location, staff } = offer
  const { actor, nowMs, exceptBookingId } = looker
  const zone = zoneAround(location.timezone, days)
  const staffIds = staff.map(({ id }) => id)
  const rows = await findTaken(context.db.reads, {
    now: instantFromMs(nowMs),
    businessId: service.business_id,
    serviceId: service.id,
    locationId: location.id,
    staffIds,
    resourceIds: service.staff_ids.length === 0 ? [placeResource(service, location.id).id] : staffIds,
    seats: service.capacity,
    span: takenBySlots(service, zone.spanOf(days)),
    ownerId: isSession(actor) ? actor.ownerId : undefined,
    exceptBookingId,
  })
  if (versionOf(rows) !== offer.version) throw new StaleOffer()
  return { offer, days, zone, nowMs, rows }
}

/** A computation goes on for so long before it lets others in, in milliseconds. */
const longestStretchMs = 4

/** What a computation of many days awaits between them: others are answered meanwhile. */
export function givesWay(): () => Promise<void> | undefined {
  let sinceMs = monotonicMs()
  const giveWay = async () => {
    await setImmediate()
    sinceMs = monotonicMs()
  }
  return () => (monotonicMs() - sinceMs < longestStretchMs ? undefined : giveWay())
}

/** What slots that start in a time can take. */
function takenBySlots(service: Service, { from, to }: MsSpan): MsSpan {
  const { duration_minutes, buffer_before_minutes, buffer_after_minutes } = service
  return {
    from: from - buffer_before_minutes * 60_000,
    to: to + (duration_minutes + buffer_after_minutes) * 60_000,
  }
}
