import type { Actor } from '../access/actor.ts'
import type { Context } from '../context.ts'
import { Problem } from '../errors.ts'
import type { HoldRow } from './hold-queries.ts'
import { holdStatus } from './hold-rules.ts'
import { holdOf } from './show-hold.ts'
import { giveUpHolds } from './take-slot.ts'

/**
 * Gives a hold up: its slot is free at once. A hold that has ended already is left as it is.
 * Throws hold_not_found, or hold_converted when it became a booking.
 */
export async function releaseHold(context: Context, actor: Actor, id: string): Promise<void> {
  const released = await context.db.transaction(async (tx) => {
    const found = await holdOf(tx.db, actor, id)
    const isActive = holdStatus(found, tx.now) === 'active'
    if (isActive) await giveUpHolds(tx, found.business_id, [found.id])
    // read after the claim was removed or found booked: a conversion at the same moment has ended by then
    const hold = await holdOf(tx.db, actor, id)
    if (hold.booking_id !== null) throw alreadyConverted(hold, actor)
    return isActive
  })
  if (released) context.metrics.hold('released')
}

/** A hold converts once; who owns it is told to which booking. */
export function alreadyConverted(hold: HoldRow, actor: Actor): Problem {
  return new Problem('hold_converted', 'The hold already became a booking.', {
    ...(hold.owner_id === actor.ownerId && { extensions: { booking_id: hold.booking_id } }),
  })
}
