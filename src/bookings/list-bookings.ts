import type { Static } from 'typebox'
import type { Actor } from '../access/actor.ts'
import type { Context } from '../context.ts'
import { invalidCursor } from '../errors.ts'
import { isUuid } from '../ids.ts'
import { isInstant, readInstant, type Instant } from '../instants.ts'
import { decodeCursor, readLimit } from '../wire.ts'
import { findBookings, type BookingRow } from './booking-queries.ts'
import type { BookingsQuery } from './booking-schemas.ts'

/** Bookings within the caller's reach, the newest first: one row more than the limit when more follow. */
export async function listBookings(
  context: Context,
  actor: Actor,
  query: Static<typeof BookingsQuery>,
): Promise<{ rows: BookingRow[]; limit: number }> {
  const limit = readLimit(query.limit)
  const rows = await findBookings(context.db.reads, actor.reach, {
    status: query.status,
    from: query.from === undefined ? undefined : readInstant(query.from),
    to: query.to === undefined ? undefined : readInstant(query.to),
    serviceId: query.service_id,
    locationId: query.location_id,
    staffId: query.staff_id,
    email: query.email,
    businessId: query.business_id,
    after: query.cursor === undefined ? undefined : placeOf(query.cursor),
    rows: limit + 1,
  })
  return { rows, limit }
}

/** The place of a booking in the list, for a cursor. */
export function cursorOf(booking: BookingRow): string[] {
  return ['booking', booking.created_at, booking.id]
}

/** The place that a cursor of this very list names: nothing that the database could stumble over. */
function placeOf(cursor: string): readonly [Instant, string] {
  const [list, createdAt, id] = decodeCursor(cursor, 3) ?? []
  if (list !== 'booking' || createdAt === undefined || !isInstant(createdAt)) throw invalidCursor()
  if (id === undefined || !isUuid(id)) throw invalidCursor()
  return [createdAt, id]
}
