import type { Location, Service, StaffMember } from '../api/api-types.ts'

/** The catalogue to choose from. */
export interface Catalogue {
  services: Service[]
  locations: Location[]
  staff: StaffMember[]
}

/** The visitor's choice. `anyone` is also a choice. */
export interface Choice {
  serviceId: string | null
  locationId: string | null
  staffId: string | null
  /** Further services of the visit, in order. */
  more?: MoreItem[]
}

/** A service of the visit, with its person, or `anyone`. */
export interface MoreItem {
  serviceId: string
  staffId: string | null
  /** The number of people. */
  party: number
  /** True for somebody who comes along: starts together with the service before. */
  isWith: boolean
}

/** The page's preselection, which visitors can change, and the day to show first. */
export interface Preset extends Choice {
  date?: string | null
  /** IDs or slugs of several services. */
  services?: string[]
}

export const anyone = 'anyone'
export const nothingChosen: Choice = { serviceId: null, locationId: null, staffId: null }

/** The steps of the flow, in order. */
export const steps = ['service', 'location', 'staff', 'more', 'time', 'details', 'done'] as const
export type Step = (typeof steps)[number]
/** Steps that choose from a list. */
export type ListStep = 'service' | 'location' | 'staff' | 'more'

export function serviceOf(
  { services }: Catalogue,
  { serviceId }: Pick<Choice, 'serviceId'>,
): Service | undefined {
  return services.find(({ id }) => id === serviceId)
}

export function locationOf({ locations }: Catalogue, { locationId }: Choice): Location | undefined {
  return locations.find(({ id }) => id === locationId)
}

/** Returns the chosen services. */
export function servicesOf(catalogue: Catalogue, { more = [], serviceId }: Choice): Service[] {
  return [{ serviceId }, ...more].flatMap((item) => serviceOf(catalogue, item) ?? [])
}

/** Returns the locations that offer the chosen services. */
export function locationsFor(catalogue: Catalogue, choice: Choice): Location[] {
  const services = servicesOf(catalogue, choice)
  return catalogue.locations.filter(
    ({ id }) => services.length > 0 && services.every(({ location_ids }) => location_ids.includes(id)),
  )
}

/** Returns the staff who provide the chosen service; empty if it needs none. */
export function staffFor(catalogue: Catalogue, choice: Pick<Choice, 'serviceId'>): StaffMember[] {
  const ids = serviceOf(catalogue, choice)?.staff_ids ?? []
  return catalogue.staff.filter(({ id }) => ids.includes(id))
}

/** Returns the staff who can give all chosen services; empty if some start together. */
export function staffForAll(catalogue: Catalogue, { more = [], serviceId }: Choice): StaffMember[] {
  if (more.some(({ isWith }) => isWith)) return []
  const sets = [{ serviceId }, ...more]
    .map((item) => staffFor(catalogue, item))
    .filter((all) => all.length > 0)
  return catalogue.staff.filter((one) => sets.length > 0 && sets.every((all) => all.includes(one)))
}

/** Returns the staff member to request; null for anyone, or without an alternative. */
export function personOf(catalogue: Catalogue, choice: Pick<Choice, 'serviceId' | 'staffId'>): string | null {
  const { staffId } = choice
  return staffId === anyone || staffFor(catalogue, choice).length < 2 ? null : staffId
}

/** Applies valid preselections of the page, and every choice with a single option. */
export function completed(catalogue: Catalogue, choice: Choice, preset: Choice = nothingChosen): Choice {
  const only = (ids: string[], chosen: string | null, wanted: string | null) =>
    [chosen, wanted].find((id) => id !== null && ids.includes(id)) ??
    (ids.length === 1 ? ids[0] : undefined) ??
    null
  const idsOf = (items: { id: string }[]) => items.map(({ id }) => id)
  const serviceId = only(idsOf(catalogue.services), choice.serviceId, preset.serviceId)
  const known = (choice.more ?? (serviceId === preset.serviceId ? preset.more : undefined))?.filter((item) =>
    serviceOf(catalogue, item),
  )
  const isTogether = locationsFor(catalogue, { ...choice, serviceId, more: known ?? [] }).length > 0
  const withService = { ...choice, serviceId, more: (isTogether && known) || [] }
  const locationId = only(idsOf(locationsFor(catalogue, withService)), choice.locationId, preset.locationId)
  const staff = idsOf(staffFor(catalogue, withService))
  // a single staff member, or none, leaves no choice
  const staffIds = staff.length > 1 ? [anyone, ...staff] : staff
  const staffId = staff.length === 0 ? anyone : only(staffIds, choice.staffId, preset.staffId)
  if (!known) return { serviceId, locationId, staffId }
  const { more } = withService
  if (more.length === 0) return { serviceId, locationId, staffId, more }
  return { serviceId, locationId, ...withPeople(catalogue, withService, { staffId, preset }) }
}

/** Gives the services of a visit their people. Asks only if somebody can give all of them. */
function withPeople(
  catalogue: Catalogue,
  choice: Choice & { more: MoreItem[] },
  { staffId: ofFirst, preset }: { staffId: string | null; preset: Choice },
) {
  const person = choice.staffId ?? preset.staffId
  const gives = (item: Pick<Choice, 'serviceId'>, id: string | null) =>
    staffFor(catalogue, item).some((one) => one.id === id)
  const isAsked = person === null && staffForAll(catalogue, choice).length > 0
  const staffId = ofFirst ?? (isAsked && staffFor(catalogue, choice).length > 1 ? null : anyone)
  const more = choice.more.map((item) => {
    const isKept = item.staffId === anyone || gives(item, item.staffId)
    if (isKept || staffId === null) return item
    return { ...item, staffId: person !== null && gives(item, person) && !item.isWith ? person : anyone }
  })
  return { staffId, more }
}

/** Returns the services of a visit in order, each with the person to request, or null. */
export function itemsOf(catalogue: Catalogue, { serviceId, staffId, more = [] }: Choice, party: number) {
  const all: MoreItem[] = serviceId === null ? [] : [{ serviceId, staffId, party, isWith: false }, ...more]
  return all.map((item) => ({ ...item, staffId: personOf(catalogue, item) }))
}

/** Returns services as the API names them in a query. */
export function itemsText(items: Partial<MoreItem>[]): string {
  return items
    .map(
      ({ serviceId, staffId, party = 1, isWith }) =>
        `${isWith ? '~' : ''}${serviceId}${staffId && staffId !== anyone ? `:${staffId}` : ''}${party > 1 ? `*${party}` : ''}`,
    )
    .join()
}

/** Returns the preselection with the services that the page names. */
export function namedIn({ services }: Catalogue, preset: Preset): Preset {
  const [first, ...more] = (preset.services ?? []).flatMap(
    (name) => services.find(({ id, slug }) => id === name || slug === name) ?? [],
  )
  if (!first) return preset
  const items = more.map(({ id }) => ({ serviceId: id, staffId: null, party: 1, isWith: false }))
  return { ...preset, serviceId: first.id, more: items }
}

const maxItems = 10

/** Returns the services that can follow the chosen ones at the location, or start together with the last. */
export function servicesToAdd(catalogue: Catalogue, choice: Choice, isWith: boolean): Service[] {
  const chosen = servicesOf(catalogue, choice)
  const last = [{ isWith: false }, ...(choice.more ?? [])].findLastIndex((item) => !item.isWith)
  const together = chosen.slice(last)
  const currency = chosen.find(({ price }) => price)?.price?.currency
  if (chosen.length >= maxItems) return []
  return catalogue.services.filter((one) => {
    const { location_ids, price } = one
    if (!location_ids.includes(choice.locationId ?? '')) return false
    if (currency && price && price.currency !== currency) return false
    if (!isWith) return !chosen.includes(one)
    const all = [...together, one]
    const staffed = all.filter(({ staff_ids }) => staff_ids.length > 0)
    const people = new Set(staffed.flatMap(({ id }) => staffFor(catalogue, { serviceId: id })))
    const isFree = staffed.includes(one) || !together.includes(one)
    // a party of one service is a number instead
    return isFree && people.size >= staffed.length && all.every(({ capacity }) => capacity === 1)
  })
}

/** Returns the first step with an open choice. */
export function nextStep({ serviceId, locationId, staffId }: Choice): ListStep | 'time' {
  if (serviceId === null) return 'service'
  if (locationId === null) return 'location'
  return staffId === null ? 'staff' : 'time'
}

/** Returns the choice without this step and all later ones. */
export function without({ more = [], ...choice }: Choice, step: Step): Choice {
  const at = steps.indexOf(step)
  return {
    ...(at <= 0 ? { more: [] } : more.length > 0 && { more: at <= 2 ? more.map(unassigned) : more }),
    serviceId: at <= 0 ? null : choice.serviceId,
    locationId: at <= 1 ? null : choice.locationId,
    staffId: at <= 2 ? null : choice.staffId,
  }
}

function unassigned(item: MoreItem): MoreItem {
  return { ...item, staffId: null }
}

/** Returns the earlier steps with a real choice, to which a visitor may return. */
export function earlierSteps(catalogue: Catalogue, choice: Choice, step: Step): Step[] {
  // the times of several services list them with their people
  const isListed = Boolean(choice.more?.length) && steps.indexOf(step) > 2
  const open: Record<Step, boolean> = {
    service: catalogue.services.length > 1 && !isListed,
    location: locationsFor(catalogue, choice).length > 1,
    staff: staffFor(catalogue, choice).length > 1 && !isListed,
    more: false,
    time: true,
    details: true,
    done: false,
  }
  return steps.slice(0, steps.indexOf(step)).filter((earlier) => open[earlier])
}
