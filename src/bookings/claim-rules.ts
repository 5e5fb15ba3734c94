import type { Service } from '../catalogue/catalogue-types.ts'
import type { Offering } from '../catalogue/find-offering.ts'
import { Problem, validationProblem } from '../errors.ts'
import { derivedId } from '../ids.ts'
import { plusMinutes, toMs, type Instant } from '../instants.ts'

/** A half-open time: back-to-back ones do not overlap. */
export interface Span {
  starts_at: Instant
  ends_at: Instant
}

/** Something that is taken: a staff member, or an unstaffed service at a location. */
export interface Resource {
  id: string
  staffId: string | null
  /** How many claims of one occurrence fit beside each other. */
  seats: number
  /** Overlapping claims of the resource must all be of this occurrence. */
  occurrenceId: string
}

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

export function overlaps(one: Span, other: Span): boolean {
  return one.starts_at < other.ends_at && other.starts_at < one.ends_at
}

/** When a service that starts at an instant ends. */
export function slotOf(service: Service, startsAt: Instant): Span {
  return { starts_at: startsAt, ends_at: later(startsAt, service.duration_minutes) }
}

/** What a slot takes: its buffers included (contract: Holds). */
export function takenBy(service: Service, slot: Span): Span {
  // there is nothing before 1970 to take; a start as early as that is refused as past
  const bufferBefore = Math.min(service.buffer_before_minutes, toMs(slot.starts_at) / 60_000)
  return {
    starts_at: plusMinutes(slot.starts_at, -bufferBefore),
    ends_at: later(slot.ends_at, service.buffer_after_minutes),
  }
}

function later(instant: Instant, minutes: number): Instant {
  try {
    return plusMinutes(instant, minutes)
  } catch {
    throw validationProblem([
      { pointer: '/starts_at', code: 'out_of_range', detail: 'must end before the year 10000' },
    ])
  }
}

/** The resources of which any one would do, by id: the wanted staff member, or everybody who is able to. */
export function resourcesFor(
  offering: Offering,
  startsAt: Instant,
  wantedStaffId: string | undefined,
): Resource[] {
  const { service, location } = offering
  if (service.staff_ids.length === 0) return [placeResource(service, location.id)]
  return offering.staff
    .filter((member) => member.active && (wantedStaffId === undefined || member.id === wantedStaffId))
    .filter(({ location_ids }) => location_ids.length === 0 || location_ids.includes(location.id))
    .map((member) => staffResource(service, { staffId: member.id, locationId: location.id, startsAt }))
}

/** The resource of an unstaffed service at a location: its occurrence is itself, so only seats limit it. */
export function placeResource(service: Service, locationId: string): Resource {
  const id = derivedId('place', service.id, locationId)
  return { id, staffId: null, seats: service.capacity, occurrenceId: id }
}

/** A staff member as a resource: shared by those who come to the same service, place and start, by nobody else. */
export function staffResource(
  service: Service,
  at: { staffId: string; locationId: string; startsAt: Instant },
): Resource {
  const occurrenceId = derivedId('occurrence', service.id, at.locationId, at.startsAt)
  return { id: at.staffId, staffId: at.staffId, seats: service.capacity, occurrenceId }
}

function isActive(claim: ClaimSeen, now: Instant): boolean {
  return claim.expires_at === null || claim.expires_at > now
}

function isOwnHold(claim: ClaimSeen, ownerId: string | undefined): boolean {
  return claim.expires_at !== null && claim.owner_id === ownerId
}

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
  return booked
    ? new Problem('slot_booked', 'The slot is booked; choose another time.')
    : new Problem('slot_held', 'The slot is held by another client; try again later or choose another time.')
}
