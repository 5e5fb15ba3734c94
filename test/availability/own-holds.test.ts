import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { bookSlot, clientOf, sessionClient, type Client } from '../support/client.ts'
import { makeBusiness, makeOffer, makeService, makeStaff, type OwnBusiness } from '../support/offers.ts'
import { advanceTo } from '../support/records.ts'
import { timesOf, watcherOf, type Asked, type Watcher } from '../support/slots.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type Reply, type TestService } from '../support/test-service.ts'

const at = (time: string) => `2026-12-01T${time}:00+01:00`
const ten = at('10:00')
const idOf = (held: Reply) => String(held.body.hold_id)

onOneEngine('sqlite', 'holds and what their owners and others see', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let key: Client
  let session: Client
  let rival: Client
  let own: Watcher
  let other: Watcher
  let byKey: Watcher
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    key = clientOf(service, business.key)
    byKey = watcherOf(service, key)
  })
  beforeEach(async () => {
    session = await sessionClient(service, business)
    rival = await sessionClient(service, business)
    own = watcherOf(service, session)
    other = watcherOf(service, rival)
  })
  afterAll(() => service.stop())

  const makeHours = (parts: Parameters<typeof makeOffer>[2] = {}) =>
    makeOffer(service, business.id, {
      weeklyHours: [{ weekday: 'tuesday', opens: '09:00', closes: '12:00' }],
      minutes: 60,
      intervalMinutes: 30,
      ...parts,
    })
  const all = ['09:00', '09:30', '10:00', '10:30', '11:00']

  test('its own slot stays visible to a session and is marked; what it overlaps stays too, unmarked', async () => {
    const offer = await makeHours()
    await session.hold(offer, ten)
    const slots = await own.on(offer, '2026-12-01')
    expect(timesOf(slots)).toEqual(all)
    expect(slots.filter((slot) => 'held_by_you' in slot)).toEqual([
      { starts_at: ten, ends_at: at('11:00'), staff_ids: [], seats_left: 1, held_by_you: true },
    ])
    expect((await own.explain(offer, ten)).body).toMatchObject({ offered: true, reason: null })
    for (const watcher of [other, byKey]) {
      const left = await watcher.on(offer, '2026-12-01')
      expect(timesOf(left)).toEqual(['09:00', '11:00'])
      expect(left.some((slot) => 'held_by_you' in slot)).toBe(false)
      expect((await watcher.explain(offer, ten)).body).toMatchObject({ offered: false, reason: 'slot_held' })
    }
  })

  test('what a session holds in another service or place is free to it, but not marked', async () => {
    const staffIds = await makeStaff(service, business.id, ['Kim'])
    const offer = await makeHours({ staffIds })
    const service_id = await makeService(service, business.id, {
      staffIds,
      locationIds: [offer.location_id],
      minutes: 60,
      intervalMinutes: 60,
    })
    await session.hold({ ...offer, service_id }, ten)
    const slot = await own.at(offer, ten)
    expect(slot).toMatchObject({ seats_left: 1 })
    expect(slot).not.toHaveProperty('held_by_you')
    expect(await other.at(offer, ten)).toBeUndefined()
    expect(await session.hold(offer, ten)).toMatchObject({ status: 201 })
    expect(await own.at(offer, ten)).toMatchObject({ held_by_you: true })
  })

  test('the mark is of the staff member who is held', async () => {
    const staffIds = await makeStaff(service, business.id, ['One', 'Two'])
    const [one, two] = staffIds
    const offer = await makeHours({ staffIds })
    await session.hold(offer, ten, { staff_id: one })
    expect(await own.at(offer, ten)).toMatchObject({
      staff_ids: staffIds,
      seats_left: 2,
      held_by_you: true,
    })
    expect(await own.at({ ...offer, staff_id: one }, ten)).toMatchObject({ held_by_you: true })
    expect(await own.at({ ...offer, staff_id: two }, ten)).not.toHaveProperty('held_by_you')
    expect(await other.at(offer, ten)).toMatchObject({ staff_ids: [two], seats_left: 1 })
  })

  test('a seat that a session holds is free to itself alone', async () => {
    const offer = await makeHours({ capacity: 2 })
    await session.hold(offer, ten)
    await key.hold(offer, ten)
    expect(await own.at(offer, ten)).toMatchObject({ seats_left: 1, held_by_you: true })
    expect(await other.at(offer, ten)).toBeUndefined()
  })

  test.each(['own', 'other'] as const)('it is free at the very instant of expiry to the %s', async (who) => {
    const offer = await makeHours()
    const held = await session.hold(offer, ten)
    const watcher = who === 'own' ? own : other
    advanceTo(service, String(held.body.expires_at), -1)
    const before = await watcher.at(offer, ten)
    if (who === 'own') expect(before).toMatchObject({ held_by_you: true })
    else {
      expect(before).toBeUndefined()
      expect(await rival.hold(offer, ten)).toMatchObject({ status: 409 })
    }
    advanceTo(service, String(held.body.expires_at))
    expect(await watcher.at(offer, ten)).toEqual({
      starts_at: ten,
      ends_at: at('11:00'),
      staff_ids: [],
      seats_left: 1,
    })
    expect((await watcher.explain(offer, ten)).body).toMatchObject({ offered: true })
    expect(await rival.hold(offer, ten)).toMatchObject({ status: 201 })
  })

  test('a refreshed session keeps seeing its own', async () => {
    const offer = await makeHours()
    await session.hold(offer, ten)
    const refreshed = await service.call('POST', '/session', {
      token: business.publishableKey,
      headers: { 'x-previous-session': session.token },
    })
    const token = String(refreshed.body.session_token)
    expect(await watcherOf(service, { token }).at(offer, ten)).toMatchObject({ held_by_you: true })
    expect(await other.at(offer, ten)).toBeUndefined()
    expect((await own.show(offer, '2026-12-01')).status).toBe(401)
  })

  const freed: [how: string, free: (offer: Asked) => Promise<unknown>][] = [
    ['released', async (offer) => session.release(idOf(await session.hold(offer, ten)))],
    [
      'replaced by another hold of its session',
      async (offer) => {
        await session.hold(offer, ten)
        const elsewhere = await makeHours()
        await session.hold(elsewhere, ten)
      },
    ],
    ['cancelled', async (offer) => key.cancel(String((await bookSlot(session, offer, ten)).id))],
    [
      'moved away from',
      async (offer) =>
        key.change(String((await bookSlot(session, offer, ten)).id), { starts_at: at('18:00') }),
    ],
    [
      'cancelled by its status',
      async (offer) => key.change(String((await bookSlot(session, offer, ten)).id), { status: 'cancelled' }),
    ],
  ]

  test.each(freed)('a slot that is %s is offered and can be held at once', async (_how, free) => {
    const offer = await makeHours()
    await free(offer)
    expect(timesOf(await other.on(offer, '2026-12-01'))).toEqual(all)
    expect((await other.explain(offer, ten)).body.offered).toBe(true)
    expect(await rival.hold(offer, ten)).toMatchObject({ status: 201 })
  })

  test('a booking is in the way of everybody, of the session that made it too', async () => {
    const offer = await makeHours()
    await bookSlot(session, offer, ten)
    for (const watcher of [own, other, byKey]) {
      expect(timesOf(await watcher.on(offer, '2026-12-01'))).toEqual(['09:00', '11:00'])
      expect((await watcher.explain(offer, ten)).body.reason).toBe('slot_booked')
    }
  })

  test("a key's own holds are in its own way", async () => {
    const offer = await makeHours()
    await key.hold(offer, ten)
    expect(timesOf(await byKey.on(offer, '2026-12-01'))).toEqual(['09:00', '11:00'])
    expect((await byKey.explain(offer, ten)).body.reason).toBe('slot_held')
    expect(await key.hold(offer, ten)).toMatchObject({ status: 409, body: { code: 'slot_held' } })
  })
})
