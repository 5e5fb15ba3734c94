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
}

/** The page's preselection, which visitors can change, and the day to show first. */
export interface Preset extends Choice {
  date?: string | null
}

export const anyone = 'anyone'
export const nothingChosen: Choice = { serviceId: null, locationId: null, staffId: null }

/** The steps of the flow, in order. */
export const steps = ['service', 'location', 'staff', 'time', 'details', 'done'] as const
export type Step = (typeof steps)[number]
/** Steps that choose from a list. */
export type ListStep = 'service' | 'location' | 'staff'

export function serviceOf({ services }: Catalogue, { serviceId }: Choice): Service | undefined {
  return services.find(({ id }) => id === serviceId)
}

export function locationOf({ locations }: Catalogue, { locationId }: Choice): Location | undefined {
  return locations.find(({ id }) => id === locationId)
}

/** Returns the locations that offer the chosen service. */
export function locationsFor(catalogue: Catalogue, choice: Choice): Location[] {
  const ids = serviceOf(catalogue, choice)?.location_ids ?? []
  return catalogue.locations.filter(({ id }) => ids.includes(id))
}

/** Returns the staff who provide the chosen service; empty if it needs none. */
export function staffFor(catalogue: Catalogue, choice: Choice): StaffMember[] {
  const ids = serviceOf(catalogue, choice)?.staff_ids ?? []
  return catalogue.staff.filter(({ id }) => ids.includes(id))
}

/** Returns the staff member to request; null for anyone, or without an alternative. */
export function personOf(catalogue: Catalogue, choice: Choice): string | null {
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
  const withService = { ...choice, serviceId }
  const locationId = only(idsOf(locationsFor(catalogue, withService)), choice.locationId, preset.locationId)
  const staff = idsOf(staffFor(catalogue, withService))
  // a single staff member, or none, leaves no choice
  const staffIds = staff.length > 1 ? [anyone, ...staff] : staff
  const staffId = staff.length === 0 ? anyone : only(staffIds, choice.staffId, preset.staffId)
  return { serviceId, locationId, staffId }
}

/** Returns the first step with an open choice. */
export function nextStep({ serviceId, locationId, staffId }: Choice): ListStep | 'time' {
  if (serviceId === null) return 'service'
  if (locationId === null) return 'location'
  return staffId === null ? 'staff' : 'time'
}

/** Returns the choice without this step and all later ones. */
export function without(choice: Choice, step: Step): Choice {
  const at = steps.indexOf(step)
  return {
    serviceId: at <= 0 ? null : choice.serviceId,
    locationId: at <= 1 ? null : choice.locationId,
    staffId: at <= 2 ? null : choice.staffId,
  }
}

/** Returns the earlier steps with a real choice, to which a visitor may return. */
export function earlierSteps(catalogue: Catalogue, choice: Choice, step: Step): Step[] {
  const open: Record<Step, boolean> = {
    service: catalogue.services.length > 1,
    location: locationsFor(catalogue, choice).length > 1,
    staff: staffFor(catalogue, choice).length > 1,
    time: true,
    details: true,
    done: false,
  }
  return steps.slice(0, steps.indexOf(step)).filter((earlier) => open[earlier])
}
