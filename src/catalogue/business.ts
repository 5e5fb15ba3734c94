import { type Actor, effectivePlan, operator } from '../access/actor.ts'
import { recordAudit } from '../access/audit.ts'
import { networkErrors } from '../base/client-network.ts'
import { isLine, isPhone } from '../base/contact-formats.ts'
import {
  ambiguousName,
  invalidCursor,
  Problem,
  unknownId,
  UsageError,
  validationProblem,
} from '../base/errors.ts'
import { isUuid } from '../base/ids.ts'
import { formatInstant, timeZoneNamed } from '../base/instants.ts'
import { nearestTimeZone } from '../base/time-zone-names.ts'
import type { Queries, Transaction } from '../database/database.ts'
import { type StoreResponse, storeNothing } from '../database/idempotency.ts'
import type { BusinessesTable, HubsTable, PlanName } from '../database/tables.ts'
import type { TenantScope } from '../database/tenant-scope.ts'
import { decodeCursor, readLimit } from '../base/wire.ts'
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
import {
  colorErrors,
  logoUrlErrors,
  maxBookingsPerClient,
  maxNetworks,
  maxRetentionDays,
  networksIn,
  networksJson,
  usualBookingsPerClient,
} from './business-rules.ts'
import type { BusinessChange, BusinessCreation } from './business-schemas.ts'
import { insertMissing } from './catalogue-queries.ts'
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

/** The hub with this id or unique name. Throws a UsageError. */
export function showHub(context: Context, reference: string): Promise<HubsTable> {
  return existingHub(context.db.reads, reference)
}

/** Changes a hub's name or plan; a plan takes effect within five seconds. Throws a UsageError. */
export function changeHub(
  context: Context,
  id: string,
  changes: { name?: string; plan?: PlanName },
): Promise<HubsTable> {
  const checked = {
    ...(changes.name !== undefined && { name: checkName(changes.name) }),
    ...(changes.plan !== undefined && { plan: changes.plan }),
  }
  return context.db.transaction(async (tx) => {
    const hub = await existingHub(tx.db, id)
    if (Object.keys(checked).length === 0) return hub
    await updateHub(tx.db, hub.id, checked)
    const { id: subjectId } = hub
    await recordAudit(context, tx, { by: operator, action: 'hub.updated', subjectId, hubId: subjectId })
    return { ...hub, ...checked }
  })
}

/** Lists businesses by name, all or of one hub. Throws a UsageError for an unknown hub. */
export async function listBusinesses(context: Context, hubId: string | undefined): Promise<BusinessRow[]> {
  const db = context.db.reads
  const hub = hubId === undefined ? undefined : await existingHub(db, hubId)
  return findBusinesses(db, hub?.id, maxListed)
}

/** The business with this id or unique name. Throws a UsageError. */
export function showBusiness(context: Context, reference: string): Promise<BusinessRow> {
  return existingBusiness(context.db.reads, reference)
}

/** An operator's changes; null clears a brand field, or restores the plan's limit. */
export interface BusinessUpdate {
  name?: string
  plan?: PlanName
  timezone?: string
  brandName?: string | null
  brandColor?: string | null
  brandLogoUrl?: string | null
  /** Requests of each key, as text. */
  limitPerMinute?: string | null
  limitPerHour?: string | null
  /** Future bookings that sessions may make for one client, as text. */
  maxBookingsPerClient?: string | null
  /** Comma-separated address ranges. */
  trustedNetworks?: string | null
  /** As text. */
  retentionDays?: string | null
  phone?: string | null
  slug?: string | null
  /** As the API takes them. */
  mail?: MailSettingsChange
}

/**
 * Changes a business; a plan takes effect within five seconds. Throws a UsageError, also for limits that the plan in
 * effect does not allow.
 */
export function changeBusiness(context: Context, id: string, update: BusinessUpdate): Promise<BusinessRow> {
  const changes = checkUpdate(update)
  return context.db.transaction(async (tx) => {
    const business = await existingBusiness(tx.db, id)
    const changed = { ...business, ...changes }
    assertMayHaveLimits(changed, changes)
    if (Object.keys(changes).length === 0) return changed
    await assertFreeSlug(tx.db, changed)
    await updateBusiness(tx.db, business.id, changes)
    await recordBusiness(context, tx, { by: operator, action: 'business.updated', id: business.id })
    return changed
  })
}

/** Refuses limits that would have no effect. */
function assertMayHaveLimits({ plan, hub_plan }: BusinessRow, changes: BusinessChanges): void {
  const wanted = (changes.limit_per_minute ?? changes.limit_per_hour ?? null) !== null
  if (!wanted || effectivePlan(plan, hub_plan) === 'enterprise') return
  throw new UsageError(
    `Own limits need the plan enterprise; this business is on ${plan}. Add --plan enterprise.`,
  )
}

function checkUpdate(update: BusinessUpdate): BusinessChanges {
  const { name, plan, timezone, brandName, brandColor, brandLogoUrl, limitPerMinute, limitPerHour } = update
  const { maxBookingsPerClient: bookings, trustedNetworks: networks, retentionDays, mail = {} } = update
  const { phone, slug } = update
  return allChecked((attempt) => ({
    ...mailColumns(mail),
    ...(name !== undefined && { name: attempt(name, checkName) }),
    ...(plan !== undefined && { plan }),
    ...(timezone !== undefined && { timezone: attempt(timezone, checkTimeZone) }),
    ...(brandName !== undefined && { brand_name: unlessNull(brandName, (text) => attempt(text, checkName)) }),
    ...(brandColor !== undefined && {
      brand_color: unlessNull(brandColor, (text) => attempt(text, checkColor)),
    }),
    ...(brandLogoUrl !== undefined && {
      brand_logo_url: unlessNull(brandLogoUrl, (text) => attempt(text, checkLogoUrl)),
    }),
    ...(limitPerMinute !== undefined && {
      limit_per_minute: unlessNull(limitPerMinute, (text) => attempt(text, checkRequestLimit)),
    }),
    ...(limitPerHour !== undefined && {
      limit_per_hour: unlessNull(limitPerHour, (text) => attempt(text, checkRequestLimit)),
    }),
    ...(bookings !== undefined && {
      max_bookings_per_client: unlessNull(bookings, (text) => attempt(text, checkBookingsPerClient)),
    }),
    ...(retentionDays !== undefined && {
      retention_days: unlessNull(retentionDays, (text) => attempt(text, checkRetentionDays)),
    }),
    ...(phone !== undefined && { phone: unlessNull(phone, (text) => attempt(text, checkPhone)) }),
    ...(slug !== undefined && { slug: unlessNull(slug, (text) => attempt(text, checkSlug)) }),
    ...(networks !== undefined && {
      trusted_networks_json: unlessNull(networks, (text) => attempt(text, checkNetworks)),
    }),
  }))
}

/** Runs checks of texts. Throws a UsageError that names every fault. */
function allChecked<T>(work: (attempt: <V>(text: string, check: (text: string) => V) => V) => T): T {
  const faults: string[] = []
  const result = work((text, check) => {
    try {
      return check(text)
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      faults.push(error.message)
      return undefined as never // the result is not used
    }
  })
  if (faults.length > 0) throw new UsageError(faults.join(' '))
  return result
}

function unlessNull<T>(text: string | null, check: (text: string) => T): T | null {
  return text === null ? null : check(text)
}

/** Makes a hub: a platform that acts for all its businesses. Throws a UsageError. */
export async function createHub(
  context: Context,
  input: { name: string; plan: PlanName },
): Promise<HubsTable> {
  const name = checkName(input.name)
  return context.db.transaction(async (tx) => {
    const hub: HubsTable = { id: context.ids.next(), name, plan: input.plan, created_at: tx.now }
    await insertMissing(tx.db, 'hubs', [hub])
    await recordAudit(context, tx, { by: operator, action: 'hub.created', subjectId: hub.id, hubId: hub.id })
    return hub
  })
}

/** What a business is made from. The brand is shown on the Enterprise plan only. */
interface BusinessInput {
  name: string
  plan: PlanName
  timezone: string
  hubId?: string
  brandName?: string
  brandColor?: string
  brandLogoUrl?: string
}

/** Creates a business, alone or in a hub. Throws a UsageError that names the fix. */
export async function createBusiness(context: Context, input: BusinessInput): Promise<BusinessesTable> {
  const { name, plan, timezone, hubId, brandName, brandColor, brandLogoUrl } = input
  const parts = allChecked((attempt) => ({
    name: attempt(name, checkName),
    plan,
    timezone: attempt(timezone, checkTimeZone),
    brand_name: brandName === undefined ? null : attempt(brandName, checkName),
    brand_color: brandColor === undefined ? null : attempt(brandColor, checkColor),
    brand_logo_url: brandLogoUrl === undefined ? null : attempt(brandLogoUrl, checkLogoUrl),
    limit_per_minute: null,
    limit_per_hour: null,
    max_bookings_per_client: usualBookingsPerClient,
    retention_days: null,
    phone: null,
    slug: null,
    trusted_networks_json: null,
    ...allMailColumns({}),
    catalogue_version: 1,
  }))
  return context.db.transaction(async (tx) => {
    const hub_id = hubId === undefined ? null : (await existingHub(tx.db, hubId)).id
    const business: BusinessesTable = { id: context.ids.next(), hub_id, ...parts, created_at: tx.now }
    await insertMissing(tx.db, 'businesses', [business])
    await recordBusiness(context, tx, { by: operator, action: 'business.created', id: business.id })
    return business
  })
}

/* Checks of operators' input. Each throws a UsageError that names the fix. */

const maxNameLength = 200
const highestLimit = 1_000_000

/** Returns a name of 1 to 200 code points, trimmed and NFC. */
function checkName(text: string): string {
  const name = text.trim().normalize('NFC')
  const length = Array.from(name).length // code points
  if (isLine(name) && length >= 1 && length <= maxNameLength) return name
  throw new UsageError(`A name is one line of 1 to ${maxNameLength} characters.`)
}

/** Returns an IANA time zone as the tz database spells it. */
function checkTimeZone(name: string): string {
  const zone = timeZoneNamed(name)
  if (zone !== undefined) return zone
  throw new UsageError(
    `There is no time zone "${name}"; did you mean ${nearestTimeZone(name)}? The form is Region/City.`,
  )
}

function checkColor(text: string): string {
  if (colorErrors(text).length === 0) return text
  throw new UsageError(`A brand colour has the form #1a2b3c; "${text}" is not valid.`)
}

function checkLogoUrl(text: string): string {
  if (logoUrlErrors(text).length === 0) return text
  throw new UsageError(
    `The address of a brand logo begins with https:// or http:// and a host's name; "${text}" is not valid.`,
  )
}

function checkRequestLimit(text: string): number {
  const limit = /^\d{1,7}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= highestLimit) return limit
  throw new UsageError(
    `A limit is a whole number of requests from 1 to ${highestLimit}; "${text}" is not valid.`,
  )
}

function checkBookingsPerClient(text: string): number {
  const max = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (max >= 1 && max <= maxBookingsPerClient) return max
  throw new UsageError(
    `Bookings for one client are a whole number from 1 to ${maxBookingsPerClient}, or "none" for any number; "${text}" is not valid.`,
  )
}

function checkRetentionDays(text: string): number {
  const days = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (days >= 1 && days <= maxRetentionDays) return days
  throw new UsageError(
    `Retention is a whole number of days from 1 to ${maxRetentionDays}, or "none" to keep clients; "${text}" is not valid.`,
  )
}

function checkPhone(text: string): string {
  if (text !== '' && isPhone(text)) return text
  throw new UsageError(`A phone number has at most 32 digits, spaces and + ( ) - . and "${text}" is not one.`)
}

function checkSlug(text: string): string {
  const [fault] = slugErrors(text)
  if (!fault) return text
  throw new UsageError(`A slug ${fault.detail}; "${text}" is not valid.`)
}

/**
 * Throws validation_failed when another business has the slug. Where two take one at the same moment, the unique index
 * refuses the later one, whose transaction then finds the other (`isConflict` of the engines).
 */
export async function assertFreeSlug(
  db: Queries,
  { id, slug }: { id: string; slug?: string | null },
): Promise<void> {
  const other = slug ? await findBusinessBySlug(db, slug) : undefined
  if (other && other.id !== id) throw validationProblem([slugTaken('another business')])
}

/** Turns comma-separated address ranges into stored JSON. */
function checkNetworks(text: string): string {
  const ranges = [...new Set(text.split(',').map((range) => range.trim()))]
  if (ranges.length > maxNetworks) throw new UsageError(`A business trusts at most ${maxNetworks} networks.`)
  for (const range of ranges) {
    const [fieldError] = networkErrors(range)
    if (fieldError) throw new UsageError(`A trusted network ${fieldError.detail}; "${range}" is not valid.`)
  }
  return JSON.stringify(ranges)
}

/** The business with this name in links, cached for at most five seconds. */
export async function findBusinessInLink(
  context: Context,
  slug: string,
): Promise<{ id: string } | undefined> {
  if (slugErrors(slug).length > 0) return undefined
  return context.cache.get(`business-of-slug:${slug}`, () => findBusinessBySlug(context.db.reads, slug))
}

/** Throws not_found for a business out of scope. */
export async function businessInScope(db: Queries, scope: TenantScope, id: string): Promise<BusinessRow> {
  const business = isUuid(id) ? await findBusinessInScope(db, scope, id.toLowerCase()) : undefined
  if (!business) throw new Problem('not_found', 'There is no business with this id.')
  return business
}

/** Lists businesses in the caller's scope by name: one row beyond the limit when more follow. */
export async function listBusinessesInScope(
  context: Context,
  actor: Actor,
  query: { limit?: string; cursor?: string },
): Promise<{ rows: BusinessRow[]; limit: number }> {
  const limit = readLimit(query.limit)
  const after = query.cursor === undefined ? undefined : parseCursor(query.cursor)
  return {
    rows: await findBusinessesInScope(context.db.reads, actor.scope, { after, rows: limit + 1 }),
    limit,
  }
}

/** The first businesses by name, of all hubs: for the operator's own pages. */
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

/** Creates a business in the caller's hub. Its own plan is the lowest; its hub's plan is in effect. */
export function createBusinessOfHub(
  context: Context,
  { by, hubId }: { by: Actor; hubId: string },
  input: BusinessCreation,
  store: StoreResponse<BusinessRow> = storeNothing,
): Promise<BusinessRow> {
  return context.db.transaction(async (tx) => {
    const id = context.ids.next()
    await assertFreeSlug(tx.db, { id, slug: input.slug ?? null })
    await insertMissing(tx.db, 'businesses', [
      {
        id,
        hub_id: hubId,
        name: input.name,
        plan: 'growth',
        timezone: input.timezone,
        brand_name: input.brand_name ?? null,
        brand_color: input.brand_color ?? null,
        brand_logo_url: input.brand_logo_url ?? null,
        limit_per_minute: null,
        limit_per_hour: null,
        max_bookings_per_client: input.max_bookings_per_client ?? usualBookingsPerClient,
        retention_days: input.retention_days ?? null,
        phone: input.phone ?? null,
        slug: null,
        trusted_networks_json: networksJson(input.trusted_networks),
        ...allMailColumns(splitSettings(input)[0]),
        catalogue_version: 1,
        created_at: tx.now,
      },
    ])
    if (input.slug) await updateBusiness(tx.db, id, { slug: input.slug }) // an insert would pass over one that is taken
    await recordBusiness(context, tx, { by, action: 'business.created', id })
    const business = await businessInScope(tx.db, { hubId }, id)
    await store(tx, business)
    return business
  })
}

/** Changes a business in the caller's scope; an empty change does nothing. Throws not_found. */
export function changeBusinessInScope(
  context: Context,
  actor: Actor,
  { id, change }: { id: string; change: BusinessChange },
): Promise<BusinessRow> {
  return context.db.transaction(async (tx) => {
    const business = await businessInScope(tx.db, actor.scope, id)
    if (Object.keys(change).length === 0) return business
    const { trusted_networks, ...others } = change
    const [settings, columns] = splitSettings(others)
    if (change.slug) await assertFreeSlug(tx.db, { id: business.id, slug: change.slug })
    // only the given columns: concurrent changes of others both apply
    await updateBusiness(tx.db, business.id, {
      ...columns,
      ...mailColumns(settings),
      ...(trusted_networks !== undefined && { trusted_networks_json: networksJson(trusted_networks) }),
    })
    await recordBusiness(context, tx, { by: actor, action: 'business.updated', id: business.id })
    return businessInScope(tx.db, actor.scope, business.id)
  })
}

function recordBusiness(
  context: Pick<Context, 'ids'>,
  tx: Transaction,
  { by, action, id }: { by: Actor; action: `business.${'created' | 'updated'}`; id: string },
): Promise<void> {
  return recordAudit(context, tx, { by, action, subjectId: id, businessId: id })
}

export function presentBusiness(business: BusinessRow) {
  const { id, hub_id, name, timezone, plan, hub_plan, brand_name, brand_color, brand_logo_url } = business
  const created_at = formatInstant(business.created_at, timezone)
  const inEffect = effectivePlan(plan, hub_plan)
  return {
    ...{ id, hub_id, name, timezone, plan: inEffect, brand_name, brand_color, brand_logo_url },
    max_bookings_per_client: business.max_bookings_per_client,
    retention_days: business.retention_days,
    phone: business.phone,
    slug: business.slug,
    trusted_networks: networksIn(business.trusted_networks_json),
    ...mailSettings(business),
    created_at,
  }
}

export function cursorOfBusiness(business: BusinessRow): string[] {
  return ['business', business.name, business.id]
}

/** Checks what it decodes: the database would fail on a malformed name or id. */
function parseCursor(cursor: string): readonly [string, string] {
  const [list, name, id] = decodeCursor(cursor, 3) ?? []
  if (list !== 'business' || name === undefined || !isLine(name)) throw invalidCursor()
  if (id === undefined || !isUuid(id)) throw invalidCursor()
  return [name, id]
}

/** Also bounds the search for a similar id. */
const maxListed = 10_000

/** The hub with this id or unique name. Throws a UsageError that suggests a similar one. */
export async function existingHub(db: Queries, reference: string): Promise<HubsTable> {
  const byId = isUuid(reference) ? await findHub(db, reference.toLowerCase()) : undefined
  if (byId) return byId
  const known = await findHubs(db, maxListed)
  const [hub, ...others] = known.filter(({ name }) => name === reference)
  if (!hub) throw unknownId('hub', reference, { known })
  if (others.length > 0) throw ambiguousName(reference, [hub, ...others])
  return hub
}

/** The business with this id or unique name. Throws a UsageError that suggests a similar one. */
export async function existingBusiness(db: Queries, reference: string): Promise<BusinessRow> {
  const byId = isUuid(reference) ? await findBusinessById(db, reference.toLowerCase()) : undefined
  if (byId) return byId
  const [business, ...others] = await findBusinessesNamed(db, reference, maxListed)
  if (!business) {
    throw unknownId('business', reference, { known: await findBusinesses(db, undefined, maxListed) })
  }
  if (others.length > 0) throw ambiguousName(reference, [business, ...others])
  return business
}
