import { placeResource, staffResource, takenBy } from '../availability/resource-rules.ts'
import { findOffering, forgetOffering } from '../catalogue/find-offering.ts'
import type { Context } from '../context.ts'
import { Repeat, type Transaction } from '../database/database.ts'
import type { BookingRow } from './booking-queries.ts'
import { look } from './claim-queries.ts'
import { takeSlot } from './take-slot.ts'

/**
 * Takes the time of a booking for the same staff member or place, with the buffers and seats that the service has now.
 * Its own old claim is gone by then. Throws slot_held or slot_booked.
 */
export async function takeSlotAgain(context: Context, tx: Transaction, booking: BookingRow): Promise<void> {
  const reach = { businessId: booking.business_id }
  const ids = { serviceId: booking.service_id, locationId: booking.location_id }
  const { service, version } = await findOffering(context, reach, ids, tx.db)
  if (!service) throw new Error('a booking refers to a service that is gone') // foreign keys forbid it
  const at = { locationId: booking.location_id, startsAt: booking.starts_at }
  const resource =
    booking.staff_id === null
      ? placeResource(service, booking.location_id)
      : staffResource(service, { ...at, staffId: booking.staff_id })
  const request = {
    now: tx.now,
    businessId: booking.business_id,
    resourceIds: [resource.id],
    taken: takenBy(service, booking),
    asksVersion: true,
  }
  const purpose = { booking_id: booking.id, expires_at: null, owner_id: null }
  const seen = await look(tx.db, request)
  if (seen.catalogueVersion !== version) {
    forgetOffering(context, reach, ids)
    throw new Repeat('the catalogue has changed since the service was read')
  }
  await takeSlot(tx, { ...request, claimId: booking.id, resources: [resource], purpose }, seen)
}
