import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { tidy } from '../../src/operate/housekeeping.ts'
import { jobs } from '../../src/server.ts'
import { bookSlot, type Client, clientOf, sessionClient } from '../support/client.ts'
import { makeBusiness, makeOffer, makeStaff, type OwnBusiness } from '../support/offers.ts'
import { advanceTo, rowOf, snapshot, takenClaim } from '../support/records.ts'
import { onOneEngine } from '../support/long.ts'
import { type Reply, startTestService, type TestService } from '../support/test-service.ts'

const tenOClock = '2027-03-01T10:00:00+01:00'
const idOf = (held: Reply) => String(held.body.hold_id)
const unknownId = '018f0000-0000-7000-8000-000000000000'

onOneEngine('sqlite', 'the life of a hold', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let session: Client
  let rival: Client
  let key: Client
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    key = clientOf(service, business.key)
  })
  beforeEach(async () => {
    session = await sessionClient(service, business)
    rival = await sessionClient(service, business)
  })
  afterAll(() => service.stop())

  test('a hold is shown as it was placed, with its status', async () => {
    const held = await session.hold(await makeOffer(service, business.id), tenOClock)
    const shown = await session.showHold(idOf(held))
    expect(shown.status).toBe(200)
    expect(shown.body).toEqual({ ...held.body, status: 'active' })
    expect((await key.showHold(idOf(held))).body).toEqual(shown.body)
    expect((await session.showHold(idOf(held).toUpperCase())).body).toEqual(shown.body)
  })

  test('the status is active, expired, converted or released', async () => {
    const holds = await Promise.all(
      Array.from({ length: 3 }, async (_, index) =>
        session.hold(await makeOffer(service, business.id), `2027-03-01T1${index}:00:00+01:00`),
      ),
    )
    const [kept, converted, released] = holds.map(idOf)
    const statuses = () =>
      Promise.all(holds.map(async (held) => (await session.showHold(idOf(held))).body.status as string))
    expect(await statuses()).toEqual(['active', 'active', 'active'])
    await session.book(String(converted))
    await session.release(String(released))
    expect(await statuses()).toEqual(['active', 'converted', 'released'])
    advanceTo(service, String(holds[0]?.body.expires_at), -1)
    expect(await statuses()).toEqual(['active', 'converted', 'released'])
    service.clock.advance(0.001)
    expect(await statuses()).toEqual(['expired', 'converted', 'released'])
    expect(kept).toBeDefined()
  })

  test('a hold whose booking was cancelled stays converted', async () => {
    const booking = await bookSlot(session, await makeOffer(service, business.id), tenOClock)
    await key.cancel(String(booking.id))
    const shown = await session.showHold(String(booking.id))
    expect(shown).toMatchObject({ status: 200, body: { status: 'converted' } })
  })

  test('another session neither sees nor releases a hold', async () => {
    const held = await session.hold(await makeOffer(service, business.id), tenOClock)
    const unknown = await rival.showHold(unknownId)
    expect(unknown).toMatchObject({ status: 404, body: { code: 'hold_not_found' } })
    for (const reply of [await rival.showHold(idOf(held)), await rival.release(idOf(held))]) {
      expect(reply.status).toBe(404)
      expect({ ...reply.body, request_id: '' }).toEqual({ ...unknown.body, request_id: '' })
    }
    expect(await session.showHold(idOf(held))).toMatchObject({ body: { status: 'active' } })
  })

  test('an id that is none is a hold that is not found', async () => {
    for (const id of ['x', '1', "'", '%00', 'null', 'f'.repeat(200)]) {
      expect(await session.showHold(id)).toMatchObject({ status: 404, body: { code: 'hold_not_found' } })
      expect(await session.release(id)).toMatchObject({ status: 404, body: { code: 'hold_not_found' } })
    }
  })

  test("a key of another business sees nothing of a hold, a hub's key does", async () => {
    const inHub = await makeBusiness(service, { hubId: service.world.hub.id })
    const held = await clientOf(service, inHub.key).hold(await makeOffer(service, inHub.id), tenOClock)
    expect(await key.showHold(idOf(held))).toMatchObject({ status: 404, body: { code: 'hold_not_found' } })
    expect(await key.release(idOf(held))).toMatchObject({ status: 404, body: { code: 'hold_not_found' } })
    const hub = clientOf(service, service.world.hub.key)
    expect(await hub.showHold(idOf(held))).toMatchObject({ status: 200 })
    expect(await hub.release(idOf(held))).toMatchObject({ status: 204 })
  })

  test('a released slot is free at once, and releasing again is 204', async () => {
    const offer = await makeOffer(service, business.id)
    const held = await session.hold(offer, tenOClock)
    const released = await session.release(idOf(held))
    expect(released).toMatchObject({ status: 204, body: undefined })
    expect(await rival.hold(offer, tenOClock)).toMatchObject({ status: 201 })
    const before = await snapshot(service)
    expect(await session.release(idOf(held))).toMatchObject({ status: 204 })
    expect(await snapshot(service)).toEqual(before)
  })

  test("a business key releases a session's hold", async () => {
    const offer = await makeOffer(service, business.id)
    const held = await session.hold(offer, tenOClock)
    expect(await key.release(idOf(held))).toMatchObject({ status: 204 })
    expect(await session.book(idOf(held))).toMatchObject({ status: 404, body: { code: 'hold_not_found' } })
    expect(await rival.hold(offer, tenOClock)).toMatchObject({ status: 201 })
  })

  test('releasing an expired hold is 204, and it stays expired', async () => {
    const offer = await makeOffer(service, business.id)
    const held = await session.hold(offer, tenOClock)
    advanceTo(service, String(held.body.expires_at))
    expect(await rival.hold(offer, tenOClock)).toMatchObject({ status: 201 })
    const before = await snapshot(service)
    expect(await session.release(idOf(held))).toMatchObject({ status: 204 })
    expect(await snapshot(service)).toEqual(before)
    expect(await session.showHold(idOf(held))).toMatchObject({ body: { status: 'expired' } })
  })

  test('a converted hold cannot be released; only its owner is told of the booking', async () => {
    const offer = await makeOffer(service, business.id)
    const booking = await bookSlot(session, offer, tenOClock)
    const before = await snapshot(service)
    const [ofOwner, ofKey, ofRival] = [
      await session.release(String(booking.id)),
      await key.release(String(booking.id)),
      await rival.release(String(booking.id)),
    ]
    expect(ofOwner).toMatchObject({ status: 409, body: { code: 'hold_converted', booking_id: booking.id } })
    expect(ofKey).toMatchObject({ status: 409, body: { code: 'hold_converted' } })
    expect(ofKey.body).not.toHaveProperty('booking_id')
    expect(ofRival).toMatchObject({ status: 404 })
    expect(await snapshot(service)).toEqual(before)
  })

  test('a slot is taken until a millisecond before the hold expires, and free at that instant', async () => {
    const offer = await makeOffer(service, business.id)
    const held = await session.hold(offer, tenOClock)
    advanceTo(service, String(held.body.expires_at), -1)
    expect(await rival.hold(offer, tenOClock)).toMatchObject({ status: 409, body: { code: 'slot_held' } })
    service.clock.advance(0.001)
    expect(await takenClaim(service, idOf(held))).toBeDefined() // no sweeper has run
    expect(await rival.hold(offer, tenOClock)).toMatchObject({ status: 201 })
    expect(await session.book(idOf(held))).toMatchObject({ status: 404, body: { code: 'hold_expired' } })
  })

  test('an expired seat of a class keeps neither a seat nor the teacher', async () => {
    const staffIds = await makeStaff(service, business.id, ['Teacher'])
    const offer = await makeOffer(service, business.id, { minutes: 60, capacity: 2, staffIds })
    await session.hold(offer, tenOClock)
    await rival.hold(offer, tenOClock)
    service.clock.advance(600)
    expect(await key.hold(offer, '2027-03-01T10:30:00+01:00')).toMatchObject({ status: 201 })
  })

  test('housekeeping ends expired holds at their expiry, and nothing else', async () => {
    const [one, two] = [await makeOffer(service, business.id), await makeOffer(service, business.id)]
    const expired = await session.hold(one, tenOClock)
    service.clock.advance(1)
    const active = await rival.hold(two, tenOClock)
    const booking = await bookSlot(key, one, '2027-03-02T10:00:00+01:00')
    advanceTo(service, String(expired.body.expires_at), -1)
    await tidy(service.context, jobs)
    expect(await takenClaim(service, idOf(expired))).toBeDefined()
    service.clock.advance(0.001)
    const before = await snapshot(service)
    await tidy(service.context, jobs)
    const after = await snapshot(service)
    expect({ ...after, claims: [] }).toEqual({ ...before, claims: [] })
    const atItsExpiry = (row: string): string => {
      const claim = JSON.parse(row) as Record<string, unknown>
      const isOver = claim['expires_at'] === new Date(String(expired.body.expires_at)).toISOString()
      const ends = isOver && claim['booked_at'] === null && claim['ended_at'] === null
      return ends ? JSON.stringify({ ...claim, client_network: null, ended_at: claim['expires_at'] }) : row
    }
    expect(after['claims']).toEqual((before['claims'] ?? []).map(atItsExpiry).toSorted())
    expect(await takenClaim(service, idOf(expired))).toBeUndefined()
    for (const id of [idOf(active), String(booking.id)]) expect(await takenClaim(service, id)).toBeDefined()
    expect(await key.showHold(idOf(expired))).toMatchObject({ body: { status: 'expired' } })
  })

  test('the record of a hold is kept 24 hours after its end, and then removed', async () => {
    const held = await session.hold(await makeOffer(service, business.id), tenOClock)
    const booking = await bookSlot(key, await makeOffer(service, business.id), tenOClock)
    advanceTo(service, String(held.body.expires_at), 86_400_000)
    await tidy(service.context, jobs)
    expect(await key.showHold(idOf(held))).toMatchObject({ status: 200, body: { status: 'expired' } })
    service.clock.advance(0.001)
    await tidy(service.context, jobs)
    expect(await key.showHold(idOf(held))).toMatchObject({ status: 404, body: { code: 'hold_not_found' } })
    expect(await key.show(String(booking.id))).toMatchObject({ status: 200, body: { status: 'confirmed' } })
    expect(await takenClaim(service, String(booking.id))).toBeDefined()
  })

  test('the claim of a cancelled booking is removed 24 hours after the end of its hold', async () => {
    const booking = await bookSlot(key, await makeOffer(service, business.id), tenOClock)
    const id = String(booking.id)
    const { expires_at } = (await rowOf(service, 'claims', id)) ?? {}
    await key.cancel(id)
    advanceTo(service, String(expires_at), 86_400_000)
    await tidy(service.context, jobs)
    expect(await rowOf(service, 'claims', id)).toMatchObject({ ended_at: expect.any(String) })
    service.clock.advance(0.001)
    await tidy(service.context, jobs)
    expect(await rowOf(service, 'claims', id)).toBeUndefined()
    // and it still gets its slot back
    expect(await key.change(id, { status: 'confirmed' })).toMatchObject({ status: 200 })
    expect(await takenClaim(service, id)).toBeDefined()
  })

  test('housekeeping works through more than one batch', async () => {
    const offer = await makeOffer(service, business.id, { capacity: 500, minutes: 5 })
    const held = await key.hold(offer, tenOClock)
    const { lasts_long: _generated, ...claim } = (await rowOf(service, 'claims', idOf(held))) ?? {}
    const copies = Array.from({ length: 1100 }, (_, index) => ({ id: service.context.ids.next(), index }))
    await service.context.db.transaction(async (tx) => {
      for (const { id, index } of copies) {
        const copied = { ...claim, id, seat: index + 500 }
        await tx.db
          .insertInto('claims')
          .values(copied as never)
          .execute()
      }
    })
    service.clock.advance(86_400 + 601)
    await tidy(service.context, jobs)
    const left = (await service.rows('claims')).map((row) => row['id'])
    expect(left.filter((id) => copies.some((copy) => copy.id === id))).toEqual([])
  })
})

onOneEngine('sqlite', 'HOLD_SECONDS', (engine) => {
  test('sets how long a hold lasts', async () => {
    const service = await startTestService(engine, { HOLD_SECONDS: '2' })
    try {
      const business = await makeBusiness(service)
      const offer = await makeOffer(service, business.id)
      const held = await clientOf(service, business.key).hold(offer, tenOClock)
      expect(held.body.expires_at).toBe('2026-11-20T10:00:02+01:00')
    } finally {
      await service.stop()
    }
  })
})
