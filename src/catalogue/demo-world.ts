import type { PlanName } from '../database/tables.ts'
import { derivedId } from '../ids.ts'
import type { CustomField, Money, Weekday, WeeklyHours } from './catalogue-types.ts'

/*
 * A world to try things in: an Enterprise hub with two businesses, and two businesses on their own.
 * Its ids are always the same, so that making it again finds it and examples stay right.
 */

const id = (...parts: string[]) => derivedId('holdfast demo', ...parts)

export interface DemoService {
  id: string
  name: string
  duration_minutes: number
  buffer_after_minutes: number
  capacity: number
  deposit: Money | null
  staff_ids: string[]
  custom_fields: CustomField[]
}

export interface DemoBusiness {
  id: string
  hub_id: string | null
  name: string
  plan: PlanName
  timezone: string
  brand: { brand_name: string; brand_color: string; brand_logo_url: string } | null
  locations: { id: string; name: string; weekly_hours: WeeklyHours | null }[]
  staff: { id: string; name: string }[]
  services: DemoService[]
}

export const demoHub = { id: id('hub'), name: 'Demo hub', plan: 'enterprise' as const }

/** The grid on which demo services start, in minutes. */
export const demoSlotIntervalMinutes = 15

const weekdays: Weekday[] = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday']

const usualHours: WeeklyHours = [
  ...weekdays.map((weekday) => ({ weekday, opens: '09:00', closes: '18:00' })),
  { weekday: 'saturday', opens: '10:00', closes: '14:00' },
]

interface Sketch {
  name: string
  plan: PlanName
  timezone: string
  currency: string
  place: string
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
    place: 'Mitte',
    people: ['Anna Weber', 'Ben Fischer', 'Clara Neumann'],
    inHub: true,
    brand: {
      brand_name: 'Salon Spree',
      brand_color: '#1f6f5c',
      brand_logo_url: 'https://example.com/salon-spree.png',
    },
  },
  {
    name: 'Hudson Studio',
    plan: 'enterprise',
    timezone: 'America/New_York',
    currency: 'USD',
    place: 'Chelsea',
    people: ['Dana Brooks', 'Eli Carter', 'Faye Morgan'],
    inHub: true,
  },
  {
    name: 'Lotus Clinic',
    plan: 'pro',
    timezone: 'Asia/Kolkata',
    currency: 'INR',
    place: 'Park Street',
    people: ['Gita Rao', 'Hari Menon', 'Isha Sen'],
    inHub: false,
  },
  {
    name: 'Thames Barbers',
    plan: 'growth',
    timezone: 'Europe/London',
    currency: 'GBP',
    place: 'Southwark',
    people: ['Jack Ellis', 'Kate Owen', 'Liam Shaw'],
    inHub: false,
  },
]

export const demoBusinesses: DemoBusiness[] = sketches.map(toBusiness)

function toBusiness({
  name,
  plan,
  timezone,
  currency,
  place,
  people,
  inHub,
  brand = null,
}: Sketch): DemoBusiness {
  const staff = people.map((person) => ({ id: id(name, 'staff', person), name: person }))
  return {
    id: id(name),
    hub_id: inHub ? demoHub.id : null,
    name,
    plan,
    timezone,
    brand,
    locations: [
      { id: id(name, 'location', place), name: place, weekly_hours: usualHours },
      { id: id(name, 'location', 'Online'), name: 'Online', weekly_hours: null },
    ],
    staff,
    services: servicesOf(name, currency, staff.map((member) => member.id) as [string, string, string]), // as many as people
  }
}

function servicesOf(business: string, currency: string, [first, second, third]: [string, string, string]) {
  const plain = { buffer_after_minutes: 0, capacity: 1, deposit: null, staff_ids: [], custom_fields: [] }
  const service = (
    name: string,
    parts: Partial<DemoService> & { duration_minutes: number },
  ): DemoService => ({
    ...plain,
    id: id(business, 'service', name),
    name,
    ...parts,
  })
  return [
    service('Haircut', { duration_minutes: 30, staff_ids: [first, second] }),
    service('Consultation', {
      duration_minutes: 60,
      buffer_after_minutes: 10,
      custom_fields: consultationFields(business),
    }),
    service('Yoga class', { duration_minutes: 60, capacity: 8, staff_ids: [third] }),
    service('Meeting room', { duration_minutes: 60 }),
    service('Treatment', {
      duration_minutes: 90,
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
