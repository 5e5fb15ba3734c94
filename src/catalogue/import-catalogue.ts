import type { Context } from '../context.ts'
import type { Queries, Transaction } from '../database/database.ts'
import { UsageError, validationProblem } from '../errors.ts'
import {
  findBusinessById,
  findBusinessesNamed,
  updateBusiness,
  type BusinessRow,
} from './business-queries.ts'
import { networksIn, networksJson, usualBookingsPerClient } from './business-rules.ts'
import type { CatalogueFile } from './catalogue-file-schema.ts'
import { existingBusiness } from './existing.ts'
import { fileOf, readCatalogue, type Catalogue } from './export-catalogue.ts'
import { planImport } from './plan-import.ts'
import { saveLocation, saveService, saveStaffMember, type Saving, type ThingTable } from './saving-queries.ts'
import { insertMissing, raiseCatalogueVersion } from './write-queries.ts'

/** What an import did with the entries of one list. */
export interface Tally {
  created: number
  changed: number
  unchanged: number
}

/** What a field was and what it became; null: what it has when a file leaves it out. */
export type FieldChanges = Record<string, { from: unknown; to: unknown }>

/** A thing that an import made or changed. */
export interface ThingChange {
  kind: ThingTable
  /** Null for what a trial would make. */
  id: string | null
  name: string
  action: 'created' | 'changed'
  /** Empty for a new thing. */
  fields: FieldChanges
}

/** What an import did, or would do. */
export interface ImportReport {
  dry_run: boolean
  business: {
    /** Null for one that a trial would make. */
    id: string | null
    name: string
    created: boolean
    changed: FieldChanges
    /** What the file says otherwise of the business itself and the import left as it was. */
    left: FieldChanges
  }
  locations: Tally
  staff: Tally
  services: Tally
  changes: ThingChange[]
}

/** Which business a file is loaded into, and how. */
export interface ImportOptions {
  /** Else the one with the id that the file says, else the only one with its name, else a new one. */
  businessId: string | undefined
  /** Changes name, zone and so on of a business that the file does not name by its id. */
  overwriteBusiness: boolean
  /** Changes nothing. */
  dryRun: boolean
}

/** Ends the transaction of a trial. */
class Undo extends Error {}

/**
 * Loads a whole business: all of the file, or nothing. Things are matched by id, else by name; what is there and not in
 * the file stays. Throws validation_failed with every fault, or a UsageError.
 */
export async function importCatalogue(
  context: Context,
  file: CatalogueFile,
  options: ImportOptions,
): Promise<ImportReport> {
  let trial: ImportReport | undefined
  const load = context.db.transaction(async (tx) => {
    const { business, ...ofBusiness } = await importBusiness(context, tx, { file, options })
    await raiseCatalogueVersion(tx.db, business.id) // keeps other changes away until the end
    const before = await readCatalogue(tx.db, business.id)
    const wanted = await planImport(tx.db, { file, business, before, nextId: () => context.ids.next() })
    const { id, name } = business
    const saved = await saveAll(tx, { business, before, wanted })
    const report = { dry_run: options.dryRun, business: { id, name, ...ofBusiness }, ...saved }
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

const noBrand = { brand_name: null, brand_color: null, brand_logo_url: null }

async function importBusiness(
  context: Context,
  tx: Transaction,
  { file, options }: { file: CatalogueFile; options: ImportOptions },
): Promise<{ business: BusinessRow; created: boolean; changed: FieldChanges; left: FieldChanges }> {
  const { business: entry } = file
  if (options.overwriteBusiness && !entry)
    throw new UsageError('The file says nothing of the business itself: leave --overwrite-business out.')
  const existing = await businessOfFile(tx.db, entry, options.businessId)
  if (existing) {
    const told = entry ? columnsOf(entry) : {}
    const differing = differences(inFileTerms(existing), inFileTerms({ ...existing, ...told }))
    if (entry?.id === undefined && !options.overwriteBusiness) {
      return { business: existing, created: false, changed: {}, left: differing }
    }
    if (entry) await updateBusiness(tx.db, existing.id, told)
    const business = await existingBusiness(tx.db, existing.id)
    return { business, created: false, changed: differing, left: {} }
  }
  if (!entry)
    throw new UsageError('The file names no business: add --business with the id of the one that it is for.')
  const id = entry.id ?? context.ids.next()
  const none = { hub_id: null, limit_per_minute: null, limit_per_hour: null, catalogue_version: 1 }
  const row = { ...none, plan: 'enterprise' as const, ...columnsOf(entry), id, created_at: tx.now }
  await insertMissing(tx.db, 'businesses', [row])
  return { business: await existingBusiness(tx.db, id), created: true, changed: {}, left: {} }
}

/** A file says the whole: what is absent has its default, only the plan stays. */
function columnsOf({ id: _, trusted_networks, ...entry }: NonNullable<CatalogueFile['business']>) {
  return {
    ...noBrand,
    max_bookings_per_client: usualBookingsPerClient,
    ...entry,
    trusted_networks_json: networksJson(trusted_networks),
  }
}

/** As a file writes it, and not as an engine does. */
function inFileTerms({ trusted_networks_json, ...business }: BusinessRow) {
  return { ...business, trusted_networks: networksIn(trusted_networks_json) }
}

/** The business that the file is for; undefined when it is to be made. */
async function businessOfFile(
  db: Queries,
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
  const [same, other] = await findBusinessesNamed(db, entry.name)
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
  const changes: ThingChange[] = []
  const names = namesIn(before, wanted)
  const entryOf = (part: Partial<Catalogue>) => fileOf(business, { ...noThings, ...part })
  return {
    locations: await saveChanged(tx, before.locations, wanted.locations, {
      ...{ kind: 'locations', names, changes, save: saveLocation },
      entryOf: (location) => entryOf({ locations: [location] }).locations?.[0],
    }),
    staff: await saveChanged(tx, before.staff, wanted.staff, {
      ...{ kind: 'staff', names, changes, save: saveStaffMember },
      entryOf: (member) => entryOf({ staff: [member] }).staff?.[0],
    }),
    services: await saveChanged(tx, before.services, wanted.services, {
      ...{ kind: 'services', names, changes, save: saveService },
      entryOf: (service) => entryOf({ services: [service] }).services?.[0],
    }),
    changes,
  }
}

const noThings: Catalogue = { locations: [], staff: [], services: [] }

/** Names by ids, of what is there and what is to be there. */
function namesIn(...catalogues: Catalogue[]): Map<string, string> {
  const things = catalogues.flatMap(({ locations, staff, services }) => [...locations, ...staff, ...services])
  return new Map(things.map(({ id, name }) => [id, name]))
}

interface Saver<Row> {
  kind: ThingTable
  names: Map<string, string>
  /** What is made or changed is added to it. */
  changes: ThingChange[]
  save: (db: Queries, row: Row, saving: Saving) => Promise<void>
  entryOf: (row: Row) => object | undefined
}

/** Writes what is new or different: equal is what a file says in the same words. */
async function saveChanged<Row extends { id: string; name: string }>(
  tx: Transaction,
  before: Row[],
  wanted: Row[],
  { kind, names, changes, save, entryOf }: Saver<Row>,
): Promise<Tally> {
  const old = new Map(before.map((row) => [row.id, entryOf(row)]))
  const tally: Tally = { created: 0, changed: 0, unchanged: 0 }
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
  return tally
}

/** The fields in which two differ; ids of others are shown as their names. */
function differences(before: object, after: object, names = new Map<string, string>()): FieldChanges {
  const [old, wanted] = [before, after].map((one) => new Map(Object.entries(one)))
  const fields = new Set([...(old?.keys() ?? []), ...(wanted?.keys() ?? [])])
  const differing = [...fields].filter(
    (field) => JSON.stringify(old?.get(field)) !== JSON.stringify(wanted?.get(field)),
  )
  const shown = (value: unknown): unknown =>
    Array.isArray(value) ? value.map((one: unknown) => names.get(String(one)) ?? one) : (value ?? null)
  return Object.fromEntries(
    differing.map((field) => [field, { from: shown(old?.get(field)), to: shown(wanted?.get(field)) }]),
  )
}
