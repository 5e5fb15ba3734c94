import { type Actor, assertOwnCalendar, isSession, onlyStaffId } from '../access/actor.ts'
import { isSlotUnavailable, localDay, notOfferedHere, notOfferedThen } from '../availability/offer-rules.ts'
import { eligibleStaff } from '../availability/resource-rules.ts'
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
import { findOffering, forgetOffering } from '../catalogue/offering.ts'
import { allOf, type Reads, RetryTransaction, type Transaction } from '../database/database.ts'
import type { StoreResponse } from '../database/idempotency.ts'
import { requireOwnTransaction } from '../database/shared-transaction.ts'
import type { BookingRow } from '../database/shown-booking.ts'
import type { BookingsTable, VisitItemsTable } from '../database/tables.ts'
import { endHolds, type Room } from './claim-queries.ts'
import { type ClaimSeen, conflict, isActive, rotationOf, takenBy } from './claim-rules.ts'
import { type ClaimsSnapshot, readClaims } from './claim-snapshot-queries.ts'
import type { Context } from './context.ts'
import { assertBelowCaps, capCounts, isFull, type PlacedHold, roomUnder } from './hold-rules.ts'
import { lockSeats, rearrangeSeats } from './seating.ts'
import { type Reseat, takeSeats, vacateSeats } from './seating-queries.ts'
import type { NetworkDigests } from './stranger-queries.ts'
import { type ClientAddress, digestNetworks, isTrusted } from './strangers.ts'
import { deleteVisitClaims, deleteVisitItems, findVisitItems, insertVisit } from './visit-queries.ts'
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
 * Holds and bookings that take time of several things: several services, steps without the person, rooms. They share transactions unless claims may move between alike seats (decision 28).
 */

/** A service as the caller wants it. */
interface WishedItem {
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
}

/** A hold that has not been placed yet. */
export interface HoldToPlace {
  id: string
  /** Places the hold in a transaction that continues with it. */
  place: (tx: Transaction) => Promise<PlacedHold>
  /** Places the hold in a separate transaction. */
  commit: () => Promise<PlacedHold>
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
      const id = context.ids.next()
      const placing = { id, actor, wish, offer, from, store }
      const sharing = { owner: offer.location.business_id, isGone: wish.isGone }
      try {
        return await work({
          id,
          place: (tx) => place(context, tx, placing),
          commit: () => context.db.sharedTransaction((tx) => place(context, tx, placing), sharing),
        })
      } catch (error) {
        const viewer = { actor, nowMs: toMs(context.clock.now()) }
        throw await visitAlternatives(context, error, { offer, startsAtMs: toMs(wish.starts_at), viewer })
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
    const [seen] = await allOf([readClaims(tx, request), looking])
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
const planned = new WeakMap<Reads, Promise<readonly ClaimSeen[]>>()

/**
 * Plans a visit after those of other members of its transaction, which would choose the same. If only they may be in its
 * way, throws RetryTransaction, then NeedsOwnTransaction, because they may not get their time.
 */
async function planNextTo(
  tx: Transaction,
  { placing, seen }: { placing: Placing; seen: ClaimsSnapshot },
  plan: (seen: ClaimsSnapshot) => Promise<VisitPlan>,
): Promise<VisitPlan> {
  const before = planned.get(tx.reads) ?? Promise.resolve([])
  const ids = new Set(resourceIdsOf(placing.offer))
  // an earlier try of its own is over
  const isOther = ({ id, resource_id }: ClaimSeen) => id !== placing.id && ids.has(resource_id)
  const near = before.then((all) => all.filter(isOther))
  const planning = near.then((others) => plan({ ...seen, claims: [...seen.claims, ...others] }))
  const after = planning.then(({ claims }) => claimsSeen(claims)).catch(() => [])
  planned.set(
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
  const { id, actor, wish, offer, from } = placing
  const { now } = tx
  if (seen.catalogueVersion !== offer.version) throw new StaleOffering()
  // 1. plan, and choose seats. The session's own holds are not in the way
  const own = seen.ownHolds.flatMap(({ inTheWay }) => (inTheWay ? [inTheWay] : []))
  const isOwn = (claim: ClaimSeen) => own.some((hold) => hold.id === claim.id)
  const planned = planVisit(offer, wish.starts_at, {
    ...{ claims: seen.claims.filter((claim) => !isOwn(claim)), seen, now },
    rule: from ? 'offered' : 'anyTime',
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
  const expiresAt = roundUpToSecond(plusSeconds(now, context.config.holdSeconds))
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
    },
  })
  return { claims, items, room, seating, gives: replaced }
}

/** True if claims may move between alike seats, which takes turns (see `lockSeats`). */
function hasAlikeSeats({ items, resources }: VisitOffer): boolean {
  return items.some(({ service }) => service.capacity > 1) || resources.some(({ quantity }) => quantity > 1)
}

/** Returns the request for everything that a visit reads before it takes time. */
function snapshotRequest(offer: VisitOffer, startsAt: Instant, now: Instant) {
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

interface Planning {
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
function planVisit(
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
async function seatsFor(
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
  return isExempt ? {} : roomUnder(networks)
}

/** Takes the time of a visit, all or nothing. Returns false if a claim of another transaction is in the way. */
async function take(
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

/** A booking's services and time, after it has taken them. */
export interface RetakenVisit {
  columns: Pick<
    BookingsTable,
    | 'starts_at'
    | 'ends_at'
    | 'service_id'
    | 'staff_id'
    | 'chosen_staff_id'
    | 'party_size'
    | 'agreed_amount'
    | 'agreed_currency'
    | 'item_count'
  >
  /** The present deposit of all its services and people, in minor units. */
  deposit: number
}

/** A service of a booking, with the person it should have. */
export interface RetakenItem extends WishedItem {
  /** The only person who may give it, if it needs one and `staff_id` is absent. */
  only_staff_id?: string | undefined
  /** The item of the booking that it was. */
  present?: PresentItem | undefined
}

type PresentItem = Pick<
  VisitItemsTable,
  | 'id'
  | 'service_id'
  | 'staff_id'
  | 'chosen_staff_id'
  | 'starts_at'
  | 'party_size'
  | 'starts_with'
  | 'agreed_amount'
  | 'agreed_currency'
>

/** Reads the items of a booking. A booking of one service is its own. */
export async function presentItems(tx: Transaction, booking: BookingRow): Promise<PresentItem[]> {
  return booking.item_count === null ? [{ ...booking, starts_with: 0 }] : findVisitItems(tx.reads, booking)
}

/**
 * Moves a booking of several things to another time, or takes its time again. Its people keep it where they can; nobody
 * whom the client asked for is replaced. Throws as retakeVisit does.
 */
export async function moveVisit(
  context: Context,
  tx: Transaction,
  { keepsPeople = false, ...retaking }: Moving,
): Promise<RetakenVisit> {
  const present = await presentItems(tx, retaking.booking)
  const wished = (keeps: boolean) =>
    present.map((item): RetakenItem => {
      const { service_id, staff_id, chosen_staff_id, party_size, starts_with } = item
      const person = (keeps ? staff_id : chosen_staff_id) ?? undefined
      const starts = starts_with === 1 ? 'with' : 'after'
      return { ...{ service_id, staff_id: person, party_size, starts }, present: item }
    })
  const mayChange =
    !keepsPeople &&
    present.some(({ staff_id, chosen_staff_id }) => staff_id !== null && chosen_staff_id === null)
  try {
    return await retakeVisit(context, tx, { ...retaking, items: wished(true) })
  } catch (error) {
    if (!mayChange || !isSlotUnavailable(error)) throw error
    return retakeVisit(context, tx, { ...retaking, items: wished(false) })
  }
}

interface Moving extends Omit<Retaking, 'items'> {
  /** True if nobody else may get a service. */
  keepsPeople?: boolean
}

interface Retaking {
  booking: BookingRow
  startsAt: Instant
  items: readonly RetakenItem[]
  rule: Planning['rule']
  /** Receives what was looked for, so that a refusal can name other times. */
  tried: { offer?: VisitOffer }
}

/**
 * Takes the time of a booking with these services, in place of what it takes now. Throws slot_not_offered, slot_held,
 * slot_booked or validation_failed, with the number of the item.
 */
export async function retakeVisit(
  context: Context,
  tx: Transaction,
  { booking, startsAt, items: wished, rule, tried }: Retaking,
): Promise<RetakenVisit> {
  requireOwnTransaction(tx)
  const offer = await offerOf(context, tx, booking, { wished, mustBeOffered: rule === 'offered' })
  tried.offer = offer
  assertParties(offer, partyPointer(offer))
  assertOneCurrency(offer)
  if (hasAlikeSeats(offer)) await lockSeats(context, tx, booking.business_id)
  const seen = await readClaims(tx, snapshotRequest(offer, startsAt, tx.now))
  if (seen.catalogueVersion !== offer.version)
    throw new RetryTransaction('the catalogue has changed since the services were read')
  const claims = seen.claims.filter(({ id }) => id !== booking.id)
  const present = wished.flatMap(({ present: item }) =>
    item?.staff_id ? [[item.staff_id, -1] as const] : [],
  )
  const planned = planVisit(offer, startsAt, {
    claims,
    seen: { ...seen, bookingsOfDay: new Map([...seen.bookingsOfDay, ...present]) },
    now: tx.now,
    rule,
    mayBeOver: rule === 'anyTime',
    onExhausted: () => context.metrics.visitSearchGaveUp(),
  })
  const seating = await seatsFor(context, tx, {
    ...{ planned, claims, leaving: [booking.id], visitId: booking.id },
    businessId: booking.business_id,
  })
  const items = newItems(offer, planned, { visitId: booking.id, ids: context.ids, wished })
  const { id, owner_id, created_at } = booking
  const rows = visitClaims(seating.claims, {
    ...{ offer, items, ids: context.ids },
    anchor: {
      ...{ id, owner_id, created_at, expires_at: created_at, booked_at: tx.now, ended_at: null },
      ...{ owner_sequence: null, client_network: null, client_wider_network: null },
    },
  })
  await deleteVisitClaims(tx, booking)
  await deleteVisitItems(tx, booking)
  if (
    !(await take(tx, { claims: rows, items, room: {}, seating, gives: [], businessId: booking.business_id }))
  )
    throw new RetryTransaction('another transaction took a part of the time of a visit')
  const [first] = items
  return {
    columns: {
      starts_at: instantFromMs(planned.from),
      ends_at: instantFromMs(planned.to),
      service_id: first.service_id,
      staff_id: first.staff_id,
      chosen_staff_id: first.chosen_staff_id,
      party_size: first.party_size,
      agreed_amount: first.agreed_amount,
      agreed_currency: first.agreed_currency ?? '',
      item_count: rows.length > 1 ? items.length : null,
    },
    deposit: offer.items.reduce(
      (sum, { service, partySize }) => sum + (service.deposit?.amount ?? 0) * partySize,
      0,
    ),
  }
}

/** Reads what a booking's services need, from the database as it is now. */
async function offerOf(
  context: Context,
  tx: Transaction,
  { business_id: businessId, location_id: locationId }: BookingRow,
  { wished, mustBeOffered }: { wished: readonly RetakenItem[]; mustBeOffered: boolean },
): Promise<VisitOffer> {
  const parts: Awaited<ReturnType<typeof findOffering>>[] = []
  for (const { service_id: serviceId } of wished) {
    const ids = { serviceId, locationId }
    forgetOffering(context, { businessId }, ids)
    parts.push(await findOffering(context, { businessId }, ids, tx.reads))
  }
  const items = wished.map(({ staff_id: named, only_staff_id, party_size = 1, starts = 'after' }, index) => {
    const { service, location, staff } = parts[index] ?? {}
    const refuse = (problem: Problem) => {
      const { code, message, parts: rest } = problem
      return new Problem(code, message, { ...rest, extensions: { ...rest.extensions, item: index } })
    }
    if (!service || !location || !staff)
      throw refuse(new Problem('not_found', 'There is no service with this service_id.'))
    const isOffered = service.active && location.active && service.location_ids.includes(location.id)
    if (mustBeOffered && !isOffered)
      throw refuse(notOfferedHere('The service is not offered there any more.'))
    const isStaffed = service.staff_ids.length > 0
    const staff_id = named ?? (isStaffed ? only_staff_id : undefined)
    const eligible = isStaffed ? eligibleStaff({ staff, location }, staff_id) : []
    if (isStaffed && eligible.length === 0)
      throw refuse(notOfferedHere('The staff member does not give this service there.'))
    return {
      ...{ service, location, staff: eligible, partySize: party_size },
      chosenStaffId: staff_id ?? null,
      startsWith: starts === 'with',
    }
  })
  const [first] = parts
  if (!first?.location) throw new Error('the location of a booking is missing') // locations are never deleted
  const resources = new Map(parts.flatMap((part) => part.resources.map((one) => [one.id, one])))
  return {
    items,
    location: first.location,
    resources: [...resources.values()],
    maxGapMinutes: first.maxGapMinutes,
    version: first.version,
  }
}
