import { type Static, Type } from 'typebox'
import { planNames } from '../access/actor.ts'
import { Id, Ruled, StrictObject } from '../base/wire.ts'
import { businessMembers } from './business-schemas.ts'
import { activity, Name } from './catalogue-schemas.ts'
import { locationMembers, staffMembers } from './location-and-staff-schemas.ts'
import { duplicateErrors } from './schedule-rules.ts'
import { depositErrors } from './service-rules.ts'
import { ChangedFields, serviceMembers } from './service-schemas.ts'

/** Maximum number of locations, staff members and services each. */
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

export const ServiceEntry = Ruled(
  StrictObject({
    ...identity,
    ...serviceMembers,
    locations: References(1),
    staff: Type.Optional(References(0)),
    custom_fields: Type.Optional(ChangedFields),
    ...activity,
  }),
  depositErrors,
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
  services: Type.Optional(Type.Array(ServiceEntry, list)),
})

export type CatalogueFile = Static<typeof CatalogueFile>

type LocationEntry = Static<typeof LocationEntry>

export type StaffEntry = Static<typeof StaffEntry>

export type ServiceEntry = Static<typeof ServiceEntry>
