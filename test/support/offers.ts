import { allMailColumns } from '../../src/catalogue/mail-settings-rules.ts'
import type { Insertable } from 'kysely'
import { issueKey } from '../../src/access/key.ts'
import { insertMissing } from '../../src/catalogue/catalogue-queries.ts'
import type { CustomField, DateOverride, Money, WeeklyHours } from '../../src/catalogue/catalogue-types.ts'
import type { PlanName, Tables } from '../../src/database/tables.ts'
import type { TestService } from './test-service.ts'

/* Businesses, locations, staff and services of a single test, which cannot conflict with those of other tests. */

/** A business with its keys. */
export interface OwnBusiness {
  id: string
  key: string
  publishableKey: string
}

/** The IDs of a hold. */
export interface Offer {
  service_id: string
  location_id: string
}

export interface ServiceParts {
  name: string
  minutes: number
  bufferBefore: number
  bufferAfter: number
  capacity: number
  intervalMinutes: number
  noticeMinutes: number
  /** Null: no limit. */
  horizonDays: number | null
  cancelUntilMinutes: number | null
  rescheduleUntilMinutes: number | null
  maxReschedules: number
  maxRepeats: number
  /** The minutes in which the business answers a request. Null: nobody confirms its bookings. */
  respondWithin: number | null
  deposit: Money | null
  customFields: CustomField[]
  staffIds: string[]
  locationIds: string[]
}

const plainService: Omit<ServiceParts, 'locationIds'> = {
  name: 'Massage',
  minutes: 30,
  bufferBefore: 0,
  bufferAfter: 0,
  capacity: 1,
  intervalMinutes: 5,
  noticeMinutes: 0,
  horizonDays: null,
  cancelUntilMinutes: 1440,
  rescheduleUntilMinutes: 1440,
  maxReschedules: 3,
  maxRepeats: 1,
  respondWithin: null,
  deposit: null,
  customFields: [],
  staffIds: [],
}

export async function makeBusiness(
  service: TestService,
  parts: { timezone?: string; hubId?: string; plan?: PlanName; isTest?: boolean } = {},
): Promise<OwnBusiness> {
  const { context } = service
  const id = context.ids.next()
  return context.db.transaction(async (tx) => {
    await insertMissing(tx.db, 'businesses', [
      {
        id,
        hub_id: parts.hubId ?? null,
        name: 'Corner Spa',
        plan: parts.plan ?? 'enterprise',
        timezone: parts.timezone ?? 'Europe/Berlin',
        brand_name: null,
        brand_color: null,
        brand_logo_url: null,
        ...allMailColumns({}),
        catalogue_version: 1,
        page_key_generation: 0,
        max_gap_minutes: 0,
        offer_minutes: 60,
        is_test: parts.isTest ? 1 : 0,
        created_at: tx.now,
      },
    ])
    const business = await issueKey(context, tx, { type: 'business', businessId: id })
    const publishable = await issueKey(context, tx, { type: 'publishable', businessId: id })
    return { id, key: business.key, publishableKey: publishable.key }
  })
}

/** The opening hours. Always open by default. */
export interface HoursParts {
  weeklyHours?: WeeklyHours | null
  dateOverrides?: DateOverride[]
}

function hoursColumns({ weeklyHours = null, dateOverrides = [] }: HoursParts) {
  return {
    weekly_hours_json: weeklyHours && JSON.stringify(weeklyHours),
    date_overrides_json: JSON.stringify(dateOverrides),
  }
}

/** Creates a location that is always open, unless hours are given. */
export function makeLocation(
  service: TestService,
  businessId: string,
  parts: { name?: string; timezone?: string } & HoursParts = {},
): Promise<string> {
  return insert(service, 'locations', businessId, {
    name: parts.name ?? 'Main street',
    timezone: parts.timezone ?? 'Europe/Berlin',
    address: null,
    online_url: null,
    ...hoursColumns(parts),
  })
}

/** Creates staff members who provide the named services, sorted by ID. */
export async function makeStaff(
  service: TestService,
  businessId: string,
  names: string[],
  locationIds: string[] = [],
  hours: HoursParts = {},
): Promise<string[]> {
  const ids: string[] = []
  for (const name of names) {
    const id = await insert(service, 'staff', businessId, { name, email: null, ...hoursColumns(hours) })
    ids.push(id)
    await link(
      service,
      'staff_locations',
      locationIds.map((location_id) => ({ business_id: businessId, staff_id: id, location_id })),
    )
  }
  return ids.toSorted()
}

export async function makeService(
  service: TestService,
  businessId: string,
  given: Partial<ServiceParts> & Pick<ServiceParts, 'locationIds'>,
): Promise<string> {
  const parts = { ...plainService, ...given }
  const id = await insert(service, 'services', businessId, {
    name: parts.name,
    description: null,
    duration_minutes: parts.minutes,
    buffer_before_minutes: parts.bufferBefore,
    buffer_after_minutes: parts.bufferAfter,
    slot_interval_minutes: parts.intervalMinutes,
    min_notice_minutes: parts.noticeMinutes,
    max_advance_days: parts.horizonDays,
    cancel_until_minutes: parts.cancelUntilMinutes,
    reschedule_until_minutes: parts.rescheduleUntilMinutes,
    max_reschedules: parts.maxReschedules,
    max_repeats: parts.maxRepeats,
    confirmation: parts.respondWithin === null ? 'automatic' : 'request',
    respond_within_minutes: parts.respondWithin ?? 1440,
    capacity: parts.capacity,
    waitlist: 1,
    price_amount: null,
    price_currency: null,
    deposit_amount: parts.deposit?.amount ?? null,
    deposit_currency: parts.deposit?.currency ?? null,
    custom_fields_json: JSON.stringify(parts.customFields),
  })
  const own = { business_id: businessId, service_id: id }
  const places = parts.locationIds.map((location_id) => ({ ...own, location_id }))
  const people = parts.staffIds.map((staff_id) => ({ ...own, staff_id }))
  await link(service, 'service_locations', places)
  await link(service, 'service_staff', people)
  return id
}

/** Creates a service at a separate location. */
export async function makeOffer(
  service: TestService,
  businessId: string,
  parts: Partial<Omit<ServiceParts, 'locationIds'>> & { timezone?: string } & HoursParts = {},
): Promise<Offer> {
  const { timezone, weeklyHours, dateOverrides, ...rest } = parts
  const location_id = await makeLocation(service, businessId, {
    ...(timezone !== undefined && { timezone }),
    ...(weeklyHours !== undefined && { weeklyHours }),
    ...(dateOverrides !== undefined && { dateOverrides }),
  })
  return {
    service_id: await makeService(service, businessId, { ...rest, locationIds: [location_id] }),
    location_id,
  }
}

/** Makes a service, location or staff member inactive, as deleting it does. */
export async function deactivate(
  service: TestService,
  table: 'services' | 'locations' | 'staff',
  id: string,
): Promise<void> {
  await service.context.db.transaction((tx) =>
    tx.db.updateTable(table).set({ deactivated_at: tx.now }).where('id', '=', id).execute(),
  )
  service.clock.advance(5) // by then the service has forgotten its cached catalogue
}

type Row<Table extends 'locations' | 'staff' | 'services'> = Omit<
  Insertable<Tables[Table]>,
  'id' | 'business_id' | 'created_at' | 'deactivated_at'
>

async function insert<Table extends 'locations' | 'staff' | 'services'>(
  { context }: TestService,
  table: Table,
  business_id: string,
  row: Row<Table>,
): Promise<string> {
  const id = context.ids.next()
  await context.db.transaction((tx) => {
    const complete = { ...row, id, business_id, created_at: tx.now, deactivated_at: null }
    return insertMissing(tx.db, table, [complete as unknown as Insertable<Tables[Table]>]) // `Row` has the rest
  })
  return id
}

async function link<Table extends 'staff_locations' | 'service_locations' | 'service_staff'>(
  { context }: TestService,
  table: Table,
  rows: Insertable<Tables[Table]>[],
): Promise<void> {
  await context.db.transaction((tx) => insertMissing(tx.db, table, rows))
}
