import { type Actor, assertRole } from '../access/actor.ts'
import { Problem, validationProblem } from '../base/errors.ts'
import type { Instant } from '../base/instants.ts'
import type { BookingRow } from '../database/shown-booking.ts'
import { changeIn, countOutcomes, noSuchBooking } from './booking.ts'
import { lockBooking } from './booking-queries.ts'
import { endBookingClaim } from './claim-queries.ts'
import type { Context } from './context.ts'
import { isChangeable } from './presented-booking.ts'

/** Maximum number of bookings that change together. It bounds the time of the transaction. */
export const maxTogether = 100

/** A change of all bookings of a class. */
type ClassChange =
  { startsAt: Instant } | { arrived: true } | { cancel: true; reason?: string; refund?: boolean }

/**
 * Moves or cancels the bookings of a class, or marks them as arrived, in one transaction: all or none. Each has its
 * event and email. Bookings of several services can only be marked. Throws
 * not_found, version_conflict, change_not_allowed, slot_not_offered, slot_held, slot_booked, or validation_failed for
 * too many bookings.
 */
export async function changeClass(
  context: Context,
  actor: Actor,
  { targets, change }: { targets: readonly { id: string; version: number }[]; change: ClassChange },
): Promise<BookingRow[]> {
  if ('cancel' in change && change.refund === true) assertRole(actor, 'owner')
  if (targets.length > maxTogether)
    throw validationProblem([
      { pointer: '', code: 'too_long', detail: `must be at most ${maxTogether} bookings` },
    ])
  const results = await context.db.transaction(async (tx) => {
    const found: { row: BookingRow; version: number }[] = []
    // all transactions lock in the same order
    for (const { id, version } of targets.toSorted((one, other) => (one.id < other.id ? -1 : 1))) {
      const row = await lockBooking(tx, { scope: actor.scope, id })
      if (!row || !isChangeable(row, actor)) throw noSuchBooking()
      if (row.item_count !== null && !('arrived' in change))
        throw new Problem('change_not_allowed', 'A booking of several services changes by itself.', {
          extensions: { reason: 'not_allowed' },
        })
      found.push({ row, version })
    }
    // all leave first, because the new time may overlap the present one
    if ('startsAt' in change)
      for (const { row } of found)
        await endBookingClaim(tx, { id: row.id, business_id: row.business_id, at: tx.now })
    const changed: Awaited<ReturnType<typeof changeIn>>[] = []
    for (const { row, version } of found) {
      const target = { id: row.id, versions: [version] }
      const wanted =
        'startsAt' in change
          ? change
          : 'arrived' in change
            ? { status: 'in_progress' as const }
            : { status: 'cancelled' as const, ...(change.reason && { cancelReason: change.reason }) }
      const refund = 'cancel' in change && change.refund === true && row.payment_status === 'paid'
      changed.push(
        await changeIn(context, tx, { target, wanted, refund, by: actor, booking: row, tried: {} }),
      )
    }
    return changed
  })
  for (const { events } of results) countOutcomes(context, events)
  return results.map(({ changed }) => changed)
}
