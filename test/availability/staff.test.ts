import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bookSlot, clientOf, sessionClient, type Client } from '../support/client.ts'
import { onOneEngine } from '../support/long.ts'
import {
  makeBusiness,
  makeLocation,
  makeOffer,
  makeService,
  makeStaff,
  type HoursParts,
  type OwnBusiness,
} from '../support/offers.ts'
import { rowOf } from '../support/records.ts'
import { timesOf, watcherOf, type Asked } from '../support/slots.ts'
import { startTestService, type Reply, type TestService } from '../support/test-service.ts'

const at = (time: string, date = '2026-12-01') => `${date}T${time}:00+01:00`
const ten = at('10:00')

onOneEngine('sqlite', 'staff and what is offered', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let key: Client
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    key = clientOf(service, business.key)
  })
  afterAll(() => service.stop())

  const person = async (name: string, parts: { locationIds?: string[] } & HoursParts = {}) => {
    const { locationIds = [], ...hours } = parts
    return (await makeStaff(service, business.id, [name], locationIds, hours))[0] ?? ''
  }
  const staffOf = async (held: Reply) =>
    (await rowOf(service, 'claims', String(held.body.hold_id)))?.['staff_id'] as string
  const block = (body: object) => service.call('POST', '/blocks', { token: business.key, body })

  /** Books a staff member in another service, at the same location or another. */
  async function bookElsewhere(
    staffId: string,
    startsAt: string,
    parts: { locationId?: string; bufferAfter?: number } = {},
  ) {
    const { locationId = await makeLocation(service, business.id), ...rest } = parts
    const service_id = await makeService(service, business.id, {
      staffIds: [staffId],
      locationIds: [locationId],
      ...rest,
    })
    await bookSlot(key, { service_id, location_id: locationId }, startsAt)
  }

  /** Reasons why a staff member is not available at ten for half an hour, with a quarter before and after. */
  const absences: [how: string, code: string, absent: (place: string) => Promise<string>][] = [
    ['does not work that day', 'slot_not_offered', () => person('Kim', { weeklyHours: [] })],
    [
      'goes home before the end',
      'slot_not_offered',
      () => person('Kim', { weeklyHours: [{ weekday: 'tuesday', opens: '08:00', closes: '10:29' }] }),
    ],
    [
      'is on holiday that date',
      'slot_not_offered',
      () => person('Kim', { dateOverrides: [{ date: '2026-12-01', hours: [] }] }),
    ],
    [
      'is blocked for the last minute',
      'slot_not_offered',
      async () => {
        const staff_id = await person('Kim')
        await block({ staff_id, starts_at: at('10:29'), ends_at: at('12:00') })
        return staff_id
      },
    ],
    [
      'works at another location',
      'slot_not_offered',
      async () => person('Kim', { locationIds: [await makeLocation(service, business.id)] }),
    ],
    [
      'is booked in another service',
      'slot_booked',
      async (locationId) => {
        const staffId = await person('Kim')
        await bookElsewhere(staffId, ten, { locationId })
        return staffId
      },
    ],
    [
      'is booked at another location',
      'slot_booked',
      async () => {
        const staffId = await person('Kim')
        await bookElsewhere(staffId, at('10:15'))
        return staffId
      },
    ],
    [
      'is booked until within the buffer before',
      'slot_booked',
      async () => {
        const staffId = await person('Kim')
        await bookElsewhere(staffId, at('09:16'))
        return staffId
      },
    ],
    [
      'has a buffer of another service into that time',
      'slot_booked',
      async () => {
        const staffId = await person('Kim')
        await bookElsewhere(staffId, at('08:30'), { bufferAfter: 46 })
        return staffId
      },
    ],
    [
      'is booked from within the buffer after',
      'slot_booked',
      async () => {
        const staffId = await person('Kim')
        await bookElsewhere(staffId, at('10:44'))
        return staffId
      },
    ],
  ]

  describe('somebody who', () => {
    test.each(absences)('%s is neither offered nor given', async (_how, code, absent) => {
      const location_id = await makeLocation(service, business.id)
      const [away, free] = [await absent(location_id), await person('Free')]
      const service_id = await makeService(service, business.id, {
        locationIds: [location_id],
        staffIds: [away, free],
        intervalMinutes: 30,
        bufferBefore: 15,
        bufferAfter: 15,
      })
      const offer = { service_id, location_id }
      const [session, rival] = [
        await sessionClient(service, business),
        await sessionClient(service, business),
      ]
      const watcher = watcherOf(service, session)
      expect(await watcher.at(offer, ten)).toMatchObject({ staff_ids: [free], seats_left: 1 })
      expect(
        (await watcher.show({ ...offer, staff_id: away }, '2026-12-01')).body.days?.[0].slots ?? [],
      ).not.toContainEqual(expect.objectContaining({ starts_at: ten }))
      expect((await session.hold(offer, ten, { staff_id: away })).body.code).toBe(code)
      const held = await session.hold(offer, ten)
      expect(await staffOf(held)).toBe(free)
      expect((await rival.hold(offer, ten)).body.code).toBe('slot_held')
      expect(await watcherOf(service, rival).at(offer, ten)).toBeUndefined()
    })

    test('is free again right after, buffers counted once from each side', async () => {
      const staffId = await person('Kim')
      const offer = await makeOffer(service, business.id, {
        staffIds: [staffId],
        minutes: 30,
        intervalMinutes: 15,
        bufferBefore: 15,
      })
      await bookElsewhere(staffId, ten, { bufferAfter: 15 })
      const watcher = watcherOf(service, await sessionClient(service, business))
      const slots = timesOf(await watcher.on(offer, '2026-12-01'))
      expect(slots.filter((time) => time >= '09:00' && time <= '11:30')).toEqual([
        ...['09:00', '09:15', '09:30'],
        ...['11:00', '11:15', '11:30'],
      ])
    })
  })

  test('hours of staff and location meet, past midnight and across zones too', async () => {
    const staffId = await person('Night owl', {
      weeklyHours: [{ weekday: 'tuesday', opens: '23:00', closes: '03:00' }],
    })
    const offer = await makeOffer(service, business.id, {
      timezone: 'Asia/Kolkata',
      weeklyHours: [{ weekday: 'wednesday', opens: '00:00', closes: '02:00' }],
      staffIds: [staffId],
      minutes: 60,
      intervalMinutes: 60,
    })
    const watcher = watcherOf(service, await sessionClient(service, business))
    expect(await watcher.on(offer, '2026-12-01')).toEqual([])
    expect((await watcher.on(offer, '2026-12-02')).map(({ starts_at }) => starts_at)).toEqual([
      '2026-12-02T00:00:00+05:30',
      '2026-12-02T01:00:00+05:30',
    ])
  })

  test('the one with the fewest bookings that day is chosen among those who are there', async () => {
    const morning = { weeklyHours: [{ weekday: 'tuesday' as const, opens: '08:00', closes: '12:00' }] }
    const [idle, busy, busier] = [await person('Idle', morning), await person('Busy'), await person('Busier')]
    const offer = await makeOffer(service, business.id, { staffIds: [idle, busy, busier] })
    await bookSlot(key, offer, at('08:00'), { hold: { staff_id: busier } })
    await bookSlot(key, offer, at('09:00'), { hold: { staff_id: busier } })
    await bookSlot(key, offer, at('08:00'), { hold: { staff_id: busy } })
    const session = await sessionClient(service, business)
    expect(await staffOf(await session.hold(offer, at('11:00')))).toBe(idle)
    expect(await staffOf(await session.hold(offer, at('12:00')))).toBe(busy)
    expect(await staffOf(await key.hold(offer, at('13:00')))).toBe(busy)
  })

  test('bookings of a day go round, in the order of ids, by the date where the location is', async () => {
    const staffIds = await makeStaff(service, business.id, ['One', 'Two', 'Three'])
    const offer = await makeOffer(service, business.id, { staffIds, timezone: 'America/Los_Angeles' })
    const chosen: string[] = []
    // from 22:00 on the first day to 01:30 on the second: in UTC all of them have one date
    for (const hour of ['06:00', '06:30', '07:00', '07:30', '08:00', '08:30', '09:00', '09:30']) {
      const session = await sessionClient(service, business)
      chosen.push(String((await bookSlot(session, offer, `2026-12-02T${hour}:00Z`)).staff.id))
    }
    const [one, two, three] = staffIds
    expect(chosen).toEqual([one, two, three, one, one, two, three, one])
  })

  test('a key that ignores the hours of all gets anybody who is not taken, never somebody of elsewhere', async () => {
    const location_id = await makeLocation(service, business.id)
    const off = await person('Off', { weeklyHours: [] })
    const elsewhere = await person('Elsewhere', { locationIds: [await makeLocation(service, business.id)] })
    const service_id = await makeService(service, business.id, {
      staffIds: [off, elsewhere],
      locationIds: [location_id],
    })
    const offer: Asked = { service_id, location_id }
    expect(await staffOf(await key.hold(offer, ten))).toBe(off)
    expect((await key.hold(offer, ten)).body.code).toBe('slot_held')
    expect(await key.hold(offer, ten, { staff_id: elsewhere })).toMatchObject({
      status: 422,
      body: { reason: 'not_offered_here' },
    })
  })
})
