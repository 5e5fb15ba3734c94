import type { Service, StaffMember } from '../catalogue/catalogue-types.ts'
import { findOffering, findStaffOf, forgetOffering } from '../catalogue/find-offering.ts'
import type { Context } from '../context.ts'
import type { Reach } from '../database/reach.ts'
import { Problem, unavailable } from '../errors.ts'
import { isSlotRefusal, NobodyGives, notOfferedHere } from './refusal-rules.ts'
import type { Offer } from './offer-rules.ts'
import { ableStaff } from './resource-rules.ts'

/** What is asked for: a service at a location, with one staff member or with any. */
export interface OfferRequest {
  service_id: string
  location_id: string
  staff_id?: string | undefined
}

/** An offer as of one version of the catalogue. */
export interface VersionedOffer extends Offer {
  version: number
}

/** Thrown when the database has a later version of the catalogue than the one at hand. */
export class StaleOffer extends Error {
  override readonly name = 'StaleOffer'
}

/** So often work is done again because the catalogue changed under it. */
const mostReadings = 4

/**
 * Does something with what is asked for, within the caller's reach; again with a newer reading when it throws
 * StaleOffer. Throws not_found, slot_not_offered for what is inactive or not given there, or unavailable when the
 * catalogue changes all the time.
 */
export async function withOffer<T>(
  context: Context,
  reach: Reach,
  { request, work }: { request: OfferRequest; work: (offer: VersionedOffer) => Promise<T> },
): Promise<T> {
  const ids = { serviceId: request.service_id, locationId: request.location_id }
  for (let reading = 1; ; reading += 1) {
    const offer = await findOffer(context, reach, request)
    try {
      return await work(offer)
    } catch (error) {
      if (!(error instanceof StaleOffer)) throw error
      if (reading === mostReadings) throw unavailable('The catalogue is being changed; try again.')
      forgetOffering(context, reach, ids)
    }
  }
}

/** Only what the database says now is refused: what is remembered may be from before it was offered (again). */
async function findOffer(context: Context, reach: Reach, request: OfferRequest): Promise<VersionedOffer> {
  try {
    return await readOffer(context, reach, request)
  } catch (error) {
    if (!isSlotRefusal(error)) throw error
    forgetOffering(context, reach, { serviceId: request.service_id, locationId: request.location_id })
    return readOffer(context, reach, request)
  }
}

async function readOffer(context: Context, reach: Reach, request: OfferRequest): Promise<VersionedOffer> {
  const ids = { serviceId: request.service_id, locationId: request.location_id }
  const { service, location, staff, version } = await findOffering(context, reach, ids)
  if (!service) throw new Problem('not_found', 'There is no service with this service_id.')
  // a hub's caller reaches several businesses, a service belongs to one of them
  if (!location || location.business_id !== service.business_id) {
    throw new Problem('not_found', 'There is no location with this location_id.')
  }
  const { staff_id: staffId } = request
  const wanted = staffId === undefined ? undefined : await staffMember(context, staff, { service, staffId })
  if (!service.active) throw notOfferedHere('The service is not offered any more.')
  if (!location.active) throw notOfferedHere('The location is not open any more.')
  if (wanted && !wanted.active) throw notOfferedHere('The staff member does not give anything any more.')
  const nobodyGives = (detail: string) => new NobodyGives(detail, location.timezone)
  if (!service.location_ids.includes(location.id)) {
    throw nobodyGives('The service is not offered at this location.')
  }
  if (wanted && !staff.includes(wanted)) throw nobodyGives('The staff member does not give this service.')
  const able = service.staff_ids.length === 0 ? [] : ableStaff({ staff, location }, staffId)
  if (able.length === 0 && service.staff_ids.length > 0) {
    throw nobodyGives('Nobody gives this service at this location.')
  }
  return { service, location, staff: able, version }
}

/** Who is asked for, whether they give the service or not. Throws not_found. */
async function staffMember(
  context: Context,
  givers: StaffMember[],
  { service, staffId }: { service: Service; staffId: string },
): Promise<StaffMember> {
  const known =
    givers.find(({ id }) => id === staffId) ??
    (await findStaffOf(context.db.reads, service.business_id, staffId))
  if (!known) throw new Problem('not_found', 'There is no staff member with this staff_id.')
  return known
}
