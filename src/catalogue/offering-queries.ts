import { type RawBuilder, sql } from 'kysely'
import { cachedQuery, type Params } from '../database/cached-query.ts'
import type { Reads } from '../database/database.ts'
import type { LocationsTable, ResourcesTable, ServicesTable, StaffTable } from '../database/tables.ts'
import { inScope, type TenantScope } from '../database/tenant-scope.ts'
import { idsFrom, toLocation, toResource, toService, toStaffMember } from './catalogue-queries.ts'
import { type Location, locationFields, staffFields, type StaffMember } from './location-and-staff-schemas.ts'
import { type BookableResource, resourceFields } from './resource-schemas.ts'
import { type Service, serviceFields } from './service-schemas.ts'

export interface OfferingParts {
  service: Service | undefined
  location: Location | undefined
  /** All staff of the service, by ID. */
  staff: StaffMember[]
  /** All resources at the location that the needs of the service name, by ID, including inactive ones. */
  resources: BookableResource[]
  /** The longest pause between two items of a visit. */
  maxGapMinutes: number
  /** The catalogue version of the service's business. */
  version: number
}

const common = ['id', 'business_id', 'name', 'created_at', 'deactivated_at'] as const
const schedule = ['weekly_hours_json', 'date_overrides_json'] as const
const own = {
  service: [
    ...namesOf(serviceFields),
    ...(['price_amount', 'price_currency', 'deposit_amount', 'deposit_currency'] as const),
    ...(['payment', 'fees_json'] as const),
    ...(['custom_fields_json', 'timetable_json', 'phone_use', 'last_name_use'] as const),
    ...(['steps_json', 'needs_json', 'terms_json'] as const),
  ],
  resource: [...namesOf(resourceFields), 'location_id' as const, ...schedule],
  location: [...namesOf(locationFields), ...schedule],
  staff: [...namesOf(staffFields), ...schedule],
} as const
const made = ['location_ids', 'staff_ids', 'version', 'max_gap_minutes'] as const

/** Columns of all four kinds of rows. Those of other kinds are null. */
const columns = [
  ...new Set([...common, ...made, ...own.service, ...own.resource, ...own.location, ...own.staff]),
]

type AllColumns = keyof ServicesTable | keyof ResourcesTable | keyof LocationsTable | keyof StaffTable

/** Becomes never, so that nothing below compiles, if a column of the four tables is missing above. */
type Kind = AllColumns extends (typeof columns)[number] ? keyof typeof own : never

function namesOf<Fields extends object>(fields: Fields): (keyof Fields)[] {
  return Object.keys(fields) as (keyof Fields)[] // the object has no other keys
}

type Row = {
  kind: Kind
  version: number
  max_gap_minutes: number
  location_ids: string | null
  staff_ids: string | null
}

function select(kind: Kind, alias: string, made: Record<string, RawBuilder<unknown>> = {}) {
  const known = new Set<string>([...common, ...own[kind]])
  const column = (name: string) =>
    known.has(name) ? sql.ref(`${alias}.${name}`) : (made[name] ?? sql.lit(null))
  const all = columns.map((name) => sql`${column(name)} as ${sql.ref(name)}`)
  return sql`select ${sql.lit(kind)} as kind, ${sql.join(all)}`
}

/** The whole statement. Service and resources come first: their columns set the types of the others' nulls. */
const partsOf = cachedQuery((_db: Reads, { scope, serviceId, locationId }: Params<PartsRequest>) => {
  const service = select('service', 's', {
    location_ids: idsFrom('service_locations', 's.service_id', 'location_id'),
    staff_ids: idsFrom('service_staff', 's.service_id', 'staff_id'),
    version: sql`(select b.catalogue_version from businesses as b where b.id = s.business_id)`,
    max_gap_minutes: sql`(select b.max_gap_minutes from businesses as b where b.id = s.business_id)`,
  })
  const resource = select('resource', 'r')
  const location = select('location', 'l')
  const staff = select('staff', 'p', {
    location_ids: idsFrom('staff_locations', 'p.staff_id', 'location_id'),
  })
  return sql<Row>`
    ${service} from services as s where ${inScope('s.business_id', scope)} and s.id = ${serviceId}
    union all
    ${resource} from service_resources as n join resources as r on r.id = n.resource_id and r.business_id = n.business_id
     where ${inScope('n.business_id', scope)} and n.service_id = ${serviceId} and r.location_id = ${locationId}
    union all
    ${location} from locations as l where ${inScope('l.business_id', scope)} and l.id = ${locationId}
    union all
    ${staff} from staff as p join service_staff as g on g.staff_id = p.id and g.business_id = p.business_id
     where ${inScope('p.business_id', scope)} and g.service_id = ${serviceId}`
})

interface PartsRequest {
  scope: TenantScope
  serviceId: string
  locationId: string
}

/**
 * Reads a service, a location, the service's staff and the resources that it needs there. One statement reads
 * them at one version.
 */
export async function findOfferingParts(
  db: Reads,
  scope: TenantScope,
  { serviceId, locationId }: { serviceId: string; locationId: string },
): Promise<OfferingParts> {
  const { rows } = await partsOf(db, { scope, serviceId, locationId })
  return read(rows)
}

function read(rows: Row[]): OfferingParts {
  // each kind has the columns of its own table, as selected above
  const of = <Table>(kind: Row['kind']) =>
    rows.filter((row) => row.kind === kind) as unknown as (Row & Table)[]
  const service = of<ServicesTable>('service')[0]
  const location = of<LocationsTable>('location')[0]
  return {
    service: service && toService(service),
    location: location && toLocation(location),
    // the choice among equals must not depend on the engine
    staff: of<StaffTable>('staff').map(toStaffMember).toSorted(byId),
    resources: of<ResourcesTable>('resource').map(toResource).toSorted(byId),
    maxGapMinutes: service?.max_gap_minutes ?? 0,
    version: service?.version ?? 0,
  }
}

function byId(one: { id: string }, other: { id: string }): number {
  return one.id < other.id ? -1 : 1
}
