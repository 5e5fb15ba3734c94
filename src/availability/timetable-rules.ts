import type { Timetable, Weekday } from '../catalogue/catalogue-types.ts'
import type { Location, StaffMember } from '../catalogue/location-and-staff-schemas.ts'
import { weekdays } from '../catalogue/schedule-rules.ts'
import { dayOf, openingsOf, Spans } from './hours-rules.ts'
import { eligibleStaff } from './resource-rules.ts'
import { dayMs, ZoneOffsets } from './zone-rules.ts'

/** A timetable start that no regular week offers. */
export interface IdleStart {
  weekday: Weekday
  start: string
  /** True if a location is open at that time but nobody who provides the service works there. */
  isOpen: boolean
}

interface Class {
  minutes: number
  timetable: Timetable
  locations: Location[]
  /** Undefined if the service needs no staff. */
  staff: StaffMember[] | undefined
}

/** A week without clock changes. */
const monday = dayOf('2024-01-01')
const week = { first: monday - 1, last: monday + 8 }
const zone = new ZoneOffsets('UTC', { from: week.first * dayMs, to: (week.last + 2) * dayMs })

/** Returns the timetable starts that weekly hours never offer. Ignores overrides of single dates. */
export function idleStarts({ minutes, timetable, locations, staff }: Class): IdleStart[] {
  const usual = ({ weekly_hours }: Pick<Location, 'weekly_hours'>) =>
    new Spans(openingsOf({ weekly_hours, date_overrides: [] }, zone, week))
  const places = locations.map((location) => ({
    open: usual(location),
    workers: staff && eligibleStaff({ staff, location }, undefined).map(usual),
  }))
  return timetable.flatMap(({ weekday, starts }) =>
    starts.flatMap((start) => {
      const from = (monday + weekdays.indexOf(weekday)) * dayMs + Date.parse(`1970-01-01T${start}Z`)
      const slot = { from, to: from + minutes * 60_000 }
      const open = places.filter((place) => place.open.cover(slot))
      const isOffered = open.some(({ workers }) => !workers || workers.some((hours) => hours.cover(slot)))
      return isOffered ? [] : [{ weekday, start, isOpen: open.length > 0 }]
    }),
  )
}
