import { Type, type Static } from 'typebox'
import { Closed, OrNull, Text } from '../wire.ts'
import { activity, businessId, changedHours, Name, newHours, TimeZone } from './schedule-schemas.ts'

const address = Text(500)

/** The fields of a location that mean the same in creations and in files. */
export const locationMembers = {
  name: Name,
  timezone: Type.Optional(TimeZone),
  address: Type.Optional(address),
  ...newHours,
  ...activity,
}

export const CreateLocation = Closed(
  { ...businessId, ...locationMembers },
  {
    title: 'CreateLocation',
    description:
      "A new location. Without a time zone it has the business's, without weekly hours it is always open.",
    examples: [
      {
        name: 'Mitte',
        timezone: 'Europe/Berlin',
        weekly_hours: [{ weekday: 'monday', opens: '09:00', closes: '18:00' }],
        date_overrides: [{ date: '2026-12-24', hours: [] }],
      },
    ],
  },
)

export const ChangeLocation = Closed(
  {
    name: Type.Optional(Name),
    timezone: Type.Optional(TimeZone),
    address: Type.Optional(OrNull(address)),
    ...changedHours,
    ...activity,
  },
  {
    title: 'ChangeLocation',
    description: 'What is to be different; holds and bookings stay as they are.',
    examples: [{ weekly_hours: null }],
  },
)

export type LocationCreation = Static<typeof CreateLocation>
export type LocationChange = Static<typeof ChangeLocation>
