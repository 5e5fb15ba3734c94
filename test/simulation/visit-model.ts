import {
  bestPlan,
  type Keeper,
  type OracleClaim,
  type OracleItem,
  type OracleRoom,
  type OracleWorld,
  usesOf,
} from '../support/visit-oracle.ts'
import { giveUp, openHolds } from './hold-model.ts'
import {
  isPlain,
  itemsOf,
  minute,
  type Answer,
  type Claim,
  type Model,
  type ModelBooking,
  type ModelHold,
  type ModelItem,
  type ModelService,
  type WantedItem,
} from './model.ts'
import { activeClaims, isBlocked, isOwn } from './slot-model.ts'

/* Visits: several services, steps without the person, rooms. Plans come from the search through all of them. */

/** A visit, and how to search for it. */
export interface VisitWish {
  items: WantedItem[]
  locationId: string
  start: number
}

/** A claim of a plan. Of a person's seats, only the table knows which were taken. */
export type PlannedClaim = Omit<Claim, 'id' | 'owner' | 'expires'>

export interface VisitPlan {
  items: ModelItem[]
  claims: PlannedClaim[]
  from: number
  to: number
}

interface Search {
  claims: Claim[]
  keepsHours: boolean
  /** Bookings of the day by person, in place of those of the model. */
  preferred?: Record<string, number>
}

const cell = 5 * minute
const refusals = ['slot_held', 'slot_booked', 'slot_not_offered']

/** The expected answer to a hold of a visit, with its plan and the session's holds that end for it. */
export function expectVisit(
  model: Model,
  session: string | undefined,
  wish: VisitWish,
): Answer & { plan: VisitPlan | undefined; replaced: string[] } {
  if (wish.start <= model.now) {
    return { status: 422, code: 'slot_not_offered', plan: undefined, replaced: [] }
  }
  const own = openHolds(model, session)
  const claims = activeClaims(model).filter((claim) => !isOwn(claim, session))
  const { plan, ...answer } = expectPlan(model, wish, { claims, byRules: session !== undefined })
  const replaced = plan ? own.filter((hold) => isInTheWay(model, hold, plan)).map(({ id }) => id) : []
  return { ...answer, plan, replaced }
}

/** Returns the answer to a visit if these claims are in its way. Keys ignore blocks where nothing else is free. */
export function expectPlan(
  model: Model,
  wish: VisitWish,
  {
    claims,
    byRules,
    preferred,
  }: { claims: Claim[]; byRules: boolean; preferred?: Record<string, number> | undefined },
): Answer & { plan: VisitPlan | undefined } {
  const search = { claims, ...(preferred && { preferred }) }
  const plan = findPlan(model, wish, { ...search, keepsHours: true })
  if (plan) return { status: 201, plan }
  const despite = byRules ? undefined : findPlan(model, wish, { ...search, keepsHours: false })
  // if some who work then are taken, those who are blocked may be kept from it
  if (despite) return { status: 201, plan: despite, orCodes: refusals.slice(0, 2) }
  return { ...refusalOf(model, wish, claims), plan: undefined }
}

/** A time that only holds keep from the caller is held, not booked. */
function refusalOf(model: Model, wish: VisitWish, claims: Claim[]): Answer {
  const booked = claims.filter(({ expires }) => expires === undefined)
  const isHeld = findPlan(model, wish, { claims: booked, keepsHours: true }) !== undefined
  const isTaken = findPlan(model, wish, { claims: [], keepsHours: true }) !== undefined
  if (isHeld) return { status: 409, code: 'slot_held' }
  return isTaken
    ? { status: 409, code: 'slot_booked', orCodes: ['slot_held'] }
    : { status: 422, code: 'slot_not_offered', orCodes: refusals }
}

function isInTheWay(model: Model, hold: ModelHold, plan: VisitPlan): boolean {
  if (hold.wanted.start < plan.to && plan.from < hold.end) return true
  const own = model.claims.filter(({ id }) => id === hold.id)
  return own.some((claim) =>
    plan.claims.some(
      ({ resource, from, to }) => resource === claim.resource && from < claim.to && claim.from < to,
    ),
  )
}

export function placeVisit(
  model: Model,
  hold: ModelHold,
  { claims, replaced }: { claims: PlannedClaim[]; replaced: string[] },
): void {
  giveUp(model, replaced)
  model.holds.push(hold)
  const { id, session: owner, expires } = hold
  model.claims.push(...claims.map((claim) => ({ ...claim, id, owner, expires })))
}

/** Returns the answer to other items of a booking, or another time. */
export function expectRetaken(
  model: Model,
  { id, ...wish }: VisitWish & { id: string },
): Answer & { plan: VisitPlan | undefined } {
  const claims = activeClaims(model).filter((claim) => claim.id !== id)
  const people = wish.items.flatMap(({ present }) =>
    present?.staffId ? [[present.staffId, -1] as const] : [],
  )
  const preferred = { ...bookingsOn(model, wish.start), ...Object.fromEntries(people) }
  return expectPlan(model, wish, { claims, preferred, byRules: false })
}

/** Like `expectRetaken` for the present items. People stay if they can; those whom nobody chose may change. */
export function expectMoved(
  model: Model,
  { items, ...at }: { id: string; locationId: string; start: number; items: ModelItem[] },
): Answer & { plan: VisitPlan | undefined } {
  const wish = (personOf: (item: ModelItem) => string | undefined) => ({
    ...at,
    items: items.map((item): WantedItem => ({ ...item, staffId: personOf(item), present: item })),
  })
  const kept = expectRetaken(
    model,
    wish(({ staffId }) => staffId),
  )
  const mayChange = items.some(({ staffId, chosen }) => staffId !== undefined && chosen === undefined)
  if (kept.plan || !mayChange) return kept
  return expectRetaken(
    model,
    wish(({ chosen }) => chosen),
  )
}

/** Returns the best plan, or undefined. */
function findPlan(model: Model, wish: VisitWish, search: Search): VisitPlan | undefined {
  const base = Math.floor(wish.start / 86_400_000) * 86_400_000
  const world = oracleWorld(model, wish, { ...search, base })
  const found = bestPlan(world, (wish.start - base) / cell, search)
  if (!found) return undefined
  const at = (cells: number) => base + cells * cell
  const items = found.map(({ person, from, to }, index) => {
    const { service, party, startsWith, staffId, present } = wish.items[index] as WantedItem
    const chosen = present && present.staffId === staffId ? present.chosen : staffId
    return { service, party, startsWith, chosen, staffId: person?.id, start: at(from), end: at(to) }
  })
  const claims = usesOf(world, found).map(({ thing, start, item, seats, from, to }) => {
    const occurrence =
      start === undefined ? thing.id : `${occurrenceOf(wish, item)} from ${String(at(start))}`
    const places = Array.from({ length: seats }, (_, seat) => seat)
    return { resource: thing.id, occurrence, seats: places, from: at(from), to: at(to) }
  })
  return {
    ...{ items, claims },
    from: Math.min(...items.map(({ start }) => start)),
    to: Math.max(...items.map(({ end }) => end)),
  }
}

function occurrenceOf({ items, locationId }: VisitWish, item: number): string {
  return `${items[item]?.service.id ?? ''} at ${locationId}`
}

/** Translates the model into the world of the search, whose times are cells. */
function oracleWorld(
  model: Model,
  wish: VisitWish,
  { claims, preferred, base }: Omit<Search, 'keepsHours'> & { base: number },
): OracleWorld {
  const cellOf = (time: number) => (time - base) / cell
  const claimsOf = (id: string) =>
    claims
      .filter(({ resource }) => resource === id)
      .map(({ from, to, seats, occurrence }): OracleClaim => {
        const [service = '', start = ''] = occurrence.split(' from ')
        const shared = start === '' ? occurrence : `${service} ${String(cellOf(Number(start)))}`
        return { from: cellOf(from), to: cellOf(to), seats: seats.length, occurrence: shared }
      })
  const keepers = new Map<string, Keeper>()
  const keeper = (id: string): Keeper => {
    const known = keepers.get(id)
    if (known) return known
    const open = cellsOfTwoDays.map((index) => {
      const from = base + index * cell
      return !isBlocked(model, id, { from, to: from + cell })
    })
    const made = { id, open, claims: claimsOf(id) }
    keepers.set(id, made)
    return made
  }
  const items = wish.items.map(({ service, staffId, party, startsWith }, index): OracleItem => {
    const people = service.staffIds.filter((id) => staffId === undefined || id === staffId)
    return {
      serviceId: occurrenceOf(wish, index),
      staff: service.staffIds.length === 0 ? null : people.map(keeper),
      place: { ...keeper(occurrenceOf(wish, index)), open: [] },
      steps: () => stepsOf(service),
      ...{ before: service.bufferBefore / 5, after: service.bufferAfter / 5 },
      ...{ capacity: service.capacity, party, startsWith },
      needs: needsAt(model, wish.locationId, service).map(({ rooms, ...need }) => ({
        ...need,
        rooms: rooms.map(({ id, quantity }): OracleRoom => Object.assign(keeper(id), { quantity })),
      })),
    }
  })
  const bookings = preferred ?? bookingsOn(model, wish.start)
  const open = cellsOfTwoDays.map(() => true)
  return { items, open, maxPause: model.maxPause / cell, bookings }
}

const cellsOfTwoDays = Array.from({ length: (2 * 24 * 60) / 5 }, (_, index) => index)

function stepsOf({ steps, minutes }: ModelService) {
  const whole = steps.length > 0 ? steps : [{ minutes, staffed: true }]
  return whole.map((step) => ({ cells: step.minutes / 5, staffed: step.staffed }))
}

function needsAt({ rooms }: Model, locationId: string, { needs }: ModelService) {
  return needs.map(({ roomIds, quantity, isWhole }) => {
    const there = rooms.filter((room) => room.locationId === locationId)
    return { quantity, isWhole, rooms: roomIds.flatMap((id) => there.filter((room) => room.id === id)) }
  })
}

/** Counts the services that each person gives on a day. */
function bookingsOn({ bookings }: Model, start: number): Record<string, number> {
  const day = (time: number) => Math.floor(time / 86_400_000)
  const people = bookings
    .filter(({ status }) => status !== 'cancelled')
    .flatMap((booking) => itemsOf(booking))
    .flatMap((item) => (item.staffId !== undefined && day(item.start) === day(start) ? [item.staffId] : []))
  const counts: Record<string, number> = {}
  for (const id of people) counts[id] = (counts[id] ?? 0) + 1
  return counts
}

/** Returns what a booking shows of its services. One that takes one claim is plain. */
export function serviceColumns(
  { wanted }: ModelBooking,
  { items, claims, from }: VisitPlan,
): Pick<ModelBooking, 'items' | 'wanted' | 'resource'> {
  const [first] = items as [ModelItem]
  const own = { service: first.service, locationId: wanted.locationId, start: from, staffId: first.chosen }
  const wishes = items.map((item): WantedItem => item)
  return { items: isVisit(wishes) ? items : undefined, wanted: own, resource: claims[0]?.resource ?? '' }
}

/** True if these services take several claims together. */
export function isVisit(items: WantedItem[]): boolean {
  const [first, ...others] = items
  return others.length > 0 || (first !== undefined && !isPlain(first.service))
}
