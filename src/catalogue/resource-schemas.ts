import { type Static, Type } from 'typebox'
import { exampleIds } from '../base/examples.ts'
import { Id, Nullable, ShownId, StrictObject, UnlinkedName } from '../base/wire.ts'
import {
  activity,
  changedHours,
  DateOverrides,
  maxNameLength,
  newHours,
  WeeklyHours,
} from './catalogue-schemas.ts'
import { changeMembers, creationMembers, shownMembers } from './field-schemas.ts'

/** The most alike ones, as many as a party may have people. */
const maxQuantity = 500

const quantityMeans = 'How many there are, all alike.'

export const resourceFields = {
  name: { shown: Type.String(), input: UnlinkedName(maxNameLength) },
  quantity: {
    shown: Type.Integer({ description: quantityMeans }),
    input: Type.Integer({
      minimum: 1,
      maximum: maxQuantity,
      description: `${quantityMeans} If absent at creation: 1.`,
    }),
    usual: 1,
  },
}

export const BookableResource = Type.Object(
  {
    id: ShownId,
    business_id: ShownId,
    location_id: ShownId,
    ...shownMembers(resourceFields),
    weekly_hours: Nullable(WeeklyHours, { description: 'Null: the hours of the location. Empty: never.' }),
    date_overrides: DateOverrides,
    active: Type.Boolean({ description: 'Nobody can book an inactive resource.' }),
  },
  {
    title: 'Resource',
    description: 'A room, chair or machine at a location, which services may need besides a person.',
    examples: [
      {
        id: exampleIds.resource,
        business_id: exampleIds.business,
        location_id: exampleIds.location,
        name: 'Massage room',
        quantity: 2,
        weekly_hours: null,
        date_overrides: [],
        active: true,
      },
    ],
  },
)

export type BookableResource = Static<typeof BookableResource>

/** Shared by creations and files. */
export const resourceMembers = { ...creationMembers(resourceFields), ...newHours, ...activity }

export const CreateResource = StrictObject(
  {
    business_id: Type.Optional(
      Type.String({ ...Id, description: 'Its business. The location names it already.' }),
    ),
    location_id: Type.String({ ...Id, description: 'Where it is. It stays there.' }),
    ...resourceMembers,
  },
  {
    title: 'CreateResource',
    description: "A new resource. Without weekly hours it has the location's.",
    examples: [{ location_id: exampleIds.location, name: 'Massage room', quantity: 2 }],
  },
)

export const ChangeResource = StrictObject(
  { ...changeMembers(resourceFields), ...changedHours, ...activity },
  {
    title: 'ChangeResource',
    description: 'The fields to change. Holds and bookings stay as they are.',
    examples: [{ quantity: 3 }],
  },
)

export type ResourceCreation = Static<typeof CreateResource>
export type ResourceChange = Static<typeof ChangeResource>
