import { Type, type Static } from 'typebox'
import { exampleIds } from '../examples.ts'
import { Closed, OrNull } from '../wire.ts'
import { activity, businessId, changedHours, Ids, Name, newHours } from './schedule-schemas.ts'

const email = Type.String({ format: 'email', maxLength: 254 })
const workplaces = Ids(0, 'Where they work; empty: everywhere.')

/** The fields of a staff member that mean the same in creations and in files. */
export const staffMembers = {
  name: Name,
  email: Type.Optional(email),
  ...newHours,
  ...activity,
}

export const CreateStaff = Closed(
  { ...businessId, ...staffMembers, location_ids: Type.Optional(workplaces) },
  {
    title: 'CreateStaffMember',
    description: 'A new staff member. Without weekly hours they work whenever the location is open.',
    examples: [{ name: 'Anna Weber', email: 'anna@example.com', location_ids: [exampleIds.location] }],
  },
)

export const ChangeStaff = Closed(
  {
    name: Type.Optional(Name),
    email: Type.Optional(OrNull(email)),
    ...changedHours,
    location_ids: Type.Optional(workplaces),
    ...activity,
  },
  {
    title: 'ChangeStaffMember',
    description: 'What is to be different; holds and bookings stay as they are.',
    examples: [{ email: null }],
  },
)

export type StaffCreation = Static<typeof CreateStaff>
export type StaffChange = Static<typeof ChangeStaff>
