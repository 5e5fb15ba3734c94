import { expect } from 'vitest'
import { expectHold, openHolds } from './hold-model.ts'
import { quarters } from './hold-acts.ts'
import { isPlain, itemsOf, type Model, type ModelItem, type WantedItem } from './model.ts'
import { perform } from './perform.ts'
import { isBlocked } from './slot-model.ts'
import { expectVisit, isVisit, type VisitPlan, type VisitWish } from './visit-model.ts'
import { randomItems } from './visit-acts.ts'
import { iso, type Caller, type World } from './world.ts'

/* Free times: exactly those at which a session would get a hold. */

interface Offered {
  start: number
  heldByYou: boolean
  items: Pick<ModelItem, 'start' | 'end'>[] | undefined
}

/** A session asks for the free times of a service or visit. */
export async function askForTimes(world: World): Promise<void> {
  const { random, callers } = world
  const caller = random.of(callers.filter(({ session }) => session !== undefined))
  const locationId = random.of(world.locationIds)
  const items = randomItems(world, locationId, 2).map((item, _index, { length }) => {
    return length === 1 && isPlain(item.service) ? { ...item, party: 1 } : item
  })
  const wish = { items, locationId }
  const times = quarters(world)
  const date = iso(times[0] ?? 0).slice(0, 10)
  const query = new URLSearchParams({ location_id: locationId, ...queryOf(items), from: date, to: date })
  await perform(world, {
    says: `${caller.name} asks for the times of ${query.toString()}`,
    send: () =>
      world.service.call('GET', `/availability?${query.toString()}`, { token: caller.client.token }),
    expected: { status: 200 },
    done: (reply) => {
      if (!reply || world.isLiedTo) return
      const { days } = reply.body as { days: { slots: ShownSlot[] }[] }
      const shown = days.flatMap(({ slots }) => slots.map(readSlot))
      const found = shown.filter(({ start }) => times.includes(start))
      const expected = times.flatMap((start) => offered(world, caller, { ...wish, start }))
      expect(found, 'free times').toEqual(expected)
    },
  })
}

/** Returns the query for services. One is asked for like a plain service, even if it takes several claims. */
function queryOf(items: WantedItem[]): Record<string, string> {
  const [first, ...others] = items
  if (first && others.length === 0) {
    return {
      service_id: first.service.id,
      ...(first.staffId !== undefined && { staff_id: first.staffId }),
      ...(first.party > 1 && { party_size: String(first.party) }),
    }
  }
  const texts = items.map(({ service, staffId, party, startsWith }) =>
    [
      startsWith ? '~' : '',
      service.id,
      staffId ? `:${staffId}` : '',
      party > 1 ? `*${String(party)}` : '',
    ].join(''),
  )
  return { items: texts.join() }
}

interface ShownSlot {
  starts_at: string
  held_by_you?: boolean
  items?: { starts_at: string; ends_at: string }[]
}

function readSlot({ starts_at, held_by_you: heldByYou = false, items }: ShownSlot): Offered {
  const times = items?.map((item) => ({ start: Date.parse(item.starts_at), end: Date.parse(item.ends_at) }))
  return { start: Date.parse(starts_at), heldByYou, items: times }
}

/** Returns the slot at a start, as the model shows it to a session, or none. */
function offered({ model }: World, { session }: Caller, wish: VisitWish): Offered[] {
  const { items, start } = wish
  const [first] = items
  if (!first) return []
  if (isVisit(items)) {
    const { status, plan } = expectVisit(model, session, wish)
    if (status !== 201 || !plan) return []
    const times = items.length > 1 ? plan.items.map(({ start, end }) => ({ start, end })) : undefined
    return [{ start, items: times, heldByYou: isHeld(model, session, { ...wish, plan }) }]
  }
  const wanted = { service: first.service, locationId: wish.locationId, start, staffId: first.staffId }
  if (expectHold(model, session, wanted).status !== 201) return []
  return [{ start, items: undefined, heldByYou: isHeld(model, session, wish) }]
}

/** True if a session holds these services then and there, with people who could still give them. */
function isHeld(model: Model, session: string | undefined, wish: VisitWish & { plan?: VisitPlan }): boolean {
  const { items, locationId, start, plan } = wish
  return openHolds(model, session).some((hold) => {
    const own = itemsOf(hold)
    if (hold.wanted.locationId !== locationId || own.length !== items.length) return false
    if (own.some(({ service }, index) => service !== items[index]?.service)) return false
    if (plan && items.length > 1) return own.every((item, index) => item.start === plan.items[index]?.start)
    const [item] = own
    const [asked] = items
    if (!item || !asked || item.start !== start) return false
    if (item.staffId === undefined) return true
    if (asked.staffId !== undefined && asked.staffId !== item.staffId) return false
    if (!plan) return !isBlocked(model, item.staffId, { from: item.start, to: item.end })
    const byThem = { ...wish, items: [{ ...asked, staffId: item.staffId }] }
    return expectVisit(model, session, byThem).status === 201
  })
}
