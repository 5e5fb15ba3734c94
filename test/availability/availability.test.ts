import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clientOf, sessionClient, type Client } from '../support/client.ts'
import { makeBusiness, makeOffer, makeStaff, type OwnBusiness } from '../support/offers.ts'
import { timesOf, watcherOf, type ShownSlot, type Watcher } from '../support/slots.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'] as const
const officeHours = weekdays.map((weekday) => ({ weekday, opens: '09:00', closes: '17:00' }))
/** A Tuesday, ten days after the clock of the tests. */
const tuesday = '2026-12-01'

onOneEngine('sqlite', 'availability', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let watcher: Watcher
  let session: Client
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    session = await sessionClient(service, business)
    watcher = watcherOf(service, session)
  })
  afterAll(() => service.stop())

  describe('the slots of a range of dates', () => {
    test('stand under the date on which they start where the location is, and no date is left out', async () => {
      const offer = await makeOffer(service, business.id, {
        timezone: 'America/New_York', // the business is in Berlin
        weeklyHours: [{ weekday: 'tuesday', opens: '22:00', closes: '02:00' }],
        minutes: 60,
        intervalMinutes: 60,
      })
      const slot = (from: string, to: string) => ({
        starts_at: `2026-12-${from}:00-05:00`,
        ends_at: `2026-12-${to}:00-05:00`,
        staff_ids: [],
        seats_left: 1,
      })
      const reply = await watcher.show(offer, '2026-11-30', '2026-12-03')
      expect(reply).toMatchObject({
        status: 200,
        headers: { 'content-type': 'application/json; charset=utf-8' },
      })
      expect(reply.body).toEqual({
        ...offer,
        timezone: 'America/New_York',
        days: [
          { date: '2026-11-30', slots: [] },
          { date: '2026-12-01', slots: [slot('01T22:00', '01T23:00'), slot('01T23:00', '02T00:00')] },
          { date: '2026-12-02', slots: [slot('02T00:00', '02T01:00'), slot('02T01:00', '02T02:00')] },
          { date: '2026-12-03', slots: [] },
        ],
      })
    })

    test('start at each opening, every interval, and end before closing; buffers may reach beyond', async () => {
      const offer = await makeOffer(service, business.id, {
        weeklyHours: [
          { weekday: 'tuesday', opens: '09:10', closes: '11:00' },
          { weekday: 'tuesday', opens: '14:00', closes: '15:00' },
        ],
        minutes: 45,
        intervalMinutes: 30,
        bufferBefore: 60,
        bufferAfter: 60,
      })
      expect(timesOf(await watcher.on(offer, tuesday))).toEqual(['09:10', '09:40', '10:10', '14:00'])
    })

    test('follow the hours of a single date in place of the weekly ones', async () => {
      const offer = await makeOffer(service, business.id, {
        weeklyHours: officeHours,
        dateOverrides: [
          { date: tuesday, hours: [] },
          { date: '2026-12-05', hours: [{ opens: '12:00', closes: '14:00' }] },
        ],
        minutes: 60,
        intervalMinutes: 60,
      })
      expect(await watcher.on(offer, tuesday)).toEqual([])
      expect(timesOf(await watcher.on(offer, '2026-12-05'))).toEqual(['12:00', '13:00'])
      expect(await watcher.on(offer, '2026-12-02')).toHaveLength(8)
    })

    test('are as many as the day has hours where it is always open', async () => {
      const offer = await makeOffer(service, business.id, { minutes: 60, intervalMinutes: 60 })
      expect(await watcher.on(offer, tuesday)).toHaveLength(24)
      expect(await watcher.on(offer, '2027-03-28')).toHaveLength(23)
      expect(await watcher.on(offer, '2027-10-31')).toHaveLength(25)
    })

    test('are none before the present instant, within the notice and after the horizon', async () => {
      const offer = await makeOffer(service, business.id, {
        minutes: 60,
        intervalMinutes: 60,
        noticeMinutes: 120,
        horizonDays: 3,
      })
      const reply = await watcher.show(offer, '2026-11-19', '2026-11-24')
      const perDay = (reply.body.days as { slots: unknown[] }[]).map(({ slots }) => slots.length)
      const now = Temporal.Instant.fromEpochMilliseconds(service.clock.nowMs()).toZonedDateTimeISO(
        'Europe/Berlin',
      )
      const today = 24 - now.add({ minutes: 119, seconds: 59 }).hour - 1
      expect(perDay).toEqual([0, today, 24, 24, 24, 0])
    })

    test('go on for 24 hours where it closes when it opens', async () => {
      const offer = await makeOffer(service, business.id, {
        weeklyHours: [{ weekday: 'tuesday', opens: '09:00', closes: '09:00' }],
        dateOverrides: [{ date: '2026-12-05', hours: [{ opens: '18:00', closes: '18:00' }] }],
        minutes: 60,
        intervalMinutes: 60,
      })
      const days = async (from: string, to: string) =>
        ((await watcher.show(offer, from, to)).body.days as { slots: ShownSlot[] }[]).map(({ slots }) =>
          timesOf(slots),
        )
      const hours = (from: number, to: number) =>
        Array.from({ length: to - from }, (_, more) => `${String(from + more).padStart(2, '0')}:00`)
      expect(await days('2026-11-30', '2026-12-03')).toEqual([[], hours(9, 24), hours(0, 9), []])
      expect(await days('2026-12-05', '2026-12-06')).toEqual([hours(18, 24), hours(0, 18)])
      expect((await session.hold(offer, '2026-12-02T08:00:00+01:00')).status).toBe(201)
      expect((await session.hold(offer, '2026-12-02T09:00:00+01:00')).body.reason).toBe('outside_hours')
    })

    test('of a whole day begin until the evening before the clocks are set forward', async () => {
      const offer = await makeOffer(service, business.id, { minutes: 1_440, intervalMinutes: 30 })
      const evening = '2027-03-27T23:30:00+01:00' // ends on Monday, because Sunday has 23 hours
      const slots = await watcher.on(offer, '2027-03-27')
      expect(slots).toHaveLength(48)
      expect(slots.at(-1)).toMatchObject({ starts_at: evening, ends_at: '2027-03-29T00:30:00+02:00' })
      expect((await watcher.explain(offer, evening)).body).toMatchObject({ offered: true, reason: null })
      expect((await session.hold(offer, evening)).status).toBe(201)
    })

    test('leave room for the buffer after them, also at the end of the range', async () => {
      const staffIds = await makeStaff(service, business.id, ['Anna'])
      const offer = await makeOffer(service, business.id, { staffIds, intervalMinutes: 30, bufferAfter: 60 })
      const next = await makeOffer(service, business.id, { staffIds })
      await session.hold(next, '2026-12-02T00:45:00+01:00')
      const stranger = watcherOf(service, await sessionClient(service, business))
      expect(timesOf(await stranger.on(offer, tuesday)).slice(-2)).toEqual(['22:30', '23:00'])
      const anywhere = (await stranger.show(offer, tuesday, '2026-12-02')).body.days[0].slots
      expect(timesOf(anywhere as ShownSlot[]).slice(-2)).toEqual(['22:30', '23:00'])
    })

    test('stand on the grid of the opening in which they start, for those who hold too', async () => {
      const offer = await makeOffer(service, business.id, {
        timezone: 'Asia/Kathmandu',
        weeklyHours: [
          { weekday: 'tuesday', opens: '09:10', closes: '10:40' }, // one open time, and two openings
          { weekday: 'tuesday', opens: '10:40', closes: '12:00' },
          { weekday: 'tuesday', opens: '22:15', closes: '01:30' },
        ],
        intervalMinutes: 40,
      })
      const reply = await watcher.show(offer, tuesday, '2026-12-02')
      const [first, second] = (reply.body.days as { slots: ShownSlot[] }[]).map(({ slots }) => timesOf(slots))
      expect(first).toEqual(['09:10', '09:50', '10:30', '10:40', '11:20', '22:15', '22:55', '23:35'])
      expect(second).toEqual(['00:15', '00:55'])
      expect(timesOf(await watcher.on(offer, '2026-12-02'))).toEqual(second)
      const holdAt = (time: string, date = tuesday) => session.hold(offer, `${date}T${time}:00+05:45`)
      // on the grid of the second one before it opens; on that of the first one after it has closed; on neither
      for (const time of ['09:20', '10:00', '11:10', '09:30', '22:35']) {
        expect((await holdAt(time)).body.reason, time).toBe('not_on_grid')
      }
      for (const time of first ?? []) expect((await holdAt(time)).status, time).toBe(201)
      expect((await holdAt('00:00', '2026-12-02')).body.reason).toBe('not_on_grid')
      expect((await holdAt('00:55', '2026-12-02')).status).toBe(201)
    })

    test('begin at local midnight where it is always open', async () => {
      const offer = await makeOffer(service, business.id, {
        timezone: 'Asia/Kathmandu',
        minutes: 60,
        intervalMinutes: 50,
      })
      const slots = await watcher.on(offer, tuesday)
      expect(timesOf(slots).slice(0, 3)).toEqual(['00:00', '00:50', '01:40'])
      expect(timesOf(slots).at(-1)).toBe('23:20')
      expect(timesOf(await watcher.on(offer, '2026-12-02'))[0]).toBe('00:00')
      expect((await session.hold(offer, `${tuesday}T00:10:00+05:45`)).body.reason).toBe('not_on_grid')
      expect((await session.hold(offer, `${tuesday}T01:40:00+05:45`)).status).toBe(201)
    })

    test('are those of one staff member where one is asked for', async () => {
      const [early = '', late = ''] = [
        ...(await makeStaff(service, business.id, ['Early'], [], {
          weeklyHours: [{ weekday: 'tuesday', opens: '09:00', closes: '10:00' }],
        })),
        ...(await makeStaff(service, business.id, ['Late'], [], {
          weeklyHours: [{ weekday: 'tuesday', opens: '09:30', closes: '10:30' }],
        })),
      ]
      const offer = await makeOffer(service, business.id, { staffIds: [early, late], intervalMinutes: 30 })
      const slots = await watcher.on(offer, tuesday)
      expect(slots.map(({ staff_ids, seats_left }) => ({ staff_ids, seats_left }))).toEqual([
        { staff_ids: [early], seats_left: 1 },
        { staff_ids: [early, late].toSorted(), seats_left: 2 },
        { staff_ids: [late], seats_left: 1 },
      ])
      const ofLate = await watcher.on({ ...offer, staff_id: late }, tuesday)
      expect(timesOf(ofLate)).toEqual(['09:30', '10:00'])
      expect(ofLate.map(({ staff_ids }) => staff_ids)).toEqual([[late], [late]])
    })
  })

  describe('the soonest slot', () => {
    test('is the first that is free after the present instant', async () => {
      const offer = await makeOffer(service, business.id, {
        weeklyHours: [{ weekday: 'sunday', opens: '12:00', closes: '13:00' }],
        intervalMinutes: 30,
      })
      const slot = (date: string, time: string) => ({ starts_at: `${date}T${time}:00+01:00`, seats_left: 1 })
      expect((await watcher.soonest(offer)).body).toEqual({
        ...slot('2026-11-22', '12:00'),
        ends_at: '2026-11-22T12:30:00+01:00',
        staff_ids: [],
      })
      const key = clientOf(service, business.key)
      await key.hold(offer, '2026-11-22T12:00:00+01:00')
      expect((await watcher.soonest(offer)).body).toMatchObject(slot('2026-11-22', '12:30'))
      await key.hold(offer, '2026-11-22T12:30:00+01:00')
      expect((await watcher.soonest(offer)).body).toMatchObject(slot('2026-11-29', '12:00'))
    })

    test('may be a year away', async () => {
      const offer = await makeOffer(service, business.id, {
        weeklyHours: [],
        dateOverrides: [{ date: '2027-11-20', hours: [{ opens: '10:00', closes: '11:00' }] }],
        minutes: 60,
      })
      expect((await watcher.soonest(offer)).body).toMatchObject({ starts_at: '2027-11-20T10:00:00+01:00' })
    })

    test.each([
      ['where it never opens', { weeklyHours: [] }],
      [
        'beyond the horizon',
        { weeklyHours: [{ weekday: 'tuesday' as const, opens: '09:00', closes: '17:00' }], horizonDays: 3 },
      ],
      [
        'where no opening is long enough',
        { weeklyHours: [{ weekday: 'tuesday' as const, opens: '09:00', closes: '09:29' }] },
      ],
    ])('is null %s', async (_where, parts) => {
      const reply = await watcher.soonest(await makeOffer(service, business.id, parts))
      expect(reply).toMatchObject({ status: 200, body: null })
    })
  })
})
