import type { Queries } from '../database/database.ts'
import { inReach, type Reach } from '../database/reach.ts'
import type { StaffTable } from '../database/tables.ts'
import type { StaffMember } from './catalogue-types.ts'
import { idsFrom, listed, splitIds, type CatalogueFilter } from './listing-queries.ts'
import { readSchedule } from './location-queries.ts'

function selectStaff(db: Queries, reach: Reach) {
  return db
    .selectFrom('staff as p')
    .selectAll('p')
    .select(idsFrom('staff_locations', 'p.staff_id', 'location_id').as('location_ids'))
    .where(inReach('p.business_id', reach))
}

/** A staff member; undefined when out of reach, as if there were none. */
export async function findStaffMember(
  db: Queries,
  reach: Reach,
  id: string,
): Promise<StaffMember | undefined> {
  const row = await selectStaff(db, reach).where('p.id', '=', id).executeTakeFirst()
  return row && toStaffMember(row)
}

/** Staff by name, at most `filter.rows` of them. */
export async function findStaff(db: Queries, reach: Reach, filter: CatalogueFilter): Promise<StaffMember[]> {
  const rows = await selectStaff(db, reach)
    .where(listed('p', filter))
    .orderBy('p.name')
    .orderBy('p.id')
    .limit(filter.rows)
    .execute()
  return rows.map(toStaffMember)
}

/** A staff member as the catalogue shows them, from its row. */
export function toStaffMember(row: StaffTable & { location_ids: string | null }): StaffMember {
  return {
    id: row.id,
    business_id: row.business_id,
    name: row.name,
    email: row.email,
    location_ids: splitIds(row.location_ids),
    ...readSchedule(row),
    active: row.deactivated_at === null,
  }
}
