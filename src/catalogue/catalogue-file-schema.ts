import { Type, type Static } from 'typebox'
import { planNames } from '../access/plans.ts'
import { Closed, Id, OrNull, Ruled } from '../wire.ts'
import { businessMembers, MaxBookingsPerClient } from './business-schemas.ts'
import { repetitionFaults } from './hours-rules.ts'
import { locationMembers } from './location-input-schemas.ts'
import { activity, Name } from './schedule-schemas.ts'
import { ChangedFields, maxAdvance, serviceMembers } from './service-input-schemas.ts'
import { depositFaults } from './service-rules.ts'
import { staffMembers } from './staff-input-schemas.ts'

/** So many locations, staff members and services each are in a file at most. */
export const mostInFile = 5_000
const mostReferences = 200

/** What every entry may have: an id, and a word by which other entries of the file name it. */
const identity = { id: Type.Optional(Id), key: Type.Optional(Name) }

function References(least: number) {
  return Ruled(
    Type.Array(Name, { minItems: least, maxItems: mostReferences }),
    (references: (string | undefined)[]) => repetitionFaults(references),
  )
}

const LocationEntry = Closed({ ...identity, ...locationMembers })

const StaffEntry = Closed({ ...identity, ...staffMembers, locations: Type.Optional(References(0)) })

const ServiceEntry = Ruled(
  Closed({
    ...identity,
    ...serviceMembers,
    // null is more than absent here: a file says what an export has found
    max_advance_days: Type.Optional(OrNull(maxAdvance)),
    locations: References(1),
    staff: Type.Optional(References(0)),
    custom_fields: Type.Optional(ChangedFields),
    ...activity,
  }),
  depositFaults,
)

const list = { maxItems: mostInFile }

/** A whole business in one file. Entries name each other by key, name or id. */
export const CatalogueFile = Closed({
  business: Type.Optional(
    Closed({
      id: Type.Optional(Id),
      ...businessMembers,
      max_bookings_per_client: Type.Optional(OrNull(MaxBookingsPerClient)),
      plan: Type.Optional(Type.Enum([...planNames])),
    }),
  ),
  locations: Type.Optional(Type.Array(LocationEntry, list)),
  staff: Type.Optional(Type.Array(StaffEntry, list)),
  services: Type.Optional(Type.Array(ServiceEntry, list)),
})

/** The same, as it was read. */
export type CatalogueFile = Static<typeof CatalogueFile>
/** The same, as it was read. */
export type LocationEntry = Static<typeof LocationEntry>
/** The same, as it was read. */
export type StaffEntry = Static<typeof StaffEntry>
/** The same, as it was read. */
export type ServiceEntry = Static<typeof ServiceEntry>
