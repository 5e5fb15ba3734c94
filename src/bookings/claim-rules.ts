import type { Resource, Span } from '../availability/resource-rules.ts'
import { mostTaken } from '../availability/seat-rules.ts'
import { Problem } from '../base/errors.ts'
import { type Instant, toMs } from '../base/instants.ts'
import type { ClaimsTable } from '../database/tables.ts'

/** A claim that overlaps the wanted time, from one snapshot. */
export interface ClaimSeen {
  /** The ID of its hold or booking. The claims of a visit share it. */
  id: string
  resource_id: string
  seats: readonly number[]
  /** Its time with buffers. */
  taken: Span
  occurrence_id: string
  /** Null if it is booked. */
  expires_at: Instant | null
  owner_id: string | null
}

/** Seats to try, one for each member of the party, and the caller's own holds to release for them. */
export interface Candidate {
  resource: Resource
  seats: readonly number[]
  givesUp: string[]
}

/** Input for choosing a seat. */
export interface Choice {
  resources: Resource[]
  /** Seats to take together, of one resource. */
  partySize: number
  claims: ClaimSeen[]
  now: Instant
  /** The session whose holds may be released; undefined for keys, whose holds stay. */
  ownerId: string | undefined
  /** Number of bookings that day by staff member. Those with the fewest come first. */
  bookingsOfDay: ReadonlyMap<string, number>
  /** Index of the first of equal seats to try, so that concurrent requests do not all try the same one. */
  rotation: number
}

/** A claim to insert. */
export type NewClaim = Omit<ClaimsTable, 'seat' | 'seats' | 'visit_id' | 'claim_count'> & {
  seats: readonly number[]
}

/** Returns the columns of a claim that describe its target. */
export function placeOf(
  { resource, seats }: Pick<Candidate, 'resource' | 'seats'>,
  taken: Span,
): Pick<NewClaim, 'resource_id' | 'seats' | 'party_size' | 'occurrence_id' | 'taken_from' | 'taken_until'> {
  const { id: resource_id, occurrenceId: occurrence_id } = resource
  const party_size = seats.length
  return {
    resource_id,
    seats,
    party_size,
    occurrence_id,
    taken_from: taken.starts_at,
    taken_until: taken.ends_at,
  }
}

/**
 * Returns the index of the first of equal seats to try. Concurrent requests should not all start with the
 * same one.
 */
export function rotationOf(id: string): number {
  return Number.parseInt(id.slice(-4), 16)
}

/**
 * Returns free seats, best first: without own holds to release, then with the fewest bookings that day, then
 * by ID.
 */
export function candidates(choice: Choice): Candidate[] {
  const bookings = ({ resource }: Candidate) => choice.bookingsOfDay.get(resource.id) ?? 0
  return choice.resources
    .flatMap((resource) => freeSeats(resource, choice))
    .toSorted(
      (one, other) =>
        Math.sign(one.givesUp.length) - Math.sign(other.givesUp.length) ||
        bookings(one) - bookings(other) ||
        (one.resource.id < other.resource.id ? -1 : one.resource.id > other.resource.id ? 1 : 0),
    )
}

function freeSeats(resource: Resource, { claims, now, ownerId, rotation, partySize }: Choice): Candidate[] {
  const { seats: capacity, occurrenceId } = resource
  const active = claims.filter((claim) => claim.resource_id === resource.id && isActive(claim, now))
  const own = active.filter((claim) => isOwnHold(claim, ownerId))
  const others = active.filter((claim) => !isOwnHold(claim, ownerId))
  if (others.some(({ occurrence_id }) => occurrence_id !== occurrenceId)) return []
  const taken = new Set(others.flatMap(({ seats }) => seats))
  // Claims beyond a lowered capacity count. Takes only the lowest seats, so that concurrent requests collide
  // on them.
  const free = Array.from({ length: capacity }, (_, seat) => seat)
    .filter((seat) => !taken.has(seat))
    .slice(0, Math.max(0, capacity - taken.size))
  const turn = (seat: number) => (seat + capacity - (rotation % capacity)) % capacity
  const ownSeats = new Set(own.flatMap(({ seats }) => seats))
  const inOrder = free.toSorted(
    (one, other) => Number(ownSeats.has(one)) - Number(ownSeats.has(other)) || turn(one) - turn(other),
  )
  return inOrder.slice(0, Math.max(0, inOrder.length - partySize + 1)).map((_first, index) => {
    const seats = inOrder.slice(index, index + partySize)
    const stays = own.filter(
      (claim) => claim.occurrence_id === occurrenceId && !claim.seats.some((seat) => seats.includes(seat)),
    )
    const used = new Set([...taken, ...stays.flatMap((claim) => claim.seats)])
    const released = used.size + partySize <= capacity ? own.filter((claim) => !stays.includes(claim)) : own
    return { resource, seats, givesUp: released.map(({ id }) => id) }
  })
}

/**
 * Returns the resource whose alike seats have room for a claim by their number, for a choice without candidates. Different
 * seats may be free at different moments. Staff are not alike, and a class has one start, so there seats and number agree.
 */
export function resourceWithRoom({ resources, partySize, claims, now, ownerId }: Choice, taken: Span) {
  const others = claims
    .filter((claim) => isActive(claim, now) && !isOwnHold(claim, ownerId))
    .map(({ taken: { starts_at, ends_at }, ...claim }) => {
      return { ...claim, from: toMs(starts_at), to: toMs(ends_at) }
    })
  const wanted = { from: toMs(taken.starts_at), to: toMs(taken.ends_at) }
  return resources.find(({ id, staffId, seats }) => {
    const around = others.filter(({ resource_id }) => resource_id === id)
    return staffId === null && mostTaken(around, wanted) + partySize <= seats
  })
}

/** True unless the hold has expired. */
export function isActive({ expires_at }: ClaimSeen, now: Instant): boolean {
  return expires_at === null || expires_at > now
}

function isOwnHold(claim: ClaimSeen, ownerId: string | undefined): boolean {
  return claim.expires_at !== null && claim.owner_id === ownerId
}

/** Returns the IDs of a resource's expired holds, which must end before its time is taken. */
export function expired(claims: ClaimSeen[], resource: Resource, now: Instant): string[] {
  return claims
    .filter((claim) => claim.resource_id === resource.id && !isActive(claim, now))
    .map(({ id }) => id)
}

/**
 * Returns the reason why too few seats are free: slot_booked if all claims of others are booked, otherwise
 * slot_held.
 */
export function conflict({ claims, now, ownerId }: Pick<Choice, 'claims' | 'now' | 'ownerId'>): Problem {
  const inTheWay = claims.filter((claim) => isActive(claim, now) && !isOwnHold(claim, ownerId))
  const isBooked = inTheWay.length > 0 && inTheWay.every(({ expires_at }) => expires_at === null)
  return takenBy(isBooked ? 'slot_booked' : 'slot_held')
}

/** Returns the refusal of a time that others take. */
export function takenBy(code: 'slot_booked' | 'slot_held'): Problem {
  const extensions = { alternatives: [] }
  return code === 'slot_booked'
    ? new Problem('slot_booked', 'The slot is booked; choose another time.', { extensions })
    : new Problem('slot_held', 'The slot is held by another client; retry later or choose another time.', {
        extensions,
      })
}
