import type { Context } from '../context.ts'
import type { Queries } from '../database/database.ts'
import { reachKey, type Reach } from '../database/reach.ts'
import type { Location, Service, StaffMember } from './catalogue-types.ts'
import { findLocation } from './location-queries.ts'
import { findService } from './service-queries.ts'
import { findStaffMember, findStaffOfService } from './staff-queries.ts'

/** A service at a location, with everybody who gives the service. */
export interface Offering {
  service: Service
  location: Location
  /** By id. Inactive members and those of other locations included. */
  staff: StaffMember[]
}

type OfferingParts = { [Part in keyof Offering]: Offering[Part] | undefined }

/**
 * What is offered under these ids within the caller's reach; each part that does not exist there is
 * undefined. Remembered for at most five seconds. Inside a transaction pass its `db`: a second
 * connection could be the one that all transactions wait for.
 */
export async function findOffering(
  context: Pick<Context, 'cache' | 'db'>,
  reach: Reach,
  ids: { serviceId: string; locationId: string },
  db: Queries = context.db.reads,
): Promise<OfferingParts> {
  const scope = reachKey(reach)
  const found = await context.cache.get(`service:${scope}:${ids.serviceId}`, async () => {
    const service = await findService(db, reach, ids.serviceId)
    return service && { service, staff: await findStaffOfService(db, service.business_id, service.id) }
  })
  const location = await context.cache.get(`location:${scope}:${ids.locationId}`, () =>
    findLocation(db, reach, ids.locationId),
  )
  return { service: found?.service, staff: found?.staff, location }
}

/** Whether a business has, or had, this staff member. */
export async function isStaffOf(
  context: Pick<Context, 'db'>,
  businessId: string,
  staffId: string,
): Promise<boolean> {
  return (await findStaffMember(context.db.reads, { businessId }, staffId)) !== undefined
}
