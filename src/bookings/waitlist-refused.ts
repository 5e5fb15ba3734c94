import { overlaps, type Span } from '../availability/resource-rules.ts'
import { type Instant, plusSeconds } from '../base/instants.ts'
import type { Reads } from '../database/database.ts'
import {
  type CancelledBooking,
  findCancelledWithin,
  findPastOffers,
  type PastOffer,
} from './waitlist-queries.ts'

/*
 * Times that an entry was offered in vain. A client who passed on 10:00 is not offered 10:15 of the same free hour.
 * Another person does not change that. If somebody books that time meanwhile and cancels, it counts as a new one.
 */

/** Cancelled bookings that are compared. Beyond them, a refused time stays refused. */
const maxCancelled = 5_000
/** The longest booking that is found by its start. */
const longestSeconds = 86_400

/** Returns the refused times ahead of the entries of a business, by entry. */
export async function readRefusedTimes(
  db: Reads,
  businessId: string,
  now: Instant,
): Promise<Map<string, Span[]>> {
  const offers = await findPastOffers(db, businessId, now)
  if (offers.length === 0) return new Map()
  const sorted = (name: 'starts_at' | 'ends_at' | 'decided_at') => offers.map((one) => one[name]).toSorted()
  const cancelled = await findCancelledWithin(db, {
    ...{ businessId, max: maxCancelled },
    from: plusSeconds(sorted('starts_at').at(0) ?? now, -longestSeconds),
    until: sorted('ends_at').at(-1) ?? now,
    since: sorted('decided_at').at(0) ?? now,
  })
  const standing = offers.filter((offer) => !cancelled.some((booking) => wasSold(offer, booking)))
  return Map.groupBy(standing, ({ entry_id }) => entry_id)
}

/** Returns true if a booking took an offered time after its client had refused it. */
function wasSold(offer: PastOffer, booking: CancelledBooking): boolean {
  if (booking.id === offer.id || booking.created_at < offer.decided_at) return false
  const isSame =
    offer.staff_id === null
      ? booking.service_id === offer.service_id && booking.location_id === offer.location_id
      : booking.staff_id === offer.staff_id
  return isSame && overlaps(booking, offer)
}

/** Returns true if a time overlaps a refused one. */
export function isRefused(refused: readonly Span[], time: Span): boolean {
  return refused.some((one) => overlaps(one, time))
}
