import type { Resource } from '../availability/resource-rules.ts'
import { Problem } from '../errors.ts'
import type { Instant } from '../instants.ts'

/** A claim that overlaps the wanted time, as one look at the database saw it. */
export interface ClaimSeen {
  id: string
  resource_id: string
  seat: number
  occurrence_id: string
  /** Null: it is booked. */
  expires_at: Instant | null
  owner_id: string | null
}

/** A seat that may be tried, and the caller's own holds that must be given up for it. */
export interface Candidate {
  resource: Resource
  seat: number
  givesUp: string[]
}

function isActive(claim: ClaimSeen, now: Instant): boolean {
  return claim.expires_at === null || claim.expires_at > now
}

function isOwnHold(claim: ClaimSeen, ownerId: string | undefined): boolean {
  return claim.expires_at !== null && claim.owner_id === ownerId
}

/** What a seat is chosen from. */
export interface Choice {
  resources: Resource[]
  claims: ClaimSeen[]
  now: Instant
  /** Whose holds may be given up; undefined for keys, whose holds stand. */
  ownerId: string | undefined
  /** Bookings of the day by staff member: those with the fewest come first. */
  bookingsOfDay: ReadonlyMap<string, number>
  /** Where among equal seats to begin, so that those who ask at once do not all try the same one first. */
  rotation: number
}

/**
 * The seats that are free, best first: without giving up a hold of one's own, then the staff member
 * with the fewest bookings that day, then by id.
 */
export function candidates(choice: Choice): Candidate[] {
  return choice.resources
    .flatMap((resource) => freeSeats(resource, choice))
    .toSorted(
      (one, other) =>
        Math.sign(one.givesUp.length) - Math.sign(other.givesUp.length) ||
        bookings(one, choice) - bookings(other, choice) ||
        (one.resource.id < other.resource.id ? -1 : one.resource.id > other.resource.id ? 1 : 0),
    )
}

function bookings(candidate: Candidate, choice: Choice): number {
  return choice.bookingsOfDay.get(candidate.resource.id) ?? 0
}

function freeSeats(resource: Resource, { claims, now, ownerId, rotation }: Choice): Candidate[] {
  const active = claims.filter((claim) => claim.resource_id === resource.id && isActive(claim, now))
  return Array.from({ length: resource.seats }, (_, index) => (index + rotation) % resource.seats).flatMap(
    (seat) => {
      const inTheWay = active.filter(
        (claim) => claim.seat === seat || claim.occurrence_id !== resource.occurrenceId,
      )
      const own = inTheWay.filter((claim) => isOwnHold(claim, ownerId))
      return own.length === inTheWay.length ? [{ resource, seat, givesUp: own.map(({ id }) => id) }] : []
    },
  )
}

/** Claims on a resource that have lapsed: they are removed before its time is taken. */
export function lapsed(claims: ClaimSeen[], resource: Resource, now: Instant): string[] {
  return claims
    .filter((claim) => claim.resource_id === resource.id && !isActive(claim, now))
    .map(({ id }) => id)
}

/**
 * Why no seat is left: slot_booked when everything in the way is booked, else slot_held. Holds that
 * the caller could give up are not in the way.
 */
export function conflict({ claims, now, ownerId }: Pick<Choice, 'claims' | 'now' | 'ownerId'>): Problem {
  const inTheWay = claims.filter((claim) => isActive(claim, now) && !isOwnHold(claim, ownerId))
  const booked = inTheWay.length > 0 && inTheWay.every((claim) => claim.expires_at === null)
  const extensions = { alternatives: [] }
  return booked
    ? new Problem('slot_booked', 'The slot is booked; choose another time.', { extensions })
    : new Problem(
        'slot_held',
        'The slot is held by another client; try again later or choose another time.',
        {
          extensions,
        },
      )
}
