import { instantFromMs, latestMs } from '../base/instants.ts'
import type { Need } from '../catalogue/catalogue-types.ts'
import type { Location, StaffMember } from '../catalogue/location-and-staff-schemas.ts'
import type { BookableResource } from '../catalogue/resource-schemas.ts'
import { noticeOf } from '../catalogue/request-rules.ts'
import { stepsOf } from '../catalogue/service-rules.ts'
import type { Service } from '../catalogue/service-schemas.ts'
import { isAlwaysOpen, openingsOf, type Schedule, Spans } from './hours-rules.ts'
import { AvailabilityRules, type Block, lastDayOffered, tooSoon, zoneAround } from './offer-rules.ts'
import {
  assertParty,
  equipmentResource,
  locationResource,
  type Resource,
  staffOccurrence,
} from './resource-rules.ts'
import { type Claimed, Occupancy, type Reason } from './slot-rules.ts'
import {
  allBuffersFit,
  buffersBetween,
  canJoin,
  needsFit,
  pauseStepMs,
  type Person,
  type Placed,
  type Room,
  runsAt,
  type RoomNeed,
  type SearchItem,
  seatsOf,
  type Site,
  timesOf,
  VisitSearch,
  type Way,
  type WaysInOrder,
} from './visit-search-rules.ts'
import { dayMs, type Days, type Interval, type ZoneOffsets } from './zone-rules.ts'

/** The most services of a visit. */
export const maxItems = 10

/** One service of a visit as the caller wants it. */
export interface WantedItem {
  service: Service
  /** Eligible staff by ID, or the one asked for; empty for an unstaffed service. */
  staff: StaffMember[]
  /** The person the caller named; null for anyone. */
  chosenStaffId: string | null
  partySize: number
  /** True if it starts together with the item before. */
  startsWith: boolean
}

/** A visit at one location at one version of the catalogue. */
export interface VisitOffer {
  items: WantedItem[]
  location: Location
  /** All resources that the needs of the items name at this location. */
  resources: BookableResource[]
  maxGapMinutes: number
  version: number
}

/** A block of the location, a staff member or a resource. */
export interface VisitBlock extends Block {
  resourceId?: string | null
}

export interface PlannedItem {
  service: Service
  staffId: string | null
  /** In epoch milliseconds, without buffers. */
  from: number
  to: number
  partySize: number
  resources: { id: string; name: string; quantity: number }[]
  /** All who could give the item at this time, the rest of the plan unchanged. Empty if it is unstaffed. */
  staffIds: string[]
}

/** Time of one thing. `resource.seats` is its capacity, `seats` the number of them that are taken. */
export interface PlannedClaim {
  item: number
  resource: Resource
  seats: number
  taken: Interval
}

export interface PlannedVisit extends Interval {
  items: PlannedItem[]
  /** By item; its person or place comes first. */
  claims: PlannedClaim[]
  /** Seats that the people or the place of a single item have left. */
  seatsLeft: number
}

export type VisitReason = Reason | 'not_offered_here'

/** The reason why a start is not offered, and the number from 0 of the item that cannot be served. */
export interface VisitRefusal {
  item: number
  reason: VisitReason
  /** True if the item could be served alone, but no plan was found for all. */
  isOfAll?: boolean
}

export function isRefusal(outcome: PlannedVisit | VisitRefusal): outcome is VisitRefusal {
  return 'reason' in outcome
}

/** Returns the IDs of all targets of claims that could matter: staff, places of unstaffed services, resources. */
export function resourceIdsOf({ items, location, resources }: VisitOffer): string[] {
  const ofItems = items.flatMap(({ service, staff }) =>
    service.staff_ids.length === 0 ? [locationResource(service, location.id).id] : staff.map(({ id }) => id),
  )
  return [...new Set([...ofItems, ...resources.map(({ id }) => id)])]
}

/**
 * Throws validation_failed if an item's party is larger than its service takes. `pointerOf` returns the field of an
 * item.
 */
export function assertParties({ items }: VisitOffer, pointerOf: (item: number) => string): void {
  for (const [item, { service, partySize }] of items.entries()) {
    assertParty(service, partySize, pointerOf(item))
  }
}

/** Returns the interval, with buffers and pauses, of all visits that start in an interval. */
export function longestSpan({ items, maxGapMinutes }: VisitOffer, { from, to }: Interval): Interval {
  const before = Math.max(...items.map(({ service }) => service.buffer_before_minutes))
  const after = Math.max(...items.map(({ service }) => service.buffer_after_minutes))
  const longest = (item: WantedItem) => Math.max(...waysOf(item).map(({ lengthMs }) => lengthMs))
  const groups = groupsOf(items)
  const count = (groups.at(-1) ?? 0) + 1
  const ofGroup = Array.from({ length: count }, (_, group) =>
    Math.max(...items.filter((_item, index) => groups[index] === group).map(longest)),
  )
  const length = ofGroup.reduce((sum, ms) => sum + ms, 0) + (count - 1) * maxGapMinutes * 60_000
  return { from: from - before * 60_000, to: to + length + after * 60_000 }
}

/** Returns the zone's offsets for some days and all the time that visits which start on them depend on. */
export function zoneAroundVisit(offer: VisitOffer, days: Days): ZoneOffsets {
  return zoneAround(offer.location.timezone, { first: days.first, last: days.last + extraDays(offer) })
}

/** Returns the days after that of the start into which a visit may reach. */
function extraDays(offer: VisitOffer): number {
  return Math.ceil(longestSpan(offer, { from: 0, to: 0 }).to / dayMs)
}

/** Returns the number of the group of each item. */
function groupsOf(items: readonly Pick<WantedItem, 'startsWith'>[]): number[] {
  let group = 0
  return items.map(({ startsWith }, index) => (index > 0 && !startsWith ? (group += 1) : group))
}

function waysOf({ service, staff }: WantedItem, people?: ReadonlyMap<string, Person>): Omit<Way, 'index'>[] {
  const isUnstaffed = service.staff_ids.length === 0
  const staffIds = isUnstaffed ? [null] : staff.map(({ id }) => id).toSorted()
  return staffIds.map((staffId) => {
    const runs: Interval[] = []
    let at = 0
    for (const { minutes, staffed } of stepsOf(service, staffId)) {
      const step = { from: at, to: (at += minutes * 60_000) }
      const last = runs.at(-1)
      if (!staffed) continue
      if (last?.to === step.from) last.to = step.to
      else runs.push(step)
    }
    const person = staffId === null ? undefined : people?.get(staffId)
    return { person, lengthMs: at, runs: isUnstaffed ? [{ from: 0, to: at }] : runs }
  })
}

interface Seen {
  /** From `zoneAroundVisit`. */
  zone: ZoneOffsets
  nowMs: number
  blocks: VisitBlock[]
  /** Claims in the caller's way by resource. Own holds, expired and moved ones are left out. */
  claims: ReadonlyMap<string, Claimed[]>
  /** Number of bookings by staff member: of the day of the start, or of any local day. */
  bookingsOfDay: ReadonlyMap<string, number> | ((day: number) => ReadonlyMap<string, number>)
  /** True if `anyTime` includes the past. */
  mayBeOver?: boolean
  /** Called if the search for a plan gave up at one start. */
  onExhausted?: () => void
}

/** Hours, blocks, grid, notice, horizon and claims of a visit that starts on some days. */
export class VisitRules {
  private readonly offer: VisitOffer
  private readonly days: Days
  private readonly seen: Seen
  private readonly first: AvailabilityRules
  private readonly lastDay: number
  private readonly site: Site
  private readonly people: ReadonlyMap<string, Person>
  private readonly items: SearchItem[]
  private readonly maxPauseMs: number
  private readonly searches = new Map<boolean, VisitSearch[]>()
  private readonly longestMs: number
  private readonly hasBuffers: boolean
  private readonly sinceMs: number
  /** The first start by the notice of all services. */
  private readonly earliestMs: number
  private inOrder: { day: number; ways: Map<SearchItem, Way[]> } | undefined

  /** `blocks` and `claims` must include all that overlap `longestSpan`. */
  constructor(offer: VisitOffer, days: Days, seen: Seen) {
    const { items, location, resources, maxGapMinutes } = offer
    const { zone, nowMs, blocks, claims } = seen
    this.offer = offer
    this.days = days
    this.seen = seen
    const [firstItem] = items
    if (!firstItem) throw new RangeError('a visit has an item')
    const firstOffer = { service: firstItem.service, location, staff: [] }
    this.first = new AvailabilityRules(firstOffer, days, { zone, nowMs, blocks: [] })
    this.lastDay = Math.min(...items.map(({ service }) => lastDayOffered({ service, location }, nowMs)))
    this.maxPauseMs = maxGapMinutes * 60_000
    this.longestMs = longestSpan(offer, { from: 0, to: 0 }).to
    this.sinceMs = zone.spanOf(days).from
    this.hasBuffers = items.some(
      ({ service }) => service.buffer_before_minutes + service.buffer_after_minutes > 0,
    )
    const notice = Math.max(...items.map(({ service }) => noticeOf(service)))
    this.earliestMs = nowMs + notice * 60_000
    const around = { first: days.first - 1, last: days.last + 2 + extraDays(offer) }
    const openings = (schedule: Schedule) => new Spans(openingsOf(schedule, zone, around))
    const hours = (schedule: Schedule) => (isAlwaysOpen(schedule) ? undefined : openings(schedule))
    const isOfLocation = ({ staffId, resourceId = null }: VisitBlock) =>
      staffId === null && resourceId === null
    this.site = { open: openings(location), blocked: new Spans(blocks.filter(isOfLocation)) }
    const busy = (id: string) => new Occupancy(claims.get(id) ?? [])
    const staff = new Map(items.flatMap((item) => item.staff.map((member) => [member.id, member])))
    this.people = new Map(
      staff.values().map((member) => {
        const own = blocks.filter(({ staffId }) => staffId === member.id)
        const person = {
          ...{ id: member.id, hours: hours(member), blocked: new Spans(own) },
          blockedByHand: new Spans(own.filter(({ isElsewhere }) => isElsewhere !== true)),
          busy: busy(member.id),
        }
        return [member.id, person]
      }),
    )
    const rooms = new Map(
      resources
        .filter(({ active }) => active)
        .map((resource) => {
          const { id, name } = resource
          const blocked = new Spans(blocks.filter(({ resourceId }) => resourceId === id))
          const target = equipmentResource(resource)
          return [id, { id, name, target, hours: hours(resource), blocked, busy: busy(id) }]
        }),
    )
    const groups = groupsOf(items)
    let ways = -1
    this.items = items.map((item, index) => {
      const { service, partySize } = item
      const place = service.staff_ids.length === 0 ? locationResource(service, location.id).id : undefined
      return {
        ...{ index, group: groups[index] ?? 0, partySize, capacity: service.capacity },
        beforeMs: service.buffer_before_minutes * 60_000,
        afterMs: service.buffer_after_minutes * 60_000,
        place: place === undefined ? undefined : { id: place, busy: busy(place) },
        ways: waysOf(item, this.people).map((way) => ({ ...way, index: (ways += 1) })),
        needs: service.needs.map((need) => roomNeed(need, rooms)),
        occurrenceAt: occurrences(service, location.id),
      }
    })
  }

  /** Returns the distinct start times of the first item's grid or timetable in an interval, in order. */
  gridTimes(interval: Interval): number[] {
    return this.first.gridTimes(interval)
  }

  /**
   * Returns the best plan at a start, or the reason against it. With `anyTime`, only claims and the clock count,
   * but hours and blocks are kept where possible. `isOnGrid` skips the grid check.
   */
  at(
    startsAtMs: number,
    rule: 'offered' | 'anyTime' = 'offered',
    isOnGrid?: true,
  ): PlannedVisit | VisitRefusal {
    const early = this.reasonAgainstStart(startsAtMs, isOnGrid)
    if (rule === 'offered') return early ?? this.bestAt(startsAtMs, true)
    if (early?.reason === 'in_the_past' && this.seen.mayBeOver !== true) return early
    if (startsAtMs + this.longestMs > latestMs) return { item: 0, reason: 'beyond_horizon' }
    const kept = this.bestAt(startsAtMs, true)
    if (!isRefusal(kept) || (!early && isTaken(kept.reason))) return kept
    return this.bestAt(startsAtMs, false)
  }

  /** Like `at` for a start that is already agreed: neither grid nor notice counts. */
  atAgreed(startsAtMs: number): PlannedVisit | VisitRefusal {
    return this.bestAt(startsAtMs, true)
  }

  /** Like `at` for a start that `gridTimes` returned. Faster, because it returns neither claims nor reasons. */
  planOnGrid(startsAtMs: number): Omit<PlannedVisit, 'claims'> | undefined {
    if (startsAtMs < this.earliestMs || this.reasonAgainstStart(startsAtMs, true)) return undefined
    const found = this.search(startsAtMs, true)
    return found && this.present(found.placed, found.search)
  }

  private reasonAgainstStart(startsAtMs: number, isOnGrid?: true): VisitRefusal | undefined {
    const { nowMs, zone } = this.seen
    for (const [item, { service }] of this.offer.items.entries()) {
      const reason = tooSoon(service, startsAtMs, nowMs)
      if (reason) return { item, reason }
    }
    const day = zone.dayAt(startsAtMs)
    if (day > this.lastDay) {
      const { location } = this.offer
      const item = this.offer.items.findIndex(
        ({ service }) => lastDayOffered({ service, location }, nowMs) < day,
      )
      return { item, reason: 'beyond_horizon' }
    }
    if (startsAtMs + this.longestMs > latestMs) return { item: 0, reason: 'beyond_horizon' }
    if (isOnGrid || this.first.isOnGrid(startsAtMs)) return undefined
    const reason = this.reasonOfSite(this.items[0]?.ways ?? [], startsAtMs)
    return { item: 0, reason: typeof reason === 'string' ? reason : 'not_on_grid' }
  }

  private bestAt(startsAtMs: number, keepsHours: boolean): PlannedVisit | VisitRefusal {
    return this.plan(startsAtMs, keepsHours) ?? this.refusal(startsAtMs, keepsHours)
  }

  private plan(startsAtMs: number, keepsHours: boolean): PlannedVisit | undefined {
    const found = this.search(startsAtMs, keepsHours)
    if (!found) return undefined
    const { placed, search } = found
    return {
      ...this.present(placed, search),
      claims: placed.flatMap((place) => this.claimsOf(placed, place)),
    }
  }

  private search(
    startsAtMs: number,
    keepsHours: boolean,
  ): { placed: Placed[]; search: VisitSearch } | undefined {
    const order = this.orderAt(startsAtMs, keepsHours)
    for (const search of this.searchesFor(keepsHours)) {
      const placed = search.find(startsAtMs, order)
      if (placed === 'exhausted') {
        this.seen.onExhausted?.()
        return undefined
      }
      if (placed) return { placed, search }
    }
    return undefined
  }

  /** Returns the searches to try: without pauses first. */
  private searchesFor(keepsHours: boolean): VisitSearch[] {
    const known = this.searches.get(keepsHours)
    if (known) return known
    const { site, items, maxPauseMs, sinceMs } = this
    const first = new VisitSearch({ site, items, keepsHours, sinceMs, maxPauseMs: 0 })
    const pauses = maxPauseMs >= pauseStepMs && items.some(({ group }) => group > 0)
    const searches = pauses
      ? [first, new VisitSearch({ site, items, keepsHours, sinceMs, maxPauseMs, like: first })]
      : [first]
    this.searches.set(keepsHours, searches)
    return searches
  }

  /** Prefers those who work, then those with the fewest bookings of the day, then by ID. */
  private orderAt(startsAtMs: number, keepsHours: boolean): WaysInOrder {
    const day = this.seen.zone.dayAt(startsAtMs)
    if (this.inOrder?.day !== day) this.inOrder = { day, ways: new Map() }
    const { ways } = this.inOrder
    const byBookings = (item: SearchItem) => {
      const known = ways.get(item)
      if (known) return known
      const { bookingsOfDay } = this.seen
      const counts = typeof bookingsOfDay === 'function' ? bookingsOfDay(day) : bookingsOfDay
      const bookings = ({ person }: Way) => (person && counts.get(person.id)) ?? 0
      const sorted = item.ways.toSorted((one, other) => bookings(one) - bookings(other))
      ways.set(item, sorted)
      return sorted
    }
    if (keepsHours) return byBookings
    return (item, from) => {
      const works = (way: Way) => Number(this.isAtWork(way, from))
      return byBookings(item).toSorted((one, other) => works(other) - works(one))
    }
  }

  private isAtWork({ person, runs }: Way, startsAtMs: number): boolean {
    return runs.every(({ from, to }) => {
      const run = { from: startsAtMs + from, to: startsAtMs + to }
      return (person?.hours?.cover(run) ?? true) && person?.blocked.meet(run) !== true
    })
  }

  private present(placed: Placed[], search: VisitSearch): Omit<PlannedVisit, 'claims'> {
    const staffed = placed.map((place) => this.alternatives(placed, place, search))
    const items = placed.map(({ item, way, from, to, rooms }, index): PlannedItem => {
      return {
        service: this.serviceOf(item),
        staffId: way.person?.id ?? null,
        ...{ from, to, partySize: item.partySize },
        resources: rooms.map(({ id, name }, need) => ({
          id,
          name,
          quantity: item.needs[need]?.quantity ?? 0,
        })),
        staffIds: staffed[index]?.map(({ id }) => id) ?? [],
      }
    })
    return {
      from: placed[0]?.from ?? 0,
      to: Math.max(...items.map(({ to }) => to)),
      items,
      seatsLeft: Math.min(...placed.map((place, index) => seatsLeft(place, staffed[index] ?? []))),
    }
  }

  private serviceOf({ index }: SearchItem): Service {
    const wanted = this.offer.items[index]
    if (!wanted) throw new RangeError('no such item')
    return wanted.service
  }

  /** Returns all who could give an item of a plan, the rest of which stays. By ID. */
  private alternatives(placed: Placed[], place: Placed, search: VisitSearch): Person[] {
    const { item, from } = place
    if (item.place) return []
    const others = placed.filter((other) => other !== place)
    const latest = Math.max(0, ...others.map((other) => (other.item.group === item.group ? other.to : 0)))
    const next = others.find((other) => other.item.group === item.group + 1)
    const people: Person[] = []
    for (const way of item.ways) {
      const { person } = way
      if (!person) continue
      if (way !== place.way) {
        const suitable = search.roomsFor(item, way, from)
        if (!suitable) continue
        const to = from + way.lengthMs
        const pause = next ? next.from - Math.max(latest, to) : 0
        if (pause < 0 || pause > this.maxPauseMs || pause % pauseStepMs !== 0) continue
        const changed = { item, way, from, to, rooms: [] }
        if (!canJoin(others, changed) || !needsFit(others, changed, suitable)) continue
        if (this.hasBuffers && !this.buffersStay(placed, place, changed)) continue
      }
      people.push(person)
    }
    return people
  }

  /** Returns true if the buffers of a plan are free after one of its items has got another person. */
  private buffersStay(placed: Placed[], place: Placed, changed: Placed): boolean {
    const whole = placed.map((other) => (other === place ? changed : other))
    return [place, changed].every(({ way: { person } }) => !person || allBuffersFit(person, whole))
  }

  private claimsOf(placed: Placed[], place: Placed): PlannedClaim[] {
    const { item, way, from, to, rooms } = place
    const claims: PlannedClaim[] = []
    const { person } = way
    const service = this.serviceOf(item)
    if (person) {
      const resource = {
        ...{ id: person.id, staffId: person.id, seats: item.capacity },
        occurrenceId: item.occurrenceAt(from),
      }
      const { before, next } = neighbours(placed, place)
      const runs = runsAt(way, from)
      for (const [index, run] of runs.entries()) {
        const taken = { ...run }
        if (index === 0) taken.from = Math.max(0, buffersBetween(before, place).beforeFrom)
        if (index === runs.length - 1) taken.to = buffersBetween(place, next).afterUntil
        claims.push({ item: item.index, resource, seats: item.partySize, taken })
      }
    } else {
      const resource = locationResource(service, this.offer.location.id)
      const taken = { from: Math.max(0, from - item.beforeMs), to: to + item.afterMs }
      claims.push({ item: item.index, resource, seats: item.partySize, taken })
    }
    for (const [index, room] of rooms.entries()) {
      const need = item.needs[index]
      if (!need) continue
      const times = timesOf(need, place)
      const { quantity: seats } = need
      claims.push(...times.map((taken) => ({ item: item.index, resource: room.target, seats, taken })))
    }
    return claims
  }

  /** Names the first item that cannot be served after those before it, and why. */
  private refusal(startsAtMs: number, keepsHours: boolean): VisitRefusal {
    const { site, items, maxPauseMs, sinceMs } = this
    const like = this.searchesFor(keepsHours)[0]
    const order = this.orderAt(startsAtMs, keepsHours)
    let before: Placed[] = []
    for (const [count, item] of items.entries()) {
      const pauses = maxPauseMs > 0 ? [0, maxPauseMs] : [0]
      let found: Placed[] | undefined
      if (count < items.length - 1) {
        for (const pause of pauses) {
          const part = { site, items: items.slice(0, count + 1), keepsHours, sinceMs, maxPauseMs: pause }
          const outcome = new VisitSearch({ ...part, isPart: true, like }).find(startsAtMs, order)
          if (outcome === undefined || outcome === 'exhausted') continue
          found = outcome
          break
        }
      }
      if (!found) {
        const reason = this.reasonAgainst(item, before, { startsAtMs, keepsHours })
        return reason ? { item: item.index, reason } : this.refusalOfAll(item, startsAtMs, keepsHours)
      }
      before = found
    }
    throw new RangeError('a visit has an item')
  }

  /** Returns why nobody can serve an item after the placed ones. Undefined if somebody could if it were alone. */
  private reasonAgainst(
    item: SearchItem,
    placed: Placed[],
    { startsAtMs, keepsHours }: { startsAtMs: number; keepsHours: boolean },
  ): VisitReason | undefined {
    const last = placed.at(-1)
    const isTogether = last?.item.group === item.group
    const ofGroup = placed.filter((place) => place.item.group === last?.item.group)
    const from = isTogether ? last.from : Math.max(startsAtMs, ...ofGroup.map(({ to }) => to))
    let { ways } = item
    if (keepsHours) {
      const ofSite = this.reasonOfSite(ways, from)
      if (typeof ofSite === 'string') return ofSite
      const ofPeople = reasonOfPeople(ofSite, from)
      if (typeof ofPeople === 'string') return ofPeople
      ways = ofPeople
      for (const need of item.needs) {
        const reason = reasonOfRooms(need, ways, from)
        if (reason) return reason
      }
    } else if (item.needs.some(({ rooms }) => rooms.length === 0)) return 'not_offered_here'
    const inTheWay = claimsAgainst(item, ways, { from, keepsHours })
    if (inTheWay.length > 0) return inTheWay.every(({ held }) => !held) ? 'slot_booked' : 'slot_held'
    return undefined
  }

  /** Refuses an item that fits alone, but not together with those before it. */
  private refusalOfAll({ index: item }: SearchItem, startsAtMs: number, keepsHours: boolean): VisitRefusal {
    const isFreeNextTo = (stays: (claim: Claimed) => boolean) => {
      const claims = new Map(this.seen.claims.entries().map(([id, all]) => [id, all.filter(stays)]))
      const { onExhausted: _onExhausted, ...seen } = this.seen
      const others = new VisitRules(this.offer, this.days, { ...seen, claims })
      return others.search(startsAtMs, keepsHours) !== undefined
    }
    if (isFreeNextTo(({ held }) => !held)) return { item, reason: 'slot_held' }
    if (isFreeNextTo(() => false)) return { item, reason: 'slot_booked' }
    return { item, reason: 'staff_not_available', isOfAll: true }
  }

  private reasonOfSite(ways: readonly Way[], from: number): Way[] | VisitReason {
    const whole = ({ lengthMs }: Way) => ({ from, to: from + lengthMs })
    const open = ways.filter((way) => this.site.open.cover(whole(way)))
    if (open.length === 0) return 'outside_hours'
    const unblocked = open.filter((way) => !this.site.blocked.meet(whole(way)))
    return unblocked.length === 0 ? 'blocked' : unblocked
  }
}

function isTaken(reason: VisitReason): boolean {
  return reason === 'slot_held' || reason === 'slot_booked'
}

function reasonOfPeople(ways: Way[], from: number): Way[] | VisitReason {
  const working = ways.filter((way) => {
    const { person } = way
    return !person?.hours || runsAt(way, from).every((run) => person.hours?.cover(run))
  })
  if (working.length === 0) return 'staff_not_available'
  const meets = (way: Way, blocked: Spans | undefined) =>
    blocked !== undefined && runsAt(way, from).some((run) => blocked.meet(run))
  const free = working.filter((way) => !meets(way, way.person?.blocked))
  if (free.length > 0) return free
  return working.some((way) => meets(way, way.person?.blockedByHand)) ? 'blocked' : 'busy_elsewhere'
}

function reasonOfRooms(need: RoomNeed, ways: readonly Way[], from: number): VisitReason | undefined {
  if (need.rooms.length === 0) return 'not_offered_here'
  const pairs = ways.flatMap((way) => {
    const times = need.isWhole ? [{ from, to: from + way.lengthMs }] : runsAt(way, from)
    return need.rooms.map((room) => ({ room, times }))
  })
  const open = pairs.filter(({ room, times }) => times.every((time) => room.hours?.cover(time) ?? true))
  if (open.length === 0) return 'outside_hours'
  return open.every(({ room, times }) => times.some((time) => room.blocked.meet(time)))
    ? 'blocked'
    : undefined
}

/** Returns the claims of others on the people, place and rooms that an item could have at a start. */
function claimsAgainst(
  item: SearchItem,
  ways: readonly Way[],
  { from, keepsHours }: { from: number; keepsHours: boolean },
): Claimed[] {
  const withBuffers = (way: Way) => {
    const runs = runsAt(way, from)
    return runs.map((run, index) => ({
      from: index === 0 ? run.from - item.beforeMs : run.from,
      to: index === runs.length - 1 ? run.to + item.afterMs : run.to,
    }))
  }
  const ofPeople = ways.map((way) => {
    const busy = way.person?.busy ?? item.place?.busy
    return withBuffers(way).flatMap((time) => {
      const free = busy?.freeSeats(time, item.capacity, () => item.place?.id ?? item.occurrenceAt(from)) ?? 0
      return free < item.partySize ? (busy?.during(time) ?? []) : []
    })
  })
  if (ofPeople.every((claims) => claims.length > 0)) return ofPeople.flat()
  for (const need of item.needs) {
    const ofRooms = ways.flatMap((way) =>
      need.rooms.map((room) => {
        const times = need.isWhole ? [{ from, to: from + way.lengthMs }] : runsAt(way, from)
        const isClosed =
          keepsHours && times.some((time) => room.blocked.meet(time) || room.hours?.cover(time) === false)
        const full = times.filter(
          (time) => room.busy.freeSeats(time, room.target.seats, () => room.id) < need.quantity,
        )
        return { isFull: isClosed || full.length > 0, claims: full.flatMap((time) => room.busy.during(time)) }
      }),
    )
    if (ofRooms.every(({ isFull }) => isFull)) return ofRooms.flatMap(({ claims }) => claims)
  }
  return []
}

/** Returns the items before and after one with the same person. */
function neighbours(
  placed: readonly Placed[],
  { item, way }: Placed,
): Partial<Record<'before' | 'next', Placed>> {
  const own = placed.filter((other) => other.way.person === way.person)
  const at = own.findIndex((other) => other.item === item)
  const [before, next] = [own[at - 1], own[at + 1]]
  return { ...(before && { before }), ...(next && { next }) }
}

/** Returns the seats that people, or the place, have left for an item, as far as its rooms allow. */
function seatsLeft({ item, way, from, to }: Placed, people: readonly Person[]): number {
  const free = (busy: Occupancy, run: Interval) =>
    busy.freeSeats(run, item.capacity, () => item.place?.id ?? item.occurrenceAt(from))
  const ofPlace = item.place && free(item.place.busy, { from: from - item.beforeMs, to: to + item.afterMs })
  const ofPerson = ({ id, busy }: Person) => {
    const theirs = item.ways.find(({ person }) => person?.id === id) ?? way
    return Math.min(...runsAt(theirs, from).map((run) => free(busy, run)))
  }
  if (item.capacity === 1 && item.needs.length === 0) return Math.max(1, people.length)
  const seats = ofPlace ?? people.reduce((sum, person) => sum + ofPerson(person), 0)
  const bookings = item.needs.map(({ isWhole, quantity, rooms }) =>
    rooms.reduce((sum, { busy, target }) => {
      const times = isWhole ? [{ from, to }] : runsAt(way, from)
      const left = times.map((time) => busy.freeSeats(time, target.seats, () => target.id))
      return sum + Math.floor(Math.min(target.seats, ...left) / quantity)
    }, 0),
  )
  return Math.max(item.partySize, Math.min(seats, ...bookings.map((count) => count * item.capacity)))
}

function roomNeed({ resource_ids, quantity, during }: Need, rooms: ReadonlyMap<string, Room>): RoomNeed {
  return {
    quantity,
    seats: seatsOf(quantity),
    isWhole: during === 'all',
    rooms: resource_ids.flatMap((id) => rooms.get(id) ?? []),
  }
}

/** Returns a function that computes the occurrence of a service at each start once. */
function occurrences(service: Service, locationId: string): (startsAtMs: number) => string {
  const known = new Map<number, string>()
  return (startsAtMs) => {
    const found = known.get(startsAtMs)
    if (found !== undefined) return found
    const occurrence = staffOccurrence(service, { locationId, startsAt: instantFromMs(startsAtMs) })
    known.set(startsAtMs, occurrence)
    return occurrence
  }
}
