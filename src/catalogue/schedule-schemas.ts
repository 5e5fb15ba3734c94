import { Type } from 'typebox'
import { Closed, Id, Line, OrNull, Ruled } from '../wire.ts'
import {
  closesFaults,
  dateFaults,
  dateHoursFaults,
  dateOverridesFaults,
  opensFaults,
  repetitionFaults,
  weekdays,
  weeklyHoursFaults,
} from './hours-rules.ts'
import { timeZoneFaults } from './time-zone-names.ts'

/*
 * What creations and changes of services, locations and staff have in common (contract: The catalogue). HTTP, the
 * command line and imported files are all checked against these schemas, with their rules.
 */

const longestName = 200
/** More hours than any week needs. */
const mostWeeklyHours = 100
const mostHoursADay = 20
const mostOverrides = 1_000
const mostReferences = 200

export const Name = Line(1, longestName)
export const TimeZone = Ruled(
  Type.String({
    minLength: 1,
    maxLength: 100,
    timeZone: true,
    description: 'An IANA name, such as Europe/Berlin; upper and lower case are the same.',
  }),
  timeZoneFaults,
)

const wallTime = { minLength: 1, maxLength: 5 }
const hours = {
  opens: Ruled(Type.String({ ...wallTime, examples: ['09:00'] }), opensFaults),
  closes: Ruled(Type.String({ ...wallTime, examples: ['17:00'] }), closesFaults),
}

const WeeklyHoursInput = Ruled(
  Type.Array(Closed({ weekday: Type.Enum([...weekdays]), ...hours }), {
    maxItems: mostWeeklyHours,
    description:
      'Hours in wall time, which must not overlap. `closes` goes up to `24:00`; at or before `opens` it runs past midnight. An empty list: never.',
  }),
  weeklyHoursFaults,
)

const DateOverridesInput = Ruled(
  Type.Array(
    Closed({
      date: Ruled(Type.String({ minLength: 1, maxLength: 10, examples: ['2026-12-24'] }), dateFaults),
      hours: Ruled(Type.Array(Closed(hours), { maxItems: mostHoursADay }), dateHoursFaults),
    }),
    {
      maxItems: mostOverrides,
      description:
        'Hours of single dates in place of the weekly ones, each date once; no hours: closed that day.',
    },
  ),
  dateOverridesFaults,
)

/** The hours that a creation gives. */
export const newHours = {
  weekly_hours: Type.Optional(WeeklyHoursInput),
  date_overrides: Type.Optional(DateOverridesInput),
}

/** The hours that a change gives. */
export const changedHours = {
  weekly_hours: Type.Optional(OrNull(WeeklyHoursInput)),
  date_overrides: Type.Optional(DateOverridesInput),
}

const idsRule = (ids: (string | undefined)[]) => repetitionFaults(ids.map((id) => id?.toLowerCase()))

/** A list of ids, each once. */
export function Ids(least: number, description: string) {
  return Ruled(Type.Array(Id, { minItems: least, maxItems: mostReferences, description }), idsRule)
}

export const businessId = {
  business_id: Type.Optional(
    Type.String({
      ...Id,
      description: 'For hub keys: whose it is. They need it where no location or staff member is named.',
    }),
  ),
}

export const activity = {
  active: Type.Optional(
    Type.Boolean({ description: 'False takes it off the offer, as deleting does; true brings it back.' }),
  ),
}
