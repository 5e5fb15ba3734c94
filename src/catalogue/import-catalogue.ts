import type { Context } from '../context.ts'
import type { Queries, Transaction } from '../database/database.ts'
import { UsageError, validationProblem } from '../errors.ts'
import {
  findBusinessById,
  findBusinessesNamed,
  updateBusiness,
  type BusinessRow,
} from './business-queries.ts'
import type { CatalogueFile } from './catalogue-file-schema.ts'
import { existingBusiness } from './existing.ts'
import { fileOf, readCatalogue, type Catalogue } from './export-catalogue.ts'
import { planImport } from './plan-import.ts'
import { saveLocation, saveService, saveStaffMember, type Saving } from './saving-queries.ts'
import { insertMissing, raiseCatalogueVersion } from './write-queries.ts'

/** What an import did with the entries of one list. */
export interface Tally {
  created: number
  changed: number
  unchanged: number
}

/** What an import did. */
export interface ImportReport {
  business: { id: string; name: string; created: boolean }
  locations: Tally
  staff: Tally
  services: Tally
}

/**
 * Loads a whole business: all of the file, or nothing. Without a business id, the file's business is made, or, when it
 * is there under its id, changed. Things are matched by id, else by name; what is there and not in the file stays.
 * Throws validation_failed with every fault, or a UsageError.
 */
export function importCatalogue(
  context: Context,
  file: CatalogueFile,
  { businessId }: { businessId: string | undefined },
): Promise<ImportReport> {
  return context.db.transaction(async (tx) => {
    const { business, created } = await importBusiness(context, tx, { file, businessId })
    await raiseCatalogueVersion(tx.db, business.id) // keeps other changes away until the end
    const before = await readCatalogue(tx.db, business.id)
    const wanted = await planImport(tx.db, { file, business, before, nextId: () => context.ids.next() })
    const tallies = await saveAll(tx, { business, before, wanted })
    return { business: { id: business.id, name: business.name, created }, ...tallies }
  })
}

async function importBusiness(
  context: Context,
  tx: Transaction,
  { file, businessId }: { file: CatalogueFile; businessId: string | undefined },
): Promise<{ business: BusinessRow; created: boolean }> {
  const { business: entry } = file
  const existing = await businessOfFile(tx.db, entry, businessId)
  if (existing) {
    const { id: _, ...changes } = entry ?? {}
    const none = { brand_name: null, brand_color: null, brand_logo_url: null }
    if (entry) await updateBusiness(tx.db, existing.id, { ...none, ...changes })
    return { business: await existingBusiness(tx.db, existing.id), created: false }
  }
  if (!entry)
    throw new UsageError('The file names no business: add --business with the id of the one that it is for.')
  const id = entry.id ?? context.ids.next()
  const {
    name,
    timezone,
    plan = 'enterprise',
    brand_name = null,
    brand_color = null,
    brand_logo_url = null,
  } = entry
  const none = { hub_id: null, limit_per_minute: null, limit_per_hour: null, catalogue_version: 1 }
  const row = {
    ...none,
    id,
    name,
    timezone,
    plan,
    brand_name,
    brand_color,
    brand_logo_url,
    created_at: tx.now,
  }
  await insertMissing(tx.db, 'businesses', [row])
  return { business: await existingBusiness(tx.db, id), created: true }
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
  const [same] = await findBusinessesNamed(db, entry.name)
  if (!same) return undefined
  // a business of somebody else may have the same name, so which one is meant has to be said
  throw new UsageError(
    `There is a business named ${entry.name} already; add --business ${same.id} to load the file into it.`,
  )
}

async function saveAll(
  tx: Transaction,
  { business, before, wanted }: { business: BusinessRow; before: Catalogue; wanted: Catalogue },
): Promise<Omit<ImportReport, 'business'>> {
  const entryOf = (part: Partial<Catalogue>) => JSON.stringify(fileOf(business, { ...noThings, ...part }))
  return {
    locations: await saveChanged(tx, before.locations, wanted.locations, {
      save: saveLocation,
      entryOf: (location) => entryOf({ locations: [location] }),
    }),
    staff: await saveChanged(tx, before.staff, wanted.staff, {
      save: saveStaffMember,
      entryOf: (member) => entryOf({ staff: [member] }),
    }),
    services: await saveChanged(tx, before.services, wanted.services, {
      save: saveService,
      entryOf: (service) => entryOf({ services: [service] }),
    }),
  }
}

const noThings: Catalogue = { locations: [], staff: [], services: [] }

/** Writes what is new or different: equal is what a file says in the same words. */
async function saveChanged<Row extends { id: string }>(
  tx: Transaction,
  before: Row[],
  wanted: Row[],
  how: { save: (db: Queries, row: Row, saving: Saving) => Promise<void>; entryOf: (row: Row) => string },
): Promise<Tally> {
  const old = new Map(before.map((row) => [row.id, how.entryOf(row)]))
  const tally: Tally = { created: 0, changed: 0, unchanged: 0 }
  for (const row of wanted) {
    const entry = old.get(row.id)
    if (entry === how.entryOf(row)) {
      tally.unchanged += 1
      continue
    }
    await how.save(tx.db, row, { now: tx.now, isNew: entry === undefined })
    tally[entry === undefined ? 'created' : 'changed'] += 1
  }
  return tally
}
