import type { Reason } from '../availability/slot-rules.ts'
import { daySeconds, type Instant, plusSeconds } from '../base/instants.ts'

/** The reason why clients could not take a time, although it may be free. */
export type ObjectionReason = Exclude<Reason, 'slot_held' | 'slot_booked'> | 'not_offered_here'

/** An action of the business: booking a time for a client, or moving a booking to it. */
export type Act = 'book' | 'move'

/** An objection to a time that the business requests. */
export interface Objection {
  reason: ObjectionReason
  /** True if it is final. People may ignore any other objection. */
  isFirm: boolean
}

/** Number of days for which people may still record a past booking. */
export const maxDaysOver = 31

/**
 * Converts the reason why a time is not offered into an objection. Undefined without one, and for a time
 * taken by somebody else, because taking it fails anyway.
 */
export function objectionTo(
  act: Act,
  reason: ObjectionReason | Reason | null,
  { startsAt, now }: { startsAt: Instant; now: Instant },
): Objection | undefined {
  if (reason === null || reason === 'slot_held' || reason === 'slot_booked') return undefined
  return { reason, isFirm: isFirm(act, reason, startsAt < plusSeconds(now, -maxDaysOver * daySeconds)) }
}

/**
 * Returns true if the objection is final. A booking keeps its service even if that is no longer offered. Past
 * bookings can be recorded, but not moved.
 */
function isFirm(act: Act, reason: ObjectionReason, isLongOver: boolean): boolean {
  if (reason === 'in_the_past') return act === 'move' || isLongOver
  return reason === 'not_offered_here' && act === 'book'
}
