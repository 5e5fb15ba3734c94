import { expect } from 'vitest'
import type { Reply } from '../support/test-service.ts'
import { creation, randomStart, unknownHolds } from './hold-acts.ts'
import { itemsOf, minute, type ModelItem, type WantedItem } from './model.ts'
import { perform } from './perform.ts'
import { isVisit, expectVisit, placeVisit } from './visit-model.ts'
import { claimsOf, iso, seatedAs, type World } from './world.ts'

/** Returns some services that are offered at a location. */
export function randomItems({ random, services }: World, locationId: string, most = 3): WantedItem[] {
  // a request is paid after its confirmation, which other tests try
  const isAsked = random.chance(0.5)
  const offered = services.filter(
    ({ locationIds, respondWithin, hasDeposit }) =>
      locationIds.includes(locationId) && (isAsked ? !hasDeposit : respondWithin === undefined),
  )
  return Array.from({ length: 1 + random.below(most) }, (_, index) => {
    const service = random.of(offered)
    const { staffIds, capacity } = service
    return {
      service,
      staffId: staffIds.length > 0 && random.chance(0.25) ? random.of(staffIds) : undefined,
      party: capacity > 1 && random.chance(0.3) ? 2 : 1,
      startsWith: index > 0 && random.chance(0.25),
    }
  })
}

/** Returns the wire format of items. */
export function bodyOf(items: WantedItem[]): object[] {
  return items.map(({ service, staffId, party, startsWith }) => ({
    service_id: service.id,
    ...(staffId !== undefined && { staff_id: staffId }),
    ...(party > 1 && { party_size: party }),
    ...(startsWith && { starts: 'with' }),
  }))
}

export async function holdVisit(world: World): Promise<void> {
  const { random, model } = world
  const caller = random.of(world.callers)
  const locationId = random.of(world.locationIds)
  const items = randomItems(world, locationId)
  const [first] = items
  if (!first || !isVisit(items)) return
  const start = randomStart(world)
  const { plan, replaced, ...expected } = expectVisit(model, caller.session, { items, locationId, start })
  const isOne = items.length === 1 && first.party === 1 && random.chance(0.5)
  const [one] = bodyOf(items)
  const body = {
    ...{ location_id: locationId, starts_at: iso(start) },
    ...(isOne ? one : { items: bodyOf(items) }),
  }
  await perform(world, {
    ...creation(world, caller, { path: '/bookings/hold', body }),
    says: `${caller.name} holds a visit ${JSON.stringify(body)}`,
    expected,
    happened: async () => (await unknownHolds(world)).length > 0,
    done: async (reply) => {
      const [id = ''] = await unknownHolds(world)
      if (!plan) throw new Error('a visit was held that does not fit')
      const expires = Math.ceil(model.now / 1000) * 1000 + 600_000
      if (reply) expectHeld(reply, { id, expires, items: isOne ? undefined : plan.items })
      const wanted = { service: first.service, locationId, start: plan.from, staffId: first.staffId }
      const resource = plan.claims[0]?.resource ?? ''
      const hold = { id, resource, session: caller.session, wanted, end: plan.to, expires }
      const claims = seatedAs(await claimsOf(world, id), plan)
      placeVisit(model, { ...hold, ended: undefined, items: plan.items }, { claims, replaced })
    },
  })
}

function expectHeld(
  { body }: Reply,
  { id, expires, items }: { id: string; expires: number; items: ModelItem[] | undefined },
): void {
  const held = body as { hold_id: string; expires_at: string; items?: ShownItem[] }
  expect([held.hold_id, Date.parse(held.expires_at)]).toEqual([id, expires])
  expect(held.items?.map(shownItem)).toEqual(
    items?.map(({ service, staffId, start, end }) => ({
      service: service.id,
      staff: staffId ?? null,
      start,
      end,
    })),
  )
}

interface ShownItem {
  service_id: string
  staff_id: string | null
  starts_at: string
  ends_at: string
}

function shownItem({ service_id, staff_id, starts_at, ends_at }: ShownItem) {
  return { service: service_id, staff: staff_id, start: Date.parse(starts_at), end: Date.parse(ends_at) }
}

/** Blocks a person or a room for an hour, or ends a block. */
export async function blockTime(world: World): Promise<void> {
  const { random, model, key, service, log } = world
  if (model.blocks.length > 1 || (model.blocks.length === 1 && random.chance(0.6))) {
    const { id } = random.of(model.blocks)
    log.push(`the block ${id} ends`)
    expect((await service.call('DELETE', `/blocks/${id}`, { token: key.token })).status).toBe(204)
    model.blocks = model.blocks.filter((block) => block.id !== id)
    return
  }
  const room = random.chance(0.7) ? random.of(model.rooms).id : undefined
  const target = room ?? random.of(world.staffIds)
  const from = randomStart(world)
  const to = from + random.of([30, 60, 120]) * minute
  log.push(`${target} is blocked from ${iso(from)} to ${iso(to)}`)
  const reply = await service.call('POST', '/blocks', {
    token: key.token,
    body: {
      ...(room === undefined ? { staff_id: target } : { resource_id: target }),
      ...{ starts_at: iso(from), ends_at: iso(to) },
    },
  })
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  const { id, conflicting_booking_ids: ids } = reply.body as { id: string; conflicting_booking_ids: string[] }
  expect(ids.toSorted(), 'bookings under a block').toEqual(bookingsUnder(world, { target, from, to }))
  model.blocks.push({ id, target, from, to })
}

function bookingsUnder({ model }: World, { target, from, to }: { target: string; from: number; to: number }) {
  const meets = (start: number, end: number) => start < to && from < end
  const ofPerson = model.bookings.filter(
    (booking) =>
      booking.status !== 'cancelled' &&
      itemsOf(booking).some(({ staffId, start, end }) => staffId === target && meets(start, end)),
  )
  const isRoom = model.rooms.some(({ id }) => id === target)
  const ofRoom = model.claims.filter(
    (claim) =>
      isRoom && claim.resource === target && claim.expires === undefined && meets(claim.from, claim.to),
  )
  return [...new Set([...ofPerson, ...ofRoom].map(({ id }) => id))].toSorted()
}
