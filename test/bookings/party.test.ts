import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findErrors, readContents, seatsOf } from '../support/checker.ts'
import { bookSlot, clientOf, sessionClient, type Client } from '../support/client.ts'
import { depositWorld, sessionOf, type DepositWorld } from '../support/deposits.ts'
import { expectErrors } from '../support/expect-problem.ts'
import { onOneEngine, rounds } from '../support/long.ts'
import { makeBusiness, makeOffer, makeStaff, type Offer, type OwnBusiness } from '../support/offers.ts'
import { eventsOf } from '../support/records.ts'
import { expectRefusal } from '../support/refusals.ts'
import { type ShownSlot, watcherOf, type Watcher } from '../support/slots.ts'
import { type Reply, startTestService, type TestService } from '../support/test-service.ts'

const start = '2026-12-01T10:00:00+01:00'
const next = '2026-12-01T10:30:00+01:00'
const of = (party_size: number) => ({ party_size })
const idOf = ({ body }: Reply) => String(body.hold_id ?? body.id)

onOneEngine('postgres', 'a party', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let key: Client
  let watcher: Watcher
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    key = clientOf(service, business.key)
    watcher = watcherOf(service, key)
  })
  afterAll(() => service.stop())

  const visitor = () => sessionClient(service, business)
  /** Creates a class of a separate teacher with this many seats, with slots every half hour. */
  const classOf = async (capacity: number): Promise<Offer> => {
    const staffIds = await makeStaff(service, business.id, ['Teacher'])
    return makeOffer(service, business.id, { capacity, staffIds, intervalMinutes: 30 })
  }
  const left = async (offer: Offer, startsAt = start) => (await watcher.at(offer, startsAt))?.seats_left ?? 0

  test('takes as many seats as it has people, and gives all of them back', async () => {
    const offer = await classOf(5)
    const session = await visitor()
    const held = await session.hold(offer, start, of(3))
    expect(held).toMatchObject({ status: 201, body: { party_size: 3 } })
    expect((await session.showHold(idOf(held))).body).toMatchObject({ status: 'active', party_size: 3 })
    expect(await left(offer)).toBe(2)
    await session.release(idOf(held))
    expect(await left(offer)).toBe(5)

    const again = await session.hold(offer, start, of(4))
    service.clock.advance(601)
    expect(await left(offer)).toBe(5)
    expect((await session.book(idOf(again))).body.code).toBe('hold_expired')
    expect((await key.hold(offer, start, of(5))).status).toBe(201) // replaces the expired one
    service.clock.advance(601)

    const other = await visitor()
    const booking = await bookSlot(other, offer, start, { hold: of(2) })
    expect(booking).toMatchObject({ status: 'confirmed', party_size: 2 })
    const [created] = await eventsOf(service, String(booking.id))
    expect(created).toMatchObject({ type: 'booking.created', payload: { data: { party_size: 2 } } })
    expect(await left(offer)).toBe(3)
    await key.cancel(String(booking.id))
    expect(await left(offer)).toBe(5)
    expect((await key.change(String(booking.id), { status: 'confirmed' })).body.party_size).toBe(2)
    expect(await left(offer)).toBe(3)
    expect(await findErrors(service.databaseUrl)).toEqual([])
  })

  test('of one is what was always held and told', async () => {
    const offer = await classOf(5)
    const fields = ['ends_at', 'expires_at', 'hold_id', 'location_id', 'service_id', 'starts_at']
    for (const party of [{}, of(1), { party_size: null }]) {
      const session = await visitor()
      const held = await session.hold(offer, start, party)
      expect(Object.keys(held.body as object).toSorted()).toEqual(fields)
      const booking = await session.book(idOf(held))
      expect(booking.body.party_size).toBe(1)
      const [created] = await eventsOf(service, idOf(booking))
      expect(created?.payload['data']).not.toHaveProperty('party_size')
    }
    expect(await left(offer)).toBe(2)
  })

  test('takes the seats that are left, whichever they are', async () => {
    const offer = await classOf(5)
    const singles = await Promise.all(Array.from({ length: 5 }, () => key.hold(offer, start)))
    const claims = (await readContents(service.databaseUrl)).claims
    const bySeat = singles.map(idOf).toSorted((one, other) => seatAt(claims, one) - seatAt(claims, other))
    for (const index of [0, 2, 4]) await key.release(String(bySeat[index]))
    const held = await key.hold(offer, start, of(3))
    expect(held.status).toBe(201)
    const claim = (await readContents(service.databaseUrl)).claims.find(({ id }) => id === idOf(held))
    expect(claim && [...seatsOf(claim)].toSorted()).toEqual([0, 2, 4])
    expect((await key.hold(offer, start)).status).toBe(409)
  })

  test('larger than the service: 422 with the limit; larger than what is left: 409 with times that have room', async () => {
    const offer = await classOf(5)
    await key.hold(offer, start, of(3))
    await key.hold(offer, next, of(3))
    const session = await visitor()
    for (const party_size of [6, 500]) {
      const reply = await session.hold(offer, start, { party_size })
      expectErrors(reply, '/party_size')
      expect(reply.body.errors[0].detail).toContain('at most 5, the capacity')
    }
    for (const party_size of [0, -1, 1.5, '2', 501, true]) {
      expectErrors(await session.hold(offer, start, { party_size }), '/party_size')
    }
    await expectRefusal(service, () => session.hold(offer, start, of(3)), {
      status: 409,
      body: { code: 'slot_held' },
    })
    const { alternatives } = (await session.hold(offer, start, of(3))).body as { alternatives: ShownSlot[] }
    expect(alternatives.map(({ starts_at, seats_left }) => [starts_at.slice(11, 16), seats_left])).toEqual([
      ['09:30', 5],
      ['11:00', 5],
      ['09:00', 5],
    ])
    expect((await session.hold(offer, start, of(2))).status).toBe(201)
  })

  test('replaces holds of its own session at that time, whatever their parties', async () => {
    const offer = await classOf(5)
    const session = await visitor()
    const first = await session.hold(offer, start, of(2))
    expect((await session.hold(offer, start, of(5))).status).toBe(201)
    expect((await session.showHold(idOf(first))).body.status).toBe('released')
    expect((await session.hold(offer, start, of(1))).status).toBe(201)
    expect(await left(offer)).toBe(4)
  })

  test('sees as free only what has room for all of it, with one person', async () => {
    const [one = '', other = ''] = await makeStaff(service, business.id, ['Ann', 'Bo'])
    const offer = await makeOffer(service, business.id, {
      capacity: 3,
      staffIds: [one, other],
      intervalMinutes: 30,
    })
    await key.hold(offer, start, { staff_id: one })
    await key.hold(offer, start, { staff_id: other, ...of(2) })
    expect(await watcher.at(offer, start)).toMatchObject({ seats_left: 3, staff_ids: [one, other] })
    expect(await watcher.at({ ...offer, party_size: '2' }, start)).toMatchObject({
      seats_left: 2,
      staff_ids: [one],
    })
    expect(await watcher.at({ ...offer, party_size: '3' }, start)).toBeUndefined()
    expect(await watcher.at({ ...offer, party_size: '3' }, next)).toMatchObject({ seats_left: 6 })
    const explained = async (party_size: number) =>
      (await watcher.explain({ ...offer, party_size: String(party_size) }, start)).body.reason as unknown
    expect([await explained(1), await explained(2), await explained(3)]).toEqual([null, null, 'slot_held'])
    const soonest = async (party_size: number) =>
      (await watcher.soonest({ ...offer, party_size: String(party_size) })).body
    expect(await soonest(3)).toMatchObject({ seats_left: 6 })
    for (const ask of [watcher.soonest, (asked: Offer) => watcher.show(asked, '2026-12-01')]) {
      expectErrors(await ask({ ...offer, party_size: '4' }), '/party_size')
      expectErrors(await ask({ ...offer, party_size: '0' }), '/party_size')
      expectErrors(await ask({ ...offer, party_size: '1.5' }), '/party_size')
    }
    expect((await key.hold(offer, start, of(3))).status).toBe(409)
    const held = await key.hold(offer, start, of(2))
    expect(held.status).toBe(201)
    expect(await watcher.at(offer, start)).toMatchObject({ seats_left: 1, staff_ids: [other] })
  })

  describe('of a booking', () => {
    const shown = async (id: string) => (await key.show(id)).body as { party_size: number; starts_at: string }

    test('stays when it is moved, and the new time needs room for it', async () => {
      const offer = await classOf(5)
      const { id } = (await bookSlot(key, offer, start, { hold: of(3) })) as { id: string }
      const full = await bookSlot(key, offer, next, { hold: of(3) })
      const before = await key.show(id)
      const refused = await key.change(id, { starts_at: next })
      expect(refused).toMatchObject({ status: 409, body: { code: 'slot_booked' } })
      const { alternatives } = refused.body as { alternatives: ShownSlot[] }
      expect(alternatives.every(({ seats_left }) => seats_left >= 3)).toBe(true)
      expect(await key.show(id)).toMatchObject({ body: before.body })
      await key.change(String(full.id), { party_size: 2 })
      expect((await key.change(id, { starts_at: next })).body).toMatchObject({ party_size: 3 })
      expect([await left(offer), await left(offer, next)]).toEqual([5, 0])
    })

    test('grows and shrinks with the seats that are free', async () => {
      const offer = await classOf(5)
      const { id } = (await bookSlot(key, offer, start, { hold: of(2) })) as { id: string }
      await key.hold(offer, start)
      expect(await key.change(id, of(4))).toMatchObject({ status: 200, body: { party_size: 4 } })
      expect((await key.show(id)).headers['etag']).toBe('"2"')
      const told = (await eventsOf(service, id)).at(-1)
      expect(told).toMatchObject({ type: 'booking.updated', payload: { data: { party_size: 4 } } })
      await expectRefusal(service, () => key.change(id, of(5)), { status: 409, body: { code: 'slot_held' } })
      expectErrors(await key.change(id, of(6)), '/party_size')
      expect(await shown(id)).toMatchObject({ party_size: 4 })
      expect((await key.change(id, of(4))).headers['etag']).toBe('"2"')
      expect((await key.change(id, of(1))).body.party_size).toBe(1)
      expect(await left(offer)).toBe(3)
      expect((await key.hold(offer, start, of(3))).status).toBe(201)
      expect(await findErrors(service.databaseUrl)).toEqual([])
    })

    test('a capacity that was lowered below it is named when it would be moved', async () => {
      const offer = await classOf(5)
      const { id } = (await bookSlot(key, offer, start, { hold: of(4) })) as { id: string }
      await service.call('PATCH', `/services/${offer.service_id}`, {
        token: business.key,
        body: { capacity: 3 },
      })
      const reply = await key.change(id, { starts_at: next })
      expectErrors(reply, '/party_size')
      expect((await key.change(id, { starts_at: next, ...of(3) })).status).toBe(200)
    })
  })
})

function seatAt(claims: { id: string; seat: number }[], id: string): number {
  return claims.find((claim) => claim.id === id)?.seat ?? -1
}

onOneEngine('postgres', 'many parties at once', (engine) => {
  let service: TestService
  let servers: TestService[]
  let business: OwnBusiness
  beforeAll(async () => {
    service = await startTestService(engine)
    // SQLite allows only one server for a file
    servers =
      engine === 'postgres' ? [service, await startTestService(engine, {}, { beside: service })] : [service]
    business = await makeBusiness(service)
  })
  afterAll(async () => {
    for (const server of servers.toReversed()) await server.stop()
  })

  const capacity = 5
  const keyAt = (index: number) => clientOf(servers[index % servers.length] ?? service, business.key)
  /** Returns the taken seats at a start, for each claim that takes some. */
  const taken = async (offer: Offer) => {
    const { claims } = await readContents(service.databaseUrl)
    const ofOffer = claims as unknown as ((typeof claims)[number] & Offer)[]
    return ofOffer
      .filter((claim) => claim.service_id === offer.service_id && claim.ended_at === null)
      .flatMap((claim) => [...seatsOf(claim)])
  }

  test.each(['with a teacher', 'without'])(
    'never take a seat twice, and leave none that fits: %s',
    async (which) => {
      for (let round = 0; round < rounds(2, 20); round += 1) {
        const staffIds = which === 'without' ? [] : await makeStaff(service, business.id, ['Teacher'])
        const offer = await makeOffer(service, business.id, { capacity, staffIds })
        const replies = await Promise.all(
          Array.from({ length: 24 }, (_, index) => keyAt(index).hold(offer, start, of(2 + (index % 2)))),
        )
        const held = replies.filter(({ status }) => status === 201)
        expect(replies.filter(({ status }) => status !== 201 && status !== 409)).toEqual([])
        const seats = await taken(offer)
        expect(new Set(seats).size, 'no seat is taken twice').toBe(seats.length)
        expect(seats.every((seat) => seat >= 0 && seat < capacity)).toBe(true)
        const people = held.reduce((sum, { body }) => sum + Number(body.party_size), 0)
        expect(people).toBe(seats.length)
        // refused clients found seats that others had at that time: less than a pair is left
        expect(capacity - people).toBeLessThan(2)
      }
      expect(await findErrors(service.databaseUrl)).toEqual([])
    },
  )

  test('of 200 who ask for several seats at once nobody is sent away for another reason than seats', async () => {
    const offer = await makeOffer(service, business.id, {
      capacity: 200,
      staffIds: await makeStaff(service, business.id, ['Choir']),
    })
    const replies = await Promise.all(
      Array.from({ length: 200 }, (_, index) => keyAt(index).hold(offer, start, of(1 + (index % 5)))),
    )
    expect(replies.filter(({ status }) => status !== 201 && status !== 409)).toEqual([])
    const seats = await taken(offer)
    expect(new Set(seats).size).toBe(seats.length)
    if (engine === 'sqlite') return
    const { rows } = await sql<{ deadlocks: number }>`
      select deadlocks::int from pg_stat_database where datname = current_database()`.execute(
      service.context.db.reads,
    )
    expect(rows).toEqual([{ deadlocks: 0 }])
  })

  test('a booking that grows races with holds for the seats that are left', async () => {
    for (let round = 0; round < rounds(3, 20); round += 1) {
      const staffIds = await makeStaff(service, business.id, ['Teacher'])
      const offer = await makeOffer(service, business.id, { capacity, staffIds })
      const { id } = (await bookSlot(keyAt(0), offer, start, { hold: of(2) })) as { id: string }
      const [grown, ...holds] = await Promise.all([
        keyAt(round).change(id, of(4)),
        ...Array.from({ length: 6 }, (_, index) => keyAt(index).hold(offer, start, of(2))),
      ])
      const statuses = [grown, ...holds].map(({ status }) => status)
      expect(
        statuses.every((status) => [200, 201, 409].includes(status)),
        statuses.join(),
      ).toBe(true)
      const won = holds.filter(({ status }) => status === 201).length
      // three seats are left: for a pair, or for two more people of the booking
      expect([grown.status, won]).toEqual(grown.status === 200 ? [200, 0] : [409, 1])
      const seats = await taken(offer)
      expect(new Set(seats).size).toBe(seats.length)
      expect(seats).toHaveLength(4)
    }
    expect(await findErrors(service.databaseUrl)).toEqual([])
  })
})

onOneEngine('postgres', 'the deposit of a party', (engine) => {
  let world: DepositWorld
  beforeAll(async () => {
    world = await depositWorld(engine)
  })
  afterAll(() => world.stop())

  const offerOf = (amount = 2500) =>
    makeOffer(world.service, world.business.id, { capacity: 5, deposit: { amount, currency: 'EUR' } })

  test('is that of one, times its people: due, paid and refunded', async () => {
    const offer = await offerOf()
    const held = await world.session.hold(offer, start, of(3))
    const reply = await world.session.book(idOf(held))
    expect(reply).toMatchObject({ status: 201, body: { status: 'pending', party_size: 3 } })
    const sessionId = sessionOf(world.stripe, reply)
    expect(world.stripe.sessions.get(sessionId)).toMatchObject({ amount_total: 7500, currency: 'eur' })
    await world.paid(sessionId)
    const id = idOf(reply)
    expect(await world.shown(id)).toMatchObject({
      status: 'confirmed',
      payment: { status: 'paid', amount: 7500, currency: 'EUR' },
    })
    // the payment stays as ordered
    expect((await world.key.change(id, of(2))).body.payment.amount).toBe(7500)
    await world.service.call('DELETE', `/bookings/${id}?refund=full`, { token: world.business.key })
    await world.settled()
    expect(world.stripe.refunds).toMatchObject([{ amount: 7500 }])
  })

  test('that could not be charged at once is refused before it is held, or when it was raised since', async () => {
    const offer = await offerOf(400_000_000)
    const refused = await world.session.hold(offer, start, of(3))
    expectErrors(refused, '/party_size')
    expect(refused.body.errors[0].detail).toContain('at most 2')
    const held = await world.session.hold(offer, start, of(2))
    expect(held.status).toBe(201)
    await world.service.call('PATCH', `/services/${offer.service_id}`, {
      token: world.business.key,
      body: { deposit: { amount: 600_000_000, currency: 'EUR' } },
    })
    expectErrors(await world.session.book(idOf(held)), '/hold_id')
  })

  test('arrives too late when the service has fewer seats by then: it is refunded', async () => {
    const offer = await offerOf()
    const reply = await world.session.book(idOf(await world.session.hold(offer, start, of(3))))
    const sessionId = sessionOf(world.stripe, reply)
    const { sessions } = world.stripe
    await world.send(world.stripe.event('checkout.session.expired', sessions.get(sessionId) ?? {}))
    expect(await world.shown(idOf(reply))).toMatchObject({ status: 'cancelled' })
    world.stripe.pay(sessionId)
    await world.service.call('PATCH', `/services/${offer.service_id}`, {
      token: world.business.key,
      body: { capacity: 2 },
    })
    world.stripe.refunds.length = 0
    expect((await world.tell('checkout.session.completed', sessionId)).status).toBe(200)
    await world.settled()
    expect(await world.shown(idOf(reply))).toMatchObject({ status: 'cancelled' })
    expect(world.stripe.refunds).toMatchObject([{ amount: 7500 }])
  })
})
