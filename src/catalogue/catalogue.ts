import type { Static } from 'typebox'
import { type Actor, isSession } from '../access/actor.ts'
import { recordAudit } from '../access/audit.ts'
import { type FieldError, Problem, validationProblem } from '../base/errors.ts'
import { isUuid } from '../base/ids.ts'
import { publicUrl } from '../base/public-url.ts'
import {
  countPart,
  cursorOf,
  idPart,
  linePart,
  listAll,
  type Page,
  type PageRows,
  presentPage,
  readPage,
} from '../base/paging.ts'
import { Slices } from '../base/slices.ts'
import { Turns } from '../base/turns.ts'
import type { Queries, Reads, Transaction } from '../database/database.ts'
import { type StoreResponse, storeNothing } from '../database/idempotency.ts'
import { scopeKey, type TenantScope } from '../database/tenant-scope.ts'
import type { Context } from '../access/context.ts'
import { type BusinessRow, findBusinessInScope } from './business-queries.ts'
import { businessInScope } from './business.ts'
import { namedImages, withOwnImages } from './image-rules.ts'
import { keepImages } from './named-image.ts'
import {
  type CatalogueFilter,
  countItems,
  countLinks,
  findBusinessesOf,
  findBySlug,
  findKnownIds,
  findNames,
  type ListPlace,
  measureCatalogue,
  placeOf,
  raiseCatalogueVersion,
  type Saving,
  type SluggedTable,
} from './catalogue-queries.ts'
import type { CatalogueQuery } from './catalogue-schemas.ts'
import { itemNouns, type ItemTable, type LinkTable } from './catalogue-types.ts'
import { type Service } from './service-schemas.ts'
import {
  assertWithinCharacters,
  assertWithinLimit,
  assertWithinLinks,
  type CatalogueCount,
} from './limit-rules.ts'
import { slugTaken } from './slug-rules.ts'

/** IDs that must belong to the same business. */
export interface References {
  table: ItemTable
  ids: string[]
  /** Returns the pointer to an ID, by its index. */
  pointerTo: (index: number) => string
}

interface WithReferences {
  location_id?: string
  location_ids?: string[]
  staff_ids?: string[]
}

/** The functions that create, change and store one kind of catalogue item. */
export interface WritableKind<Row, Creation, Change> extends Pick<
  CatalogueKind<Row, unknown>,
  'noun' | 'findOne'
> {
  /** Fills a creation with defaults. */
  complete: (input: Creation, business: BusinessRow, nextId: () => string) => Row
  merge: (row: Row, change: Change, nextId: () => string) => Row
  /** Returns errors of a valid change that depend on the current row. */
  changeErrors: (row: Row, change: Change) => FieldError[]
  /** Returns errors of a complete row, at members that the creation or change has. */
  rowErrors?: (db: Reads, row: Row, given: object) => Promise<FieldError[]>
  references: (row: WithReferences) => References[]
  table: ItemTable
  /** The table of this kind's slugs; absent for a kind without slugs. */
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

/**
 * Adds a service, location or staff member. Throws catalogue_limit_reached, or validation_failed, also for
 * IDs of another business.
 */
export function createInCatalogue<
  Row extends CatalogueItem & WithReferences,
  Creation extends CreationInput,
  Change,
>(
  context: Context,
  actor: Actor,
  { kind, input: given }: { kind: WritableKind<Row, Creation, Change>; input: Creation },
  store: StoreResponse<Row> = storeNothing,
): Promise<Row> {
  const input = withOwnImages(given, publicUrl(context.config))
  return context.db.transaction(async (tx) => {
    const saved = await createWithin(context, tx, { by: actor, kind, input })
    await store(tx, saved)
    return saved
  })
}

/** Adds several items like `createInCatalogue`, either all or none. */
export function createAllInCatalogue<
  Row extends CatalogueItem & WithReferences,
  Creation extends CreationInput,
  Change,
>(
  context: Context,
  actor: Actor,
  { kind, inputs }: { kind: WritableKind<Row, Creation, Change>; inputs: readonly Creation[] },
  store: StoreResponse<Row[]> = storeNothing,
): Promise<Row[]> {
  return context.db.transaction(async (tx) => {
    const saved: Row[] = []
    for (const input of inputs) saved.push(await createWithin(context, tx, { by: actor, kind, input }))
    await store(tx, saved)
    return saved
  })
}

async function createWithin<
  Row extends CatalogueItem & WithReferences,
  Creation extends CreationInput,
  Change,
>(
  context: Context,
  tx: Transaction,
  { by, kind, input }: { by: Actor; kind: WritableKind<Row, Creation, Change>; input: Creation },
): Promise<Row> {
  const given = { given: input.business_id, references: kind.references(input) }
  const business = await businessOfItem(tx.db, by.scope, given)
  const row = kind.complete(input, business, () => context.ids.next())
  await raiseCatalogueVersion(tx.db, business.id)
  const saved = await saveChecked(tx, { kind, row, before: undefined, given: input, grows: true })
  await record(context, tx, { by, kind, row, done: 'created' })
  return saved
}

/**
 * Changes a service, location or staff member. Holds and bookings stay unchanged. An empty change does
 * nothing. Throws validation_failed, not_found, or catalogue_limit_reached if the item becomes active again.
 */
export function changeInCatalogue<
  Row extends CatalogueItem & WithReferences,
  Creation,
  Change extends object,
>(
  context: Context,
  actor: Actor,
  { kind, id, change: given }: { kind: WritableKind<Row, Creation, Change>; id: string; change: Change },
): Promise<Row> {
  const change = withOwnImages(given, publicUrl(context.config))
  return context.db.transaction(async (tx) => {
    const seen = await existing(tx.db, actor.scope, { kind, id })
    if (Object.keys(change).length === 0) return seen
    // also locks the catalogue, so the row must be read again afterwards
    await raiseCatalogueVersion(tx.db, seen.business_id)
    const row = await existing(tx.db, actor.scope, { kind, id })
    const fieldErrors = kind.changeErrors(row, change)
    if (fieldErrors.length > 0) throw validationProblem(fieldErrors)
    const changed = kind.merge(row, change, () => context.ids.next())
    await record(context, tx, { by: actor, kind, row, done: 'updated' })
    const grows = changed.active && !row.active
    return saveChecked(tx, { kind, row: changed, before: row, given: change, grows })
  })
}

/** Deactivates a service, location or staff member if it is active. Throws not_found. */
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

const auditNouns = {
  service: 'service',
  location: 'location',
  'staff member': 'staff',
  resource: 'resource',
} as const

async function existing<Row>(
  db: Reads,
  scope: TenantScope,
  { kind, id }: { kind: Pick<CatalogueKind<Row, unknown>, 'noun' | 'findOne'>; id: string },
): Promise<Row> {
  const row = isUuid(id) ? await kind.findOne(db, scope, id.toLowerCase()) : undefined
  if (!row) throw new Problem('not_found', `There is no ${kind.noun} with this id.`)
  return row
}

/** Finds the business for a creation. Hub keys must name it. Throws validation_failed or not_found. */
export async function businessForCreation(
  db: Reads,
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

/** Like `businessForCreation`, but hub keys may also name the business through a reference. */
async function businessOfItem(
  db: Reads,
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

/** Returns the business of the first known reference. The others are checked against it later. */
async function businessOfReferences(
  db: Reads,
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
  {
    kind,
    row,
    before,
    given,
    grows,
  }: {
    kind: WritableKind<Row, Creation, Change>
    row: Row
    /** Undefined for a new one. */
    before: Row | undefined
    /** The creation or change. */
    given: object
    /** True if the number of active items grows, possibly beyond the limit. */
    grows: boolean
  },
): Promise<Row> {
  const fieldErrors = [
    ...(await referenceErrors(tx.db, row.business_id, kind.references(row))),
    ...(await slugFaults(tx.db, kind, row)),
    ...((await kind.rowErrors?.(tx.db, row, given)) ?? []),
  ]
  if (fieldErrors.length > 0) throw validationProblem(fieldErrors)
  await keepImages(tx, row.business_id, namedImages(given))
  const save = () => kind.save(tx.db, row, { now: tx.now, isNew: before === undefined })
  const mayLink = addsLinks(kind, row, before) || (grows && before !== undefined) // a reactivated item brings its links
  await (mayLink ? saveWithinLinks(tx, row.business_id, save) : save())
  if (grows) await assertRoom(tx, kind.table, row.business_id)
  const isLonger = JSON.stringify(row).length > (before ? JSON.stringify(before).length : 0)
  if (grows || isLonger) await assertFits(tx, row.business_id)
  return existing(tx.db, { businessId: row.business_id }, { kind, id: row.id }) // the row as readers see it
}

function addsLinks(
  { table }: { table: ItemTable },
  row: WithReferences,
  before: WithReferences | undefined,
): boolean {
  if (table !== 'services') return false
  return (['location_ids', 'staff_ids'] as const).some((member) => {
    const known = new Set(before?.[member])
    return row[member]?.some((id) => !known.has(id))
  })
}

const linkTables: readonly LinkTable[] = ['service_locations', 'service_staff']

/**
 * Saves items. Throws catalogue_limit_reached if services then have more locations or staff than before and than
 * allowed. Free of races, because the catalogue is locked and a refusal rolls back.
 */
export async function saveWithinLinks<T>(
  tx: Transaction,
  businessId: string,
  save: () => Promise<T>,
): Promise<T> {
  const before = new Map<LinkTable, CatalogueCount | undefined>()
  for (const table of linkTables) before.set(table, await countLinks(tx.db, table, businessId))
  const saved = await save()
  for (const table of linkTables) {
    const [old, now] = [before.get(table), await countLinks(tx.db, table, businessId)]
    if (old && now) assertWithinLinks(table, { before: old, after: now })
  }
  return saved
}

/**
 * Throws catalogue_limit_reached if a business now exceeds its limit. Free of races, because the catalogue is
 * locked and a refusal rolls back. A business that already exceeded the limit keeps its items.
 */
export async function assertRoom(tx: Transaction, table: ItemTable, businessId: string): Promise<void> {
  const count = await countItems(tx.db, table, businessId)
  if (count) assertWithinLimit(table, count)
}

/**
 * Throws catalogue_limit_reached if a business's catalogue has become longer than allowed. Free of races for
 * the same reason.
 */
export async function assertFits(tx: Transaction, businessId: string): Promise<void> {
  const size = await measureCatalogue(tx.db, businessId)
  if (size) assertWithinCharacters(size)
}

/** Checks if another item has the slug. Free of races with the write, because the catalogue is locked. */
async function slugFaults(
  db: Reads,
  { slugsIn, noun }: { slugsIn?: SluggedTable; noun: string },
  { id, business_id: businessId, slug }: CatalogueItem,
): Promise<FieldError[]> {
  const other = slugsIn && slug ? await findBySlug(db, slugsIn, { businessId, slug }) : undefined
  return other && other.id !== id ? [slugTaken(`another ${noun}, ${other.name}`)] : []
}

/**
 * Returns errors for IDs that the business does not have. IDs of other businesses look like unknown ones.
 * Free of races with the write, because the catalogue never deletes a row.
 */
export async function referenceErrors(
  db: Reads,
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

function unknownErrors({ table, ids, pointerTo }: References, known: ReadonlySet<string>): FieldError[] {
  return ids.flatMap((id, index) => (known.has(id) ? [] : [unknownReference(table, pointerTo(index))]))
}

/** Returns the error for an ID that the business does not have. */
export function unknownReference(table: ItemTable, pointer: string): FieldError {
  const detail = `is not the id of a ${itemNouns[table]} of this business`
  return { pointer, code: 'unknown_reference', detail }
}

/** The functions that read and present one kind of catalogue item. */
export interface CatalogueKind<Row, Shown> {
  /** For messages and the audit log. */
  noun: keyof typeof auditNouns
  findOne: (db: Reads, scope: TenantScope, id: string) => Promise<Row | undefined>
  findPage: (db: Reads, scope: TenantScope, filter: CatalogueFilter) => Promise<Row[]>
  present: (row: Row, actor: Actor) => Shown
}

interface ListedRow {
  id: string
  name: string
  position?: number | null
}

/** Lists are read one at a time for each tenant, because those of a large catalogue keep the thread busy. */
const turns = new Turns({
  waiting: 5_000,
  waitingInAll: 20_000,
  busy: 'Many lists of this catalogue are being read.',
})

interface ListRequest<Row, Shown> {
  kind: CatalogueKind<Row, Shown>
  query: Static<typeof CatalogueQuery>
  /** Returns true if the client has disconnected, so that nobody waits for the answer. */
  isGone?: () => boolean
}

/**
 * Lists a page by position and name. Sessions see active items; keys see all in their scope. Throws
 * unavailable if too many requests are waiting.
 */
export async function listCatalogue<Row extends ListedRow, Shown>(
  context: Context,
  actor: Actor,
  request: ListRequest<Row, Shown>,
): Promise<Page<Shown>> {
  const { kind, isGone } = request
  const page = await turns.run(scopeKey(actor.scope), () => readRows(context, actor, request), isGone)
  return presentPage(page, (row) => kind.present(row, actor))
}

function readRows<Row extends ListedRow>(
  context: Context,
  actor: Actor,
  { kind, query }: ListRequest<Row, unknown>,
): Promise<Page<Row>> {
  const filter = { businessId: query.business_id, activeOnly: isSession(actor) }
  return readPage(query, {
    cursor: cursorOf(kind.noun, countPart, linePart, idPart),
    find: (page: PageRows<ListPlace>) => kind.findPage(context.db.reads, actor.scope, { ...filter, ...page }),
    position: placeOf,
  })
}

/** Characters per part. A page of a large catalogue has many times this number. */
const charactersAtOnce = 64 * 1024
/**
 * Characters that all lists have written since one of them let other requests proceed. SQLite may answer many
 * lists in one turn of the event loop.
 */
let charactersWritten = 0

/**
 * Returns the result of `listCatalogue` as JSON. Lets other requests proceed after each part of a long page.
 * Also throws MemberGone.
 */
export function writeCatalogue<Row extends ListedRow, Shown>(
  context: Context,
  actor: Actor,
  request: ListRequest<Row, Shown>,
): Promise<string> {
  const { kind, isGone } = request
  const write = async () => {
    const { data, next_cursor } = await readRows(context, actor, request)
    const slices = new Slices(isGone)
    const items: string[] = []
    for (const row of data) {
      const item = JSON.stringify(kind.present(row, actor))
      items.push(item)
      charactersWritten += item.length
      if (charactersWritten < charactersAtOnce) continue
      charactersWritten = 0
      await slices.rest()
    }
    return `{"data":[${items.join(',')}],"next_cursor":${JSON.stringify(next_cursor)}}`
  }
  return turns.run(scopeKey(actor.scope), write, isGone)
}

/** Lists every item of a business, or of all in the caller's scope. Ends once it has `most`. */
export function listWholeCatalogue<Row extends ListedRow, Shown>(
  context: Context,
  actor: Actor,
  {
    kind,
    businessId,
    most,
  }: { kind: CatalogueKind<Row, Shown>; businessId?: string | undefined; most?: number },
): Promise<Shown[]> {
  const of = businessId !== undefined && { business_id: businessId }
  return listAll((page) => listCatalogue(context, actor, { kind, query: { ...page, ...of } }), {
    items: most,
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

interface Named {
  id: string
  name: string
}

/** Returns the names of services' locations and staff in the order of their IDs, without inactive ones. */
export async function nameOffered(
  { db }: Context,
  { scope }: Actor,
  services: readonly Pick<Service, 'location_ids' | 'staff_ids'>[],
): Promise<{ locations: Named[]; staff: Named[] }[]> {
  const [places, people] = (['location_ids', 'staff_ids'] as const).map((member) => [
    ...new Set(services.flatMap((service) => service[member])),
  ])
  const locations = await findNames(db.reads, 'locations', { scope, ids: places ?? [] })
  const staff = await findNames(db.reads, 'staff', { scope, ids: people ?? [] })
  const named = (ids: string[], names: Map<string, string>) =>
    ids.flatMap((id) => {
      const name = names.get(id)
      return name === undefined ? [] : [{ id, name }]
    })
  return services.map(({ location_ids, staff_ids }) => ({
    locations: named(location_ids, locations),
    staff: named(staff_ids, staff),
  }))
}
