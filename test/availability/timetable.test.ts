import { afterAll, beforeAll, expect, test } from 'vitest'
import { bookSlot, clientOf, sessionClient, type Client } from '../support/client.ts'
import {
  makeBusiness,
  makeLocation,
  type HoursParts,
  type Offer,
  type OwnBusiness,
} from '../support/offers.ts'
import { expectRefusal } from '../support/refusals.ts'
import { timesOf, type Watcher, watcherOf } from '../support/slots.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

/* In Berlin. 2026-12-07 is a Monday. Clocks go ahead on 2027-03-28 and back on 2027-10-31, both Sundays. */

const timetable = [
  { weekday: 'monday', starts: ['09:00', '09:50', '18:30'] },
  { weekday: 'sunday', starts: ['02:30', '11:00'] },
]

onOneEngine('sqlite', 'a timetable', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let key: Client
  let visitor: Client
  let watcher: Watcher
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    key = clientOf(service, business.key)
    visitor = await sessionClient(service, business)
    watcher = watcherOf(service, visitor)
  })
  afterAll(() => service.stop())

  const call = (method: string, path: string, body?: object) =>
    service.call(method, path, { token: business.key, ...(body && { body }) })

  /** Creates a class of half an hour. */
  async function classes(more: object = {}, hours: HoursParts = {}): Promise<Offer> {
    const location_id = await makeLocation(service, business.id, hours)
    const wanted = { name: 'Yoga', duration_minutes: 30, timetable, location_ids: [location_id], ...more }
    const { body } = await call('POST', '/services', wanted)
    return { service_id: body.id as string, location_id }
  }

  test('is shown as it was given, replaced whole, and removed by null', async () => {
    const { service_id } = await classes()
    const path = `/services/${service_id}`
    const shown = await call('GET', path)
    expect(shown.body).toMatchObject({ timetable, slot_interval_minutes: 30 })
    expect((await call('PATCH', path, {})).body).toEqual(shown.body)
    const tuesdays = [{ weekday: 'tuesday', starts: ['10:00'] }]
    expect((await call('PATCH', path, { timetable: tuesdays })).body.timetable).toEqual(tuesdays)
    expect((await call('PATCH', path, { timetable: [] })).body.timetable).toEqual([])
    expect((await call('PATCH', path, { timetable: null })).body.timetable).toBeNull()
    expect((await call('GET', path)).body).toEqual({ ...shown.body, timetable: null })
  })

  test('slots start then and at no other time, and take effect at once', async () => {
    const offer = await classes()
    expect(timesOf(await watcher.on(offer, '2026-12-07'))).toEqual(['09:00', '09:50', '18:30'])
    expect(await watcher.on(offer, '2026-12-08')).toEqual([])
    expect((await watcher.soonest(offer)).body.starts_at).toMatch(/(09:00|09:50|18:30|02:30|11:00):00\+/)
    await call('PATCH', `/services/${offer.service_id}`, {
      timetable: [{ weekday: 'tuesday', starts: ['23:45'] }],
    })
    expect(await watcher.on(offer, '2026-12-07')).toEqual([])
    expect(timesOf(await watcher.on(offer, '2026-12-08'))).toEqual(['23:45'])
    await call('PATCH', `/services/${offer.service_id}`, { timetable: [] })
    expect((await watcher.soonest(offer)).body).toBeNull()
    await call('PATCH', `/services/${offer.service_id}`, { timetable: null })
    expect(await watcher.on(offer, '2026-12-07')).toHaveLength(48)
  })

  test('a start that is not in it is refused as one off the grid is, with those in it as alternatives', async () => {
    const offer = await classes()
    const off = '2026-12-07T09:30:00+01:00'
    await expectRefusal(service, () => visitor.hold(offer, off), {
      status: 422,
      body: {
        code: 'slot_not_offered',
        reason: 'not_on_grid',
        alternatives: [
          { starts_at: '2026-12-07T09:50:00+01:00' },
          { starts_at: '2026-12-07T09:00:00+01:00' },
          { starts_at: '2026-12-07T18:30:00+01:00' },
        ],
      },
    })
    expect((await watcher.explain(offer, off)).body).toMatchObject({ offered: false, reason: 'not_on_grid' })
    expect((await watcher.explain(offer, '2026-12-07T09:50:00+01:00')).body.reason).toBeNull()
    const seconds = await watcher.explain(offer, '2026-12-07T09:50:01+01:00')
    expect(seconds.body.reason).toBe('not_on_grid')
    const booking = await bookSlot(visitor, offer, '2026-12-07T09:50:00+01:00')
    // keys may, as they may hold off the grid
    expect((await key.hold(offer, '2026-12-07T12:10:00+01:00')).status).toBe(201)
    expect((await key.change(booking.id as string, { starts_at: '2026-12-07T13:05:00+01:00' })).status).toBe(
      200,
    )
  })

  test('hours, notice, buffers and what is taken still count', async () => {
    const weeklyHours = [{ weekday: 'monday' as const, opens: '09:00', closes: '18:45' }]
    const offer = await classes({ buffer_after_minutes: 30 }, { weeklyHours })
    expect(timesOf(await watcher.on(offer, '2026-12-07'))).toEqual(['09:00', '09:50'])
    expect((await watcher.explain(offer, '2026-12-07T18:30:00+01:00')).body.reason).toBe('outside_hours')
    expect((await watcher.explain(offer, '2026-12-13T11:00:00+01:00')).body.reason).toBe('outside_hours')
    await bookSlot(await sessionClient(service, business), offer, '2026-12-07T09:00:00+01:00')
    expect(await watcher.on(offer, '2026-12-07')).toEqual([]) // the buffer reaches past 09:50
    expect((await watcher.explain(offer, '2026-12-07T09:50:00+01:00')).body.reason).toBe('slot_booked')
  })

  test('a start that the clocks skip has no slot, one that they repeat has two', async () => {
    const offer = await classes()
    expect(timesOf(await watcher.on(offer, '2027-03-28'))).toEqual(['11:00'])
    const starts = (await watcher.on(offer, '2027-10-31')).map(({ starts_at }) => starts_at)
    expect(starts).toEqual([
      '2027-10-31T02:30:00+02:00',
      '2027-10-31T02:30:00+01:00',
      '2027-10-31T11:00:00+01:00',
    ])
    for (const start of starts) expect((await visitor.hold(offer, start)).status).toBe(201)
  })
})
