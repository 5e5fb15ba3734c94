import { LRUCache } from 'lru-cache'
import { Slices } from '../base/slices.ts'
import type { Reads, Transaction } from '../database/database.ts'
import { type TenantScope, scopeKey } from '../database/tenant-scope.ts'
import type { Context } from '../access/context.ts'
import { findBusinessById } from './business-queries.ts'
import {
  findIdsInOrder,
  findLocationsById,
  findResourcesById,
  findServicesById,
  findStaffById,
  findStaffMember,
} from './catalogue-queries.ts'
import { highestCatalogueLimit } from './limit-rules.ts'
import type { ItemTable } from './catalogue-types.ts'
import type { Location, StaffMember } from './location-and-staff-schemas.ts'
import type { BookableResource } from './resource-schemas.ts'
import type { Service } from './service-schemas.ts'
import { findOfferingParts, type OfferingParts } from './offering-queries.ts'

/** A service at a location with all staff of the service. */
export interface Offering {
  service: Service
  location: Location
  /** By ID, including inactive members and those of other locations. */
  staff: StaffMember[]
  /** All resources at the location that the needs of the service name, by ID, including inactive ones. */
  resources: BookableResource[]
  /** The longest pause between two items of a visit. */
  maxGapMinutes: number
  /** Catalogue version of the business. A later one makes the offering stale. */
  version: number
}

interface OfferingIds {
  serviceId: string
  locationId: string
}

/**
 * Finds an offering in the caller's scope, cached for at most five seconds. Missing parts are undefined.
 * Inside a transaction, pass its `db`, because waiting for a second connection could deadlock.
 */
export async function findOffering(
  context: Pick<Context, 'cache' | 'db'>,
  scope: TenantScope,
  ids: OfferingIds,
  db: Reads = context.db.reads,
): Promise<OfferingParts> {
  let found: OfferingParts | undefined
  const complete = await context.cache.get(cacheKey(scope, ids), async () => {
    found = await findOfferingParts(db, scope, ids)
    return found.service && found.location ? found : undefined // not cached otherwise, because a missing part may appear at any moment
  })
  return complete ?? found ?? nothing
}

const nothing: OfferingParts = {
  ...{ service: undefined, location: undefined },
  ...{ staff: [], resources: [], maxGapMinutes: 0, version: 0 },
}

/**
 * Finds an offering at least at the version that the transaction has read. Reads an older cached one again.
 */
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

/** Finds a staff member of a business, even an inactive one. */
export function findStaffOf(
  db: Reads,
  businessId: string,
  staffId: string,
): Promise<StaffMember | undefined> {
  return findStaffMember(db, { businessId }, staffId)
}

/** The complete catalogue of a business at one version. */
export interface WholeCatalogue {
  businessId: string
  /** Zone of the business. */
  timezone: string
  version: number
  /** By position and name, followed by the inactive ones. The same applies to locations and staff. */
  services: Service[]
  locations: Location[]
  staff: StaffMember[]
  /** By name, followed by the inactive ones. Empty if no service needs any. */
  resources: BookableResource[]
  /** The longest pause between two items of a visit. */
  maxGapMinutes: number
}

/** Maximum number of inactive items of one kind. */
const maxInactive = 1_000
/**
 * Rows per part. A service can name hundreds of staff and locations, so other requests proceed in between.
 */
const rowsAtOnce = 20

/**
 * Reads the catalogue of a business in parts; undefined if the business is unknown. Changes in the meantime
 * have a later version. Throws MemberGone.
 */
export async function findWholeCatalogue(
  db: Reads,
  businessId: string,
  slices = new Slices(),
): Promise<WholeCatalogue | undefined> {
  const business = await findBusinessById(db, businessId)
  if (!business) return undefined
  const reading = { db, businessId, slices }
  const scope = { businessId }
  const same = onlyOnce()
  const services = await findAll(reading, 'services', async (ids) =>
    (await findServicesById(db, scope, ids)).map((service) => ({
      ...service,
      location_ids: service.location_ids.map(same),
      staff_ids: service.staff_ids.map(same),
    })),
  )
  const needsResources = services.some(({ needs }) => needs.length > 0)
  return {
    businessId,
    timezone: business.timezone,
    version: business.catalogue_version,
    maxGapMinutes: business.max_gap_minutes,
    services,
    locations: await findAll(reading, 'locations', (ids) => findLocationsById(db, scope, ids)),
    staff: await findAll(reading, 'staff', async (ids) =>
      (await findStaffById(db, scope, ids)).map((member) => ({
        ...member,
        location_ids: member.location_ids.map(same),
      })),
    ),
    resources: needsResources
      ? await findAll(reading, 'resources', (ids) => findResourcesById(db, scope, ids))
      : [],
  }
}

/** Returns a function that shares equal texts, because thousands of services can name the same staff. */
function onlyOnce(): (text: string) => string {
  const known = new Map<string, string>()
  return (text) => known.get(text) ?? (known.set(text, text), text)
}

/** Reads the active items by position and name, then the latest inactive ones. */
async function findAll<Row extends { id: string }>(
  { db, businessId, slices }: { db: Reads; businessId: string; slices: Slices },
  table: ItemTable,
  findById: (ids: string[]) => Promise<Row[]>,
): Promise<Row[]> {
  const active = await findIdsInOrder(db, table, { businessId, active: true, max: highestCatalogueLimit })
  const inactive = await findIdsInOrder(db, table, { businessId, active: false, max: maxInactive })
  const ids = [...active, ...inactive]
  const all: Row[] = []
  for (let from = 0; from < ids.length; from += rowsAtOnce) {
    await slices.giveWay()
    const some = ids.slice(from, from + rowsAtOnce)
    const rows = new Map((await findById(some)).map((row) => [row.id, row]))
    all.push(...some.flatMap((id) => rows.get(id) ?? []))
  }
  return all
}

/** Size limit of the cache, counted in names of its catalogues. */
const maxNames = 2_000_000

/** Whole catalogues, each used only while the database still has its version. */
type Catalogues = LRUCache<string, WholeCatalogue>

const catalogues = new WeakMap<object, Catalogues>()

/** Returns the catalogues that a server caches. */
export function keptCatalogues({ db }: Pick<Context, 'db'>): Catalogues {
  const kept = catalogues.get(db.reads) ?? new LRUCache({ maxSize: maxNames, sizeCalculation: namesIn })
  catalogues.set(db.reads, kept)
  return kept
}

/** Returns the number of items and IDs in a catalogue. */
function namesIn({ services, locations, staff, resources }: WholeCatalogue): number {
  const ofServices = services.map(({ location_ids, staff_ids }) => location_ids.length + staff_ids.length)
  const ofStaff = staff.map(({ location_ids }) => location_ids.length)
  const items = 10 * (services.length + locations.length + staff.length + resources.length) + 1
  return [...ofServices, ...ofStaff].reduce((sum, count) => sum + count, items)
}
