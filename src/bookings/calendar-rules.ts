import { dateOf, dayOf, openingsOf, type Schedule } from '../availability/hours-rules.ts'
import { locationResource } from '../availability/resource-rules.ts'
import { zoneAround } from '../availability/offer-rules.ts'
import type { Days, Interval } from '../availability/zone-rules.ts'
import type { FieldError } from '../base/errors.ts'
import type { Location, Service, StaffMember } from '../catalogue/catalogue-types.ts'
import type { WholeCatalogue } from '../catalogue/offering.ts'

/** The most days of one answer: two weeks. */
export const maxCalendarDays = 14

/** The last date is not before the first, nor too far after it. */
export function calendarErrors(query: { from?: string; to?: string }): FieldError[] {
  return rangeErrors(query, maxCalendarDays)
}

/** The last date is not before the first, and the dates are at most so many. */
export function rangeErrors({ from, to }: { from?: string; to?: string }, maxDays: number): FieldError[] {
  if (from === undefined || to === undefined) return []
  const days = dayOf(to) - dayOf(from)
  const outOfRange = (detail: string): FieldError[] => [{ pointer: '/to', code: 'out_of_range', detail }]
  if (days < 0) return outOfRange('must not be before from')
  if (days < maxDays) return []
  const last = dateOf(dayOf(from) + maxDays - 1)
  return outOfRange(`must be at most ${maxDays - 1} days after from: ${last} or earlier`)
}

/** Something that bookings take, with its opening hours. */
export interface Column {
  /** Of the resource that claims take. */
  id: string
  staff: StaffMember | undefined
  service: Service | undefined
  /** Of the service. */
  location: Location | undefined
  open: Interval[]
}

/** Active staff, then active services without staff, at a location or at all; by name, with their hours on some days. */
export function columnsOf(
  { services, locations, staff }: WholeCatalogue,
  { locationId, days, range }: { locationId: string | undefined; days: Days; range: Interval },
): Column[] {
  const places = locations.filter(
    ({ id, active }) => active && (locationId === undefined || id === locationId),
  )
  const hours = new Map(places.map((place) => [place.id, openIn(place, place, { days, range })]))
  const people = staff
    .filter(({ active }) => active)
    .map((member) => ({ member, at: places.filter(({ id }) => worksAt(member, id)) }))
    .filter(({ at }) => at.length > 0)
    .map(({ member, at }) => ({
      id: member.id,
      staff: member,
      service: undefined,
      location: undefined,
      open: merged(
        at.flatMap((place) => meeting(hours.get(place.id) ?? [], openIn(member, place, { days, range }))),
      ),
    }))
  const rooms = services
    .filter(({ active, staff_ids }) => active && staff_ids.length === 0)
    .flatMap((service) =>
      places
        .filter(({ id }) => service.location_ids.includes(id))
        .map((location) => ({
          id: locationResource(service, location.id).id,
          staff: undefined,
          service,
          location,
          open: merged(hours.get(location.id) ?? []),
        })),
    )
  return [...people, ...rooms]
}

function worksAt({ location_ids }: StaffMember, locationId: string): boolean {
  return location_ids.length === 0 || location_ids.includes(locationId)
}

/** Hours in the zone of a location; without weekly hours or overrides, always. */
function openIn(
  schedule: Schedule,
  { timezone }: Location,
  { days, range }: { days: Days; range: Interval },
): Interval[] {
  // hours past midnight reach into the next day, and the location's zone may be a day ahead or behind
  const around = { first: days.first - 2, last: days.last + 1 }
  return openingsOf(schedule, zoneAround(timezone, around), around)
    .map(({ from, to }) => ({ from: Math.max(from, range.from), to: Math.min(to, range.to) }))
    .filter(({ from, to }) => from < to)
}

/** What lies in both. */
function meeting(one: Interval[], other: Interval[]): Interval[] {
  return one.flatMap((a) =>
    other
      .map((b) => ({ from: Math.max(a.from, b.from), to: Math.min(a.to, b.to) }))
      .filter(({ from, to }) => from < to),
  )
}

/** What lies in any, sorted and disjoint. */
export function merged(intervals: readonly Interval[]): Interval[] {
  const result: Interval[] = []
  for (const { from, to } of intervals.toSorted((one, other) => one.from - other.from)) {
    const last = result.at(-1)
    if (last && from <= last.to) last.to = Math.max(last.to, to)
    else result.push({ from, to })
  }
  return result
}

/** What lies in the first and not in the second. */
export function without(intervals: readonly Interval[], taken: readonly Interval[]): Interval[] {
  const result: Interval[] = []
  const obstacles = merged(taken)
  for (const { from, to } of merged(intervals)) {
    let at = from
    for (const obstacle of obstacles) {
      if (obstacle.to <= at || obstacle.from >= to) continue
      if (obstacle.from > at) result.push({ from: at, to: obstacle.from })
      at = Math.max(at, obstacle.to)
    }
    if (at < to) result.push({ from: at, to })
  }
  return result
}
