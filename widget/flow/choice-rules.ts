import type { Location, Service, StaffMember } from '../api/api-types.ts'

/** What can be chosen from. */
export interface Catalogue {
  services: Service[]
  locations: Location[]
  staff: StaffMember[]
}

/** What was chosen; `anyone` is a choice too. */
export interface Choice {
  serviceId: string | null
  locationId: string | null
  staffId: string | null
}

export const anyone = 'anyone'
export const nothingChosen: Choice = { serviceId: null, locationId: null, staffId: null }

/** The steps of the flow, in order. */
export const steps = ['service', 'location', 'staff', 'time', 'details', 'done'] as const
export type Step = (typeof steps)[number]
/** Those in which one of a list is chosen. */
export type ListStep = 'service' | 'location' | 'staff'

export function serviceOf({ services }: Catalogue, { serviceId }: Choice): Service | undefined {
  return services.find(({ id }) => id === serviceId)
}

export function locationOf({ locations }: Catalogue, { locationId }: Choice): Location | undefined {
  return locations.find(({ id }) => id === locationId)
}

/** Where the chosen service is given. */
export function locationsFor(catalogue: Catalogue, choice: Choice): Location[] {
  const ids = serviceOf(catalogue, choice)?.location_ids ?? []
  return catalogue.locations.filter(({ id }) => ids.includes(id))
}

/** Who gives the chosen service; nobody when it needs nobody. */
export function staffFor(catalogue: Catalogue, choice: Choice): StaffMember[] {
  const ids = serviceOf(catalogue, choice)?.staff_ids ?? []
  return catalogue.staff.filter(({ id }) => ids.includes(id))
}

/** The one person who has to give the service; null where anybody may, or nobody else does. */
export function personOf(catalogue: Catalogue, choice: Choice): string | null {
  const { staffId } = choice
  return staffId === anyone || staffFor(catalogue, choice).length < 2 ? null : staffId
}

/** Takes what the page has preselected, as far as it is on offer, and what there is only one of. */
export function completed(catalogue: Catalogue, choice: Choice, preset: Choice = nothingChosen): Choice {
  const only = (ids: string[], chosen: string | null, wanted: string | null) =>
    [chosen, wanted].find((id) => id !== null && ids.includes(id)) ??
    (ids.length === 1 ? ids[0] : undefined) ??
    null
  const idsOf = (things: { id: string }[]) => things.map(({ id }) => id)
  const serviceId = only(idsOf(catalogue.services), choice.serviceId, preset.serviceId)
  const withService = { ...choice, serviceId }
  const locationId = only(idsOf(locationsFor(catalogue, withService)), choice.locationId, preset.locationId)
  const staff = idsOf(staffFor(catalogue, withService))
  // of one person there is nothing to choose, and nobody is asked for when the service needs nobody
  const staffIds = staff.length > 1 ? [anyone, ...staff] : staff
  const staffId = staff.length === 0 ? anyone : only(staffIds, choice.staffId, preset.staffId)
  return { serviceId, locationId, staffId }
}

/** The step at which something is still to be chosen. */
export function nextStep({ serviceId, locationId, staffId }: Choice): ListStep | 'time' {
  if (serviceId === null) return 'service'
  if (locationId === null) return 'location'
  return staffId === null ? 'staff' : 'time'
}

/** The choice without that of a step and of all after it. */
export function without(choice: Choice, step: Step): Choice {
  const at = steps.indexOf(step)
  return {
    serviceId: at <= 0 ? null : choice.serviceId,
    locationId: at <= 1 ? null : choice.locationId,
    staffId: at <= 2 ? null : choice.staffId,
  }
}

/** The steps before a step at which there was something to choose, as a visitor may go back to them. */
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
