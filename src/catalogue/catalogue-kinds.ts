import { type Actor, isSession, isStaff } from '../access/actor.ts'
import type { FieldError } from '../base/errors.ts'
import type { Reads } from '../database/database.ts'
import type { BusinessRow } from './business-queries.ts'
import { type CatalogueKind, type References, unknownReference, type WritableKind } from './catalogue.ts'
import {
  findLocation,
  findLocations,
  findResource,
  findResources,
  findResourcesById,
  findService,
  findServices,
  findStaff,
  findStaffMember,
  saveLocation,
  saveResource,
  saveService,
  saveStaffMember,
} from './catalogue-queries.ts'
import type { ItemTable } from './catalogue-types.ts'
import { completed, type PlainEntry } from './field-schemas.ts'
import {
  type Location,
  type LocationChange,
  type LocationCreation,
  locationFields,
  publicStaffMembers,
  type StaffChange,
  type StaffCreation,
  staffFields,
  type StaffMember,
} from './location-and-staff-schemas.ts'
import {
  type BookableResource,
  type ResourceChange,
  type ResourceCreation,
  resourceFields,
} from './resource-schemas.ts'
import { feeConflicts, sortedFees } from './fee-rules.ts'
import {
  changedPayment,
  chargeErrors,
  completeNeed,
  fieldIdErrors,
  missingParts,
  needConflicts,
  partErrors,
  paymentOf,
  sumOf,
  usualClientFields,
  withFieldIds,
} from './service-rules.ts'
import { type Service, type ServiceChange, type ServiceCreation, serviceFields } from './service-schemas.ts'

/* The four kinds of catalogue items, each with the functions that read, show, complete, change and save it. */

export const serviceKind: CatalogueKind<Service, Service> = {
  noun: 'service',
  findOne: findService,
  findPage: findServices,
  present: (service) => service,
}

export const locationKind: CatalogueKind<Location, Location> = {
  noun: 'location',
  findOne: findLocation,
  findPage: findLocations,
  present: (location) => location,
}

type ShownStaff = Pick<StaffMember, keyof typeof publicStaffMembers>

/** Sessions belong to visitors, so they do not see when and where staff work. */
export const staffKind: CatalogueKind<StaffMember, ShownStaff> = {
  noun: 'staff member',
  findOne: findStaffMember,
  findPage: findStaff,
  present: (member: StaffMember, actor: Actor) =>
    isSession(actor) || (isStaff(actor) && actor.staffId !== member.id) ? shownStaff(member) : member,
}

function shownStaff(member: StaffMember): ShownStaff {
  const names = Object.keys(publicStaffMembers) as (keyof ShownStaff)[] // the object has no other keys
  return Object.fromEntries(names.map((name) => [name, member[name]])) as unknown as ShownStaff
}

export const resourceKind: CatalogueKind<BookableResource, BookableResource> = {
  noun: 'resource',
  findOne: findResource,
  findPage: findResources,
  present: (resource) => resource,
}

type OfBusiness = Pick<BusinessRow, 'id' | 'timezone'>

export function completeLocation(
  input: LocationCreation,
  { id, timezone }: OfBusiness,
  nextId: () => string,
): Location {
  return {
    id: nextId(),
    business_id: id,
    ...completed(locationFields, { timezone, ...input }),
    weekly_hours: input.weekly_hours ?? null,
    date_overrides: input.date_overrides ?? [],
    active: input.active ?? true,
  }
}

export const writableLocations: WritableKind<Location, LocationCreation, LocationChange> = {
  ...locationKind,
  table: 'locations',
  complete: completeLocation,
  merge: (location, change) => ({ ...location, ...change }),
  changeErrors: () => [],
  references: () => [],
  save: saveLocation,
}

export function completeStaffMember(
  input: StaffCreation,
  { id }: OfBusiness,
  nextId: () => string,
): StaffMember {
  return {
    id: nextId(),
    business_id: id,
    ...completed(staffFields, input),
    location_ids: input.location_ids ?? [],
    weekly_hours: input.weekly_hours ?? null,
    date_overrides: input.date_overrides ?? [],
    active: input.active ?? true,
  }
}

export const writableStaff: WritableKind<StaffMember, StaffCreation, StaffChange> = {
  ...staffKind,
  table: 'staff',
  complete: completeStaffMember,
  merge: (member, change) => ({ ...member, ...change }),
  changeErrors: () => [],
  slugsIn: 'staff',
  references: ({ location_ids }) => [listIn('location_ids', 'locations', location_ids)],
  save: saveStaffMember,
}

export function completeResource(
  input: ResourceCreation,
  { id }: OfBusiness,
  nextId: () => string,
): BookableResource {
  return {
    id: nextId(),
    business_id: id,
    location_id: input.location_id,
    ...completed(resourceFields, input),
    weekly_hours: input.weekly_hours ?? null,
    date_overrides: input.date_overrides ?? [],
    active: input.active ?? true,
  }
}

export const writableResources: WritableKind<BookableResource, ResourceCreation, ResourceChange> = {
  ...resourceKind,
  table: 'resources',
  complete: completeResource,
  merge: (resource, change) => ({ ...resource, ...change }),
  changeErrors: () => [],
  references: ({ location_id }) =>
    location_id === undefined
      ? []
      : [{ table: 'locations', ids: [location_id], pointerTo: () => '/location_id' }],
  save: saveResource,
}

export type NewService = Omit<ServiceCreation, keyof typeof serviceFields> &
  Omit<PlainEntry<typeof serviceFields>, 'duration_minutes'> &
  Pick<ServiceCreation, 'duration_minutes'>

export function completeService(input: NewService, { id }: OfBusiness, nextId: () => string): Service {
  return {
    id: nextId(),
    business_id: id,
    ...completed(serviceFields, { ...input, duration_minutes: lengthOf(input) }),
    steps: input.steps ?? null,
    timetable: input.timetable ?? null,
    price: input.price ?? null,
    deposit: input.deposit ?? null,
    payment: paymentOf(input),
    fees: sortedFees(input.fees ?? []),
    location_ids: input.location_ids,
    staff_ids: input.staff_ids ?? [],
    needs: (input.needs ?? []).map(completeNeed),
    terms: input.terms ?? [],
    client_fields: { ...usualClientFields, ...input.client_fields },
    custom_fields: withFieldIds(input.custom_fields ?? [], [], nextId),
    active: input.active ?? true,
  }
}

/** Returns the length of a new service, which must have a duration or steps. */
function lengthOf({ duration_minutes, steps }: Pick<NewService, 'duration_minutes' | 'steps'>): number {
  return duration_minutes ?? sumOf(steps ?? [])
}

export const writableServices: WritableKind<Service, ServiceCreation, ServiceChange> = {
  ...serviceKind,
  table: 'services',
  complete: completeService,
  merge: (service, { custom_fields, client_fields, needs, ...change }, nextId) => ({
    ...service,
    ...(change.steps && { duration_minutes: sumOf(change.steps) }),
    ...change,
    ...changedPayment(service, change),
    ...(change.fees && { fees: sortedFees(change.fees) }),
    ...(needs && { needs: needs.map(completeNeed) }),
    client_fields: { ...service.client_fields, ...client_fields },
    ...(custom_fields && { custom_fields: withFieldIds(custom_fields, service.custom_fields, nextId) }),
  }),
  changeErrors: (service, change): FieldError[] => [
    ...fieldIdErrors(change.custom_fields ?? [], service.custom_fields),
    ...chargeErrors({ ...service, ...change, ...changedPayment(service, change) }).map((fieldError) => ({
      ...fieldError,
      pointer: change.deposit ? fieldError.pointer : '/price', // the price was lowered below the deposit
    })),
    ...missingParts({ ...service, ...change, ...changedPayment(service, change) }),
    ...feeConflicts({ ...service, ...change, ...changedPayment(service, change) }, change),
  ],
  slugsIn: 'services',
  rowErrors: async (db, service, given) => [
    ...partErrors(service, given),
    ...(await needErrors(db, service, given)),
  ],
  references: ({ location_ids, staff_ids }) => [
    listIn('location_ids', 'locations', location_ids),
    listIn('staff_ids', 'staff', staff_ids),
  ],
  save: saveService,
}

function listIn(member: string, table: ItemTable, ids: string[] = []): References {
  return { table, ids, pointerTo: (index) => `/${member}/${index}` }
}

/** Finds needs for resources that the business lacks, or that are not at a location of the service. */
async function needErrors(db: Reads, service: Service, given: object): Promise<FieldError[]> {
  const { business_id: businessId, needs } = service
  const ids = [...new Set(needs.flatMap(({ resource_ids }) => resource_ids))]
  if (ids.length === 0 || !('needs' in given || 'location_ids' in given)) return []
  const found = new Map((await findResourcesById(db, { businessId }, ids)).map((one) => [one.id, one]))
  const unknown = needs.flatMap(({ resource_ids }, need) =>
    resource_ids.flatMap((id, index) =>
      found.has(id) ? [] : [unknownReference('resources', `/needs/${need}/resource_ids/${index}`)],
    ),
  )
  return [...unknown, ...needConflicts(service, found, given)]
}
