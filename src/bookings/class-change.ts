import { type Actor, assertRole } from '../access/actor.ts'
import { Problem, validationProblem } from '../base/errors.ts'
import type { Instant } from '../base/instants.ts'
import type { Transaction } from '../database/database.ts'
import type { BookingRow } from '../database/shown-booking.ts'
import type { BookingEventType } from '../webhooks/event-payload.ts'
import { type BookingChange, changeIn, countOutcomes, noSuchBooking, readChange } from './booking.ts'
import { lockBooking } from './booking-queries.ts'
import { endBookingClaim } from './claim-queries.ts'
import type { Context } from './context.ts'
import { isChangeable } from './presented-booking.ts'

/** Maximum number of bookings that change together. It bounds the time of the transaction. */
export const maxTogether = 100

/** A change of all bookings of a class. */
type ClassChange =
  { startsAt: Instant } | { arrived: true } | { cancel: true; reason?: string; refund?: boolean }

/** A booking before and after a change of its class. */
interface ChangedOfClass {
  before: BookingRow
  after: BookingRow
}

/**
 * Moves or cancels the bookings of a class, or marks them as arrived, in one transaction: all or none. Each has its
 * event and email. Bookings of several services can only be marked. Throws
 * not_found, version_conflict, change_not_allowed, slot_not_offered, slot_held, slot_booked, or validation_failed for
 * too many bookings.
 */
export async function changeClass(
  context: Context,
  actor: Actor,
  {
    targets,
    change,
    delaySeconds,
  }: {
    targets: readonly { id: string; version: number }[]
    change: ClassChange
    /** Delay of the emails, so that taking the change back withdraws them. */
    delaySeconds?: number
  },
): Promise<ChangedOfClass[]> {
  if ('cancel' in change && change.refund === true) assertRole(actor, 'owner')
  assertFew(targets)
  const results = await context.db.transaction(async (tx) => {
    const found = await lockTogether(tx, actor, targets)
    if (!('arrived' in change) && found.some(({ row }) => row.item_count !== null))
      throw new Problem('change_not_allowed', 'A booking of several services changes by itself.', {
        extensions: { reason: 'not_allowed' },
      })
    // all leave first, because the new time may overlap the present one
    if ('startsAt' in change) for (const { row } of found) await leave(tx, row)
    const changed: (Awaited<ReturnType<typeof changeIn>> & { before: BookingRow })[] = []
    for (const { row, version } of found) {
      const target = { id: row.id, versions: [version] }
      const wanted =
        'startsAt' in change
          ? change
          : 'arrived' in change
            ? { status: 'in_progress' as const }
            : { status: 'cancelled' as const, ...(change.reason && { cancelReason: change.reason }) }
      const refund = 'cancel' in change && change.refund === true && row.payment_status === 'paid'
      const one = { target, wanted, refund, delaySeconds, by: actor, booking: row, tried: {} }
      changed.push({ before: row, ...(await changeIn(context, tx, one)) })
    }
    return changed
  })
  for (const { events } of results) countOutcomes(context, events)
  return results.map(({ before, changed: after }) => ({ before, after }))
}

/** A booking as it is to be again. */
export interface FormerState {
  id: string
  version: number
  change: BookingChange
}

/**
 * Takes back changes of several bookings in one transaction: all or none. Withdraws emails that still wait, and else
 * reports the change. Throws as changeClass does.
 */
export async function takeBackTogether(
  context: Context,
  actor: Actor,
  states: readonly FormerState[],
): Promise<void> {
  assertFew(states)
  const wanted = await Promise.all(
    states.map(async ({ change, ...target }) => ({
      ...target,
      ...(await readChange(context, actor, change)),
    })),
  )
  const events = await context.db.transaction(async (tx) => {
    const found = await lockTogether(tx, actor, wanted)
    for (const { row, wanted: change } of found) if (change.startsAt) await leave(tx, row)
    const recorded: BookingEventType[] = []
    for (const { row, version, id, ...change } of found) {
      const one = { ...change, target: { id, versions: [version] }, by: actor, booking: row, tried: {} }
      recorded.push(...(await changeIn(context, tx, one)).events)
    }
    return recorded
  })
  countOutcomes(context, events)
}

function assertFew(targets: readonly unknown[]): void {
  if (targets.length <= maxTogether) return
  throw validationProblem([
    { pointer: '', code: 'too_long', detail: `must be at most ${maxTogether} bookings` },
  ])
}

/** Locks bookings in one order, which is that of all transactions. Throws not_found. */
async function lockTogether<Target extends { id: string }>(
  tx: Transaction,
  actor: Actor,
  targets: readonly Target[],
): Promise<(Target & { row: BookingRow })[]> {
  const found: (Target & { row: BookingRow })[] = []
  for (const target of targets.toSorted((one, other) => (one.id < other.id ? -1 : 1))) {
    const row = await lockBooking(tx, { scope: actor.scope, id: target.id })
    if (!row || !isChangeable(row, actor)) throw noSuchBooking()
    found.push({ ...target, row })
  }
  return found
}

function leave(tx: Transaction, { id, business_id }: BookingRow): Promise<unknown> {
  return endBookingClaim(tx, { id, business_id, at: tx.now })
}
