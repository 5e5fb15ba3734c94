import { expect } from 'vitest'
import type { Reply } from '../support/test-service.ts'
import { expectChange, type WantedChange } from './booking-model.ts'
import { randomStart } from './hold-acts.ts'
import { isPlain, itemsOf, minute, type ModelBooking, type ModelItem, type WantedItem } from './model.ts'
import { perform } from './perform.ts'
import { bodyOf, randomItems } from './visit-acts.ts'
import { claimOf, claimsOf, iso, seatedAs, type Caller, type World } from './world.ts'

const statuses = ['pending', 'confirmed', 'in_progress', 'completed', 'cancelled'] as const
const texts = [null, 'by the window', 'ground floor']

/** Returns the key of the business or of its hub. */
function aKey({ random, callers }: World): Caller {
  return random.of(callers.filter(({ session }) => session === undefined))
}

export async function changeBooking(world: World): Promise<void> {
  const { random, model } = world
  if (model.bookings.length === 0) return
  const booking = random.of(model.bookings)
  const move = random.chance(0.55)
  const start = move ? randomStart(world) : undefined
  const end = random.chance(0.2) ? (start ?? booking.start) + random.below(6) * 15 * minute : undefined
  const status = !move || random.chance(0.3) ? random.of(statuses) : undefined
  const notes = random.chance(0.2) ? random.of(texts) : undefined
  const ifMatch = random.chance(0.25) ? Math.max(1, booking.version - random.below(2)) : undefined
  const wanted: WantedChange = {
    ...(start !== undefined && { start }),
    ...(end !== undefined && { end }),
    ...(status && { status }),
    ...(notes !== undefined && { notes }),
    ...(ifMatch !== undefined && { ifMatch }),
  }
  const body = {
    ...(start !== undefined && { starts_at: iso(start) }),
    ...(end !== undefined && { ends_at: iso(end) }),
    ...(status && { status }),
    ...(notes !== undefined && { notes }),
  }
  const caller = aKey(world)
  await changeWith(world, booking, {
    wanted,
    says: `${caller.name} changes ${booking.id} ${JSON.stringify({ ...body, ifMatch })}`,
    send: () => caller.client.change(booking.id, body, matching(ifMatch)),
  })
}

/** Adds services, drops some, or gives them to somebody else. */
export async function changeItems(world: World): Promise<void> {
  const { random, model } = world
  const free = model.bookings.filter(({ payment }) => payment === undefined)
  if (free.length === 0) return
  const booking = random.of(free)
  const own = itemsOf(booking)
  const kept = own.filter(() => random.chance(0.7)).map((present): WantedItem => ({ ...present, present }))
  const others = random.chance(0.6) ? randomItems(world, booking.wanted.locationId, 2) : []
  const [first, ...rest] = [...kept, ...others].slice(0, 3)
  if (!first) return
  // a plain booking of several is not part of the model
  const isPlainOne = rest.length === 0 && isPlain(first.service)
  const items = [{ ...first, startsWith: false, party: isPlainOne ? 1 : first.party }, ...rest]
  const start = random.chance(0.3) ? randomStart(world) : undefined
  const status = random.chance(0.15) ? random.of(statuses) : undefined
  const wanted = { items, ...(start !== undefined && { start }), ...(status && { status }) }
  const ids = await itemIds(world, booking)
  const body = {
    items: items.map(({ present, ...item }) =>
      present
        ? {
            id: ids[own.indexOf(present)],
            starts: item.startsWith ? 'with' : 'after',
            party_size: item.party,
          }
        : bodyOf([item])[0],
    ),
    ...(start !== undefined && { starts_at: iso(start) }),
    ...(status && { status }),
  }
  const caller = aKey(world)
  await changeWith(world, booking, {
    wanted,
    says: `${caller.name} changes the services of ${booking.id} ${JSON.stringify(body)}`,
    send: () => caller.client.change(booking.id, body),
  })
}

async function itemIds({ key }: World, { id }: ModelBooking): Promise<string[]> {
  const { body } = await key.show(id)
  return (body as { items: { id: string }[] }).items.map((item) => item.id)
}

export async function cancelBooking(world: World): Promise<void> {
  const { random, model } = world
  if (model.bookings.length === 0) return
  const booking = random.of(model.bookings)
  const refund = random.chance(booking.payment ? 0.4 : 0.05)
  // a refund may be sent twice, and the second time another version would be right
  const ifMatch = !refund && random.chance(0.2) ? Math.max(1, booking.version - random.below(2)) : undefined
  const caller = aKey(world)
  const path = `/bookings/${booking.id}${refund ? '?refund=full' : ''}`
  const { token } = caller.client
  await changeWith(world, booking, {
    wanted: { status: 'cancelled', refund, ...(ifMatch !== undefined && { ifMatch }) },
    says: `${caller.name} cancels ${booking.id}${refund ? ' and gives its deposit back' : ''}`,
    send: () => world.service.call('DELETE', path, { token, headers: matching(ifMatch) }),
  })
}

function matching(ifMatch: number | undefined): Record<string, string> {
  return ifMatch === undefined ? {} : { 'if-match': `"${String(ifMatch)}"` }
}

async function changeWith(
  world: World,
  booking: ModelBooking,
  { wanted, says, send }: { wanted: WantedChange; says: string; send: () => Promise<Reply> },
): Promise<void> {
  const expected = expectChange(world.model, booking, wanted)
  const { version } = booking
  // a refund alone makes no new version, so the caller repeats it if there is no answer
  const isRepeated = wanted.refund ?? false
  await perform(world, {
    ...{ says, send, expected, isRepeated },
    happened: async () => (await world.key.show(booking.id)).headers['etag'] !== `"${String(version)}"`,
    done: async (reply) => {
      const seat = expected.seats.length > 0 ? (await claimOf(world, booking.id)).seat : 0
      if (!expected.seats.includes(undefined) && expected.seats.length > 0) {
        expect(expected.seats).toContain(seat)
      }
      expected.apply(seat, expected.plan && seatedAs(await claimsOf(world, booking.id), expected.plan))
      await nameRenewed(world, booking)
      if (reply) expectShown(booking, reply)
    },
  })
}

/** Copies the ID of a replacing payment, which only the table contains. */
async function nameRenewed({ service }: World, { id, payment }: ModelBooking): Promise<void> {
  if (payment?.id !== '') return
  const { reads } = service.context.db
  const row = await reads.selectFrom('bookings').select('payment_id').where('id', '=', id).executeTakeFirst()
  payment.id = row?.payment_id ?? ''
}

/** Sessions can see it too, without the client's data. */
export async function showBooking(world: World): Promise<void> {
  if (world.model.bookings.length === 0) return
  const booking = world.random.of(world.model.bookings)
  const caller = world.random.of(world.callers)
  await perform(world, {
    says: `${caller.name} looks at ${booking.id}`,
    send: () => caller.client.show(booking.id),
    expected: { status: 200 },
    done: (reply) => {
      if (!reply) return
      const { notes } = reply.body as { notes: string | null }
      expectShown(booking, reply, caller.session === undefined ? undefined : notes)
    },
  })
}

/** Sees every booking, each with all its services. */
export async function listBookings(world: World): Promise<void> {
  const caller = aKey(world)
  await perform(world, {
    says: `${caller.name} lists the bookings`,
    send: () => caller.client.list({ limit: 100 }),
    expected: { status: 200 },
    done: (reply) => {
      if (!reply) return
      const { data } = reply.body as { data: ShownBooking[] }
      const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1)
      const found = data.map(({ id, status, items }) => ({ id, status, items: items.map(shownItem) }))
      const expected = world.model.bookings.map((booking) => {
        return { id: booking.id, status: booking.status, items: itemsOf(booking).map(modelItem) }
      })
      expect(found.toSorted(byId), 'the list').toEqual(expected.toSorted(byId))
    },
  })
}

interface ShownBooking {
  id: string
  status: string
  starts_at: string
  ends_at: string
  notes: string | null
  items: ShownItem[]
}

interface ShownItem {
  service: { id: string }
  staff: { id: string } | null
  party_size: number
  starts_at: string
  ends_at: string
}

function shownItem({ service, staff, party_size: party, starts_at, ends_at }: ShownItem) {
  const time = { start: Date.parse(starts_at), end: Date.parse(ends_at) }
  return { service: service.id, staff: staff?.id ?? null, party, ...time }
}

function modelItem({ service, staffId, party, start, end }: ModelItem) {
  return { service: service.id, staff: staffId ?? null, party, start, end }
}

/** Expects the model's booking in an answer. Sessions may not see notes. */
function expectShown(booking: ModelBooking, { body, headers }: Reply, notes = booking.notes): void {
  const { id, status, start, end, version } = booking
  const shown = body as ShownBooking
  expect({
    ...{ id: shown.id, status: shown.status, notes: shown.notes, etag: headers['etag'] },
    ...{ start: Date.parse(shown.starts_at), end: Date.parse(shown.ends_at) },
    items: shown.items.map(shownItem),
  }).toEqual({
    ...{ id, status, notes, etag: `"${String(version)}"`, start, end },
    items: itemsOf(booking).map(modelItem),
  })
  const { payment } = body as { payment?: { status: string } }
  if (payment) expect(payment.status).toBe(booking.payment?.status)
}
