import { afterAll, beforeAll, expect, test } from 'vitest'
import { clientOf, sessionClient } from '../support/client.ts'
import { makeBusiness, makeOffer, makeService, makeStaff, type OwnBusiness } from '../support/offers.ts'
import { watcherOf, type Asked, type Watcher } from '../support/slots.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const tuesday = '2026-12-01'

onOneEngine('sqlite', 'seats left', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let watcher: Watcher
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    watcher = watcherOf(service, await sessionClient(service, business))
  })
  afterAll(() => service.stop())

  const ten = `${tuesday}T10:00:00+01:00`
  const halfPastTen = `${tuesday}T10:30:00+01:00`
  const seatsAt = async (asked: Asked, startsAt: string) =>
    (await watcher.at(asked, startsAt))?.seats_left ?? 0

  test('of a service without staff go down and up with holds and bookings for any of its time', async () => {
    const key = clientOf(service, business.key)
    const offer = await makeOffer(service, business.id, { capacity: 3, minutes: 60, intervalMinutes: 30 })
    expect(await seatsAt(offer, ten)).toBe(3)
    const held = await key.hold(offer, ten)
    expect([await seatsAt(offer, ten), await seatsAt(offer, halfPastTen)]).toEqual([2, 2])
    const other = await key.hold(offer, halfPastTen)
    expect([await seatsAt(offer, ten), await seatsAt(offer, halfPastTen)]).toEqual([1, 1])
    expect(await seatsAt(offer, `${tuesday}T11:00:00+01:00`)).toBe(2)
    await key.hold(offer, ten)
    expect([await seatsAt(offer, ten), await seatsAt(offer, halfPastTen)]).toEqual([0, 0])
    const booked = await key.book(String(held.body.hold_id))
    await key.release(String(other.body.hold_id))
    expect([await seatsAt(offer, ten), await seatsAt(offer, halfPastTen)]).toEqual([1, 1])
    await key.cancel(String(booked.body.id))
    expect(await seatsAt(offer, ten)).toBe(2)
  })

  test('are counted for the whole slot: seats free one after the other make none', async () => {
    const key = clientOf(service, business.key)
    const offer = await makeOffer(service, business.id, { capacity: 2, intervalMinutes: 30 })
    const service_id = await makeService(service, business.id, {
      locationIds: [offer.location_id],
      minutes: 60,
      intervalMinutes: 30,
    })
    await key.hold(offer, ten) // seat 0 of the first half hour
    const first = await key.hold(offer, halfPastTen)
    await key.hold(offer, halfPastTen) // seat 1 of the second
    await key.release(String(first.body.hold_id))
    expect(await seatsAt(offer, ten)).toBe(1)
    expect(await seatsAt(offer, halfPastTen)).toBe(1)
    expect(await seatsAt({ ...offer, service_id }, ten)).toBe(1) // another service has separate seats
    await key.change(String((await key.book(String((await key.hold(offer, ten)).body.hold_id))).body.id), {
      ends_at: `${tuesday}T11:00:00+01:00`,
    })
    expect(await seatsAt(offer, ten)).toBe(0)
  })

  test('with staff are those of each run that is not another', async () => {
    const key = clientOf(service, business.key)
    const staffIds = await makeStaff(service, business.id, ['One', 'Two'])
    const [one, two] = staffIds
    const offer = await makeOffer(service, business.id, {
      staffIds,
      capacity: 2,
      minutes: 60,
      intervalMinutes: 30,
    })
    expect(await watcher.at(offer, ten)).toMatchObject({ staff_ids: staffIds, seats_left: 4 })
    const held = await key.hold(offer, ten, { staff_id: one })
    expect(await watcher.at(offer, ten)).toMatchObject({ staff_ids: staffIds, seats_left: 3 })
    expect(await watcher.at(offer, halfPastTen)).toMatchObject({ staff_ids: [two], seats_left: 2 })
    await key.hold(offer, ten, { staff_id: one })
    expect(await watcher.at(offer, ten)).toMatchObject({ staff_ids: [two], seats_left: 2 })
    expect(await watcher.at({ ...offer, staff_id: one }, ten)).toBeUndefined()
    await key.release(String(held.body.hold_id))
    expect(await watcher.at(offer, ten)).toMatchObject({ staff_ids: staffIds, seats_left: 3 })
  })
})
