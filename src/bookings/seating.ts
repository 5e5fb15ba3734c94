import { maxClaimMs, type Resource, shortClaimMs, type Span } from '../availability/resource-rules.ts'
import { mostTaken } from '../availability/seat-rules.ts'
import { nearestInstant, toMs } from '../base/instants.ts'
import type { Transaction } from '../database/database.ts'
import { requireOwnTransaction } from '../database/shared-transaction.ts'
import type { Context } from './context.ts'
import { readSeated, type Reseat } from './seating-queries.ts'
import { seatOneMore } from './seating-rules.ts'
import { lockNames } from './stranger-queries.ts'

/** Bounds the claims that are read. */
const maxRead = 1_000
/** Bounds the claims that move for another one. */
const maxMoved = 200

/** Seats for one more claim, and the claims that make room for it. */
interface RearrangedSeats {
  seats: readonly number[]
  reseats: Reseat[]
  /** IDs of own holds to release. */
  givesUp: string[]
  /** IDs of expired holds in the way. */
  expired: string[]
}

interface SeatsWanted {
  businessId: string
  resource: Resource
  taken: Span
  partySize: number
  /** IDs of claims that leave anyway. */
  leaving: readonly string[]
  /** The session whose holds may be released; undefined for keys. */
  ownerId: string | undefined
  /** Claims of the same visit that are not written yet. They move in place, and are not among the `reseats`. */
  unwritten?: { id: string; seats: readonly number[]; from: number; to: number }[]
}

/**
 * Takes turns with other holds and rearrangements of a business (PostgreSQL). Two that each had some seats of a class
 * would wait for each other's. SQLite writes one transaction at a time anyway.
 */
export async function lockSeats({ db }: Pick<Context, 'db'>, tx: Transaction, businessId: string) {
  if (db.engine === 'postgres') await lockNames(tx, [`seats of ${businessId}`])
}

/**
 * Finds seats for a claim that fits by number, though none is free for its whole time: others move to other seats.
 * Undefined if it does not fit, or too many would have to move. Throws NeedsOwnTransaction in a shared one: while claims
 * are between two seats, other members would see them as gone.
 */
export async function rearrangeSeats(
  context: Context,
  tx: Transaction,
  { businessId, resource, taken, partySize, leaving, ownerId, unwritten = [] }: SeatsWanted,
): Promise<RearrangedSeats | undefined> {
  requireOwnTransaction(tx)
  await lockSeats(context, tx, businessId)
  const wanted = { from: toMs(taken.starts_at), to: toMs(taken.ends_at) }
  const until = wanted.to + maxClaimMs
  const read = await readSeated(tx.reads, {
    resourceId: resource.id,
    from: taken.starts_at,
    until: nearestInstant(until),
    shortlyBefore: nearestInstant(wanted.from - shortClaimMs),
    earliest: nearestInstant(wanted.from - maxClaimMs),
    max: maxRead,
  })
  const knownUntil = read.length < maxRead ? until : (read.at(-1)?.from ?? until)
  const staying = read.filter(({ visitId }) => !leaving.includes(visitId))
  const isExpired = ({ expiresAt }: (typeof read)[number]) => expiresAt !== null && expiresAt <= tx.now
  const active = staying.filter((claim) => !isExpired(claim))
  const own = active.filter(
    ({ expiresAt, ownerId: owner, from }) => expiresAt !== null && owner === ownerId && from < wanted.to,
  )
  const fits = (claims: typeof active) =>
    mostTaken([...claims, ...unwritten], wanted) + partySize <= resource.seats
  // own holds stay if there is room for all
  const givesUp = fits(active) ? [] : own
  const kept = active.filter((claim) => !givesUp.includes(claim))
  if (!fits(kept)) return undefined
  const claims = [...kept, ...unwritten].toSorted((one, other) => one.from - other.from)
  const { seats: capacity } = resource
  const seating = seatOneMore({ wanted, size: partySize, claims, capacity, knownUntil, maxMoved })
  if (!seating) {
    context.log.warn({ resource_id: resource.id, starts_at: taken.starts_at }, 'too many claims to rearrange')
    return undefined
  }
  const isUnwritten = (id: string) => unwritten.some((claim) => claim.id === id)
  for (const claim of unwritten) {
    claim.seats = seating.moved.find(({ id }) => id === claim.id)?.seats ?? claim.seats
  }
  return {
    seats: seating.seats,
    reseats: seating.moved
      .filter(({ id }) => !isUnwritten(id))
      .map(({ id, seats }) => ({ id, businessId, resourceId: resource.id, seats })),
    givesUp: givesUp.map(({ visitId }) => visitId),
    expired: staying
      .filter((claim) => isExpired(claim) && claim.from < seating.changedUntil)
      .map(({ visitId }) => visitId),
  }
}
