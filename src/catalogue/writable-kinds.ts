import type { BusinessRow } from './business-queries.ts'
import type { Location, Service, StaffMember } from './catalogue-types.ts'
import { locationKind, serviceKind, staffKind } from './catalogue-kinds.ts'
import type { Fault } from '../errors.ts'
import type { LocationChange, LocationCreation } from './location-input-schemas.ts'
import { saveLocation, saveService, saveStaffMember } from './saving-queries.ts'
import type { ServiceChange, ServiceCreation } from './service-input-schemas.ts'
import {
  defaultSlotInterval,
  depositFaults,
  fieldIdFaults,
  usualAdvanceDays,
  withFieldIds,
} from './service-rules.ts'
import type { StaffChange, StaffCreation } from './staff-input-schemas.ts'
import type { WritableKind } from './change-catalogue.ts'

type OfBusiness = Pick<BusinessRow, 'id' | 'timezone'>

/** How locations are made and changed. */
export const writableLocations: WritableKind<Location, LocationCreation, LocationChange> = {
  ...locationKind,
  complete: (input: LocationCreation, business: OfBusiness, nextId) => ({
    id: nextId(),
    business_id: business.id,
    name: input.name,
    timezone: input.timezone ?? business.timezone,
    address: input.address ?? null,
    weekly_hours: input.weekly_hours ?? null,
    date_overrides: input.date_overrides ?? [],
    active: input.active ?? true,
  }),
  merge: (location, change) => ({ ...location, ...change }),
  changeFaults: () => [],
  references: () => [],
  save: saveLocation,
}

/** How staff members are made and changed. */
export const writableStaff: WritableKind<StaffMember, StaffCreation, StaffChange> = {
  ...staffKind,
  complete: (input: StaffCreation, business: OfBusiness, nextId) => ({
    id: nextId(),
    business_id: business.id,
    name: input.name,
    email: input.email ?? null,
    location_ids: input.location_ids ?? [],
    weekly_hours: input.weekly_hours ?? null,
    date_overrides: input.date_overrides ?? [],
    active: input.active ?? true,
  }),
  merge: (member, change) => ({ ...member, ...change }),
  changeFaults: () => [],
  references: ({ location_ids = [] }) => [{ member: 'location_ids', table: 'locations', ids: location_ids }],
  save: saveStaffMember,
}

/** How services are made and changed. */
export const writableServices: WritableKind<Service, ServiceCreation, ServiceChange> = {
  ...serviceKind,
  complete: (input: ServiceCreation, business: OfBusiness, nextId) => ({
    id: nextId(),
    business_id: business.id,
    name: input.name,
    description: input.description ?? null,
    duration_minutes: input.duration_minutes,
    buffer_before_minutes: input.buffer_before_minutes ?? 0,
    buffer_after_minutes: input.buffer_after_minutes ?? 0,
    slot_interval_minutes: input.slot_interval_minutes ?? defaultSlotInterval(input.duration_minutes),
    min_notice_minutes: input.min_notice_minutes ?? 0,
    max_advance_days: input.max_advance_days ?? usualAdvanceDays,
    capacity: input.capacity ?? 1,
    price: input.price ?? null,
    deposit: input.deposit ?? null,
    location_ids: input.location_ids,
    staff_ids: input.staff_ids ?? [],
    custom_fields: withFieldIds(input.custom_fields ?? [], [], nextId),
    active: input.active ?? true,
  }),
  merge: (service, { custom_fields, ...change }, nextId) => ({
    ...service,
    ...change,
    ...(custom_fields && { custom_fields: withFieldIds(custom_fields, service.custom_fields, nextId) }),
  }),
  changeFaults: (service, change): Fault[] => [
    ...fieldIdFaults(change.custom_fields ?? [], service.custom_fields),
    ...depositFaults({ ...service, ...change }).map((fault) => ({
      ...fault,
      pointer: change.deposit ? fault.pointer : '/price', // the price was lowered below the deposit
    })),
  ],
  references: ({ location_ids = [], staff_ids = [] }) => [
    { member: 'location_ids', table: 'locations', ids: location_ids },
    { member: 'staff_ids', table: 'staff', ids: staff_ids },
  ],
  save: saveService,
}
