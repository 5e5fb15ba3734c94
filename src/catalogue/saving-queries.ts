import { sql, type Insertable } from 'kysely'
import type { Queries } from '../database/database.ts'
import { inReach, type Reach } from '../database/reach.ts'
import type { Tables } from '../database/tables.ts'
import type { Instant } from '../instants.ts'
import type { Location, Service, StaffMember } from './catalogue-types.ts'

/** The tables of what the catalogue consists of. */
export type ThingTable = 'services' | 'locations' | 'staff'

/** When something of the catalogue is written, and whether it is there already. */
export interface Saving {
  now: Instant
  isNew: boolean
}

interface Saved {
  id: string
  business_id: string
  active: boolean
}

/** Writes a whole location. */
export async function saveLocation(db: Queries, location: Location, saving: Saving): Promise<void> {
  const { name, timezone, address } = location
  await saveRow(db, 'locations', location, {
    ...saving,
    columns: { name, timezone, address, ...schedule(location) },
  })
}

/** Writes a whole staff member. A location that is not of the same business fails by its foreign key. */
export async function saveStaffMember(db: Queries, member: StaffMember, saving: Saving): Promise<void> {
  const { id: staff_id, business_id, name, email } = member
  await saveRow(db, 'staff', member, { ...saving, columns: { name, email, ...schedule(member) } })
  if (!saving.isNew) await db.deleteFrom('staff_locations').where('staff_id', '=', staff_id).execute()
  const places = member.location_ids.map((location_id) => ({ business_id, staff_id, location_id }))
  if (places.length > 0) await db.insertInto('staff_locations').values(places).execute()
}

/** Writes a whole service. A location or staff member that is not of the same business fails by its foreign key. */
export async function saveService(db: Queries, service: Service, saving: Saving): Promise<void> {
  const { id: service_id, business_id, price, deposit, custom_fields, location_ids, staff_ids } = service
  const columns = {
    name: service.name,
    description: service.description,
    duration_minutes: service.duration_minutes,
    buffer_before_minutes: service.buffer_before_minutes,
    buffer_after_minutes: service.buffer_after_minutes,
    slot_interval_minutes: service.slot_interval_minutes,
    min_notice_minutes: service.min_notice_minutes,
    max_advance_days: service.max_advance_days,
    capacity: service.capacity,
    price_amount: price?.amount ?? null,
    price_currency: price?.currency ?? null,
    deposit_amount: deposit?.amount ?? null,
    deposit_currency: deposit?.currency ?? null,
    custom_fields_json: JSON.stringify(custom_fields),
  }
  await saveRow(db, 'services', service, { ...saving, columns })
  if (!saving.isNew) {
    await db.deleteFrom('service_locations').where('service_id', '=', service_id).execute()
    await db.deleteFrom('service_staff').where('service_id', '=', service_id).execute()
  }
  const places = location_ids.map((location_id) => ({ business_id, service_id, location_id }))
  if (places.length > 0) await db.insertInto('service_locations').values(places).execute()
  const people = staff_ids.map((staff_id) => ({ business_id, service_id, staff_id }))
  if (people.length > 0) await db.insertInto('service_staff').values(people).execute()
}

function schedule({ weekly_hours, date_overrides }: Pick<Location, 'weekly_hours' | 'date_overrides'>) {
  return {
    weekly_hours_json: weekly_hours === null ? null : JSON.stringify(weekly_hours),
    date_overrides_json: JSON.stringify(date_overrides),
  }
}

/** The columns beside the common ones are those of the table. */
async function saveRow(
  db: Queries,
  table: ThingTable,
  { id, business_id, active }: Saved,
  { now, isNew, columns }: Saving & { columns: object },
): Promise<void> {
  if (isNew) {
    const row = { ...columns, id, business_id, created_at: now, deactivated_at: active ? null : now }
    await db
      .insertInto(table)
      .values(row as Insertable<Tables[ThingTable]>)
      .execute()
    return
  }
  const deactivated_at = active ? null : sql<Instant>`coalesce(deactivated_at, ${now})`
  await db
    .updateTable(table)
    .set({ ...columns, deactivated_at })
    .where('id', '=', id)
    .where('business_id', '=', business_id)
    .execute()
}

/** Ids of a table, and the business that they are asked for. */
interface IdsOf {
  businessId: string
  ids: string[]
}

/** Which of these ids a business has, inactive ones too. Nothing of the catalogue ever ceases to exist. */
export function findKnownIds(db: Queries, table: ThingTable, wanted: IdsOf): Promise<Set<string>> {
  return findIds(db, table, { ...wanted, whose: '=' })
}

/** Whose these ids are, within the caller's reach. */
export async function findBusinessesOf(
  db: Queries,
  table: ThingTable,
  { reach, ids }: { reach: Reach; ids: string[] },
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom(table)
    .select(['id', 'business_id'])
    .where(inReach('business_id', reach))
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, business_id }) => [id, business_id]))
}

/** Which of these ids another business has: for the operator, who may name any. */
export function findForeignIds(db: Queries, table: ThingTable, wanted: IdsOf): Promise<Set<string>> {
  return findIds(db, table, { ...wanted, whose: '!=' })
}

async function findIds(
  db: Queries,
  table: ThingTable,
  { businessId, ids, whose }: IdsOf & { whose: '=' | '!=' },
): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await db
    .selectFrom(table)
    .select('id')
    .where('business_id', whose, businessId)
    .where('id', 'in', ids)
    .execute()
  return new Set(rows.map(({ id }) => id))
}
