import type { Static } from 'typebox'
import type { Actor } from '../access/actor.ts'
import type { Context } from '../context.ts'
import { invalidCursor } from '../errors.ts'
import { isUuid } from '../ids.ts'
import { isInstant, readInstant } from '../instants.ts'
import { decodeCursor, encodeCursor, readLimit } from '../wire.ts'
import { findBookings, searchBookings, type BookingPlace, type BookingRow } from './booking-queries.ts'
import type { BookingsQuery } from './booking-schemas.ts'

/** A search looks at this many bookings for one page: what it costs does not grow with what was ever booked. */
const mostSearched = 10_000

type Sort = NonNullable<Static<typeof BookingsQuery>['sort']>

/** Bookings, and the cursor of the next page; null on the last. */
export interface BookingList {
  rows: BookingRow[]
  nextCursor: string | null
}

/**
 * Bookings within the caller's reach, the newest first unless another order is asked for. A page of a search may be short
 * or empty although more follow.
 */
export async function listBookings(
  context: Context,
  actor: Actor,
  query: Static<typeof BookingsQuery>,
): Promise<BookingList> {
  const limit = readLimit(query.limit)
  const sort = query.sort ?? '-created_at'
  const byStart = sort.endsWith('starts_at')
  const filter = {
    conditions: {
      status: query.status,
      from: query.from === undefined ? undefined : readInstant(query.from),
      to: query.to === undefined ? undefined : readInstant(query.to),
      serviceId: query.service_id,
      locationId: query.location_id,
      staffId: query.staff_id,
      email: query.email,
      businessId: query.business_id,
    },
    byStart,
    ascending: !sort.startsWith('-'),
    after: query.cursor === undefined ? undefined : placeOf(query.cursor, sort),
  }
  const wanted = { filter, rows: limit + 1 }
  const text = query.q?.normalize('NFC').toLowerCase()
  const found =
    text === undefined
      ? { rows: await findBookings(context.db.reads, actor.reach, wanted), until: undefined }
      : await searchBookings(context.db.reads, actor.reach, { ...wanted, text, searched: mostSearched })
  const rows = found.rows.slice(0, limit)
  const last = found.rows.length > limit ? rows.at(-1) : undefined
  const place = last ? ([byStart ? last.starts_at : last.created_at, last.id] as const) : found.until
  return { rows, nextCursor: place ? encodeCursor(['booking', sort, ...place]) : null }
}

/** The place that a cursor of this very list names: nothing that the database could stumble over. */
function placeOf(cursor: string, wanted: Sort): BookingPlace {
  const [list, sort, instant, id] = decodeCursor(cursor, 4) ?? []
  if (list !== 'booking' || sort !== wanted || instant === undefined || !isInstant(instant)) {
    throw invalidCursor()
  }
  if (id === undefined || !isUuid(id)) throw invalidCursor()
  return [instant, id]
}
