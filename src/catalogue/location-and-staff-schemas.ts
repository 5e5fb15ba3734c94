import { type Static, Type } from 'typebox'
import { exampleIds } from '../base/examples.ts'
import { Nullable, Ruled, ShownId, StrictObject, Text, UnlinkedName } from '../base/wire.ts'
import { onlineUrlErrors } from './business-rules.ts'
import {
  activity,
  businessId,
  changedHours,
  DateOverrides,
  Ids,
  listedFields,
  maxNameLength,
  newHours,
  TimeZone,
  WeeklyHours,
} from './catalogue-schemas.ts'
import { changeMembers, creationMembers, shownMembers } from './field-schemas.ts'

const onlineUrl = Ruled(
  Type.String({
    minLength: 1,
    maxLength: 2_048,
    description: 'Where clients meet online, an https address. Shown on bookings and in mails.',
    examples: ['https://meet.example.com/salon'],
  }),
  onlineUrlErrors,
)

export const locationFields = {
  name: { shown: Type.String(), input: UnlinkedName(maxNameLength) },
  timezone: { shown: Type.String({ description: 'An IANA name.' }), input: TimeZone },
  address: { shown: Nullable(Type.String()), input: Text(500), usual: null },
  online_url: {
    shown: Nullable(Type.String(), { description: 'Where clients meet online.' }),
    input: onlineUrl,
    usual: null,
  },
}

export const Location = Type.Object(
  {
    id: ShownId,
    business_id: ShownId,
    ...shownMembers(locationFields),
    weekly_hours: Nullable(WeeklyHours, { description: 'Null: always open. Empty: never.' }),
    date_overrides: DateOverrides,
    active: Type.Boolean(),
  },
  {
    title: 'Location',
    description: 'A place where services take place.',
    examples: [
      {
        id: exampleIds.location,
        business_id: exampleIds.business,
        name: 'Mitte',
        timezone: 'Europe/Berlin',
        address: null,
        online_url: null,
        weekly_hours: [{ weekday: 'monday', opens: '09:00', closes: '18:00' }],
        date_overrides: [],
        active: true,
      },
    ],
  },
)

export type Location = Static<typeof Location>

/** Shared by creations and files. */
export const locationMembers = {
  ...creationMembers(locationFields),
  timezone: Type.Optional(TimeZone),
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
    ...changeMembers(locationFields),
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

const workplaces = Ids(0, 'Where they work; empty: everywhere.')

export const staffFields = {
  name: { shown: Type.String(), input: UnlinkedName(maxNameLength) },
  ...listedFields,
  email: {
    shown: Nullable(Type.String()),
    input: Type.String({ format: 'email', maxLength: 254 }),
    usual: null,
  },
}

const { name, slug, description, image_url, position, email } = shownMembers(staffFields)

/** The fields of a staff member that clients see. */
export const publicStaffMembers = { id: ShownId, name, slug, description, image_url, position }

/** A staff member. Sessions get the fields that clients see. */
export const StaffMember = Type.Object(
  {
    ...publicStaffMembers,
    business_id: Type.Optional(ShownId),
    email: Type.Optional(email),
    location_ids: Type.Optional(Type.Array(ShownId, { description: 'Empty: everywhere.' })),
    weekly_hours: Type.Optional(Nullable(WeeklyHours, { description: 'Null: the hours of the location.' })),
    date_overrides: Type.Optional(DateOverrides),
    active: Type.Optional(Type.Boolean()),
  },
  {
    title: 'StaffMember',
    description:
      'A provider of services. Sessions see `id`, `name`, `slug`, `description`, `image_url` and `position` only.',
    examples: [
      {
        id: exampleIds.staff,
        name: 'Anna Weber',
        slug: 'anna',
        description: null,
        image_url: null,
        position: 1,
        business_id: exampleIds.business,
        email: 'anna@example.com',
        location_ids: [],
        weekly_hours: null,
        date_overrides: [],
        active: true,
      },
    ],
  },
)

export type StaffMember = Required<Static<typeof StaffMember>>

/** Shared by creations and files. */
export const staffMembers = { ...creationMembers(staffFields), ...newHours, ...activity }

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
    ...changeMembers(staffFields),
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
