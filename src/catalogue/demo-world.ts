import type { PlanName } from '../database/tables.ts'
import { derivedId } from '../ids.ts'
import type { CustomField, DateOverride, Money, Weekday, WeeklyHours } from './catalogue-types.ts'

/*
 * A world to try things in: an Enterprise hub with two businesses, and two businesses on their own.
 * Its ids are always the same, so that making it again finds it and examples stay right.
 */

const id = (...parts: string[]) => derivedId('holdfast demo', ...parts)

/** A service of the demo world. */
export interface DemoService {
  id: string
  name: string
  description: string
  duration_minutes: number
  buffer_after_minutes: number
  min_notice_minutes: number
  max_advance_days: number | null
  capacity: number
  price: Money | null
  deposit: Money | null
  staff_ids: string[]
  custom_fields: CustomField[]
}

/** A business of the demo world, with all that it offers. */
export interface DemoBusiness {
  id: string
  hub_id: string | null
  name: string
  plan: PlanName
  timezone: string
  /** Its logo is a file that every server has below /docs. */
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

/** The hub of the demo world. Its id is always the same, so that nothing of it is made twice. */
export const demoHub = { id: id('hub'), name: 'Demo hub', plan: 'enterprise' as const }

/** The grid on which demo services start, in minutes. */
export const demoSlotIntervalMinutes = 15

const weekdays: Weekday[] = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday']

const usualHours: WeeklyHours = [
  ...weekdays.map((weekday) => ({ weekday, opens: '09:00', closes: '18:00' })),
  { weekday: 'saturday', opens: '10:00', closes: '14:00' },
]

/** Christmas Eve is short, Christmas free, whatever the year in which somebody tries it. */
const holidays: DateOverride[] = [2026, 2027, 2028].flatMap((year) => [
  { date: `${year}-12-24`, hours: [{ opens: '09:00', closes: '12:00' }] },
  { date: `${year}-12-25`, hours: [] },
])

/** Of the three people the second one works by day; somebody else gives each of their services at any time. */
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
  /** What a haircut costs, in minor units. */
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

/** The businesses of the demo world. */
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
    capacity: 1,
    price: null,
    deposit: null,
    staff_ids: [],
    custom_fields: [],
  }
  type Parts = Partial<DemoService> & Pick<DemoService, 'duration_minutes' | 'description'>
  const service = (name: string, parts: Parts): DemoService => ({
    ...plain,
    id: id(business, 'service', name),
    name,
    ...parts,
  })
  const price = (haircuts: number): Money => ({ amount: haircut * haircuts, currency })
  return [
    service('Haircut', {
      description: 'Wash, cut and blow-dry.',
      duration_minutes: 30,
      price: price(1),
      staff_ids: [first, second],
    }),
    service('Consultation', {
      description: 'An hour to talk it over. Ten minutes are kept free after it.',
      duration_minutes: 60,
      buffer_after_minutes: 10,
      custom_fields: consultationFields(business),
    }),
    service('Yoga class', {
      description: 'A class for eight. Bring a mat.',
      duration_minutes: 60,
      capacity: 8,
      price: price(0.5),
      staff_ids: [third],
    }),
    service('Meeting room', {
      description: 'A table, six chairs and a screen.',
      duration_minutes: 60,
      price: price(2),
    }),
    service('Treatment', {
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
