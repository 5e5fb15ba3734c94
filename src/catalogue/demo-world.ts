import { operator } from '../access/actor.ts'
import { recordAudit } from '../access/audit.ts'
import { issueKey } from '../access/key.ts'
import type { Config } from '../base/config.ts'
import { derivedId } from '../base/ids.ts'
import { type Instant, plusSeconds } from '../base/instants.ts'
import { publicUrl } from '../base/public-url.ts'
import type { Context } from '../access/context.ts'
import type { Transaction } from '../database/database.ts'
import type { BusinessesTable, PlanName } from '../database/tables.ts'
import { findBusinessBySlug } from './business-queries.ts'
import { hasBusinesses, insertMissing } from './catalogue-queries.ts'
import { allMailColumns } from './mail-settings-rules.ts'
import type { CustomField, DateOverride, Money, Weekday, WeeklyHours } from './catalogue-types.ts'
import { usualChangeMinutes, usualReschedules } from './service-rules.ts'

/** The demo world with fresh keys, in the shape of `holdfast demo --json`. */
export type DemoWorld = Awaited<ReturnType<typeof seedDemoData>>

/** Adds the demo world unless present, and issues new keys. */
export function seedDemoData(context: Context) {
  return context.db.transaction((tx) => makeIn(context, tx))
}

/** Adds the demo world to a database without any business; undefined when there is one. */
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
      created_at: plusSeconds(tx.now, index - demoBusinesses.length), // so that the first is the oldest
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
    services: business.services.map((service) => ({
      id: service.id,
      name: service.name,
      duration_minutes: service.duration_minutes,
      capacity: service.capacity,
      deposit: service.deposit,
      staff_ids: service.staff_ids,
      custom_fields: service.custom_fields,
      location_ids: business.locations.map((location) => location.id),
    })),
  }
}

/** The plan's limits. */
const planLimits = { limit_per_minute: null, limit_per_hour: null }
const firstVersion = { catalogue_version: 1, ...allMailColumns({}) }

type Brand = Pick<BusinessesTable, 'brand_name' | 'brand_color' | 'brand_logo_url'>

/** This server serves the logo, so that the demo works offline; null when its port is unknown. */
function brandOf({ brand }: DemoBusiness, config: Config): Brand {
  if (!brand) return { brand_name: null, brand_color: null, brand_logo_url: null }
  const { logoFile, ...named } = brand
  const isKnown = config.publicUrl !== '' || config.port !== 0
  return { ...named, brand_logo_url: isKnown ? `${publicUrl(config)}/docs/${logoFile}` : null }
}

/** Of a domain that nobody has (RFC 2606). */
function replyToOf(name: string): string {
  return `hello@${slugOf(name)}.example`
}

function slugOf(name: string): string {
  return name.toLowerCase().replaceAll(' ', '-')
}

async function insertBusiness(
  tx: Transaction,
  business: DemoBusiness,
  { brand, created_at }: { brand: Brand; created_at: Instant },
): Promise<void> {
  const { id: business_id, hub_id, name, plan, timezone } = business
  const own = { business_id, created_at, deactivated_at: null }
  const isTaken = (await findBusinessBySlug(tx.db, slugOf(name))) !== undefined
  const slug = isTaken ? null : slugOf(name) // by one that is no demo
  const named = { id: business_id, hub_id, name, plan, timezone, reply_to_email: replyToOf(name), slug }
  await insertMissing(tx.db, 'businesses', [
    { ...firstVersion, ...named, ...brand, ...planLimits, created_at },
  ])
  await insertMissing(
    tx.db,
    'locations',
    business.locations.map(({ id, name, address, ...schedule }) => ({
      ...own,
      id,
      name,
      timezone,
      address,
      online_url: null,
      ...scheduleColumns(schedule),
    })),
  )
  await insertMissing(
    tx.db,
    'staff',
    business.staff.map(({ id, name, ...schedule }) => ({
      ...own,
      id,
      name,
      slug: slugOf(name.split(' ', 1)[0] ?? name),
      email: null,
      ...scheduleColumns(schedule),
    })),
  )
  await insertServices(tx, business, own)
}

type Schedule = Pick<DemoBusiness['staff'][number], 'weekly_hours' | 'date_overrides'>

function scheduleColumns({ weekly_hours, date_overrides }: Schedule) {
  return {
    weekly_hours_json: weekly_hours && JSON.stringify(weekly_hours),
    date_overrides_json: JSON.stringify(date_overrides),
  }
}

async function insertServices(
  tx: Transaction,
  business: DemoBusiness,
  own: { business_id: string; created_at: typeof tx.now; deactivated_at: null },
): Promise<void> {
  await insertMissing(
    tx.db,
    'services',
    business.services.map(({ price, deposit, staff_ids: _, custom_fields, ...service }) => ({
      ...own,
      ...service,
      slug: slugOf(service.name),
      buffer_before_minutes: 0,
      slot_interval_minutes: demoSlotIntervalMinutes,
      price_amount: price?.amount ?? null,
      price_currency: price?.currency ?? null,
      deposit_amount: deposit?.amount ?? null,
      deposit_currency: deposit?.currency ?? null,
      custom_fields_json: JSON.stringify(custom_fields),
    })),
  )
  const pairs = business.services.map(({ id: service_id, staff_ids }) => ({
    places: business.locations.map((location) => ({
      business_id: business.id,
      service_id,
      location_id: location.id,
    })),
    people: staff_ids.map((staff_id) => ({ business_id: business.id, service_id, staff_id })),
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
}

/*
 * An Enterprise hub with two businesses, and two businesses on their own. Fixed ids: seeding again finds them, and
 * examples stay valid.
 */

const id = (...parts: string[]) => derivedId('holdfast demo', ...parts)

interface DemoService {
  id: string
  name: string
  category: string
  description: string
  duration_minutes: number
  buffer_after_minutes: number
  min_notice_minutes: number
  max_advance_days: number | null
  cancel_until_minutes: number | null
  reschedule_until_minutes: number | null
  max_reschedules: number
  capacity: number
  price: Money | null
  deposit: Money | null
  staff_ids: string[]
  custom_fields: CustomField[]
}

interface DemoBusiness {
  id: string
  hub_id: string | null
  name: string
  plan: PlanName
  timezone: string
  /** A file that every server has below /docs. */
  brand: { brand_name: string; brand_color: string; logoFile: string } | null
  locations: {
    id: string
    name: string
    address: string | null
    weekly_hours: WeeklyHours | null
    date_overrides: DateOverride[]
  }[]
  staff: { id: string; name: string; weekly_hours: WeeklyHours | null; date_overrides: DateOverride[] }[]
  services: DemoService[]
}

const demoHub = { id: id('hub'), name: 'Demo hub', plan: 'enterprise' as const }

/** The grid on which demo services start, in minutes. */
const demoSlotIntervalMinutes = 15

const weekdays: Weekday[] = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday']

const usualHours: WeeklyHours = [
  ...weekdays.map((weekday) => ({ weekday, opens: '09:00', closes: '18:00' })),
  { weekday: 'saturday', opens: '10:00', closes: '14:00' },
]

/** Short on Christmas Eve, closed on Christmas, in every year. */
const holidays: DateOverride[] = [2026, 2027, 2028].flatMap((year) => [
  { date: `${year}-12-24`, hours: [{ opens: '09:00', closes: '12:00' }] },
  { date: `${year}-12-25`, hours: [] },
])

/** Only the second member has hours; each of their services has another one at any time. */
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

export const demoBusinesses: DemoBusiness[] = sketches.map(toBusiness)

function toBusiness(sketch: Sketch): DemoBusiness {
  const { name, plan, timezone, place, address, people, inHub, brand = null } = sketch
  const staff = people.map((person, index) => ({
    id: id(name, 'staff', person),
    name: person,
    weekly_hours: index === 1 ? byDay : null,
    date_overrides: [],
  }))
  return {
    id: id(name),
    hub_id: inHub ? demoHub.id : null,
    name,
    plan,
    timezone,
    brand,
    locations: [
      {
        id: id(name, 'location', place),
        name: place,
        address,
        weekly_hours: usualHours,
        date_overrides: holidays,
      },
      {
        id: id(name, 'location', 'Online'),
        name: 'Online',
        address: null,
        weekly_hours: null,
        date_overrides: [],
      },
    ],
    staff,
    services: servicesOf(sketch, staff.map((member) => member.id) as [string, string, string]), // as many as people
  }
}

function servicesOf(
  { name: business, currency, haircut }: Sketch,
  [first, second, third]: [string, string, string],
): DemoService[] {
  const plain = {
    buffer_after_minutes: 0,
    min_notice_minutes: 0,
    max_advance_days: null,
    cancel_until_minutes: usualChangeMinutes,
    reschedule_until_minutes: usualChangeMinutes,
    max_reschedules: usualReschedules,
    capacity: 1,
    price: null,
    deposit: null,
    staff_ids: [],
    custom_fields: [],
  }
  type Parts = Partial<DemoService> & Pick<DemoService, 'duration_minutes' | 'category' | 'description'>
  const service = (name: string, parts: Parts): DemoService => ({
    ...plain,
    id: id(business, 'service', name),
    name,
    ...parts,
  })
  const price = (haircuts: number): Money => ({ amount: haircut * haircuts, currency })
  return [
    service('Haircut', {
      category: 'Hair and care',
      description: 'Wash, cut and blow-dry.',
      duration_minutes: 30,
      price: price(1),
      staff_ids: [first, second],
    }),
    service('Consultation', {
      category: 'Hair and care',
      description: 'An hour to talk it over. Ten minutes are kept free after it.',
      duration_minutes: 60,
      buffer_after_minutes: 10,
      custom_fields: consultationFields(business),
    }),
    service('Yoga class', {
      category: 'Classes and rooms',
      description: 'A class for eight. Bring a mat.',
      duration_minutes: 60,
      capacity: 8,
      price: price(0.5),
      staff_ids: [third],
    }),
    service('Meeting room', {
      category: 'Classes and rooms',
      description: 'A room for six, with a table and a screen; online it is a video room.',
      duration_minutes: 60,
      price: price(2),
    }),
    service('Treatment', {
      category: 'Hair and care',
      description: 'Booked at least two hours and at most half a year ahead, with a deposit.',
      duration_minutes: 90,
      min_notice_minutes: 120,
      max_advance_days: 180,
      price: price(3),
      deposit: { amount: 2500, currency },
      staff_ids: [second, third],
    }),
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
