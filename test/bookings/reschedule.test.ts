import { afterAll, beforeAll, expect, test } from 'vitest'
import { bookSlot, clientOf, sessionClient, type Client } from '../support/client.ts'
import {
  deactivate,
  makeBusiness,
  makeOffer,
  makeService,
  makeStaff,
  type OwnBusiness,
} from '../support/offers.ts'
import { inOneTransaction } from '../support/one-transaction.ts'
import { eventTypesOf, rowOf, takenClaim } from '../support/records.ts'
import { expectRefusal } from '../support/refusals.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const at = (time: string) => `2026-12-01T${time}:00+01:00`

onOneEngine('sqlite', 'moving a booking', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let key: Client
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    key = clientOf(service, business.key)
  })
  afterAll(() => service.stop())

  const idOf = (booking: { id: unknown }) => String(booking.id)
  const move = (id: string, time: string) => key.change(id, { starts_at: at(time) })

  test('the new slot is taken and the old one free, buffers included', async () => {
    const offer = await makeOffer(service, business.id, { bufferBefore: 5, bufferAfter: 10 })
    const id = idOf(await bookSlot(key, offer, at('10:00')))
    expect(await move(id, '12:00')).toMatchObject({ status: 200, body: { ends_at: at('12:30') } })
    expect(await rowOf(service, 'claims', id)).toMatchObject({
      booked_at: expect.any(String),
      ended_at: null,
      taken_from: '2026-12-01T10:55:00.000Z',
      taken_until: '2026-12-01T11:40:00.000Z',
    })
    expect(await key.hold(offer, at('11:16'))).toMatchObject({ status: 409, body: { code: 'slot_booked' } })
    expect(await key.hold(offer, at('10:00'))).toMatchObject({ status: 201 })
  })

  test('a start at this very second is refused as past, and one of the next second is not', async () => {
    const offer = await makeOffer(service, business.id)
    const id = idOf(await bookSlot(key, offer, at('10:00')))
    const inSeconds = (seconds: number) => new Date(service.clock.nowMs() + seconds * 1_000).toISOString()
    for (const seconds of [0, -1]) {
      await expectRefusal(service, () => key.change(id, { starts_at: inSeconds(seconds) }), {
        status: 422,
        body: { code: 'slot_not_offered', reason: 'in_the_past' },
      })
    }
    expect((await key.change(id, { starts_at: inSeconds(1) })).status).toBe(200)
  })

  test('another end takes more or less time, buffers included', async () => {
    const offer = await makeOffer(service, business.id, { bufferAfter: 10 })
    const id = idOf(await bookSlot(key, offer, at('10:00')))
    await key.change(id, { ends_at: at('12:00') })
    expect(await rowOf(service, 'claims', id)).toMatchObject({ taken_until: '2026-12-01T11:10:00.000Z' })
    expect(await key.hold(offer, at('12:00'))).toMatchObject({ status: 409 })
    await key.change(id, { ends_at: at('10:15') })
    expect(await key.hold(offer, at('10:25'))).toMatchObject({ status: 201 })
  })

  test('a length of its own is kept by a move and by a return from cancelled', async () => {
    const offer = await makeOffer(service, business.id)
    const id = idOf(await bookSlot(key, offer, at('10:00')))
    await key.change(id, { ends_at: at('11:45') })
    expect((await move(id, '14:00')).body).toMatchObject({ starts_at: at('14:00'), ends_at: at('15:45') })
    await key.cancel(id)
    await key.change(id, { status: 'confirmed' })
    expect(await key.hold(offer, at('15:44'))).toMatchObject({ status: 409 })
  })

  test.each([
    ['booked', 'slot_booked'],
    ['held', 'slot_held'],
  ])('a slot that is %s refuses the move, which then has changed nothing', async (how, code) => {
    const offer = await makeOffer(service, business.id)
    const id = idOf(await bookSlot(key, offer, at('10:00')))
    const held = await key.hold(offer, at('12:00'))
    if (how === 'booked') await key.book(String(held.body.hold_id))
    for (const change of [
      { starts_at: at('12:00') },
      { starts_at: at('11:45') },
      { ends_at: at('12:01') },
      { starts_at: at('12:00'), notes: 'x', status: 'completed' },
    ]) {
      await expectRefusal(service, () => key.change(id, change), { status: 409, body: { code } })
    }
    expect(await move(id, '11:30')).toMatchObject({ status: 200 })
  })

  test("a session's hold keeps a booking out until it lapses", async () => {
    const offer = await makeOffer(service, business.id)
    const id = idOf(await bookSlot(key, offer, at('10:00')))
    const session = await sessionClient(service, business)
    await session.hold(offer, at('12:00'))
    expect(await move(id, '12:00')).toMatchObject({ status: 409, body: { code: 'slot_held' } })
    service.clock.advance(600)
    expect(await move(id, '12:00')).toMatchObject({ status: 200 })
  })

  test('a booking moves within its own slot, also by less than its length', async () => {
    const offer = await makeOffer(service, business.id, { minutes: 60, bufferBefore: 30, bufferAfter: 30 })
    const id = idOf(await bookSlot(key, offer, at('10:00')))
    expect(await move(id, '10:05')).toMatchObject({ status: 200 })
    expect(await key.change(id, { ends_at: at('10:30') })).toMatchObject({ status: 200 })
    expect(await key.change(id, { starts_at: at('09:30'), ends_at: at('11:00') })).toMatchObject({
      status: 200,
    })
    expect(await takenClaim(service, id)).toMatchObject({
      taken_from: '2026-12-01T08:00:00.000Z',
      taken_until: '2026-12-01T10:30:00.000Z',
    })
  })

  test('two bookings swap by way of a third slot, not directly', async () => {
    const offer = await makeOffer(service, business.id)
    const one = idOf(await bookSlot(key, offer, at('10:00')))
    const two = idOf(await bookSlot(key, offer, at('11:00')))
    await expectRefusal(service, () => move(one, '11:00'), { status: 409, body: { code: 'slot_booked' } })
    expect(await move(one, '12:00')).toMatchObject({ status: 200 })
    expect(await move(two, '10:00')).toMatchObject({ status: 200 })
    expect(await move(one, '11:00')).toMatchObject({ status: 200 })
  })

  test('two bookings that want each other’s slot at once stay where they are', async () => {
    const offer = await makeOffer(service, business.id)
    const one = idOf(await bookSlot(key, offer, at('10:00')))
    const two = idOf(await bookSlot(key, offer, at('11:00')))
    for (let round = 0; round < 5; round += 1) {
      const replies = await Promise.all([move(one, '11:00'), move(two, '10:00')])
      expect(replies.map(({ status }) => status)).toEqual([409, 409])
    }
    expect((await key.show(one)).body.starts_at).toBe(at('10:00'))
    expect((await key.show(two)).body.starts_at).toBe(at('11:00'))
    expect(await eventTypesOf(service, one)).toEqual(['booking.created'])
  })

  test('of many bookings that move into one slot at once, one gets it', async () => {
    const offer = await makeOffer(service, business.id)
    const times = ['10:00', '11:00', '12:00', '13:00', '14:00', '15:00']
    const ids: string[] = []
    for (const time of times) ids.push(idOf(await bookSlot(key, offer, at(time))))
    const replies = await Promise.all(ids.map((id) => move(id, '18:00')))
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409, 409])
  })

  test('of moves in one transaction each gets its slot or stays where it is', async () => {
    const offer = await makeOffer(service, business.id)
    const ids: string[] = []
    for (const time of ['10:00', '11:00', '12:00']) ids.push(idOf(await bookSlot(key, offer, at(time))))
    const [one = '', two = '', three = ''] = ids
    const [before] = [await rowOf(service, 'claims', two)]
    const moves = [() => move(one, '18:00'), () => move(two, '18:00'), () => move(three, '20:00')]
    const replies = await inOneTransaction(service, moves)
    expect(replies.map(({ status }) => status)).toEqual([200, 409, 200])
    expect(await rowOf(service, 'claims', two)).toEqual(before)
    for (const time of ['18:00', '20:00', '11:00']) {
      expect(await key.hold(offer, at(time))).toMatchObject({ status: 409, body: { code: 'slot_booked' } })
    }
    for (const time of ['10:00', '12:00']) expect((await key.hold(offer, at(time))).status).toBe(201)
  })

  test('the record of the hold stays as it was', async () => {
    const offer = await makeOffer(service, business.id)
    const session = await sessionClient(service, business)
    const id = idOf(await bookSlot(session, offer, at('10:00')))
    const before = await rowOf(service, 'claims', id)
    service.clock.advance(60)
    expect((await move(id, '15:30')).status).toBe(200)
    expect(await rowOf(service, 'claims', id)).toEqual({
      ...before,
      taken_from: '2026-12-01T14:30:00.000Z',
      taken_until: '2026-12-01T15:00:00.000Z',
    })
  })

  test('the staff member stays, and decides what is in the way', async () => {
    const staffIds = await makeStaff(service, business.id, ['One', 'Two'])
    const offer = await makeOffer(service, business.id, { staffIds })
    const [first, second] = staffIds
    const booking = await bookSlot(key, offer, at('10:00'), { hold: { staff_id: first } })
    await key.hold(offer, at('12:00'), { staff_id: first })
    await key.hold(offer, at('14:00'), { staff_id: second })
    expect(await move(idOf(booking), '12:00')).toMatchObject({ status: 409 })
    expect(await move(idOf(booking), '14:00')).toMatchObject({
      status: 200,
      body: { staff: { id: first } },
    })
  })

  test('a seat moves into another run of its class while there are seats', async () => {
    const staffIds = await makeStaff(service, business.id, ['Teacher'])
    const offer = await makeOffer(service, business.id, { minutes: 60, capacity: 2, staffIds })
    const ids: string[] = []
    for (const time of ['10:00', '10:00', '12:00']) ids.push(idOf(await bookSlot(key, offer, at(time))))
    const [one = '', two = '', three = ''] = ids
    expect(await move(one, '12:00')).toMatchObject({ status: 200 })
    await expectRefusal(service, () => move(two, '12:00'), { status: 409, body: { code: 'slot_booked' } })
    // only the caller is in the run of 10:00, so all of it moves; with two in it neither can
    expect(await move(two, '10:30')).toMatchObject({ status: 200 })
    await expectRefusal(service, () => move(three, '12:30'), { status: 409, body: { code: 'slot_booked' } })
    const seats = (await service.rows('claims')).filter((claim) => claim['resource_id'] === staffIds[0])
    expect(seats).toHaveLength(3)
  })

  test('a seat whose end changes stays in its run', async () => {
    const staffIds = await makeStaff(service, business.id, ['Teacher'])
    const offer = await makeOffer(service, business.id, { minutes: 60, capacity: 2, staffIds })
    const one = idOf(await bookSlot(key, offer, at('10:00')))
    await bookSlot(key, offer, at('10:00'))
    expect(await key.change(one, { ends_at: at('10:30') })).toMatchObject({ status: 200 })
    expect(await key.change(one, { ends_at: at('11:30') })).toMatchObject({ status: 200 })
    expect(await key.hold(offer, at('11:00'))).toMatchObject({ status: 409 })
  })

  test('a move keeps clear of the other services of the same person', async () => {
    const staffIds = await makeStaff(service, business.id, ['Kim'])
    const one = await makeOffer(service, business.id, { staffIds, capacity: 5 })
    const service_id = await makeService(service, business.id, { staffIds, locationIds: [one.location_id] })
    const id = idOf(await bookSlot(key, one, at('10:00')))
    await bookSlot(key, { ...one, service_id }, at('12:00'))
    await expectRefusal(service, () => move(id, '12:00'), { status: 409, body: { code: 'slot_booked' } })
    expect(await move(id, '12:30')).toMatchObject({ status: 200 })
  })

  test('a refused move names the nearest times of the same person; its own slot is not in the way', async () => {
    const staffIds = await makeStaff(service, business.id, ['One', 'Two'])
    const [one, two] = staffIds
    const offer = await makeOffer(service, business.id, { staffIds, minutes: 60, intervalMinutes: 30 })
    const id = idOf(await bookSlot(key, offer, at('10:00'), { hold: { staff_id: one } }))
    await bookSlot(key, offer, at('12:00'), { hold: { staff_id: one } })
    const slot = (from: string, to: string) => ({
      starts_at: at(from),
      ends_at: at(to),
      staff_ids: [one],
      seats_left: 1,
    })
    await expectRefusal(service, () => move(id, '11:30'), {
      status: 409,
      body: {
        code: 'slot_booked',
        alternatives: [slot('11:00', '12:00'), slot('10:30', '11:30'), slot('13:00', '14:00')],
      },
    })
    expect(await key.hold(offer, at('11:30'), { staff_id: two })).toMatchObject({ status: 201 })
    expect(await move(id, '11:00')).toMatchObject({ status: 200 })
  })

  test('a refused move of a longer booking names times that are as long as it', async () => {
    const offer = await makeOffer(service, business.id, { minutes: 60, intervalMinutes: 60 })
    const id = idOf(await bookSlot(key, offer, at('10:00')))
    await key.change(id, { ends_at: at('12:00') })
    await bookSlot(key, offer, at('15:00'))
    const refused = await move(id, '14:00')
    const slot = (from: string, to: string) => ({ starts_at: at(from), ends_at: at(to) })
    expect(refused.body.alternatives).toMatchObject([
      slot('13:00', '15:00'),
      slot('16:00', '18:00'),
      slot('12:00', '14:00'),
    ])
    expect(await move(id, '13:00')).toMatchObject({ status: 200 })
    const longer = await key.change(id, { starts_at: at('17:00'), ends_at: at('20:00') })
    expect(longer.status).toBe(200)
  })

  test('a refused move names none where the business offers that no more', async () => {
    const offer = await makeOffer(service, business.id)
    const id = idOf(await bookSlot(key, offer, at('10:00')))
    await bookSlot(key, offer, at('11:00'))
    await deactivate(service, 'services', offer.service_id)
    expect(await move(id, '11:00')).toMatchObject({
      status: 409,
      body: { code: 'slot_booked', alternatives: [] },
    })
  })
})
