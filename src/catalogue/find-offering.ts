import type { Context } from '../context.ts'
import type { Queries, Transaction } from '../database/database.ts'
import { reachKey, type Reach } from '../database/reach.ts'
import type { Location, Service, StaffMember } from './catalogue-types.ts'
import { findOfferingParts, type OfferingParts } from './offering-queries.ts'
import { findStaffMember } from './staff-queries.ts'

/** A service at a location, with everybody who gives the service. */
export interface Offering {
  service: Service
  location: Location
  /** By id. Inactive members and those of other locations included. */
  staff: StaffMember[]
  /** Which version of the catalogue of its business this is: with a later one it is stale. */
  version: number
}

/** The ids by which an offering is asked for. */
export interface OfferingIds {
  serviceId: string
  locationId: string
}

/**
 * What is offered under these ids within the caller's reach; a part that does not exist there is
 * undefined. Remembered for at most five seconds. Inside a transaction pass its `db`: a second
 * connection could be the one that all transactions wait for.
 */
export async function findOffering(
  context: Pick<Context, 'cache' | 'db'>,
  reach: Reach,
  ids: OfferingIds,
  db: Queries = context.db.reads,
): Promise<OfferingParts> {
  let found: OfferingParts | undefined
  const complete = await context.cache.get(cacheKey(reach, ids), async () => {
    found = await findOfferingParts(db, reach, ids)
    return found.service && found.location ? found : undefined // what is not there may come at any moment
  })
  return complete ?? found ?? { service: undefined, location: undefined, staff: [], version: 0 }
}

/**
 * The same as of a version that a transaction has seen, or a later one: what is remembered from before is read again,
 * within the transaction.
 */
export async function findOfferingAsOf(
  context: Pick<Context, 'cache' | 'db'>,
  tx: Transaction,
  { version, businessId, ...ids }: OfferingIds & { version: number; businessId: string },
): Promise<OfferingParts> {
  const reach = { businessId }
  const found = await findOffering(context, reach, ids, tx.db)
  if (found.version === version) return found
  forgetOffering(context, reach, ids)
  return findOffering(context, reach, ids, tx.db)
}

/** Forgets what is remembered under these ids, because the database has a later version. */
export function forgetOffering(context: Pick<Context, 'cache'>, reach: Reach, ids: OfferingIds): void {
  context.cache.forget(cacheKey(reach, ids))
}

function cacheKey(reach: Reach, { serviceId, locationId }: OfferingIds): string {
  return `offering:${reachKey(reach)}:${serviceId}:${locationId}`
}

/** A staff member whom a business has, or had. */
export function findStaffOf(
  db: Queries,
  businessId: string,
  staffId: string,
): Promise<StaffMember | undefined> {
  return findStaffMember(db, { businessId }, staffId)
}
