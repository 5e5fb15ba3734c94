import type { Queries, Transaction } from '../database/database.ts'
import { type TenantScope, scopeKey } from '../database/tenant-scope.ts'
import type { Context } from '../access/context.ts'
import { findBusinessById } from './business-queries.ts'
import { findLocations, findServices, findStaff, findStaffMember } from './catalogue-queries.ts'
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

/** Everything that a business offers, at one version of its catalogue. */
export interface WholeCatalogue {
  businessId: string
  /** Of the business. */
  timezone: string
  version: number
  /** By name, inactive ones too; so the others. */
  services: Service[]
  locations: Location[]
  staff: StaffMember[]
}

/** More of one kind are not shown together. */
const maxShown = 1_000

/** Reads what a business offers; undefined when it is unknown. What changes meanwhile has a later version. */
export async function findWholeCatalogue(
  db: Queries,
  businessId: string,
): Promise<WholeCatalogue | undefined> {
  const business = await findBusinessById(db, businessId)
  if (!business) return undefined
  const filter = { businessId, activeOnly: false, after: undefined, rows: maxShown }
  const scope = { businessId }
  return {
    businessId,
    timezone: business.timezone,
    version: business.catalogue_version,
    services: await findServices(db, scope, filter),
    locations: await findLocations(db, scope, filter),
    staff: await findStaff(db, scope, filter),
  }
}
