import type { Static } from 'typebox'
import { isSession, type Actor } from '../access/actor.ts'
import { findOffering, isStaffOf, type Offering } from '../catalogue/find-offering.ts'
import type { Context } from '../context.ts'
import { Repeat, type Transaction } from '../database/database.ts'
import type { Reach } from '../database/reach.ts'
import type { HoldsTable } from '../database/tables.ts'
import { Problem } from '../errors.ts'
import { localDay, plusSeconds, readInstant, roundUpToSecond, type Instant } from '../instants.ts'
import { look, type Look } from './claim-queries.ts'
import { overlaps, resourcesFor, slotOf, takenBy, type Resource, type Span } from './claim-rules.ts'
import { insertHold, lockSession } from './hold-queries.ts'
import { assertBelowCaps, notOffered } from './hold-rules.ts'
import type { PlaceHold } from './hold-schemas.ts'
import { giveUpHolds, takeSlot } from './take-slot.ts'

export type PlaceHoldInput = Static<typeof PlaceHold> & {
  /** The caller's IPv4 address or IPv6 /64, which the cap per address counts. */
  clientNetwork: string
}

/** A hold as it was placed, the holds that were given up for it, and the zone in which its times are shown. */
export interface PlacedHold {
  hold: HoldsTable
  replaced: string[]
  timezone: string
}

/** What is wanted: checked against the catalogue, not yet against the claims. */
interface Wanted {
  id: string
  offering: Offering
  slot: Span
  taken: Span
  resources: Resource[]
}

/**
 * Keeps a slot for the caller for ten minutes. A session's own holds at that time are replaced in the
 * same step; when the slot is refused they stay. Throws not_found, slot_not_offered,
 * hold_limit_reached, slot_held or slot_booked.
 */
export async function placeHold(context: Context, actor: Actor, input: PlaceHoldInput): Promise<PlacedHold> {
  const wanted = await checkWanted(context, actor.reach, input)
  const placed = await context.db.transaction(async (tx) => ({
    ...(await place(context, tx, { actor, wanted, network: input.clientNetwork })),
    timezone: wanted.offering.location.timezone,
  }))
  context.metrics.hold('placed')
  context.metrics.hold('replaced', placed.replaced.length)
  return placed
}

interface Placing {
  actor: Actor
  wanted: Wanted
  network: string
}

async function place(
  context: Context,
  tx: Transaction,
  { actor, wanted, network }: Placing,
): Promise<Omit<PlacedHold, 'timezone'>> {
  const { offering, slot, taken, resources } = wanted
  assertFuture(slot.starts_at, tx.now)
  const session = isSession(actor) ? { ownerId: actor.ownerId, network } : undefined
  // the session that asks, not the first of its owner: the row of that one may be gone
  if (session && tx.attempt > 0) await lockSession(tx.db, actor.keyId)
  const request = {
    now: tx.now,
    businessId: offering.service.business_id,
    resourceIds: resources.map(({ id }) => id),
    taken,
    ...(resources.length > 1 && { day: localDay(slot.starts_at, offering.location.timezone) }),
    ...(session && { session }),
  }
  const seen = await look(tx.db, request)
  const replaced = seen.ownHolds.filter((own) => overlaps(own, slot)).map(({ id }) => id)
  if (replaced.length > 0) await giveUpHolds(tx, request.businessId, replaced)
  const expiresAt = roundUpToSecond(plusSeconds(tx.now, context.config.holdSeconds))
  const { resource, givesUp } = await takeSlot(
    tx,
    {
      ...request,
      claimId: wanted.id,
      resources,
      purpose: { booking_id: null, expires_at: expiresAt, owner_id: actor.ownerId },
    },
    { ...seen, claims: seen.claims.filter(({ id }) => !replaced.includes(id)) },
  )
  // counted last: only now it is known which of its own holds the session gives up for this one
  const gone = [...replaced, ...givesUp]
  if (session) assertCaps(context, tx.now, { seen, gone })
  const hold: HoldsTable = {
    id: wanted.id,
    business_id: request.businessId,
    service_id: offering.service.id,
    location_id: offering.location.id,
    staff_id: resource.staffId,
    ...slot,
    expires_at: expiresAt,
    owner_id: actor.ownerId,
    owner_sequence: session ? seen.lastSequence + 1 : null,
    client_network: session ? network : null,
    created_at: tx.now,
    released_at: null,
  }
  // two holds of one session that were placed at once have not seen each other: the second looks again
  if (!(await insertHold(tx.db, hold)))
    throw new Repeat('another hold of the session was placed at the same moment')
  return { hold, replaced: gone }
}

async function checkWanted(context: Context, reach: Reach, input: PlaceHoldInput): Promise<Wanted> {
  const ids = { serviceId: input.service_id, locationId: input.location_id }
  const { service, location, staff } = await findOffering(context, reach, ids)
  if (!service || !staff) throw new Problem('not_found', 'There is no service with this service_id.')
  // a hub's caller reaches several businesses, a service belongs to one of them
  if (!location || location.business_id !== service.business_id) {
    throw new Problem('not_found', 'There is no location with this location_id.')
  }
  const offering = { service, location, staff }
  await assertOffered(context, offering, input.staff_id)
  const startsAt = readInstant(input.starts_at)
  const slot = slotOf(service, startsAt)
  const resources = resourcesFor(offering, startsAt, input.staff_id)
  if (resources.length === 0)
    throw notOffered('not_offered_here', 'Nobody gives this service at this location.')
  return { id: context.ids.next(), offering, slot, taken: takenBy(service, slot), resources }
}

/** Refuses what the catalogue does not offer: inactive parts, another location, somebody who does not do it. */
async function assertOffered(
  context: Context,
  offering: Offering,
  staffId: string | undefined,
): Promise<void> {
  const { service, location, staff } = offering
  if (!service.active) throw notOffered('not_offered_here', 'The service is not offered any more.')
  if (!location.active) throw notOffered('not_offered_here', 'The location is not open any more.')
  if (!service.location_ids.includes(location.id)) {
    throw notOffered('not_offered_here', 'The service is not offered at this location.')
  }
  if (staffId === undefined || staff.some((member) => member.id === staffId && member.active)) return
  if (!(await isStaffOf(context, service.business_id, staffId)))
    throw new Problem('not_found', 'There is no staff member with this staff_id.')
  throw notOffered('not_offered_here', 'The staff member does not give this service.')
}

function assertCaps({ config }: Context, now: Instant, { seen, gone }: { seen: Look; gone: string[] }): void {
  const kept = seen.ownHolds.filter(({ id }) => !gone.includes(id))
  const ofSession = kept.map(({ expires_at }) => expires_at).toSorted()
  const { count, firstExpiry } = seen.othersOnNetwork
  const ownOnNetwork = kept.filter(({ onNetwork }) => onNetwork).map(({ expires_at }) => expires_at)
  const firstOnNetwork = [...ownOnNetwork, ...(firstExpiry ? [firstExpiry] : [])].toSorted()[0]
  const scaled = (most: number) => Math.max(1, Math.floor(most * config.rateLimitFactor))
  const sessionCap = scaled(config.maxHoldsPerSession)
  const networkCap = scaled(config.maxHoldsPerIp)
  assertBelowCaps(
    [
      {
        whose: 'this session',
        cap: sessionCap,
        count: kept.length,
        fitsAt: ofSession[kept.length - sessionCap],
      },
      {
        whose: 'this address',
        cap: networkCap,
        count: count + ownOnNetwork.length,
        fitsAt: firstOnNetwork,
      },
    ],
    now,
  )
}

function assertFuture(startsAt: Instant, now: Instant): void {
  if (startsAt <= now) throw notOffered('in_the_past', 'starts_at must be in the future.')
}
