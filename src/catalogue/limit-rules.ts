import type { PlanName } from '../database/tables.ts'
import { Problem } from '../base/errors.ts'
import type { ItemTable, LinkTable } from './catalogue-types.ts'

/** Maximum number of items of each kind by the plan in effect. */
export const catalogueLimits: Record<PlanName, Record<ItemTable, number>> = {
  growth: { services: 300, locations: 30, staff: 100, resources: 100 },
  pro: { services: 1_000, locations: 100, staff: 300, resources: 300 },
  enterprise: { services: 3_000, locations: 300, staff: 1_000, resources: 1_000 },
}

/**
 * Maximum number of links for each allowed service, on average. Every calendar, export and list of the console
 * reads all links, at about a microsecond each.
 */
export const linksPerService: Record<LinkTable, number> = { service_locations: 10, service_staff: 40 }

/** The highest limit that the operator can set. It bounds the size of a catalogue read at once. */
export const highestCatalogueLimit = 10_000

/** Factor for the limit that includes inactive items, which no calendar shows. */
const withInactive = 10

/** The number of a business's items or links of one kind, and its limit. */
export interface CatalogueCount {
  active: number
  /** Including inactive ones. */
  total: number
  max: number
}

const nouns: Record<ItemTable, string> = {
  services: 'services',
  locations: 'locations',
  staff: 'staff members',
  resources: 'resources',
}

/** Throws catalogue_limit_reached if a business exceeds its limit. */
export function assertWithinLimit(table: ItemTable, { active, total, max }: CatalogueCount): void {
  if (active > max) {
    const detail = `The business may have ${max} ${nouns[table]}, and this would make ${active}: delete some first.`
    throw new Problem('catalogue_limit_reached', detail)
  }
  if (total > withInactive * max) {
    const detail = `The business may have ${withInactive * max} ${nouns[table]} with the deleted ones: reactivate one of them.`
    throw new Problem('catalogue_limit_reached', detail)
  }
}

/** Links of a business before and after a change. */
interface LinkChange {
  before: Pick<CatalogueCount, 'active' | 'total'>
  after: CatalogueCount
}

const linkedNouns: Record<LinkTable, string> = {
  service_locations: 'locations',
  service_staff: 'staff members',
}

/** Throws catalogue_limit_reached if a change adds links beyond the limit. A business above it may remove some. */
export function assertWithinLinks(
  table: LinkTable,
  { before, after: { active, total, max } }: LinkChange,
): void {
  const noun = linkedNouns[table]
  const refusal = (most: number, now: number, which: string) => {
    const [mostText, nowText] = [most, now].map((number) => number.toLocaleString('en'))
    const detail = `All services${which} together may list ${mostText} ${noun}, and this would make ${nowText}: remove some from services first.`
    return new Problem('catalogue_limit_reached', detail)
  }
  if (active > max && active > before.active) throw refusal(max, active, '')
  const most = withInactive * max
  if (total > most && total > before.total) throw refusal(most, total, ', with the deleted ones,')
}

/**
 * Maximum number of characters in the descriptions, questions, hours and addresses of a catalogue, by the
 * plan in effect. One answer lists all of them.
 */
export const catalogueCharacters: Record<PlanName, number> = {
  growth: 1_000_000,
  pro: 3_000_000,
  enterprise: 10_000_000,
}

/** Throws catalogue_limit_reached if a catalogue's texts have more characters than allowed. */
export function assertWithinCharacters({ characters, max }: { characters: number; max: number }): void {
  if (characters <= max) return
  const [now, most] = [characters, max].map((number) => number.toLocaleString('en'))
  const detail = `Descriptions, questions, hours and addresses have ${now} characters, and may have ${most}: shorten some.`
  throw new Problem('catalogue_limit_reached', detail)
}
