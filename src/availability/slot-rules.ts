import { instantFromMs } from '../instants.ts'
import { Occupancy, type Claimed } from './occupancy-rules.ts'
import type { Offer, OfferRules, RuleReason } from './offer-rules.ts'
import { placeResource, staffOccurrence } from './resource-rules.ts'
import type { MsSpan, ZoneOffsets } from './zone-rules.ts'

/** A slot that can be held. */
export interface Slot extends MsSpan {
  /** Who could give it, by id; empty where the service needs nobody. */
  staffIds: string[]
  /** Seats that are free for the whole slot, over all who could give it. */
  seatsLeft: number
  /** The caller holds this very slot. */
  heldByYou: boolean
}

/** A hold of the caller's own on the service and location that are asked about. */
export interface OwnSlot {
  startsAtMs: number
  staffId: string | null
}

/** What is taken, as one look at the database saw it: claims of others, by resource, and the caller's own holds. */
export interface Taken {
  claims: ReadonlyMap<string, Claimed[]>
  ownSlots: OwnSlot[]
}

/** Why a slot cannot be held now: the rules of the business, or somebody else. */
export type Reason = RuleReason | 'slot_held' | 'slot_booked'

/** Tells which of the slots that the rules offer are free. */
export class FreeSlots {
  readonly zone: ZoneOffsets
  private readonly offer: Offer
  private readonly rules: OfferRules
  /** By what they are of. */
  private readonly occupancies: ReadonlyMap<string, Occupancy>
  private readonly placeId: string
  private readonly ownSlots: OwnSlot[]

  constructor(offer: Offer, { zone, rules }: { zone: ZoneOffsets; rules: OfferRules }, taken: Taken) {
    const { claims, ownSlots } = taken
    this.zone = zone
    this.offer = offer
    this.rules = rules
    this.placeId = placeResource(offer.service, offer.location.id).id
    this.occupancies = new Map(
      this.resourceIds(offer.staff.map(({ id }) => id)).map((id) => [
        id,
        new Occupancy(claims.get(id) ?? []),
      ]),
    )
    this.ownSlots = ownSlots
  }

  /** The free slots that start on a local day, in their order. */
  *onDay(day: number): Generator<Slot> {
    for (const startsAtMs of this.rules.gridTimes(this.zone.spanOf({ first: day, last: day }))) {
      const slot = this.at(startsAtMs, this.rules.workingAt(startsAtMs, true))
      if (slot && this.zone.dayAt(startsAtMs) === day) yield slot
    }
  }

  /** Why the slot that starts at an instant cannot be held now; null when it can. */
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
      seatsLeft += free
      if (free > 0 && id !== this.placeId) staffIds.push(id)
    }
    if (seatsLeft === 0) return undefined
    const heldByYou = this.ownSlots.some(
      (own) => own.startsAtMs === startsAtMs && (own.staffId === null || working.includes(own.staffId)),
    )
    const to = startsAtMs + this.offer.service.duration_minutes * 60_000
    return { from: startsAtMs, to, staffIds, seatsLeft, heldByYou }
  }

  /** What is taken by a slot: its staff members, or the service at its place. */
  private resourceIds(staffIds: string[]): string[] {
    return this.offer.service.staff_ids.length === 0 ? [this.placeId] : staffIds
  }

  private occurrenceAt(startsAtMs: number): string {
    const { service, location } = this.offer
    if (service.staff_ids.length === 0) return this.placeId
    return staffOccurrence(service, { locationId: location.id, startsAt: instantFromMs(startsAtMs) })
  }

  private takenBy(startsAtMs: number): MsSpan {
    const { duration_minutes, buffer_before_minutes, buffer_after_minutes } = this.offer.service
    return {
      from: startsAtMs - buffer_before_minutes * 60_000,
      to: startsAtMs + (duration_minutes + buffer_after_minutes) * 60_000,
    }
  }
}
