import { instantFromMs } from '../base/instants.ts'
import type { Offer, AvailabilityRules, RuleReason } from './offer-rules.ts'
import { locationResource, staffOccurrence, takenBySlots } from './resource-rules.ts'
import { mostTaken, type TakenSeats } from './seat-rules.ts'
import type { Interval, ZoneOffsets } from './zone-rules.ts'

/** A slot that can be held. */
export interface Slot extends Interval {
  /** IDs of staff with room for the party; empty for an unstaffed service. */
  staffIds: string[]
  /** Seats free at every moment of the slot, summed over these staff. */
  seatsLeft: number
  /** True if the caller holds this slot. */
  heldByYou: boolean
  /** The services of a visit, in order. Absent if one service was asked for. */
  items?: SlotItem[]
}

/** One service of a visit in a slot. */
export interface SlotItem extends Interval {
  serviceId: string
  /** All who could give it at this time, the rest unchanged. Empty for an unstaffed service. */
  staffIds: string[]
}

/** The caller's own hold on this service and location. */
export interface OwnSlot {
  startsAtMs: number
  staffId: string | null
}

/** The result of one statement. */
export interface Taken {
  /** Claims of other clients, by resource. */
  claims: ReadonlyMap<string, Claimed[]>
  ownSlots: OwnSlot[]
  /** Seats that the caller needs in one occurrence. */
  partySize: number
}

/** The reason why a slot cannot be held now: a rule of the business, or another client. */
export type Reason = RuleReason | 'slot_held' | 'slot_booked'

/** The free slots among those that the rules offer. */
export class FreeSlots {
  readonly zone: ZoneOffsets
  private readonly offer: Offer
  private readonly rules: AvailabilityRules
  /** By resource. */
  private readonly occupancies: ReadonlyMap<string, Occupancy>
  private readonly locationId: string
  private readonly ownSlots: OwnSlot[]
  private readonly partySize: number

  constructor(offer: Offer, { zone, rules }: { zone: ZoneOffsets; rules: AvailabilityRules }, taken: Taken) {
    const { claims, ownSlots, partySize } = taken
    this.partySize = partySize
    this.zone = zone
    this.offer = offer
    this.rules = rules
    this.locationId = locationResource(offer.service, offer.location.id).id
    this.occupancies = new Map(
      this.resourceIds(offer.staff.map(({ id }) => id)).map((id) => [
        id,
        new Occupancy(claims.get(id) ?? []),
      ]),
    )
    this.ownSlots = ownSlots
  }

  /** Yields the free slots that start on a local day, in order. */
  *onDay(day: number): Generator<Slot> {
    for (const startsAtMs of this.rules.gridTimes(this.zone.spanOf({ first: day, last: day }))) {
      const slot = this.at(startsAtMs, this.rules.workingAt(startsAtMs, true))
      if (slot && this.zone.dayAt(startsAtMs) === day) yield slot
    }
  }

  /** Returns the reason why the slot that starts at an instant cannot be held now; null if it can. */
  reasonAgainst(startsAtMs: number): Reason | null {
    const working = this.rules.workingAt(startsAtMs)
    if (typeof working === 'string') return working
    if (this.at(startsAtMs, working)) return null
    const taken = this.takenBy(startsAtMs)
    const inTheWay = this.resourceIds(working).flatMap((id) => this.occupancies.get(id)?.during(taken) ?? [])
    return inTheWay.every(({ held }) => !held) ? 'slot_booked' : 'slot_held'
  }

  private at(startsAtMs: number, working: string[] | RuleReason): Slot | undefined {
    if (typeof working === 'string') return undefined
    const taken = this.takenBy(startsAtMs)
    let occurrence: string | undefined
    const occurrenceId = () => (occurrence ??= this.occurrenceAt(startsAtMs))
    const staffIds: string[] = []
    let seatsLeft = 0
    for (const id of this.resourceIds(working)) {
      const free = this.occupancies.get(id)?.freeSeats(taken, this.offer.service.capacity, occurrenceId) ?? 0
      if (free < this.partySize) continue
      seatsLeft += free
      if (id !== this.locationId) staffIds.push(id)
    }
    if (seatsLeft === 0) return undefined
    const heldByYou = this.ownSlots.some(
      (own) => own.startsAtMs === startsAtMs && (own.staffId === null || working.includes(own.staffId)),
    )
    const to = startsAtMs + this.offer.service.duration_minutes * 60_000
    return { from: startsAtMs, to, staffIds, seatsLeft, heldByYou }
  }

  private resourceIds(staffIds: string[]): string[] {
    return this.offer.service.staff_ids.length === 0 ? [this.locationId] : staffIds
  }

  private occurrenceAt(startsAtMs: number): string {
    const { service, location } = this.offer
    if (service.staff_ids.length === 0) return this.locationId
    return staffOccurrence(service, { locationId: location.id, startsAt: instantFromMs(startsAtMs) })
  }

  private takenBy(startsAtMs: number): Interval {
    return takenBySlots(this.offer.service, { from: startsAtMs, to: startsAtMs })
  }
}

/** A claim on a resource, buffers included. */
export interface Claimed extends TakenSeats {
  occurrenceId: string
  /** True for a hold, false for a booking. */
  held: boolean
}

const none: readonly Claimed[] = []

/** The claims on one resource that obstruct the caller. Fast if queried in chronological order. */
export class Occupancy {
  private readonly claims: Claimed[]
  private readonly maxMs: number
  private hint = 0

  constructor(claims: Claimed[]) {
    this.claims = claims.toSorted((one, other) => one.from - other.from)
    this.maxMs = claims.reduce((longest, { from, to }) => Math.max(longest, to - from), 0)
  }

  /**
   * Returns the claims that overlap an interval. Returns a list, because a month of slots calls this
   * thousands of times and a generator costs more.
   */
  during({ from, to }: Interval): readonly Claimed[] {
    let found: Claimed[] | undefined
    for (let at = this.firstAfter(from - this.maxMs); ; at += 1) {
      const claim = this.claims[at]
      if (!claim || claim.from >= to) return found ?? none
      if (claim.to > from) (found ??= []).push(claim)
    }
  }

  /**
   * Counts the seats that are free at every moment of an interval in one occurrence. Claims beyond a lowered
   * capacity count too.
   */
  freeSeats(taken: Interval, seats: number, occurrenceId: () => string): number {
    const inTheWay = this.during(taken)
    if (inTheWay.length === 0) return seats
    if (seats === 1) return 0 // avoids computing the occurrence, which costs a digest
    const own = occurrenceId()
    if (inTheWay.some((claim) => claim.occurrenceId !== own)) return 0
    return Math.max(0, seats - mostTaken(inTheWay, taken))
  }

  private firstAfter(instantMs: number): number {
    const startsBy = (at: number) => (this.claims[at]?.from ?? Infinity) <= instantMs
    while (this.hint > 0 && !startsBy(this.hint - 1)) this.hint -= 1
    while (startsBy(this.hint)) this.hint += 1
    return this.hint
  }
}
