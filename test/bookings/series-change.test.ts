import { afterAll, beforeAll, expect, test } from 'vitest'
import { clientOf, type Client } from '../support/client.ts'
import {
  makeBusiness,
  makeLocation,
  makeOffer,
  makeService,
  makeStaff,
  type Offer,
  type OwnBusiness,
} from '../support/offers.ts'
import { expectRefusal, pointersOf } from '../support/refusals.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type Reply, type TestService } from '../support/test-service.ts'

onOneEngine('sqlite', 'changes of a series', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let byKey: Client
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    byKey = clientOf(service, business.key)
  })
  afterAll(() => service.stop())

  const book = async (offer: Offer, startsAt: string, repeat: object): Promise<string[]> => {
    const held = await byKey.hold(offer, startsAt, { repeat })
    const booked = await byKey.book(held.body.hold_id as string)
    return booked.body.series.booking_ids as string[]
  }
  const change = (id: string, series: string, body: object, headers: Record<string, string> = {}) =>
    service.call('PATCH', `/bookings/${id}?series=${series}`, { token: business.key, body, headers })
  const cancel = (id: string, series: string) =>
    service.call('DELETE', `/bookings/${id}?series=${series}`, { token: business.key })
  const startsOf = (ids: string[]) =>
    Promise.all(ids.map(async (id) => (await byKey.show(id)).body.starts_at as string))
  const statusesOf = (ids: string[]) =>
    Promise.all(ids.map(async (id) => (await byKey.show(id)).body.status as string))
  const idsOf = (reply: Reply) => reply.body.series.booking_ids as string[]

  test('all move by as much on the wall clock, across a change of the clocks', async () => {
    const offer = await makeOffer(service, business.id)
    const ids = await book(offer, '2027-03-15T09:00:00+01:00', { every: 'week', count: 4 })
    const before = (await service.events()).length
    const moved = await change(ids[1] ?? '', 'all', { starts_at: '2027-03-23T10:30:00+01:00' })
    expect(moved).toMatchObject({ status: 200, body: { id: ids[1], starts_at: '2027-03-23T10:30:00+01:00' } })
    expect(idsOf(moved)).toEqual(ids)
    expect(await startsOf(ids)).toEqual([
      '2027-03-16T10:30:00+01:00',
      '2027-03-23T10:30:00+01:00',
      '2027-03-30T10:30:00+02:00',
      '2027-04-06T10:30:00+02:00',
    ])
    const events = (await service.events()).slice(before)
    expect(events.map(({ type, booking_id }) => `${type} ${booking_id}`).toSorted()).toEqual(
      ids.map((id) => `booking.updated ${id}`).toSorted(),
    )
  })

  test('a list has the dates of one series', async () => {
    const offer = await makeOffer(service, business.id)
    const ids = await book(offer, '2027-02-01T09:00:00+01:00', { every: 'week', count: 3 })
    await book(offer, '2027-02-01T14:00:00+01:00', { every: 'week', count: 2 })
    const { series_id } = (await byKey.show(ids[0] ?? '')).body
    const list = (id: string) =>
      service.call('GET', `/bookings?sort=starts_at&series_id=${id}`, { token: business.key })
    expect((await list(String(series_id))).body.data).toMatchObject(ids.map((id) => ({ id })))
    expect((await list(crypto.randomUUID())).body.data).toEqual([])
  })

  test('this and the following move, the earlier ones stay', async () => {
    const offer = await makeOffer(service, business.id)
    const ids = await book(offer, '2027-01-04T09:00:00+01:00', { every: 'week', count: 4 })
    expect(
      idsOf(await change(ids[2] ?? '', 'following', { starts_at: '2027-01-18T08:00:00+01:00' })),
    ).toEqual(ids.slice(2))
    expect(await startsOf(ids)).toEqual([
      '2027-01-04T09:00:00+01:00',
      '2027-01-11T09:00:00+01:00',
      '2027-01-18T08:00:00+01:00',
      '2027-01-25T08:00:00+01:00',
    ])
    await change(ids[0] ?? '', 'this', { starts_at: '2027-01-04T12:00:00+01:00' })
    expect((await startsOf(ids))[1]).toBe('2027-01-11T09:00:00+01:00')
  })

  test('a daily series moves by a day into its own times', async () => {
    const offer = await makeOffer(service, business.id)
    const ids = await book(offer, '2027-01-04T09:00:00+01:00', { every: 'day', count: 5 })
    expect((await change(ids[0] ?? '', 'all', { starts_at: '2027-01-05T09:00:00+01:00' })).status).toBe(200)
    expect((await startsOf(ids))[4]).toBe('2027-01-09T09:00:00+01:00')
    expect((await change(ids[0] ?? '', 'all', { starts_at: '2027-01-04T09:00:00+01:00' })).status).toBe(200)
    expect((await startsOf(ids))[4]).toBe('2027-01-08T09:00:00+01:00')
  })

  test('a conflict moves none, and all conflicts are named with other times', async () => {
    const offer = await makeOffer(service, business.id)
    const ids = await book(offer, '2027-01-04T09:00:00+01:00', { every: 'week', count: 3 })
    await byKey.hold(offer, '2027-01-11T11:00:00+01:00')
    const attempt = () => change(ids[0] ?? '', 'all', { starts_at: '2027-01-04T11:00:00+01:00' })
    await expectRefusal(service, attempt, { status: 409, body: { code: 'slot_held' } })
    const { conflicts } = (await attempt()).body as { conflicts: { alternatives: object[] }[] }
    expect(conflicts).toMatchObject([
      { booking_id: ids[1], starts_at: '2027-01-11T11:00:00+01:00', reason: 'slot_held' },
    ])
    expect(conflicts[0]?.alternatives).toHaveLength(3)
  })

  test('a time that the clock skips is a conflict of a move, too', async () => {
    const offer = await makeOffer(service, business.id)
    const ids = await book(offer, '2027-03-21T09:00:00+01:00', { every: 'week', count: 2 })
    await expectRefusal(
      service,
      () => change(ids[0] ?? '', 'all', { starts_at: '2027-03-21T02:30:00+01:00' }),
      {
        status: 422,
        body: { reason: 'time_skipped', conflicts: [{ booking_id: ids[1], reason: 'time_skipped' }] },
      },
    )
  })

  test('another person takes this and the following', async () => {
    const place = await makeLocation(service, business.id)
    const [anna, ben] = (await makeStaff(service, business.id, ['Anna', 'Ben'], [place])) as [string, string]
    const service_id = await makeService(service, business.id, {
      staffIds: [anna, ben],
      locationIds: [place],
    })
    const offer = { service_id, location_id: place, staff_id: anna }
    const ids = await book(offer, '2027-01-04T09:00:00+01:00', { every: 'month', count: 3 })
    expect((await change(ids[1] ?? '', 'following', { staff_id: ben })).status).toBe(200)
    const staff = await Promise.all(ids.map(async (id) => (await byKey.show(id)).body.staff.id as string))
    expect(staff).toEqual([anna, ben, ben])
  })

  test('past and cancelled ones stay as they are', async () => {
    const offer = await makeOffer(service, business.id)
    const ids = await book(offer, '2026-11-21T09:00:00+01:00', { every: 'week', count: 4 })
    await byKey.cancel(ids[2] ?? '')
    service.clock.advance(2 * 86_400)
    const cancelled = await cancel(ids[0] ?? '', 'all')
    expect(idsOf(cancelled)).toEqual([ids[1], ids[3]])
    expect(cancelled.body).toMatchObject({ id: ids[0], status: 'confirmed' })
    expect(await statusesOf(ids)).toEqual(['confirmed', 'cancelled', 'cancelled', 'cancelled'])
    expect(idsOf(await cancel(ids[0] ?? '', 'all'))).toEqual([])
  })

  test('cancelling this and the following frees their times, with an event for each', async () => {
    const offer = await makeOffer(service, business.id)
    const ids = await book(offer, '2027-01-04T09:00:00+01:00', { every: 'week', count: 4 })
    const before = (await service.events()).length
    const cancelled = await cancel(ids[2] ?? '', 'following')
    expect(cancelled.body.status).toBe('cancelled')
    expect(idsOf(cancelled)).toEqual(ids.slice(2))
    expect(await statusesOf(ids)).toEqual(['confirmed', 'confirmed', 'cancelled', 'cancelled'])
    expect((await service.events()).slice(before).map(({ type }) => type)).toEqual([
      'booking.cancelled',
      'booking.cancelled',
    ])
    expect((await byKey.hold(offer, '2027-01-25T09:00:00+01:00')).status).toBe(201)
  })

  test('the version is that of the named one; what cannot reach a series is refused', async () => {
    const offer = await makeOffer(service, business.id)
    const ids = await book(offer, '2027-02-01T09:00:00+01:00', { every: 'week', count: 2 })
    const first = ids[0] ?? ''
    await expectRefusal(service, () => change(first, 'all', { notes: 'x' }, { 'if-match': '"7"' }), {
      status: 412,
      body: { code: 'version_conflict' },
    })
    expect((await change(first, 'all', { notes: 'x' }, { 'if-match': '"1"' })).status).toBe(200)
    expect(pointersOf(await change(first, 'all', { items: [{ service_id: offer.service_id }] }))).toEqual([
      '/items',
    ])
    const alone = await byKey.hold(offer, '2027-02-02T09:00:00+01:00')
    await byKey.book(alone.body.hold_id as string)
    expect(pointersOf(await cancel(alone.body.hold_id as string, 'all'))).toEqual(['/series'])
  })

  test('a client cancels this and the following with the link of one, unless it is too late for one', async () => {
    const offer = await makeOffer(service, business.id)
    const ids = await book(offer, '2027-01-05T09:00:00+01:00', { every: 'week', count: 3 })
    const tokenOf = async (id: string) =>
      new URL((await byKey.show(id)).body.manage_url as string).hash.slice(1)
    const cancelAs = (token: string, series: string) =>
      service.call('POST', `/manage/cancel?series=${series}`, { token, body: {} })
    const shown = await service.call('GET', '/manage', { token: await tokenOf(ids[1] ?? '') })
    expect((shown.body.series as { id: string }[]).map(({ id }) => id)).toEqual(ids)
    const second = await cancelAs(await tokenOf(ids[1] ?? ''), 'following')
    expect(second).toMatchObject({ status: 200, body: { id: ids[1], status: 'cancelled' } })
    expect(await statusesOf(ids)).toEqual(['confirmed', 'cancelled', 'cancelled'])
    const soon = await book(offer, '2026-11-23T07:00:00+01:00', { every: 'week', count: 2 })
    const token = await tokenOf(soon[1] ?? '')
    await expectRefusal(service, () => cancelAs(token, 'all'), {
      status: 409,
      body: { code: 'change_not_allowed', reason: 'too_late' },
    })
  })

  test('a client moves one date by its own link, which the page of any date has; the others stay', async () => {
    const offer = await makeOffer(service, business.id)
    const ids = await book(offer, '2027-05-03T09:00:00+02:00', { every: 'week', count: 3 })
    const [first = '', second = '', third = ''] = ids
    const manage = (token: string, method: string, path = '', body?: object) =>
      service.call(method, `/manage${path}`, { token, ...(body && { body }) })
    const tokenOf = (url: unknown) => new URL(String(url)).hash.slice(1)
    const firstToken = tokenOf((await byKey.show(first)).body.manage_url)
    const { series } = (await manage(firstToken, 'GET')).body as {
      series: { id: string; manage_url: string }[]
    }
    expect(series.map(({ id }) => id)).toEqual(ids)
    const token = tokenOf(series[1]?.manage_url)
    expect((await manage(token, 'GET')).body.booking).toMatchObject({ id: second })
    const before = (await service.events()).length
    const moved = await manage(token, 'POST', '/reschedule', { starts_at: '2027-05-11T11:00:00+02:00' })
    expect(moved).toMatchObject({ status: 200, body: { id: second } })
    expect(await startsOf(ids)).toEqual([
      '2027-05-03T09:00:00+02:00',
      '2027-05-11T11:00:00+02:00',
      '2027-05-17T09:00:00+02:00',
    ])
    const events = (await service.events()).slice(before)
    expect(events.map(({ type, booking_id }) => [type, booking_id])).toEqual([['booking.updated', second]])
    // the rules of the service count for each date
    await service.call('PATCH', `/services/${offer.service_id}`, {
      token: business.key,
      body: { max_reschedules: 1 },
    })
    const again = { starts_at: '2027-05-11T12:00:00+02:00' }
    expect((await manage(token, 'POST', '/reschedule', again)).body).toMatchObject({ reason: 'too_many' })
    const own = tokenOf(series[2]?.manage_url)
    const taken = { starts_at: '2027-05-11T11:00:00+02:00' }
    expect((await manage(own, 'POST', '/reschedule', taken)).body).toMatchObject({ code: 'slot_booked' })
    expect((await manage(own, 'POST', '/reschedule', again)).body).toMatchObject({ id: third })
  })

  test('a date of another client is not linked, and a new link ends those of all dates', async () => {
    const offer = await makeOffer(service, business.id)
    const ids = await book(offer, '2027-05-03T14:00:00+02:00', { every: 'week', count: 3 })
    const other = { first_name: 'Else', last_name: 'Other', email: 'else@client.example' }
    await change(ids[2] ?? '', 'this', { client: other })
    const shown = (url: unknown) =>
      service.call('GET', '/manage', { token: new URL(String(url)).hash.slice(1) })
    const urls = async () =>
      Promise.all(ids.map(async (id) => (await byKey.show(id)).body.manage_url as string))
    const [first, second, third] = await urls()
    const linked = (await shown(first)).body as { series: { manage_url: string }[] }
    expect(linked.series.map(({ manage_url }) => manage_url)).toEqual([first, second])
    const renewed = await service.call('POST', `/bookings/${ids[0] ?? ''}/manage-link`, {
      token: business.key,
    })
    expect(await Promise.all([first, second, third].map(async (url) => (await shown(url)).status))).toEqual([
      401, 401, 200,
    ])
    const now = await urls()
    expect(now).toEqual([renewed.body.manage_url, expect.not.stringContaining(second ?? ''), third])
    expect(await Promise.all(now.map(async (url) => (await shown(url)).status))).toEqual([200, 200, 200])
  })
})
