import type { Occupancy } from './slot-rules.ts'
import type { Spans } from './hours-rules.ts'
import { mostTaken } from './seat-rules.ts'
import type { Resource } from './resource-rules.ts'
import type { Interval } from './zone-rules.ts'

/** A staff member. */
export interface Person {
  id: string
  /** Undefined: whenever the location is open. */
  hours: Spans | undefined
  blocked: Spans
  /** The blocks entered by hand. */
  blockedByHand: Spans
  busy: Occupancy
}

/** A room, machine or other resource. */
export interface Room {
  id: string
  name: string
  target: Resource
  /** Undefined: whenever the location is open. */
  hours: Spans | undefined
  blocked: Spans
  busy: Occupancy
}

/** Seats of one of several rooms. */
export interface RoomNeed {
  quantity: number
  /** The list of taken seats in the format of `mostTaken`; only its length counts. */
  seats: readonly number[]
  isWhole: boolean
  /** Active ones, in order of preference. */
  rooms: Room[]
}

/** One person who gives an item, or nobody if it is unstaffed. */
export interface Way {
  /** Its number among all ways of the visit. */
  index: number
  person: Person | undefined
  lengthMs: number
  /** The times with the person, from the start of the item. The whole length if it is unstaffed. */
  runs: readonly Interval[]
}

/** One item of a visit, prepared for the search. */
export interface SearchItem {
  index: number
  /** The number of its group. Items of one group start together. */
  group: number
  partySize: number
  capacity: number
  beforeMs: number
  afterMs: number
  /** The place of an unstaffed item. */
  place: { id: string; busy: Occupancy } | undefined
  ways: Way[]
  needs: RoomNeed[]
  /** Returns the occurrence of the item at a start. Costs a digest. */
  occurrenceAt: (startsAtMs: number) => string
}

/** An item with its start, person and rooms. */
export interface Placed {
  item: SearchItem
  way: Way
  from: number
  to: number
  /** One for each need. */
  rooms: Room[]
}

/** Hours and blocks of the location. */
export interface Site {
  open: Spans
  blocked: Spans
}

/** Pauses between items are multiples of this. */
export const pauseStepMs = 5 * 60_000

/** The most attempts to place an item at one start. Beyond them, the start counts as not free. */
const maxNodes = 1_000

/** The rooms that suit each need, by way and start. Null if the item cannot be given then. */
type SuitableRooms = Map<number, readonly Room[][] | null>[]

interface SearchInput {
  site: Site
  items: readonly SearchItem[]
  /** True if hours and blocks count. */
  keepsHours: boolean
  maxPauseMs: number
  /** The start of the days. Starts are known by their seconds since then, because maps are fast with small numbers. */
  sinceMs: number
  /** True if more items follow, so that no buffer is the last one. */
  isPart?: boolean
  /** Another search with the same hours, to share its results. */
  like?: VisitSearch | undefined
}

/** Returns the ways of an item at a start, in order of preference. */
export type WaysInOrder = (item: SearchItem, startsAtMs: number) => readonly Way[]

/** Finds the best plan at a start. Keeps intermediate results, as many starts of a day share them. */
export class VisitSearch {
  readonly items: readonly SearchItem[]
  readonly isPart: boolean
  private readonly site: Site
  private readonly groups: readonly SearchItem[][]
  private readonly keepsHours: boolean
  private readonly sinceMs: number
  readonly maxPauseMs: number
  private readonly fewestPeople: number
  private readonly mostPeople: number
  private readonly rooms: SuitableRooms
  private readonly possible: Map<number, boolean>[]
  private nodes = 0

  constructor({ site, items, keepsHours, maxPauseMs, sinceMs, isPart = false, like }: SearchInput) {
    this.sinceMs = sinceMs
    this.site = site
    this.items = items
    this.isPart = isPart
    this.keepsHours = keepsHours
    this.maxPauseMs = maxPauseMs
    this.groups = [...Map.groupBy(items, ({ group }) => group).values()]
    const staffed = (list: readonly SearchItem[]) => list.filter(({ place }) => !place).length
    this.fewestPeople = Math.max(...this.groups.map(staffed))
    this.mostPeople = staffed(items)
    this.possible = this.groups.map(() => new Map<number, boolean>())
    this.rooms = like?.rooms ?? []
    for (const { index } of items.flatMap(({ ways }) => ways)) {
      this.rooms[index] ??= new Map<number, readonly Room[][] | null>()
    }
  }

  /**
   * Returns the best plan that starts at an instant: with as few people as possible, then the earliest times and the
   * first ways, item by item. Undefined without a plan; `exhausted` if the search gave up.
   */
  find(startsAtMs: number, waysOf: WaysInOrder): Placed[] | 'exhausted' | undefined {
    if (!this.canBegin(0, startsAtMs)) return undefined
    this.nodes = 0
    for (let people = this.fewestPeople; people <= this.mostPeople; people += 1) {
      const attempt = new Attempt(this, people, waysOf)
      const outcome = attempt.from(startsAtMs)
      if (outcome !== undefined) return outcome
      if (!attempt.wantsMorePeople) return undefined
    }
    return undefined
  }

  /** Counts an attempt to place an item. Returns false if the search must give up. */
  spendNode(): boolean {
    this.nodes += 1
    return this.nodes <= maxNodes
  }

  /**
   * Returns false if a group and those after it cannot follow from a start. Supposes that each item has all rooms and
   * people for itself. Most starts without a plan end here.
   */
  canBegin(group: number, startsAtMs: number): boolean {
    const known = this.possible[group]
    if (!known) return true
    const key = (startsAtMs - this.sinceMs) / 1_000
    const found = known.get(key)
    if (found !== undefined) return found
    const can = this.computeBegin(group, startsAtMs)
    known.set(key, can)
    return can
  }

  private computeBegin(group: number, startsAtMs: number): boolean {
    const items = this.groups[group] ?? []
    const lengths: number[] = []
    let shortest = 0
    for (const item of items) {
      let least = Infinity
      for (const way of item.ways) {
        if (way.lengthMs < least || !lengths.includes(way.lengthMs)) {
          if (!this.roomsFor(item, way, startsAtMs)) continue
          least = Math.min(least, way.lengthMs)
          lengths.push(way.lengthMs)
        }
      }
      shortest = Math.max(shortest, least)
    }
    if (shortest === Infinity || !this.haveOneEach(items, startsAtMs)) return false
    if (group === this.groups.length - 1) return true
    return lengths.some((length) => length >= shortest && this.canFollow(group + 1, startsAtMs + length))
  }

  /**
   * Returns true if items that start together can have a different person each (augmenting paths). Without this, a search
   * that lacks one person would try all orders of the others.
   */
  private haveOneEach(items: readonly SearchItem[], startsAtMs: number): boolean {
    const staffed = items.filter(({ place }) => !place)
    if (staffed.length < 2) return true
    const itemOf = new Map<Person, SearchItem>()
    const assign = (item: SearchItem, tried: Set<Person>): boolean =>
      item.ways.some((way) => {
        const { person } = way
        if (!person || tried.has(person) || !this.roomsFor(item, way, startsAtMs)) return false
        tried.add(person)
        const other = itemOf.get(person)
        if (other && !assign(other, tried)) return false
        itemOf.set(person, item)
        return true
      })
    return staffed.every((item) => assign(item, new Set()))
  }

  private canFollow(group: number, endMs: number): boolean {
    for (let next = endMs; next <= endMs + this.maxPauseMs; next += pauseStepMs) {
      if (this.canBegin(group, next)) return true
    }
    return false
  }

  /** Returns the rooms that suit each need, other items of the visit aside. Null if the item cannot be given. */
  roomsFor(item: SearchItem, way: Way, startsAtMs: number): readonly Room[][] | null {
    const known = this.rooms[way.index]
    const key = (startsAtMs - this.sinceMs) / 1_000
    const found = known?.get(key)
    if (found !== undefined) return found
    const computed = this.computeRooms(item, way, startsAtMs)
    known?.set(key, computed)
    return computed
  }

  private computeRooms(item: SearchItem, way: Way, from: number): readonly Room[][] | null {
    const whole = { from, to: from + way.lengthMs }
    const { place, partySize, capacity, beforeMs, afterMs, needs } = item
    if (this.keepsHours && (!this.site.open.cover(whole) || this.site.blocked.meet(whole))) return null
    if (place) {
      const taken = { from: from - beforeMs, to: whole.to + afterMs }
      if (place.busy.freeSeats(taken, capacity, () => place.id) < partySize) return null
    }
    const runs = runsAt(way, from)
    const { person } = way
    if (person && !runs.every((run) => this.isAtWork(person, run) && fits(person, item, { from, run }))) {
      return null
    }
    const suitable: Room[][] = []
    for (const need of needs) {
      const times = need.isWhole ? [whole] : runs
      const some = need.rooms.filter((room) => times.every((time) => this.hasSeats(room, need, time)))
      if (some.length === 0) return null
      suitable.push(some)
    }
    return suitable
  }

  private isAtWork({ hours, blocked }: Person, run: Interval): boolean {
    return !this.keepsHours || ((hours === undefined || hours.cover(run)) && !blocked.meet(run))
  }

  private hasSeats({ hours, blocked, busy, target }: Room, { quantity }: RoomNeed, time: Interval): boolean {
    if (this.keepsHours && ((hours !== undefined && !hours.cover(time)) || blocked.meet(time))) return false
    return busy.freeSeats(time, target.seats, () => target.id) >= quantity
  }
}

/** One search with a limit on the number of people. */
class Attempt {
  wantsMorePeople = false
  private readonly search: VisitSearch
  private readonly people: number
  private readonly waysOf: WaysInOrder
  private readonly placed: Placed[] = []
  private isExhausted = false

  constructor(search: VisitSearch, people: number, waysOf: WaysInOrder) {
    this.search = search
    this.people = people
    this.waysOf = waysOf
  }

  from(startsAtMs: number): Placed[] | 'exhausted' | undefined {
    if (this.placeItem(0, startsAtMs, startsAtMs)) return this.placed
    return this.isExhausted ? 'exhausted' : undefined
  }

  /** Places an item and all after it. `start` and `end` are those of the item before and its group, so far. */
  private placeItem(index: number, start: number, end: number): boolean {
    const item = this.search.items[index]
    if (!item) return this.search.isPart || this.lastBuffersFit()
    const before = this.placed.at(-1)
    if (!before) return this.placeAt(item, start, start)
    if (before.item.group === item.group) return this.placeAt(item, start, end)
    for (let next = end; next <= end + this.search.maxPauseMs; next += pauseStepMs) {
      if (!this.search.canBegin(item.group, next)) continue
      if (this.placeAt(item, next, next)) return true
      if (this.isExhausted) return false
    }
    return false
  }

  private placeAt(item: SearchItem, from: number, groupEnd: number): boolean {
    for (const way of this.waysOf(item, from)) {
      const suitable = this.search.roomsFor(item, way, from)
      if (!suitable) continue
      if (!this.search.spendNode()) {
        this.isExhausted = true
        return false
      }
      if (!this.hasRoomFor(way)) continue
      const place = { item, way, from, to: from + way.lengthMs, rooms: [] }
      if (!canJoin(this.placed, place)) continue
      if (this.placeWithRooms(place, suitable, groupEnd)) return true
      if (this.isExhausted) return false
    }
    return false
  }

  /** Chooses a room for each further need, then places the items after it. */
  private placeWithRooms(place: Placed, suitable: readonly Room[][], groupEnd: number): boolean {
    const { item, from, to, rooms } = place
    const need = item.needs[rooms.length]
    if (!need) {
      this.placed.push(place)
      if (this.placeItem(item.index + 1, from, Math.max(groupEnd, to))) return true
      this.placed.pop()
      return false
    }
    for (const room of suitable[rooms.length] ?? []) {
      if (!roomFits(this.placed, place, { need, room })) continue
      if (rooms.length > 0 && !this.search.spendNode()) {
        this.isExhausted = true
        return false
      }
      if (this.placeWithRooms({ ...place, rooms: [...rooms, room] }, suitable, groupEnd)) return true
      if (this.isExhausted) return false
    }
    return false
  }

  private hasRoomFor({ person }: Way): boolean {
    if (!person) return true
    let people = 0
    for (const [index, { way }] of this.placed.entries()) {
      if (way.person === person) return true
      if (way.person && this.placed.findIndex((other) => other.way.person === way.person) === index)
        people += 1
    }
    if (people < this.people) return true
    this.wantsMorePeople = true
    return false
  }

  private lastBuffersFit(): boolean {
    return this.placed.every((place, at) => {
      const { person } = place.way
      if (!person || place.item.afterMs === 0) return true
      const isLast = !this.placed.slice(at + 1).some(({ way }) => way.person === person)
      return !isLast || buffersFit(person, place, undefined)
    })
  }
}

/** Returns the times of an item's runs. */
export function runsAt({ runs }: Way, startsAtMs: number): Interval[] {
  return runs.map(({ from, to }) => ({ from: startsAtMs + from, to: startsAtMs + to }))
}

/** Returns true if a person has seats for an item's party during a time. `from` is the start of the item. */
function fits(
  { busy }: Person,
  { partySize, capacity, occurrenceAt }: SearchItem,
  { from, run }: { from: number; run: Interval },
): boolean {
  return run.from >= run.to || busy.freeSeats(run, capacity, () => occurrenceAt(from)) >= partySize
}

/**
 * Returns true if an item fits next to the placed ones, rooms aside. Its person must serve no other item at that time.
 * The buffers between must be free, and its place must have seats for all.
 */
export function canJoin(placed: readonly Placed[], place: Placed): boolean {
  const { way, from, to } = place
  const { person } = way
  if (!person) return placeFits(placed, place)
  let before: Placed | undefined
  for (const other of placed) {
    if (other.way.person !== person) continue
    if (other.from < to && from < other.to) return false
    if (other.from < from) before = other
  }
  return buffersFit(person, before, place)
}

/**
 * Returns the end of the buffer after an item and the start of the one before its person's next item. Buffers fill a
 * pause between the two at most, so that they never overlap.
 */
export function buffersBetween(
  before: Placed | undefined,
  next: Placed | undefined,
): { afterUntil: number; beforeFrom: number } {
  const start = next ? runStart(next) : Infinity
  const afterUntil = before ? Math.min(runEnd(before) + before.item.afterMs, start) : 0
  return { afterUntil, beforeFrom: Math.max(start - (next?.item.beforeMs ?? 0), afterUntil) }
}

function runStart({ way, from }: Placed): number {
  return from + (way.runs[0]?.from ?? 0)
}

function runEnd({ way, from }: Placed): number {
  return from + (way.runs.at(-1)?.to ?? 0)
}

/** Returns true if a person's buffers between two items that follow each other are free. */
function buffersFit(person: Person, before: Placed | undefined, next: Placed | undefined): boolean {
  if ((before?.item.afterMs ?? 0) === 0 && (next?.item.beforeMs ?? 0) === 0) return true
  const { afterUntil, beforeFrom } = buffersBetween(before, next)
  const isAfterFree =
    !before || fits(person, before.item, { from: before.from, run: { from: runEnd(before), to: afterUntil } })
  if (!isAfterFree || !next) return isAfterFree
  return fits(person, next.item, { from: next.from, run: { from: beforeFrom, to: runStart(next) } })
}

/** Returns true if all buffers of a person in a plan are free. */
export function allBuffersFit(person: Person, placed: readonly Placed[]): boolean {
  let before: Placed | undefined
  for (const place of placed) {
    if (place.way.person !== person) continue
    if (!buffersFit(person, before, place)) return false
    before = place
  }
  return buffersFit(person, before, undefined)
}

function placeFits(placed: readonly Placed[], { item, from, to }: Placed): boolean {
  const { place } = item
  const own = placed.filter((other) => other.item.place && other.item.place.id === place?.id)
  if (!place || own.length === 0) return true
  const around = (one: { item: SearchItem; from: number; to: number }) => {
    const { beforeMs, afterMs, partySize } = one.item
    return { from: one.from - beforeMs, to: one.to + afterMs, seats: seatsOf(partySize) }
  }
  const taken = around({ item, from, to })
  const claims = [...place.busy.during(taken), ...own.map(around)]
  return mostTaken(claims, taken) + item.partySize <= item.capacity
}

/** Returns seats in the format of `mostTaken`, where only their number counts. */
export function seatsOf(count: number): readonly number[] {
  return Array.from({ length: count }, (_, seat) => seat)
}

/** Returns the times in which a need takes seats of its room. */
export function timesOf({ isWhole }: RoomNeed, { way, from, to }: Placed): Interval[] {
  return isWhole ? [{ from, to }] : runsAt(way, from)
}

/** Returns true if a room has seats for a need next to the visit's other needs. */
function roomFits(
  placed: readonly Placed[],
  place: Placed,
  { need, room }: { need: RoomNeed; room: Room },
): boolean {
  if (!place.rooms.includes(room) && !placed.some(({ rooms }) => rooms.includes(room))) return true
  const own = [...placed, place].flatMap((other) =>
    other.rooms.flatMap((taken, index) => {
      const theirs = other.item.needs[index]
      if (taken !== room || !theirs) return []
      return timesOf(theirs, other).map((time) => ({ ...time, seats: theirs.seats }))
    }),
  )
  return timesOf(need, place).every((time) => {
    const claims = [...room.busy.during(time), ...own]
    return mostTaken(claims, time) + need.quantity <= room.target.seats
  })
}

/** Returns true if an item's needs can be met next to the placed items, in some choice of rooms. */
export function needsFit(placed: readonly Placed[], place: Placed, suitable: readonly Room[][]): boolean {
  const need = place.item.needs[place.rooms.length]
  if (!need) return true
  return (suitable[place.rooms.length] ?? []).some(
    (room) =>
      roomFits(placed, place, { need, room }) &&
      needsFit(placed, { ...place, rooms: [...place.rooms, room] }, suitable),
  )
}
