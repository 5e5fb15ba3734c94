import type { Actor } from '../access/actor.ts'
import { withAlternatives } from '../availability/find-alternatives.ts'
import { ableStaff, type Span } from '../availability/resource-rules.ts'
import type { StaffMember } from '../catalogue/catalogue-types.ts'
import { findOffering } from '../catalogue/find-offering.ts'
import type { Context } from '../context.ts'
import { toMs } from '../instants.ts'
import type { BookingRow } from './booking-queries.ts'

/** Who asked, and the time and staff member that were wanted; undefined: the same as before. */
interface Wanted {
  actor: Actor
  booking: BookingRow
  slot: Span
  staffId: string | null | undefined
}

/**
 * A refusal to move a booking or to give it to somebody else, with the nearest times at which that can be: for the same
 * service and location, for the staff member who was wanted (null: anyone) or else has it, and as long as was wanted.
 * None are named where the business no longer offers that.
 */
export async function suggestOtherTimes(
  context: Context,
  refusal: unknown,
  { actor, booking, slot, staffId }: Wanted,
): Promise<unknown> {
  const ids = { serviceId: booking.service_id, locationId: booking.location_id }
  const found = await findOffering(context, { businessId: booking.business_id }, ids)
  const { service, location, version } = found
  if (!service?.active || !location?.active || !service.location_ids.includes(location.id)) return refusal
  const staff = giversOf(
    { ...found, location },
    staffId === undefined ? booking.staff_id : (staffId ?? 'anyone'),
  )
  if (service.staff_ids.length > 0 && staff.length === 0) return refusal
  const startsAtMs = toMs(slot.starts_at)
  const duration_minutes = (toMs(slot.ends_at) - startsAtMs) / 60_000
  return withAlternatives(context, refusal, {
    offer: { service: { ...service, duration_minutes }, location, staff, version },
    startsAtMs,
    looker: { actor, nowMs: toMs(context.clock.now()), exceptBookingId: booking.id },
  })
}

function giversOf(found: Parameters<typeof ableStaff>[0], wanted: string | null): StaffMember[] {
  if (wanted === null) return []
  return ableStaff(found, wanted === 'anyone' ? undefined : wanted)
}
