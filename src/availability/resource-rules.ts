import { validationProblem } from '../base/errors.ts'
import { derivedId } from '../base/ids.ts'
import { type Instant, plusMinutes, toMs } from '../base/instants.ts'
import type { Location, StaffMember } from '../catalogue/location-and-staff-schemas.ts'
import type { Service } from '../catalogue/service-schemas.ts'
import { maxMinorUnits, prepaymentOf } from '../catalogue/service-rules.ts'
import type { Interval } from './zone-rules.ts'

/** The schema's limit on a claim's length. It bounds how far back queries must search. */
export const maxClaimMs = 72 * 3_600_000

/** The schema marks claims that last longer. */
export const shortClaimMs = 3 * 3_600_000

/** A half-open time span, so that back-to-back spans do not overlap. */
export interface Span {
  starts_at: Instant
  ends_at: Instant
}

/** The target of claims: a staff member, or an unstaffed service at a location. */
export interface Resource {
  id: string
  staffId: string | null
  /** Number of concurrent claims of one occurrence. */
  seats: number
  /** The occurrence to which all overlapping claims of the resource must belong. */
  occurrenceId: string
}

export function overlaps(one: Span, other: Span): boolean {
  return one.starts_at < other.ends_at && other.starts_at < one.ends_at
}

/** Throws validation_failed if the slot would end after the year 9999. */
export function slotOf(service: Service, startsAt: Instant): Span {
  return { starts_at: startsAt, ends_at: later(startsAt, service.duration_minutes) }
}

/** Returns the span that a slot takes with its buffers. Throws validation_failed as `slotOf` does. */
export function takenBy(service: Service, slot: Span): Span {
  // instants begin in 1970; such an early slot is refused as past anyway
  const bufferBefore = Math.min(service.buffer_before_minutes, toMs(slot.starts_at) / 60_000)
  return {
    starts_at: plusMinutes(slot.starts_at, -bufferBefore),
    ends_at: later(slot.ends_at, service.buffer_after_minutes),
  }
}

/**
 * Returns the span, with buffers, of all slots that start in an interval. The end of the interval is
 * included.
 */
export function takenBySlots(service: Service, { from, to }: Interval): Interval {
  const { duration_minutes, buffer_before_minutes, buffer_after_minutes } = service
  return {
    from: from - buffer_before_minutes * 60_000,
    to: to + (duration_minutes + buffer_after_minutes) * 60_000,
  }
}

function later(instant: Instant, minutes: number): Instant {
  try {
    return plusMinutes(instant, minutes)
  } catch {
    const detail = 'must end before the year 10000'
    throw validationProblem([{ pointer: '/starts_at', code: 'out_of_range', detail }])
  }
}

/** Returns the active staff who work at the location, whatever their hours, in the given order. */
export function eligibleStaff(
  { staff, location }: { staff: StaffMember[]; location: Location },
  wantedStaffId: string | undefined,
): StaffMember[] {
  return staff
    .filter((member) => member.active && (wantedStaffId === undefined || member.id === wantedStaffId))
    .filter(({ location_ids }) => location_ids.length === 0 || location_ids.includes(location.id))
}

/**
 * Throws validation_failed if one booking of a service cannot take this many people, or not their deposits.
 */
export function assertParty(
  { capacity, price, ...service }: Pick<Service, 'capacity' | 'price' | 'deposit' | 'payment'>,
  partySize: number,
  pointer = '/party_size',
): void {
  const refusal = (detail: string) => validationProblem([{ pointer, code: 'out_of_range', detail }])
  if (partySize > capacity) throw refusal(`must be at most ${capacity}, the capacity of the service`)
  const each = prepaymentOf(service, price)
  if (!each || each.amount * partySize <= maxMinorUnits) return
  throw refusal(`must be at most ${Math.floor(maxMinorUnits / each.amount)}: more cannot be charged at once`)
}

/**
 * Returns the resource of an unstaffed service at a location. Its occurrence is itself, so only seats limit
 * it.
 */
export function locationResource(service: Service, locationId: string): Resource {
  const id = derivedId('place', service.id, locationId)
  return { id, staffId: null, seats: service.capacity, occurrenceId: id }
}

/** Returns the target of claims on a room or equipment. Its occurrence is itself, so only seats limit it. */
export function equipmentResource({ id, quantity }: { id: string; quantity: number }): Resource {
  return { id, staffId: null, seats: quantity, occurrenceId: id }
}

/**
 * Returns the resource of a staff member. Clients share one only for the same service, location and start.
 */
export function staffResource(
  service: Service,
  at: { staffId: string; locationId: string; startsAt: Instant },
): Resource {
  return resourceOf(service, at.staffId, staffOccurrence(service, at))
}

/** Returns the resources of all staff members who provide a service at a location and start. */
export function staffResources(
  service: Service,
  { staffIds, ...at }: { staffIds: string[]; locationId: string; startsAt: Instant },
): Resource[] {
  const occurrenceId = staffOccurrence(service, at)
  return staffIds.map((id) => resourceOf(service, id, occurrenceId))
}

function resourceOf({ capacity }: Service, staffId: string, occurrenceId: string): Resource {
  return { id: staffId, staffId, seats: capacity, occurrenceId }
}

/** Returns the occurrence of one service, location and start. */
export function staffOccurrence(service: Service, at: { locationId: string; startsAt: Instant }): string {
  return derivedId('occurrence', service.id, at.locationId, at.startsAt)
}
