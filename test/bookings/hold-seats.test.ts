import { afterAll, beforeAll, expect, test } from 'vitest'
import { bookSlot, clientOf, sessionClient, type Client } from '../support/client.ts'
import {
  makeBusiness,
  makeLocation,
  makeOffer,
  makeService,
  makeStaff,
  type Offer,
  type OwnBusiness,
} from '../support/offers.ts'
import { watcherOf } from '../support/slots.ts'
import { onEachEngine, startTestService, type TestService } from '../support/test-service.ts'

const start = '2026-12-01T10:00:00Z'

onEachEngine('seats', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let key: Client
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    key = clientOf(service, business.key)
  })
  afterAll(() => service.stop())

  async function holdTimes(count: number, offer: Offer, startsAt = start): Promise<number[]> {
    const statuses: number[] = []
    for (let time = 0; time < count; time += 1) statuses.push((await key.hold(offer, startsAt)).status)
    return statuses
  }

  test('a class has as many seats as its capacity', async () => {
    const staffIds = await makeStaff(service, business.id, ['Teacher'])
    const offer = await makeOffer(service, business.id, { minutes: 60, capacity: 8, staffIds })
    expect(await holdTimes(9, offer)).toEqual([201, 201, 201, 201, 201, 201, 201, 201, 409])
    const seats = (await service.rows('claims'))
      .filter((claim) => claim['resource_id'] === staffIds[0])
      .map((claim) => Number(claim['seat']))
    expect(seats.toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  })

  test('the last seats of a class go to as many of those who ask at once', async () => {
    const staffIds = await makeStaff(service, business.id, ['Teacher'])
    const offer = await makeOffer(service, business.id, { minutes: 60, capacity: 8, staffIds })
    await holdTimes(3, offer)
    const sessions = await Promise.all(
      Array.from({ length: 15 }, (_, index) => sessionClient(service, business, `192.0.2.${index}`)),
    )
    const replies = await Promise.all(sessions.map((session) => session.hold(offer, start)))
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(5)
    expect(replies.filter(({ status, body }) => status === 409 && body.code === 'slot_held')).toHaveLength(10)
  })

  test('a full class is slot_booked only when every seat is booked', async () => {
    const staffIds = await makeStaff(service, business.id, ['Teacher'])
    const offer = await makeOffer(service, business.id, { capacity: 2, staffIds })
    await bookSlot(key, offer, start)
    const held = await key.hold(offer, start)
    expect(await key.hold(offer, start)).toMatchObject({ status: 409, body: { code: 'slot_held' } })
    await key.book(String(held.body.hold_id))
    expect(await key.hold(offer, start)).toMatchObject({ status: 409, body: { code: 'slot_booked' } })
  })

  test('a seat that is given up or cancelled can be taken again', async () => {
    const staffIds = await makeStaff(service, business.id, ['Teacher'])
    const offer = await makeOffer(service, business.id, { capacity: 2, staffIds })
    const booking = await bookSlot(key, offer, start)
    const held = await key.hold(offer, start)
    await key.release(String(held.body.hold_id))
    await key.cancel(String(booking.id))
    expect(await holdTimes(3, offer)).toEqual([201, 201, 409])
  })

  test('another class of the same teacher at the same time is refused while seats are free', async () => {
    const staffIds = await makeStaff(service, business.id, ['Teacher'])
    const yoga = await makeOffer(service, business.id, { capacity: 8, staffIds })
    const pilates = {
      ...yoga,
      service_id: await makeService(service, business.id, {
        capacity: 8,
        staffIds,
        locationIds: [yoga.location_id],
      }),
    }
    expect(await holdTimes(1, yoga)).toEqual([201])
    expect(await holdTimes(1, pilates)).toEqual([409])
    expect(await holdTimes(1, yoga)).toEqual([201])
  })

  test('the same class at an overlapping start is refused, back to back it is not', async () => {
    const staffIds = await makeStaff(service, business.id, ['Teacher'])
    const offer = await makeOffer(service, business.id, { minutes: 60, capacity: 8, staffIds })
    expect(await holdTimes(1, offer)).toEqual([201])
    expect(await holdTimes(1, offer, '2026-12-01T10:05:00Z')).toEqual([409])
    expect(await holdTimes(1, offer, '2026-12-01T09:01:00Z')).toEqual([409])
    expect(await holdTimes(1, offer, '2026-12-01T11:00:00Z')).toEqual([201])
    expect(await holdTimes(1, offer, '2026-12-01T09:00:00Z')).toEqual([201])
  })

  test('a class with two teachers runs twice, and a seat is taken with either', async () => {
    const staffIds = await makeStaff(service, business.id, ['One', 'Two'])
    const offer = await makeOffer(service, business.id, { capacity: 2, staffIds })
    expect(await holdTimes(5, offer)).toEqual([201, 201, 201, 201, 409])
  })

  test('an unstaffed service serves as many clients at once as its capacity, whatever their starts', async () => {
    const offer = await makeOffer(service, business.id, { minutes: 60, capacity: 2 })
    expect(await holdTimes(1, offer, '2026-12-01T10:00:00Z')).toEqual([201])
    expect(await holdTimes(1, offer, '2026-12-01T10:30:00Z')).toEqual([201])
    expect(await holdTimes(1, offer, '2026-12-01T10:45:00Z')).toEqual([409])
    expect(await holdTimes(1, offer, '2026-12-01T11:00:00Z')).toEqual([201])
    expect(await holdTimes(1, offer, '2026-12-01T09:30:00Z')).toEqual([201])
  })

  test('two locations, and two unstaffed services at one, do not take from each other', async () => {
    const offer = await makeOffer(service, business.id)
    const elsewhere = await makeLocation(service, business.id)
    const locationIds = [offer.location_id, elsewhere]
    const one = await makeService(service, business.id, { locationIds })
    const two = await makeService(service, business.id, { locationIds })
    for (const service_id of [one, two]) {
      for (const location_id of locationIds) {
        expect(await holdTimes(2, { service_id, location_id })).toEqual([201, 409])
      }
    }
  })

  test.each(['without staff', 'with staff'])(
    'a booking beyond a lowered capacity still takes a seat, %s',
    async (kind) => {
      const staffIds = kind === 'with staff' ? await makeStaff(service, business.id, ['Teacher']) : []
      const offer = await makeOffer(service, business.id, { capacity: 2, staffIds })
      const booked = [await bookSlot(key, offer, start), await bookSlot(key, offer, start)].map(
        ({ id }) => id,
      )
      const claims = (await service.rows('claims')).filter(({ id }) => booked.includes(String(id)))
      const onSeat = (wanted: number) => String(claims.find(({ seat }) => Number(seat) === wanted)?.['id'])
      await key.cancel(onSeat(0))
      const lowered = await service.call('PATCH', `/services/${offer.service_id}`, {
        token: business.key,
        body: { capacity: 1 },
      })
      expect(lowered.status).toBe(200)
      const taken = { status: 409, body: { code: 'slot_booked' } }
      const session = await sessionClient(service, business)
      const watcher = watcherOf(service, session)
      expect(await watcher.at(offer, start)).toBeUndefined()
      expect(await session.hold(offer, start)).toMatchObject(taken)
      expect(await key.hold(offer, start)).toMatchObject(taken)
      const elsewhere = await bookSlot(key, offer, '2026-12-01T12:00:00Z')
      expect(await key.change(String(elsewhere.id), { starts_at: start })).toMatchObject(taken)
      expect(await key.change(onSeat(0), { status: 'confirmed' })).toMatchObject(taken)
      await key.cancel(onSeat(1))
      expect(await watcher.at(offer, start)).toMatchObject({ seats_left: 1 })
      expect(await holdTimes(2, offer)).toEqual([201, 409])
    },
  )
})
