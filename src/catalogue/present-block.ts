import { formatInstant } from '../instants.ts'
import type { BlockRow } from './block-queries.ts'
import type { BlockAndConflicts } from './manage-blocks.ts'

/** A block as it goes over the wire: in the zone of its location, of the business where it is a staff member's. */
export function presentBlock(block: BlockRow) {
  const shown = (instant: BlockRow['starts_at']) => formatInstant(instant, block.timezone)
  return {
    id: block.id,
    business_id: block.business_id,
    location_id: block.location_id,
    staff_id: block.staff_id,
    starts_at: shown(block.starts_at),
    ends_at: shown(block.ends_at),
    reason: block.reason,
    created_at: shown(block.created_at),
  }
}

/** The same with the bookings that lie in its time. */
export function presentBlockWithConflicts({ block, bookingIds }: BlockAndConflicts) {
  return { ...presentBlock(block), conflicting_booking_ids: bookingIds }
}
