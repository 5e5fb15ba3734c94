import { afterAll, beforeAll, expect, test } from 'vitest'
import { bookSlot, clientOf, sessionClient, type Client } from '../support/client.ts'
import {
  deactivate,
  makeBusiness,
  makeLocation,
  makeOffer,
  makeService,
  makeStaff,
  type Offer,
  type OwnBusiness,
} from '../support/offers.ts'
import { advanceTo, rowOf } from '../support/records.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

onOneEngine('sqlite', 'who gives a service', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let key: Client
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    key = clientOf(service, business.key)
  })
  afterAll(() => service.stop())

  /** Creates a service with this many staff members, whose IDs are in order. */
  async function staffed(people: number, parts: { timezone?: string } = {}) {
    const names = Array.from({ length: people }, (_, index) => `Person ${index}`)
    const staffIds = await makeStaff(service, business.id, names)
    return { staffIds, offer: await makeOffer(service, business.id, { staffIds, ...parts }) }
  }

  /** Returns the staff member chosen for a slot if none is requested. Releases the slot afterwards. */
  async function chosen(offer: Offer, startsAt: string): Promise<unknown> {
    const held = await key.hold(offer, startsAt)
    expect(held.status).toBe(201)
    const hold = await rowOf(service, 'claims', String(held.body.hold_id))
    await key.release(String(held.body.hold_id))
    return hold?.['staff_id']
  }

  const bookWith = (offer: Offer, startsAt: string, staff_id: string | undefined) =>
    bookSlot(key, offer, startsAt, { hold: { staff_id } })

  test('the wanted person is held, or the hold is refused while others are free', async () => {
    const { staffIds, offer } = await staffed(2)
    const staff_id = staffIds[1]
    const held = await key.hold(offer, '2026-12-01T10:00:00Z', { staff_id })
    expect(await rowOf(service, 'claims', String(held.body.hold_id))).toMatchObject({ staff_id })
    expect(await key.hold(offer, '2026-12-01T10:00:00Z', { staff_id })).toMatchObject({
      status: 409,
      body: { code: 'slot_held' },
    })
    expect(await key.hold(offer, '2026-12-01T10:00:00Z')).toMatchObject({ status: 201 })
  })

  test('among equals the first by id is chosen', async () => {
    const { staffIds, offer } = await staffed(3)
    expect(await chosen(offer, '2026-12-01T10:00:00Z')).toBe(staffIds[0])
  })

  test('the person with the fewest bookings that day is chosen', async () => {
    const { staffIds, offer } = await staffed(3)
    await bookWith(offer, '2026-12-01T08:00:00Z', staffIds[0])
    await bookWith(offer, '2026-12-01T09:00:00Z', staffIds[0])
    await bookWith(offer, '2026-12-01T08:00:00Z', staffIds[1])
    await bookWith(offer, '2026-12-01T08:00:00Z', staffIds[2])
    expect(await chosen(offer, '2026-12-01T12:00:00Z')).toBe(staffIds[1])
    await bookWith(offer, '2026-12-01T14:00:00Z', staffIds[1])
    expect(await chosen(offer, '2026-12-01T12:00:00Z')).toBe(staffIds[2])
    expect(await chosen(offer, '2026-12-02T12:00:00Z')).toBe(staffIds[0])
  })

  test('bookings of other services and locations count too, holds do not', async () => {
    const { staffIds, offer } = await staffed(2)
    const location_id = await makeLocation(service, business.id)
    const service_id = await makeService(service, business.id, { locationIds: [location_id], staffIds })
    await key.hold(offer, '2026-12-01T08:00:00Z', { staff_id: staffIds[0] })
    expect(await chosen(offer, '2026-12-01T12:00:00Z')).toBe(staffIds[0])
    await bookWith({ service_id, location_id }, '2026-12-01T09:00:00Z', staffIds[0])
    expect(await chosen(offer, '2026-12-01T12:00:00Z')).toBe(staffIds[1])
  })

  test('cancelled bookings do not count', async () => {
    const { staffIds, offer } = await staffed(2)
    const booking = await bookWith(offer, '2026-12-01T08:00:00Z', staffIds[0])
    expect(await chosen(offer, '2026-12-01T12:00:00Z')).toBe(staffIds[1])
    await key.cancel(String(booking.id))
    expect(await chosen(offer, '2026-12-01T12:00:00Z')).toBe(staffIds[0])
  })

  test.each([
    // local days of the location: the first booking is on the day before there, though not in UTC
    ['America/New_York', '2026-12-02T04:30:00Z', '2026-12-02T05:00:00Z', '2026-12-03T04:59:00Z'],
    ['Asia/Kolkata', '2026-12-01T18:00:00Z', '2026-12-01T18:30:00Z', '2026-12-02T18:29:00Z'],
    ['Pacific/Auckland', '2026-12-01T10:30:00Z', '2026-12-01T11:00:00Z', '2026-12-02T10:59:00Z'],
    // this day has 25 hours
    ['Europe/Berlin', '2027-10-30T21:30:00Z', '2027-10-30T22:00:00Z', '2027-10-31T22:59:00Z'],
  ])(
    'a day is counted from midnight to midnight in the zone of the location: %s',
    async (timezone, eve, first, last) => {
      const { staffIds, offer } = await staffed(2, { timezone })
      await bookWith(offer, eve, staffIds[0])
      expect(await chosen(offer, eve)).toBe(staffIds[1])
      expect(await chosen(offer, first)).toBe(staffIds[0])
      await bookWith(offer, first, staffIds[0])
      expect(await chosen(offer, last)).toBe(staffIds[1])
      const nextDay = new Date(Date.parse(last) + 60_000).toISOString()
      expect(await chosen(offer, nextDay)).toBe(staffIds[0])
    },
  )

  test('a slot is refused only when nobody is left', async () => {
    const { staffIds, offer } = await staffed(3)
    const start = '2026-12-01T10:00:00Z'
    await bookWith(offer, start, staffIds[1])
    const holds = [await key.hold(offer, start), await key.hold(offer, start)]
    expect(holds.map(({ status }) => status)).toEqual([201, 201])
    expect(await key.hold(offer, start)).toMatchObject({ status: 409, body: { code: 'slot_held' } })
    for (const held of holds) await key.book(String(held.body.hold_id))
    expect(await key.hold(offer, start)).toMatchObject({ status: 409, body: { code: 'slot_booked' } })
    const taken = (await service.rows('bookings')).filter((row) => row['service_id'] === offer.service_id)
    expect(taken.map((row) => row['staff_id']).toSorted()).toEqual(staffIds)
  })

  test('sessions that all ask at once get everybody there is, and no more', async () => {
    const { staffIds, offer } = await staffed(3)
    const sessions = await Promise.all(
      Array.from({ length: 9 }, (_, index) => sessionClient(service, business, `192.0.2.${index}`)),
    )
    const replies = await Promise.all(sessions.map((session) => session.hold(offer, '2026-12-01T10:00:00Z')))
    expect(replies.map(({ status }) => status).toSorted()).toEqual([
      ...staffIds.map(() => 201),
      ...Array.from({ length: 6 }, () => 409),
    ])
  })

  test('a staff member is never in two places or services at once', async () => {
    const [staffId = ''] = await makeStaff(service, business.id, ['Kim'])
    const one = await makeOffer(service, business.id, { staffIds: [staffId] })
    const elsewhere = await makeLocation(service, business.id)
    const two = await makeService(service, business.id, {
      staffIds: [staffId],
      locationIds: [one.location_id, elsewhere],
      capacity: 8,
    })
    const start = '2026-12-01T10:00:00Z'
    const held = await key.hold({ service_id: two, location_id: one.location_id }, start)
    expect(held).toMatchObject({ status: 201 })
    // the same class at another location is another occurrence, and so is another service
    expect(await key.hold({ service_id: two, location_id: elsewhere }, start)).toMatchObject({ status: 409 })
    expect(await key.hold(one, start)).toMatchObject({ status: 409 })
    expect(await key.hold(one, '2026-12-01T09:31:00Z')).toMatchObject({ status: 409 })
    expect(await key.hold(one, '2026-12-01T09:30:00Z')).toMatchObject({ status: 201 })
  })

  test('the choice is fixed by the hold', async () => {
    const { staffIds, offer } = await staffed(2)
    const held = await key.hold(offer, '2026-12-01T10:00:00Z')
    await bookWith(offer, '2026-12-01T14:00:00Z', staffIds[0])
    const booked = await key.book(String(held.body.hold_id))
    expect(booked.body.staff).toEqual({ id: staffIds[0], name: expect.any(String) })
  })

  test('an expired hold of one person and an active one of the other leave the first to choose', async () => {
    const { staffIds, offer } = await staffed(2)
    const first = await key.hold(offer, '2026-12-01T10:00:00Z')
    service.clock.advance(60)
    await key.hold(offer, '2026-12-01T10:00:00Z')
    expect(await key.hold(offer, '2026-12-01T10:00:00Z')).toMatchObject({ status: 409 })
    advanceTo(service, String(first.body.expires_at))
    expect(await chosen(offer, '2026-12-01T10:00:00Z')).toBe(staffIds[0])
  })

  test('somebody who has left is not chosen any more, but keeps what is booked', async () => {
    const { staffIds, offer } = await staffed(2)
    const [first = ''] = staffIds
    const booking = await bookWith(offer, '2026-12-01T08:00:00Z', first)
    await deactivate(service, 'staff', first)
    expect(await chosen(offer, '2026-12-02T10:00:00Z')).toBe(staffIds[1])
    expect((await key.show(String(booking.id))).body.staff).toMatchObject({ id: first })
  })
})
