import { expect, test } from 'vitest'
import { locationResource, staffOccurrence } from '../../src/availability/resource-rules.ts'
import type { Claimed } from '../../src/availability/slot-rules.ts'
import {
  isRefusal,
  type PlannedVisit,
  type VisitBlock,
  type VisitOffer,
  VisitRules,
  type WantedItem,
  zoneAroundVisit,
} from '../../src/availability/visit-rules.ts'
import { dayMs } from '../../src/availability/zone-rules.ts'
import { instantFromMs } from '../../src/base/instants.ts'
import type { Location, StaffMember } from '../../src/catalogue/location-and-staff-schemas.ts'
import type { Need, Step } from '../../src/catalogue/catalogue-types.ts'
import type { BookableResource } from '../../src/catalogue/resource-schemas.ts'
import type { Service } from '../../src/catalogue/service-schemas.ts'
import { isWhole, rounds, tellProgress } from '../support/long.ts'
import { type Random, randomFrom, seeds } from '../support/random.ts'
import {
  bestPlan,
  type Keeper,
  type OracleClaim,
  type OracleItem,
  type OraclePlace,
  type OracleRoom,
  type OracleWorld,
  othersFor,
  type Used,
} from '../support/visit-oracle.ts'

const worlds = rounds(400, 500_000)
const day = Date.parse('2026-12-01') / dayMs
const cellMs = 5 * 60_000
/** The first cell of the world is 08:00. */
const msOf = (cell: number) => day * dayMs + 8 * 3_600_000 + cell * cellMs
const cells = 36
const textOf = (cell: number) => instantFromMs(msOf(cell)).slice(11, 16)

const names = ['anna', 'ben', 'cleo']
const roomNames = ['room 1', 'room 2']

interface RandomVisit {
  offer: VisitOffer
  world: OracleWorld
  rules: VisitRules
  exhausted: () => number
}

function randomUsed(random: Random): Used {
  const from = random.below(cells)
  return { from, to: from + 1 + random.below(6) }
}

function some<T>(random: Random, list: readonly T[], chance = 0.7): T[] {
  const chosen = list.filter(() => random.chance(chance))
  return chosen.length > 0 ? chosen : [random.of(list)]
}

function randomSteps(random: Random): Step[] {
  const minutes = () => (1 + random.below(4)) * 5
  if (random.chance(0.6)) return [{ minutes: minutes(), staffed: true }]
  return [true, false, true].map((staffed) => ({ minutes: minutes(), staffed }))
}

function makeVisit(random: Random): RandomVisit {
  const blocks: VisitBlock[] = []
  const isClosed = (id: string): boolean[] => {
    const closed = Array.from({ length: random.below(2) }, () => randomUsed(random))
    const target = names.includes(id) ? { staffId: id } : { staffId: null, resourceId: id || null }
    blocks.push(...closed.map(({ from, to }) => ({ from: msOf(from), to: msOf(to), ...target })))
    return Array.from(
      { length: cells * 3 },
      (_, cell) => !closed.some(({ from, to }) => from <= cell && cell < to),
    )
  }
  const location = {
    id: 'here',
    timezone: 'UTC',
    weekly_hours: null,
    date_overrides: [],
  } as unknown as Location
  const services = ['cut', 'colour', 'sauna'].map((id) => makeService(random, id))
  const claims = new Map<string, Claimed[]>()
  const open = isClosed('')
  const keepers = new Map<string, Keeper>()
  for (const id of names) keepers.set(id, makeKeeper(random, { id, open: isClosed(id), services, claims }))
  const rooms = roomNames.map((id): OracleRoom => {
    const quantity = 1 + random.below(2)
    return { ...makeRoomClaims(random, { id, claims, quantity }), open: isClosed(id), quantity }
  })
  const items = Array.from({ length: 1 + random.below(3) }, (_, index): WantedItem => {
    const service = random.of(services)
    const able = some(random, names, 0.6).map(
      (id) => ({ id, weekly_hours: null, date_overrides: [] }) as unknown as StaffMember,
    )
    const partySize = 1 + random.below(Math.min(2, service.capacity))
    const staff = service.staff_ids.length === 0 ? [] : able
    return { service, staff, chosenStaffId: null, partySize, startsWith: index > 0 && random.chance(0.3) }
  })
  const place = (service: Service) => {
    const { id } = locationResource(service, location.id)
    const known = keepers.get(id)
    if (known) return known
    const made = makeRoomClaims(random, { id, claims, quantity: service.capacity })
    keepers.set(id, { ...made, open: [] })
    return { ...made, open: [] }
  }
  const maxPause = random.of([0, 0, 1, 2])
  const bookings = Object.fromEntries(names.map((id) => [id, random.below(3)]))
  const offer: VisitOffer = {
    items,
    location,
    resources: rooms.map(({ id, quantity }) => {
      const always = { weekly_hours: null, date_overrides: [], active: true }
      return { id, name: id, quantity, location_id: location.id, business_id: 'business', ...always }
    }) satisfies BookableResource[],
    maxGapMinutes: maxPause * 5,
    version: 1,
  }
  const oracleItems = items.map(({ service, staff, partySize, startsWith }): OracleItem => {
    const known = (list: StaffMember[]) => list.flatMap(({ id }) => keepers.get(id) ?? [])
    return {
      serviceId: service.id,
      staff: service.staff_ids.length === 0 ? null : known(staff),
      place: place(service),
      steps: (staffId) => stepsIn(service, staffId),
      before: service.buffer_before_minutes / 5,
      after: service.buffer_after_minutes / 5,
      ...{ capacity: service.capacity, party: partySize, startsWith },
      needs: service.needs.map(({ resource_ids, quantity, during }) => ({
        rooms: resource_ids.flatMap((id) => rooms.filter((room) => room.id === id)),
        quantity,
        isWhole: during === 'all',
      })),
    }
  })
  const days = { first: day, last: day }
  let exhausted = 0
  const rules = new VisitRules(offer, days, {
    zone: zoneAroundVisit(offer, days),
    nowMs: msOf(-12),
    ...{ blocks, claims, bookingsOfDay: new Map(Object.entries(bookings)) },
    onExhausted: () => (exhausted += 1),
  })
  return { offer, world: { items: oracleItems, open, maxPause, bookings }, rules, exhausted: () => exhausted }
}

function stepsIn({ steps, terms, duration_minutes }: Service, staffId: string | null) {
  const own = terms.find(({ staff_id }) => staff_id === staffId)?.steps
  const whole = own ?? steps ?? [{ minutes: duration_minutes, staffed: true }]
  return whole.map(({ minutes, staffed }) => ({ cells: minutes / 5, staffed }))
}

function makeService(random: Random, id: string): Service {
  const isUnstaffed = id === 'sauna'
  const need = (): Need => {
    const resource_ids = random.chance(0.5) ? some(random, roomNames) : some(random, roomNames.toReversed())
    return { resource_ids, quantity: random.of([1, 1, 2]), during: random.of(['all', 'staffed'] as const) }
  }
  return {
    ...{
      id,
      business_id: 'business',
      slot_interval_minutes: 5,
      min_notice_minutes: 0,
      max_advance_days: null,
    },
    duration_minutes: (1 + random.below(4)) * 5,
    buffer_before_minutes: random.of([0, 0, 5, 10]),
    buffer_after_minutes: random.of([0, 0, 5, 10]),
    capacity: random.of([1, 1, 2]),
    staff_ids: isUnstaffed ? [] : names,
    steps: isUnstaffed || random.chance(0.4) ? null : randomSteps(random),
    needs: Array.from({ length: random.of([0, 0, 1, 2]) }, need),
    terms:
      isUnstaffed || random.chance(0.6) ? [] : [{ staff_id: random.of(names), steps: randomSteps(random) }],
  } as unknown as Service
}

/** Gives a person claims of other clients: of other appointments, or of one of these services. */
function makeKeeper(
  random: Random,
  {
    id,
    open,
    services,
    claims,
  }: { id: string; open: boolean[]; services: Service[]; claims: Map<string, Claimed[]> },
): Keeper {
  const own = Array.from({ length: random.below(4) }, (): OracleClaim => {
    const service = random.of(services)
    if (service.staff_ids.length === 0 || random.chance(0.5)) {
      return { ...randomUsed(random), seats: 1, occurrence: 'another' }
    }
    const start = random.below(cells)
    const length = stepsIn(service, id)[0]?.cells ?? 1
    return { from: start, to: start + length, seats: 1, occurrence: `${service.id} ${String(start)}` }
  })
  claims.set(
    id,
    own.map((claim) => {
      const [serviceId = '', start = ''] = claim.occurrence.split(' ')
      const service = services.find((other) => other.id === serviceId)
      const startsAt = instantFromMs(msOf(Number(start)))
      const occurrenceId = service ? staffOccurrence(service, { locationId: 'here', startsAt }) : 'another'
      return { ...claimedOf(claim, random), occurrenceId }
    }),
  )
  return { id, open, claims: own }
}

function makeRoomClaims(
  random: Random,
  { id, claims, quantity }: { id: string; claims: Map<string, Claimed[]>; quantity: number },
): Keeper {
  const own = Array.from({ length: random.below(4) }, (): OracleClaim => {
    return { ...randomUsed(random), seats: 1 + random.below(quantity), occurrence: id }
  })
  claims.set(
    id,
    own.map((claim) => ({ ...claimedOf(claim, random), occurrenceId: id })),
  )
  return { id, open: [], claims: own }
}

function claimedOf({ from, to, seats }: OracleClaim, random: Random) {
  const list = Array.from({ length: seats }, (_, seat) => seat)
  return { from: msOf(from), to: msOf(to), seats: list, held: random.chance(0.5) }
}

const shownPlan = (plan: PlannedVisit) =>
  plan.items.map(({ from, to, staffId, resources, staffIds }) => {
    const rooms = resources.map(({ id }) => id)
    return {
      from: textOf((from - msOf(0)) / cellMs),
      to: textOf((to - msOf(0)) / cellMs),
      staffId,
      rooms,
      staffIds,
    }
  })

const shownPlaces = (world: OracleWorld, plan: OraclePlace[], keepsHours: boolean) =>
  plan.map(({ from, to, person, rooms }, index) => {
    const staffIds = othersFor(world, plan, { index, options: { keepsHours } })
    const times = { from: textOf(from), to: textOf(to) }
    return { ...times, staffId: person?.id ?? null, rooms: rooms.map(({ id }) => id), staffIds }
  })

/** Returns the number of the first item that cannot be served after those before it. */
function firstUnserved(world: OracleWorld, start: number): number {
  const counts = world.items.map((_item, index) => index + 1)
  const failing = counts.find((count) => {
    const part = { ...world, items: world.items.slice(0, count) }
    return !bestPlan(part, start, { keepsHours: true, isPart: count < world.items.length })
  })
  return (failing ?? 0) - 1
}

test(
  'the search finds the plan that a search through all plans prefers, and none where there is none',
  { timeout: isWhole ? 7_200_000 : 600_000 },
  () => {
    const seen = { plans: 0, refused: 0, several: 0, paused: 0, anyTime: 0 }
    const tell = tellProgress('worlds with visits', worlds)
    for (const seed of seeds(worlds)) {
      tell(seed - 1)
      const random = randomFrom(seed)
      const { world, rules, exhausted, offer } = makeVisit(random)
      for (const start of [random.below(cells - 8), random.below(cells - 8)]) {
        const label = `seed ${String(seed)} at ${textOf(start)} (HOLDFAST_TEST_SEED=${String(seed)})`
        const best = bestPlan(world, start, { keepsHours: true })
        const found = rules.at(msOf(start))
        if (isRefusal(found)) {
          expect(best && shownPlaces(world, best, true), `${label}: ${JSON.stringify(found)}`).toBeUndefined()
          expect(found.item, label).toBe(firstUnserved(world, start))
          seen.refused += 1
        } else {
          expect(shownPlan(found), label).toEqual(best && shownPlaces(world, best, true))
          expectWithinOneSeat(found, label)
          seen.plans += 1
          if (found.items.length > 1) seen.several += 1
          if (found.items.some(({ from }, index) => from > (found.items[index - 1]?.to ?? from)))
            seen.paused += 1
        }
        const atAnyTime = rules.at(msOf(start), 'anyTime')
        if (best || (isRefusal(atAnyTime) && ['slot_held', 'slot_booked'].includes(atAnyTime.reason)))
          continue
        const any = bestPlan(world, start, { keepsHours: false })
        const shown = isRefusal(atAnyTime) ? undefined : shownPlan(atAnyTime)
        expect(shown, `${label} at any time`).toEqual(any && shownPlaces(world, any, false))
        if (any) seen.anyTime += 1
      }
      expect(exhausted(), `seed ${String(seed)}: ${String(offer.items.length)} items`).toBe(0)
    }
    if (worlds > seeds(worlds).length) return
    for (const count of Object.values(seen)) expect(count, JSON.stringify(seen)).toBeGreaterThan(worlds / 100)
  },
)

/** Expects that no two claims of a plan ask for more seats of one thing than it has. */
function expectWithinOneSeat({ claims }: PlannedVisit, label: string): void {
  for (const { resource, taken } of claims) {
    const overlapping = claims.filter(
      (other) =>
        other.resource.id === resource.id && other.taken.from <= taken.from && taken.from < other.taken.to,
    )
    const seats = overlapping.reduce((sum, claim) => sum + claim.seats, 0)
    expect(seats, `${label}: ${resource.id}`).toBeLessThanOrEqual(resource.seats)
    const isOne = resource.staffId === null || overlapping.length === 1
    expect(isOne, `${label}: ${resource.id} serves one item at a time`).toBe(true)
  }
}
