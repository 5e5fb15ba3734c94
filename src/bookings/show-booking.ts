import type { Actor } from '../access/actor.ts'
import type { Context } from '../context.ts'
import { Problem } from '../errors.ts'
import { isUuid } from '../ids.ts'
import { findBooking, type BookingRow } from './booking-queries.ts'

/** A booking within the caller's reach. Throws not_found. */
export async function showBooking(context: Context, actor: Actor, id: string): Promise<BookingRow> {
  const booking = isUuid(id) ? await findBooking(context.db.reads, actor.reach, id.toLowerCase()) : undefined
  if (!booking) throw new Problem('not_found', 'There is no booking with this id.')
  return booking
}
