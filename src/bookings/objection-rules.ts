import type { Reason } from '../availability/slot-rules.ts'
import { daySeconds, type Instant, plusSeconds } from '../base/instants.ts'

/** Why clients could not take a time, although it may be free. */
export type ObjectionReason = Exclude<Reason, 'slot_held' | 'slot_booked'> | 'not_offered_here'

/** People of the business book a time for a client, or move a booking to it. */
export type Act = 'book' | 'move'

/** Speaks against a time that people of the business ask for. */
export interface Objection {
  reason: ObjectionReason
  /** Whether it stands. People may ignore any other. */
  isFirm: boolean
}

/** How long people may enter afterwards what took place. */
export const maxDaysOver = 31

/**
 * The objection to a time, from the reason why it is not offered. Undefined without one, and for a time that somebody else
 * has: taking it fails anyway.
 */
export function objectionTo(
  act: Act,
  reason: ObjectionReason | Reason | null,
  { startsAt, now }: { startsAt: Instant; now: Instant },
): Objection | undefined {
  if (reason === null || reason === 'slot_held' || reason === 'slot_booked') return undefined
  return { reason, isFirm: isFirm(act, reason, startsAt < plusSeconds(now, -maxDaysOver * daySeconds)) }
}

/** A booking keeps its service, also one that is not offered any more. What took place is entered, but not moved. */
function isFirm(act: Act, reason: ObjectionReason, isLongOver: boolean): boolean {
  if (reason === 'in_the_past') return act === 'move' || isLongOver
  return reason === 'not_offered_here' && act === 'book'
}
