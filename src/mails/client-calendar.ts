import { calendarFile } from './calendar.ts'
import type { Context } from './context.ts'
import { findShownBookings } from './mail-queries.ts'
import { type MailAddresses, mailViewOf, noAddresses } from './mail-view.ts'
import { clientAppointment } from './render.ts'

/**
 * Returns the calendar file of a booking as clients get it in emails. Anyone can open it. Throws if the booking does
 * not exist.
 */
export async function clientCalendarFile(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  { id, business_id }: { id: string; business_id: string },
  addresses: Partial<MailAddresses>,
): Promise<string> {
  const booking = (await findShownBookings(db.reads, [{ business_id, booking_id: id }])).get(id)
  if (!booking) throw new Error('a booking that was just read is missing') // bookings are never deleted
  const kind = booking.status === 'cancelled' ? 'cancelled' : 'confirmed'
  const around = { addresses: { ...noAddresses, ...addresses }, known: undefined, now: clock.now(), from: '' }
  return calendarFile(clientAppointment(mailViewOf({ kind, audience: 'client' }, booking, around)))
}
