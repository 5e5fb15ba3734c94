import type { Static } from 'typebox'
import { type Actor, isSession, isStaff } from '../access/actor.ts'
import { recordAudit } from '../access/audit.ts'
import { isLine } from '../base/contact-formats.ts'
import { type FieldError, invalidCursor, Problem, validationProblem } from '../base/errors.ts'
import { isUuid } from '../base/ids.ts'
import type { Queries, Transaction } from '../database/database.ts'
import { type StoreResponse, storeNothing } from '../database/idempotency.ts'
import type { TenantScope } from '../database/tenant-scope.ts'
import { decodeCursor, pageOf, readLimit } from '../base/wire.ts'
import type { Context } from '../access/context.ts'
import { type BusinessRow, findBusinessInScope } from './business-queries.ts'
import { businessInScope } from './business.ts'
import {
  type CatalogueFilter,
  findBusinessesOf,
  findBySlug,
  findKnownIds,
  findLocation,
  findLocations,
  findService,
  findServices,
  findStaff,
  findStaffMember,
  type ListPlace,
  placeOf,
  raiseCatalogueVersion,
  saveLocation,
  saveService,
  saveStaffMember,
  type Saving,
  type ItemTable,
  type SluggedTable,
} from './catalogue-queries.ts'
import type { CatalogueQuery } from './catalogue-schemas.ts'
import type { Location, Service, StaffMember } from './catalogue-types.ts'
import type {
  LocationChange,
  LocationCreation,
  StaffChange,
  StaffCreation,
} from './location-and-staff-schemas.ts'
import {
  defaultSlotInterval,
  depositErrors,
  fieldIdErrors,
  usualAdvanceDays,
  usualChangeMinutes,
  usualReschedules,
  withFieldIds,
} from './service-rules.ts'
import type { ServiceChange, ServiceCreation } from './service-schemas.ts'
import { slugTaken } from './slug-rules.ts'

/** Ids in one member that must belong to the same business. */
interface References {
  member: string
  table: ItemTable
  ids: string[]
}

interface WithReferences {
  location_ids?: string[]
  staff_ids?: string[]
}

/** How one kind of catalogue item is created, changed and written. */
export interface WritableKind<Row, Creation, Change> extends Pick<
  CatalogueKind<Row, unknown>,
  'noun' | 'findOne'
> {
  /** Fills a creation with defaults. */
  complete: (input: Creation, business: BusinessRow, nextId: () => string) => Row
  merge: (row: Row, change: Change, nextId: () => string) => Row
  /** Errors of a valid change that depend on the present row. */
  changeErrors: (row: Row, change: Change) => FieldError[]
  references: (row: WithReferences) => References[]
  /** Where slugs of this kind are; absent for one without. */
  slugsIn?: SluggedTable
  save: (db: Queries, row: Row, saving: Saving) => Promise<void>
}

export interface CatalogueItem {
  id: string
  business_id: string
  slug?: string | null
  active: boolean
}

export interface CreationInput extends WithReferences {
  business_id?: string
}

/** Adds a service, location or staff member. Throws validation_failed, also for ids of another business. */
export function createInCatalogue<
  Row extends CatalogueItem & WithReferences,
  Creation extends CreationInput,
  Change,
>(
  context: Context,
  actor: Actor,
  { kind, input }: { kind: WritableKind<Row, Creation, Change>; input: Creation },
  store: StoreResponse<Row> = storeNothing,
): Promise<Row> {
  return context.db.transaction(async (tx) => {
    const business = await businessOfItem(tx.db, actor.scope, {
      given: input.business_id,
      references: kind.references(input),
    })
    const row = kind.complete(input, business, () => context.ids.next())
    await raiseCatalogueVersion(tx.db, business.id)
    const saved = await saveChecked(tx, { kind, row, isNew: true })
    await record(context, tx, { by: actor, kind, row, done: 'created' })
    await store(tx, saved)
    return saved
  })
}

/**
 * Changes a service, location or staff member; holds and bookings stay as they are. An empty change does nothing. Throws
 * validation_failed or not_found.
 */
export function changeInCatalogue<
  Row extends CatalogueItem & WithReferences,
  Creation,
  Change extends object,
>(
  context: Context,
  actor: Actor,
  { kind, id, change }: { kind: WritableKind<Row, Creation, Change>; id: string; change: Change },
): Promise<Row> {
  return context.db.transaction(async (tx) => {
    const seen = await existing(tx.db, actor.scope, { kind, id })
    if (Object.keys(change).length === 0) return seen
    // also locks the catalogue: the row must be read again after it
    await raiseCatalogueVersion(tx.db, seen.business_id)
    const row = await existing(tx.db, actor.scope, { kind, id })
    const fieldErrors = kind.changeErrors(row, change)
    if (fieldErrors.length > 0) throw validationProblem(fieldErrors)
    const changed = kind.merge(row, change, () => context.ids.next())
    await record(context, tx, { by: actor, kind, row, done: 'updated' })
    return saveChecked(tx, { kind, row: changed, isNew: false })
  })
}

/** Deactivates a service, location or staff member, if active. Throws not_found. */
export async function deactivateInCatalogue<Row extends CatalogueItem, Creation, Change>(
  context: Context,
  actor: Actor,
  { kind, id }: { kind: WritableKind<Row, Creation, Change>; id: string },
): Promise<void> {
  await context.db.transaction(async (tx) => {
    const seen = await existing(tx.db, actor.scope, { kind, id })
    if (!seen.active) return
    await raiseCatalogueVersion(tx.db, seen.business_id)
    const row = await existing(tx.db, actor.scope, { kind, id })
    await kind.save(tx.db, { ...row, active: false }, { now: tx.now, isNew: false })
    await record(context, tx, { by: actor, kind, row, done: 'deactivated' })
  })
}

interface Done {
  by: Actor
  kind: Pick<CatalogueKind<unknown, unknown>, 'noun'>
  row: CatalogueItem
  done: 'created' | 'updated' | 'deactivated'
}

function record(context: Context, tx: Transaction, { by, kind, row, done }: Done): Promise<void> {
  const { id: subjectId, business_id: businessId } = row
  return recordAudit(context, tx, { by, action: `${auditNouns[kind.noun]}.${done}`, subjectId, businessId })
}

const auditNouns = { service: 'service', location: 'location', 'staff member': 'staff' } as const

async function existing<Row>(
  db: Queries,
  scope: TenantScope,
  { kind, id }: { kind: Pick<CatalogueKind<Row, unknown>, 'noun' | 'findOne'>; id: string },
): Promise<Row> {
  const row = isUuid(id) ? await kind.findOne(db, scope, id.toLowerCase()) : undefined
  if (!row) throw new Problem('not_found', `There is no ${kind.noun} with this id.`)
  return row
}

/** Finds the business for a creation; hub keys must name it. Throws validation_failed or not_found. */
export async function businessForCreation(
  db: Queries,
  scope: TenantScope,
  given: string | undefined,
): Promise<BusinessRow> {
  const id = given ?? ('businessId' in scope ? scope.businessId : undefined)
  if (id === undefined) throw businessNeeded()
  return businessInScope(db, scope, id)
}

function businessNeeded(): Problem {
  const detail = 'is required: this key reaches several businesses'
  return validationProblem([{ pointer: '/business_id', code: 'required', detail }])
}

/** As `businessForCreation`, but hub keys may also name the business by a reference. */
async function businessOfItem(
  db: Queries,
  scope: TenantScope,
  { given, references }: { given: string | undefined; references: References[] },
): Promise<BusinessRow> {
  const ofKey = 'businessId' in scope ? scope.businessId : undefined
  const id = given ?? ofKey ?? (await businessOfReferences(db, scope, references))
  const business = await findBusinessInScope(db, scope, id)
  if (business) return business
  const detail = 'is not the id of a business that this key reaches'
  throw validationProblem([{ pointer: '/business_id', code: 'unknown_reference', detail }])
}

/** The business of the first known reference; the others are checked against it later. */
async function businessOfReferences(
  db: Queries,
  scope: TenantScope,
  references: References[],
): Promise<string> {
  for (const { table, ids } of references) {
    const businesses = await findBusinessesOf(db, table, { scope, ids })
    const known = ids.find((id) => businesses.has(id))
    if (known !== undefined) return businesses.get(known) ?? ''
  }
  const unknown = references.flatMap((reference) => unknownErrors(reference, new Set()))
  throw unknown.length > 0 ? validationProblem(unknown) : businessNeeded()
}

async function saveChecked<Row extends CatalogueItem & WithReferences, Creation, Change>(
  tx: Transaction,
  { kind, row, isNew }: { kind: WritableKind<Row, Creation, Change>; row: Row; isNew: boolean },
): Promise<Row> {
  const fieldErrors = [
    ...(await referenceErrors(tx.db, row.business_id, kind.references(row))),
    ...(await slugFaults(tx.db, kind, row)),
  ]
  if (fieldErrors.length > 0) throw validationProblem(fieldErrors)
  await kind.save(tx.db, row, { now: tx.now, isNew })
  return existing(tx.db, { businessId: row.business_id }, { kind, id: row.id }) // as readers see it
}

/** Whether another one has the slug. No race with the write: the catalogue is locked. */
async function slugFaults(
  db: Queries,
  { slugsIn, noun }: { slugsIn?: SluggedTable; noun: string },
  { id, business_id: businessId, slug }: CatalogueItem,
): Promise<FieldError[]> {
  const other = slugsIn && slug ? await findBySlug(db, slugsIn, { businessId, slug }) : undefined
  return other && other.id !== id ? [slugTaken(`another ${noun}, ${other.name}`)] : []
}

/**
 * Errors for ids that the business does not have. Another business's ids look the same as unknown ones. No race with the
 * write: the catalogue never deletes a row.
 */
async function referenceErrors(
  db: Queries,
  businessId: string,
  references: References[],
): Promise<FieldError[]> {
  const fieldErrors: FieldError[] = []
  for (const reference of references) {
    const { table, ids } = reference
    fieldErrors.push(...unknownErrors(reference, await findKnownIds(db, table, { businessId, ids })))
  }
  return fieldErrors
}

function unknownErrors({ member, table, ids }: References, known: ReadonlySet<string>): FieldError[] {
  const noun = table === 'locations' ? 'location' : 'staff member'
  return ids.flatMap((id, index) => {
    if (known.has(id)) return []
    const detail = `is not the id of a ${noun} of this business`
    return [{ pointer: `/${member}/${index}`, code: 'unknown_reference', detail }]
  })
}

/** How one kind of catalogue item is read and presented. */
export interface CatalogueKind<Row, Shown> {
  /** For messages, and for the audit log. */
  noun: keyof typeof auditNouns
  findOne: (db: Queries, scope: TenantScope, id: string) => Promise<Row | undefined>
  findPage: (db: Queries, scope: TenantScope, filter: CatalogueFilter) => Promise<Row[]>
  present: (row: Row, actor: Actor) => Shown
}

interface ListedRow {
  id: string
  name: string
  position?: number | null
}

/** Lists a page by position and name. Sessions see active items; keys see all in their scope. */
export async function listCatalogue<Row extends ListedRow, Shown>(
  context: Context,
  actor: Actor,
  request: { kind: CatalogueKind<Row, Shown>; query: Static<typeof CatalogueQuery> },
): Promise<{ data: Shown[]; next_cursor: string | null }> {
  const { kind, query } = request
  const limit = readLimit(query.limit)
  const rows = await kind.findPage(context.db.reads, actor.scope, {
    businessId: query.business_id,
    activeOnly: isSession(actor),
    after: query.cursor === undefined ? undefined : parseCursor(query.cursor, kind.noun),
    rows: limit + 1,
  })
  return pageOf(rows, limit, {
    present: (row) => kind.present(row, actor),
    cursor: (row) => [kind.noun, ...placeOf(row).map(String)],
  })
}

/** Throws not_found for an item out of scope. */
export async function showOfCatalogue<Row, Shown>(
  context: Context,
  actor: Actor,
  { kind, id }: { kind: CatalogueKind<Row, Shown>; id: string },
): Promise<Shown> {
  return kind.present(await existing(context.db.reads, actor.scope, { kind, id }), actor)
}

/** Checks what it decodes: the database would fail on a malformed name or id. */
function parseCursor(cursor: string, noun: string): ListPlace {
  const [list, position, name, id] = decodeCursor(cursor, 4) ?? []
  if (list !== noun || position === undefined || !/^[1-9]\d{0,4}$/.test(position)) throw invalidCursor()
  if (name === undefined || !isLine(name) || id === undefined || !isUuid(id)) throw invalidCursor()
  return [Number(position), name, id]
}

export const serviceKind: CatalogueKind<Service, Service> = {
  noun: 'service',
  findOne: findService,
  findPage: findServices,
  present: (service) => service,
}

export const locationKind: CatalogueKind<Location, Location> = {
  noun: 'location',
  findOne: findLocation,
  findPage: findLocations,
  present: (location) => location,
}

type ShownStaff = Pick<StaffMember, 'id' | 'name' | 'slug' | 'description' | 'image_url'>

/** Sessions, being visitors, do not see when and where staff work. */
export const staffKind: CatalogueKind<StaffMember, ShownStaff> = {
  noun: 'staff member',
  findOne: findStaffMember,
  findPage: findStaff,
  present: (member: StaffMember, actor: Actor) =>
    isSession(actor) || (isStaff(actor) && actor.staffId !== member.id) ? shownStaff(member) : member,
}

function shownStaff({ id, name, slug, description, image_url }: StaffMember): ShownStaff {
  return { id, name, slug, description, image_url }
}

type OfBusiness = Pick<BusinessRow, 'id' | 'timezone'>

export const writableLocations: WritableKind<Location, LocationCreation, LocationChange> = {
  ...locationKind,
  complete: (input: LocationCreation, business: OfBusiness, nextId) => ({
    id: nextId(),
    business_id: business.id,
    name: input.name,
    timezone: input.timezone ?? business.timezone,
    address: input.address ?? null,
    online_url: input.online_url ?? null,
    weekly_hours: input.weekly_hours ?? null,
    date_overrides: input.date_overrides ?? [],
    active: input.active ?? true,
  }),
  merge: (location, change) => ({ ...location, ...change }),
  changeErrors: () => [],
  references: () => [],
  save: saveLocation,
}

export const writableStaff: WritableKind<StaffMember, StaffCreation, StaffChange> = {
  ...staffKind,
  complete: (input: StaffCreation, business: OfBusiness, nextId) => ({
    id: nextId(),
    business_id: business.id,
    name: input.name,
    slug: input.slug ?? null,
    position: input.position ?? null,
    description: input.description ?? null,
    image_url: input.image_url ?? null,
    email: input.email ?? null,
    location_ids: input.location_ids ?? [],
    weekly_hours: input.weekly_hours ?? null,
    date_overrides: input.date_overrides ?? [],
    active: input.active ?? true,
  }),
  merge: (member, change) => ({ ...member, ...change }),
  changeErrors: () => [],
  slugsIn: 'staff',
  references: ({ location_ids = [] }) => [{ member: 'location_ids', table: 'locations', ids: location_ids }],
  save: saveStaffMember,
}

export const writableServices: WritableKind<Service, ServiceCreation, ServiceChange> = {
  ...serviceKind,
  complete: (input: ServiceCreation, business: OfBusiness, nextId) => ({
    id: nextId(),
    business_id: business.id,
    name: input.name,
    slug: input.slug ?? null,
    position: input.position ?? null,
    category: input.category ?? null,
    image_url: input.image_url ?? null,
    description: input.description ?? null,
    duration_minutes: input.duration_minutes,
    buffer_before_minutes: input.buffer_before_minutes ?? 0,
    buffer_after_minutes: input.buffer_after_minutes ?? 0,
    slot_interval_minutes: input.slot_interval_minutes ?? defaultSlotInterval(input.duration_minutes),
    timetable: input.timetable ?? null,
    min_notice_minutes: input.min_notice_minutes ?? 0,
    max_advance_days: input.max_advance_days ?? usualAdvanceDays,
    cancel_until_minutes: input.cancel_until_minutes ?? usualChangeMinutes,
    reschedule_until_minutes: input.reschedule_until_minutes ?? usualChangeMinutes,
    max_reschedules: input.max_reschedules ?? usualReschedules,
    capacity: input.capacity ?? 1,
    price: input.price ?? null,
    deposit: input.deposit ?? null,
    location_ids: input.location_ids,
    staff_ids: input.staff_ids ?? [],
    custom_fields: withFieldIds(input.custom_fields ?? [], [], nextId),
    active: input.active ?? true,
  }),
  merge: (service, { custom_fields, ...change }, nextId) => ({
    ...service,
    ...change,
    ...(custom_fields && { custom_fields: withFieldIds(custom_fields, service.custom_fields, nextId) }),
  }),
  changeErrors: (service, change): FieldError[] => [
    ...fieldIdErrors(change.custom_fields ?? [], service.custom_fields),
    ...depositErrors({ ...service, ...change }).map((fieldError) => ({
      ...fieldError,
      pointer: change.deposit ? fieldError.pointer : '/price', // a price lowered below the deposit
    })),
  ],
  slugsIn: 'services',
  references: ({ location_ids = [], staff_ids = [] }) => [
    { member: 'location_ids', table: 'locations', ids: location_ids },
    { member: 'staff_ids', table: 'staff', ids: staff_ids },
  ],
  save: saveService,
}
