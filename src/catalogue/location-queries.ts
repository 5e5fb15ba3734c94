import type { Queries } from '../database/database.ts'
import { inReach, type Reach } from '../database/reach.ts'
import type { LocationsTable } from '../database/tables.ts'
import type { DateOverride, Location, WeeklyHours } from './catalogue-types.ts'
import { listed, type CatalogueFilter } from './listing-queries.ts'

function selectLocations(db: Queries, reach: Reach) {
  return db.selectFrom('locations as l').selectAll('l').where(inReach('l.business_id', reach))
}

/** A location; undefined when it is out of reach, as if it did not exist. */
export async function findLocation(db: Queries, reach: Reach, id: string): Promise<Location | undefined> {
  const row = await selectLocations(db, reach).where('l.id', '=', id).executeTakeFirst()
  return row && toLocation(row)
}

/** Locations by name, at most `filter.rows` of them. */
export async function findLocations(db: Queries, reach: Reach, filter: CatalogueFilter): Promise<Location[]> {
  const rows = await selectLocations(db, reach)
    .where(listed('l', filter))
    .orderBy('l.name')
    .orderBy('l.id')
    .limit(filter.rows)
    .execute()
  return rows.map(toLocation)
}

/** A location as the catalogue shows it, from its row. */
export function toLocation(row: LocationsTable): Location {
  return {
    id: row.id,
    business_id: row.business_id,
    name: row.name,
    timezone: row.timezone,
    address: row.address,
    ...readSchedule(row),
    active: row.deactivated_at === null,
  }
}

/** The hours that a location or a staff member keeps. Only the catalogue writes these columns. */
export function readSchedule(row: { weekly_hours_json: string | null; date_overrides_json: string }): {
  weekly_hours: WeeklyHours | null
  date_overrides: DateOverride[]
} {
  return {
    weekly_hours: row.weekly_hours_json === null ? null : (JSON.parse(row.weekly_hours_json) as WeeklyHours),
    date_overrides: JSON.parse(row.date_overrides_json) as DateOverride[],
  }
}
