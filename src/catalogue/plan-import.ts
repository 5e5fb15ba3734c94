import type { Queries } from '../database/database.ts'
import { validationProblem, type Fault } from '../errors.ts'
import type { BusinessRow } from './business-queries.ts'
import {
  matchEntries,
  namesOf,
  resolveReferences,
  type Identity,
  type Matched,
  type Named,
} from './catalogue-file-rules.ts'
import type { CatalogueFile, ServiceEntry, StaffEntry } from './catalogue-file-schema.ts'
import type { Service, StaffMember } from './catalogue-types.ts'
import type { Catalogue } from './export-catalogue.ts'
import { findForeignIds, type ThingTable } from './saving-queries.ts'
import { usualAdvanceDays, withFieldIds } from './service-rules.ts'
import { writableLocations, writableServices, writableStaff } from './writable-kinds.ts'

/** What an import is planned from. */
interface Importing {
  file: CatalogueFile
  business: BusinessRow
  before: Catalogue
  nextId: () => string
}

/**
 * The whole things that the entries of a file mean. Throws validation_failed with every fault that they have among
 * each other and with what is there.
 */
export async function planImport(db: Queries, importing: Importing): Promise<Catalogue> {
  const { file, business, before, nextId } = importing
  const { locations = [], staff = [], services = [] } = file
  const faults: Fault[] = []
  const match = async (list: ThingTable, entries: Identity[], existing: Named[]): Promise<Matched> => {
    const matched = matchEntries(entries, { list, existing, nextId })
    faults.push(...matched.faults, ...(await foreignFaults(db, list, { matched, businessId: business.id })))
    return matched
  }
  const places = await match('locations', locations, before.locations)
  const people = await match('staff', staff, before.staff)
  const offers = await match('services', services, before.services)
  const resolver = (noun: string, known: Named[]) => (references: string[], pointer: string) => {
    const resolved = resolveReferences(references, { pointer, noun, known })
    faults.push(...resolved.faults)
    return resolved.ids
  }
  const placesOf = resolver('location', namesOf(locations, places.ids, before.locations))
  const peopleOf = resolver('staff member', namesOf(staff, people.ids, before.staff))
  const own = { ...importing, placesOf, peopleOf }
  const wanted: Catalogue = {
    locations: locations.map((entry, index) => ({
      ...writableLocations.complete(entry, business, nextId),
      id: idAt(places, index),
    })),
    staff: staff.map((entry, index) => staffMemberOf(entry, { ...own, index, id: idAt(people, index) })),
    services: services.map((entry, index) => serviceOf(entry, { ...own, index, id: idAt(offers, index) })),
  }
  if (faults.length > 0) throw validationProblem(faults)
  return wanted
}

interface Resolving extends Importing {
  placesOf: (references: string[], pointer: string) => string[]
  peopleOf: (references: string[], pointer: string) => string[]
  index: number
  id: string
}

function idAt({ ids }: Matched, index: number): string {
  const id = ids[index]
  if (id === undefined) throw new Error('an entry was not matched')
  return id
}

function staffMemberOf(
  { locations = [], ...entry }: StaffEntry,
  { business, nextId, placesOf, index, id }: Resolving,
): StaffMember {
  const location_ids = placesOf(locations, `/staff/${index}/locations`)
  return { ...writableStaff.complete({ ...entry, location_ids }, business, nextId), id }
}

function serviceOf(
  { locations, staff = [], custom_fields = [], max_advance_days, ...entry }: ServiceEntry,
  { business, before, nextId, placesOf, peopleOf, index, id }: Resolving,
): Service {
  const location_ids = placesOf(locations, `/services/${index}/locations`)
  const staff_ids = peopleOf(staff, `/services/${index}/staff`)
  const existing = before.services.find((service) => service.id === id)
  return {
    ...writableServices.complete({ ...entry, location_ids, staff_ids }, business, nextId),
    id,
    max_advance_days: advanceDays(max_advance_days, existing),
    custom_fields: withFieldIds(custom_fields, existing?.custom_fields ?? [], nextId),
  }
}

/** A service without a limit stays so, also by a file that was exported when that was what absent meant. */
function advanceDays(given: number | null | undefined, existing: Service | undefined): number | null {
  if (given !== undefined) return given
  return existing?.max_advance_days === null ? null : usualAdvanceDays
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
    return [
      {
        pointer,
        code: 'unknown_reference',
        detail: 'belongs to another business; leave the id out for a copy',
      },
    ]
  })
}
