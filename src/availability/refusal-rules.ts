import { Problem, type ProblemParts } from '../errors.ts'
import type { RuleReason } from './offer-rules.ts'

const details: Record<RuleReason, string> = {
  in_the_past: 'starts_at must be in the future.',
  too_soon: 'The service needs more notice; choose a later time.',
  beyond_horizon: 'The service cannot be booked so far ahead yet; choose an earlier time.',
  outside_hours: 'The location is not open for the whole of that time.',
  blocked: 'That time is blocked; choose another one.',
  not_on_grid: 'No slot starts at that time; ask for availability to see those that do.',
  staff_not_available: 'Nobody who could be asked for works for the whole of that time.',
}

/** A time that the rules of the business do not offer (contract: Errors, slot_not_offered). */
export function notOfferedThen(reason: RuleReason): Problem {
  return refusal(reason, details[reason])
}

/** What the business does not offer at all, whenever it is asked for: it is inactive. */
export function notOfferedHere(detail: string): Problem {
  return refusal('not_offered_here', detail)
}

/** Nobody gives the service there, or the person who is asked for does not. Who only looks is shown that nothing is free. */
export class NobodyGives extends Problem {
  /** Of the location that was asked about. */
  readonly timezone: string

  constructor(detail: string, timezone: string) {
    super('slot_not_offered', detail, partsOf('not_offered_here'))
    this.timezone = timezone
  }
}

function refusal(reason: RuleReason | 'not_offered_here', detail: string): Problem {
  return new Problem('slot_not_offered', detail, partsOf(reason))
}

function partsOf(reason: RuleReason | 'not_offered_here'): ProblemParts {
  return { extensions: { reason, alternatives: [] } }
}

/** Whether it is a refusal of one slot, to which other times can be named. */
export function isSlotRefusal(error: unknown): error is Problem {
  return error instanceof Problem && ['slot_held', 'slot_booked', 'slot_not_offered'].includes(error.code)
}
