import { operator } from '../access/actor.ts'
import { recordAudit } from '../access/audit.ts'
import { type FieldError, Problem, UsageError, validationProblem } from '../base/errors.ts'
import { publicUrl } from '../base/public-url.ts'
import type { Queries, Reads, Transaction } from '../database/database.ts'
import type { Context } from '../access/context.ts'
import {
  type BusinessRow,
  findBusinessById,
  findBusinessesNamed,
  updateBusiness,
} from './business-queries.ts'
import { firstColumns, networksIn } from './business-rules.ts'
import { assertFreeSlug, businessColumns, existingBusiness } from './business.ts'
import { inFile as inOwnFile, namedImages, withOwnImages } from './image-rules.ts'
import { keepImages } from './named-image.ts'
import { withMailSettings } from './mail-settings-rules.ts'
import {
  clearSlugs,
  findForeignIds,
  insertMissing,
  raiseCatalogueVersion,
  saveLocation,
  saveResource,
  saveService,
  saveStaffMember,
  type Saving,
  type SluggedTable,
} from './catalogue-queries.ts'
import { itemNouns, type ItemTable } from './catalogue-types.ts'
import type { StaffMember } from './location-and-staff-schemas.ts'
import type { BookableResource } from './resource-schemas.ts'
import type { Service } from './service-schemas.ts'
import { assertFits, assertRoom, saveWithinLinks } from './catalogue.ts'
import { completeResource, completeService, writableLocations, writableStaff } from './catalogue-kinds.ts'
import { type Catalogue, fileOf, readCatalogue } from './export.ts'
import { needConflicts, partErrors, termsErrors, usualAdvanceDays, withFieldIds } from './service-rules.ts'
import { slugTaken } from './slug-rules.ts'
import type { CatalogueFile, ResourceEntry, ServiceEntry, StaffEntry } from './catalogue-file-schemas.ts'

export interface Tally {
  created: number
  changed: number
  unchanged: number
}

/** A field's old and new value. Null means its default. */
export type FieldChanges = Record<string, { from: unknown; to: unknown }>

/** An item that an import created or changed. */
interface ItemChange {
  kind: ItemTable
  /** Null for a creation in a dry run. */
  id: string | null
  name: string
  action: 'created' | 'changed'
  /** Empty for a creation. */
  fields: FieldChanges
}

export interface ImportReport {
  dry_run: boolean
  business: {
    /** Null for a creation in a dry run. */
    id: string | null
    name: string
    created: boolean
    changed: FieldChanges
    /** Differences in the business itself that the import did not apply. */
    left: FieldChanges
  }
  locations: Tally
  staff: Tally
  resources: Tally
  services: Tally
  changes: ItemChange[]
}

interface ImportOptions {
  /**
   * By default, the business with the file's ID, otherwise the only one with its name, otherwise a new one.
   */
  businessId: string | undefined
  /** True to change the business itself even if the file does not contain its ID. */
  overwriteBusiness: boolean
  /** True to change nothing. */
  dryRun: boolean
}

/** Thrown to roll back a dry run. */
class Undo extends Error {}

/**
 * Imports a business, either the whole file or nothing. Matches items by ID, otherwise by name. Items missing
 * from the file stay. Throws validation_failed with every error, catalogue_limit_reached, or a UsageError.
 */
export async function importCatalogue(
  context: Context,
  file: CatalogueFile,
  options: ImportOptions,
): Promise<ImportReport> {
  let trial: ImportReport | undefined
  const load = context.db.transaction(async (tx) => {
    const report = await importWithin(context, tx, { file, options })
    if (!options.dryRun) return report
    trial = report
    throw new Undo()
  })
  try {
    return await load
  } catch (error) {
    if (!(error instanceof Undo) || !trial) throw error
    const changes = trial.changes.map((change) => ({
      ...change,
      id: change.action === 'created' ? null : change.id,
    }))
    const { business } = trial
    return { ...trial, business: { ...business, id: business.created ? null : business.id }, changes }
  }
}

/** Imports within a transaction. The caller must roll back a dry run. */
export async function importWithin(
  context: Pick<Context, 'ids' | 'config'>,
  tx: Transaction,
  { file: given, options }: { file: CatalogueFile; options: ImportOptions },
): Promise<ImportReport & { business: { id: string } }> {
  const file = inOwnFile(given, (item) => withOwnImages(item, publicUrl(context.config)))
  const { business, ...ofBusiness } = await importBusiness(context, tx, { file, options })
  await keepImages(tx, business.id, imagesInFile(file))
  await raiseCatalogueVersion(tx.db, business.id) // also locks the catalogue
  const before = await readCatalogue(tx.db, business.id)
  const wanted = await planImport(tx.db, { file, business, before, nextId: () => context.ids.next() })
  const { id, name } = business
  const saved = await saveWithinLinks(tx, id, () => saveAll(tx, { business, before, wanted }))
  await recordAudit(context, tx, { by: operator, action: 'business.imported', subjectId: id, businessId: id })
  return { dry_run: options.dryRun, business: { id, name, ...ofBusiness }, ...saved }
}

function imagesInFile({ business, staff = [], services = [] }: CatalogueFile) {
  return [
    ...namedImages(business ?? {}, '/business'),
    ...staff.flatMap((entry, index) => namedImages(entry, `/staff/${index}`)),
    ...services.flatMap((entry, index) => namedImages(entry, `/services/${index}`)),
  ]
}

async function importBusiness(
  context: Pick<Context, 'ids'>,
  tx: Transaction,
  { file, options }: { file: CatalogueFile; options: ImportOptions },
): Promise<{ business: BusinessRow; created: boolean; changed: FieldChanges; left: FieldChanges }> {
  const { business: entry } = file
  if (options.overwriteBusiness && !entry)
    throw new UsageError('The file has no business section: omit --overwrite-business.')
  const existing = await businessOfFile(tx.db, entry, options.businessId)
  if (existing) {
    const told = entry ? importedColumns(entry) : {}
    const differing = differences(inFileTerms(existing), inFileTerms({ ...existing, ...told }))
    if (entry?.id === undefined && !options.overwriteBusiness) {
      return { business: existing, created: false, changed: {}, left: differing }
    }
    await assertFreeSlug(tx.db, { id: existing.id, ...told }).catch(inFile)
    if (entry) await updateBusiness(tx.db, existing.id, told)
    const business = await existingBusiness(tx.db, existing.id)
    return { business, created: false, changed: differing, left: {} }
  }
  if (!entry) throw new UsageError('The file names no business: add --business with its id.')
  const id = entry.id ?? context.ids.next()
  const row = {
    ...{ ...firstColumns, hub_id: null, plan: 'enterprise' as const, ...importedColumns(entry) },
    ...{ id, created_at: tx.now },
  }
  await assertFreeSlug(tx.db, row).catch(inFile)
  await insertMissing(tx.db, 'businesses', [row])
  return { business: await existingBusiness(tx.db, id), created: true, changed: {}, left: {} }
}

/** Converts the pointers of a fault of the business into those of the file. */
function inFile(error: unknown): never {
  if (!(error instanceof Problem) || !error.parts.errors) throw error
  throw validationProblem(
    error.parts.errors.map((fault) => ({ ...fault, pointer: `/business${fault.pointer}` })),
  )
}

/** Returns the columns of the business in a file. Absent fields get their defaults; only the plan stays. */
function importedColumns({ id: _, plan, ...entry }: NonNullable<CatalogueFile['business']>) {
  return { ...businessColumns(entry), ...(plan !== undefined && { plan }) }
}

/** Converts a row into the format of the file, which is the same for both engines. */
function inFileTerms({ trusted_networks_json, ...row }: BusinessRow) {
  return { ...withMailSettings(row), trusted_networks: networksIn(trusted_networks_json) }
}

/** Finds the target business; undefined for a new one. */
async function businessOfFile(
  db: Reads,
  entry: CatalogueFile['business'],
  businessId: string | undefined,
): Promise<BusinessRow | undefined> {
  if (businessId !== undefined) {
    const business = await existingBusiness(db, businessId)
    if (entry?.id === undefined || entry.id === business.id) return business
    const detail = 'is not the business that --business names; leave it out'
    throw validationProblem([{ pointer: '/business/id', code: 'unknown_reference', detail }])
  }
  if (!entry) return undefined
  if (entry.id !== undefined) return findBusinessById(db, entry.id)
  const [same, other] = await findBusinessesNamed(db, entry.name, 2)
  if (same && other) {
    throw new UsageError(
      `Several businesses have the name ${entry.name} (${same.id}, ${other.id} …): say by --business which one is meant.`,
    )
  }
  return same
}

async function saveAll(
  tx: Transaction,
  { business, before, wanted }: { business: BusinessRow; before: Catalogue; wanted: Catalogue },
): Promise<Omit<ImportReport, 'business' | 'dry_run'>> {
  const changes: ItemChange[] = []
  const names = namesIn(before, wanted)
  const entryOf = (part: Partial<Catalogue>) => fileOf(business, { ...noItems, ...part })
  return {
    locations: await saveChanged(tx, before.locations, wanted.locations, {
      ...{ kind: 'locations', names, changes, save: saveLocation },
      entryOf: (location) => entryOf({ locations: [location] }).locations?.[0],
    }),
    staff: await saveChanged(tx, before.staff, wanted.staff, {
      ...{ kind: 'staff', names, changes, save: saveStaffMember },
      entryOf: (member) => entryOf({ staff: [member] }).staff?.[0],
    }),
    resources: await saveChanged(tx, before.resources, wanted.resources, {
      ...{ kind: 'resources', names, changes, save: saveResource },
      entryOf: (resource) => entryOf({ resources: [resource] }).resources?.[0],
    }),
    services: await saveChanged(tx, before.services, wanted.services, {
      ...{ kind: 'services', names, changes, save: saveService },
      entryOf: (service) => entryOf({ services: [service] }).services?.[0],
    }),
    changes,
  }
}

const noItems: Catalogue = { locations: [], staff: [], resources: [], services: [] }

/** Returns the names of existing and new items by ID. */
function namesIn(...catalogues: Catalogue[]): Map<string, string> {
  const items = catalogues.flatMap((catalogue) => Object.values<Named[]>({ ...catalogue }).flat())
  return new Map(items.map(({ id, name }) => [id, name]))
}

interface Saver<Row> {
  kind: ItemTable
  names: Map<string, string>
  /** Collects creations and changes. */
  changes: ItemChange[]
  save: (db: Queries, row: Row, saving: Saving) => Promise<void>
  entryOf: (row: Row) => object | undefined
}

/** Writes new and changed items. Items are equal if their file entries are. */
async function saveChanged<
  Row extends { id: string; name: string; business_id: string; slug?: string | null; active: boolean },
>(
  tx: Transaction,
  before: Row[],
  wanted: Row[],
  { kind, names, changes, save, entryOf }: Saver<Row>,
): Promise<Tally> {
  const old = new Map(before.map((row) => [row.id, entryOf(row)]))
  const tally: Tally = { created: 0, changed: 0, unchanged: 0 }
  if (kind === 'staff' || kind === 'services') await clearChangedSlugs(tx, kind, { before, wanted })
  for (const row of wanted) {
    const entry = old.get(row.id)
    const fields = entry ? differences(entry, entryOf(row) ?? {}, names) : {}
    if (entry && Object.keys(fields).length === 0) {
      tally.unchanged += 1
      continue
    }
    await save(tx.db, row, { now: tx.now, isNew: entry === undefined })
    const action = entry === undefined ? 'created' : 'changed'
    tally[action] += 1
    changes.push({ kind, id: row.id, name: row.name, action, fields })
  }
  const inactive = new Set(before.flatMap(({ id, active }) => (active ? [] : id)))
  const [more] = wanted.filter(({ id, active }) => !old.has(id) || (active && inactive.has(id)))
  if (more) await assertRoom(tx, kind, more.business_id)
  const [longer] = changes.length > 0 ? wanted : []
  if (longer) await assertFits(tx, longer.business_id)
  return tally
}

/** Clears slugs first, so that two items can exchange theirs. */
async function clearChangedSlugs(
  tx: Transaction,
  kind: SluggedTable,
  {
    before,
    wanted,
  }: Record<'before' | 'wanted', { id: string; business_id: string; slug?: string | null }[]>,
): Promise<void> {
  const changed = before.filter(
    ({ id, slug }) => slug && wanted.some((row) => row.id === id && row.slug !== slug),
  )
  const [first] = changed
  const ids = changed.map(({ id }) => id)
  if (first) await clearSlugs(tx.db, kind, { businessId: first.business_id, ids })
}

/** Returns changed fields, with IDs replaced by names. */
function differences(before: object, after: object, names = new Map<string, string>()): FieldChanges {
  const [old, wanted] = [before, after].map((one) => new Map(Object.entries(one)))
  const fields = new Set([...(old?.keys() ?? []), ...(wanted?.keys() ?? [])])
  const differing = [...fields].filter(
    (field) => JSON.stringify(old?.get(field)) !== JSON.stringify(wanted?.get(field)),
  )
  const shown = (value: unknown): unknown => {
    if (typeof value === 'string') return names.get(value) ?? value
    if (Array.isArray(value)) return value.map(shown)
    if (typeof value !== 'object' || value === null) return value ?? null
    return Object.fromEntries(Object.entries(value).map(([member, one]) => [member, shown(one)]))
  }
  return Object.fromEntries(
    differing.map((field) => [field, { from: shown(old?.get(field)), to: shown(wanted?.get(field)) }]),
  )
}

interface Importing {
  file: CatalogueFile
  business: BusinessRow
  before: Catalogue
  nextId: () => string
}

/**
 * Completes the entries of a file. Throws validation_failed with every conflict among them and with existing
 * items.
 */
async function planImport(db: Reads, importing: Importing): Promise<Catalogue> {
  const fieldErrors: FieldError[] = []
  const matching = await matchFile(db, importing, fieldErrors)
  const { file, business, nextId } = importing
  const { locations = [], staff = [], resources = [], services = [] } = file
  const own = { ...importing, ...matching }
  const wanted: Catalogue = {
    locations: locations.map((entry, index) => ({
      ...writableLocations.complete(entry, business, nextId),
      id: idAt(matching.matched.locations, index),
    })),
    staff: staff.map((entry, index) => staffMemberOf(entry, { ...own, index })),
    resources: resources.map((entry, index) => resourceOf(entry, { ...own, index })),
    services: services.map((entry, index) => serviceOf(entry, { ...own, index })),
  }
  fieldErrors.push(...conflicts(wanted, importing.before, fieldErrors))
  if (fieldErrors.length > 0) throw validationProblem(fieldErrors)
  return wanted
}

/** Resolves references, and collects errors. */
type Resolver = Record<'sorted' | 'inOrder' | 'single', (references: string[], pointer: string) => string[]>

interface Matching {
  matched: Record<ItemTable, Matched>
  places: Resolver
  people: Resolver
  things: Resolver
}

/** Matches the entries of a file with existing items. */
async function matchFile(
  db: Reads,
  { file, business, before, nextId }: Importing,
  fieldErrors: FieldError[],
): Promise<Matching> {
  const { locations = [], staff = [], resources = [], services = [] } = file
  const match = async (list: ItemTable, entries: Identity[], existing: Named[]): Promise<Matched> => {
    const matched = matchEntries(entries, { list, existing, nextId })
    fieldErrors.push(
      ...matched.fieldErrors,
      ...(await foreignErrors(db, list, { matched, businessId: business.id })),
    )
    return matched
  }
  const ofLocations = await match('locations', locations, before.locations)
  const ofStaff = await match('staff', staff, before.staff)
  const places = resolver('locations', namesOf(locations, ofLocations.ids, before.locations), fieldErrors)
  const people = resolver('staff', namesOf(staff, ofStaff.ids, before.staff), fieldErrors)
  const ofResources = await match(
    'resources',
    // alike names at different locations are different resources; faults of locations are reported later
    resources.map((entry) => ({ ...entry, name: within(meant(entry.location, places.known)[0]?.id, entry) })),
    before.resources.map((one) => ({ ...one, name: within(one.location_id, one) })),
  )
  const ofServices = await match('services', services, before.services)
  fieldErrors.push(
    ...slugErrors('staff', { entries: staff, ids: ofStaff.ids, existing: before.staff }),
    ...slugErrors('services', { entries: services, ids: ofServices.ids, existing: before.services }),
  )
  const things = resolver('resources', namesOf(resources, ofResources.ids, before.resources), fieldErrors)
  const matched = { locations: ofLocations, staff: ofStaff, resources: ofResources, services: ofServices }
  return { matched, places, people, things }
}

function within(locationId: string | undefined, { name }: { name: string }): string {
  return `${locationId} ${name}`
}

function resolver(
  table: ItemTable,
  known: Named[],
  fieldErrors: FieldError[],
): Resolver & { known: Named[] } {
  const inOrder = (references: string[], pointer: string, pointerTo?: string) => {
    const resolved = resolveReferences(references, { pointer, noun: itemNouns[table], known })
    fieldErrors.push(
      ...resolved.fieldErrors.map((fault) => ({ ...fault, pointer: pointerTo ?? fault.pointer })),
    )
    return resolved.ids
  }
  return {
    known,
    inOrder: (references, pointer) => inOrder(references, pointer),
    sorted: (references, pointer) => inOrder(references, pointer).toSorted(),
    single: (references, pointer) => inOrder(references, pointer, pointer),
  }
}

/** Returns errors among the parts of an item, and of a resource that has changed its location. */
function conflicts(wanted: Catalogue, before: Catalogue, found: readonly FieldError[]): FieldError[] {
  const locations = new Map(before.resources.map(({ id, location_id }) => [id, location_id]))
  const resources = new Map([...before.resources, ...wanted.resources].map((one) => [one.id, one]))
  const moved = wanted.resources.flatMap(({ id, location_id }, index): FieldError[] => {
    if ((locations.get(id) ?? location_id) === location_id) return []
    const detail = 'must stay the same; leave the id out for another resource'
    return [{ pointer: `/resources/${index}/location`, code: 'not_allowed', detail }]
  })
  const everything = { steps: true, needs: true, terms: true }
  const ofServices = wanted.services.flatMap((service, index) => {
    const start = `/services/${index}`
    if (found.some(({ pointer }) => pointer.startsWith(`${start}/`))) return []
    const repeated = termsErrors(service.terms).map((fault) => ({
      ...fault,
      pointer: `/terms${fault.pointer}`,
    }))
    const others = [...partErrors(service, everything), ...needConflicts(service, resources, everything)]
    return [...repeated, ...others].map(({ pointer, ...fault }) => ({
      ...fault,
      pointer: `${start}${inNames(pointer)}`,
    }))
  })
  return [...moved, ...ofServices]
}

/** Converts a pointer to the members of a file, which names items instead of their IDs. */
function inNames(pointer: string): string {
  return pointer.replace('/resource_ids/', '/resources/').replace(/\/staff_id$/, '/staff')
}

interface Resolving extends Importing, Matching {
  index: number
}

function idAt({ ids }: Matched, index: number): string {
  const id = ids[index]
  if (id === undefined) throw new Error('an entry was not matched')
  return id
}

function staffMemberOf(
  { locations = [], ...entry }: StaffEntry,
  { business, nextId, places, matched, index }: Resolving,
): StaffMember {
  const location_ids = places.sorted(locations, `/staff/${index}/locations`)
  const id = idAt(matched.staff, index)
  return { ...writableStaff.complete({ ...entry, location_ids }, business, nextId), id }
}

function resourceOf(
  { location, ...entry }: ResourceEntry,
  { business, nextId, places, matched, index }: Resolving,
): BookableResource {
  const [location_id = ''] = places.single([location], `/resources/${index}/location`)
  const id = idAt(matched.resources, index)
  return { ...completeResource({ ...entry, location_id }, business, nextId), id }
}

function serviceOf(
  { locations, staff = [], needs = [], terms = [], custom_fields = [], ...entry }: ServiceEntry,
  { business, before, nextId, places, people, things, matched, index }: Resolving,
): Service {
  const start = `/services/${index}`
  const id = idAt(matched.services, index)
  const existing = before.services.find((service) => service.id === id)
  const input = {
    ...entry,
    location_ids: places.sorted(locations, `${start}/locations`),
    staff_ids: people.sorted(staff, `${start}/staff`),
    needs: needs.map(({ resources, ...need }, at) => ({
      resource_ids: things.inOrder(resources, `${start}/needs/${at}/resources`),
      ...need,
    })),
    terms: terms.map(({ staff: person, ...own }, at) => ({
      staff_id: people.single([person], `${start}/terms/${at}/staff`)[0] ?? '',
      ...own,
    })),
  }
  return {
    ...completeService(input, business, nextId),
    id,
    max_advance_days: advanceDays(entry.max_advance_days, existing),
    custom_fields: withFieldIds(custom_fields, existing?.custom_fields ?? [], nextId),
  }
}

/**
 * Returns the booking horizon. An unlimited service stays unlimited, because absent meant unlimited in older
 * exports.
 */
function advanceDays(imported: number | null | undefined, existing: Service | undefined): number | null {
  if (imported !== undefined) return imported
  return existing?.max_advance_days === null ? null : usualAdvanceDays
}

interface Slugged {
  id: string
  name: string
  slug: string | null
}

/** Returns errors for slugs of another entry, or of an item that the file does not name. */
function slugErrors(
  table: SluggedTable,
  { entries, ids, existing }: { entries: { slug?: string }[]; ids: string[]; existing: Slugged[] },
): FieldError[] {
  return entries.flatMap(({ slug }, index) => {
    if (slug === undefined) return []
    const isRepeated = entries.some((other, at) => at < index && other.slug === slug)
    const other = existing.find((item) => item.slug === slug && !ids.includes(item.id))
    const whose = isRepeated ? 'another entry' : other && `${other.name}, which the file does not name`
    if (whose === undefined) return []
    const { pointer, ...fault } = slugTaken(whose)
    return [{ ...fault, pointer: `/${table}/${index}${pointer}` }]
  })
}

/** Returns errors for IDs of another business. */
async function foreignErrors(
  db: Reads,
  table: ItemTable,
  { matched, businessId }: { matched: Matched; businessId: string },
): Promise<FieldError[]> {
  const foreign = await findForeignIds(db, table, { businessId, ids: matched.ids })
  return matched.ids.flatMap((id, index) => {
    if (!foreign.has(id)) return []
    const pointer = `/${table}/${index}/id`
    return [
      {
        pointer,
        code: 'unknown_reference',
        detail: 'belongs to another business; leave the id out for a copy',
      },
    ]
  })
}

export interface Named {
  id: string
  name: string
  key?: string | undefined
}

interface Identity {
  id?: string
  key?: string
  name: string
}

/** Entries, each with its existing or new ID. */
interface Matched {
  ids: string[]
  fieldErrors: FieldError[]
}

/**
 * Matches entries by ID, otherwise by a unique name that no entry's ID takes, otherwise as new. Importing a
 * file twice therefore duplicates nothing.
 */
function matchEntries(
  entries: Identity[],
  { list, existing, nextId }: { list: string; existing: Named[]; nextId: () => string },
): Matched {
  const named = new Set(entries.flatMap(({ id }) => id ?? []))
  const free = existing.filter(({ id }) => !named.has(id))
  const fieldErrors: FieldError[] = []
  const ids = entries.map((entry, index) => {
    if (entry.id !== undefined) return entry.id
    const pointer = `/${list}/${index}/name`
    if (entries.some((other, at) => at < index && other.id === undefined && other.name === entry.name)) {
      const detail = 'is given twice; use ids to distinguish items with one name'
      fieldErrors.push({ pointer, code: 'repeated', detail })
    }
    const same = free.filter(({ name }) => name === entry.name)
    if (same.length > 1) {
      const detail = `is the name of ${same.length} existing items; use the id`
      fieldErrors.push({ pointer, code: 'unknown_reference', detail })
    }
    return same[0]?.id ?? nextId()
  })
  return { ids, fieldErrors: [...fieldErrors, ...repeatedErrors(entries, list)] }
}

function repeatedErrors(entries: Identity[], list: string): FieldError[] {
  return (['id', 'key'] as const).flatMap((member) =>
    entries.flatMap((entry, index) => {
      const value = entry[member]
      if (value === undefined || entries.findIndex((other) => other[member] === value) === index) return []
      const pointer = `/${list}/${index}/${member}`
      return [{ pointer, code: 'repeated', detail: 'is given twice' }]
    }),
  )
}

/** Returns the possible targets of a reference: the file's entries and existing items. */
function namesOf(entries: Identity[], ids: string[], existing: Named[]): Named[] {
  const inFile = entries.map(({ key, name }, index): Named => ({ id: ids[index] ?? '', key, name }))
  return [...inFile, ...existing.filter(({ id }) => !ids.includes(id))]
}

/**
 * Resolves references by ID, otherwise by key, otherwise by name. Returns an error for each that matches none
 * or several.
 */
export function resolveReferences(
  references: string[],
  { pointer, noun, known }: { pointer: string; noun: string; known: Named[] },
): { ids: string[]; fieldErrors: FieldError[] } {
  const fieldErrors: FieldError[] = []
  const ids = references.flatMap((reference, index) => {
    const found = meant(reference, known)
    if (found.length === 1) return found.map(({ id }) => id)
    const detail =
      found.length === 0
        ? `"${reference}" is not a ${noun}${known.length === 0 ? '' : `; known: ${someNames(known)}`}`
        : `"${reference}" can be ${found.length} of them; name the ${noun} by a key or its id`
    const place = `${pointer}/${index}`
    fieldErrors.push({ pointer: place, code: 'unknown_reference', detail })
    return []
  })
  return { ids: [...new Set(ids)], fieldErrors }
}

function meant(reference: string, known: Named[]): Named[] {
  const ways = [
    (one: Named) => one.id === reference.toLowerCase(),
    (one: Named) => one.key === reference,
    (one: Named) => one.name === reference,
  ]
  for (const way of ways) {
    const found = known.filter(way)
    if (found.length > 0) return found
  }
  return []
}

const maxNames = 10

function someNames(known: Named[]): string {
  const names = known.slice(0, maxNames).map(({ name }) => name)
  return known.length > maxNames ? `${names.join(', ')} …` : names.join(', ')
}
