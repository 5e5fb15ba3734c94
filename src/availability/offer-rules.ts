import type { Location, Service, StaffMember } from '../catalogue/catalogue-types.ts'
import { latestMs } from '../instants.ts'
import { isAlwaysOpen, openingsOf, type Schedule } from './hours-rules.ts'
import { Spans } from './span-rules.ts'
import { dayMs, ZoneOffsets, type Days, type MsSpan } from './zone-rules.ts'

/** Why the rules of a business do not offer a time (contract: Errors), in the order in which they are asked. */
export type RuleReason =
  | 'in_the_past'
  | 'too_soon'
  | 'beyond_horizon'
  | 'outside_hours'
  | 'blocked'
  | 'not_on_grid'
  | 'staff_not_available'

/** A time that nobody can book, at the location or with a staff member. */
export interface Block extends MsSpan {
  staffId: string | null
}

/** A service at a location with those of its staff who are asked for. */
export interface Offer {
  service: Service
  location: Location
  /** Who could give it, by id; empty where the service needs nobody. */
  staff: StaffMember[]
}

interface Worker {
  id: string
  /** Undefined: whenever the location is open. */
  hours: Spans | undefined
  blocked: Spans
}

/** Hours past midnight reach into the next day. */
const daysBefore = 1
/** A slot of up to a day that starts late on the last day may need the hours of two more. */
const daysAfter = 2

/** The offsets of a zone for some days and all around them that slots of those days depend on. */
export function zoneAround(timeZone: string, { first, last }: Days): ZoneOffsets {
  const from = Math.max(0, (first - daysBefore - 2) * dayMs)
  return new ZoneOffsets(timeZone, { from, to: (last + daysAfter + 3) * dayMs })
}

/**
 * What hours, blocks, grid, notice and horizon say of the times of some days. Knows nothing of claims: a time that
 * it offers may be taken.
 */
export class OfferRules {
  private readonly zone: ZoneOffsets
  private readonly service: Service
  private readonly nowMs: number
  private readonly lastDay: number
  private readonly openings: MsSpan[]
  private readonly open: Spans
  private readonly blocked: Spans
  private readonly workers: Worker[]

  /** `zone` must be around the days, and `blocks` hold all that overlap a slot of those days. */
  constructor(offer: Offer, days: Days, seen: { zone: ZoneOffsets; nowMs: number; blocks: Block[] }) {
    const { service, location, staff } = offer
    const { zone, nowMs, blocks } = seen
    this.service = service
    this.nowMs = nowMs
    this.zone = zone
    this.lastDay = lastDayOffered(offer, nowMs)
    const around = { first: days.first - daysBefore, last: days.last + daysAfter }
    const openingsIn = (schedule: Schedule) => openingsOf(schedule, zone, around)
    this.openings = openingsIn(location)
    this.open = new Spans(this.openings)
    this.blocked = new Spans(blocks.filter(({ staffId }) => staffId === null))
    this.workers = staff.map((member) => ({
      id: member.id,
      hours: isAlwaysOpen(member) ? undefined : new Spans(openingsIn(member)),
      blocked: new Spans(blocks.filter(({ staffId }) => staffId === member.id)),
    }))
  }

  /** The times from `from` until before `to` that stand on the grid of an opening, each once, in their order. */
  gridTimes({ from, to }: MsSpan): number[] {
    const stepMs = this.service.slot_interval_minutes * 60_000
    const times = new Set<number>()
    for (const opening of this.openings) {
      const steps = Math.max(0, Math.ceil((from - opening.from) / stepMs))
      const end = Math.min(opening.to, to)
      for (let time = opening.from + steps * stepMs; time < end; time += stepMs) times.add(time)
    }
    return [...times].sort((one, other) => one - other)
  }

  /**
   * The staff members who work for the whole of a slot (nobody, where the service needs none), or why it is not
   * offered. Whether it stands on the grid need not be asked again of what `gridTimes` gave.
   */
  workingAt(startsAtMs: number, isOnGrid = this.isOnGrid(startsAtMs)): string[] | RuleReason {
    const slot = { from: startsAtMs, to: startsAtMs + this.service.duration_minutes * 60_000 }
    if (startsAtMs <= this.nowMs) return 'in_the_past'
    if (startsAtMs < this.nowMs + this.service.min_notice_minutes * 60_000) return 'too_soon'
    if (this.zone.dayAt(startsAtMs) > this.lastDay || this.isAfterTime(slot)) return 'beyond_horizon'
    if (!this.open.cover(slot)) return 'outside_hours'
    if (this.blocked.meet(slot)) return 'blocked'
    if (!isOnGrid) return 'not_on_grid'
    if (this.workers.length === 0) return []
    const working: string[] = []
    let isAnyoneThere = false
    for (const { id, hours, blocked } of this.workers) {
      if (hours !== undefined && !hours.cover(slot)) continue
      isAnyoneThere = true
      if (!blocked.meet(slot)) working.push(id)
    }
    if (!isAnyoneThere) return 'staff_not_available'
    return working.length > 0 ? working : 'blocked'
  }

  /** Nothing can be taken after the year 9999. */
  private isAfterTime({ to }: MsSpan): boolean {
    return to + this.service.buffer_after_minutes * 60_000 > latestMs
  }

  private isOnGrid(startsAtMs: number): boolean {
    const stepMs = this.service.slot_interval_minutes * 60_000
    return this.openings.some(
      ({ from, to }) => from <= startsAtMs && startsAtMs < to && (startsAtMs - from) % stepMs === 0,
    )
  }
}

/** The local day of an instant at the location, counted from 1970-01-01. */
export function dayThere({ location }: Pick<Offer, 'location'>, instantMs: number): number {
  return new ZoneOffsets(location.timezone, { from: instantMs, to: instantMs + 1 }).dayAt(instantMs)
}

/** Nothing is offered further ahead, whatever the service says; keys need not heed it. */
const mostDaysAhead = 730

/** The last local day, counted from 1970-01-01, on which a slot may start. */
export function lastDayOffered(offer: Pick<Offer, 'service' | 'location'>, nowMs: number): number {
  const days = offer.service.max_advance_days ?? mostDaysAhead
  return dayThere(offer, nowMs) + Math.min(days, mostDaysAhead)
}

/** The local day on which a slot starts: its moments, and what the rules of the offer say of them. */
export class SlotDay {
  private readonly offer: Offer
  private readonly startsAtMs: number
  private readonly days: Days
  private readonly zone: ZoneOffsets

  constructor(offer: Offer, startsAtMs: number) {
    const day = dayThere(offer, startsAtMs)
    this.offer = offer
    this.startsAtMs = startsAtMs
    this.days = { first: day, last: day }
    this.zone = zoneAround(offer.location.timezone, this.days)
  }

  /** From the first moment of the day until its end. */
  span(): MsSpan {
    return this.zone.spanOf(this.days)
  }

  /**
   * Who works for the whole of the slot (nobody, where the service needs none), or why it is not offered. With
   * `isOnGrid`, the grid is no matter.
   */
  working(seen: { nowMs: number; blocks: Block[] }, isOnGrid?: true): string[] | RuleReason {
    const rules = new OfferRules(this.offer, this.days, { ...seen, zone: this.zone })
    return rules.workingAt(this.startsAtMs, isOnGrid)
  }
}
