import { afterAll, beforeAll, expect, test } from 'vitest'
import { removeLapsedClaims } from '../../src/bookings/claim-queries.ts'
import { giveUpHolds } from '../../src/bookings/take-slot.ts'
import { bookSlot, clientOf, sessionClient, type Client } from '../support/client.ts'
import { makeBusiness, makeOffer, type OwnBusiness } from '../support/offers.ts'
import { rowOf, snapshot } from '../support/records.ts'
import { onEachEngine, startTestService, type TestService } from '../support/test-service.ts'

/*
 * Between the look at a hold and its removal another transaction may have ended or booked it. What is
 * removed is decided by the row as it is then.
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

  const giveUp = (id: string) => service.context.db.transaction((tx) => giveUpHolds(tx, business.id, [id]))
  const removeAsLapsed = (id: string) =>
    service.context.db.transaction((tx) => removeLapsedClaims(tx.db, [id], tx.now))

  test('the claim of a booking is neither given up nor removed as lapsed', async () => {
    const { id } = await bookSlot(key, await makeOffer(service, business.id), tenOClock)
    const claim = await rowOf(service, 'claims', String(id))
    await giveUp(String(id))
    service.clock.advance(600)
    await removeAsLapsed(String(id))
    expect(claim).toBeDefined()
    expect(await rowOf(service, 'claims', String(id))).toEqual(claim)
  })

  test('an active hold is not removed as lapsed', async () => {
    const held = await key.hold(await makeOffer(service, business.id), tenOClock)
    const before = await snapshot(service)
    await removeAsLapsed(String(held.body.hold_id))
    expect(await snapshot(service)).toEqual(before)
  })

  test('a lapsed hold that is given up stays expired, a released one keeps its time of release', async () => {
    const [lapsed, released] = [
      await key.hold(await makeOffer(service, business.id), tenOClock),
      await key.hold(await makeOffer(service, business.id), tenOClock),
    ]
    await key.release(String(released.body.hold_id))
    const before = await rowOf(service, 'holds', String(released.body.hold_id))
    service.clock.advance(1)
    await giveUp(String(released.body.hold_id))
    expect(await rowOf(service, 'holds', String(released.body.hold_id))).toEqual(before)
    service.clock.advance(599)
    await giveUp(String(lapsed.body.hold_id))
    expect(await key.showHold(String(lapsed.body.hold_id))).toMatchObject({ body: { status: 'expired' } })
  })

  test('of a conversion and a release at once one wins, and the tables show which', async () => {
    const offer = await makeOffer(service, business.id)
    for (let round = 0; round < 30; round += 1) {
      const start = new Date(Date.parse(tenOClock) + round * 3_600_000).toISOString()
      const id = String((await key.hold(offer, start)).body.hold_id)
      const acts = [() => key.book(id), () => key.release(id)]
      const replies = await Promise.all((round % 2 === 0 ? acts : acts.toReversed()).map((act) => act()))
      const [booked, released] = round % 2 === 0 ? replies : replies.toReversed()
      const claim = await rowOf(service, 'claims', id)
      const booking = await rowOf(service, 'bookings', id)
      if (booked?.status === 201) {
        expect(released).toMatchObject({ status: 409, body: { code: 'hold_converted' } })
        expect([claim?.['booking_id'], booking?.['status']]).toEqual([id, 'confirmed'])
      } else {
        expect(booked).toMatchObject({ status: 404, body: { code: 'hold_not_found' } })
        expect([released?.status, claim, booking]).toEqual([204, undefined, undefined])
      }
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
        ({ starts_at }) => starts_at === new Date(start).toISOString(),
      )
      const owned = claims.filter(({ id: of }) => of === id || of === held.body.hold_id)
      expect(owned).toHaveLength(1)
      expect([booked.status, held.status]).toEqual(booked.status === 201 ? [201, 409] : [404, 201])
      await session.release(String(held.body.hold_id))
    }
  })
})
