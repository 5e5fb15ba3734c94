import { OperatorError } from '../base/errors.ts'
import { publicUrl } from '../base/public-url.ts'
import type { Reads } from '../database/database.ts'
import type { Context } from '../access/context.ts'
import type { BusinessRow } from './business-queries.ts'
import { networksIn } from './business-rules.ts'
import { existingBusiness } from './business.ts'
import { type MailSettings, mailSettings, usualMailSettings } from './mail-settings-rules.ts'
import { findLocations, findResources, findServices, findStaff } from './catalogue-queries.ts'
import type { ClientFields, Hours, Money, Need, Terms } from './catalogue-types.ts'
import { type Location, locationFields, staffFields, type StaffMember } from './location-and-staff-schemas.ts'
import { type BookableResource, resourceFields } from './resource-schemas.ts'
import { type Service, serviceFields } from './service-schemas.ts'
import { type CatalogueFile, maxInFile } from './catalogue-file-schemas.ts'
import { usualClientFields } from './service-rules.ts'
import { unusual } from './field-schemas.ts'
import { inFile, withAbsoluteImages } from './image-rules.ts'
import { businessFields } from './business-schemas.ts'

export interface Catalogue {
  locations: Location[]
  staff: StaffMember[]
  resources: BookableResource[]
  services: Service[]
}

/** Reads a business's catalogue in list order. Throws an OperatorError if it exceeds a file. */
export async function readCatalogue(db: Reads, businessId: string): Promise<Catalogue> {
  const scope = { businessId }
  const filter = { businessId, activeOnly: false, after: undefined, rows: maxInFile + 1 }
  const catalogue = {
    locations: await findLocations(db, scope, filter),
    staff: await findStaff(db, scope, filter),
    resources: await findResources(db, scope, filter),
    services: await findServices(db, scope, filter),
  }
  if (Object.values(catalogue).every((items) => items.length <= maxInFile)) return catalogue
  throw new OperatorError(
    `A file holds at most ${maxInFile} of each kind, and this business has more; use the API.`,
  )
}

/**
 * Exports a business as a file for `importCatalogue`. Accepts an ID or name; throws a UsageError for any
 * other text.
 */
export async function exportCatalogue(context: Context, reference: string): Promise<CatalogueFile> {
  const db = context.db.reads
  const business = await existingBusiness(db, reference)
  const file = fileOf(business, await readCatalogue(db, business.id))
  return inFile(file, (item) => withAbsoluteImages(item, publicUrl(context.config)))
}

/** Returns a file for human readers. Omits defaults, and refers by name if the name is unique. */
export function fileOf(business: BusinessRow, catalogue: Catalogue): CatalogueFile {
  const { locations, staff, resources, services } = catalogue
  const placeName = namesWithin(locations)
  const naming = { placeName, personName: namesWithin(staff), resourceName: namesWithin(resources) }
  return {
    business: businessEntry(business),
    locations: locations.map((location) => locationEntry(location)),
    staff: staff.map((member) => staffEntry(member, placeName)),
    ...(resources.length > 0 && { resources: resources.map((one) => resourceEntry(one, placeName)) }),
    services: services.map((service) => serviceEntry(service, naming)),
  }
}

function businessEntry({ id, plan, ...business }: BusinessRow) {
  const { name, timezone, ...others } = unusual(businessFields, business)
  const networks = networksIn(business.trusted_networks_json)
  return {
    ...{ id, name, timezone, plan, ...others },
    ...(networks.length > 0 && { trusted_networks: networks }),
    ...mailEntry(business),
  }
}

/** Returns the email settings that differ from the defaults. */
function mailEntry(business: Omit<BusinessRow, 'id' | 'plan'>) {
  const settings = mailSettings(business)
  const differing = Object.entries(settings).filter(
    ([name, value]) =>
      JSON.stringify(value) !== JSON.stringify(usualMailSettings[name as keyof MailSettings]),
  )
  return Object.fromEntries(differing) as { [Name in keyof MailSettings]?: NonNullable<MailSettings[Name]> } // a subset of the members
}

function locationEntry(location: Location) {
  return {
    id: location.id,
    ...unusual(locationFields, location),
    ...scheduleOf(location),
    ...activity(location.active),
  }
}

function staffEntry(member: StaffMember, placeName: NameOf) {
  const locations = member.location_ids.map(placeName)
  return {
    id: member.id,
    ...unusual(staffFields, member),
    ...(locations.length > 0 && { locations }),
    ...scheduleOf(member),
    ...activity(member.active),
  }
}

function resourceEntry(resource: BookableResource, placeName: NameOf) {
  return {
    id: resource.id,
    ...unusual(resourceFields, resource),
    location: placeName(resource.location_id),
    ...scheduleOf(resource),
    ...activity(resource.active),
  }
}

/** Functions that refer to items by name. */
type Naming = Record<'placeName' | 'personName' | 'resourceName', NameOf>

function serviceEntry(service: Service, { placeName, personName, resourceName }: Naming) {
  const { id, custom_fields, price, deposit, payment, fees, needs, terms } = service
  const staff = service.staff_ids.map(personName)
  return {
    id,
    ...unusual(serviceFields, service),
    ...given({ steps: service.steps, timetable: service.timetable }),
    ...given({ price: price && amount(price), deposit: deposit && amount(deposit) }),
    ...((payment === 'full' || payment === 'card') && { payment }),
    ...(fees.length > 0 && { fees }),
    locations: service.location_ids.map(placeName),
    ...(staff.length > 0 && { staff }),
    ...(needs.length > 0 && { needs: needs.map((need) => needEntry(need, resourceName)) }),
    ...(terms.length > 0 && { terms: terms.map((one) => termsEntry(one, personName)) }),
    ...(isUsual(service.client_fields) ? {} : { client_fields: service.client_fields }),
    ...(custom_fields.length > 0 && {
      custom_fields: custom_fields.map(({ id, key, label, type, required, options }) => ({
        ...{ id, key, label, type, required },
        ...(options && { options }),
      })),
    }),
    ...activity(service.active),
  }
}

function needEntry({ resource_ids, quantity, during }: Need, resourceName: NameOf) {
  return { resources: resource_ids.map(resourceName), quantity, during }
}

function termsEntry({ staff_id, ...terms }: Terms, personName: NameOf) {
  return { staff: personName(staff_id), ...terms }
}

function isUsual({ phone, last_name }: ClientFields): boolean {
  return phone === usualClientFields.phone && last_name === usualClientFields.last_name
}

type NameOf = (id: string) => string

/** Refers by name, or by ID if several items share the name. */
function namesWithin(items: { id: string; name: string }[]): NameOf {
  const many = Map.groupBy(items, ({ name }) => name)
  const names = new Map(items.map(({ id, name }) => [id, many.get(name)?.length === 1 ? name : id]))
  return (id) => names.get(id) ?? id
}

/** Fixes the order of members, because databases differ. */
function scheduleOf({ weekly_hours, date_overrides }: Pick<Location, 'weekly_hours' | 'date_overrides'>) {
  const times = ({ opens, closes }: Hours) => ({ opens, closes })
  return {
    ...(weekly_hours && {
      weekly_hours: weekly_hours.map(({ weekday, ...hours }) => ({ weekday, ...times(hours) })),
    }),
    ...(date_overrides.length > 0 && {
      date_overrides: date_overrides.map(({ date, hours }) => ({ date, hours: hours.map(times) })),
    }),
  }
}

function amount({ amount, currency }: Money): Money {
  return { amount, currency }
}

function activity(active: boolean) {
  return active ? {} : { active }
}

function given<T extends object>(members: T): { [Name in keyof T]?: NonNullable<T[Name]> } {
  const present = Object.entries(members).filter(([, value]) => value !== null)
  return Object.fromEntries(present) as { [Name in keyof T]?: NonNullable<T[Name]> } // a subset of the members
}
