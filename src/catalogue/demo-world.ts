import { slugOf } from './slug-rules.ts'
import { operator } from '../access/actor.ts'
import { recordAudit } from '../access/audit.ts'
import { issueKey } from '../access/key.ts'
import type { Config } from '../base/config.ts'
import { derivedId } from '../base/ids.ts'
import { type Instant, plusSeconds } from '../base/instants.ts'
import { publicUrl } from '../base/public-url.ts'
import type { Context } from '../access/context.ts'
import type { Transaction } from '../database/database.ts'
import type { PlanName } from '../database/tables.ts'
import { findBusinessBySlug } from './business-queries.ts'
import { hasBusinesses, insertMissing, scheduleColumns, serviceColumns } from './catalogue-queries.ts'
import { type BookableResource, resourceFields } from './resource-schemas.ts'
import type { CustomField, DateOverride, Money, Weekday, WeeklyHours } from './catalogue-types.ts'
import { plainOf } from './field-schemas.ts'
import {
  completeLocation,
  completeResource,
  completeService,
  completeStaffMember,
  type NewService,
} from './catalogue-kinds.ts'
import {
  type Location,
  type LocationCreation,
  locationFields,
  type StaffMember,
  staffFields,
} from './location-and-staff-schemas.ts'
import { isPlainService } from './service-rules.ts'
import type { Service } from './service-schemas.ts'
import { firstColumns } from './business-rules.ts'
import { businessColumns } from './business.ts'

/** The demo businesses with new keys, in the format of `holdfast demo --json`. */
export type DemoWorld = Awaited<ReturnType<typeof seedDemoData>>

/** Adds the demo businesses unless they exist, and issues new keys. */
export function seedDemoData(context: Context) {
  return context.db.transaction((tx) => makeIn(context, tx))
}

/** Adds the demo businesses to a database without any business. Undefined if there is one. */
export function makeDemoWorldIfEmpty(context: Context): Promise<DemoWorld | undefined> {
  return context.db.transaction(async (tx) =>
    (await hasBusinesses(tx.db)) ? undefined : makeIn(context, tx),
  )
}

async function makeIn(context: Context, tx: Transaction) {
  await insertMissing(tx.db, 'hubs', [{ ...demoHub, created_at: tx.now }])
  const { key } = await issueKey(context, tx, { type: 'hub', hubId: demoHub.id })
  const businesses = []
  for (const [index, business] of demoBusinesses.entries()) {
    await insertBusiness(tx, business, {
      brand: brandOf(business, context.config),
      created_at: plusSeconds(tx.now, index - demoBusinesses.length), // the first one becomes the oldest
    })
    const { id: subjectId } = business
    await recordAudit(context, tx, {
      by: operator,
      action: 'business.imported',
      subjectId,
      businessId: subjectId,
    })
    businesses.push({ ...describe(business), ...(await issueKeys(context, tx, business.id)) })
  }
  return { hub: { ...demoHub, key }, businesses }
}

async function issueKeys(context: Context, tx: Transaction, businessId: string) {
  const business = await issueKey(context, tx, { type: 'business', businessId })
  const publishable = await issueKey(context, tx, { type: 'publishable', businessId })
  return { business_key: business.key, publishable_key: publishable.key }
}

/** Leaves out services that need resources, because scripts hold every printed service anywhere. */
function describe(business: DemoBusiness) {
  const { id, hub_id, name, plan, timezone } = business
  return {
    id,
    hub_id,
    name,
    plan,
    timezone,
    locations: business.locations.map((location) => ({ id: location.id, name: location.name, timezone })),
    staff: business.staff.map((member) => ({ id: member.id, name: member.name })),
    services: business.services.filter(isPlainService).map((service) => ({
      id: service.id,
      name: service.name,
      duration_minutes: service.duration_minutes,
      capacity: service.capacity,
      deposit: service.deposit,
      staff_ids: service.staff_ids,
      custom_fields: service.custom_fields,
      location_ids: service.location_ids,
    })),
  }
}

type Brand = Partial<Record<'brand_name' | 'brand_color' | 'brand_logo_url', string>>

/**
 * Returns the brand. This server hosts the logo, so that the demo works offline, unless its port is unknown.
 */
function brandOf({ brand }: DemoBusiness, config: Config): Brand {
  if (!brand) return {}
  const { logoFile, ...named } = brand
  const isKnown = config.publicUrl !== '' || config.port !== 0
  return { ...named, ...(isKnown && { brand_logo_url: `${publicUrl(config)}/docs/${logoFile}` }) }
}

/** Returns an address in a reserved domain (RFC 2606). */
function replyToOf(name: string): string {
  return `hello@${slugOf(name)}.example`
}

async function insertBusiness(
  tx: Transaction,
  business: DemoBusiness,
  { brand, created_at }: { brand: Brand; created_at: Instant },
): Promise<void> {
  const { id: business_id, hub_id, name, plan, timezone } = business
  const own = { business_id, created_at, deactivated_at: null }
  const isTaken = (await findBusinessBySlug(tx.db, slugOf(name))) !== undefined
  const input = {
    ...{ name, timezone, ...brand, reply_to_email: replyToOf(name) },
    ...(!isTaken && { slug: slugOf(name) }), // by a business that is not part of the demo
  }
  await insertMissing(tx.db, 'businesses', [
    { ...firstColumns, id: business_id, hub_id, plan, ...businessColumns(input), created_at },
  ])
  await insertMissing(
    tx.db,
    'locations',
    business.locations.map((location) => ({
      ...own,
      id: location.id,
      ...plainOf(locationFields, location),
      ...scheduleColumns(location),
    })),
  )
  await insertMissing(
    tx.db,
    'staff',
    business.staff.map((member) => ({
      ...own,
      id: member.id,
      ...plainOf(staffFields, member),
      ...scheduleColumns(member),
    })),
  )
  await insertMissing(
    tx.db,
    'resources',
    business.resources.map((resource) => ({
      ...own,
      ...{ id: resource.id, location_id: resource.location_id },
      ...plainOf(resourceFields, resource),
      ...scheduleColumns(resource),
    })),
  )
  await insertServices(tx, business, own)
}

async function insertServices(
  tx: Transaction,
  business: DemoBusiness,
  own: { business_id: string; created_at: typeof tx.now; deactivated_at: null },
): Promise<void> {
  await insertMissing(
    tx.db,
    'services',
    business.services.map((service) => ({
      ...own,
      id: service.id,
      ...serviceColumns(service),
    })),
  )
  const pairs = business.services.map(({ id: service_id, business_id, location_ids, staff_ids }) => ({
    places: location_ids.map((location_id) => ({ business_id, service_id, location_id })),
    people: staff_ids.map((staff_id) => ({ business_id, service_id, staff_id })),
  }))
  await insertMissing(
    tx.db,
    'service_locations',
    pairs.flatMap(({ places }) => places),
  )
  await insertMissing(
    tx.db,
    'service_staff',
    pairs.flatMap(({ people }) => people),
  )
  await insertLinks(tx, business)
}

/** Links services to the resources of their needs and the staff of their terms. */
async function insertLinks(tx: Transaction, { services, resources }: DemoBusiness): Promise<void> {
  const links = services.map(({ id: service_id, business_id, needs, terms }) => {
    const own = { business_id, service_id }
    const needed = resources.filter(({ id }) => needs.some(({ resource_ids }) => resource_ids.includes(id)))
    return {
      rooms: needed.map(({ id: resource_id, location_id }) => ({ ...own, location_id, resource_id })),
      people: terms.map(({ staff_id }) => ({ ...own, staff_id })),
    }
  })
  const rooms = links.flatMap((link) => link.rooms)
  await insertMissing(tx.db, 'service_resources', rooms)
  const people = links.flatMap((link) => link.people)
  await insertMissing(tx.db, 'service_terms', people)
}

/*
 * An Enterprise hub with two businesses, and two independent businesses. Fixed IDs, so that repeated
 * seeding finds them and examples stay valid.
 */

const id = (...parts: string[]) => derivedId('holdfast demo', ...parts)

interface DemoBusiness {
  id: string
  hub_id: string | null
  name: string
  plan: PlanName
  timezone: string
  /** A file that every server has under /docs. */
  brand: { brand_name: string; brand_color: string; logoFile: string } | null
  locations: Location[]
  staff: StaffMember[]
  resources: BookableResource[]
  services: Service[]
}

const demoHub = { id: id('hub'), name: 'Demo hub', plan: 'enterprise' as const }

/** Grid of the demo services in minutes. */
const demoSlotIntervalMinutes = 15

const weekdays: Weekday[] = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday']

const usualHours: WeeklyHours = [
  ...weekdays.map((weekday) => ({ weekday, opens: '09:00', closes: '18:00' })),
  { weekday: 'saturday', opens: '10:00', closes: '14:00' },
]

/** Short hours on Christmas Eve and closed on Christmas, every year. */
const holidays: DateOverride[] = [2026, 2027, 2028].flatMap((year) => [
  { date: `${year}-12-24`, hours: [{ opens: '09:00', closes: '12:00' }] },
  { date: `${year}-12-25`, hours: [] },
])

/** Only the second staff member has hours. Each of their services has another staff member at any time. */
const byDay: WeeklyHours = [...weekdays, 'saturday' as const, 'sunday' as const].map((weekday) => ({
  weekday,
  opens: '07:00',
  closes: '20:00',
}))

interface Sketch {
  name: string
  plan: PlanName
  timezone: string
  currency: string
  /** In minor units. */
  haircut: number
  place: string
  address: string
  people: [string, string, string]
  inHub: boolean
  /** True to have rooms and equipment, and services that need them. */
  hasRooms?: true
  brand?: DemoBusiness['brand']
}

const sketches: Sketch[] = [
  {
    name: 'Salon Spree',
    plan: 'enterprise',
    timezone: 'Europe/Berlin',
    currency: 'EUR',
    haircut: 3_500,
    place: 'Mitte',
    address: 'Rosenthaler Str. 12, 10119 Berlin',
    people: ['Anna Weber', 'Ben Fischer', 'Clara Neumann'],
    inHub: true,
    hasRooms: true,
    brand: {
      brand_name: 'Salon Spree',
      brand_color: '#1f6f5c',
      logoFile: 'salon-spree.png',
    },
  },
  {
    name: 'Hudson Studio',
    plan: 'enterprise',
    timezone: 'America/New_York',
    currency: 'USD',
    haircut: 4_500,
    place: 'Chelsea',
    address: '210 W 23rd St, New York, NY 10011',
    people: ['Dana Brooks', 'Eli Carter', 'Faye Morgan'],
    inHub: true,
  },
  {
    name: 'Lotus Clinic',
    plan: 'pro',
    timezone: 'Asia/Kolkata',
    currency: 'INR',
    haircut: 60_000,
    place: 'Park Street',
    address: '24 Park Street, Kolkata 700016',
    people: ['Gita Rao', 'Hari Menon', 'Isha Sen'],
    inHub: false,
  },
  {
    name: 'Thames Barbers',
    plan: 'growth',
    timezone: 'Europe/London',
    currency: 'GBP',
    haircut: 2_800,
    place: 'Southwark',
    address: '81 Borough High Street, London SE1 1NH',
    people: ['Jack Ellis', 'Kate Owen', 'Liam Shaw'],
    inHub: false,
  },
]

const basin = 'Basin'
/** Holds two, so that a couple comes together. */
const massageRoom = 'Massage room'

export const demoBusinesses: DemoBusiness[] = sketches.map(toBusiness)

function toBusiness(sketch: Sketch): DemoBusiness {
  const { name, plan, timezone, place, address, people, inHub, hasRooms, brand = null } = sketch
  const business = { id: id(name), timezone }
  const places: LocationCreation[] = [
    { name: place, address, weekly_hours: usualHours, date_overrides: holidays },
    { name: 'Online' },
  ]
  const locations = places.map((location) =>
    completeLocation(location, business, () => id(name, 'location', location.name)),
  )
  const staff = people.map((person, index) =>
    completeStaffMember(
      {
        name: person,
        slug: slugOf(person.split(' ', 1)[0] ?? person),
        ...(index === 1 && { weekly_hours: byDay }),
      },
      business,
      () => id(name, 'staff', person),
    ),
  )
  const ids = staff.map((member) => member.id) as [string, string, string] // the same number of IDs as staff members
  const [first] = locations.map((location) => location.id)
  const resources = hasRooms && first !== undefined ? resourcesAt(first, business, name) : []
  const own = { ...{ id: business.id, hub_id: inHub ? demoHub.id : null }, name, plan, timezone, brand }
  const rooms = new Map(resources.map((resource) => [resource.name, resource.id]))
  const services = [
    ...servicesOf(sketch, ids).map((service) => ({
      location_ids: locations.map(({ id }) => id),
      ...service,
    })),
    ...(first === undefined || !hasRooms ? [] : visitServicesOf(sketch, ids, { location: first, rooms })),
  ]
  return {
    ...{ ...own, locations, staff, resources },
    services: services.map((service) =>
      completeService(
        {
          slug: slugOf(service.name),
          max_advance_days: null,
          slot_interval_minutes: demoSlotIntervalMinutes,
          ...service,
        },
        business,
        () => id(name, 'service', service.name),
      ),
    ),
  }
}

function resourcesAt(
  location_id: string,
  business: { id: string; timezone: string },
  name: string,
): BookableResource[] {
  const wanted = [
    { name: basin, quantity: 1 },
    { name: massageRoom, quantity: 2 },
  ]
  return wanted.map((resource) =>
    completeResource({ location_id, ...resource }, business, () => id(name, 'resource', resource.name)),
  )
}

/** Returns services with steps, needs and terms, at one location. */
function visitServicesOf(
  { currency, haircut }: Sketch,
  [first, second, third]: [string, string, string],
  { location, rooms }: { location: string; rooms: ReadonlyMap<string, string> },
): NewService[] {
  const price = (haircuts: number): Money => ({ amount: haircut * haircuts, currency })
  const need = (name: string) => ({ resource_ids: [rooms.get(name) ?? ''] })
  const steps = (apply: number, wait: number, finish: number) => [
    { minutes: apply, staffed: true },
    { minutes: wait, staffed: false },
    { minutes: finish, staffed: true },
  ]
  return [
    {
      name: 'Colour',
      category: 'Hair and care',
      description: 'While the colour works, the stylist serves somebody else. Rinsed at the basin.',
      steps: steps(30, 35, 25),
      price: price(2),
      location_ids: [location],
      staff_ids: [first, second],
      needs: [{ ...need(basin), during: 'staffed' }],
      terms: [{ staff_id: second, price: price(1.8), steps: steps(40, 35, 30) }],
    },
    {
      name: 'Massage',
      category: 'Hair and care',
      description: 'The room holds two: come together, each with a therapist.',
      duration_minutes: 60,
      price: price(2),
      location_ids: [location],
      staff_ids: [second, third],
      needs: [need(massageRoom)],
    },
  ]
}

function servicesOf(
  { name: business, currency, haircut }: Sketch,
  [first, second, third]: [string, string, string],
): Omit<NewService, 'location_ids'>[] {
  const price = (haircuts: number): Money => ({ amount: haircut * haircuts, currency })
  return [
    {
      name: 'Haircut',
      category: 'Hair and care',
      description: 'Wash, cut and blow-dry.',
      duration_minutes: 30,
      price: price(1),
      staff_ids: [first, second],
    },
    {
      name: 'Consultation',
      category: 'Hair and care',
      description: 'An hour to talk it over. Ten minutes are kept free after it.',
      duration_minutes: 60,
      buffer_after_minutes: 10,
      custom_fields: consultationFields(business),
    },
    {
      name: 'Yoga class',
      category: 'Classes and rooms',
      description: 'A class for eight. Bring a mat.',
      duration_minutes: 60,
      capacity: 8,
      price: price(0.5),
      staff_ids: [third],
    },
    {
      name: 'Meeting room',
      category: 'Classes and rooms',
      description: 'A room for six, with a table and a screen; online it is a video room.',
      duration_minutes: 60,
      price: price(2),
    },
    {
      name: 'Treatment',
      category: 'Hair and care',
      description: 'Booked at least two hours and at most half a year ahead, with a deposit.',
      duration_minutes: 90,
      min_notice_minutes: 120,
      max_advance_days: 180,
      price: price(3),
      deposit: { amount: 2500, currency },
      staff_ids: [second, third],
    },
  ]
}

function consultationFields(business: string): CustomField[] {
  return [
    {
      id: id(business, 'field', 'reason'),
      key: 'reason',
      label: 'What is it about?',
      type: 'text',
      required: true,
    },
    {
      id: id(business, 'field', 'visit'),
      key: 'visit',
      label: 'Have you been here before?',
      type: 'select',
      required: false,
      options: ['First visit', 'I have been here before'],
    },
  ]
}
