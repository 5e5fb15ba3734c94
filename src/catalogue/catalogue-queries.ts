import { type Insertable, type RawBuilder, sql } from 'kysely'
import type { Instant } from '../base/instants.ts'
import type { Queries } from '../database/database.ts'
import { isPostgres } from '../database/json-rows.ts'
import type { LocationsTable, ServicesTable, StaffTable, Tables } from '../database/tables.ts'
import { inScope, type TenantScope } from '../database/tenant-scope.ts'
import type {
  CustomField,
  DateOverride,
  Location,
  Money,
  Service,
  StaffMember,
  Timetable,
  WeeklyHours,
} from './catalogue-types.ts'

export type ItemTable = 'services' | 'locations' | 'staff'

export interface Saving {
  now: Instant
  isNew: boolean
}

interface Saved {
  id: string
  business_id: string
  active: boolean
}

export async function saveLocation(db: Queries, location: Location, saving: Saving): Promise<void> {
  const { name, timezone, address, online_url } = location
  await saveRow(db, 'locations', location, {
    ...saving,
    columns: { name, timezone, address, online_url, ...schedule(location) },
  })
}

/** A location of another business fails the foreign key. */
export async function saveStaffMember(db: Queries, member: StaffMember, saving: Saving): Promise<void> {
  const { id: staff_id, business_id, name, email, slug, position, description, image_url } = member
  const columns = { name, email, slug, position, description, image_url, ...schedule(member) }
  await saveRow(db, 'staff', member, { ...saving, columns })
  if (!saving.isNew) await db.deleteFrom('staff_locations').where('staff_id', '=', staff_id).execute()
  const places = member.location_ids.map((location_id) => ({ business_id, staff_id, location_id }))
  if (places.length > 0) await db.insertInto('staff_locations').values(places).execute()
}

/** A location or staff member of another business fails the foreign key. */
export async function saveService(db: Queries, service: Service, saving: Saving): Promise<void> {
  const { id: service_id, business_id, price, deposit, location_ids, staff_ids } = service
  const { custom_fields, timetable } = service
  const columns = {
    name: service.name,
    slug: service.slug,
    position: service.position,
    category: service.category,
    description: service.description,
    image_url: service.image_url,
    duration_minutes: service.duration_minutes,
    buffer_before_minutes: service.buffer_before_minutes,
    buffer_after_minutes: service.buffer_after_minutes,
    slot_interval_minutes: service.slot_interval_minutes,
    min_notice_minutes: service.min_notice_minutes,
    max_advance_days: service.max_advance_days,
    cancel_until_minutes: service.cancel_until_minutes,
    reschedule_until_minutes: service.reschedule_until_minutes,
    max_reschedules: service.max_reschedules,
    capacity: service.capacity,
    price_amount: price?.amount ?? null,
    price_currency: price?.currency ?? null,
    deposit_amount: deposit?.amount ?? null,
    deposit_currency: deposit?.currency ?? null,
    custom_fields_json: JSON.stringify(custom_fields),
    timetable_json: timetable && JSON.stringify(timetable),
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
  table: ItemTable,
  { id, business_id, active }: Saved,
  { now, isNew, columns }: Saving & { columns: object },
): Promise<void> {
  if (isNew) {
    const row = { ...columns, id, business_id, created_at: now, deactivated_at: active ? null : now }
    await db
      .insertInto(table)
      .values(row as Insertable<Tables[ItemTable]>)
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

interface IdsOf {
  businessId: string
  ids: string[]
}

/** Returns those ids that a business has, inactive ones too: the catalogue never deletes a row. */
export function findKnownIds(db: Queries, table: ItemTable, wanted: IdsOf): Promise<Set<string>> {
  return findIds(db, table, { ...wanted, whose: '=' })
}

/** Maps ids to their businesses, within scope. */
export async function findBusinessesOf(
  db: Queries,
  table: ItemTable,
  { scope, ids }: { scope: TenantScope; ids: string[] },
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom(table)
    .select(['id', 'business_id'])
    .where(inScope('business_id', scope))
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, business_id }) => [id, business_id]))
}

/** Returns those ids that another business has. Ignores scope: for the operator. */
export function findForeignIds(db: Queries, table: ItemTable, wanted: IdsOf): Promise<Set<string>> {
  return findIds(db, table, { ...wanted, whose: '!=' })
}

async function findIds(
  db: Queries,
  table: ItemTable,
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

export type SluggedTable = 'services' | 'staff'

/** The one of a business that has a slug. */
export function findBySlug(
  db: Queries,
  table: SluggedTable,
  { businessId, slug }: { businessId: string; slug: string },
): Promise<{ id: string; name: string } | undefined> {
  return db
    .selectFrom(table)
    .select(['id', 'name'])
    .where('business_id', '=', businessId)
    .where('slug', '=', slug)
    .executeTakeFirst()
}

/** So that those saved next can exchange theirs. */
export async function clearSlugs(
  db: Queries,
  table: SluggedTable,
  { businessId, ids }: { businessId: string; ids: string[] },
): Promise<void> {
  if (ids.length === 0) return
  await db
    .updateTable(table)
    .set({ slug: null })
    .where('business_id', '=', businessId)
    .where('id', 'in', ids)
    .execute()
}

/** Ordered by foreign keys: rows refer to earlier tables. */
type CatalogueTable =
  | 'hubs'
  | 'businesses'
  | 'locations'
  | 'staff'
  | 'services'
  | 'blocks'
  | 'staff_locations'
  | 'service_locations'
  | 'service_staff'

/** Inserts rows; existing ones stay as they are. */
export async function insertMissing<Table extends CatalogueTable>(
  db: Queries,
  table: Table,
  rows: Insertable<Tables[Table]>[],
): Promise<void> {
  if (rows.length === 0) return
  await db
    .insertInto(table)
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Lets no other transaction add a business until this one ends; on SQLite none could. */
export async function lockBusinesses(db: Queries): Promise<void> {
  if (isPostgres(db)) await sql`lock table businesses in share row exclusive mode`.execute(db)
}

export async function hasBusinesses(db: Queries): Promise<boolean> {
  return (await db.selectFrom('businesses').select('id').limit(1).executeTakeFirst()) !== undefined
}

/**
 * Invalidates every server's cached offerings of a business: call it in each transaction that changes hours, services,
 * staff or locations. Blocks are never cached.
 */
export async function raiseCatalogueVersion(db: Queries, businessId: string): Promise<void> {
  await db
    .updateTable('businesses')
    .set(({ eb }) => ({ catalogue_version: eb('catalogue_version', '+', 1) }))
    .where('id', '=', businessId)
    .execute()
}

/** Where a row stands in a list: its position or what stands for none, its name and id. */
export type ListPlace = readonly [position: number, name: string, id: string]

/** Stands for no position: after all that have one. Locations have none. */
const lastPosition = 10_000

export function placeOf(row: { id: string; name: string; position?: number | null }): ListPlace {
  return [row.position ?? lastPosition, row.name, row.id]
}

export interface CatalogueFilter {
  businessId: string | undefined
  activeOnly: boolean
  /** The previous page's last row. */
  after: ListPlace | undefined
  /** One more than the page shows, to know whether another follows. */
  rows: number
}

type ListedAlias = 's' | 'l' | 'p'

/** Lists are sorted by position, then name, then id. */
function listOrder(alias: ListedAlias): RawBuilder<unknown>[] {
  const byName = [sql.ref(`${alias}.name`), sql.ref(`${alias}.id`)]
  if (alias === 'l') return byName
  return [sql`coalesce(${sql.ref(`${alias}.position`)}, ${sql.lit(lastPosition)})`, ...byName]
}

/** Conditions on the table with this alias. */
export function listed(alias: ListedAlias, filter: CatalogueFilter): RawBuilder<boolean> {
  const column = (name: string) => sql.ref(`${alias}.${name}`)
  const conditions = [sql`1 = 1`]
  if (filter.businessId) conditions.push(sql`${column('business_id')} = ${filter.businessId}`)
  if (filter.activeOnly) conditions.push(sql`${column('deactivated_at')} is null`)
  if (filter.after) {
    const order = listOrder(alias)
    const after = filter.after.slice(-order.length).map((value) => sql`${value}`)
    conditions.push(sql`(${sql.join(order)}) > (${sql.join(after)})`)
  }
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`
}

/** A join table's ids for each row, comma-separated; null for none. */
export function idsFrom(table: string, own: string, other: string): RawBuilder<string | null> {
  const [ownAlias = '', ownColumn = ''] = own.split('.')
  return sql<string | null>`(
    select string_agg(cast(${sql.ref(`j.${other}`)} as text), ',' order by ${sql.ref(`j.${other}`)})
      from ${sql.table(table)} as j where ${sql.ref(`j.${ownColumn}`)} = ${sql.ref(`${ownAlias}.id`)})`
}

function splitIds(ids: string | null): string[] {
  return ids === null ? [] : ids.split(',')
}

function selectServices(db: Queries, scope: TenantScope) {
  return db
    .selectFrom('services as s')
    .selectAll('s')
    .select([
      idsFrom('service_locations', 's.service_id', 'location_id').as('location_ids'),
      idsFrom('service_staff', 's.service_id', 'staff_id').as('staff_ids'),
    ])
    .where(inScope('s.business_id', scope))
}

/** Undefined when out of scope, as if it did not exist. */
export async function findService(db: Queries, scope: TenantScope, id: string): Promise<Service | undefined> {
  const row = await selectServices(db, scope).where('s.id', '=', id).executeTakeFirst()
  return row && toService(row)
}

export async function findServices(
  db: Queries,
  scope: TenantScope,
  filter: CatalogueFilter,
): Promise<Service[]> {
  const rows = await selectServices(db, scope)
    .where(listed('s', filter))
    .orderBy(sql.join(listOrder('s')))
    .limit(filter.rows)
    .execute()
  return rows.map(toService)
}

function money(amount: number | null, currency: string | null): Money | null {
  return amount === null || currency === null ? null : { amount, currency }
}

/** Only the catalogue writes it. Databases order members differently. */
function readTimetable(json: string): Timetable {
  return (JSON.parse(json) as Timetable).map(({ weekday, starts }) => ({ weekday, starts }))
}

export function toService(
  row: ServicesTable & { location_ids: string | null; staff_ids: string | null },
): Service {
  return {
    id: row.id,
    business_id: row.business_id,
    name: row.name,
    slug: row.slug,
    position: row.position,
    category: row.category,
    description: row.description,
    image_url: row.image_url,
    duration_minutes: row.duration_minutes,
    buffer_before_minutes: row.buffer_before_minutes,
    buffer_after_minutes: row.buffer_after_minutes,
    slot_interval_minutes: row.slot_interval_minutes,
    timetable: row.timetable_json === null ? null : readTimetable(row.timetable_json),
    min_notice_minutes: row.min_notice_minutes,
    max_advance_days: row.max_advance_days,
    cancel_until_minutes: row.cancel_until_minutes,
    reschedule_until_minutes: row.reschedule_until_minutes,
    max_reschedules: row.max_reschedules,
    capacity: row.capacity,
    price: money(row.price_amount, row.price_currency),
    deposit: money(row.deposit_amount, row.deposit_currency),
    location_ids: splitIds(row.location_ids),
    staff_ids: splitIds(row.staff_ids),
    custom_fields: JSON.parse(row.custom_fields_json) as CustomField[], // only the catalogue writes it
    active: row.deactivated_at === null,
  }
}

function selectLocations(db: Queries, scope: TenantScope) {
  return db.selectFrom('locations as l').selectAll('l').where(inScope('l.business_id', scope))
}

/** Undefined when out of scope, as if it did not exist. */
export async function findLocation(
  db: Queries,
  scope: TenantScope,
  id: string,
): Promise<Location | undefined> {
  const row = await selectLocations(db, scope).where('l.id', '=', id).executeTakeFirst()
  return row && toLocation(row)
}

export async function findLocations(
  db: Queries,
  scope: TenantScope,
  filter: CatalogueFilter,
): Promise<Location[]> {
  const rows = await selectLocations(db, scope)
    .where(listed('l', filter))
    .orderBy(sql.join(listOrder('l')))
    .limit(filter.rows)
    .execute()
  return rows.map(toLocation)
}

export function toLocation(row: LocationsTable): Location {
  return {
    id: row.id,
    business_id: row.business_id,
    name: row.name,
    timezone: row.timezone,
    address: row.address,
    online_url: row.online_url,
    ...readSchedule(row),
    active: row.deactivated_at === null,
  }
}

/** Only the catalogue writes these columns. */
function readSchedule(row: { weekly_hours_json: string | null; date_overrides_json: string }): {
  weekly_hours: WeeklyHours | null
  date_overrides: DateOverride[]
} {
  return {
    weekly_hours: row.weekly_hours_json === null ? null : (JSON.parse(row.weekly_hours_json) as WeeklyHours),
    date_overrides: JSON.parse(row.date_overrides_json) as DateOverride[],
  }
}

function selectStaff(db: Queries, scope: TenantScope) {
  return db
    .selectFrom('staff as p')
    .selectAll('p')
    .select(idsFrom('staff_locations', 'p.staff_id', 'location_id').as('location_ids'))
    .where(inScope('p.business_id', scope))
}

/** Undefined when out of scope, as if they did not exist. */
export async function findStaffMember(
  db: Queries,
  scope: TenantScope,
  id: string,
): Promise<StaffMember | undefined> {
  const row = await selectStaff(db, scope).where('p.id', '=', id).executeTakeFirst()
  return row && toStaffMember(row)
}

export async function findStaff(
  db: Queries,
  scope: TenantScope,
  filter: CatalogueFilter,
): Promise<StaffMember[]> {
  const rows = await selectStaff(db, scope)
    .where(listed('p', filter))
    .orderBy(sql.join(listOrder('p')))
    .limit(filter.rows)
    .execute()
  return rows.map(toStaffMember)
}

export function toStaffMember(row: StaffTable & { location_ids: string | null }): StaffMember {
  return {
    id: row.id,
    business_id: row.business_id,
    name: row.name,
    slug: row.slug,
    position: row.position,
    description: row.description,
    image_url: row.image_url,
    email: row.email,
    location_ids: splitIds(row.location_ids),
    ...readSchedule(row),
    active: row.deactivated_at === null,
  }
}
