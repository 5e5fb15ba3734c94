import { notOfferedHere } from '../availability/refusal-rules.ts'
import { SlotDay } from '../availability/offer-rules.ts'
import {
  ableStaff,
  placeResource,
  staffResource,
  takenBy,
  type Resource,
  type Span,
} from '../availability/resource-rules.ts'
import type { StaffMember } from '../catalogue/catalogue-types.ts'
import { findOffering, findStaffOf, forgetOffering } from '../catalogue/find-offering.ts'
import type { Context } from '../context.ts'
import { Repeat, type Transaction } from '../database/database.ts'
import { Problem } from '../errors.ts'
import { nearestInstant, toMs } from '../instants.ts'
import type { BookingRow } from './booking-queries.ts'
import { look, type LookRequest } from './claim-queries.ts'
import { takeSlot } from './take-slot.ts'

/** Whom a booking may be given to; without any staff, the place alone. */
export interface Takers {
  resources: Resource[]
  staff: StaffMember[]
  /** The day whose bookings decide between several. */
  day: LookRequest['day']
}

/**
 * Takes the time of a booking for the same staff member or place, or for one of `takers`, with the buffers and seats that
 * the service has now. Its own old claim is gone by then. Gives back who gives it. Throws slot_held or slot_booked.
 */
export async function takeSlotAgain(
  context: Context,
  tx: Transaction,
  booking: BookingRow,
  takers?: Takers,
): Promise<string | null> {
  const reach = { businessId: booking.business_id }
  const ids = { serviceId: booking.service_id, locationId: booking.location_id }
  const { service, version } = await findOffering(context, reach, ids, tx.db)
  if (!service) throw new Error('a booking refers to a service that is gone') // foreign keys forbid it
  const at = { locationId: booking.location_id, startsAt: booking.starts_at }
  const own =
    booking.staff_id === null
      ? placeResource(service, booking.location_id)
      : staffResource(service, { ...at, staffId: booking.staff_id })
  const resources = takers?.resources ?? [own]
  const request = {
    now: tx.now,
    businessId: booking.business_id,
    resourceIds: resources.map(({ id }) => id),
    taken: takenBy(service, booking),
    day: takers?.day,
    asksVersion: true,
  }
  const purpose = { booking_id: booking.id, expires_at: null, owner_id: null }
  const seen = await look(tx.db, request)
  if (seen.catalogueVersion !== version) {
    forgetOffering(context, reach, ids)
    throw new Repeat('the catalogue has changed since the service was read')
  }
  // who has it keeps it where they can
  const bookingsOfDay = new Map([...seen.bookingsOfDay, [own.id, -1]])
  const asked = { ...request, claimId: booking.id, resources, purpose }
  const { resource } = await takeSlot(tx, asked, { ...seen, bookingsOfDay })
  return resource.staffId
}

/**
 * Whom a booking can be given to at a time: the staff member who is named, or for null anyone. As with holds of keys
 * (contract: Holds), where some of the staff work then, it is they; else hours and blocks do not count. Throws not_found
 * or slot_not_offered.
 */
export async function findTakers(
  context: Context,
  tx: Transaction,
  { booking, staffId, span }: { booking: BookingRow; staffId: string | null; span: Span },
): Promise<Takers> {
  const reach = { businessId: booking.business_id }
  const ids = { serviceId: booking.service_id, locationId: booking.location_id }
  forgetOffering(context, reach, ids) // only what the database says now is refused
  const { service, location, staff } = await findOffering(context, reach, ids, tx.db)
  if (!service || !location) throw new Error('a booking refers to what is gone') // foreign keys forbid it
  if (staffId === null && service.staff_ids.length === 0) {
    return { resources: [placeResource(service, location.id)], staff: [], day: undefined }
  }
  const able = ableStaff({ staff, location }, staffId ?? undefined)
  if (able.length === 0) throw await whyNobody(tx, booking, staffId)
  const resourceOf = ({ id }: StaffMember) =>
    staffResource(service, { staffId: id, locationId: location.id, startsAt: span.starts_at })
  if (staffId !== null) return { resources: able.map(resourceOf), staff: able, day: undefined }
  const startsAtMs = toMs(span.starts_at)
  // as long as the booking is; notice and horizon are no matter between people
  const asLong = { duration_minutes: (toMs(span.ends_at) - startsAtMs) / 60_000 }
  const anytime = { ...service, ...asLong, min_notice_minutes: 0, max_advance_days: null }
  const day = new SlotDay({ service: anytime, location, staff: able }, startsAtMs)
  const { blocks } = await look(tx.db, {
    now: tx.now,
    businessId: booking.business_id,
    resourceIds: able.map(({ id }) => id),
    taken: takenBy(service, span),
    rules: { locationId: location.id, staffIds: able.map(({ id }) => id), slot: span },
  })
  const working = day.working({ nowMs: toMs(tx.now), blocks }, true)
  const there = typeof working === 'string' ? able : able.filter(({ id }) => working.includes(id))
  const { from, to } = day.span()
  return {
    resources: there.map(resourceOf),
    staff: there,
    day: { from: nearestInstant(from), to: nearestInstant(to) },
  }
}

async function whyNobody(tx: Transaction, booking: BookingRow, staffId: string | null): Promise<Problem> {
  if (staffId === null) return notOfferedHere('Nobody gives this service at this location.')
  return (await findStaffOf(tx.db, booking.business_id, staffId))
    ? notOfferedHere('The staff member does not give this service at this location.')
    : new Problem('not_found', 'There is no staff member with this staff_id.')
}
