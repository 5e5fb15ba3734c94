import { type Actor, assertOwnCalendar, isSession, onlyStaffId } from '../access/actor.ts'
import { isSlotUnavailable, localDay, notOfferedHere, notOfferedThen } from '../availability/offer-rules.ts'
import { StaleOffering } from '../availability/versioned-offering.ts'
import { visitAlternatives, withVisit } from '../availability/versioned-visit.ts'
import {
  assertParties,
  isRefusal,
  longestSpan,
  type PlannedVisit,
  resourceIdsOf,
  type VisitOffer,
  VisitRules,
  zoneAroundVisit,
} from '../availability/visit-rules.ts'
import { Problem } from '../base/errors.ts'
import {
  daySeconds,
  type Instant,
  instantFromMs,
  nearestInstant,
  plusSeconds,
  roundUpToSecond,
  toMs,
} from '../base/instants.ts'
import { metadataText } from '../base/metadata-rules.ts'
import type { Location } from '../catalogue/location-and-staff-schemas.ts'
import type { Service } from '../catalogue/service-schemas.ts'
import { allOf, type Reads, RetryTransaction, type Transaction } from '../database/database.ts'
import { storeNothing, type StoreResponse } from '../database/idempotency.ts'
import { isShared, requireOwnTransaction } from '../database/shared-transaction.ts'
import { endHolds, type Room } from './claim-queries.ts'
import { type ClaimSeen, conflict, isActive, rotationOf, takenBy } from './claim-rules.ts'
import { type ClaimsSnapshot, readClaims } from './claim-snapshot-queries.ts'
import type { Context } from './context.ts'
import {
  assertBelowCaps,
  capCounts,
  isFull,
  keepingSeries,
  type PlacedHold,
  roomUnder,
  type SeriesOfHold,
} from './hold-rules.ts'
import { type Reseat, takeSeats, vacateSeats } from './seating-queries.ts'
import { lockSeats, rearrangeSeats } from './seating.ts'
import type { NetworkDigests } from './stranger-queries.ts'
import { type ClientAddress, digestNetworks, isTrusted } from './strangers.ts'
import { insertVisit } from './visit-queries.ts'
import {
  assertOneCurrency,
  claimedBy,
  freeSeats,
  inTheWayOf,
  newItems,
  partyPointer,
  type SeatedClaim,
  visitClaims,
} from './visit-rules.ts'

/*
 * Holds that take time of several things: several services, steps without the person, rooms. They share transactions
 * unless claims may move between alike seats (decision 28). visit-change.ts plans bookings with the same functions.
 */

/** A service as the caller wants it. */
export interface WishedItem {
  service_id: string
  staff_id?: string | undefined
  party_size?: number | undefined
  starts?: 'after' | 'with' | undefined
}

/** A visit as the caller wants it. */
interface VisitWish {
  location_id: string
  starts_at: Instant
  items: readonly WishedItem[]
  from: ClientAddress
  isGone?: (() => boolean) | undefined
  /** True if it may begin in the past. */
  mayBeOver?: boolean
  /** The end of a hold that offers the time to a client on the waiting list. */
  offeredUntil?: Instant | undefined
  /** Binds a caller other than a session to hours, blocks, notice and grid. */
  onlyOffered?: boolean | undefined
  metadata?: Record<string, string>
}

/** A hold that has not been placed yet. */
export interface HoldToPlace {
  id: string
  /** Places the hold in a transaction that continues with it. */
  place: (tx: Transaction) => Promise<PlacedHold>
  /** Places the hold in a separate transaction. */
  commit: () => Promise<PlacedHold>
  /** The services to hold, in order. */
  services: readonly Service[]
  location: Location
  /** Places the same at another time, as a part of a series. Stores no response. */
  placeAt: (tx: Transaction, startsAt: Instant, series: SeriesOfHold) => Promise<PlacedHold>
  /** Adds free times near another one to a refusal. */
  suggest: (refusal: unknown, nearMs: number) => Promise<unknown>
}

/** Maximum number of attempts after somebody else was faster. */
const maxRounds = 12

/** A visit that has not been placed yet. */
interface Placing {
  id: string
  actor: Actor
  wish: VisitWish
  offer: VisitOffer
  /** For sessions only. */
  from: (NetworkDigests & Pick<ClientAddress, 'address'>) | undefined
  store: StoreResponse<PlacedHold>
  series?: SeriesOfHold | undefined
}

/**
 * Runs `work`, which places the hold of a visit. Repeats it if the catalogue changed in between. A conflict names the item
 * and gives other times. Throws as placeHold does.
 */
export async function withVisitToPlace<Result>(
  context: Context,
  actor: Actor,
  {
    wish,
    store,
    work,
  }: { wish: VisitWish; store: StoreResponse<PlacedHold>; work: (hold: HoldToPlace) => Promise<Result> },
): Promise<Result> {
  for (const { staff_id } of wish.items) if (staff_id !== undefined) assertOwnCalendar(actor, staff_id)
  const { address } = wish.from
  const from = isSession(actor) ? { ...(await digestNetworks(context, wish.from)), address } : undefined
  const request = {
    ...{ location_id: wish.location_id, items: wish.items },
    only_staff_id: onlyStaffId(actor),
  }
  return withVisit(context, actor.scope, {
    request,
    work: async (offer) => {
      assertParties(offer, partyPointer(offer))
      assertOneCurrency(offer)
      const placing: Placing = { id: context.ids.next(), actor, wish, offer, from, store }
      const placingAt = (startsAt: Instant, series: SeriesOfHold): Placing => ({
        ...{ ...placing, id: context.ids.next(), wish: { ...wish, starts_at: startsAt } },
        ...{ store: storeNothing, series },
      })
      const sharing = { owner: offer.location.business_id, isGone: wish.isGone }
      const suggest = (refusal: unknown, nearMs: number) => {
        const viewer = { actor, nowMs: toMs(context.clock.now()) }
        return visitAlternatives(context, refusal, { offer, startsAtMs: nearMs, viewer })
      }
      try {
        return await work({
          id: placing.id,
          place: (tx) => place(context, tx, placing),
          commit: () => context.db.sharedTransaction((tx) => place(context, tx, placing), sharing),
          services: offer.items.map(({ service }) => service),
          location: offer.location,
          placeAt: (tx, startsAt, series) => place(context, tx, placingAt(startsAt, series)),
          suggest,
        })
      } catch (error) {
        throw await suggest(error, toMs(wish.starts_at))
      }
    },
  })
}

async function place(context: Context, tx: Transaction, placing: Placing): Promise<PlacedHold> {
  const { id, actor, wish, offer, from, store } = placing
  const { now } = tx
  if (hasAlikeSeats(offer)) {
    requireOwnTransaction(tx)
    await lockSeats(context, tx, offer.location.business_id)
  }
  // 1. check for a repeated request, together with everything that the visit needs
  const session = from && { ...from, ownerId: actor.ownerId, dayAgo: plusSeconds(now, -daySeconds) }
  const request = { ...snapshotRequest(offer, wish.starts_at, now), session }
  const looking = store.look(tx)
  looking.catch(() => undefined) // the first read throws its error
  // 2. decide and take the time, repeatedly if somebody else was faster
  for (let round = 1; round <= maxRounds; round += 1) {
    const [read] = await allOf([readClaims(tx, request), looking])
    const seen = keepingSeries(read, placing.series)
    const plan = await planNextTo(tx, { placing, seen }, (all) =>
      planHold(context, tx, { placing, seen: all }),
    )
    const isTaken = await take(tx, { ...plan, businessId: offer.location.business_id })
    if (isTaken) {
      const { claims, gives, items } = plan
      const placed = { hold: claims[0], replaced: gives, timezone: offer.location.timezone, items }
      await store(tx, placed, { id, isInserted: Promise.resolve(true) })
      return placed
    }
    // own holds ended for this visit alone, or others left their seats: roll back instead of losing them for nothing
    if (plan.gives.length + plan.seating.reseats.length > 0) break
    requireOwnTransaction(tx) // a second try would take things in another order than other transactions
  }
  throw new RetryTransaction('another transaction took a part of the time of a visit')
}

/** The claims that visits of one transaction are about to insert, once the last of them is planned. */
const claimsPlannedIn = new WeakMap<Reads, Promise<readonly ClaimSeen[]>>()

/**
 * Plans a visit after those of other members of its transaction, which would choose the same. If only they may be in its
 * way, throws RetryTransaction, then NeedsOwnTransaction, because they may not get their time.
 */
async function planNextTo(
  tx: Transaction,
  { placing, seen }: { placing: Placing; seen: ClaimsSnapshot },
  plan: (seen: ClaimsSnapshot) => Promise<VisitPlan>,
): Promise<VisitPlan> {
  if (!isShared(tx)) return plan(seen) // it has read what it has written
  const before = claimsPlannedIn.get(tx.reads) ?? Promise.resolve([])
  const ids = new Set(resourceIdsOf(placing.offer))
  // ignores the claims of its earlier try
  const isOther = ({ id, resource_id }: ClaimSeen) => id !== placing.id && ids.has(resource_id)
  const near = before.then((all) => all.filter(isOther))
  const planning = near.then((others) => plan({ ...seen, claims: [...seen.claims, ...others] }))
  const after = planning.then(({ claims }) => claimsSeen(claims)).catch(() => [])
  claimsPlannedIn.set(
    tx.reads,
    Promise.all([before, after]).then((parts) => parts.flat()),
  )
  try {
    return await planning
  } catch (error) {
    if ((await near).length === 0 || !isSlotUnavailable(error)) throw error
    if (tx.attempt > 1) requireOwnTransaction(tx)
    throw new RetryTransaction('another visit of the transaction may be in the way')
  }
}

/** Returns claims as others see them. */
function claimsSeen(claims: VisitPlan['claims']): ClaimSeen[] {
  return claims.map(({ taken_from, taken_until, ...claim }) => ({
    ...claim,
    ...{ id: claims[0].id, taken: { starts_at: taken_from, ends_at: taken_until } },
  }))
}

/** The claims of a visit, and the claims that end or move for it. */
interface VisitPlan {
  claims: ReturnType<typeof visitClaims>
  items: ReturnType<typeof newItems>
  room: Room
  seating: Seating
  /** IDs of own holds that end for it. */
  gives: string[]
}

/** Throws StaleOffering, slot_not_offered, slot_held, slot_booked or hold_limit_reached. */
async function planHold(
  context: Context,
  tx: Transaction,
  { placing, seen }: { placing: Placing; seen: ClaimsSnapshot },
): Promise<VisitPlan> {
  const { id, actor, wish, offer, from, series } = placing
  const { now } = tx
  if (seen.catalogueVersion !== offer.version) throw new StaleOffering()
  // 1. plan, and choose seats. The session's own holds are not in the way
  const own = seen.ownHolds.flatMap(({ inTheWay }) => (inTheWay ? [inTheWay] : []))
  const isOwn = (claim: ClaimSeen) => own.some((hold) => hold.id === claim.id)
  const planned = planVisit(offer, wish.starts_at, {
    ...{ claims: seen.claims.filter((claim) => !isOwn(claim)), seen, now },
    rule: from || wish.onlyOffered ? 'offered' : 'anyTime',
    mayBeOver: wish.mayBeOver === true,
    onExhausted: () => context.metrics.visitSearchGaveUp(),
  })
  const replaced = own
    .filter(
      (hold) =>
        (toMs(hold.starts_at) < planned.to && toMs(hold.ends_at) > planned.from) ||
        seen.claims.some((claim) => claim.id === hold.id && inTheWayOf(planned, claim)),
    )
    .map((hold) => hold.id)
  const businessId = offer.location.business_id
  const seating = await seatsFor(context, tx, {
    claims: seen.claims.filter((claim) => !replaced.includes(claim.id)),
    ...{ planned, leaving: replaced, visitId: id, businessId },
  })
  // 2. check the caps last, because only now it is known which own holds end
  const room = from ? await roomFor(context, tx, { placing, seen, replaced }) : {}
  const expiresAt = wish.offeredUntil ?? roundUpToSecond(plusSeconds(now, context.config.holdSeconds))
  const items = newItems(offer, planned, { visitId: id, ids: context.ids })
  const claims = visitClaims(seating.claims, {
    ...{ offer, items, ids: context.ids },
    anchor: {
      id,
      owner_id: actor.ownerId,
      owner_sequence: from ? seen.lastSequence + 1 : null,
      client_network: from?.network ?? null,
      client_wider_network: from?.widerNetwork ?? null,
      created_at: now,
      expires_at: expiresAt,
      booked_at: null,
      ended_at: null,
      series_id: series?.id ?? null,
      metadata_json: metadataText(wish.metadata),
    },
  })
  return { claims, items, room, seating, gives: replaced }
}

/** Returns true if claims may move between alike seats. Transactions then take turns (see `lockSeats`). */
export function hasAlikeSeats({ items, resources }: VisitOffer): boolean {
  return items.some(({ service }) => service.capacity > 1) || resources.some(({ quantity }) => quantity > 1)
}

/** Returns the request for everything that a visit reads before it takes time. */
export function snapshotRequest(offer: VisitOffer, startsAt: Instant, now: Instant) {
  const startsAtMs = toMs(startsAt)
  const longest = longestSpan(offer, { from: startsAtMs, to: startsAtMs })
  const span = { starts_at: nearestInstant(longest.from), ends_at: nearestInstant(longest.to) }
  const day = localDay(offer, startsAtMs)
  const { from, to } = zoneAroundVisit(offer, { first: day, last: day }).spanOf({ first: day, last: day })
  return {
    now,
    businessId: offer.location.business_id,
    resourceIds: resourceIdsOf(offer),
    taken: span,
    day: { from: nearestInstant(from), to: nearestInstant(to) },
    rules: {
      locationId: offer.location.id,
      staffIds: offer.items.flatMap(({ staff }) => staff.map(({ id }) => id)),
      slot: span,
    },
    equipmentIds: offer.resources.map(({ id }) => id),
  }
}

export interface Planning {
  /** Claims that may be in the way. */
  claims: readonly ClaimSeen[]
  seen: Pick<ClaimsSnapshot, 'blocks' | 'bookingsOfDay'>
  now: Instant
  /** `offered` for clients, `anyTime` for the business. */
  rule: 'offered' | 'anyTime'
  mayBeOver: boolean
  /** Called if the search gave up. */
  onExhausted: () => void
}

const foundNobodyForAll = 'No people and rooms were found for all services of the visit at that time.'

/** Returns the best plan. Throws slot_not_offered, slot_held or slot_booked, with the number of the item. */
export function planVisit(
  offer: VisitOffer,
  startsAt: Instant,
  { claims, seen, now, rule, mayBeOver, onExhausted }: Planning,
): PlannedVisit {
  const day = localDay(offer, toMs(startsAt))
  const days = { first: day, last: day }
  const active = claims.filter((claim) => isActive(claim, now))
  const rules = new VisitRules(offer, days, {
    zone: zoneAroundVisit(offer, days),
    nowMs: toMs(now),
    blocks: seen.blocks,
    claims: claimedBy(active),
    bookingsOfDay: seen.bookingsOfDay,
    ...{ mayBeOver, onExhausted },
  })
  const planned = rules.at(toMs(startsAt), rule)
  if (!isRefusal(planned)) return planned
  const { item, reason, isOfAll = false } = planned
  const refusal =
    reason === 'slot_held' || reason === 'slot_booked'
      ? takenBy(reason)
      : reason === 'not_offered_here'
        ? notOfferedHere('Nobody gives this service there at that time.')
        : notOfferedThen(reason, isOfAll ? foundNobodyForAll : undefined)
  const { code, message, parts } = refusal
  throw new Problem(code, message, { ...parts, extensions: { ...parts.extensions, item } })
}

interface Seating {
  claims: SeatedClaim[]
  /** Claims of others that move to other seats. */
  reseats: Reseat[]
  /** Expired holds in the way. */
  expired: string[]
}

/** Chooses seats for each claim of a plan. If alike seats are free by number only, claims of others make room. */
export async function seatsFor(
  context: Context,
  tx: Transaction,
  {
    planned,
    claims,
    leaving,
    visitId,
    businessId,
  }: {
    planned: PlannedVisit
    claims: readonly ClaimSeen[]
    leaving: readonly string[]
    visitId: string
    businessId: string
  },
): Promise<Seating> {
  const rotation = rotationOf(visitId)
  const seating: Seating = { claims: [], reseats: [], expired: [] }
  for (const claim of planned.claims) {
    const { resource, taken, seats: size } = claim
    const ofResource = claims.filter((other) => other.resource_id === resource.id)
    const gone = ofResource.filter((other) => !isActive(other, tx.now)).map(({ id }) => id)
    seating.expired.push(...gone.filter((id) => !seating.expired.includes(id)))
    const id = `${claim.item}.${seating.claims.length}`
    const mine = seating.claims.filter((other) => other.resource.id === resource.id)
    const active = ofResource.filter((other) => isActive(other, tx.now))
    const seats = freeSeats(claim, { others: active, mine, rotation })
    if (seats) {
      seating.claims.push({ ...claim, id, seats, from: taken.from, to: taken.to })
      continue
    }
    const rearranged =
      resource.staffId === null && seating.reseats.every(({ resourceId }) => resourceId !== resource.id)
        ? await rearrangeSeats(context, tx, {
            businessId,
            resource,
            taken: { starts_at: instantFromMs(taken.from), ends_at: instantFromMs(taken.to) },
            partySize: size,
            leaving,
            ownerId: undefined,
            unwritten: mine,
          })
        : undefined
    if (!rearranged) throw conflict({ claims: active, now: tx.now, ownerId: undefined })
    seating.claims.push({ ...claim, id, seats: rearranged.seats, from: taken.from, to: taken.to })
    seating.reseats.push(...rearranged.reseats)
    seating.expired.push(...rearranged.expired)
  }
  return seating
}

/** Returns the number of holds that still fit under the caps of the address. Throws hold_limit_reached if none does. */
async function roomFor(
  context: Context,
  tx: Transaction,
  { placing, seen, replaced }: { placing: Placing; seen: ClaimsSnapshot; replaced: string[] },
): Promise<Room> {
  const { session, networks } = capCounts(context, seen, replaced)
  const address = placing.from?.address ?? null
  const businessId = placing.offer.location.business_id
  const isExempt = networks.some(isFull) && (await isTrusted(tx.reads, { businessId, address }))
  assertBelowCaps(isExempt ? [session] : [session, ...networks], tx.now)
  return isExempt || placing.series ? {} : roomUnder(networks)
}

/** Takes the time of a visit, all or nothing. Returns false if a claim of another transaction is in the way. */
export async function take(
  tx: Transaction,
  { claims, items, room, seating, gives, businessId }: VisitPlan & { businessId: string },
): Promise<boolean> {
  const end = { businessId, at: tx.now }
  const ends = [
    ...gives.map((id) => ({ ...end, id, onlyExpired: false })),
    ...seating.expired.map((id) => ({ ...end, id, onlyExpired: true })),
  ]
  if (ends.length > 0) await endHolds(tx, ends)
  if (seating.reseats.length > 0) await vacateSeats(tx, seating.reseats)
  const isTaken = await insertVisit(tx, { claims, items: claims.length > 1 ? items : [], room })
  if (isTaken && seating.reseats.length > 0) await takeSeats(tx, seating.reseats)
  return isTaken
}
