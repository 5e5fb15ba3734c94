import { Problem, type ProblemParts } from '../base/errors.ts'
import { latestMs } from '../base/instants.ts'
import type { Location, StaffMember } from '../catalogue/location-and-staff-schemas.ts'
import { noticeOf } from '../catalogue/request-rules.ts'
import type { Service } from '../catalogue/service-schemas.ts'
import {
  isAlwaysOpen,
  isInTimetable,
  openingsOf,
  type Schedule,
  Spans,
  timetableTimes,
} from './hours-rules.ts'
import { dayMs, type Days, type Interval, ZoneOffsets } from './zone-rules.ts'

/** The reason why the rules do not offer a slot, in the order of the checks. */
export type RuleReason =
  | 'in_the_past'
  | 'too_soon'
  | 'beyond_horizon'
  | 'outside_hours'
  | 'blocked'
  | 'busy_elsewhere'
  | 'not_on_grid'
  | 'staff_not_available'

/** Time that nobody can book. */
export interface Block extends Interval {
  /** The staff member; null for the whole location. */
  staffId: string | null
  /** True for a block from the staff member's busy calendar. Absent if the caller does not need it. */
  isElsewhere?: boolean
}

/** A service at a location with the requested staff. */
export interface Offer {
  service: Service
  location: Location
  /** Eligible staff by ID; empty for an unstaffed service. */
  staff: StaffMember[]
}

interface StaffSchedule {
  id: string
  /** Undefined: whenever the location is open. */
  hours: Spans | undefined
  blocked: Spans
  /** The blocks entered by hand. */
  blockedByHand: Spans
}

/** Days to read before the first, because hours past midnight reach into the next day. */
const daysBefore = 1
/**
 * Days to read after the last. A slot of up to a day that starts late may need the hours of two more days.
 */
const daysAfter = 2

/** Returns a zone's offsets for some days and all the surrounding time that their slots depend on. */
export function zoneAround(timeZone: string, { first, last }: Days): ZoneOffsets {
  const from = Math.max(0, (first - daysBefore - 2) * dayMs)
  return new ZoneOffsets(timeZone, { from, to: (last + daysAfter + 3) * dayMs })
}

/** Hours, blocks, grid, notice and horizon on some days. Ignores claims, so an offered slot may be taken. */
export class AvailabilityRules {
  private readonly zone: ZoneOffsets
  private readonly service: Service
  private readonly nowMs: number
  private readonly lastDay: number
  private readonly openings: Interval[]
  private readonly open: Spans
  private readonly blocked: Spans
  private readonly workers: StaffSchedule[]

  /** `zone` comes from `zoneAround`. `blocks` must include all blocks that overlap a slot of those days. */
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
      blockedByHand: new Spans(
        blocks.filter(({ staffId, isElsewhere }) => staffId === member.id && isElsewhere !== true),
      ),
    }))
  }

  /**
   * Returns the distinct start times of all openings in an interval, from the grid or the timetable, in
   * order.
   */
  gridTimes({ from, to }: Interval): number[] {
    const { timetable } = this.service
    if (timetable) return timetableTimes(timetable, this.zone, { from, to })
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
   * Returns the IDs of staff who work for the whole slot, or the reason why it is not offered. The list is
   * empty for an unstaffed service. Times from `gridTimes` skip the grid check.
   */
  workingAt(startsAtMs: number, isOnGrid = this.isOnGrid(startsAtMs)): string[] | RuleReason {
    const slot = { from: startsAtMs, to: startsAtMs + this.service.duration_minutes * 60_000 }
    const early = tooSoon(this.service, startsAtMs, this.nowMs)
    if (early) return early
    if (this.zone.dayAt(startsAtMs) > this.lastDay || this.isBeyondYear9999(slot)) return 'beyond_horizon'
    if (!this.open.cover(slot)) return 'outside_hours'
    if (this.blocked.meet(slot)) return 'blocked'
    if (!isOnGrid) return 'not_on_grid'
    if (this.workers.length === 0) return []
    const working: string[] = []
    let isAnyoneWorking = false
    let isBlockedByHand = false
    for (const { id, hours, blocked, blockedByHand } of this.workers) {
      if (hours !== undefined && !hours.cover(slot)) continue
      isAnyoneWorking = true
      if (!blocked.meet(slot)) working.push(id)
      else if (blockedByHand.meet(slot)) isBlockedByHand = true
    }
    if (!isAnyoneWorking) return 'staff_not_available'
    if (working.length > 0) return working
    return isBlockedByHand ? 'blocked' : 'busy_elsewhere'
  }

  private isBeyondYear9999({ to }: Interval): boolean {
    return to + this.service.buffer_after_minutes * 60_000 > latestMs
  }

  /** Returns true if the grid or the timetable has a slot that starts then. */
  isOnGrid(startsAtMs: number): boolean {
    const { timetable } = this.service
    if (timetable) return isInTimetable(timetable, this.zone.wallTime(startsAtMs))
    const stepMs = this.service.slot_interval_minutes * 60_000
    return this.openings.some(
      ({ from, to }) => from <= startsAtMs && startsAtMs < to && (startsAtMs - from) % stepMs === 0,
    )
  }
}

/** Returns the local day at the location, in days since 1970-01-01. */
export function localDay({ location }: Pick<Offer, 'location'>, instantMs: number): number {
  return new ZoneOffsets(location.timezone, { from: instantMs, to: instantMs + 1 }).dayAt(instantMs)
}

/** Returns the reason why a start can no longer be booked; undefined if it can. */
export function tooSoon(
  service: Pick<Service, 'min_notice_minutes' | 'confirmation'>,
  startsAtMs: number,
  nowMs: number,
): 'in_the_past' | 'too_soon' | undefined {
  if (startsAtMs <= nowMs) return 'in_the_past'
  return startsAtMs < nowMs + noticeOf(service) * 60_000 ? 'too_soon' : undefined
}

/** Returns the service without its limits of notice and horizon, and without those of requests. */
export function atAnyTime(service: Service): Service {
  return { ...service, min_notice_minutes: 0, confirmation: 'automatic', max_advance_days: null }
}

/** Returns the service with slots that start at any minute, unless it has fixed start times. */
export function withEveryMinute(service: Service): Service {
  return service.timetable ? service : { ...service, slot_interval_minutes: 1 }
}

/** The horizon of every service, in days. It does not apply to keys. */
const maxDaysAhead = 730

/** Returns the last local day on which a slot may start, in days since 1970-01-01. */
export function lastDayOffered(offer: Pick<Offer, 'service' | 'location'>, nowMs: number): number {
  const days = offer.service.max_advance_days ?? maxDaysAhead
  return localDay(offer, nowMs) + Math.min(days, maxDaysAhead)
}

/** The rules of the local day on which a slot starts. */
export class SlotDay {
  private readonly offer: Offer
  private readonly startsAtMs: number
  private readonly days: Days
  private readonly zone: ZoneOffsets

  constructor(offer: Offer, startsAtMs: number) {
    const day = localDay(offer, startsAtMs)
    this.offer = offer
    this.startsAtMs = startsAtMs
    this.days = { first: day, last: day }
    this.zone = zoneAround(offer.location.timezone, this.days)
  }

  span(): Interval {
    return this.zone.spanOf(this.days)
  }

  /** Like `AvailabilityRules.workingAt`; `isOnGrid` skips the grid check. */
  working(seen: { nowMs: number; blocks: Block[] }, isOnGrid?: true): string[] | RuleReason {
    const rules = new AvailabilityRules(this.offer, this.days, { ...seen, zone: this.zone })
    return rules.workingAt(this.startsAtMs, isOnGrid)
  }
}

const details: Record<RuleReason, string> = {
  in_the_past: 'starts_at must be in the future.',
  too_soon: 'The service needs more notice; choose a later time.',
  beyond_horizon: 'The service cannot be booked so far ahead yet; choose an earlier time.',
  outside_hours: 'The location is not open for the whole of that time.',
  blocked: 'That time is blocked; choose another one.',
  busy_elsewhere: 'That time is blocked; choose another one.',
  not_on_grid: 'No slot starts at that time; ask for availability to see those that do.',
  staff_not_available: 'No eligible staff member works for the whole of that time.',
}

/** Returns the refusal of a time that the rules do not offer. */
export function notOfferedThen(reason: RuleReason, detail = details[reason]): Problem {
  return refusal(reason, detail)
}

/** Returns the refusal of an offering that is inactive at any time. */
export function notOfferedHere(detail: string): Problem {
  return refusal('not_offered_here', detail)
}

/**
 * Refusal if no staff member, or not the requested one, provides the service there. Reads show no free slots
 * instead.
 */
export class NobodyGives extends Problem {
  /** Zone of the location. */
  readonly timezone: string

  constructor(detail: string, timezone: string, extensions: Record<string, unknown> = {}) {
    super('slot_not_offered', detail, {
      extensions: { ...partsOf('not_offered_here').extensions, ...extensions },
    })
    this.timezone = timezone
  }
}

function refusal(reason: RuleReason | 'not_offered_here', detail: string): Problem {
  return new Problem('slot_not_offered', detail, partsOf(reason))
}

function partsOf(reason: RuleReason | 'not_offered_here'): ProblemParts {
  return { extensions: { reason, alternatives: [] } }
}

/** Returns true for a refusal of one slot, to which alternatives can be added. */
export function isSlotUnavailable(error: unknown): error is Problem {
  return error instanceof Problem && ['slot_held', 'slot_booked', 'slot_not_offered'].includes(error.code)
}
