import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertClaim } from '../../src/bookings/claim-queries.ts'
import type { Transaction } from '../../src/database/database.ts'
import type { ClaimsTable } from '../../src/database/tables.ts'
import { clientOf, sessionClient, type Client } from '../support/client.ts'
import { onOneEngine, testFirstOf } from '../support/long.ts'
import { makeBusiness, makeOffer, type Offer, type OwnBusiness } from '../support/offers.ts'
import { rowOf } from '../support/records.ts'
import { expectRefusal } from '../support/refusals.ts'
import { startTestService, type Reply, type TestService } from '../support/test-service.ts'

/** Returns one of the half hours from 10:00 on 1 December. */
const startOf = (index: number) => new Date(Date.UTC(2026, 11, 1, 10, index * 30)).toISOString()

const limitReached = (seconds: number) => ({
  status: 429,
  body: { code: 'hold_limit_reached', status: 429 },
  headers: { 'retry-after': String(seconds) },
})

onOneEngine('sqlite', 'caps on active holds', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let lastHost = 0
  beforeAll(async () => {
    service = await startTestService(engine, {
      MAX_HOLDS_PER_IP: '6',
      MAX_HOLDS_PER_SESSION: '4',
      RATE_LIMIT_FACTOR: '1',
    })
    business = await makeBusiness(service)
  })
  afterAll(() => service.stop())

  /** Returns an address that no other test counts. */
  const address = () => `192.0.2.${(lastHost += 1)}`

  async function fill(client: Client, offer: Offer, count: number, from = 0): Promise<Reply[]> {
    const replies: Reply[] = []
    for (let index = from; index < from + count; index += 1) {
      replies.push(await client.hold(offer, startOf(index)))
    }
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 201))
    return replies
  }

  test('a session at its cap is refused one more hold, until the first expires', async () => {
    const offer = await makeOffer(service, business.id)
    const session = await sessionClient(service, business, address())
    await fill(session, offer, 1)
    service.clock.advance(30.5)
    await fill(session, offer, 3, 1)
    await expectRefusal(service, () => session.hold(offer, startOf(4)), limitReached(570))
    service.clock.advance(569)
    await expectRefusal(service, () => session.hold(offer, startOf(4)), limitReached(1))
    service.clock.advance(1)
    await fill(session, offer, 1, 4)
    await expectRefusal(service, () => session.hold(offer, startOf(5)), limitReached(31))
    service.clock.advance(0.5) // whole seconds again
  })

  test('a hold of the same transaction takes the room that another one has read before', async () => {
    const offer = await makeOffer(service, business.id)
    const [held] = await fill(await sessionClient(service, business, address()), offer, 1)
    const claim = (await rowOf(service, 'claims', String(held?.body.hold_id))) as unknown as ClaimsTable
    const another = () => ({
      ...claim,
      id: service.context.ids.next(),
      resource_id: service.context.ids.next(),
      seats: [0],
    })
    const place = (tx: Transaction, owner_sequence: number) =>
      insertClaim(tx, { claim: { ...another(), owner_sequence }, room: { room: 2, widerRoom: 20 } })
    const placed = await service.context.db.transaction(async (tx) => [
      await place(tx, 1), // its session already has one with this number: it occupies nothing
      await place(tx, 2),
      await place(tx, 3),
      await place(tx, 4),
    ])
    expect(placed).toEqual([false, true, true, false])
  })

  test('a release or a conversion makes room at once', async () => {
    const offer = await makeOffer(service, business.id)
    const session = await sessionClient(service, business, address())
    const [first, second] = await fill(session, offer, 4)
    await session.release(String(first?.body.hold_id))
    await fill(session, offer, 1, 4)
    expect(await session.hold(offer, startOf(5))).toMatchObject({ status: 429 })
    await session.book(String(second?.body.hold_id))
    await fill(session, offer, 1, 5)
  })

  test('holds that the new one replaces do not count', async () => {
    const offer = await makeOffer(service, business.id)
    const long = await makeOffer(service, business.id, { minutes: 60 })
    const session = await sessionClient(service, business, address())
    await fill(session, offer, 4)
    await fill(session, offer, 2, 0)
    await fill(session, long, 1, 0) // replaces two
    await fill(session, offer, 1, 4)
    await expectRefusal(service, () => session.hold(offer, startOf(5)), limitReached(600))
  })

  test('a hold that is given up because its buffer obstructs does not count either', async () => {
    const offer = await makeOffer(service, business.id, { bufferAfter: 5 })
    const other = await makeOffer(service, business.id)
    const session = await sessionClient(service, business, address())
    await fill(session, other, 3, 10)
    await fill(session, offer, 2, 0) // the second gives up the first
    await expectRefusal(service, () => session.hold(other, startOf(30)), limitReached(600))
  })

  test('all sessions from one IPv4 address share a cap; another address has its own', async () => {
    const offer = await makeOffer(service, business.id)
    const [here, elsewhere] = [address(), address()]
    await fill(await sessionClient(service, business, here), offer, 3, 0)
    service.clock.advance(20)
    await fill(await sessionClient(service, business, here), offer, 3, 3)
    const third = await sessionClient(service, business, here)
    await expectRefusal(service, () => third.hold(offer, startOf(6)), limitReached(580))
    await fill(clientOf(service, third.token, elsewhere), offer, 1, 6)
    service.clock.advance(580)
    await fill(third, offer, 1, 7)
  })

  test('the address counts the businesses together', async () => {
    const offer = await makeOffer(service, business.id)
    const other = await makeBusiness(service)
    const otherOffer = await makeOffer(service, other.id)
    const here = address()
    await fill(await sessionClient(service, business, here), offer, 4)
    await fill(await sessionClient(service, other, here), otherOffer, 2)
    const third = await sessionClient(service, business, here)
    expect(await third.hold(offer, startOf(9))).toMatchObject({ status: 429 })
  })

  test('an IPv6 client counts by its /64, an IPv4-mapped one by its IPv4 address', async () => {
    const offer = await makeOffer(service, business.id)
    const clientAt = (at: string) => sessionClient(service, business, at)
    await fill(await clientAt('2001:db8:1:2::1'), offer, 4, 0)
    await fill(await clientAt('2001:db8:1:2:ffff::9'), offer, 2, 4)
    const [same, next] = [await clientAt('2001:0db8:1:2:8000::'), await clientAt('2001:db8:1:3::1')]
    expect(await same.hold(offer, startOf(6))).toMatchObject({ status: 429 })
    await fill(next, offer, 1, 6)
    const host = address()
    await fill(await clientAt(host), offer, 4, 7)
    await fill(await clientAt(`::ffff:${host}`), offer, 2, 11)
    expect(await (await clientAt(host)).hold(offer, startOf(13))).toMatchObject({ status: 429 })
  })

  test('a hold placed from elsewhere makes no room at this address when it is replaced', async () => {
    const [offer, other] = [await makeOffer(service, business.id), await makeOffer(service, business.id)]
    const [here, elsewhere] = [address(), address()]
    await fill(await sessionClient(service, business, here), offer, 4, 0)
    await fill(await sessionClient(service, business, here), offer, 2, 4)
    const traveller = await sessionClient(service, business, elsewhere)
    await fill(traveller, other, 1)
    const arrived = clientOf(service, traveller.token, here)
    await expectRefusal(service, () => arrived.hold(other, startOf(0)), limitReached(600))
  })

  test('a caller at both caps is told when there is room under both', async () => {
    const [offer, other] = [await makeOffer(service, business.id), await makeOffer(service, business.id)]
    const [here, elsewhere] = [address(), address()]
    const traveller = await sessionClient(service, business, elsewhere)
    await fill(traveller, other, 4)
    service.clock.advance(100)
    await fill(await sessionClient(service, business, here), offer, 3, 0)
    await fill(await sessionClient(service, business, here), offer, 3, 3)
    const arrived = clientOf(service, traveller.token, here)
    await expectRefusal(service, () => arrived.hold(other, startOf(9)), limitReached(600))
    service.clock.advance(600)
    await fill(arrived, other, 1, 9)
  })

  test('business and hub keys are exempt and take nobody’s room', async () => {
    const inHub = await makeBusiness(service, { hubId: service.world.hub.id })
    const offer = await makeOffer(service, inHub.id)
    const here = address()
    await fill(clientOf(service, inHub.key, here), offer, 12)
    await fill(clientOf(service, service.world.hub.key, here), offer, 12, 12)
    await fill(await sessionClient(service, inHub, here), offer, 4, 24)
  })

  test('a session whose holds were handed over on a refresh keeps their count', async () => {
    const offer = await makeOffer(service, business.id)
    const here = address()
    const session = await sessionClient(service, business, here)
    await fill(session, offer, 4)
    const refreshed = await service.call('POST', '/session', {
      token: business.publishableKey,
      headers: { 'x-previous-session': session.token },
    })
    const successor = clientOf(service, String(refreshed.body.session_token), here)
    expect(await successor.hold(offer, startOf(9))).toMatchObject({ status: 429 })
  })
})

onOneEngine('sqlite', 'the caps that a service has by default', (engine) => {
  testFirstOf([
    [{}, 10],
    [{ RATE_LIMIT_FACTOR: '2' }, 20],
    [{ RATE_LIMIT_FACTOR: '0.25' }, 2],
    [{ RATE_LIMIT_FACTOR: '0.01' }, 1],
    [{ RATE_LIMIT_FACTOR: '10', MAX_HOLDS_PER_SESSION: '1' }, 10],
  ])('with %j a session may have %i active holds', async (variables, max) => {
    const service = await startTestService(engine, {
      MAX_HOLDS_PER_IP: '1000',
      RATE_LIMIT_FACTOR: '1',
      ...variables,
    })
    try {
      const business = await makeBusiness(service)
      const offer = await makeOffer(service, business.id)
      const session = await sessionClient(service, business)
      for (let index = 0; index < max; index += 1) {
        expect(await session.hold(offer, startOf(index))).toMatchObject({ status: 201 })
      }
      expect(await session.hold(offer, startOf(max))).toMatchObject(limitReached(600))
    } finally {
      await service.stop()
    }
  })

  test('50 active holds from one address are the most, over all sessions', async () => {
    const service = await startTestService(engine, { RATE_LIMIT_FACTOR: '1' })
    try {
      const business = await makeBusiness(service)
      // sessions may come from other addresses: the address of the hold counts
      const sessionHere = async (index: number) =>
        clientOf(service, (await sessionClient(service, business, `192.0.2.${index}`)).token)
      const offer = await makeOffer(service, business.id)
      for (let index = 0; index < 50; index += 1) {
        const session = await sessionHere(index)
        expect(await session.hold(offer, startOf(index))).toMatchObject({ status: 201 })
      }
      const late = await sessionHere(50)
      expect(await late.hold(offer, startOf(50))).toMatchObject(limitReached(600))
    } finally {
      await service.stop()
    }
  })

  test('the cap of an address is multiplied too', async () => {
    const service = await startTestService(engine, { MAX_HOLDS_PER_IP: '3', RATE_LIMIT_FACTOR: '1.5' })
    try {
      const business = await makeBusiness(service)
      const offer = await makeOffer(service, business.id)
      const replies: number[] = []
      for (let index = 0; index < 5; index += 1) {
        const session = await sessionClient(service, business)
        replies.push((await session.hold(offer, startOf(index))).status)
      }
      expect(replies).toEqual([201, 201, 201, 201, 429])
    } finally {
      await service.stop()
    }
  })
})
