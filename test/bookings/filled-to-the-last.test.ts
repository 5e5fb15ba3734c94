import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Actor } from '../../src/access/actor.ts'
import { readInstant } from '../../src/base/instants.ts'
import { placeHold } from '../../src/bookings/hold.ts'
import { DatabaseUnavailable } from '../../src/database/database.ts'
import { type Fault, letStatementsFail, sufferFault } from '../simulation/failing-statements.ts'
import { seededIds } from '../simulation/seeded-ids.ts'
import { findErrors } from '../support/checker.ts'
import { bookSlot, clientOf, sessionClient, type Client } from '../support/client.ts'
import { onOneEngine, rounds } from '../support/long.ts'
import { makeBusiness, makeOffer, type Offer, type OwnBusiness } from '../support/offers.ts'
import { caller } from '../support/random-world.ts'
import { randomFrom } from '../support/random.ts'
import { type Watcher, watcherOf } from '../support/slots.ts'
import { startTestService, type TestService, withoutLimiter } from '../support/test-service.ts'

const minute = 60_000
const iso = (ms: number) => new Date(ms).toISOString()

onOneEngine('sqlite', 'alike seats', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let key: Client
  let watcher: Watcher
  beforeAll(async () => {
    const ids = seededIds()
    ids.restart(41)
    service = await startTestService(engine, {}, { ids })
    business = await makeBusiness(service)
    key = clientOf(service, business.key)
    watcher = watcherOf(service, key)
  })
  afterAll(() => service.stop())

  test('with nine of ten taken at every moment, every slot over several bookings is offered and held', async () => {
    const days = 10
    const random = randomFrom(7)
    const offer = await makeOffer(service, business.id, { capacity: 10, minutes: 60, intervalMinutes: 15 })
    const refused: string[] = []
    for (let day = 0; day < days; day += 1) {
      const opens = Date.UTC(2026, 11, 1 + day, 8)
      // nine rows of appointments without a gap, which begin at the hour or half past
      const rows = Array.from({ length: 9 }, () => opens + random.below(2) * 30 * minute)
      const starts = rows.flatMap((first) =>
        Array.from({ length: 6 }, (_, index) => first + index * 60 * minute),
      )
      for (const start of starts.toSorted((one, other) => one - other)) {
        const held = await key.hold(offer, iso(start))
        expect(held.status).toBe(201)
        if (random.chance(0.5)) await key.book(String(held.body.hold_id))
      }
      for (const hours of [1, 2, 3, 4]) {
        const start = iso(opens + hours * 60 * minute + 15 * minute)
        const shown = await watcher.at(offer, start)
        const { status } = await key.hold(offer, start)
        if (status !== 201) refused.push(start)
        else expect([shown?.seats_left, (await watcher.at(offer, start))?.seats_left]).toEqual([1, undefined])
      }
    }
    expect(new Set(refused.map((start) => start.slice(0, 10))).size, refused.join()).toBe(0)
    expect(await findErrors(service.databaseUrl)).toEqual([])
  })

  /** Two seats, free one after the other: one until 10:30, the other from then on. A slot of an hour at ten fits by number. */
  async function makeSplit(): Promise<{ offer: Offer; first: string; second: string }> {
    for (;;) {
      const offer = await makeOffer(service, business.id, { capacity: 2, minutes: 60, intervalMinutes: 30 })
      const [first, second] = [await key.hold(offer, at('09:30')), await key.hold(offer, at('10:30'))]
      const ids = [String(first.body.hold_id), String(second.body.hold_id)]
      const seats = (await claims()).filter(({ id }) => ids.includes(String(id))).map(({ seat }) => seat)
      if (seats[0] !== seats[1]) return { offer, first: ids[0] ?? '', second: ids[1] ?? '' }
    }
  }

  const at = (time: string) => `2026-12-20T${time}:00Z`
  const claims = () => service.rows('claims')
  const byId = (one: Record<string, unknown>, other: Record<string, unknown>) =>
    String(one['id']) < String(other['id']) ? -1 : 1
  const isRearranging = (text: string) => text.includes('seat = w.seat, seats = w.seats')

  test('a claim that moves keeps its id, its expiry and everything but its seat, and its owner goes on with it', async () => {
    const { offer, first, second } = await makeSplit()
    const before = await claims()
    const held = await key.hold(offer, at('10:00'))
    expect(held.status).toBe(201)
    const after = (await claims()).filter(({ id }) => id !== held.body.hold_id)
    const withoutSeat = (rows: Record<string, unknown>[]) =>
      rows.toSorted(byId).map(({ seat: _seat, ...rest }) => rest)
    expect(withoutSeat(after)).toEqual(withoutSeat(before))
    expect(after.toSorted(byId)).not.toEqual(before.toSorted(byId))
    expect((await key.book(second)).status).toBe(201)
    expect((await key.release(first)).status).toBe(204)
    expect((await key.hold(offer, at('10:00'))).status).toBe(409)
    expect((await key.hold(offer, at('09:00'))).status).toBe(201)
  })

  test('an expired hold in the way of one that moves ends first', async () => {
    service.statements.length = 0
    for (let tries = 0; !service.statements.some(isRearranging); tries += 1) {
      const { offer, second } = await makeSplit()
      expect((await key.book(second)).status).toBe(201)
      service.clock.advance(601)
      expect((await key.hold(offer, at('10:30'))).status).toBe(201)
      service.clock.advance(601)
      // it has to move only if the first takes the other seat
      for (const start of ['09:30', '10:00']) expect((await key.hold(offer, at(start))).status).toBe(201)
      expect((await key.hold(offer, at('10:00'))).status).toBe(409)
      expect(tries).toBeLessThan(20)
    }
    expect(await findErrors(service.databaseUrl)).toEqual([])
  })

  test('an own hold that only buffers bring near is given up if there is no other room', async () => {
    const session = await sessionClient(service, business)
    service.statements.length = 0
    for (let tries = 0; !service.statements.some(isRearranging); tries += 1) {
      const offer = await makeOffer(service, business.id, { capacity: 2, minutes: 60, bufferAfter: 30 })
      for (const start of ['09:00', '10:30']) expect((await key.hold(offer, at(start))).status).toBe(201)
      const own = String((await session.hold(offer, at('11:00'))).body.hold_id)
      expect((await session.hold(offer, at('10:00'))).status).toBe(201)
      expect((await session.showHold(own)).body).toMatchObject({ status: 'released' })
      expect(tries).toBeLessThan(20)
    }
  })

  test('bookings that move, grow or come back make room in the same way', async () => {
    const split = await makeSplit()
    const moving = await bookSlot(key, split.offer, at('12:00'))
    expect((await key.change(String(moving.id), { starts_at: at('10:00') })).status).toBe(200)
    const again = await makeSplit()
    const returning = await bookSlot(key, again.offer, at('12:00'))
    await key.cancel(String(returning.id))
    const revival = { status: 'confirmed', starts_at: at('10:00') }
    expect((await key.change(String(returning.id), revival)).status).toBe(200)
    expect((await key.hold(again.offer, at('10:00'))).status).toBe(409)
  })

  test('slots that are free as they are, and slots that are full, cost no statement more', async () => {
    const offer = await makeOffer(service, business.id, { capacity: 2, minutes: 60, intervalMinutes: 30 })
    const cost = async (start: string, status: number) => {
      const statements = await service.statementsOf(async () =>
        expect((await key.hold(offer, at(start))).status).toBe(status),
      )
      return withoutLimiter(statements).filter((text) => !/^(begin|commit|rollback)/.test(text))
    }
    await cost('10:00', 201) // fills the caches
    const placed = await cost('10:00', 201)
    // locks (PostgreSQL), reads, inserts
    expect(placed).toHaveLength(engine === 'postgres' ? 3 : 2)
    const refused = await cost('10:00', 409)
    expect(
      [...placed, ...refused].filter((text) => /update claims|lasts_long = 1 and \(ended/.test(text)),
    ).toEqual([])
    expect(refused.filter((text) => text.includes('ended_at = w.at'))).toEqual([])
  })

  test.each(['refused', 'lost'] as const)(
    'a statement that fails (%s) in the middle leaves everything as it was',
    async (how) => {
      const endFailures = letStatementsFail(engine)
      try {
        const { offer } = await makeSplit()
        const actor: Actor = { ...caller(business.id), type: 'business', scope: { businessId: business.id } }
        const starts_at = readInstant(at('10:00'))
        const from = { address: '192.0.2.1', network: '192.0.2.1', widerNetwork: null }
        const struck: string[] = []
        for (let after = 0; ; after += 1) {
          const before = (await claims()).toSorted(byId)
          const fault: Fault = { how, after, commitsOnly: false, inTransaction: false, struck: undefined }
          const outcome = await sufferFault(fault, () =>
            placeHold(service.context, actor, { ...offer, starts_at, from }),
          ).catch((error: unknown) => error)
          if (fault.struck === undefined) {
            expect(outcome).not.toBeInstanceOf(Error)
            break
          }
          expect(outcome, fault.struck).toBeInstanceOf(DatabaseUnavailable)
          struck.push(fault.struck)
          expect((await claims()).toSorted(byId), fault.struck).toEqual(before)
          expect(after).toBeLessThan(40)
        }
        expect(struck.some(isRearranging) && struck.includes('commit')).toBe(true)
      } finally {
        endFailures()
      }
      expect(await findErrors(service.databaseUrl)).toEqual([])
    },
  )
})

onOneEngine('sqlite', 'many who ask for the last alike seats', (engine) => {
  let service: TestService
  let servers: TestService[]
  let business: OwnBusiness
  beforeAll(async () => {
    service = await startTestService(engine)
    // SQLite lets only one server at a file
    servers =
      engine === 'postgres' ? [service, await startTestService(engine, {}, { beside: service })] : [service]
    business = await makeBusiness(service)
  })
  afterAll(async () => {
    for (const server of servers.toReversed()) await server.stop()
  })

  const keyAt = (index: number) => clientOf(servers[index % servers.length] ?? service, business.key)

  test('of 200 as many win as there is room for, while owners convert what moves', async () => {
    for (let round = 0; round < rounds(1, 20); round += 1) {
      const random = randomFrom(round)
      const capacity = 10
      const offer = await makeOffer(service, business.id, { capacity, minutes: 60, intervalMinutes: 15 })
      const opens = Date.UTC(2026, 11, 1, 8)
      const rows = Array.from({ length: capacity - 2 }, () => opens + random.below(2) * 30 * minute)
      const starts = rows.flatMap((first) =>
        Array.from({ length: 6 }, (_, index) => first + index * 60 * minute),
      )
      const holds: string[] = []
      for (const start of starts.toSorted((one, other) => one - other)) {
        holds.push(String((await keyAt(0).hold(offer, iso(start))).body.hold_id))
      }
      const slots = [1, 2, 3, 4].map((hours) => iso(opens + hours * 60 * minute + 15 * minute))
      const asked = Array.from({ length: 200 }, (_, index) =>
        keyAt(index).hold(offer, slots[index % 4] ?? ''),
      )
      const converted = holds.map((id, index) => keyAt(index).book(id))
      const [replies, bookings] = await Promise.all([Promise.all(asked), Promise.all(converted)])
      expect(bookings.filter(({ status }) => status !== 201).map(({ body }) => body as unknown)).toEqual([])
      expect(replies.filter(({ status }) => status !== 201 && status !== 409)).toEqual([])
      for (const [turn] of slots.entries()) {
        const won = replies.filter(({ status }, index) => index % 4 === turn && status === 201)
        expect(won, slots[turn]).toHaveLength(2)
      }
    }
    expect(await findErrors(service.databaseUrl)).toEqual([])
  })
})
