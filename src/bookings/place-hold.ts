import type { Static } from 'typebox'
import { isSession, type Actor } from '../access/actor.ts'
import { withAlternatives } from '../availability/find-alternatives.ts'
import { StaleOffer, withOffer, type VersionedOffer } from '../availability/find-offer.ts'
import { notOfferedThen } from '../availability/refusal-rules.ts'
import { SlotDay } from '../availability/offer-rules.ts'
import {
  overlaps,
  placeResource,
  slotOf,
  staffResource,
  takenBy,
  type Resource,
  type Span,
} from '../availability/resource-rules.ts'
import type { Context } from '../context.ts'
import { Repeat, type Transaction } from '../database/database.ts'
import type { HoldsTable } from '../database/tables.ts'
import { nearestInstant, plusSeconds, readInstant, roundUpToSecond, toMs, type Instant } from '../instants.ts'
import { multiplied, widerNetworkFactor } from '../rate-limits/quota-rules.ts'
import { look, type Counted, type Look, type LookRequest } from './claim-queries.ts'
import { insertHold, lockSession } from './hold-queries.ts'
import { assertBelowCaps, isFull, type CapCount } from './hold-rules.ts'
import type { PlaceHold } from './hold-schemas.ts'
import {
  daySeconds,
  digestNetworks,
  isTrusted,
  type ClientAddress,
  type NetworkDigests,
} from './strangers.ts'
import { giveUpHolds, takeSlot } from './take-slot.ts'

/** What is asked for, and from where. */
export type PlaceHoldInput = Static<typeof PlaceHold> & { from: ClientAddress }

/** A hold as it was placed, the holds that were given up for it, and the zone in which its times are shown. */
export interface PlacedHold {
  hold: HoldsTable
  replaced: string[]
  timezone: string
}

/** What is wanted: checked against the catalogue, not yet against hours, blocks and claims. */
interface Wanted {
  id: string
  offer: VersionedOffer
  slot: Span
  taken: Span
  day: SlotDay
  /** Any one of them would do. */
  resources: Resource[]
}

/** Who wants it, and from where. */
interface Placing {
  actor: Actor
  wanted: Wanted
  /** For sessions only: no cap counts what keys hold. */
  from: (NetworkDigests & Pick<ClientAddress, 'address'>) | undefined
}

/**
 * Keeps a slot for the caller for ten minutes. A session's own holds at that time are replaced in the
 * same step; when the slot is refused they stay. Throws not_found, slot_not_offered,
 * hold_limit_reached, slot_held or slot_booked.
 */
export async function placeHold(context: Context, actor: Actor, input: PlaceHoldInput): Promise<PlacedHold> {
  const startsAt = readInstant(input.starts_at)
  const { address } = input.from
  const from = isSession(actor) ? { ...(await digestNetworks(context, input.from)), address } : undefined
  const placed = await withOffer(context, actor.reach, {
    request: input,
    work: (offer) => {
      const wanted = wantedOf(offer, context.ids.next(), startsAt)
      return placeOrSuggest(context, { actor, wanted, from })
    },
  })
  context.metrics.hold('placed')
  context.metrics.hold('replaced', placed.replaced.length)
  return placed
}

function wantedOf(offer: VersionedOffer, id: string, startsAt: Instant): Wanted {
  const { service, location, staff } = offer
  const slot = slotOf(service, startsAt)
  const resources =
    service.staff_ids.length === 0
      ? [placeResource(service, location.id)]
      : staff.map((member) =>
          staffResource(service, { staffId: member.id, locationId: location.id, startsAt }),
        )
  const day = new SlotDay(offer, toMs(startsAt))
  return { id, offer, slot, taken: takenBy(service, slot), day, resources }
}

async function placeOrSuggest(context: Context, placing: Placing): Promise<PlacedHold> {
  const { actor, wanted } = placing
  const { offer, slot } = wanted
  try {
    // whole, as it is shown: a keyed request keeps its answer within this transaction
    return await context.db.transaction(async (tx) => ({
      ...(await place(context, tx, placing)),
      timezone: offer.location.timezone,
    }))
  } catch (error) {
    const looker = { actor, nowMs: toMs(context.clock.now()) }
    throw await withAlternatives(context, error, { offer, startsAtMs: toMs(slot.starts_at), looker })
  }
}

async function place(
  context: Context,
  tx: Transaction,
  { actor, wanted, from }: Placing,
): Promise<Omit<PlacedHold, 'timezone'>> {
  const { offer, slot } = wanted
  const session = from && { ...from, ownerId: actor.ownerId, dayAgo: plusSeconds(tx.now, -daySeconds) }
  // the session that asks, not the first of its owner: the row of that one may be gone
  if (session && tx.attempt > 0) await lockSession(tx.db, actor.keyId)
  const request = lookRequest(wanted, tx.now, session)
  const seen = await look(tx.db, request)
  if (seen.catalogueVersion !== offer.version) throw new StaleOffer()
  const resources = offeredResources(actor, wanted, { nowMs: toMs(tx.now), blocks: seen.blocks })
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
  if (from)
    await assertCaps(context, tx, { seen, gone, businessId: request.businessId, address: from.address })
  const hold: HoldsTable = {
    id: wanted.id,
    business_id: request.businessId,
    service_id: offer.service.id,
    location_id: offer.location.id,
    staff_id: resource.staffId,
    ...slot,
    expires_at: expiresAt,
    owner_id: actor.ownerId,
    owner_sequence: session ? seen.lastSequence + 1 : null,
    client_network: from?.network ?? null,
    client_wider_network: from?.widerNetwork ?? null,
    created_at: tx.now,
    released_at: null,
  }
  // two holds of one session that were placed at once have not seen each other: the second looks again
  if (!(await insertHold(tx.db, hold)))
    throw new Repeat('another hold of the session was placed at the same moment')
  return { hold, replaced: gone }
}

function lookRequest(
  { offer, slot, taken, day, resources }: Wanted,
  now: Instant,
  session: LookRequest['session'],
): LookRequest {
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
 * The resources that the rules offer at that time. A business may ignore its own rules, but not the clock; where some
 * of its staff work then, it is they who are asked.
 */
function offeredResources(
  actor: Actor,
  { day, resources }: Wanted,
  seen: Parameters<SlotDay['working']>[0],
): Resource[] {
  const working = day.working(seen)
  if (typeof working !== 'string') {
    return resources.filter(({ staffId }) => staffId === null || working.includes(staffId))
  }
  if (isSession(actor) || working === 'in_the_past') throw notOfferedThen(working)
  return resources
}

interface Counting {
  seen: Look
  /** The own holds that are given up for the new one. */
  gone: string[]
  businessId: string
  address: string | null
}

async function assertCaps(
  { config }: Context,
  tx: Transaction,
  { seen, gone, businessId, address }: Counting,
): Promise<void> {
  const cap = (most: number) => multiplied(most, config.rateLimitFactor)
  const kept = seen.ownHolds.filter(({ id }) => !gone.includes(id))
  const expiries = (holds: typeof kept) => holds.map(({ expires_at }) => expires_at)
  const ofSession = [...expiries(kept), ...seen.ownUnpaid].toSorted()
  const most = cap(config.maxHoldsPerSession)
  const count = ofSession.length
  const session = { whose: 'this session', cap: most, count, fitsAt: ofSession[count - most] }
  const networks = [
    onNetwork(cap(config.maxHoldsPerIp), expiries(kept.filter((hold) => hold.onNetwork)), seen.onNetwork),
    onNetwork(
      cap(config.maxHoldsPerIp * widerNetworkFactor),
      expiries(kept.filter((hold) => hold.onWiderNetwork)),
      seen.onWiderNetwork,
    ),
  ]
  const isExempt = networks.some(isFull) && (await isTrusted(tx.db, { businessId, address }))
  assertBelowCaps(isExempt ? [session] : [session, ...networks], tx.now)
}

function onNetwork(cap: number, own: Instant[], others: Counted[]): CapCount {
  const expiries = [...own, ...others.flatMap(({ firstExpiry }) => firstExpiry ?? [])]
  const count = others.reduce((sum, { count }) => sum + count, own.length)
  return { whose: 'this address', cap, count, fitsAt: expiries.toSorted()[0] }
}
