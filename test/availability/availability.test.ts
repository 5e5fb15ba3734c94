import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clientOf, sessionClient, type Client } from '../support/client.ts'
import { expectFaults, expectProblem } from '../support/expect-problem.ts'
import {
  deactivate,
  makeBusiness,
  makeLocation,
  makeOffer,
  makeService,
  makeStaff,
  type OwnBusiness,
} from '../support/offers.ts'
import { timesOf, watcherOf, type Asked, type Watcher } from '../support/slots.ts'
import { unknownId } from '../support/tenant-things.ts'
import { onEachEngine, startTestService, type TestService } from '../support/test-service.ts'

const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'] as const
const officeHours = weekdays.map((weekday) => ({ weekday, opens: '09:00', closes: '17:00' }))
/** A Tuesday, ten days after the clock of the tests. */
const tuesday = '2026-12-01'

onEachEngine('availability', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let session: Client
  let watcher: Watcher
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service, { hubId: service.world.hub.id })
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

  describe('seats left', () => {
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
      expect(await seatsAt({ ...offer, service_id }, ten)).toBe(1) // another service has seats of its own
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

  describe('who may ask', () => {
    test('a session, a business key and a hub key see the same', async () => {
      const offer = await makeOffer(service, business.id, { weeklyHours: officeHours })
      const tokens = [session.token, business.key, service.world.hub.key]
      for (const ask of [
        (one: Watcher) => one.show(offer, tuesday),
        (one: Watcher) => one.explain(offer, `${tuesday}T09:00:00Z`),
        (one: Watcher) => one.soonest(offer),
      ]) {
        const replies = await Promise.all(tokens.map((token) => ask(watcherOf(service, { token }))))
        expect(replies.map(({ status }) => status)).toEqual([200, 200, 200])
        expect(new Set(replies.map(({ body }) => JSON.stringify(body))).size).toBe(1)
      }
    })

    test('nobody else', async () => {
      const offer = await makeOffer(service, business.id)
      const publishable = watcherOf(service, { token: business.publishableKey })
      for (const reply of [
        await publishable.show(offer, tuesday),
        await publishable.explain(offer, `${tuesday}T09:00:00Z`),
        await publishable.soonest(offer),
      ]) {
        expectProblem(reply, 'key_type_not_allowed', { allowed_key_types: ['session', 'business', 'hub'] })
      }
      const query = new URLSearchParams({ ...offer, from: tuesday, to: tuesday }).toString()
      expectProblem(await service.call('GET', `/availability?${query}`), 'missing_credentials')
    })

    test("a hub key asks about one business at a time: another's location is as if it were not there", async () => {
      const sister = await makeBusiness(service, { hubId: service.world.hub.id })
      const { service_id } = await makeOffer(service, business.id)
      const { location_id } = await makeOffer(service, sister.id)
      const hub = watcherOf(service, { token: service.world.hub.key })
      expectProblem(await hub.show({ service_id, location_id }, tuesday), 'not_found')
    })
  })

  describe('what is not there or not offered', () => {
    const endpoints: [string, (asked: Asked) => Promise<{ reply: Awaited<ReturnType<Watcher['show']>> }>][] =
      [
        ['', async (asked) => ({ reply: await watcher.show(asked, tuesday) })],
        ['/soonest', async (asked) => ({ reply: await watcher.soonest(asked) })],
        ['/explain', async (asked) => ({ reply: await watcher.explain(asked, `${tuesday}T09:00:00Z`) })],
      ]

    test.each(endpoints)('unknown ids and those of another business are 404: %s', async (_path, ask) => {
      const stranger = await makeBusiness(service)
      const [staffId] = await makeStaff(service, business.id, ['Kim'])
      const theirStaff = await makeStaff(service, stranger.id, ['Theirs'])
      const offer = await makeOffer(service, business.id, { staffIds: [staffId ?? ''] })
      const theirs = await makeOffer(service, stranger.id, { staffIds: theirStaff })
      for (const asked of [
        { ...offer, service_id: unknownId },
        { ...offer, location_id: unknownId },
        { ...offer, staff_id: unknownId },
        { ...offer, service_id: theirs.service_id },
        { ...offer, location_id: theirs.location_id },
        { ...offer, staff_id: theirStaff[0] },
        theirs,
      ]) {
        expectProblem((await ask(asked)).reply, 'not_found')
      }
    })

    test.each(endpoints)('what is inactive or not given there is not offered: %s', async (path, ask) => {
      const own = async () => {
        const staffIds = await makeStaff(service, business.id, ['One', 'Two'])
        return { ...(await makeOffer(service, business.id, { staffIds })), staffIds }
      }
      const elsewhere = await makeLocation(service, business.id)
      const [stranger] = await makeStaff(service, business.id, ['Of other services'])
      const [gone, closed, left, offer] = [await own(), await own(), await own(), await own()]
      await deactivate(service, 'services', gone.service_id)
      await deactivate(service, 'locations', closed.location_id)
      await deactivate(service, 'staff', left.staffIds[0] ?? '')
      const bare = ({ service_id, location_id }: Asked) => ({ service_id, location_id })
      for (const asked of [
        bare(gone),
        bare(closed),
        { ...bare(left), staff_id: left.staffIds[0] },
        { ...bare(offer), location_id: elsewhere },
        { ...bare(offer), staff_id: stranger },
      ]) {
        const { reply } = await ask(asked)
        if (path === '/explain') {
          expect(reply.body).toEqual({
            starts_at: `${tuesday}T10:00:00+01:00`,
            offered: false,
            reason: 'not_offered_here',
          })
        } else {
          expectProblem(reply, 'slot_not_offered', { reason: 'not_offered_here', alternatives: [] })
        }
      }
      expect((await ask(bare(left))).reply.status).toBe(200)
    })
  })

  describe('faults of a question', () => {
    const question = (path: string, query: Record<string, string>) =>
      service.call('GET', `/availability${path}?${new URLSearchParams(query).toString()}`, {
        token: session.token,
      })
    const ids = { service_id: unknownId, location_id: unknownId }
    const dates = { from: tuesday, to: tuesday }

    test.each<[string, string, Record<string, string>, string[]]>([
      ['nothing is given', '', {}, ['/service_id', '/location_id', '/from', '/to']],
      ['nothing is given', '/soonest', {}, ['/service_id', '/location_id']],
      ['nothing is given', '/explain', {}, ['/service_id', '/location_id', '/starts_at']],
      ['ids are none', '', { ...dates, service_id: 'x', location_id: '1' }, ['/service_id', '/location_id']],
      ['the staff member is none', '', { ...ids, ...dates, staff_id: 'anna' }, ['/staff_id']],
      ['a date is none', '', { ...ids, from: '2026-02-30', to: '2026-13-01' }, ['/from', '/to']],
      ['a date has a time', '', { ...ids, from: `${tuesday}T00:00:00Z`, to: tuesday }, ['/from']],
      ['a date is short', '', { ...ids, from: '2026-12-1', to: tuesday }, ['/from']],
      ['a year lies outside', '', { ...ids, from: '1969-12-31', to: '10000-01-01' }, ['/from', '/to']],
      ['to is before from', '', { ...ids, from: tuesday, to: '2026-11-30' }, ['/to']],
      ['there are 63 days', '', { ...ids, from: tuesday, to: '2027-02-01' }, ['/to']],
      ['a parameter is unknown', '', { ...ids, ...dates, zone: 'UTC' }, ['/zone']],
      ['dates are given', '/soonest', { ...ids, ...dates }, ['/from', '/to']],
      ['the instant has no offset', '/explain', { ...ids, starts_at: `${tuesday}T10:00:00` }, ['/starts_at']],
    ])('%s%s', async (_what, path, query, pointers) => {
      expectFaults(await question(path, query), ...pointers)
    })

    test('62 days may be asked for, also up to the end of time', async () => {
      const parts = { minutes: 720, intervalMinutes: 720, timezone: 'UTC' }
      const offer = await makeOffer(service, business.id, { ...parts, bufferAfter: 60 })
      for (const [from, to] of [
        [tuesday, '2027-01-31'],
        ['9999-10-31', '9999-12-31'],
        ['1970-01-01', '1970-03-03'],
      ] as const) {
        const reply = await watcher.show(offer, from, to)
        expect(reply.status).toBe(200)
        expect(reply.body.days).toHaveLength(62)
      }
      // no buffer can reach into the year 10000, so the second half of the last day is not offered
      expect(timesOf(await watcher.on(offer, '9999-12-30'))).toEqual(['00:00', '12:00'])
      expect(timesOf(await watcher.on(offer, '9999-12-31'))).toEqual(['00:00'])
      expect((await watcher.explain(offer, '9999-12-31T12:00:00Z')).body.reason).toBe('beyond_horizon')
      const inTheEast = await makeOffer(service, business.id, { ...parts, timezone: 'Asia/Tokyo' })
      expect((await watcher.on(inTheEast, '9999-12-31')).map(({ ends_at }) => ends_at)).toEqual([
        '9999-12-31T12:00:00+09:00',
        '9999-12-31T15:00:00+00:00', // midnight there is in the year 10000, which RFC 3339 cannot write
      ])
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
