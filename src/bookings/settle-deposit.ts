import { isSlotRefusal } from '../availability/refusal-rules.ts'
import type { Context } from '../context.ts'
import type { Transaction } from '../database/database.ts'
import { recordEvents } from '../webhooks/event.ts'
import { findBookingForChange, updateBooking, type BookingRow } from './booking-queries.ts'
import { eventSubject } from './booking-rules.ts'
import { removeBookingClaim } from './claim-queries.ts'
import { takeSlotAgain } from './take-slot-again.ts'

/*
 * What a payment does to its booking, in the transaction that records it.
 */

/** Finds the booking of a payment and keeps others from changing it until the transaction ends. */
export function lockBooking(
  tx: Transaction,
  { businessId, id }: { businessId: string; id: string },
): Promise<BookingRow | undefined> {
  return findBookingForChange(tx.db, { businessId }, id)
}

/** Confirms a booking that has its slot, for the first time: its event is recorded now. */
export async function confirmDeposit(
  context: Context,
  tx: Transaction,
  booking: BookingRow,
): Promise<BookingRow> {
  const columns = {
    status: 'confirmed',
    confirmed_at: tx.now,
    cancelled_at: null,
    updated_at: tx.now,
  } as const
  await updateBooking(tx.db, booking, columns)
  const confirmed = { ...booking, ...columns, version: booking.version + 1 }
  await recordEvents(context, tx, { types: ['booking.created'], booking: eventSubject(confirmed) })
  return confirmed
}

/** Takes the slot of a cancelled booking again and confirms it. Undefined when the slot is not free; nothing is changed then. */
export async function confirmLateDeposit(
  context: Context,
  tx: Transaction,
  booking: BookingRow,
): Promise<BookingRow | undefined> {
  try {
    await takeSlotAgain(context, tx, booking)
  } catch (error) {
    if (isSlotRefusal(error)) return undefined
    throw error
  }
  return confirmDeposit(context, tx, booking)
}

/** Cancels a booking whose deposit nobody has paid: its slot is free with this transaction. Nobody was told of it. */
export async function cancelUnpaid(tx: Transaction, booking: BookingRow): Promise<void> {
  await removeBookingClaim(tx.db, booking.business_id, booking.id)
  await updateBooking(tx.db, booking, { status: 'cancelled', cancelled_at: tx.now, updated_at: tx.now })
}
