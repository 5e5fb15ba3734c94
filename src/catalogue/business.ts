import { type Actor, effectivePlan, operator } from '../access/actor.ts'
import { recordAudit, recordAudits } from '../access/audit.ts'
import { ambiguousName, Problem, unknownId, UsageError, validationProblem } from '../base/errors.ts'
import { isUuid } from '../base/ids.ts'
import { publicUrl } from '../base/public-url.ts'
import { formatInstant } from '../base/instants.ts'
import { type Page, type PageQuery, cursorOf, idPart, linePart, readPage } from '../base/paging.ts'
import type { Reads, Transaction } from '../database/database.ts'
import { type StoreResponse, storeNothing } from '../database/idempotency.ts'
import type { BusinessesTable, HubsTable, PlanName } from '../database/tables.ts'
import type { TenantScope } from '../database/tenant-scope.ts'
import type { Context } from '../access/context.ts'
import {
  type BusinessChanges,
  type BusinessRow,
  findBusinessById,
  findBusinessBySlug,
  findBusinesses,
  findOldestBusiness,
  findBusinessesNamed,
  findBusinessesInScope,
  findBusinessInScope,
  findHub,
  findHubs,
  updateBusiness,
  updateHub,
} from './business-queries.ts'
import { firstColumns, networksIn, networksJson } from './business-rules.ts'
import {
  type Business,
  type BusinessChange,
  type BusinessCreation,
  businessFields,
} from './business-schemas.ts'
import { namedImages, withOwnImages } from './image-rules.ts'
import { keepImages } from './named-image.ts'
import { insertMissing, moveLocations, raiseCatalogueVersion } from './catalogue-queries.ts'
import { completed, type PlainEntry, plainOf } from './field-schemas.ts'
import {
  allMailColumns,
  mailColumns,
  mailSettings,
  type MailSettingsChange,
  splitSettings,
} from './mail-settings-rules.ts'
import { slugErrors, slugTaken } from './slug-rules.ts'

/** Lists all hubs by name. */
export function listHubs(context: Context): Promise<HubsTable[]> {
  return findHubs(context.db.reads, maxListed)
}

/** Returns the hub with this ID or unique name. Throws a UsageError. */
export function showHub(context: Context, reference: string): Promise<HubsTable> {
  return existingHub(context.db.reads, reference)
}

/** Changes a hub's name or plan. A plan takes effect within five seconds. Throws a UsageError. */
export function changeHub(
  context: Context,
  id: string,
  changes: { name?: string; plan?: PlanName },
): Promise<HubsTable> {
  return context.db.transaction(async (tx) => {
    const hub = await existingHub(tx.db, id)
    if (Object.keys(changes).length === 0) return hub
    await updateHub(tx.db, hub.id, changes)
    const { id: subjectId } = hub
    await recordAudit(context, tx, { by: operator, action: 'hub.updated', subjectId, hubId: subjectId })
    return { ...hub, ...changes }
  })
}

/** Lists businesses by name, all or those of one hub. Throws a UsageError for an unknown hub. */
export async function listBusinesses(context: Context, hubId: string | undefined): Promise<BusinessRow[]> {
  const db = context.db.reads
  const hub = hubId === undefined ? undefined : await existingHub(db, hubId)
  return findBusinesses(db, hub?.id, maxListed)
}

/** Returns the business with this ID or unique name. Throws a UsageError. */
export function showBusiness(context: Context, reference: string): Promise<BusinessRow> {
  return existingBusiness(context.db.reads, reference)
}

type OperatorColumns =
  | ('plan' | 'limit_per_minute' | 'limit_per_hour')
  | ('max_services' | 'max_locations' | 'max_staff' | 'max_resources')

/** Changes by an operator. Null clears a field, or restores the limit of the plan. */
type BusinessUpdate = BusinessChange & Partial<Pick<BusinessesTable, OperatorColumns>>

/**
 * Changes a business. A plan takes effect within five seconds. Throws a UsageError, also for limits that the
 * plan in effect does not allow.
 */
export function changeBusiness(context: Context, id: string, given: BusinessUpdate): Promise<BusinessRow> {
  const update = withOwnImages(given, publicUrl(context.config))
  const changes = changedColumns(update)
  return context.db.transaction(async (tx) => {
    const business = await existingBusiness(tx.db, id)
    const changed = { ...business, ...changes }
    assertMayHaveLimits(changed, changes)
    if (Object.keys(changes).length === 0) return changed
    await assertFreeSlug(tx.db, changed)
    await keepImages(tx, business.id, namedImages(update))
    await updateBusiness(tx.db, business.id, changes)
    await raiseIfOffered(tx, business, update)
    await recordBusiness(context, tx, { by: operator, action: 'business.updated', id: business.id })
    return changed
  })
}

/** Rejects limits that would have no effect. */
function assertMayHaveLimits({ plan, hub_plan }: BusinessRow, changes: BusinessChanges): void {
  const wanted = (changes.limit_per_minute ?? changes.limit_per_hour ?? null) !== null
  if (!wanted || effectivePlan(plan, hub_plan) === 'enterprise') return
  throw new UsageError(
    `Own limits need the plan enterprise; this business is on ${plan}. Add --plan enterprise.`,
  )
}

/** Returns only the given columns, so that concurrent changes of others also apply. */
function changedColumns({ trusted_networks, ...change }: BusinessUpdate): BusinessChanges {
  const [settings, columns] = splitSettings(change)
  return {
    ...columns,
    ...mailColumns(settings),
    ...(trusted_networks !== undefined && { trusted_networks_json: networksJson(trusted_networks) }),
  }
}

/** Creates a hub, a platform that acts for all its businesses. */
export function createHub(
  context: Context,
  { name, plan }: { name: string; plan: PlanName },
): Promise<HubsTable> {
  return context.db.transaction(async (tx) => {
    const hub: HubsTable = { id: context.ids.next(), name, plan, created_at: tx.now }
    await insertMissing(tx.db, 'hubs', [hub])
    await recordAudit(context, tx, { by: operator, action: 'hub.created', subjectId: hub.id, hubId: hub.id })
    return hub
  })
}

type NewBusiness = PlainEntry<typeof businessFields> & MailSettingsChange & { trusted_networks?: string[] }

/** Returns the columns of a new business, except hub, plan and limits. Absent fields get their defaults. */
export function businessColumns({ trusted_networks, ...input }: NewBusiness) {
  const [settings, fields] = splitSettings(input)
  return {
    ...completed(businessFields, fields),
    ...allMailColumns(settings),
    trusted_networks_json: networksJson(trusted_networks),
  }
}

/**
 * Creates a business, independent or in a hub. Only the Enterprise plan shows the brand. Throws a UsageError.
 */
export async function createBusiness(
  context: Context,
  { plan, hubId, test = false, ...input }: NewBusiness & { plan: PlanName; hubId?: string; test?: boolean },
): Promise<BusinessesTable> {
  return context.db.transaction(async (tx) => {
    const hub_id = hubId === undefined ? null : (await existingHub(tx.db, hubId)).id
    const business = {
      ...{ id: context.ids.next(), hub_id, plan, ...businessColumns(input) },
      ...{ ...firstColumns, is_test: test ? (1 as const) : (0 as const) },
      created_at: tx.now,
    }
    await keepImages(tx, business.id, namedImages(input)) // a new business has no pictures yet
    await insertMissing(tx.db, 'businesses', [business])
    await recordBusiness(context, tx, { by: operator, action: 'business.created', id: business.id })
    return business
  })
}

/**
 * Throws validation_failed if another business has the slug. Of two concurrent businesses, the unique index
 * refuses the later one. Its repeated transaction then finds the other (`isConflict` of the engines).
 */
export async function assertFreeSlug(
  db: Reads,
  { id, slug }: { id: string; slug?: string | null },
): Promise<void> {
  const other = slug ? await findBusinessBySlug(db, slug) : undefined
  if (other && other.id !== id) throw validationProblem([slugTaken('another business')])
}

/** Returns the business with this slug, cached for at most five seconds. */
export async function findBusinessInLink(
  context: Context,
  slug: string,
): Promise<{ id: string } | undefined> {
  if (slugErrors(slug).length > 0) return undefined
  return context.cache.get(`business-of-slug:${slug}`, () => findBusinessBySlug(context.db.reads, slug))
}

/** Throws not_found for a business out of scope. */
export async function businessInScope(db: Reads, scope: TenantScope, id: string): Promise<BusinessRow> {
  const business = isUuid(id) ? await findBusinessInScope(db, scope, id.toLowerCase()) : undefined
  if (!business) throw new Problem('not_found', 'There is no business with this id.')
  return business
}

/** Throws test_business if something is not for test businesses. The reason is a sentence. */
export function assertNoTest({ is_test }: Pick<BusinessRow, 'is_test'>, reason: string): void {
  if (is_test === 1) throw new Problem('test_business', `This is a test business. ${reason}`)
}

/** Lists businesses in the caller's scope by name. */
export function listBusinessesInScope(
  context: Context,
  actor: Actor,
  query: PageQuery,
): Promise<Page<BusinessRow>> {
  return readPage(query, {
    cursor: businessCursor,
    find: (page) => findBusinessesInScope(context.db.reads, actor.scope, page),
    position: ({ name, id }) => [name, id],
  })
}

const businessCursor = cursorOf('business', linePart, idPart)

/** Lists the first businesses by name, of all hubs. For the operator's own pages. */
export function firstBusinesses(context: Context, max: number): Promise<BusinessRow[]> {
  return findBusinesses(context.db.reads, undefined, max)
}

export function oldestBusiness(context: Context): Promise<BusinessRow | undefined> {
  return findOldestBusiness(context.db.reads)
}

/** Throws not_found for a business out of scope. */
export function showBusinessInScope(context: Context, actor: Actor, id: string): Promise<BusinessRow> {
  return businessInScope(context.db.reads, actor.scope, id)
}

/** Creates a business in the caller's hub. It gets the lowest plan, because the hub's plan is in effect. */
export function createBusinessOfHub(
  context: Context,
  { by, hubId }: { by: Actor; hubId: string },
  { test = false, ...input }: BusinessCreation,
  store: StoreResponse<BusinessRow> = storeNothing,
): Promise<BusinessRow> {
  return context.db.transaction(async (tx) => {
    const id = context.ids.next()
    await assertFreeSlug(tx.db, { id, slug: input.slug ?? null })
    await keepImages(tx, id, namedImages(input))
    // a person who adds a business is notified of its bookings, like its first owner
    const told = by.type === 'person' ? { notify_emails: [by.email] } : {}
    await insertMissing(tx.db, 'businesses', [
      {
        ...{ id, hub_id: hubId, plan: 'growth', ...businessColumns({ ...told, ...input }) },
        ...{ ...firstColumns, is_test: test ? 1 : 0 },
        slug: null,
        created_at: tx.now,
      },
    ])
    if (input.slug) await updateBusiness(tx.db, id, { slug: input.slug }) // an insert would silently skip a slug that is taken
    await recordBusiness(context, tx, { by, action: 'business.created', id })
    const business = await businessInScope(tx.db, { hubId }, id)
    await store(tx, business)
    return business
  })
}

interface ChangeOfBusiness {
  id: string
  change: BusinessChange
}

/** Changes a business in the caller's scope. An empty change does nothing. Throws not_found. */
export function changeBusinessInScope(
  context: Context,
  actor: Actor,
  wanted: ChangeOfBusiness,
): Promise<BusinessRow> {
  return context.db.transaction((tx) => changeIn(context, tx, { ...wanted, by: actor }))
}

/**
 * Changes a business in the caller's scope. Locations in its time zone get the new zone, in the same
 * transaction. Returns the IDs of these locations. Throws not_found.
 */
export function changeBusinessAndLocations(
  context: Context,
  actor: Actor,
  wanted: ChangeOfBusiness,
): Promise<string[]> {
  return context.db.transaction(async (tx) => {
    const moved = await moveIn(context, tx, { ...wanted, by: actor })
    await changeIn(context, tx, { ...wanted, by: actor })
    return moved
  })
}

async function changeIn(
  context: Context,
  tx: Transaction,
  { by, id, change: given }: ChangeOfBusiness & { by: Actor },
): Promise<BusinessRow> {
  const change = withOwnImages(given, publicUrl(context.config))
  const business = await businessInScope(tx.db, by.scope, id)
  if (Object.keys(change).length === 0) return business
  if (change.slug) await assertFreeSlug(tx.db, { id: business.id, slug: change.slug })
  await keepImages(tx, business.id, namedImages(change))
  await updateBusiness(tx.db, business.id, changedColumns(change))
  await raiseIfOffered(tx, business, change)
  await recordBusiness(context, tx, { by, action: 'business.updated', id: business.id })
  return businessInScope(tx.db, by.scope, business.id)
}

/** Makes cached offerings stale if a change concerns them. */
async function raiseIfOffered(
  tx: Transaction,
  { id, max_gap_minutes: before }: BusinessRow,
  { max_gap_minutes: wanted = before }: { max_gap_minutes?: number },
): Promise<void> {
  if (wanted !== before) await raiseCatalogueVersion(tx.db, id)
}

/**
 * Audit log entries per statement. A business may have a hundred thousand locations, including deleted ones.
 */
const entriesAtOnce = 1_000

async function moveIn(
  context: Context,
  tx: Transaction,
  { by, id, change: { timezone: to } }: ChangeOfBusiness & { by: Actor },
): Promise<string[]> {
  const seen = await businessInScope(tx.db, by.scope, id)
  if (to === undefined || to === seen.timezone) return []
  // also locks the catalogue, so the zone must be read again afterwards
  await raiseCatalogueVersion(tx.db, seen.id)
  const { id: businessId, timezone: from } = await businessInScope(tx.db, by.scope, seen.id)
  const moved = await moveLocations(tx.db, { businessId, from, to })
  for (let first = 0; first < moved.length; first += entriesAtOnce) {
    const entries = moved
      .slice(first, first + entriesAtOnce)
      .map((subjectId) => ({ by, action: 'location.updated' as const, subjectId, businessId }))
    await recordAudits(context, tx, entries)
  }
  return moved
}

function recordBusiness(
  context: Pick<Context, 'ids'>,
  tx: Transaction,
  { by, action, id }: { by: Actor; action: `business.${'created' | 'updated'}`; id: string },
): Promise<void> {
  return recordAudit(context, tx, { by, action, subjectId: id, businessId: id })
}

export function presentBusiness(business: BusinessRow): Business {
  const { id, hub_id, plan, hub_plan, timezone, created_at } = business
  return {
    ...{ id, hub_id, ...plainOf(businessFields, business), plan: effectivePlan(plan, hub_plan) },
    trusted_networks: networksIn(business.trusted_networks_json),
    ...mailSettings(business),
    test: business.is_test === 1,
    created_at: formatInstant(created_at, timezone),
  }
}

/** Also bounds the search for a similar ID. */
const maxListed = 10_000

/** Returns the hub with this ID or unique name. Throws a UsageError that suggests a similar one. */
export async function existingHub(db: Reads, reference: string): Promise<HubsTable> {
  const byId = isUuid(reference) ? await findHub(db, reference.toLowerCase()) : undefined
  if (byId) return byId
  const known = await findHubs(db, maxListed)
  const [hub, ...others] = known.filter(({ name }) => name === reference)
  if (!hub) throw unknownId('hub', reference, { known })
  if (others.length > 0) throw ambiguousName(reference, [hub, ...others])
  return hub
}

/** Returns the business with this ID or unique name. Throws a UsageError that suggests a similar one. */
export async function existingBusiness(db: Reads, reference: string): Promise<BusinessRow> {
  const byId = isUuid(reference) ? await findBusinessById(db, reference.toLowerCase()) : undefined
  if (byId) return byId
  const [business, ...others] = await findBusinessesNamed(db, reference, maxListed)
  if (!business) {
    throw unknownId('business', reference, { known: await findBusinesses(db, undefined, maxListed) })
  }
  if (others.length > 0) throw ambiguousName(reference, [business, ...others])
  return business
}
