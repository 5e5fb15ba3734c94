import { type Static, Type } from 'typebox'
import { exampleIds } from '../base/examples.ts'
import { StrictObject, OrNull, Ruled, Text } from '../base/wire.ts'
import { onlineUrlErrors } from './business-rules.ts'
import {
  activity,
  businessId,
  changedHours,
  changedShown,
  Ids,
  Name,
  newHours,
  newShown,
  TimeZone,
} from './catalogue-schemas.ts'

const address = Text(500)
const onlineUrl = Ruled(
  Type.String({
    minLength: 1,
    maxLength: 2_048,
    description: 'Where clients meet online, an https address. Shown on bookings and in mails.',
    examples: ['https://meet.example.com/salon'],
  }),
  onlineUrlErrors,
)

/** Shared by creations and files. */
export const locationMembers = {
  name: Name,
  timezone: Type.Optional(TimeZone),
  address: Type.Optional(address),
  online_url: Type.Optional(onlineUrl),
  ...newHours,
  ...activity,
}

export const CreateLocation = StrictObject(
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

export const ChangeLocation = StrictObject(
  {
    name: Type.Optional(Name),
    timezone: Type.Optional(TimeZone),
    address: Type.Optional(OrNull(address)),
    online_url: Type.Optional(OrNull(onlineUrl)),
    ...changedHours,
    ...activity,
  },
  {
    title: 'ChangeLocation',
    description: 'The fields to change. Holds and bookings stay as they are.',
    examples: [{ weekly_hours: null }],
  },
)

export type LocationCreation = Static<typeof CreateLocation>
export type LocationChange = Static<typeof ChangeLocation>

const email = Type.String({ format: 'email', maxLength: 254 })
const workplaces = Ids(0, 'Where they work; empty: everywhere.')

/** Shared by creations and files. */
export const staffMembers = {
  name: Name,
  ...newShown,
  email: Type.Optional(email),
  ...newHours,
  ...activity,
}

export const CreateStaff = StrictObject(
  { ...businessId, ...staffMembers, location_ids: Type.Optional(workplaces) },
  {
    title: 'CreateStaffMember',
    description: 'A new staff member. Without weekly hours they work whenever the location is open.',
    examples: [{ name: 'Anna Weber', email: 'anna@example.com', location_ids: [exampleIds.location] }],
  },
)

export const ChangeStaff = StrictObject(
  {
    name: Type.Optional(Name),
    ...changedShown,
    email: Type.Optional(OrNull(email)),
    ...changedHours,
    location_ids: Type.Optional(workplaces),
    ...activity,
  },
  {
    title: 'ChangeStaffMember',
    description: 'The fields to change. Holds and bookings stay as they are.',
    examples: [{ email: null }],
  },
)

export type StaffCreation = Static<typeof CreateStaff>
export type StaffChange = Static<typeof ChangeStaff>
