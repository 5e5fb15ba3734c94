import type { Money } from '../catalogue/catalogue-types.ts'
import type { Location } from '../catalogue/location-and-staff-schemas.ts'
import type { Service } from '../catalogue/service-schemas.ts'

export interface Step {
  minutes: number
  staffed: boolean
}

export interface Need {
  resource_ids: string[]
  quantity: number
  during: 'all' | 'staffed'
}

interface Terms {
  staff_id: string
  price?: Money
  steps?: Step[]
  duration_minutes?: number
}

export type VisitService = Service & { steps?: Step[] | null; needs?: Need[]; terms?: Terms[] }

export type BookableResource = Pick<Location, 'id' | 'business_id' | 'name' | 'date_overrides' | 'active'> & {
  location_id: string
  quantity: number
  weekly_hours: Location['weekly_hours']
}

/** Returns the steps of a service with the terms of a person. Without steps, it is one staffed step. */
export function stepsOf(service: VisitService, staffId: string | null): Step[] {
  const { steps, duration_minutes } = service.terms?.find(({ staff_id }) => staff_id === staffId) ?? {}
  if (steps) return steps
  if (duration_minutes !== undefined) return [{ minutes: duration_minutes, staffed: true }]
  return service.steps ?? [{ minutes: service.duration_minutes, staffed: true }]
}
