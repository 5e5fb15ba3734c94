import type { Queries } from '../database/database.ts'
import { inReach, type Reach } from '../database/reach.ts'
import type { ServicesTable } from '../database/tables.ts'
import type { CustomField, Money, Service } from './catalogue-types.ts'
import { idsFrom, listed, splitIds, type CatalogueFilter } from './listing-queries.ts'

function selectServices(db: Queries, reach: Reach) {
  return db
    .selectFrom('services as s')
    .selectAll('s')
    .select([
      idsFrom('service_locations', 's.service_id', 'location_id').as('location_ids'),
      idsFrom('service_staff', 's.service_id', 'staff_id').as('staff_ids'),
    ])
    .where(inReach('s.business_id', reach))
}

/** A service; undefined when it is out of reach, as if it did not exist. */
export async function findService(db: Queries, reach: Reach, id: string): Promise<Service | undefined> {
  const row = await selectServices(db, reach).where('s.id', '=', id).executeTakeFirst()
  return row && toService(row)
}

/** Services by name, at most `filter.rows` of them. */
export async function findServices(db: Queries, reach: Reach, filter: CatalogueFilter): Promise<Service[]> {
  const rows = await selectServices(db, reach)
    .where(listed('s', filter))
    .orderBy('s.name')
    .orderBy('s.id')
    .limit(filter.rows)
    .execute()
  return rows.map(toService)
}

function money(amount: number | null, currency: string | null): Money | null {
  return amount === null || currency === null ? null : { amount, currency }
}

/** A service as the catalogue shows it, from its row. */
export function toService(
  row: ServicesTable & { location_ids: string | null; staff_ids: string | null },
): Service {
  return {
    id: row.id,
    business_id: row.business_id,
    name: row.name,
    description: row.description,
    duration_minutes: row.duration_minutes,
    buffer_before_minutes: row.buffer_before_minutes,
    buffer_after_minutes: row.buffer_after_minutes,
    slot_interval_minutes: row.slot_interval_minutes,
    min_notice_minutes: row.min_notice_minutes,
    max_advance_days: row.max_advance_days,
    capacity: row.capacity,
    price: money(row.price_amount, row.price_currency),
    deposit: money(row.deposit_amount, row.deposit_currency),
    location_ids: splitIds(row.location_ids),
    staff_ids: splitIds(row.staff_ids),
    custom_fields: JSON.parse(row.custom_fields_json) as CustomField[], // only the catalogue writes it
    active: row.deactivated_at === null,
  }
}
