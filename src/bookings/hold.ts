import type { Static } from 'typebox'
import { type Actor, assertOwnCalendar, isSession, isStaff, onlyStaffId } from '../access/actor.ts'
import { withAlternatives } from '../availability/availability.ts'
import { assertParty, overlaps } from '../availability/resource-rules.ts'
import { StaleOffering, withOffering } from '../availability/versioned-offering.ts'
import { Problem } from '../base/errors.ts'
import { isUuid } from '../base/ids.ts'
import { metadataOf, metadataText } from '../base/metadata-rules.ts'
import {
  daySeconds,
  formatInstant,
  type Instant,
  plusSeconds,
  roundUpToSecond,
  toMs,
  type WithInstants,
} from '../base/instants.ts'
import type { CleanupJob } from '../database/context.ts'
import { allOf, type Transaction } from '../database/database.ts'
import { isPlainService } from '../catalogue/service-rules.ts'
import type { ClaimsTable, VisitItemsTable } from '../database/tables.ts'
import { scopeKey } from '../database/tenant-scope.ts'
import { storeNothing, type StoreResponse } from '../database/idempotency.ts'
import { countActiveClaims, endHolds } from './claim-queries.ts'
import type { ClaimsSnapshot } from './claim-snapshot-queries.ts'
import { type NewClaim, rotationOf } from './claim-rules.ts'
import { bestSeat, takeTime, type TimePlan } from './claim.ts'
import type { Context } from './context.ts'
import { lockSeats } from './seating.ts'
import {
  deleteOldHolds,
  endExpiredHolds,
  forgetNetworks,
  findHold,
  findHoldForChange,
  type HoldKey,
  type HoldRow,
} from './hold-queries.ts'
import {
  assertBelowCaps,
  capCounts,
  claimsRequest,
  type HoldContext,
  holdRow,
  type HoldStatus,
  holdStatus,
  isFull,
  keepingSeries,
  offeredResources,
  type PlacedHold,
  roomUnder,
  type SeriesOfHold,
  sessionOf,
  wantedOf,
} from './hold-rules.ts'
import type { PlaceHold } from './hold-schemas.ts'
import { type ClientAddress, digestNetworks, isTrusted } from './strangers.ts'
import { findVisitItems } from './visit-queries.ts'
import { ofItem } from './visit-rules.ts'
import { type HoldToPlace, withVisitToPlace } from './visit.ts'

/** One service, or the items of a visit. */
export type PlaceHoldInput = Omit<
  WithInstants<Static<typeof PlaceHold>, 'starts_at'>,
  'repeat' | 'conflicts'
> &
  Pick<HoldContext, 'isGone' | 'offeredUntil' | 'onlyOffered'> & { from: ClientAddress; mayBeOver?: boolean }

/** The request for a hold of one service. */
type OneService = PlaceHoldInput & { service_id: string }

/** Returns the refusal for a converted hold. Only its owner learns the ID of the booking. */
export function alreadyConverted(hold: Pick<ClaimsTable, 'id' | 'owner_id'>, actor: Actor): Problem {
  return new Problem('hold_converted', 'The hold already became a booking.', {
    ...(hold.owner_id === actor.ownerId && { extensions: { booking_id: hold.id } }),
  })
}

/**
 * Holds one service, or all items of a visit, for ten minutes. Replaces the session's own holds at that time. With
 * `mayBeOver`, a key or person may take a past time, which no API request can ask for. A refusal changes
 * nothing. Throws validation_failed for too large a party, not_found, slot_not_offered, hold_limit_reached,
 * slot_held or slot_booked.
 */
export async function placeHold(
  context: Context,
  actor: Actor,
  input: PlaceHoldInput,
  store: StoreResponse<PlacedHold> = storeNothing,
): Promise<PlacedHold> {
  const placed = await withPlacing(context, actor, {
    ...{ input, store },
    work: ({ commit }) => commit(),
  })
  countPlaced(context, placed)
  return placed
}

/**
 * Runs `work`, which places the hold. Repeats it if the catalogue changed in between. `look` checks for a
 * repeated request. Throws as placeHold does.
 */
export async function withHoldToPlace<Result>(
  context: Context,
  actor: Actor,
  {
    input,
    look,
    work,
  }: {
    input: PlaceHoldInput
    look: StoreResponse<unknown>['look']
    work: (hold: HoldToPlace) => Promise<Result>
  },
): Promise<Result> {
  let placed: PlacedHold | undefined
  const result = await withPlacing(context, actor, {
    input,
    store: Object.assign(() => Promise.resolve(), { look }),
    work: ({ place, commit, ...hold }) =>
      work({
        ...hold,
        place: async (tx) => (placed = await place(tx)),
        commit: async () => (placed = await commit()),
      }),
  })
  if (placed) countPlaced(context, placed)
  return result
}

function countPlaced({ metrics }: Context, { replaced }: PlacedHold): void {
  metrics.hold('placed')
  metrics.hold('replaced', replaced.length)
}

interface WithPlacing<Input, Result> {
  input: Input
  store: StoreResponse<PlacedHold>
  work: (hold: HoldToPlace) => Promise<Result>
}

/** Runs `work` with a hold to place. Adds alternatives to a conflict. */
export async function withPlacing<Result>(
  context: Context,
  actor: Actor,
  { input, store, work }: WithPlacing<PlaceHoldInput, Result>,
): Promise<Result> {
  const { items, service_id, staff_id, party_size, ...rest } = input
  const [one, ...others] = items ?? [{ service_id, staff_id, party_size }]
  if (one?.service_id === undefined || others.length > 0) {
    return withVisitToPlace(context, actor, { wish: { ...rest, items: items ?? [] }, store, work })
  }
  const { service_id: serviceId, staff_id: staffId, party_size: partySize } = one
  const chosen = {
    ...(staffId !== undefined && { staff_id: staffId }),
    ...(partySize !== undefined && { party_size: partySize }),
  }
  try {
    return await withOnePlacing(context, actor, {
      ...{ input: { ...rest, ...chosen, service_id: serviceId }, store, work },
    })
  } catch (error) {
    throw items ? ofItem(error, 0) : error
  }
}

async function withOnePlacing<Result>(
  context: Context,
  actor: Actor,
  { input, store, work }: WithPlacing<OneService, Result>,
): Promise<Result> {
  if (input.staff_id !== undefined) assertOwnCalendar(actor, input.staff_id)
  const { starts_at: startsAt, isGone, mayBeOver = false, party_size: partySize = 1 } = input
  const { offeredUntil, onlyOffered } = input
  const { address } = input.from
  const from = isSession(actor) ? { ...(await digestNetworks(context, input.from)), address } : undefined
  const only_staff_id = onlyStaffId(actor)
  const chosenStaffId = input.staff_id ?? only_staff_id ?? null
  return withOffering(context, actor.scope, {
    request: only_staff_id === undefined ? input : { ...input, only_staff_id },
    work: async (offer) => {
      if (!isPlainService(offer.service)) {
        const { service_id, staff_id, party_size, ...rest } = input
        const wish = { ...rest, items: [{ service_id, staff_id, party_size }] }
        return withVisitToPlace(context, actor, { wish, store, work })
      }
      const placingAt = (time: Instant, series?: SeriesOfHold): HoldContext => {
        const asked = { id: context.ids.next(), startsAt: time, partySize, chosenStaffId, mayBeOver }
        return {
          actor,
          wanted: wantedOf(offer, asked),
          from,
          isGone,
          store: series ? storeNothing : store,
          series,
          offeredUntil,
          onlyOffered,
          metadata: metadataText(input.metadata),
        }
      }
      const suggest = (refusal: unknown, nearMs: number) => {
        const viewer = { actor, nowMs: toMs(context.clock.now()), partySize }
        return withAlternatives(context, refusal, { offer, startsAtMs: nearMs, viewer })
      }
      const placing = placingAt(startsAt)
      try {
        return await work({
          id: placing.wanted.id,
          place: (tx) => place(context, tx, placing),
          commit: () => commit(context, placing),
          services: [offer.service],
          location: offer.location,
          placeAt: (tx, time, series) => place(context, tx, placingAt(time, series)),
          suggest,
        })
      } catch (error) {
        throw await suggest(error, toMs(startsAt))
      }
    },
  })
}

function commit(context: Context, placing: HoldContext): Promise<PlacedHold> {
  const { wanted, isGone } = placing
  const owner = wanted.offer.service.business_id
  return context.db.sharedTransaction((tx) => place(context, tx, placing), { owner, isGone })
}

/** Reads a hold, its status, and the items of a visit of several services. Throws hold_not_found. */
export async function showHold(
  context: Context,
  actor: Actor,
  id: string,
): Promise<{ hold: HoldRow; status: HoldStatus; items: VisitItemsTable[] | undefined }> {
  const now = context.clock.now()
  const key = keyOf(actor, id)
  const hold = known(key && (await findHold(context.db.reads, key, now)))
  const items = hold.claim_count === 1 ? [] : await findVisitItems(context.db.reads, hold)
  return { hold, status: holdStatus(hold, now), items: items.length > 1 ? items : undefined }
}

/** Returns a hold for display, with times in its location's zone. `items` are those of a visit. */
export function presentHold(
  hold: Omit<NewClaim, 'seats'>,
  { timezone, actor, items }: { timezone: string; actor: Actor; items?: readonly ItemOfHold[] | undefined },
) {
  const metadata = isSession(actor) ? {} : metadataOf(hold)
  return {
    hold_id: hold.id,
    service_id: hold.service_id,
    location_id: hold.location_id,
    starts_at: formatInstant(hold.starts_at, timezone),
    ends_at: formatInstant(hold.ends_at, timezone),
    expires_at: formatInstant(hold.expires_at, timezone),
    ...(hold.party_size > 1 && { party_size: hold.party_size }),
    ...(items && {
      items: items.map(({ service_id, staff_id, starts_at, ends_at }) => ({
        ...{ service_id, staff_id },
        starts_at: formatInstant(starts_at, timezone),
        ends_at: formatInstant(ends_at, timezone),
      })),
    }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  }
}

type ItemOfHold = Pick<VisitItemsTable, 'service_id' | 'staff_id' | 'starts_at' | 'ends_at'>

/** Returns a hold of one service as an item. */
export function oneItem({ service_id, staff_id, starts_at, ends_at }: Omit<NewClaim, 'seats'>) {
  return { service_id, staff_id, starts_at, ends_at }
}

/**
 * Releases a hold, which frees its slot at once. An ended hold stays unchanged. Throws hold_not_found, or
 * hold_converted if it became a booking.
 */
export async function releaseHold(context: Context, actor: Actor, id: string): Promise<void> {
  const owner = scopeKey(actor.scope)
  const isReleased = await context.db.sharedTransaction((tx) => release(tx, actor, id), { owner })
  if (isReleased) context.metrics.hold('released')
}

async function release(tx: Transaction, actor: Actor, id: string): Promise<boolean> {
  const hold = await holdForChange(tx, actor, id)
  if (hold.booked_at !== null) throw alreadyConverted(hold, actor)
  if (holdStatus(hold, tx.now) !== 'active') return false
  await endHolds(tx, [{ id: hold.id, businessId: hold.business_id, at: tx.now, onlyExpired: false }])
  return true
}

/** Counts the active holds of all businesses. */
export function countActiveHolds({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<number> {
  return countActiveClaims(db.reads, clock.now())
}

/** Ends expired holds. Their slots are already free, but they fill indexes. */
export const expiredHolds: CleanupJob = {
  name: 'expired holds',
  deleteBatch: ({ db }, max) => db.transaction((tx) => endExpiredHolds(tx.db, tx.now, max)),
}

/** Removes addresses from ended and converted holds, because only active holds count towards caps. */
export const oldNetworks: CleanupJob = {
  name: 'addresses of holds',
  deleteBatch: ({ db }, max) => db.transaction((tx) => forgetNetworks(tx.db, max)),
}

/** Deletes hold records a day after `expires_at`, unless a booking uses their time. */
export const oldHolds: CleanupJob = {
  name: 'old hold records',
  deleteBatch: ({ db }, max) =>
    db.transaction((tx) => deleteOldHolds(tx.db, plusSeconds(tx.now, -daySeconds), max)),
}

async function place(context: Context, tx: Transaction, placing: HoldContext): Promise<PlacedHold> {
  const { wanted, store } = placing
  const { timezone } = wanted.offer.location
  const { business_id: businessId, capacity } = wanted.offer.service
  const locking = capacity > 1 ? lockSeats(context, tx, businessId) : Promise.resolve()
  locking.catch(() => undefined) // `decide` throws its error
  // 1. check for a repeated request, together with everything that the hold needs
  const looking = store.look(tx)
  looking.catch(() => undefined) // `decide` throws its error
  const decide = async (seen: ClaimsSnapshot) => {
    await allOf([locking, looking])
    return planHold(context, tx, { placing, seen: keepingSeries(seen, placing.series) })
  }
  // 2. decide and take the time, repeatedly if somebody else was faster. Store the response for repeated
  // requests
  const request = claimsRequest(wanted, tx.now, sessionOf(placing, tx.now))
  const { claim, replaced } = await takeTime(tx, request, {
    decide,
    record: ({ claim: hold, replaced }, isInserted) =>
      store(tx, { hold, replaced, timezone }, { id: hold.id, isInserted }),
  })
  return { hold: claim, replaced, timezone }
}

interface HoldPlan extends TimePlan {
  replaced: string[]
}

/** Throws StaleOffering, slot_not_offered, slot_held, slot_booked or hold_limit_reached. */
async function planHold(
  context: Context,
  tx: Transaction,
  { placing, seen }: { placing: HoldContext; seen: ClaimsSnapshot },
): Promise<HoldPlan> {
  const { actor, wanted, from } = placing
  const { offer, slot, partySize } = wanted
  const { now } = tx
  if (seen.catalogueVersion !== offer.version) throw new StaleOffering()
  assertParty(offer.service, partySize)
  const isBound = from !== undefined || placing.onlyOffered === true
  const resources = offeredResources(isBound, wanted, { nowMs: toMs(now), blocks: seen.blocks })
  // 1. replace the session's own holds at that time
  const overlapping = seen.ownHolds.flatMap(({ inTheWay }) =>
    inTheWay && overlaps(inTheWay, slot) ? [inTheWay.id] : [],
  )
  const claims = seen.claims.filter(({ id }) => !overlapping.includes(id))
  const ownerId = from && actor.ownerId
  const choice = {
    resources,
    partySize,
    claims,
    now,
    ownerId,
    bookingsOfDay: seen.bookingsOfDay,
    rotation: rotationOf(wanted.id),
  }
  const wish = { businessId: offer.service.business_id, taken: wanted.taken, leaving: overlapping }
  const best = await bestSeat(context, tx, { choice, wish })
  // 2. check the caps last, because only now it is known which own holds end
  const replaced = [...overlapping, ...best.givesUp]
  const room = from ? await roomFor(context, tx, { placing, seen, replaced }) : {}
  const expiresAt = placing.offeredUntil ?? roundUpToSecond(plusSeconds(now, context.config.holdSeconds))
  const claim = holdRow(placing, { ...best, expiresAt, sequence: seen.lastSequence + 1, now })
  return { claim, room, gives: replaced, expired: best.expired, reseats: best.reseats, replaced }
}

/**
 * Returns the number of holds that still fit under the caps of the address. Throws hold_limit_reached if none
 * does.
 */
async function roomFor(
  context: Context,
  tx: Transaction,
  { placing, seen, replaced }: { placing: HoldContext; seen: ClaimsSnapshot; replaced: string[] },
) {
  const { session, networks } = capCounts(context, seen, replaced)
  const businessId = placing.wanted.offer.service.business_id
  const address = placing.from?.address ?? null
  const isExempt = networks.some(isFull) && (await isTrusted(tx.reads, { businessId, address }))
  assertBelowCaps(isExempt ? [session] : [session, ...networks], tx.now)
  // the holds of a series count one after the other, each with those before
  return isExempt || placing.series ? {} : roomUnder(networks)
}

/**
 * Returns a hold of the caller's session or staff member, or any hold in scope for keys. Locks it until the
 * transaction ends. Throws hold_not_found.
 */
async function holdForChange(tx: Transaction, actor: Actor, id: string): Promise<HoldRow> {
  const key = keyOf(actor, id)
  return known(key && (await findHoldForChange(tx, { key, now: tx.now })))
}

/** Returns the key of a hold; undefined for an invalid ID. */
export function keyOf(actor: Actor, id: string): HoldKey | undefined {
  const ownerId = isSession(actor) || isStaff(actor) ? actor.ownerId : undefined
  return isUuid(id) ? { scope: actor.scope, id: id.toLowerCase(), ownerId } : undefined
}

function known(hold: HoldRow | undefined): HoldRow {
  if (!hold) throw unknownHold()
  return hold
}

/** Returns the error for a hold out of scope, as if it did not exist. */
export function unknownHold(): Problem {
  return new Problem('hold_not_found', 'There is no hold with this id.')
}
