import type { Actor } from '../access/actor.ts'
import { scaledLimit, widerNetworkFactor } from '../access/rate-limit-rules.ts'
import { notOfferedThen, SlotDay } from '../availability/offer-rules.ts'
import {
  locationResource,
  type Resource,
  slotOf,
  type Span,
  staffResources,
  takenBy,
} from '../availability/resource-rules.ts'
import type { VersionedOffering } from '../availability/versioned-offering.ts'
import { Problem } from '../base/errors.ts'
import {
  daySeconds,
  type Instant,
  nearestInstant,
  plusSeconds,
  secondsUntil,
  toMs,
} from '../base/instants.ts'
import type { ClaimsTable } from '../database/tables.ts'
import type { StoreResponse } from '../database/idempotency.ts'
import type { Room } from './claim-queries.ts'
import type { ActiveCount, ClaimsRequest, ClaimsSnapshot } from './claim-snapshot-queries.ts'
import { type NewClaim, placeOf } from './claim-rules.ts'
import type { Context } from './context.ts'
import type { NetworkDigests } from './stranger-queries.ts'
import type { ClientAddress } from './strangers.ts'
import type { NewItem } from './visit-rules.ts'

/** Visible until a day after `expires_at`. */
export type HoldStatus = 'active' | 'expired' | 'converted' | 'released'

export function holdStatus(
  { booked_at, ended_at, expires_at }: Pick<ClaimsTable, 'booked_at' | 'ended_at' | 'expires_at'>,
  now: Instant,
): HoldStatus {
  if (booked_at !== null) return 'converted'
  // an ended hold stays so if the clock goes back
  if (ended_at !== null) return ended_at < expires_at ? 'released' : 'expired'
  return expires_at > now ? 'active' : 'expired'
}

/** Active holds counted towards one cap. */
export interface CapCount {
  whose: string
  cap: number
  count: number
  /** The time at which the first of them expires, so that another fits if the cap is reached. */
  fitsAt: Instant | undefined
}

export function isFull({ count, cap }: CapCount): boolean {
  return count >= cap
}

/** Throws hold_limit_reached, with the seconds until a hold fits, if any cap is reached. */
export function assertBelowCaps(counts: CapCount[], now: Instant): void {
  const full = counts.filter(isFull)
  const [first] = full
  if (!first) return
  const waits = full.map(({ fitsAt }) => (fitsAt === undefined ? 1 : secondsUntil(now, fitsAt)))
  throw new Problem(
    'hold_limit_reached',
    `There are already ${first.count} active holds of ${first.whose}; the limit is ${first.cap}.`,
    { headers: { 'retry-after': String(Math.max(1, ...waits)) } },
  )
}

/** A request checked against the catalogue, but not yet against hours, blocks and claims. */
interface HoldRequest {
  id: string
  offer: VersionedOffering
  partySize: number
  slot: Span
  taken: Span
  day: SlotDay
  /** The staff member that the request names. */
  chosenStaffId: string | null
  /** The resources, any of which is suitable. */
  resources: Resource[]
  /** True if the start may be in the past, because people may record past bookings. */
  mayBeOver: boolean
}

export function wantedOf(
  offer: VersionedOffering,
  {
    startsAt,
    ...asked
  }: Omit<HoldRequest, 'offer' | 'slot' | 'taken' | 'day' | 'resources'> & { startsAt: Instant },
): HoldRequest {
  const { service, location, staff } = offer
  const slot = slotOf(service, startsAt)
  const resources =
    service.staff_ids.length === 0
      ? [locationResource(service, location.id)]
      : staffResources(service, {
          staffIds: staff.map(({ id }) => id),
          locationId: location.id,
          startsAt,
        })
  const day = new SlotDay(offer, toMs(startsAt))
  return { ...asked, offer, slot, taken: takenBy(service, slot), day, resources }
}

export function claimsRequest(
  { offer, slot, taken, day, resources }: HoldRequest,
  now: Instant,
  session: ClaimsRequest['session'],
): ClaimsRequest {
  const { from, to } = day.span()
  return {
    now,
    businessId: offer.service.business_id,
    resourceIds: resources.map(({ id }) => id),
    taken,
    ...(resources.length > 1 && { day: { from: nearestInstant(from), to: nearestInstant(to) } }),
    rules: { locationId: offer.location.id, staffIds: offer.staff.map(({ id }) => id), slot },
    ...(session && { session }),
  }
}

/**
 * Returns resources that the rules offer at that time. Keys may ignore the rules, but not the clock, unless
 * the request records a past time. Working staff take precedence even for keys.
 */
export function offeredResources(
  isSession: boolean,
  { day, resources, mayBeOver }: HoldRequest,
  seen: Parameters<SlotDay['working']>[0],
): Resource[] {
  const working = day.working(seen)
  if (typeof working !== 'string') {
    return resources.filter(({ staffId }) => staffId === null || working.includes(staffId))
  }
  if (isSession || (working === 'in_the_past' && !mayBeOver)) throw notOfferedThen(working)
  return resources
}

export function capCounts({ config }: Pick<Context, 'config'>, seen: ClaimsSnapshot, gone: string[]) {
  const cap = (max: number) => scaledLimit(max, config.rateLimitFactor)
  const kept = seen.ownHolds.filter(({ inTheWay }) => !inTheWay || !gone.includes(inTheWay.id))
  const unpaid = seen.ownUnpaid.map((firstExpiry) => ({ count: 1, firstExpiry }))
  const ofNetwork = kept.filter((holds) => holds.onNetwork)
  const ofWiderNetwork = kept.filter((holds) => holds.onWiderNetwork)
  return {
    session: capCount('this session', cap(config.maxHoldsPerSession), [...kept, ...unpaid]),
    networks: [
      capCount('this address', cap(config.maxHoldsPerIp), [...ofNetwork, ...seen.onNetwork]),
      capCount('this address', cap(config.maxHoldsPerIp * widerNetworkFactor), [
        ...ofWiderNetwork,
        ...seen.onWiderNetwork,
      ]),
    ],
  }
}

function capCount(whose: string, cap: number, counts: ActiveCount[]): CapCount {
  const expiries = counts.flatMap(({ firstExpiry }) => firstExpiry ?? [])
  return {
    whose,
    cap,
    count: counts.reduce((sum, { count }) => sum + count, 0),
    fitsAt: expiries.toSorted()[0],
  }
}

/** Returns the number of holds that still fit under the caps of the networks. */
export function roomUnder([network, wider]: CapCount[]): Room {
  const left = ({ cap, count }: CapCount) => cap - count
  return { ...(network && { room: left(network) }), ...(wider && { widerRoom: left(wider) }) }
}

/** A new hold. */
export interface PlacedHold {
  hold: NewClaim
  /** IDs of own holds released for it. */
  replaced: string[]
  /**
   * The zone for its times. It is part of the response that a keyed request stores within the transaction.
   */
  timezone: string
  /** The services of a visit; absent for one service. */
  items?: readonly NewItem[]
}

/** The series that a hold belongs to. */
export interface SeriesOfHold {
  id: string
  /** The holds that it has placed so far. They are in the way of further ones, also for their own session. */
  holdIds: Set<string>
}

/** Returns the claims of others as they are, and those of the same series as claims that stay. */
export function keepingSeries(seen: ClaimsSnapshot, series: SeriesOfHold | undefined): ClaimsSnapshot {
  if (!series || series.holdIds.size === 0) return seen
  const isOfSeries = (id: string | undefined) => id !== undefined && series.holdIds.has(id)
  return {
    ...seen,
    claims: seen.claims.map((claim) => (isOfSeries(claim.id) ? { ...claim, owner_id: null } : claim)),
    ownHolds: seen.ownHolds.map((holds) =>
      isOfSeries(holds.inTheWay?.id) ? { ...holds, inTheWay: undefined } : holds,
    ),
  }
}

export interface HoldContext {
  actor: Actor
  wanted: HoldRequest
  /** For sessions only, because caps do not count holds of keys. */
  from: (NetworkDigests & Pick<ClientAddress, 'address'>) | undefined
  /** Returns true if the client has disconnected. A hold that has not begun is then skipped. */
  isGone?: (() => boolean) | undefined
  store: StoreResponse<PlacedHold>
  /** Absent for a hold that stands alone. */
  series?: SeriesOfHold | undefined
  /** The end of a hold that offers the time to a client on the waiting list. */
  offeredUntil?: Instant | undefined
  /** Binds a caller other than a session to hours, blocks, notice and grid. */
  onlyOffered?: boolean | undefined
  /** In the form of `metadataText`. */
  metadata: string | null
}

export function holdRow(
  { actor, wanted, from, series, metadata }: HoldContext,
  {
    resource,
    seats,
    expiresAt,
    sequence,
    now,
  }: { resource: Resource; seats: readonly number[]; expiresAt: Instant; sequence: number; now: Instant },
): NewClaim {
  const { service, location } = wanted.offer
  return {
    id: wanted.id,
    business_id: service.business_id,
    service_id: service.id,
    location_id: location.id,
    staff_id: resource.staffId,
    chosen_staff_id: wanted.chosenStaffId,
    ...wanted.slot,
    ...placeOf({ resource, seats }, wanted.taken),
    owner_id: actor.ownerId,
    owner_sequence: from ? sequence : null,
    client_network: from?.network ?? null,
    client_wider_network: from?.widerNetwork ?? null,
    created_at: now,
    expires_at: expiresAt,
    booked_at: null,
    ended_at: null,
    series_id: series?.id ?? null,
    metadata_json: metadata,
  }
}

export function sessionOf({ actor, from }: HoldContext, now: Instant): ClaimsRequest['session'] {
  return from && { ...from, ownerId: actor.ownerId, dayAgo: plusSeconds(now, -daySeconds) }
}
