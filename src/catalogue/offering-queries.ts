import { sql, type RawBuilder } from 'kysely'
import type { Queries } from '../database/database.ts'
import { inReach, type Reach } from '../database/reach.ts'
import type { LocationsTable, ServicesTable, StaffTable } from '../database/tables.ts'
import type { Location, Service, StaffMember } from './catalogue-types.ts'
import { idsFrom } from './listing-queries.ts'
import { toLocation } from './location-queries.ts'
import { toService } from './service-queries.ts'
import { toStaffMember } from './staff-queries.ts'

/** What is found under the ids of a service and a location. */
export interface OfferingParts {
  service: Service | undefined
  location: Location | undefined
  /** Everybody who gives the service, by id. */
  staff: StaffMember[]
  /** The version of the catalogue of the service's business that this is. */
  version: number
}

/** The columns of the three kinds of rows, side by side: what a kind does not have is null. */
const columns = [
  ...['id', 'business_id', 'name', 'created_at', 'deactivated_at', 'location_ids', 'staff_ids', 'version'],
  ...['description', 'duration_minutes', 'buffer_before_minutes', 'buffer_after_minutes'],
  ...['slot_interval_minutes', 'min_notice_minutes', 'max_advance_days', 'capacity', 'price_amount'],
  ...['price_currency', 'deposit_amount', 'deposit_currency', 'custom_fields_json'],
  ...['timezone', 'address', 'weekly_hours_json', 'date_overrides_json', 'email'],
] as const

const ofAll = ['id', 'business_id', 'name', 'created_at', 'deactivated_at']
const ofService = columns.slice(columns.indexOf('description'), columns.indexOf('timezone'))

type Row = {
  kind: 'service' | 'location' | 'staff'
  version: number
  location_ids: string | null
  staff_ids: string | null
}

function select(
  kind: Row['kind'],
  alias: string,
  own: string[],
  made: Record<string, RawBuilder<unknown>> = {},
) {
  const column = (name: string) =>
    own.includes(name) ? sql.ref(`${alias}.${name}`) : (made[name] ?? sql.lit(null))
  const all = columns.map((name) => sql`${column(name)} as ${sql.ref(name)}`)
  return sql`select ${sql.lit(kind)} as kind, ${sql.join(all)}`
}

/**
 * Reads a service, a location and the staff of the service in one statement, so that they are of one version.
 * The service stands first: its columns settle the types of the others' nulls.
 */
export async function findOfferingParts(
  db: Queries,
  reach: Reach,
  ids: { serviceId: string; locationId: string },
): Promise<OfferingParts> {
  const service = select('service', 's', [...ofAll, ...ofService], {
    location_ids: idsFrom('service_locations', 's.service_id', 'location_id'),
    staff_ids: idsFrom('service_staff', 's.service_id', 'staff_id'),
    version: sql`(select b.catalogue_version from businesses as b where b.id = s.business_id)`,
  })
  const location = select('location', 'l', [
    ...ofAll,
    ...['timezone', 'address', 'weekly_hours_json', 'date_overrides_json'],
  ])
  const staff = select('staff', 'p', [...ofAll, 'email', 'weekly_hours_json', 'date_overrides_json'], {
    location_ids: idsFrom('staff_locations', 'p.staff_id', 'location_id'),
  })
  const { rows } = await sql<Row>`
    ${service} from services as s where ${inReach('s.business_id', reach)} and s.id = ${ids.serviceId}
    union all
    ${location} from locations as l where ${inReach('l.business_id', reach)} and l.id = ${ids.locationId}
    union all
    ${staff} from staff as p join service_staff as g on g.staff_id = p.id and g.business_id = p.business_id
     where ${inReach('p.business_id', reach)} and g.service_id = ${ids.serviceId}`.execute(db)
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
    // who is chosen among equals must not depend on the engine
    staff: of<StaffTable>('staff')
      .map(toStaffMember)
      .toSorted((one, other) => (one.id < other.id ? -1 : 1)),
    version: service?.version ?? 0,
  }
}
