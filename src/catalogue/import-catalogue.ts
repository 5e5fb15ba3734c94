import type { Context } from '../context.ts'
import type { Queries, Transaction } from '../database/database.ts'
import { UsageError, validationProblem, type Fault } from '../errors.ts'
import { findBusinessById, findBusinessesNamed, updateBusiness, type BusinessRow } from './business-queries.ts'
import { matchEntries, namesOf, resolveReferences, type Matched, type Named } from './catalogue-file-rules.ts'
import type { CatalogueFile } from './catalogue-file-schema.ts'
import type { Location, Service, StaffMember } from './catalogue-types.ts'
import { existingBusiness } from './existing.ts'
import { fileOf, readCatalogue, type Catalogue } from './export-catalogue.ts'
import { findForeignIds, saveLocation, saveService, saveStaffMember, type Saving, type ThingTable } from './saving-queries.ts'
import { withFieldIds } from './service-rules.ts'
import { writableLocations, writableServices, writableStaff } from './writable-kinds.ts'
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
    const wanted = await plan(context, tx.db, { file, business, before })
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
  if (!entry) throw new UsageError('The file names no business: add --business with the id of the one that it is for.')
  const id = entry.id ?? context.ids.next()
  const { name, timezone, plan = 'enterprise', brand_name = null, brand_color = null, brand_logo_url = null } = entry
  const none = { hub_id: null, limit_per_minute: null, limit_per_hour: null, catalogue_version: 1 }
  const row = { ...none, id, name, timezone, plan, brand_name, brand_color, brand_logo_url, created_at: tx.now }
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

/** The whole catalogue that a file asks for; throws every fault that its entries have among each other. */
async function plan(
  context: Context,
  db: Queries,
  { file, business, before }: { file: CatalogueFile; business: BusinessRow; before: Catalogue },
): Promise<Catalogue> {
  const { locations = [], staff = [], services = [] } = file
  const nextId = () => context.ids.next()
  const match = (list: 'locations' | 'staff' | 'services', entries: typeof locations | typeof staff | typeof services) =>
    matchEntries(entries, { list, existing: before[list] as Named[], nextId })
  const places = match('locations', locations)
  const people = match('staff', staff)
  const offers = match('services', services)
  const faults: Fault[] = [...places.faults, ...people.faults, ...offers.faults]
  for (const [table, matched] of [['locations', places], ['staff', people], ['services', offers]] as const) {
    faults.push(...(await foreignFaults(db, table, { matched, businessId: business.id })))
  }
  const knownPlaces = namesOf(locations, places.ids, before.locations)
  const knownPeople = namesOf(staff, people.ids, before.staff)
  const resolve = (references: string[] = [], pointer: string, noun: string) => {
    const known = noun === 'location' ? knownPlaces : knownPeople
    const { ids, faults: found } = resolveReferences(references, { pointer, noun, known })
    faults.push(...found)
    return ids
  }
  const wanted: Catalogue = {
    locations: locations.map((entry, index): Location => ({
      ...writableLocations.complete(entry, business, nextId),
      id: places.ids[index] ?? nextId(),
    })),
    staff: staff.map(({ locations: at, ...entry }, index): StaffMember => {
      const location_ids = resolve(at, `/staff/${index}/locations`, 'location')
      return { ...writableStaff.complete({ ...entry, location_ids }, business, nextId), id: people.ids[index] ?? nextId() }
    }),
    services: services.map(({ locations: at, staff: by, custom_fields = [], ...entry }, index): Service => {
      const location_ids = resolve(at, `/services/${index}/locations`, 'location')
      const staff_ids = resolve(by, `/services/${index}/staff`, 'staff member')
      const id = offers.ids[index] ?? nextId()
      const existing = before.services.find((service) => service.id === id)
      return {
        ...writableServices.complete({ ...entry, location_ids, staff_ids }, business, nextId),
        id,
        custom_fields: withFieldIds(custom_fields, existing?.custom_fields ?? [], nextId),
      }
    }),
  }
  if (faults.length > 0) throw validationProblem(faults)
  return wanted
}

/** Ids that another business has: its things are not taken away. */
async function foreignFaults(
  db: Queries,
  table: ThingTable,
  { matched, businessId }: { matched: Matched; businessId: string },
): Promise<Fault[]> {
  const foreign = await findForeignIds(db, table, { businessId, ids: matched.ids })
  return matched.ids.flatMap((id, index) => {
    if (!foreign.has(id)) return []
    const pointer = `/${table}/${index}/id`
    return [{ pointer, code: 'unknown_reference', detail: 'belongs to another business; leave the id out for a copy' }]
  })
}

async function saveAll(
  tx: Transaction,
  { business, before, wanted }: { business: BusinessRow; before: Catalogue; wanted: Catalogue },
): Promise<Omit<ImportReport, 'business'>> {
  const shown = (catalogue: Catalogue) => fileOf(business, { ...before, ...catalogue })
  const list = async <Row extends { id: string }>(
    name: 'locations' | 'staff' | 'services',
    rows: { before: Row[]; wanted: Row[] },
    save: (db: Queries, row: Row, saving: Saving) => Promise<void>,
  ): Promise<Tally> => {
    const tally: Tally = { created: 0, changed: 0, unchanged: 0 }
    for (const row of rows.wanted) {
      const old = rows.before.find(({ id }) => id === row.id)
      const entry = (one: Row) => JSON.stringify(shown({ ...noThings, [name]: [one] })[name])
      if (old && entry(old) === entry(row)) tally.unchanged += 1
      else {
        await save(tx.db, row, { now: tx.now, isNew: !old })
        tally[old ? 'changed' : 'created'] += 1
      }
    }
    return tally
  }
  return {
    locations: await list('locations', { before: before.locations, wanted: wanted.locations }, saveLocation),
    staff: await list('staff', { before: before.staff, wanted: wanted.staff }, saveStaffMember),
    services: await list('services', { before: before.services, wanted: wanted.services }, saveService),
  }
}

const noThings: Catalogue = { locations: [], staff: [], services: [] }
