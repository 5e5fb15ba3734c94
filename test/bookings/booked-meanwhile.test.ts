import { afterAll, beforeAll, expect, test } from 'vitest'
import { endHolds } from '../../src/bookings/claim-queries.ts'
import { bookSlot, type Client, clientOf, sessionClient } from '../support/client.ts'
import { makeBusiness, makeOffer, type OwnBusiness } from '../support/offers.ts'
import { inOneTransaction } from '../support/one-transaction.ts'
import { rowOf, snapshot, takenClaim } from '../support/records.ts'
import { onEachEngine, startTestService, type TestService } from '../support/test-service.ts'

/*
 * Another transaction may end or book a hold between a read of it and its end. The row at that later time decides which
 * holds end.
 */

const tenOClock = '2026-12-01T10:00:00+01:00'

onEachEngine('a hold that ended or was booked since it was looked at', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let key: Client
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    key = clientOf(service, business.key)
  })
  afterAll(() => service.stop())

  const end = (id: string, onlyExpired: boolean) =>
    service.context.db.transaction((tx) =>
      endHolds(tx, [{ id, businessId: business.id, at: tx.now, onlyExpired }]),
    )
  const giveUp = (id: string) => end(id, false)
  const endAsExpired = (id: string) => end(id, true)

  test('the claim of a booking is neither given up nor ended as expired', async () => {
    const { id } = await bookSlot(key, await makeOffer(service, business.id), tenOClock)
    const claim = await rowOf(service, 'claims', String(id))
    await giveUp(String(id))
    service.clock.advance(600)
    await endAsExpired(String(id))
    expect(claim).toMatchObject({ ended_at: null })
    expect(await rowOf(service, 'claims', String(id))).toEqual(claim)
  })

  test('an active hold is not ended as expired', async () => {
    const held = await key.hold(await makeOffer(service, business.id), tenOClock)
    const before = await snapshot(service)
    await endAsExpired(String(held.body.hold_id))
    expect(await snapshot(service)).toEqual(before)
  })

  test('a hold of another business is not ended', async () => {
    const held = await key.hold(await makeOffer(service, business.id), tenOClock)
    const before = await snapshot(service)
    const other = await makeBusiness(service)
    await service.context.db.transaction((tx) =>
      endHolds(tx, [{ id: String(held.body.hold_id), businessId: other.id, at: tx.now, onlyExpired: false }]),
    )
    expect(await snapshot(service)).toEqual(before)
  })

  test('an expired hold that is given up stays expired, a released one keeps its time of release', async () => {
    const [expired, released] = [
      await key.hold(await makeOffer(service, business.id), tenOClock),
      await key.hold(await makeOffer(service, business.id), tenOClock),
    ]
    await key.release(String(released.body.hold_id))
    const before = await rowOf(service, 'claims', String(released.body.hold_id))
    service.clock.advance(1)
    await giveUp(String(released.body.hold_id))
    expect(await rowOf(service, 'claims', String(released.body.hold_id))).toEqual(before)
    service.clock.advance(599)
    await giveUp(String(expired.body.hold_id))
    expect(await key.showHold(String(expired.body.hold_id))).toMatchObject({ body: { status: 'expired' } })
  })

  test('of a conversion and a release at once one wins, and the tables show which', async () => {
    const offer = await makeOffer(service, business.id)
    for (let round = 0; round < 30; round += 1) {
      const start = new Date(Date.parse(tenOClock) + round * 3_600_000).toISOString()
      const id = String((await key.hold(offer, start)).body.hold_id)
      const acts = [() => key.book(id), () => key.release(id)]
      const replies = await Promise.all((round % 2 === 0 ? acts : acts.toReversed()).map((act) => act()))
      const [booked, released] = round % 2 === 0 ? replies : replies.toReversed()
      const claim = await takenClaim(service, id)
      const booking = await rowOf(service, 'bookings', id)
      if (booked?.status === 201) {
        expect(released).toMatchObject({ status: 409, body: { code: 'hold_converted' } })
        expect([claim?.['booked_at'], booking?.['status']]).toEqual([booking?.['created_at'], 'confirmed'])
      } else {
        expect(booked).toMatchObject({ status: 404, body: { code: 'hold_not_found' } })
        expect([released?.status, claim, booking]).toEqual([204, undefined, undefined])
      }
    }
  })

  test('of a conversion and a release in one transaction the first wins, and the other is told so', async () => {
    const offer = await makeOffer(service, business.id)
    const holdAt = async (start: string) => String((await key.hold(offer, start)).body.hold_id)
    const booked = await holdAt(tenOClock)
    expect(
      await inOneTransaction(service, [() => key.book(booked), () => key.release(booked)]),
    ).toMatchObject([{ status: 201 }, { status: 409, body: { code: 'hold_converted' } }])
    expect(await rowOf(service, 'bookings', booked)).toMatchObject({ status: 'confirmed' })

    const released = await holdAt('2026-12-01T12:00:00+01:00')
    expect(
      await inOneTransaction(service, [() => key.release(released), () => key.book(released)]),
    ).toMatchObject([{ status: 204 }, { status: 404, body: { code: 'hold_not_found' } }])
    expect(await rowOf(service, 'bookings', released)).toBeUndefined()
  })

  test('of conversions and releases of many holds at once each hold goes one way, as its answers say', async () => {
    const offer = await makeOffer(service, business.id)
    const ids: string[] = []
    for (let index = 0; index < 12; index += 1) {
      const start = new Date(Date.parse(tenOClock) + index * 3_600_000).toISOString()
      ids.push(String((await key.hold(offer, start)).body.hold_id))
    }
    // in one turn of the event loop, so that they share transactions
    const pairs = await Promise.all(
      ids.map(async (id, index) => {
        const acts = [() => key.book(id), () => key.release(id)]
        const replies = await Promise.all((index % 2 ? acts.toReversed() : acts).map((act) => act()))
        return index % 2 ? replies.toReversed() : replies
      }),
    )
    for (const [index, id] of ids.entries()) {
      const booking = await rowOf(service, 'bookings', id)
      const codes = pairs[index]?.map(
        ({ status, body }) => (body as { code?: string } | undefined)?.code ?? status,
      )
      expect(codes, id).toEqual(booking ? [201, 'hold_converted'] : ['hold_not_found', 204])
      expect((await takenClaim(service, id))?.['booked_at'], id).toEqual(booking?.['created_at'])
    }
  })

  test('of a conversion and a replacement at once one wins, and no slot is lost or sold twice', async () => {
    const session = await sessionClient(service, business)
    const offer = await makeOffer(service, business.id)
    for (let round = 0; round < 20; round += 1) {
      const start = new Date(Date.parse(tenOClock) + round * 3_600_000).toISOString()
      const id = String((await session.hold(offer, start)).body.hold_id)
      const [booked, held] = await Promise.all([session.book(id), session.hold(offer, start)])
      const claims = (await service.rows('claims')).filter(
        ({ starts_at, ended_at }) => starts_at === new Date(start).toISOString() && ended_at === null,
      )
      const owned = claims.filter(({ id: of }) => of === id || of === held.body.hold_id)
      expect(owned).toHaveLength(1)
      expect([booked.status, held.status]).toEqual(booked.status === 201 ? [201, 409] : [404, 201])
      await session.release(String(held.body.hold_id))
    }
  })
})
