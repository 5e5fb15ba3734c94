import { isSlotUnavailable } from '../availability/offer-rules.ts'
import { Problem } from '../base/errors.ts'
import type { Transaction } from '../database/database.ts'
import type { BookingRow } from '../database/shown-booking.ts'
import type { PaymentsTable } from '../database/tables.ts'
import { languageFor } from '../base/languages.ts'
import { feeSentence } from '../mails/fee-sentence.ts'
import { recordNotices } from '../push/outbox.ts'
import { eventSubject } from '../webhooks/event-payload.ts'
import { recordChange } from '../webhooks/event.ts'
import { lockBooking, markCharged, updateBooking, writeFeeConsent } from './booking-queries.ts'
import { endBookingClaim } from './claim-queries.ts'
import { retakeSlot } from './claim.ts'
import type { Context } from './context.ts'
import { moveVisit } from './visit-change.ts'
import { returnToList } from './waitlist-return.ts'

/*
 * Bookings that wait for a payment or for the answer of their business, and how they are confirmed or end.
 */

/** Finds a payment's booking and locks it until the transaction ends. */
export function bookingForPayment(
  tx: Transaction,
  { businessId, id }: { businessId: string; id: string },
): Promise<BookingRow | undefined> {
  return lockBooking(tx, { scope: { businessId }, id })
}

/** Records a client's consent to fees, which the page of the checkout shows before the client saves a card. */
export async function agreeToFees(
  tx: Transaction,
  booking: BookingRow,
  { saves_card }: Pick<PaymentsTable, 'saves_card'>,
): Promise<void> {
  if (saves_card === 0 || booking.fee_rules_json === null || booking.fee_agreed_at !== null) return
  const sentence = feeSentence(booking, languageFor(booking.locale, null))
  if (sentence !== '') await writeFeeConsent(tx, booking, sentence)
}

/** Records that a booking is charged for something else than its agreed fees. */
export async function noteCharge(tx: Transaction, booking: BookingRow): Promise<void> {
  if (booking.fee_rules_json === null) await markCharged(tx, booking)
}

/** Confirms a booking that has its slot. Records booking.created, because it was not announced before. */
export async function confirmDeposit(
  context: Context,
  tx: Transaction,
  booking: BookingRow,
  notify = true,
): Promise<BookingRow> {
  const { now } = tx
  const columns = {
    status: 'confirmed',
    confirmed_at: now,
    cancelled_at: null,
    scheduled_at: now,
    updated_at: now,
  } as const
  await updateBooking(tx, booking, columns)
  const confirmed = { ...booking, ...columns, version: booking.version + 1 }
  await recordChange(context, tx, {
    types: ['booking.created'],
    booking: eventSubject(confirmed),
    by: 'system',
    action: 'booking.confirmed',
  })
  await recordNotices(context, tx, { before: booking, after: confirmed, notify })
  return confirmed
}

/**
 * Takes a cancelled booking's slot again and confirms it. Changes nothing and returns undefined if the slot
 * is taken.
 */
export async function confirmLateDeposit(
  context: Context,
  tx: Transaction,
  booking: BookingRow,
): Promise<BookingRow | undefined> {
  let retaken = booking
  try {
    if (booking.item_count === null) await retakeSlot(context, tx, booking)
    else retaken = await retakeVisit(context, tx, booking)
  } catch (error) {
    // also if the service now has fewer seats than the party has people
    if (isSlotUnavailable(error) || isInvalid(error)) return undefined
    throw error
  }
  return confirmDeposit(context, tx, retaken)
}

/** Takes the time of all items of a booking again. Returns the booking, which may have other people then. */
async function retakeVisit(context: Context, tx: Transaction, booking: BookingRow): Promise<BookingRow> {
  const { id, business_id: businessId, starts_at: startsAt } = booking
  const { columns } = await moveVisit(context, tx, { booking, startsAt, rule: 'anyTime', tried: {} })
  await updateBooking(tx, booking, { ...columns, updated_at: tx.now })
  const retaken = await lockBooking(tx, { scope: { businessId }, id })
  if (!retaken) throw new Error('a booking is gone under its lock')
  return { ...retaken, version: booking.version } // its confirmation makes the new version
}

function isInvalid(error: unknown): boolean {
  return error instanceof Problem && error.code === 'validation_failed'
}

/** Ends a request that the business has not answered, and informs both if it `isTold`. The caller has locked it. */
export function endUnanswered(
  context: Context,
  tx: Transaction,
  booking: BookingRow,
  isTold: boolean,
): Promise<void> {
  return end(context, tx, { booking, isRequest: true, isTold })
}

/** Cancels an unpaid booking and informs the client. Records no event, because its creation had none. */
export function cancelUnpaid(context: Context, tx: Transaction, booking: BookingRow): Promise<void> {
  return end(context, tx, { booking, isRequest: false, isTold: true })
}

/** Cancels a locked booking that waits, and frees its slot. Only webhooks that know requests hear of it. */
async function end(
  context: Context,
  tx: Transaction,
  { booking, isRequest, isTold }: { booking: BookingRow; isRequest: boolean; isTold: boolean },
): Promise<void> {
  const { id, business_id, payment_id: paymentId } = booking
  await endBookingClaim(tx, { id, business_id, at: tx.now })
  const columns = {
    ...({ status: 'cancelled', cancelled_at: tx.now, updated_at: tx.now } as const),
    ...(isRequest && { respond_by: null, request_check_at: null }),
  }
  await updateBooking(tx, booking, columns)
  if (isRequest) await context.checkouts.settle(tx, { paymentId, booking: 'cancelled', refund: false })
  const after = { ...booking, ...columns, version: booking.version + 1 }
  await recordChange(context, tx, {
    types: isRequest ? ['booking.cancelled'] : [],
    booking: eventSubject(after),
    ofRequest: isRequest,
    ...{ by: 'system', action: 'booking.cancelled' },
  })
  if (isTold) await recordNotices(context, tx, { before: booking, after })
  if (isRequest) await returnToList(context, tx, booking)
}
