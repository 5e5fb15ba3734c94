import type { Static } from 'typebox'
import type { Actor } from '../access/actor.ts'
import { isSlotRefusal } from '../availability/refusal-rules.ts'
import type { Context } from '../context.ts'
import type { Transaction } from '../database/database.ts'
import { Problem } from '../errors.ts'
import { isUuid } from '../ids.ts'
import { readInstant } from '../instants.ts'
import type { BookingOutcome } from '../metrics/metrics.ts'
import type { EventType } from '../webhooks/event-payload.ts'
import { recordEvents } from '../webhooks/event.ts'
import { findBookingForChange, updateBooking, type BookingRow } from './booking-queries.ts'
import {
  assertLength,
  assertMatches,
  eventSubject,
  newSpan,
  newStatus,
  paymentColumns,
  planChange,
  spanOf,
  type ChangePlan,
  type WantedChange,
} from './booking-rules.ts'
import type { ChangeBooking } from './booking-schemas.ts'
import { removeBookingClaim } from './claim-queries.ts'
import { digestClient } from './strangers.ts'
import { suggestOtherTimes } from './suggest-other-times.ts'
import { findTakers, takeSlotAgain, type Takers } from './take-slot-again.ts'

/** Which booking is to change, and the versions that the caller knows (`If-Match`). */
export interface BookingTarget {
  id: string
  ifMatch: string | undefined
}

/**
 * Reschedules a booking, gives it to somebody else, or changes its status, client or notes, with its events; a conflict
 * changes nothing. Throws not_found, version_conflict, validation_failed, slot_not_offered, slot_held or slot_booked.
 */
export async function changeBooking(
  context: Context,
  actor: Actor,
  { target, change }: { target: BookingTarget; change: Static<typeof ChangeBooking> },
): Promise<BookingRow> {
  const wanted: WantedChange = {
    ...(change.starts_at !== undefined && { startsAt: readInstant(change.starts_at) }),
    ...(change.ends_at !== undefined && { endsAt: readInstant(change.ends_at) }),
    ...(change.status !== undefined && { status: change.status }),
    ...(change.notes !== undefined && { notes: change.notes }),
    ...(change.client !== undefined && { client: change.client }),
    ...(change.client?.email !== undefined && {
      countedClient: await digestClient(context, change.client.email),
    }),
    ...(change.no_show !== undefined && { noShow: change.no_show }),
  }
  if (wanted.startsAt && wanted.endsAt) assertLength(wanted.startsAt, wanted.endsAt, '/ends_at')
  return applyChange(context, actor, { target, wanted, staffId: change.staff_id })
}

/**
 * Cancels a booking: its slot is free at once. One that is cancelled already stays as it is. With `refund`, the deposit
 * goes back to the client, also when the booking was cancelled before; validation_failed where none was paid.
 */
export function cancelBooking(
  context: Context,
  actor: Actor,
  { refund = false, ...target }: BookingTarget & { refund?: boolean },
): Promise<BookingRow> {
  return applyChange(context, actor, { target, wanted: { status: 'cancelled' }, refund })
}

const outcomes: Record<EventType, BookingOutcome> = {
  'booking.created': 'created',
  'booking.updated': 'updated',
  'booking.cancelled': 'cancelled',
  'booking.completed': 'completed',
}

/** A booking as it was found, what is wanted of it, and the versions that the caller knows. */
interface Change {
  target: BookingTarget
  wanted: WantedChange
  /** Who is to give it: null for anyone; undefined for who gives it now. */
  staffId?: string | null | undefined
  /** Whether a deposit that was paid goes back. */
  refund?: boolean
}

async function applyChange(context: Context, actor: Actor, change: Change): Promise<BookingRow> {
  let found: BookingRow | undefined
  try {
    const { changed, events } = await context.db.transaction(async (tx) => {
      found = await bookingToChange(tx, actor, change.target.id)
      return changeIn(context, tx, { ...change, booking: found })
    })
    for (const event of events) context.metrics.booking(outcomes[event])
    return changed
  } catch (error) {
    if (!found || !isSlotRefusal(error)) throw error
    throw await suggestOtherTimes(context, error, {
      actor,
      booking: found,
      slot: spanOf(found, change.wanted),
      staffId: change.staffId,
    })
  }
}

async function bookingToChange(tx: Transaction, actor: Actor, id: string): Promise<BookingRow> {
  const booking = isUuid(id) ? await findBookingForChange(tx.db, actor.reach, id.toLowerCase()) : undefined
  if (!booking) throw new Problem('not_found', 'There is no booking with this id.')
  return booking
}

async function changeIn(
  context: Context,
  tx: Transaction,
  change: Change & { booking: BookingRow },
): Promise<{ changed: BookingRow; events: EventType[] }> {
  const { booking: found, target, wanted, refund = false } = change
  const takers = await takersOfChange(context, tx, change)
  // faults of the request come before those of its precondition (contract: Conventions, order of refusals)
  const plan = planChange(found, { ...wanted, reassigned: takers?.reassigns ?? false }, tx.now)
  assertMatches(found, target.ifMatch)
  const booking = await withSettledDeposit(context, tx, { booking: found, becomes: plan?.deposit, refund })
  if (!plan) return { changed: booking, events: [] }
  const columns = { ...plan.columns, updated_at: tx.now }
  const changed = { ...booking, ...columns, version: booking.version + 1 }
  if (plan.leavesSlot) await removeBookingClaim(tx.db, booking.business_id, booking.id)
  const staffId = plan.takesSlot
    ? await takeSlotAgain(context, tx, changed, takers)
    : takers?.reassigns
      ? (takers.resources[0]?.staffId ?? null) // a cancelled booking is given to the one who is named
      : booking.staff_id
  const staff = staffId === booking.staff_id ? undefined : staffColumns(staffId, takers)
  await updateBooking(tx.db, booking, { ...columns, ...(staff && { staff_id: staff.staff_id }) })
  const result = { ...changed, ...staff }
  await recordEvents(context, tx, { types: plan.events, booking: eventSubject(result) })
  return { changed: result, events: plan.events }
}

/** Whom the booking can be given to, where that is asked for; it is reassigned when who has it is not among them. */
async function takersOfChange(
  context: Context,
  tx: Transaction,
  { booking, wanted, staffId }: Change & { booking: BookingRow },
): Promise<(Takers & { reassigns: boolean }) | undefined> {
  if (staffId === undefined || staffId === booking.staff_id) return undefined
  const span = newSpan(booking, wanted, tx.now)
  if (staffId === null && newStatus(booking, wanted) === 'cancelled') return undefined // nobody is needed
  const takers = await findTakers(context, tx, { booking, staffId, span })
  const reassigns = takers.resources.every((resource) => resource.staffId !== booking.staff_id)
  return { ...takers, reassigns }
}

function staffColumns(staffId: string | null, takers: Takers | undefined) {
  const member = takers?.staff.find(({ id }) => id === staffId)
  return { staff_id: staffId, staff_name: member?.name ?? null }
}

/** What the change means for a deposit. The payment is locked after its booking, as everywhere. */
async function withSettledDeposit(
  context: Context,
  tx: Transaction,
  { booking, becomes, refund }: { booking: BookingRow; becomes: ChangePlan['deposit']; refund: boolean },
): Promise<BookingRow> {
  if (becomes === undefined && !refund) return booking
  if (booking.payment_id === null && !refund) return booking
  const change = { paymentId: booking.payment_id, booking: becomes, refund }
  const payment = await context.checkouts.settle(tx, change)
  return { ...booking, ...paymentColumns(payment) }
}
