import { type Insertable, type RawBuilder, sql } from 'kysely'
import type { Instant } from '../base/instants.ts'
import type { Queries, Reads } from '../database/database.ts'
import { isPostgres } from '../database/json-rows.ts'
import type {
  LocationsTable,
  PlanName,
  ResourcesTable,
  ServicesTable,
  StaffTable,
  Tables,
} from '../database/tables.ts'
import { inScope, type TenantScope } from '../database/tenant-scope.ts'
import type {
  CustomField,
  DateOverride,
  Fee,
  ItemTable,
  LinkTable,
  Money,
  Need,
  Step,
  Terms,
  Timetable,
  WeeklyHours,
} from './catalogue-types.ts'
import { type Location, locationFields, staffFields, type StaffMember } from './location-and-staff-schemas.ts'
import { type BookableResource, resourceFields } from './resource-schemas.ts'
import { type Service, serviceFields } from './service-schemas.ts'
import { type CatalogueCount, catalogueCharacters, catalogueLimits, linksPerService } from './limit-rules.ts'
import { usualClientFields } from './service-rules.ts'
import { plainOf } from './field-schemas.ts'

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
  const columns = { ...plainOf(locationFields, location), ...scheduleColumns(location) }
  await saveRow(db, 'locations', location, { ...saving, columns })
}

/** Saves a staff member. A location of another business violates the foreign key. */
export async function saveStaffMember(db: Queries, member: StaffMember, saving: Saving): Promise<void> {
  const { id: staff_id, business_id } = member
  const columns = { ...plainOf(staffFields, member), ...scheduleColumns(member) }
  await saveRow(db, 'staff', member, { ...saving, columns })
  if (!saving.isNew) await db.deleteFrom('staff_locations').where('staff_id', '=', staff_id).execute()
  const places = member.location_ids.map((location_id) => ({ business_id, staff_id, location_id }))
  if (places.length > 0) await db.insertInto('staff_locations').values(places).execute()
}

/** Saves a resource. A location of another business violates the foreign key. */
export async function saveResource(db: Queries, resource: BookableResource, saving: Saving): Promise<void> {
  const { location_id } = resource
  const columns = { location_id, ...plainOf(resourceFields, resource), ...scheduleColumns(resource) }
  await saveRow(db, 'resources', resource, { ...saving, columns })
}

/** Saves a service. A location, staff member or resource of another business violates the foreign key. */
export async function saveService(db: Queries, service: Service, saving: Saving): Promise<void> {
  const { id: service_id, business_id, location_ids, staff_ids } = service
  await saveRow(db, 'services', service, { ...saving, columns: serviceColumns(service) })
  if (!saving.isNew) {
    await db.deleteFrom('service_resources').where('service_id', '=', service_id).execute()
    await db.deleteFrom('service_terms').where('service_id', '=', service_id).execute()
    await db.deleteFrom('service_locations').where('service_id', '=', service_id).execute()
    await db.deleteFrom('service_staff').where('service_id', '=', service_id).execute()
  }
  const places = location_ids.map((location_id) => ({ business_id, service_id, location_id }))
  if (places.length > 0) await db.insertInto('service_locations').values(places).execute()
  const people = staff_ids.map((staff_id) => ({ business_id, service_id, staff_id }))
  if (people.length > 0) await db.insertInto('service_staff').values(people).execute()
  await saveLinks(db, service)
}

/** Saves the resources of a service's needs and the staff of its terms. */
async function saveLinks(db: Queries, { id: service_id, business_id, needs, terms }: Service): Promise<void> {
  const needed = [...new Set(needs.flatMap(({ resource_ids }) => resource_ids))]
  if (needed.length > 0) {
    await db
      .insertInto('service_resources')
      .columns(['business_id', 'service_id', 'location_id', 'resource_id'])
      .expression(
        db
          .selectFrom('resources')
          .select(['business_id', sql<string>`${service_id}`.as('service_id'), 'location_id', 'id'])
          .where('business_id', '=', business_id)
          .where('id', 'in', needed),
      )
      .execute()
  }
  const people = terms.map(({ staff_id }) => ({ business_id, service_id, staff_id }))
  if (people.length > 0) await db.insertInto('service_terms').values(people).execute()
}

/** Returns the columns of a service, except its ID and the columns that all items have. */
export function serviceColumns(service: Service) {
  const { price, deposit, payment, fees, client_fields, custom_fields } = service
  const { timetable, steps, needs, terms } = service
  return {
    ...plainOf(serviceFields, service),
    waitlist: service.waitlist ? (1 as const) : (0 as const),
    price_amount: price?.amount ?? null,
    price_currency: price?.currency ?? null,
    deposit_amount: deposit?.amount ?? null,
    deposit_currency: deposit?.currency ?? null,
    payment: payment === 'full' || payment === 'card' ? payment : null,
    fees_json: fees.length > 0 ? JSON.stringify(fees) : null,
    phone_use: client_fields.phone,
    last_name_use: client_fields.last_name,
    custom_fields_json: JSON.stringify(custom_fields),
    timetable_json: timetable && JSON.stringify(timetable),
    steps_json: steps && JSON.stringify(steps),
    needs_json: needs.length > 0 ? JSON.stringify(needs) : null,
    terms_json: terms.length > 0 ? JSON.stringify(terms) : null,
  }
}

export function scheduleColumns({
  weekly_hours,
  date_overrides,
}: Pick<Location, 'weekly_hours' | 'date_overrides'>) {
  return {
    weekly_hours_json: weekly_hours === null ? null : JSON.stringify(weekly_hours),
    date_overrides_json: JSON.stringify(date_overrides),
  }
}

/** Saves a row. Columns beyond the common ones belong to the table. */
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

/**
 * Returns those of the given IDs that a business has, including inactive items. The catalogue never deletes a
 * row.
 */
export function findKnownIds(db: Reads, table: ItemTable, wanted: IdsOf): Promise<Set<string>> {
  return findIds(db, table, { ...wanted, whose: '=' })
}

/** Maps IDs to their businesses, within scope. */
export async function findBusinessesOf(
  db: Reads,
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

/** Returns the names of active items in scope, by ID. */
export async function findNames(
  db: Reads,
  table: ItemTable,
  { scope, ids }: { scope: TenantScope; ids: string[] },
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom(table)
    .select(['id', 'name'])
    .where(inScope('business_id', scope))
    .where('id', 'in', ids)
    .where('deactivated_at', 'is', null)
    .execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Returns those of the given IDs that belong to another business. Ignores the scope; for operators only. */
export function findForeignIds(db: Reads, table: ItemTable, wanted: IdsOf): Promise<Set<string>> {
  return findIds(db, table, { ...wanted, whose: '!=' })
}

async function findIds(
  db: Reads,
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

const limitColumns = {
  services: 'max_services',
  locations: 'max_locations',
  staff: 'max_staff',
  resources: 'max_resources',
} as const

/**
 * Counts the items of one kind in a business, and returns the limit. Exact if the transaction has locked the
 * catalogue with `raiseCatalogueVersion`, because nobody else can then add items.
 */
export async function countItems(
  db: Reads,
  table: ItemTable,
  businessId: string,
): Promise<CatalogueCount | undefined> {
  const { rows } = await sql<CatalogueCount>`
    select cast(count(x.id) filter (where x.deactivated_at is null) as integer) as active,
           cast(count(x.id) as integer) as total,
           coalesce(b.${sql.ref(limitColumns[table])}, ${byPlan((plan) => catalogueLimits[plan][table])}) as max
      from businesses as b
      left join hubs as h on h.id = b.hub_id
      left join ${sql.table(table)} as x on x.business_id = b.id
     where b.id = ${businessId}
     group by b.id, b.plan, h.plan`.execute(db)
  return rows[0]
}

/**
 * Counts the links of a business's services to locations or staff, and returns the limit. Links with a deactivated end
 * are inactive. The limit grows with the number of services that the operator allows. Exact under the same condition as
 * `countItems`.
 */
export async function countLinks(
  db: Reads,
  table: LinkTable,
  businessId: string,
): Promise<CatalogueCount | undefined> {
  const [linked, column] =
    table === 'service_staff' ? ['staff', 'j.staff_id'] : ['locations', 'j.location_id']
  const ofPlan = byPlan((plan) => catalogueLimits[plan].services)
  const isActive = sql`s.deactivated_at is null and x.deactivated_at is null`
  const { rows } = await sql<CatalogueCount>`
    select cast(count(j.service_id) filter (where ${isActive}) as integer) as active,
           cast(count(j.service_id) as integer) as total,
           ${sql.lit(linksPerService[table])} *
             case when b.max_services > ${ofPlan} then b.max_services else ${ofPlan} end as max
      from businesses as b
      left join hubs as h on h.id = b.hub_id
      left join services as s on s.business_id = b.id
      left join ${sql.table(table)} as j on j.service_id = s.id
      left join ${sql.table(linked)} as x on x.id = ${sql.ref(column)}
     where b.id = ${businessId}
     group by b.id, b.plan, h.plan`.execute(db)
  return rows[0]
}

/** Returns a number for the plan in effect: the higher plan of a business `b` and its hub `h`. */
function byPlan(numberOf: (plan: PlanName) => number): RawBuilder<number> {
  const ofPlan = (plan: PlanName) => sql.lit(numberOf(plan))
  const hasPlan = (plan: PlanName) => sql`${sql.lit(plan)} in (b.plan, coalesce(h.plan, b.plan))`
  return sql`case when ${hasPlan('enterprise')} then ${ofPlan('enterprise')}
                  when ${hasPlan('pro')} then ${ofPlan('pro')}
                  else ${ofPlan('growth')} end`
}

/** Columns whose length is unlimited and would not bound the size of a catalogue. */
const longColumns: Record<ItemTable, string[]> = {
  services: [
    ...['description', 'image_url', 'custom_fields_json', 'timetable_json'],
    ...['steps_json', 'needs_json', 'terms_json'],
  ],
  locations: ['address', 'online_url', 'weekly_hours_json', 'date_overrides_json'],
  staff: ['description', 'image_url', 'weekly_hours_json', 'date_overrides_json'],
  resources: ['weekly_hours_json', 'date_overrides_json'],
}

/**
 * Measures the characters in the long columns of a business's items, and returns the limit. Exact under the
 * same condition as `countItems`.
 */
export async function measureCatalogue(
  db: Reads,
  businessId: string,
): Promise<{ characters: number; max: number } | undefined> {
  const lengthOf = (name: string) => sql`coalesce(length(cast(x.${sql.ref(name)} as text)), 0)`
  const charactersOf = (table: ItemTable) => sql`
    (select coalesce(sum(${sql.join(longColumns[table].map(lengthOf), sql` + `)}), 0)
       from ${sql.table(table)} as x where x.business_id = b.id and x.deactivated_at is null)`
  const { rows } = await sql<{ characters: number; max: number }>`
    select cast(${sql.join((['services', 'locations', 'staff', 'resources'] as const).map(charactersOf), sql` + `)} as integer) as characters,
           ${byPlan((plan) => catalogueCharacters[plan])} as max
      from businesses as b
      left join hubs as h on h.id = b.hub_id
     where b.id = ${businessId}`.execute(db)
  return rows[0]
}

export type SluggedTable = 'services' | 'staff'

/** Finds the item of a business with this slug. */
export function findBySlug(
  db: Reads,
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

/** Clears slugs, so that the items saved next can exchange theirs. */
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
  | 'resources'
  | 'blocks'
  | 'staff_locations'
  | 'service_locations'
  | 'service_staff'
  | 'service_resources'
  | 'service_terms'

/** Inserts rows. Existing ones stay unchanged. */
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

/** Prevents other transactions from adding a business until this one ends. On SQLite none could. */
export async function lockBusinesses(db: Queries): Promise<void> {
  if (isPostgres(db)) await sql`lock table businesses in share row exclusive mode`.execute(db)
}

export async function hasBusinesses(db: Reads): Promise<boolean> {
  return (await db.selectFrom('businesses').select('id').limit(1).executeTakeFirst()) !== undefined
}

/**
 * Invalidates every server's cached offerings of a business. Call it in each transaction that changes hours,
 * services, staff or locations. Blocks are never cached.
 */
export async function raiseCatalogueVersion(db: Queries, businessId: string): Promise<void> {
  await db
    .updateTable('businesses')
    .set(({ eb }) => ({ catalogue_version: eb('catalogue_version', '+', 1) }))
    .where('id', '=', businessId)
    .execute()
}

/**
 * Moves all locations of a business from one time zone to another, including inactive ones. Returns their
 * IDs.
 */
export async function moveLocations(
  db: Queries,
  { businessId, from, to }: { businessId: string; from: string; to: string },
): Promise<string[]> {
  const rows = await db
    .updateTable('locations')
    .set({ timezone: to })
    .where('business_id', '=', businessId)
    .where('timezone', '=', from)
    .returning('id')
    .execute()
  return rows.map(({ id }) => id).toSorted()
}

/** A row's position in a list: its position or the default, its name and its ID. */
export type ListPlace = readonly [position: number, name: string, id: string]

/** Default for items without a position, which follow all others. Locations and resources never have one. */
const lastPosition = 10_000

export function placeOf(row: { id: string; name: string; position?: number | null }): ListPlace {
  return [row.position ?? lastPosition, row.name, row.id]
}

export interface CatalogueFilter {
  businessId: string | undefined
  activeOnly: boolean
  /** The last row of the previous page. */
  after: ListPlace | undefined
  /** One more than the page shows, to find out if there is a next page. */
  rows: number
}

type ListedAlias = 's' | 'l' | 'p' | 'r'

/** Returns the order of lists: by position, then name, then ID. */
export function listOrder(alias: ListedAlias): RawBuilder<unknown>[] {
  const byName = [sql.ref(`${alias}.name`), sql.ref(`${alias}.id`)]
  if (alias === 'l' || alias === 'r') return byName
  return [sql`coalesce(${sql.ref(`${alias}.position`)}, ${sql.lit(lastPosition)})`, ...byName]
}

/** Returns the conditions on the table with this alias. */
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

const aliases = {
  services: 's',
  locations: 'l',
  staff: 'p',
  resources: 'r',
} as const satisfies Record<ItemTable, ListedAlias>

/**
 * Lists the IDs of a business's active items in list order, or of its latest inactive ones. Sorting whole
 * rows would take long.
 */
export async function findIdsInOrder(
  db: Reads,
  table: ItemTable,
  { businessId, active, max }: { businessId: string; active: boolean; max: number },
): Promise<string[]> {
  const alias = aliases[table]
  const id = sql.ref(`${alias}.id`)
  const isActive = sql`${sql.ref(`${alias}.deactivated_at`)} is ${active ? sql`null` : sql`not null`}`
  const { rows } = await sql<{ id: string }>`
    select ${id} as id from ${sql.table(table)} as ${sql.ref(alias)}
     where ${sql.ref(`${alias}.business_id`)} = ${businessId} and ${isActive}
     order by ${active ? sql.join(listOrder(alias)) : sql`${id} desc`} limit ${max}`.execute(db)
  return rows.map((row) => row.id)
}

/** Returns the comma-separated IDs of a join table for each row; null if there are none. */
export function idsFrom(table: string, own: string, other: string): RawBuilder<string | null> {
  const [ownAlias = '', ownColumn = ''] = own.split('.')
  return sql<string | null>`(
    select string_agg(cast(${sql.ref(`j.${other}`)} as text), ',' order by ${sql.ref(`j.${other}`)})
      from ${sql.table(table)} as j where ${sql.ref(`j.${ownColumn}`)} = ${sql.ref(`${ownAlias}.id`)})`
}

function splitIds(ids: string | null): string[] {
  return ids === null ? [] : ids.split(',')
}

function selectServices(db: Reads, scope: TenantScope) {
  return db
    .selectFrom('services as s')
    .selectAll('s')
    .select([
      idsFrom('service_locations', 's.service_id', 'location_id').as('location_ids'),
      idsFrom('service_staff', 's.service_id', 'staff_id').as('staff_ids'),
    ])
    .where(inScope('s.business_id', scope))
}

/** Finds a service; undefined if it is out of scope, as if it did not exist. */
export async function findService(db: Reads, scope: TenantScope, id: string): Promise<Service | undefined> {
  const row = await selectServices(db, scope).where('s.id', '=', id).executeTakeFirst()
  return row && toService(row)
}

export async function findServices(
  db: Reads,
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

/** Finds services in any order. */
export async function findServicesById(db: Reads, scope: TenantScope, ids: string[]): Promise<Service[]> {
  return (await selectServices(db, scope).where('s.id', 'in', ids).execute()).map(toService)
}

function money(amount: number | null, currency: string | null): Money | null {
  return amount === null || currency === null ? null : { amount, currency }
}

/** Parses JSON that only the catalogue writes. Sorts members, because databases order them differently. */
function readTimetable(json: string): Timetable {
  return (JSON.parse(json) as Timetable).map(({ weekday, starts }) => ({ weekday, starts }))
}

function readSteps(steps: Step[]): Step[] {
  return steps.map(({ minutes, staffed }) => ({ minutes, staffed }))
}

function readNeeds(json: string): Need[] {
  return (JSON.parse(json) as Need[]).map(({ resource_ids, quantity, during }) => ({
    ...{ resource_ids, quantity, during },
  }))
}

function readFees(json: string): Fee[] {
  return (JSON.parse(json) as Fee[]).map(({ within_minutes, percent }) => ({ within_minutes, percent }))
}

function readTerms(json: string): Terms[] {
  return (JSON.parse(json) as Terms[]).map(({ staff_id, price, steps, duration_minutes }) => ({
    staff_id,
    ...(price && { price: { amount: price.amount, currency: price.currency } }),
    ...(steps && { steps: readSteps(steps) }),
    ...(duration_minutes !== undefined && { duration_minutes }),
  }))
}

export function toService(
  row: ServicesTable & { location_ids: string | null; staff_ids: string | null },
): Service {
  return {
    id: row.id,
    business_id: row.business_id,
    ...plainOf(serviceFields, { ...row, waitlist: row.waitlist === 1 }),
    steps: row.steps_json === null ? null : readSteps(JSON.parse(row.steps_json) as Step[]),
    timetable: row.timetable_json === null ? null : readTimetable(row.timetable_json),
    price: money(row.price_amount, row.price_currency),
    deposit: money(row.deposit_amount, row.deposit_currency),
    payment: row.payment ?? (row.deposit_amount === null ? 'none' : 'deposit'),
    fees: row.fees_json === null ? [] : readFees(row.fees_json),
    location_ids: splitIds(row.location_ids),
    staff_ids: splitIds(row.staff_ids),
    needs: row.needs_json === null ? [] : readNeeds(row.needs_json),
    terms: row.terms_json === null ? [] : readTerms(row.terms_json),
    client_fields: {
      phone: row.phone_use ?? usualClientFields.phone,
      last_name: row.last_name_use ?? usualClientFields.last_name,
    },
    custom_fields: JSON.parse(row.custom_fields_json) as CustomField[], // only the catalogue writes it
    active: row.deactivated_at === null,
  }
}

function selectLocations(db: Reads, scope: TenantScope) {
  return db.selectFrom('locations as l').selectAll('l').where(inScope('l.business_id', scope))
}

/** Finds a location; undefined if it is out of scope, as if it did not exist. */
export async function findLocation(db: Reads, scope: TenantScope, id: string): Promise<Location | undefined> {
  const row = await selectLocations(db, scope).where('l.id', '=', id).executeTakeFirst()
  return row && toLocation(row)
}

export async function findLocations(
  db: Reads,
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

/** Finds locations in any order. */
export async function findLocationsById(db: Reads, scope: TenantScope, ids: string[]): Promise<Location[]> {
  return (await selectLocations(db, scope).where('l.id', 'in', ids).execute()).map(toLocation)
}

export function toLocation(row: LocationsTable): Location {
  return {
    id: row.id,
    business_id: row.business_id,
    ...plainOf(locationFields, row),
    ...readSchedule(row),
    active: row.deactivated_at === null,
  }
}

/** Parses columns that only the catalogue writes. */
function readSchedule(row: { weekly_hours_json: string | null; date_overrides_json: string }): {
  weekly_hours: WeeklyHours | null
  date_overrides: DateOverride[]
} {
  return {
    weekly_hours: row.weekly_hours_json === null ? null : (JSON.parse(row.weekly_hours_json) as WeeklyHours),
    date_overrides: JSON.parse(row.date_overrides_json) as DateOverride[],
  }
}

function selectResources(db: Reads, scope: TenantScope) {
  return db.selectFrom('resources as r').selectAll('r').where(inScope('r.business_id', scope))
}

/** Finds a resource; undefined if it is out of scope, as if it did not exist. */
export async function findResource(
  db: Reads,
  scope: TenantScope,
  id: string,
): Promise<BookableResource | undefined> {
  const row = await selectResources(db, scope).where('r.id', '=', id).executeTakeFirst()
  return row && toResource(row)
}

export async function findResources(
  db: Reads,
  scope: TenantScope,
  filter: CatalogueFilter,
): Promise<BookableResource[]> {
  const rows = await selectResources(db, scope)
    .where(listed('r', filter))
    .orderBy(sql.join(listOrder('r')))
    .limit(filter.rows)
    .execute()
  return rows.map(toResource)
}

/** Finds resources in any order. */
export async function findResourcesById(
  db: Reads,
  scope: TenantScope,
  ids: string[],
): Promise<BookableResource[]> {
  return (await selectResources(db, scope).where('r.id', 'in', ids).execute()).map(toResource)
}

export function toResource(row: ResourcesTable): BookableResource {
  return {
    id: row.id,
    business_id: row.business_id,
    location_id: row.location_id,
    ...plainOf(resourceFields, row),
    ...readSchedule(row),
    active: row.deactivated_at === null,
  }
}

function selectStaff(db: Reads, scope: TenantScope) {
  return db
    .selectFrom('staff as p')
    .selectAll('p')
    .select(idsFrom('staff_locations', 'p.staff_id', 'location_id').as('location_ids'))
    .where(inScope('p.business_id', scope))
}

/** Finds a staff member; undefined if they are out of scope, as if they did not exist. */
export async function findStaffMember(
  db: Reads,
  scope: TenantScope,
  id: string,
): Promise<StaffMember | undefined> {
  const row = await selectStaff(db, scope).where('p.id', '=', id).executeTakeFirst()
  return row && toStaffMember(row)
}

export async function findStaff(
  db: Reads,
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

/** Finds staff members in any order. */
export async function findStaffById(db: Reads, scope: TenantScope, ids: string[]): Promise<StaffMember[]> {
  return (await selectStaff(db, scope).where('p.id', 'in', ids).execute()).map(toStaffMember)
}

export function toStaffMember(row: StaffTable & { location_ids: string | null }): StaffMember {
  return {
    id: row.id,
    business_id: row.business_id,
    ...plainOf(staffFields, row),
    location_ids: splitIds(row.location_ids),
    ...readSchedule(row),
    active: row.deactivated_at === null,
  }
}
