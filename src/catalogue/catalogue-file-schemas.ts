import { type Static, Type } from 'typebox'
import { planNames } from '../access/actor.ts'
import { Id, Ruled, StrictObject } from '../base/wire.ts'
import { businessMembers } from './business-schemas.ts'
import { activity, Name } from './catalogue-schemas.ts'
import { locationMembers, staffMembers } from './location-and-staff-schemas.ts'
import { resourceMembers } from './resource-schemas.ts'
import { duplicateErrors } from './schedule-rules.ts'
import { newServiceErrors, termErrors } from './service-rules.ts'
import {
  ChangedFields,
  needList,
  needMembers,
  serviceMembers,
  termList,
  termMembers,
} from './service-schemas.ts'

/** Maximum number of locations, staff members, resources and services each. */
export const maxInFile = 5_000

const maxReferences = 200

/** Other entries of the file refer to an entry by its `key`. */
const identity = { id: Type.Optional(Id), key: Type.Optional(Name) }

function References(min: number) {
  return Ruled(
    Type.Array(Name, { minItems: min, maxItems: maxReferences }),
    (references: (string | undefined)[]) => duplicateErrors(references),
  )
}

const LocationEntry = StrictObject({ ...identity, ...locationMembers })

export const StaffEntry = StrictObject({
  ...identity,
  ...staffMembers,
  locations: Type.Optional(References(0)),
})

export const ResourceEntry = StrictObject({ ...identity, location: Name, ...resourceMembers })

const NeedEntries = Type.Array(StrictObject({ resources: References(1), ...needMembers }), needList)

const TermEntries = Ruled(
  Type.Array(Ruled(StrictObject({ staff: Name, ...termMembers }), termErrors), termList),
  (terms: ({ staff?: string } | undefined)[]) =>
    duplicateErrors(
      terms.map((one) => one?.staff),
      '/staff',
    ),
)

export const ServiceEntry = Ruled(
  StrictObject({
    ...identity,
    ...serviceMembers,
    locations: References(1),
    staff: Type.Optional(References(0)),
    needs: Type.Optional(NeedEntries),
    terms: Type.Optional(TermEntries),
    custom_fields: Type.Optional(ChangedFields),
    ...activity,
  }),
  newServiceErrors,
)

const list = { maxItems: maxInFile }

/** A whole business. Entries refer to each other by key, name or ID. */
export const CatalogueFile = StrictObject({
  business: Type.Optional(
    StrictObject({
      id: Type.Optional(Id),
      ...businessMembers,
      plan: Type.Optional(Type.Enum([...planNames])),
    }),
  ),
  locations: Type.Optional(Type.Array(LocationEntry, list)),
  staff: Type.Optional(Type.Array(StaffEntry, list)),
  resources: Type.Optional(Type.Array(ResourceEntry, list)),
  services: Type.Optional(Type.Array(ServiceEntry, list)),
})

export type CatalogueFile = Static<typeof CatalogueFile>

type LocationEntry = Static<typeof LocationEntry>

export type StaffEntry = Static<typeof StaffEntry>

export type ResourceEntry = Static<typeof ResourceEntry>

export type ServiceEntry = Static<typeof ServiceEntry>
