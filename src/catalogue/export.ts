import { OperatorError } from '../base/errors.ts'
import type { Queries } from '../database/database.ts'
import type { Context } from '../access/context.ts'
import type { BusinessRow } from './business-queries.ts'
import { networksIn, usualBookingsPerClient } from './business-rules.ts'
import { existingBusiness } from './business.ts'
import { type MailSettings, mailSettings, usualMailSettings } from './mail-settings-rules.ts'
import { findLocations, findServices, findStaff } from './catalogue-queries.ts'
import type { Hours, Location, Money, Service, StaffMember } from './catalogue-types.ts'
import { type CatalogueFile, maxInFile } from './catalogue-file-schemas.ts'
import { defaultSlotInterval, usualChangeMinutes, usualReschedules } from './service-rules.ts'

export interface Catalogue {
  locations: Location[]
  staff: StaffMember[]
  services: Service[]
}

/** Reads a business's catalogue, in the order of lists. Throws an OperatorError when a file cannot hold it. */
export async function readCatalogue(db: Queries, businessId: string): Promise<Catalogue> {
  const scope = { businessId }
  const filter = { businessId, activeOnly: false, after: undefined, rows: maxInFile + 1 }
  const catalogue = {
    locations: await findLocations(db, scope, filter),
    staff: await findStaff(db, scope, filter),
    services: await findServices(db, scope, filter),
  }
  if (Object.values(catalogue).every((items) => items.length <= maxInFile)) return catalogue
  throw new OperatorError(
    `A file holds at most ${maxInFile} of each kind, and this business has more; use the API.`,
  )
}

/** Exports a business as a file for `importCatalogue`. The business is given by id or name: throws a UsageError. */
export async function exportCatalogue(context: Context, reference: string): Promise<CatalogueFile> {
  const db = context.db.reads
  const business = await existingBusiness(db, reference)
  return fileOf(business, await readCatalogue(db, business.id))
}

/** For human readers: omits defaults, and refers by name where that is unique. */
export function fileOf(business: BusinessRow, { locations, staff, services }: Catalogue): CatalogueFile {
  const placeName = namesWithin(locations)
  const personName = namesWithin(staff)
  return {
    business: businessEntry(business),
    locations: locations.map((location) => locationEntry(location)),
    staff: staff.map((member) => staffEntry(member, placeName)),
    services: services.map((service) => serviceEntry(service, placeName, personName)),
  }
}

function businessEntry({ id, name, timezone, plan, ...brand }: BusinessRow) {
  const { brand_name, brand_color, brand_logo_url, max_bookings_per_client, retention_days, phone, slug } =
    brand
  const networks = networksIn(brand.trusted_networks_json)
  return {
    ...{ id, name, timezone, plan, ...given({ brand_name, brand_color, brand_logo_url }) },
    ...unless(usualBookingsPerClient, 'max_bookings_per_client', max_bookings_per_client),
    ...given({ retention_days, phone, slug }),
    ...(networks.length > 0 && { trusted_networks: networks }),
    ...mailEntry(brand),
  }
}

/** Of the settings of mails those that differ from the usual ones. */
function mailEntry(business: Omit<BusinessRow, 'id' | 'name' | 'timezone' | 'plan'>) {
  const settings = mailSettings(business)
  const differing = Object.entries(settings).filter(
    ([name, value]) =>
      JSON.stringify(value) !== JSON.stringify(usualMailSettings[name as keyof MailSettings]),
  )
  return Object.fromEntries(differing) as { [Name in keyof MailSettings]?: NonNullable<MailSettings[Name]> } // a subset
}

function locationEntry({ id, name, timezone, address, online_url, active, ...location }: Location) {
  return {
    id,
    name,
    timezone,
    ...given({ address, online_url }),
    ...scheduleOf(location),
    ...activity(active),
  }
}

function staffEntry(member: StaffMember, placeName: NameOf) {
  const { id, name, slug, position, description, image_url, email, location_ids, active } = member
  const locations = location_ids.map(placeName)
  return {
    id,
    name,
    ...given({ slug, position, description, image_url, email }),
    ...(locations.length > 0 && { locations }),
    ...scheduleOf(member),
    ...activity(active),
  }
}

function serviceEntry(service: Service, placeName: NameOf, personName: NameOf) {
  const { id, name, slug, position, category, description, image_url } = service
  const { duration_minutes, custom_fields, price, deposit } = service
  const interval = service.slot_interval_minutes
  const staff = service.staff_ids.map(personName)
  return {
    id,
    name,
    ...given({ slug, position, category, description, image_url }),
    duration_minutes,
    ...unless(0, 'buffer_before_minutes', service.buffer_before_minutes),
    ...unless(0, 'buffer_after_minutes', service.buffer_after_minutes),
    ...unless(defaultSlotInterval(duration_minutes), 'slot_interval_minutes', interval),
    ...unless(0, 'min_notice_minutes', service.min_notice_minutes),
    max_advance_days: service.max_advance_days, // always: absent would be confused with null, which is no limit
    ...unless(usualChangeMinutes, 'cancel_until_minutes', service.cancel_until_minutes),
    ...unless(usualChangeMinutes, 'reschedule_until_minutes', service.reschedule_until_minutes),
    ...unless(usualReschedules, 'max_reschedules', service.max_reschedules),
    ...unless(1, 'capacity', service.capacity),
    ...given({ timetable: service.timetable }),
    ...given({ price: price && amount(price), deposit: deposit && amount(deposit) }),
    locations: service.location_ids.map(placeName),
    ...(staff.length > 0 && { staff }),
    ...(custom_fields.length > 0 && {
      custom_fields: custom_fields.map(({ id, key, label, type, required, options }) => ({
        ...{ id, key, label, type, required },
        ...(options && { options }),
      })),
    }),
    ...activity(service.active),
  }
}

type NameOf = (id: string) => string

/** Refers by name, or by id when several items have that name. */
function namesWithin(items: { id: string; name: string }[]): NameOf {
  const many = Map.groupBy(items, ({ name }) => name)
  const names = new Map(items.map(({ id, name }) => [id, many.get(name)?.length === 1 ? name : id]))
  return (id) => names.get(id) ?? id
}

/** Fixes the order of members: databases differ. */
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
  return Object.fromEntries(present) as { [Name in keyof T]?: NonNullable<T[Name]> } // a subset
}

function unless<Name extends string, Value>(usual: Value, name: Name, value: Value): { [N in Name]?: Value } {
  return value === usual ? {} : ({ [name]: value } as { [N in Name]?: Value }) // its one member
}
