import type { Context } from '../access/context.ts'
import { Problem, unavailable } from '../base/errors.ts'
import type { StaffMember } from '../catalogue/location-and-staff-schemas.ts'
import type { BookableResource } from '../catalogue/resource-schemas.ts'
import type { Service } from '../catalogue/service-schemas.ts'
import { findOffering, findStaffOf, forgetOffering } from '../catalogue/offering.ts'
import type { TenantScope } from '../database/tenant-scope.ts'
import { isSlotUnavailable, NobodyGives, notOfferedHere, type Offer } from './offer-rules.ts'
import { eligibleStaff } from './resource-rules.ts'

/** A service at a location, with a particular staff member or any. */
interface OfferingRequest {
  service_id: string
  location_id: string
  staff_id?: string | undefined
  /** In place of `staff_id` for a service that needs a person: the only one who may give it. */
  only_staff_id?: string | undefined
}

/** An offering at one version of the catalogue. */
export interface VersionedOffering extends Offer {
  /** Resources at the location that the service needs. Absent: none. */
  resources?: BookableResource[]
  /** The longest pause between two items of a visit. Absent: none. */
  maxGapMinutes?: number
  version: number
}

/** Thrown if the database has a newer catalogue than the cached one. */
export class StaleOffering extends Error {
  override readonly name = 'StaleOffering'
}

const maxReadings = 4

/** Calls work again each time it throws StaleOffering, after `forget`. Throws unavailable after several times. */
export async function retryStale<T>(work: () => Promise<T>, forget: () => void): Promise<T> {
  for (let reading = 1; ; reading += 1) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof StaleOffering)) throw error
      if (reading === maxReadings) throw unavailable('The catalogue is being changed; try again.')
      forget()
    }
  }
}

/**
 * Runs work with an offering in the caller's scope, and again with a newer one if it throws StaleOffering.
 * Throws not_found, slot_not_offered if the offering is inactive or not provided there, or unavailable if the
 * catalogue keeps changing.
 */
export async function withOffering<T>(
  context: Context,
  scope: TenantScope,
  { request, work }: { request: OfferingRequest; work: (offer: VersionedOffering) => Promise<T> },
): Promise<T> {
  const ids = { serviceId: request.service_id, locationId: request.location_id }
  return retryStale(
    async () => work(await findOffer(context, scope, request)),
    () => {
      forgetOffering(context, scope, ids)
    },
  )
}

/**
 * Finds an offering. Refuses only by the current state of the database, because the cache may be older than
 * the offering.
 */
export async function findOffer(
  context: Context,
  scope: TenantScope,
  request: OfferingRequest,
): Promise<VersionedOffering> {
  try {
    return await readOffer(context, scope, request)
  } catch (error) {
    if (!isSlotUnavailable(error)) throw error
    forgetOffering(context, scope, { serviceId: request.service_id, locationId: request.location_id })
    return readOffer(context, scope, request)
  }
}

async function readOffer(
  context: Context,
  scope: TenantScope,
  request: OfferingRequest,
): Promise<VersionedOffering> {
  const ids = { serviceId: request.service_id, locationId: request.location_id }
  const { service, location, staff, resources, maxGapMinutes, version } = await findOffering(
    context,
    scope,
    ids,
  )
  if (!service) throw new Problem('not_found', 'There is no service with this service_id.')
  // a hub's scope has several businesses; both must belong to the same one
  if (!location || location.business_id !== service.business_id) {
    throw new Problem('not_found', 'There is no location with this location_id.')
  }
  const { staff_id: staffId = service.staff_ids.length > 0 ? request.only_staff_id : undefined } = request
  const wanted = staffId === undefined ? undefined : await staffMember(context, staff, { service, staffId })
  if (!service.active) throw notOfferedHere('The service is not offered any more.')
  if (!location.active) throw notOfferedHere('The location is not open any more.')
  if (wanted && !wanted.active) throw notOfferedHere('The staff member does not give anything any more.')
  const nobodyGives = (detail: string) => new NobodyGives(detail, location.timezone)
  if (!service.location_ids.includes(location.id)) {
    throw nobodyGives('The service is not offered at this location.')
  }
  if (wanted && !staff.includes(wanted)) throw nobodyGives('The staff member does not give this service.')
  const eligible = service.staff_ids.length === 0 ? [] : eligibleStaff({ staff, location }, staffId)
  if (eligible.length === 0 && service.staff_ids.length > 0) {
    throw nobodyGives('Nobody gives this service at this location.')
  }
  return { service, location, staff: eligible, resources, maxGapMinutes, version }
}

/** Finds the requested staff member, whether or not they provide the service. Throws not_found. */
async function staffMember(
  context: Context,
  serviceStaff: StaffMember[],
  { service, staffId }: { service: Service; staffId: string },
): Promise<StaffMember> {
  const known =
    serviceStaff.find(({ id }) => id === staffId) ??
    (await findStaffOf(context.db.reads, service.business_id, staffId))
  if (!known) throw new Problem('not_found', 'There is no staff member with this staff_id.')
  return known
}
