import { isSession, type Actor } from '../access/actor.ts'
import type { Location, Service, StaffMember } from './catalogue-types.ts'
import type { CatalogueKind } from './list-catalogue.ts'
import { findLocation, findLocations } from './location-queries.ts'
import { findService, findServices } from './service-queries.ts'
import { findStaff, findStaffMember } from './staff-queries.ts'

/** Services, as lists and single ones are read. */
export const serviceKind: CatalogueKind<Service, Service> = {
  noun: 'service',
  findOne: findService,
  findPage: findServices,
  present: (service) => service,
}

/** Locations, as lists and single ones are read. */
export const locationKind: CatalogueKind<Location, Location> = {
  noun: 'location',
  findOne: findLocation,
  findPage: findLocations,
  present: (location) => location,
}

/** Sessions are visitors: of the staff they see who there is, not when and where each works. */
export const staffKind: CatalogueKind<StaffMember, Pick<StaffMember, 'id' | 'name'>> = {
  noun: 'staff member',
  findOne: findStaffMember,
  findPage: findStaff,
  present: (member: StaffMember, actor: Actor) =>
    isSession(actor) ? { id: member.id, name: member.name } : member,
}
