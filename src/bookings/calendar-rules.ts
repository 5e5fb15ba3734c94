import { dateOf, dayOf, openingsOf, type Schedule } from '../availability/hours-rules.ts'
import { locationResource } from '../availability/resource-rules.ts'
import { zoneAround } from '../availability/offer-rules.ts'
import type { Days, Interval, ZoneOffsets } from '../availability/zone-rules.ts'
import type { FieldError } from '../base/errors.ts'
import type { Location, StaffMember } from '../catalogue/location-and-staff-schemas.ts'
import type { Service } from '../catalogue/service-schemas.ts'
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

/** A column before its hours are known: a staff member and where they work, or a service at a location. */
type Seed = { id: string } & (
  { staff: StaffMember; places: readonly Location[] } | { service: Service; location: Location }
)

/** What a booking takes. */
interface Taken {
  staff_id: string | null
  service_id: string
  location_id: string
}

/** Which columns, in their order. */
interface ColumnRange {
  from: number
  max: number
}

/**
 * What can be booked, at a location or at all: active staff, then active services without staff at each of their locations, in
 * the order of the catalogue. A business can have very many of the latter, so that they are made only where they are shown.
 */
class ColumnList {
  /** How many there are. */
  readonly length: number
  private readonly people: { staff: StaffMember; places: readonly Location[] }[]
  private readonly rooms: { service: Service; places: readonly Location[] }[]
  private readonly peopleById: ReadonlySet<string>
  private readonly roomsById: ReadonlyMap<string, readonly Location[]>

  constructor({ services, locations, staff }: WholeCatalogue, locationId: string | undefined) {
    const places = locations.filter(
      ({ id, active }) => active && (locationId === undefined || id === locationId),
    )
    const among = (ids: readonly string[]) => {
      const wanted = new Set(ids)
      return places.filter(({ id }) => wanted.has(id))
    }
    this.people = staff
      .filter(({ active }) => active)
      // all of them are the same list, so that its hours are reckoned once
      .map((member) => ({
        staff: member,
        places: member.location_ids.length === 0 ? places : among(member.location_ids),
      }))
      .filter((one) => one.places.length > 0)
    this.rooms = services
      .filter(({ active, staff_ids }) => active && staff_ids.length === 0)
      .map((service) => ({ service, places: among(service.location_ids) }))
      .filter((one) => one.places.length > 0)
    this.peopleById = new Set(this.people.map((one) => one.staff.id))
    this.roomsById = new Map(this.rooms.map((one) => [one.service.id, one.places]))
    this.length = this.rooms.reduce((sum, room) => sum + room.places.length, this.people.length)
  }

  /** Some of the columns. */
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

  /** The column with this id; undefined for a former one. */
  async find(id: string, giveWay: () => Promise<void> | undefined): Promise<Seed | undefined> {
    const person = this.people.find(({ staff }) => staff.id === id)
    if (person) return personSeed(person)
    for (const { service, places } of this.rooms) {
      const location = places.find((place) => roomId(service, place) === id)
      if (location) return roomSeed(service, location)
      await giveWay()
    }
    return undefined
  }

  /** Whether a booking stands in one of the columns, shown or not. */
  has({ staff_id, service_id, location_id }: Taken): boolean {
    if (staff_id !== null) return this.peopleById.has(staff_id)
    return this.roomsById.get(service_id)?.some(({ id }) => id === location_id) ?? false
  }

  /** The time of all columns that are open, in milliseconds, each rounded to minutes. */
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
/** Of one catalogue. */
const maxLists = 4

/** The columns of a catalogue at a location or at all; the lists asked for last are kept with it. */
export function columnsIn(catalogue: WholeCatalogue, locationId: string | undefined): ColumnList {
  const kept = lists.get(catalogue) ?? new Map<string, ColumnList>()
  lists.set(catalogue, kept)
  const name = locationId ?? ''
  const list = kept.get(name) ?? new ColumnList(catalogue, locationId)
  if (kept.size >= maxLists && !kept.has(name)) kept.clear()
  kept.set(name, list)
  return list
}

/** Ids are reckoned once for as long as the catalogue is kept. */
const roomIds = new WeakMap<Service, Map<string, string>>()

/** The column of a service without staff at a location. */
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

/** The opening hours of a catalogue on some days: each schedule is read once in each time zone. */
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
      return { id, staff: seed.staff, service: undefined, location: undefined, open }
    }
    const { service, location } = seed
    return { id, staff: undefined, service, location, open: this.ofPlace(location) }
  }

  ofPlace(location: Location): Interval[] {
    return this.openIn(location, location.timezone)
  }

  /** When a staff member works somewhere: within hours of a location, in its zone. */
  ofMember(member: StaffMember, places: readonly Location[]): Interval[] {
    const unions = [...this.unionsOf(places)]
    return merged(unions.flatMap(([zone, open]) => meeting(open, this.openIn(member, zone))))
  }

  /** When any of some locations is open, by their zones. */
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

  /** Without weekly hours or overrides, always. */
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

/** What lies in both of two lists that are sorted and disjoint. */
function meeting(one: readonly Interval[], other: readonly Interval[]): Interval[] {
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
