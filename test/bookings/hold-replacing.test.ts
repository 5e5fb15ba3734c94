import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { bookSlot, clientOf, sessionClient, type Client } from '../support/client.ts'
import { makeBusiness, makeOffer, makeService, makeStaff, type OwnBusiness } from '../support/offers.ts'
import { rowOf, takenClaim } from '../support/records.ts'
import { expectRefusal } from '../support/refusals.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type Reply, type TestService } from '../support/test-service.ts'

const at = (time: string) => `2026-12-01T${time}:00Z`
const idOf = (held: Reply) => String(held.body.hold_id)

onOneEngine('sqlite', "replacing a session's own holds", (engine) => {
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

  const statusOf = async (held: Reply) => (await session.showHold(idOf(held))).body.status as string
  const claimOf = async (held: Reply) => takenClaim(service, idOf(held))

  test('holding the same slot again gives a new hold and releases the old one', async () => {
    const offer = await makeOffer(service, business.id)
    const first = await session.hold(offer, at('10:00'))
    service.clock.advance(60)
    const second = await session.hold(offer, at('10:00'))
    expect(second.status).toBe(201)
    expect(idOf(second)).not.toBe(idOf(first))
    expect(Date.parse(second.body.expires_at) - Date.parse(first.body.expires_at)).toBe(60_000)
    expect([await statusOf(first), await statusOf(second)]).toEqual(['released', 'active'])
    expect(await session.book(idOf(first))).toMatchObject({ status: 404, body: { code: 'hold_not_found' } })
    expect(await session.book(idOf(second))).toMatchObject({ status: 201 })
  })

  test('a hold that overlaps replaces, whatever its service and location', async () => {
    const [one, two, three] = [
      await makeOffer(service, business.id, { minutes: 60 }),
      await makeOffer(service, business.id, { minutes: 60 }),
      await makeOffer(service, business.id, { minutes: 120 }),
    ]
    const first = await session.hold(one, at('10:00'))
    const second = await session.hold(two, at('11:00'))
    expect([await statusOf(first), await statusOf(second)]).toEqual(['active', 'active'])
    const third = await session.hold(three, at('10:30'))
    expect(third.status).toBe(201)
    expect([await statusOf(first), await statusOf(second)]).toEqual(['released', 'released'])
    expect(await rival.hold(one, at('10:00'))).toMatchObject({ status: 201 })
    expect(await rival.hold(two, at('11:00'))).toMatchObject({ status: 201 })
  })

  test('back-to-back holds of a session stay beside each other', async () => {
    const offer = await makeOffer(service, business.id)
    const first = await session.hold(offer, at('10:00'))
    const second = await session.hold(offer, at('10:30'))
    const third = await session.hold(offer, at('09:30'))
    for (const held of [first, second, third]) expect(await statusOf(held)).toBe('active')
  })

  test('a new slot that is refused leaves the old hold as it is', async () => {
    const [mine, taken] = [
      await makeOffer(service, business.id, { minutes: 60 }),
      await makeOffer(service, business.id, { minutes: 60 }),
    ]
    const old = await session.hold(mine, at('10:00'))
    await rival.hold(taken, at('10:30'))
    await expectRefusal(service, () => session.hold(taken, at('10:30')), {
      status: 409,
      body: { code: 'slot_held' },
    })
    expect(await statusOf(old)).toBe('active')
    expect(await session.book(idOf(old))).toMatchObject({ status: 201 })
  })

  test('what only its own hold obstructs is free to the session and taken for everybody else', async () => {
    const staffIds = await makeStaff(service, business.id, ['Kim'])
    const offer = await makeOffer(service, business.id, { minutes: 60, staffIds })
    await session.hold(offer, at('10:00'))
    expect(await rival.hold(offer, at('10:30'))).toMatchObject({ status: 409 })
    expect(await key.hold(offer, at('10:30'))).toMatchObject({ status: 409 })
    const moved = await session.hold(offer, at('10:30'))
    expect(moved).toMatchObject({ status: 201 })
    expect(await rival.hold(offer, at('09:30'))).toMatchObject({ status: 201 })
  })

  test("a session's hold beside somebody else's booking does not make the slot slot_held", async () => {
    const offer = await makeOffer(service, business.id, { minutes: 60 })
    await bookSlot(rival, offer, at('11:00'))
    await session.hold(offer, at('10:00'))
    await expectRefusal(service, () => session.hold(offer, at('10:30')), {
      status: 409,
      body: { code: 'slot_booked' },
    })
  })

  test('a hold whose buffer only obstructs is given up when there is no other way', async () => {
    const offer = await makeOffer(service, business.id, { minutes: 60, bufferAfter: 10 })
    const first = await session.hold(offer, at('10:00'))
    expect(await rival.hold(offer, at('11:00'))).toMatchObject({ status: 409 })
    const second = await session.hold(offer, at('11:00'))
    expect(second).toMatchObject({ status: 201 })
    expect(await statusOf(first)).toBe('released')
    expect(await claimOf(first)).toBeUndefined()
  })

  test('a hold whose buffer only obstructs stays when somebody else is free', async () => {
    const staffIds = await makeStaff(service, business.id, ['One', 'Two'])
    const offer = await makeOffer(service, business.id, { minutes: 60, bufferAfter: 10, staffIds })
    const first = await session.hold(offer, at('10:00'))
    const second = await session.hold(offer, at('11:00'))
    expect([await statusOf(first), await statusOf(second)]).toEqual(['active', 'active'])
    expect(await rowOf(service, 'claims', idOf(second))).toMatchObject({ staff_id: staffIds[1] })
  })

  test('a buffer that obstructs nothing replaces nothing', async () => {
    const [bare, buffered] = [
      await makeOffer(service, business.id),
      await makeOffer(service, business.id, { bufferBefore: 30, bufferAfter: 30 }),
    ]
    const [before, after] = [await session.hold(bare, at('10:00')), await session.hold(bare, at('11:00'))]
    expect(await session.hold(buffered, at('10:30'))).toMatchObject({ status: 201 })
    expect([await statusOf(before), await statusOf(after)]).toEqual(['active', 'active'])
  })

  test("a key's own holds do conflict", async () => {
    const offer = await makeOffer(service, business.id)
    const held = await key.hold(offer, at('10:00'))
    expect(await key.hold(offer, at('10:00'))).toMatchObject({ status: 409, body: { code: 'slot_held' } })
    expect(await rowOf(service, 'claims', idOf(held))).toMatchObject({ ended_at: null })
  })

  test("a key's holds stay when it holds another slot at the same time", async () => {
    const [one, two] = [await makeOffer(service, business.id), await makeOffer(service, business.id)]
    const first = await key.hold(one, at('10:00'))
    expect(await key.hold(two, at('10:00'))).toMatchObject({ status: 201 })
    expect(await key.showHold(idOf(first))).toMatchObject({ body: { status: 'active' } })
  })

  test('a booking is never replaced, not even by the session that made it', async () => {
    const offer = await makeOffer(service, business.id)
    const other = await makeOffer(service, business.id)
    const booking = await bookSlot(session, offer, at('10:00'))
    expect(await session.hold(offer, at('10:00'))).toMatchObject({
      status: 409,
      body: { code: 'slot_booked' },
    })
    expect(await session.hold(other, at('10:00'))).toMatchObject({ status: 201 })
    expect(await key.show(String(booking.id))).toMatchObject({ body: { status: 'confirmed' } })
  })

  test('an expired hold of its own is in nobody’s way and stays expired', async () => {
    const offer = await makeOffer(service, business.id)
    const first = await session.hold(offer, at('10:00'))
    service.clock.advance(600)
    expect(await session.hold(offer, at('10:00'))).toMatchObject({ status: 201 })
    expect(await statusOf(first)).toBe('expired')
  })

  test('a seat in a class is changed for a seat at another start, and the class goes on', async () => {
    const staffIds = await makeStaff(service, business.id, ['Teacher'])
    const offer = await makeOffer(service, business.id, { minutes: 60, capacity: 2, staffIds })
    const first = await session.hold(offer, at('10:00'))
    expect(await session.hold(offer, at('10:30'))).toMatchObject({ status: 201 })
    expect(await statusOf(first)).toBe('released')
    // with another client in it, the class of 10:30 prevents the teacher from moving
    await rival.hold(offer, at('10:30'))
    expect(await session.hold(offer, at('10:00'))).toMatchObject({ status: 409 })
  })

  test('two holds that a session places at once: the later replaces the earlier', async () => {
    const service_ids = await Promise.all(
      Array.from({ length: 6 }, async () => makeOffer(service, business.id, { minutes: 60 })),
    )
    const replies = await Promise.all(service_ids.map((offer) => session.hold(offer, at('10:00'))))
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201, 201])
    const statuses = await Promise.all(replies.map(statusOf))
    expect(statuses.filter((status) => status === 'active')).toHaveLength(1)
  })

  test('a slot that is replaced by itself is never free for a rival in between', async () => {
    const offer = await makeOffer(service, business.id)
    await session.hold(offer, at('10:00'))
    for (let round = 0; round < 10; round += 1) {
      const attempts = Array.from({ length: 5 }, () => rival.hold(offer, at('10:00')))
      const [own, ...others] = await Promise.all([session.hold(offer, at('10:00')), ...attempts])
      expect(own.status).toBe(201)
      expect(others.map(({ status }) => status)).toEqual([409, 409, 409, 409, 409])
    }
  })

  test('a refreshed session replaces what it held before the refresh', async () => {
    const offer = await makeOffer(service, business.id)
    const first = await session.hold(offer, at('10:00'))
    const refreshed = await service.call('POST', '/session', {
      token: business.publishableKey,
      headers: { 'x-previous-session': session.token },
    })
    session = clientOf(service, String(refreshed.body.session_token))
    expect(await session.hold(offer, at('10:00'))).toMatchObject({ status: 201 })
    expect(await statusOf(first)).toBe('released')
  })

  test("another business's session at the same time is left alone", async () => {
    const other = await makeBusiness(service)
    const stranger = await sessionClient(service, other)
    const [one, two] = [await makeOffer(service, business.id), await makeOffer(service, other.id)]
    const first = await session.hold(one, at('10:00'))
    await stranger.hold(two, at('10:00'))
    expect(await statusOf(first)).toBe('active')
    const service_id = await makeService(service, business.id, { locationIds: [one.location_id] })
    await rival.hold({ ...one, service_id }, at('10:00'))
    expect(await statusOf(first)).toBe('active')
  })
})
