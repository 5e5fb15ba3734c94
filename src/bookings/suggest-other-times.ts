import type { Actor } from '../access/actor.ts'
import { withAlternatives } from '../availability/find-alternatives.ts'
import { ableStaff, type Span } from '../availability/resource-rules.ts'
import { findOffering } from '../catalogue/find-offering.ts'
import type { Context } from '../context.ts'
import { toMs } from '../instants.ts'
import type { BookingRow } from './booking-queries.ts'

/**
 * A refusal to move a booking, with the nearest times to which it can be moved: for the same service, location and
 * staff member, and as long as was wanted. None are named where the business no longer offers that.
 */
export async function suggestOtherTimes(
  context: Context,
  refusal: unknown,
  { actor, booking, slot }: { actor: Actor; booking: BookingRow; slot: Span },
): Promise<unknown> {
  const ids = { serviceId: booking.service_id, locationId: booking.location_id }
  const found = await findOffering(context, { businessId: booking.business_id }, ids)
  const { service, location, version } = found
  if (!service?.active || !location?.active || !service.location_ids.includes(location.id)) return refusal
  const staff = booking.staff_id === null ? [] : ableStaff({ ...found, location }, booking.staff_id)
  if (service.staff_ids.length > 0 && staff.length === 0) return refusal
  const startsAtMs = toMs(slot.starts_at)
  const duration_minutes = (toMs(slot.ends_at) - startsAtMs) / 60_000
  return withAlternatives(context, refusal, {
    offer: { service: { ...service, duration_minutes }, location, staff, version },
    startsAtMs,
    looker: { actor, nowMs: toMs(context.clock.now()), exceptBookingId: booking.id },
  })
}
