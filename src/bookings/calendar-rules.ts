import { dateOf, dayOf, openingsOf, type Schedule } from '../availability/hours-rules.ts'
import type { BookableResource } from '../catalogue/resource-schemas.ts'
import { locationResource } from '../availability/resource-rules.ts'
import { zoneAround } from '../availability/offer-rules.ts'
import type { Days, Interval, ZoneOffsets } from '../availability/zone-rules.ts'
import type { FieldError } from '../base/errors.ts'
import type { Location, StaffMember } from '../catalogue/location-and-staff-schemas.ts'
import type { Service } from '../catalogue/service-schemas.ts'
import type { WholeCatalogue } from '../catalogue/offering.ts'

/** Maximum number of days in one answer: two weeks. */
export const maxCalendarDays = 14

/** Checks that the last date is not before the first, nor too far after it. */
export function calendarErrors(query: { from?: string; to?: string }): FieldError[] {
  return rangeErrors(query, maxCalendarDays)
}

/** Checks that the last date is not before the first, and that the range has at most `maxDays`. */
export function rangeErrors({ from, to }: { from?: string; to?: string }, maxDays: number): FieldError[] {
  if (from === undefined || to === undefined) return []
  const days = dayOf(to) - dayOf(from)
  const outOfRange = (detail: string): FieldError[] => [{ pointer: '/to', code: 'out_of_range', detail }]
  if (days < 0) return outOfRange('must not be before from')
  if (days < maxDays) return []
  const last = dateOf(dayOf(from) + maxDays - 1)
  return outOfRange(`must be at most ${maxDays - 1} days after from: ${last} or earlier`)
}

/** A bookable resource with its opening hours. */
export interface Column {
  /** ID of the resource in claims. */
  id: string
  staff: StaffMember | undefined
  service: Service | undefined
  /** A room or equipment. */
  resource: BookableResource | undefined
  /** Location of the service or resource. */
  location: Location | undefined
  open: Interval[]
}

/**
 * A column before its hours are known: a staff member with their locations, or a service or resource at a location.
 */
type Seed = { id: string } & (
  | { staff: StaffMember; places: readonly Location[] }
  | { service: Service; location: Location }
  | { resource: BookableResource; location: Location }
)

/** The resource of a booking. */
interface Taken {
  staff_id: string | null
  service_id: string
  location_id: string
}

/** A range of columns in their order. */
interface ColumnRange {
  from: number
  max: number
}

/**
 * The bookable resources of one location or of all. Active staff come first, then active services without
 * staff at each of their locations, in catalogue order. A business can have very many of the latter, so
 * columns are created only for display. Rooms and equipment come last, on request.
 */
class ColumnList {
  /** Number of columns. */
  readonly length: number
  private readonly people: { staff: StaffMember; places: readonly Location[] }[]
  private readonly equipment: { resource: BookableResource; location: Location }[]
  private readonly rooms: { service: Service; places: readonly Location[] }[]
  private readonly peopleById: ReadonlySet<string>
  private readonly roomsById: ReadonlyMap<string, readonly Location[]>

  constructor({ services, locations, staff, resources }: WholeCatalogue, locationId: string | undefined) {
    const places = locations.filter(
      ({ id, active }) => active && (locationId === undefined || id === locationId),
    )
    const among = (ids: readonly string[]) => {
      const wanted = new Set(ids)
      return places.filter(({ id }) => wanted.has(id))
    }
    this.people = staff
      .filter(({ active }) => active)
      // the same list for all, so that its hours are computed once
      .map((member) => ({
        staff: member,
        places: member.location_ids.length === 0 ? places : among(member.location_ids),
      }))
      .filter((one) => one.places.length > 0)
    this.rooms = services
      .filter(({ active, staff_ids }) => active && staff_ids.length === 0)
      .map((service) => ({ service, places: among(service.location_ids) }))
      .filter((one) => one.places.length > 0)
    this.equipment = resources.flatMap((resource) => {
      const location = places.find(({ id }) => id === resource.location_id)
      return resource.active && location ? [{ resource, location }] : []
    })
    this.peopleById = new Set(this.people.map((one) => one.staff.id))
    this.roomsById = new Map(this.rooms.map((one) => [one.service.id, one.places]))
    this.length = this.rooms.reduce((sum, room) => sum + room.places.length, this.people.length)
  }

  /** Returns a range of the columns. */
  some({ from, max }: ColumnRange): Seed[] {
    const seeds = this.people.slice(from, from + max).map(personSeed)
    let before = this.people.length
    for (const { service, places } of this.rooms) {
      if (seeds.length >= max) break
      const skipped = Math.max(0, from - before)
      before += places.length
      const shown = places.slice(skipped, skipped + max - seeds.length)
      seeds.push(...shown.map((location) => roomSeed(service, location)))
    }
    return seeds
  }

  /** Returns the columns of rooms and equipment. */
  ofEquipment({ max }: Pick<ColumnRange, 'max'>): Seed[] {
    return this.equipment
      .slice(0, max)
      .map(({ resource, location }) => ({ id: resource.id, resource, location }))
  }

  /** Returns the column with this ID; undefined for a former one. */
  async find(id: string, giveWay: () => Promise<void> | undefined): Promise<Seed | undefined> {
    const person = this.people.find(({ staff }) => staff.id === id)
    if (person) return personSeed(person)
    const equipment = this.equipment.find(({ resource }) => resource.id === id)
    if (equipment) return { id, ...equipment }
    for (const { service, places } of this.rooms) {
      const location = places.find((place) => roomId(service, place) === id)
      if (location) return roomSeed(service, location)
      await giveWay()
    }
    return undefined
  }

  /** Returns true if a booking belongs to one of the columns, shown or not. */
  has({ staff_id, service_id, location_id }: Taken): boolean {
    if (staff_id !== null) return this.peopleById.has(staff_id)
    return this.roomsById.get(service_id)?.some(({ id }) => id === location_id) ?? false
  }

  /** Returns the open time of all columns in milliseconds, each rounded to minutes. */
  async openMinutes(hours: ColumnHours, giveWay: () => Promise<void> | undefined): Promise<number> {
    let minutes = 0
    for (const { staff, places } of this.people) {
      minutes += minutesIn(hours.ofMember(staff, places))
      await giveWay()
    }
    const servicesAt = new Map<Location, number>()
    for (const { places } of this.rooms) {
      for (const place of places) servicesAt.set(place, (servicesAt.get(place) ?? 0) + 1)
      await giveWay()
    }
    for (const [place, services] of servicesAt) minutes += services * minutesIn(hours.ofPlace(place))
    return minutes
  }
}

function personSeed({ staff, places }: { staff: StaffMember; places: readonly Location[] }): Seed {
  return { id: staff.id, staff, places }
}

function roomSeed(service: Service, location: Location): Seed {
  return { id: roomId(service, location), service, location }
}

const lists = new WeakMap<WholeCatalogue, Map<string, ColumnList>>()
/** Maximum number of lists per catalogue. */
const maxLists = 4

/**
 * Returns the columns of a catalogue at one location or all. Caches the most recent lists with the catalogue.
 */
export function columnsIn(catalogue: WholeCatalogue, locationId: string | undefined): ColumnList {
  const kept = lists.get(catalogue) ?? new Map<string, ColumnList>()
  lists.set(catalogue, kept)
  const name = locationId ?? ''
  const list = kept.get(name) ?? new ColumnList(catalogue, locationId)
  if (kept.size >= maxLists && !kept.has(name)) kept.clear()
  kept.set(name, list)
  return list
}

/** IDs cached for as long as the catalogue is. */
const roomIds = new WeakMap<Service, Map<string, string>>()

/** Returns the ID of the column of a service without staff at a location. */
export function roomId(service: Service, { id: locationId }: { id: string }): string {
  const ids = roomIds.get(service) ?? new Map<string, string>()
  roomIds.set(service, ids)
  const id = ids.get(locationId) ?? locationResource(service, locationId).id
  ids.set(locationId, id)
  return id
}

export function minutesIn(open: readonly Interval[]): number {
  return Math.round(open.reduce((sum, { from, to }) => sum + to - from, 0) / 60_000)
}

const none = { staff: undefined, service: undefined, resource: undefined, location: undefined }

/** The opening hours of a catalogue on some days. Reads each schedule once in each time zone. */
export class ColumnHours {
  private readonly range: Interval
  private readonly around: Days
  private readonly zones = new Map<string, ZoneOffsets>()
  private readonly read = new Map<Schedule, Map<string, Interval[]>>()
  private readonly unions = new Map<readonly Location[], Map<string, Interval[]>>()

  constructor({ days, range }: { days: Days; range: Interval }) {
    this.range = range
    // hours past midnight reach into the next day, and the location's zone may be a day ahead or behind
    this.around = { first: days.first - 2, last: days.last + 1 }
  }

  column(seed: Seed): Column {
    const { id } = seed
    if ('staff' in seed) {
      const open = this.ofMember(seed.staff, seed.places)
      return { ...none, id, staff: seed.staff, open }
    }
    const { location } = seed
    const open = this.ofPlace(location)
    if ('service' in seed) return { ...none, id, service: seed.service, location, open }
    const { resource } = seed
    // its own hours lie within those of the location
    const own = meeting(open, this.openIn(resource, location.timezone))
    return { ...none, id, resource, location, open: own }
  }

  ofPlace(location: Location): Interval[] {
    return this.openIn(location, location.timezone)
  }

  /**
   * Returns the working hours of a staff member, within the hours of their locations, in the zone of each.
   */
  ofMember(member: StaffMember, places: readonly Location[]): Interval[] {
    const unions = [...this.unionsOf(places)]
    return merged(unions.flatMap(([zone, open]) => meeting(open, this.openIn(member, zone))))
  }

  /** Returns the times when any of the locations is open, by zone. */
  private unionsOf(places: readonly Location[]): Map<string, Interval[]> {
    const known = this.unions.get(places)
    if (known) return known
    const unions = new Map(
      [...Map.groupBy(places, ({ timezone }) => timezone)].map(([zone, ofZone]) => [
        zone,
        merged(ofZone.flatMap((place) => this.ofPlace(place))),
      ]),
    )
    this.unions.set(places, unions)
    return unions
  }

  /** Returns opening times; always open without weekly hours or overrides. */
  private openIn(schedule: Schedule, timezone: string): Interval[] {
    const ofSchedule = this.read.get(schedule) ?? new Map<string, Interval[]>()
    this.read.set(schedule, ofSchedule)
    const known = ofSchedule.get(timezone)
    if (known) return known
    const zone = this.zones.get(timezone) ?? zoneAround(timezone, this.around)
    this.zones.set(timezone, zone)
    const open = merged(
      openingsOf(schedule, zone, this.around)
        .map(({ from, to }) => ({ from: Math.max(from, this.range.from), to: Math.min(to, this.range.to) }))
        .filter(({ from, to }) => from < to),
    )
    ofSchedule.set(timezone, open)
    return open
  }
}

/** Returns the intersection of two sorted lists of disjoint intervals. */
export function meeting(one: readonly Interval[], other: readonly Interval[]): Interval[] {
  const both: Interval[] = []
  for (let at = 0, beside = 0; at < one.length && beside < other.length;) {
    const [a, b] = [one[at], other[beside]]
    if (!a || !b) break
    const met = { from: Math.max(a.from, b.from), to: Math.min(a.to, b.to) }
    if (met.from < met.to) both.push(met)
    if (a.to < b.to) at += 1
    else beside += 1
  }
  return both
}

/** Returns the union, sorted and disjoint. */
export function merged(intervals: readonly Interval[]): Interval[] {
  const result: Interval[] = []
  for (const { from, to } of intervals.toSorted((one, other) => one.from - other.from)) {
    const last = result.at(-1)
    if (last && from <= last.to) last.to = Math.max(last.to, to)
    else result.push({ from, to })
  }
  return result
}

/** Returns the parts of the first list that are not in the second. */
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
