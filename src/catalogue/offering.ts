import type { Queries, Transaction } from '../database/database.ts'
import { type TenantScope, scopeKey } from '../database/tenant-scope.ts'
import type { Context } from '../access/context.ts'
import { findStaffMember } from './catalogue-queries.ts'
import type { Location, Service, StaffMember } from './catalogue-types.ts'
import { findOfferingParts, type OfferingParts } from './offering-queries.ts'

/** A service at a location with all staff of the service. */
export interface Offering {
  service: Service
  location: Location
  /** By id, with inactive members and those of other locations. */
  staff: StaffMember[]
  /** Catalogue version of the business; a later one makes it stale. */
  version: number
}

interface OfferingIds {
  serviceId: string
  locationId: string
}

/**
 * Finds an offering in the caller's scope, cached for at most five seconds; missing parts are undefined. Inside a
 * transaction pass its `db`: waiting for a second connection could deadlock.
 */
export async function findOffering(
  context: Pick<Context, 'cache' | 'db'>,
  scope: TenantScope,
  ids: OfferingIds,
  db: Queries = context.db.reads,
): Promise<OfferingParts> {
  let found: OfferingParts | undefined
  const complete = await context.cache.get(cacheKey(scope, ids), async () => {
    found = await findOfferingParts(db, scope, ids)
    return found.service && found.location ? found : undefined // a missing part may appear at any moment
  })
  return complete ?? found ?? { service: undefined, location: undefined, staff: [], version: 0 }
}

/** As `findOffering`, at least at the version that the transaction has read: an older cached one is read again. */
export async function findOfferingAsOf(
  context: Pick<Context, 'cache' | 'db'>,
  tx: Transaction,
  { version, businessId, ...ids }: OfferingIds & { version: number; businessId: string },
): Promise<OfferingParts> {
  const scope = { businessId }
  const found = await findOffering(context, scope, ids, tx.reads)
  if (found.version === version) return found
  forgetOffering(context, scope, ids)
  return findOffering(context, scope, ids, tx.reads)
}

/** Drops a cached offering because the database has a later version. */
export function forgetOffering(context: Pick<Context, 'cache'>, scope: TenantScope, ids: OfferingIds): void {
  context.cache.forget(cacheKey(scope, ids))
}

function cacheKey(scope: TenantScope, { serviceId, locationId }: OfferingIds): string {
  return `offering:${scopeKey(scope)}:${serviceId}:${locationId}`
}

/** Finds a staff member of a business, also an inactive one. */
export function findStaffOf(
  db: Queries,
  businessId: string,
  staffId: string,
): Promise<StaffMember | undefined> {
  return findStaffMember(db, { businessId }, staffId)
}
