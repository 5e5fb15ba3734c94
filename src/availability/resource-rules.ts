import type { Location, Service, StaffMember } from '../catalogue/catalogue-types.ts'
import { validationProblem } from '../errors.ts'
import { derivedId } from '../ids.ts'
import { plusMinutes, toMs, type Instant } from '../instants.ts'

/** No claim lasts longer (the schema says so): those that reach into a time start at most this long before it. */
export const longestClaimMs = 72 * 3_600_000

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

/** Whether two times have a moment in common. */
export function overlaps(one: Span, other: Span): boolean {
  return one.starts_at < other.ends_at && other.starts_at < one.ends_at
}

/** When a service that starts at an instant ends. Throws validation_failed when that is after the year 9999. */
export function slotOf(service: Service, startsAt: Instant): Span {
  return { starts_at: startsAt, ends_at: later(startsAt, service.duration_minutes) }
}

/** What a slot takes: its buffers included (contract: Holds). Throws validation_failed as `slotOf` does. */
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

/** Who could give a service at a location, whatever their hours: by id, as they are given. */
export function ableStaff(
  { staff, location }: { staff: StaffMember[]; location: Location },
  wantedStaffId: string | undefined,
): StaffMember[] {
  return staff
    .filter((member) => member.active && (wantedStaffId === undefined || member.id === wantedStaffId))
    .filter(({ location_ids }) => location_ids.length === 0 || location_ids.includes(location.id))
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
  return {
    id: at.staffId,
    staffId: at.staffId,
    seats: service.capacity,
    occurrenceId: staffOccurrence(service, at),
  }
}

/** What all who come to one service, place and start have in common. */
export function staffOccurrence(service: Service, at: { locationId: string; startsAt: Instant }): string {
  return derivedId('occurrence', service.id, at.locationId, at.startsAt)
}
