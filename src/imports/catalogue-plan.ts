import { asLine, nameFault } from '../base/contact-formats.ts'
import type { FieldError } from '../base/errors.ts'
import { derivedId } from '../base/ids.ts'
import { searchText } from '../base/search-text.ts'
import { compileCreation, fieldErrorsOf } from '../base/validation.ts'
import type { businessForCreation } from '../catalogue/catalogue.ts'
import { CatalogueFile } from '../catalogue/catalogue-file-schemas.ts'
import { completeLocation, completeService, completeStaffMember } from '../catalogue/catalogue-kinds.ts'
import { maxNameLength } from '../catalogue/catalogue-schemas.ts'
import type { Catalogue } from '../catalogue/export.ts'
import type { Location, StaffMember } from '../catalogue/location-and-staff-schemas.ts'
import type { Service } from '../catalogue/service-schemas.ts'
import type { ImportRemark, Source } from './source-types.ts'

/*
 * Plans which locations, people and services of a source are new. One that is there already, from an earlier import or
 * with the same name, stays as it is. A later import recognises it also by another name.
 */

export type ItemKind = 'locations' | 'staff' | 'services'

/** An item of the source and its counterpart. */
export interface PlannedItem {
  kind: ItemKind
  name: string
  id: string
  isNew: boolean
}

export interface CataloguePlan {
  /** The new items only. */
  file: CatalogueFile
  /** Items that were found by their name: the ID that the import would have given, and that of the item. */
  matches: Map<string, string>
  items: PlannedItem[]
  remarks: ImportRemark[]
  /** By key of the source. New ones look as they will once they are saved. */
  locations: Map<string, Location>
  people: Map<string, StaffMember>
  services: Map<string, Service>
}

export type Business = Awaited<ReturnType<typeof businessForCreation>>

/** Identifies things of a source for good. */
export interface Identity {
  business: Business
  system: Source['system']
  /** Distinguishes several sources of one system. */
  instance: string
}

/** Returns the ID that each import of a source gives to one of its things. */
export function idFrom({ business, system, instance }: Identity, kind: string, key: string): string {
  return derivedId('import', business.id, system, instance, kind, key)
}

const validate = compileCreation(CatalogueFile)

type Entry = Record<string, unknown> & { name: string }

interface PlanOptions {
  identity: Identity
  /** The one to use for all locations of the source. */
  location: Location | undefined
  /** Those of earlier imports. */
  matches: ReadonlyMap<string, string>
}

/** Plans the catalogue. */
export function planCatalogue(
  source: Source,
  before: Catalogue,
  { identity, location, matches }: PlanOptions,
): CataloguePlan {
  const plan: CataloguePlan = {
    ...{ file: {}, items: [], remarks: [], matches: new Map(matches) },
    ...{ locations: new Map(), people: new Map(), services: new Map() },
  }
  const planning = { plan, identity, business: identity.business }
  for (const { key, name, timezone } of source.locations) {
    const found = location ?? sameLocation(before.locations, planning, { key, name, timezone })
    const row = found
      ? note(plan, 'locations', found, false)
      : add(planning, { kind: 'locations', key, entry: { name, timezone }, complete: completeLocation })
    if (row) plan.locations.set(key, row)
  }
  for (const { key, entry, locations } of source.people) {
    const found = same(before.staff, planning, { kind: 'staff', key, name: entry.name })
    const at = idsOf(plan.locations, locations)
    const row = found
      ? note(plan, 'staff', found, false)
      : add(planning, {
          ...{ kind: 'staff', key, entry, references: { locations: at } },
          complete: (input: never, business, nextId) =>
            completeStaffMember({ ...(input as typeof entry), location_ids: at }, business, nextId),
        })
    if (row) plan.people.set(key, row)
  }
  for (const service of source.services) {
    const { key, entry } = service
    const found = same(before.services, planning, { kind: 'services', key, name: entry.name })
    const row = found ? presentService(plan, found, service) : newService(planning, service)
    if (row) plan.services.set(key, row)
  }
  return plan
}

function newService(
  planning: Planning,
  { key, entry, locations, staff }: Source['services'][number],
): Service | undefined {
  const { plan } = planning
  const at = idsOf(plan.locations, locations)
  const by = idsOf(plan.people, staff)
  return add(planning, {
    ...{ kind: 'services', key, entry, references: { locations: at, staff: by } },
    complete: (input: never, business, nextId) => {
      const { custom_fields: _, needs: _needs, terms: _terms, ...parts } = input as typeof entry
      return completeService({ ...parts, location_ids: at, staff_ids: by }, business, nextId)
    },
  })
}

/** Reports people whom the source has for a service that stays as it is. */
function presentService(
  plan: CataloguePlan,
  service: Service,
  { staff, locations }: Source['services'][number],
): Service {
  const missing = idsOf(plan.people, staff).filter((id) => !service.staff_ids.includes(id))
  const absent = idsOf(plan.locations, locations).filter((id) => !service.location_ids.includes(id))
  const names = [...plan.people.values()].filter(({ id }) => missing.includes(id)).map(({ name }) => name)
  const places = [...plan.locations.values()].filter(({ id }) => absent.includes(id)).map(({ name }) => name)
  const others = [...new Set([...names, ...places])]
  if (others.length > 0) {
    const detail = `is there and stays as it is; the source also has it with ${others.join(', ')}`
    plan.remarks.push({ what: `service ${service.name}`, detail, isLeftOut: false })
  }
  return note(plan, 'services', service, false)
}

function idsOf(items: ReadonlyMap<string, { id: string }>, keys: readonly string[]): string[] {
  return [...new Set(keys.flatMap((key) => items.get(key)?.id ?? []))]
}

function note<Row extends { id: string; name: string }>(
  plan: CataloguePlan,
  kind: ItemKind,
  row: Row,
  isNew: boolean,
): Row {
  const { id, name } = row
  if (!plan.items.some((item) => item.id === id)) plan.items.push({ kind, id, name, isNew })
  return row
}

interface Wanted {
  kind: ItemKind
  key: string
  name: string
}

/** Finds an item by its ID or that of an earlier import. Otherwise finds it by its name and remembers it. */
function same<Row extends { id: string; name: string }>(
  rows: readonly Row[],
  { plan: { matches }, identity }: Planning,
  { kind, key, name }: Wanted,
): Row | undefined {
  const id = idFrom(identity, kind, key)
  const known = rows.find((row) => [id, key, matches.get(id)].includes(row.id))
  if (known) return known
  const called = rows.filter((row) => searchText(row.name) === searchText(cleanName(name)))
  const [found] = called.length === 1 ? called : []
  if (found) matches.set(id, found.id)
  return found
}

/** Likewise; the only location of a business is also the one of a source with one, if their clocks agree. */
function sameLocation(
  rows: readonly Location[],
  planning: Planning,
  { key, name, timezone }: Omit<Wanted, 'kind'> & { timezone: string },
): Location | undefined {
  const inZone = rows.filter((row) => row.timezone === timezone)
  const found = same(inZone, planning, { kind: 'locations', key, name })
  return found ?? (inZone.length === 1 ? inZone[0] : undefined)
}

interface Planning {
  plan: CataloguePlan
  identity: Identity
  business: Business
}

interface NewItem<Row> {
  kind: ItemKind
  key: string
  entry: Entry
  references?: Record<string, string[]>
  complete: (input: never, business: Business, nextId: () => string) => Row
}

/** Adds a new item to the file. Leaves out fields that are invalid, or the item if it cannot be without them. */
function add<Row extends { id: string; name: string }>(
  { plan, identity, business }: Planning,
  { kind, key, entry, references = {}, complete }: NewItem<Row>,
): Row | undefined {
  const id = idFrom(identity, kind, key)
  const what = `${nouns[kind]} ${entry.name || key}`
  let wanted: Entry = { ...entry, name: cleanName(entry.name) || `${nouns[kind]} ${key}` }
  for (let tries = 0; tries < maxTries; tries += 1) {
    const whole = { id, ...wanted, ...references }
    if (validate({ [kind]: [structuredClone(whole)] })) {
      plan.file = { ...plan.file, [kind]: [...(plan.file[kind] ?? []), whole] }
      return note(
        plan,
        kind,
        complete(wanted as never, business, () => id),
        true,
      )
    }
    const [first] = fieldErrorsOf(validate.errors ?? [])
    const field = first?.pointer.split('/')[3] ?? ''
    if (!first || !(field in wanted) || field === 'name' || field === 'duration_minutes') {
      plan.remarks.push({ what, detail: faultText(first, field), isLeftOut: true })
      return undefined
    }
    plan.remarks.push({ what, detail: `${faultText(first, field)}; the field is left out`, isLeftOut: false })
    const { [field]: _invalid, ...others } = wanted
    wanted = { ...others, name: wanted.name }
  }
  return undefined
}

/** More than the fields of an item. */
const maxTries = 40

const nouns = { locations: 'location', staff: 'person', services: 'service' } as const

function faultText(fault: FieldError | undefined, field: string): string {
  return fault ? `${field} ${fault.detail}` : 'is invalid'
}

/** Returns a name as Holdfast accepts it: one line without a web address. */
export function cleanName(name: string): string {
  const line = Array.from(asLine(name).trim()).slice(0, maxNameLength).join('').trim()
  return nameFault(line) === undefined
    ? line
    : line.replaceAll(/[.:/\u202a-\u202e\u2066-\u2069]/g, ' ').trim()
}
