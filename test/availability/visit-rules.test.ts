import { describe, expect, test } from 'vitest'
import {
  isRefusal,
  longestSpan,
  type PlannedClaim,
  type PlannedItem,
  type PlannedVisit,
  resourceIdsOf,
  type VisitBlock,
  type VisitOffer,
  type VisitReason,
  type VisitRefusal,
  VisitRules,
  type WantedItem,
  zoneAroundVisit,
} from '../../src/availability/visit-rules.ts'
import type { Claimed } from '../../src/availability/slot-rules.ts'
import { dayMs } from '../../src/availability/zone-rules.ts'
import type { Location, StaffMember } from '../../src/catalogue/location-and-staff-schemas.ts'
import type { BookableResource } from '../../src/catalogue/resource-schemas.ts'
import type { Service } from '../../src/catalogue/service-schemas.ts'

/* Tuesday, 1 December 2026. */

const day = Date.parse('2026-12-01') / dayMs
const days = { first: day, last: day }
const at = (time: string) => Date.parse(`2026-12-01T${time}Z`)
const timeOf = (instantMs: number) => new Date(instantMs).toISOString().slice(11, 16)

const anna = member('anna')
const ben = member('ben')
const room = {
  ...{ id: 'room', name: 'Room', quantity: 1, active: true },
  ...{ weekly_hours: null, date_overrides: [] },
} as unknown as BookableResource
const location = {
  ...{ id: 'here', timezone: 'UTC', date_overrides: [] },
  weekly_hours: [{ weekday: 'tuesday', opens: '09:00', closes: '17:00' }],
} as unknown as Location

function member(id: string): StaffMember {
  return { id, weekly_hours: null, date_overrides: [] } as unknown as StaffMember
}

const colour = [
  { minutes: 30, staffed: true },
  { minutes: 35, staffed: false },
  { minutes: 25, staffed: true },
]

type Parts = Partial<Omit<WantedItem, 'service'>> & { service?: Partial<Service> }

function wanted({ service = {}, staff = [anna, ben], ...parts }: Parts = {}): WantedItem {
  const whole = {
    ...{
      id: 'service',
      business_id: 'business',
      duration_minutes: 30,
      slot_interval_minutes: 15,
      capacity: 1,
    },
    ...{ buffer_before_minutes: 0, buffer_after_minutes: 0, min_notice_minutes: 0, max_advance_days: null },
    ...{ staff_ids: staff.map(({ id }) => id), steps: null, needs: [], terms: [] },
    ...service,
  } as unknown as Service
  return { service: whole, staff, chosenStaffId: null, partySize: 1, startsWith: false, ...parts }
}

interface World {
  maxGapMinutes?: number
  claims?: Record<string, [from: string, to: string][]>
  bookings?: Record<string, number>
  blocks?: VisitBlock[]
  onExhausted?: () => void
}

function rulesOf(
  items: WantedItem[],
  { maxGapMinutes = 0, claims = {}, bookings = {}, blocks = [], onExhausted }: World = {},
) {
  const offer: VisitOffer = { items, location, resources: [room], maxGapMinutes, version: 1 }
  const claimed = ([from, to]: [string, string]): Claimed => {
    return { from: at(from), to: at(to), seats: [0], occurrenceId: 'other', held: false }
  }
  return new VisitRules(offer, days, {
    zone: zoneAroundVisit(offer, days),
    nowMs: at('00:00'),
    blocks,
    claims: new Map(Object.entries(claims).map(([id, list]) => [id, list.map(claimed)])),
    bookingsOfDay: new Map(Object.entries(bookings)),
    ...(onExhausted && { onExhausted }),
  })
}

const inShort = ({ from, to, staffId }: PlannedItem) => `${timeOf(from)}-${timeOf(to)} ${String(staffId)}`
const claimed = ({ resource, taken }: PlannedClaim) =>
  `${resource.id} ${timeOf(taken.from)}-${timeOf(taken.to)}`

function shown<T>(plan: PlannedVisit | VisitRefusal, show: (plan: PlannedVisit) => T): T | VisitRefusal {
  return isRefusal(plan) ? plan : show(plan)
}

/** Returns the plan in short: `09:00-09:30 anna`. */
function planAt(rules: VisitRules, time: string) {
  return shown(rules.at(at(time)), ({ items }) => items.map(inShort))
}

function claimsAt(rules: VisitRules, time: string) {
  return shown(rules.at(at(time)), ({ claims }) => claims.map(claimed))
}

describe('a plan of a visit', () => {
  test('gives all items to one person if possible, else to as few as possible', () => {
    expect(planAt(rulesOf([wanted(), wanted()]), '09:00')).toEqual(['09:00-09:30 anna', '09:30-10:00 anna'])
    const busy = rulesOf([wanted(), wanted()], { claims: { anna: [['09:30', '10:00']] } })
    expect(planAt(busy, '09:00')).toEqual(['09:00-09:30 ben', '09:30-10:00 ben'])
    const both = { claims: { anna: [['09:30', '10:00']], ben: [['09:00', '09:30']] } } satisfies World
    expect(planAt(rulesOf([wanted(), wanted()], both), '09:00')).toEqual([
      '09:00-09:30 anna',
      '09:30-10:00 ben',
    ])
  })

  test('prefers those with the fewest bookings that day', () => {
    const rules = rulesOf([wanted()], { bookings: { anna: 2, ben: 1 } })
    expect(planAt(rules, '09:00')).toEqual(['09:00-09:30 ben'])
  })

  test('starts items together, with two people', () => {
    const rules = rulesOf([
      wanted(),
      wanted({ startsWith: true }),
      wanted({ service: { duration_minutes: 10 } }),
    ])
    expect(planAt(rules, '09:00')).toEqual(['09:00-09:30 anna', '09:00-09:30 ben', '09:30-09:40 anna'])
  })

  test('waits between items only if needed, and no longer than the business allows', () => {
    const items = [wanted({ staff: [anna] }), wanted({ staff: [anna] })]
    const claims = { anna: [['09:30', '09:40']] } satisfies World['claims']
    expect(planAt(rulesOf(items, { claims }), '09:00')).toEqual({ item: 1, reason: 'slot_booked' })
    expect(planAt(rulesOf(items, { claims, maxGapMinutes: 10 }), '09:00')).toEqual([
      '09:00-09:30 anna',
      '09:40-10:10 anna',
    ])
  })

  test('leaves the person free while a step needs nobody', () => {
    const items = [wanted({ staff: [anna], service: { steps: colour, buffer_after_minutes: 10 } })]
    const rules = rulesOf(items, { claims: { anna: [['09:30', '10:05']] } })
    expect(claimsAt(rules, '09:00')).toEqual(['anna 09:00-09:30', 'anna 10:05-10:40'])
  })

  test('has buffers before the first and after the last item of a person, none between', () => {
    const service = { buffer_before_minutes: 10, buffer_after_minutes: 15 }
    const rules = rulesOf([wanted({ service }), wanted({ service })])
    expect(claimsAt(rules, '10:00')).toEqual(['anna 09:50-10:30', 'anna 10:30-11:15'])
  })

  test('takes the length of the person who is chosen', () => {
    const terms = [{ staff_id: 'ben', duration_minutes: 40 }]
    const rules = rulesOf([wanted({ service: { terms } })], { claims: { anna: [['09:00', '10:00']] } })
    expect(planAt(rules, '09:00')).toEqual(['09:00-09:40 ben'])
  })

  test('takes a room for the whole time or the staffed steps, and not twice at once', () => {
    const needs = (during: 'all' | 'staffed') => [{ resource_ids: ['room'], quantity: 1, during }]
    const ofSteps = (during: 'all' | 'staffed') =>
      rulesOf([wanted({ staff: [anna], service: { steps: colour, needs: needs(during) } })])
    expect(claimsAt(ofSteps('all'), '09:00')).toContain('room 09:00-10:30')
    expect(claimsAt(ofSteps('staffed'), '09:00')).toContain('room 10:05-10:30')
    const item = wanted({ service: { needs: needs('all') } })
    expect(planAt(rulesOf([item, { ...item, startsWith: true }]), '09:00')).toMatchObject({ item: 1 })
    expect(planAt(rulesOf([item, item]), '09:00')).toHaveLength(2)
  })
})

describe('a refusal of a visit', () => {
  test.each<[time: string, item: number, reason: VisitReason]>([
    ['08:00', 0, 'outside_hours'],
    ['09:05', 0, 'not_on_grid'],
    ['16:30', 1, 'outside_hours'],
    ['11:30', 1, 'slot_booked'],
  ])('at %s names the item %i and says %s', (time, item, reason) => {
    const claims = { anna: [['12:00', '13:00']], ben: [['12:00', '13:00']] } satisfies World['claims']
    expect(planAt(rulesOf([wanted(), wanted()], { claims }), time)).toEqual({ item, reason })
  })
})

test('a block of a room closes neither the location nor other rooms', () => {
  const blocks = [{ from: at('10:00'), to: at('11:00'), staffId: null, resourceId: 'room' }]
  const needs = [{ resource_ids: ['room'], quantity: 1, during: 'all' as const }]
  expect(planAt(rulesOf([wanted()], { blocks }), '10:00')).toEqual(['10:00-10:30 anna'])
  const rules = rulesOf([wanted({ service: { needs } })], { blocks })
  expect(planAt(rules, '10:00')).toEqual({ item: 0, reason: 'blocked' })
  expect(planAt(rules, '09:30')).toEqual(['09:30-10:00 anna'])
})

test('the claims that could matter are those of all people and rooms, as long as the visit may last', () => {
  const service = { buffer_before_minutes: 10, terms: [{ staff_id: 'ben', duration_minutes: 60 }] }
  const items = [wanted(), wanted({ service }), wanted({ startsWith: true })]
  const offer = { items, location, resources: [room], maxGapMinutes: 15, version: 1 }
  expect(resourceIdsOf(offer)).toEqual(['anna', 'ben', 'room'])
  const { from, to } = longestSpan(offer, { from: at('09:00'), to: at('09:00') })
  expect([timeOf(from), timeOf(to)]).toEqual(['08:50', '10:45'])
})

describe('a search that reaches its limit', () => {
  const people = Array.from({ length: 10 }, (_, index) => member(`person ${index}`))
  const last = people.slice(-1)
  const together = (staff: StaffMember[]) => wanted({ staff, startsWith: true })
  const needs = [{ resource_ids: ['room'], quantity: 1, during: 'all' as const }]
  // two items need the only room at once, whatever the many choices of people
  const inTheRoom = wanted({ staff: people, startsWith: true, service: { needs } })
  const items = [wanted({ staff: people }), ...Array.from({ length: 7 }, () => together(people))]

  test('counts the start as not free, and says so', () => {
    let exhausted = 0
    const onExhausted = () => (exhausted += 1)
    const rules = rulesOf([...items, inTheRoom, inTheRoom], { onExhausted })
    expect(planAt(rules, '09:00')).toEqual({ item: 9, reason: 'staff_not_available', isOfAll: true })
    expect(exhausted).toBe(1)
    expect(rules.planOnGrid(at('09:15'))).toBeUndefined()
    expect(exhausted).toBe(2)
  })

  test('is not the usual case of as many items as people', () => {
    const onExhausted = () => expect.unreachable()
    expect(
      planAt(rulesOf([...items, together(people), together(people)], { onExhausted }), '09:00'),
    ).toHaveLength(10)
    expect(planAt(rulesOf([...items, together(last)], { onExhausted }), '09:00')).toHaveLength(9)
  })

  test('is not reached if people are too few, or the last one is needed twice', () => {
    const onExhausted = () => expect.unreachable()
    const twice = rulesOf([...items, together(last), together(last)], { onExhausted })
    expect(planAt(twice, '09:00')).toMatchObject({ item: 9, reason: 'staff_not_available' })
    const claims = { 'person 3': [['09:15', '10:00']] } satisfies World['claims']
    const nine = rulesOf([...items, together(people), together(people)], { claims, onExhausted })
    expect(planAt(nine, '09:00')).toMatchObject({ item: 9, reason: 'slot_booked' })
  })
})
