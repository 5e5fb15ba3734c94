import { afterAll, beforeAll, expect, test } from 'vitest'
import { clientOf, sessionClient, type Client } from '../support/client.ts'
import {
  makeBusiness,
  makeLocation,
  makeOffer,
  makeService,
  makeStaff,
  type OwnBusiness,
} from '../support/offers.ts'
import { expectRefusal, pointersOf } from '../support/refusals.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type Reply, type TestService } from '../support/test-service.ts'

const weekly = (count: number, interval = 1) => ({ repeat: { every: 'week', interval, count } })

interface HeldSeries {
  id: string
  holds: { hold_id: string; starts_at: string; ends_at: string }[]
  skipped: { starts_at: string; reason: string; alternatives: { starts_at: string }[] }[]
}

const seriesOf = (reply: Reply) => reply.body.series as HeldSeries
const startsOf = (reply: Reply) => seriesOf(reply).holds.map(({ starts_at }) => starts_at)

onOneEngine('sqlite', 'series', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let byKey: Client
  let lastHost = 0
  beforeAll(async () => {
    service = await startTestService(engine, { RATE_LIMIT_FACTOR: '1' })
    business = await makeBusiness(service)
    byKey = clientOf(service, business.key)
  })
  afterAll(() => service.stop())

  const session = () => sessionClient(service, business, `192.0.2.${(lastHost += 1)}`)
  const statusOf = async (id: string) => (await byKey.showHold(id)).body.status as string

  test('a series holds the same wall time, and each hold is one by itself', async () => {
    const offer = await makeOffer(service, business.id)
    const held = await byKey.hold(offer, '2027-03-01T09:00:00+01:00', weekly(3, 4))
    expect(held.status).toBe(201)
    expect(startsOf(held)).toEqual([
      '2027-03-01T09:00:00+01:00',
      '2027-03-29T09:00:00+02:00', // summer time began on the 28th
      '2027-04-26T09:00:00+02:00',
    ])
    expect(held.body.hold_id).toBe(seriesOf(held).holds[0]?.hold_id)
    expect(seriesOf(held).skipped).toEqual([])
    const rival = await byKey.hold(offer, '2027-03-29T09:00:00+02:00')
    expect(rival).toMatchObject({ status: 409, body: { code: 'slot_held' } })
    const shown = await Promise.all(seriesOf(held).holds.map(({ hold_id }) => byKey.showHold(hold_id)))
    expect(new Set(shown.map(({ body }) => body.expires_at as string)).size).toBe(1)
  })

  test('a conflict refuses all, and names every one with other times', async () => {
    const offer = await makeOffer(service, business.id)
    await byKey.hold(offer, '2027-01-12T10:00:00+01:00')
    await byKey.hold(offer, '2027-01-26T10:00:00+01:00')
    const attempt = () => byKey.hold(offer, '2027-01-05T10:00:00+01:00', weekly(4))
    await expectRefusal(service, attempt, { status: 409, body: { code: 'slot_held' } })
    const { conflicts, alternatives } = (await attempt()).body as {
      conflicts: HeldSeries['skipped']
      alternatives: object[]
    }
    expect(conflicts.map(({ starts_at, reason }) => [starts_at, reason])).toEqual([
      ['2027-01-12T10:00:00+01:00', 'slot_held'],
      ['2027-01-26T10:00:00+01:00', 'slot_held'],
    ])
    expect(conflicts[0]?.alternatives).toHaveLength(3)
    expect(conflicts[0]?.alternatives[0]?.starts_at).toBe('2027-01-12T10:30:00+01:00')
    expect(alternatives).toEqual(conflicts[0]?.alternatives)
  })

  test('skip holds what is free, and tells what it skipped', async () => {
    const offer = await makeOffer(service, business.id)
    await byKey.hold(offer, '2027-01-05T10:00:00+01:00')
    const held = await byKey.hold(offer, '2027-01-05T10:00:00+01:00', { ...weekly(3), conflicts: 'skip' })
    expect(held.status).toBe(201)
    expect(startsOf(held)).toEqual(['2027-01-12T10:00:00+01:00', '2027-01-19T10:00:00+01:00'])
    expect(seriesOf(held).skipped).toMatchObject([
      { starts_at: '2027-01-05T10:00:00+01:00', reason: 'slot_held' },
    ])
    expect(seriesOf(held).skipped[0]?.alternatives).toHaveLength(3)
    await expectRefusal(
      service,
      () => byKey.hold(offer, '2027-01-12T10:00:00+01:00', { ...weekly(2), conflicts: 'skip' }),
      { status: 409, body: { code: 'slot_held' } },
    )
  })

  test('days that a month lacks, and times that the clock skips, are conflicts', async () => {
    const offer = await makeOffer(service, business.id)
    const monthly = { repeat: { every: 'month', count: 4 }, conflicts: 'skip' }
    const held = await byKey.hold(offer, '2027-01-31T09:00:00+01:00', monthly)
    expect(startsOf(held)).toEqual(['2027-01-31T09:00:00+01:00', '2027-03-31T09:00:00+02:00'])
    expect(seriesOf(held).skipped).toMatchObject([
      { starts_at: '2027-02-28T09:00:00+01:00', reason: 'no_such_day' },
      { starts_at: '2027-04-30T09:00:00+02:00', reason: 'no_such_day' },
    ])
    expect(seriesOf(held).skipped[0]?.alternatives[0]?.starts_at).toBe('2027-02-28T09:00:00+01:00')
    const daily = { repeat: { every: 'day', until: '2027-03-29' } }
    const attempt = () => byKey.hold(offer, '2027-03-27T02:30:00+01:00', daily)
    await expectRefusal(service, attempt, {
      status: 422,
      body: { code: 'slot_not_offered', reason: 'time_skipped', conflicts: [{ reason: 'time_skipped' }] },
    })
  })

  test('visitors repeat a service as often as it allows; its rules bind each time', async () => {
    const offer = await makeOffer(service, business.id, {
      maxRepeats: 3,
      horizonDays: 20,
      intervalMinutes: 30,
    })
    const visitor = await session()
    const start = '2026-11-30T10:00:00+01:00'
    const tooMany = await visitor.hold(offer, start, weekly(4))
    expect(tooMany.status).toBe(422)
    expect(pointersOf(tooMany)).toEqual(['/repeat/count'])
    const plain = await makeOffer(service, business.id)
    expect(pointersOf(await visitor.hold(plain, start, weekly(2)))).toEqual(['/repeat'])
    const beyond = await visitor.hold(offer, start, weekly(3))
    expect(beyond).toMatchObject({
      status: 422,
      body: { conflicts: [{ starts_at: '2026-12-14T10:00:00+01:00', reason: 'beyond_horizon' }] },
    })
    expect((await visitor.hold(offer, start, weekly(2))).status).toBe(201)
    const deposit = await makeOffer(service, business.id, {
      maxRepeats: 3,
      deposit: { amount: 1000, currency: 'EUR' },
    })
    expect(pointersOf(await visitor.hold(deposit, start, weekly(2)))).toEqual(['/repeat'])
  })

  test('a request for a series is checked', async () => {
    const offer = await makeOffer(service, business.id)
    const start = '2026-11-30T10:00:00+01:00'
    const faults = async (more: object) => pointersOf(await byKey.hold(offer, start, { ...more }))
    expect(await faults({ conflicts: 'skip' })).toEqual(['/conflicts'])
    expect(await faults({ repeat: { every: 'week' } })).toEqual(['/repeat/count'])
    expect(await faults({ repeat: { every: 'week', count: 2, until: '2027-01-01' } })).toEqual([
      '/repeat/until',
    ])
    expect(await faults({ repeat: { every: 'week', until: '2027-02-30' } })).toEqual(['/repeat/until'])
    expect(await faults({ repeat: { every: 'week', until: '2026-12-05' } })).toEqual(['/repeat/until'])
    expect(await faults({ repeat: { every: 'day', until: '2027-12-05' } })).toEqual(['/repeat/until'])
    expect(await faults({ repeat: { every: 'year', count: 53, interval: 13 } })).toEqual([
      '/repeat/count',
      '/repeat/every',
      '/repeat/interval',
    ])
  })

  test('holds of a series count one by one, and do not replace each other', async () => {
    const long = await makeOffer(service, business.id, { maxRepeats: 20, minutes: 1_440, bufferAfter: 30 })
    const visitor = await session()
    const daily = { repeat: { every: 'day', count: 3 }, conflicts: 'skip' }
    const held = await visitor.hold(long, '2026-12-01T10:00:00+01:00', daily)
    expect(startsOf(held)).toEqual(['2026-12-01T10:00:00+01:00', '2026-12-03T10:00:00+01:00'])
    const offer = await makeOffer(service, business.id, { maxRepeats: 20 })
    const other = await session()
    expect((await other.hold(offer, '2026-12-01T10:00:00+01:00', weekly(10))).status).toBe(201)
    await expectRefusal(service, () => other.hold(offer, '2027-02-20T10:00:00+01:00'), {
      status: 429,
      body: { code: 'hold_limit_reached' },
    })
  })

  test('a series ends as a whole: released, or replaced by another hold of its session', async () => {
    const offer = await makeOffer(service, business.id, { maxRepeats: 5 })
    const visitor = await session()
    const first = await visitor.hold(offer, '2026-12-01T10:00:00+01:00', weekly(3))
    const [one, two, three] = seriesOf(first).holds.map(({ hold_id }) => hold_id)
    await visitor.release(two ?? '')
    expect(await Promise.all([one, two, three].map((id) => statusOf(id ?? '')))).toEqual(
      Array(3).fill('released'),
    )
    const second = await visitor.hold(offer, '2026-12-01T10:00:00+01:00', weekly(3))
    const replacing = await visitor.hold(offer, '2026-12-08T10:15:00+01:00', weekly(3))
    expect(replacing.status).toBe(201)
    for (const { hold_id } of seriesOf(second).holds) expect(await statusOf(hold_id)).toBe('released')
  })

  test('a series converts as a whole, once, with one event for each', async () => {
    const offer = await makeOffer(service, business.id, { maxRepeats: 4 })
    const visitor = await session()
    const held = await visitor.hold(offer, '2026-12-01T10:00:00+01:00', weekly(4))
    const ids = seriesOf(held).holds.map(({ hold_id }) => hold_id)
    const before = (await service.events()).length
    const booked = await visitor.book(ids[2] ?? '')
    expect(booked).toMatchObject({
      status: 201,
      body: { id: ids[2], series_id: seriesOf(held).id, series: { id: seriesOf(held).id, booking_ids: ids } },
    })
    const events = (await service.events()).slice(before)
    expect(events.map(({ type }) => type)).toEqual(Array(4).fill('booking.created'))
    expect(events.map(({ booking_id }) => booking_id).toSorted()).toEqual(ids.toSorted())
    for (const id of ids) {
      expect((await byKey.show(id)).body).toMatchObject({ status: 'confirmed', series_id: seriesOf(held).id })
    }
    await expectRefusal(service, () => visitor.book(ids[0] ?? ''), {
      status: 409,
      body: { code: 'hold_converted' },
    })
  })

  test('the caps of visitors count each booking of a series', async () => {
    const offer = await makeOffer(service, business.id, { maxRepeats: 9 })
    const visitor = await session()
    const client = { first_name: 'Mary', last_name: 'Shelley', email: 'mary@example.com' }
    const held = await visitor.hold(offer, '2026-12-01T15:00:00+01:00', weekly(6))
    const refused = await visitor.book(held.body.hold_id as string, { client })
    expect(refused).toMatchObject({ status: 429, body: { code: 'booking_limit_reached' } })
    expect((await byKey.list({ email: 'mary@example.com' })).body.data).toEqual([])
    const fewer = await visitor.hold(offer, '2026-12-01T15:00:00+01:00', weekly(5))
    expect((await visitor.book(fewer.body.hold_id as string, { client })).status).toBe(201)
  })

  test('a repeated request for a series gets the same answer', async () => {
    const offer = await makeOffer(service, business.id)
    const call = (path: string, body: object, key: string) =>
      service.call('POST', path, { token: business.key, body, headers: { 'idempotency-key': key } })
    const body = {
      ...offer,
      starts_at: '2027-01-31T12:00:00+01:00',
      repeat: { every: 'month', count: 3 },
      conflicts: 'skip',
    }
    const first = await call('/bookings/hold', body, 'series-hold')
    expect(first.status).toBe(201)
    const again = await call('/bookings/hold', body, 'series-hold')
    expect(again.body).toEqual(first.body)
    expect(again.headers['idempotent-replayed']).toBe('true')
    const order = {
      hold_id: first.body.hold_id as string,
      client: { first_name: 'Ada', email: 'ada@example.com', last_name: 'L' },
    }
    const booked = await call('/bookings', order, 'series-book')
    const bookedAgain = await call('/bookings', order, 'series-book')
    expect(bookedAgain.body.series).toEqual(booked.body.series)
  })

  test('an expired series converts no hold', async () => {
    const offer = await makeOffer(service, business.id)
    const held = await byKey.hold(offer, '2027-05-03T12:00:00+02:00', weekly(3))
    service.clock.advance(600)
    await expectRefusal(service, () => byKey.book(held.body.hold_id as string), {
      status: 404,
      body: { code: 'hold_expired' },
    })
  })

  test('visits repeat, each with all its claims', async () => {
    const place = await makeLocation(service, business.id)
    const [anna, ben] = await makeStaff(service, business.id, ['Anna', 'Ben'], [place])
    const own = { locationIds: [place] }
    const cut = await makeService(service, business.id, { ...own, staffIds: [anna ?? ''] })
    const colour = await makeService(service, business.id, { ...own, staffIds: [ben ?? ''] })
    const visit = {
      location_id: place,
      starts_at: '2027-01-04T10:00:00+01:00',
      items: [{ service_id: cut }, { service_id: colour }],
    }
    const hold = (more: object) =>
      service.call('POST', '/bookings/hold', { token: business.key, body: { ...visit, ...more } })
    await byKey.hold({ service_id: colour, location_id: place }, '2027-01-11T10:30:00+01:00')
    const refused = await hold(weekly(3))
    expect(refused).toMatchObject({
      status: 409,
      body: { conflicts: [{ starts_at: '2027-01-11T10:00:00+01:00', reason: 'slot_held', item: 1 }] },
    })
    const held = await hold({ ...weekly(3), conflicts: 'skip' })
    expect(startsOf(held)).toEqual(['2027-01-04T10:00:00+01:00', '2027-01-18T10:00:00+01:00'])
    expect(held.body.items).toHaveLength(2)
    const booked = await byKey.book(held.body.hold_id as string)
    expect(booked.body.series.booking_ids).toHaveLength(2)
    const second = await byKey.show(booked.body.series.booking_ids[1] as string)
    expect(second.body.items).toHaveLength(2)
  })
})
