import { afterAll, beforeAll, expect, test } from 'vitest'
import { bookSlot, clientOf } from '../support/client.ts'
import { expectErrors, expectProblem } from '../support/expect-problem.ts'
import { makeBusiness, makeLocation, makeService, makeStaff, type OwnBusiness } from '../support/offers.ts'
import { unknownId } from '../support/tenant-things.ts'
import { onOneEngine } from '../support/long.ts'
import { businessOf, startTestService, type TestService } from '../support/test-service.ts'

const span = { starts_at: '2027-03-01T09:00:00Z', ends_at: '2027-03-01T12:00:00Z' }

onOneEngine('sqlite', 'blocks', (engine) => {
  let service: TestService
  let spa: OwnBusiness
  let place: string
  let anna: string
  beforeAll(async () => {
    service = await startTestService(engine)
    spa = await makeBusiness(service, { timezone: 'Europe/Vienna' })
    place = await makeLocation(service, spa.id, { timezone: 'America/New_York' })
    anna = (await makeStaff(service, spa.id, ['Anna']))[0] ?? ''
  })
  afterAll(() => service.stop())

  const call = (method: string, path: string, body?: object, token = spa.key) =>
    service.call(method, path, { token, ...(body && { body }) })
  const block = async (body: object) => {
    const reply = await call('POST', '/blocks', body)
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 201 })
    return reply.body
  }
  const listed = async (query: string, token = spa.key) => {
    const reply = await call('GET', `/blocks?${query}`, undefined, token)
    return (reply.body.data as { id: string }[]).map(({ id }) => id)
  }

  test('a block of a location is shown in its zone, one of a staff member in that of the business', async () => {
    const made = await block({ location_id: place, ...span, reason: 'Painting' })
    expect(made).toEqual({
      id: expect.any(String),
      business_id: spa.id,
      location_id: place,
      staff_id: null,
      resource_id: null,
      starts_at: '2027-03-01T04:00:00-05:00',
      ends_at: '2027-03-01T07:00:00-05:00',
      reason: 'Painting',
      created_at: expect.stringMatching(/-05:00$/),
      conflicting_booking_ids: [],
    })
    expect((await call('GET', `/blocks/${made.id}`)).body).toEqual(made)
    expect(await block({ staff_id: anna, ...span })).toMatchObject({
      location_id: null,
      staff_id: anna,
      starts_at: '2027-03-01T10:00:00+01:00',
      reason: null,
    })
  })

  test.each([
    ['1970-01-01T00:00:00Z', '1970-01-01T00:00:01Z'],
    ['1970-01-01T23:59:59Z', '9999-12-31T23:59:59Z'],
    ['9999-12-31T23:59:58Z', '9999-12-31T23:59:59Z'],
  ])('from %s until %s is a time as any other', async (starts_at, ends_at) => {
    const made = await block({ location_id: place, starts_at, ends_at })
    expect(made.conflicting_booking_ids).toEqual([])
    expect(Date.parse(made.ends_at as string)).toBe(Date.parse(ends_at))
    expect((await call('GET', `/blocks/${made.id}`)).body).toEqual(made)
    expect(await listed(new URLSearchParams({ from: starts_at, to: ends_at }).toString())).toContain(made.id)
    expect((await call('DELETE', `/blocks/${made.id}`)).status).toBe(204)
  })

  test('it names the bookings that it lies over, by their start, and leaves them', async () => {
    const [here, there] = [await makeLocation(service, spa.id), await makeLocation(service, spa.id)]
    const ben = (await makeStaff(service, spa.id, ['Ben']))[0] ?? ''
    const locationIds = [here, there]
    const massage = await makeService(service, spa.id, { minutes: 60, locationIds, staffIds: [ben] })
    const client = clientOf(service, spa.key)
    const at = async (time: string, location_id = here) =>
      (await bookSlot(client, { service_id: massage, location_id }, `2027-04-01T${time}:00Z`)).id as string
    const late = await at('11:30')
    const early = await at('08:30')
    const [before, after] = [await at('07:30'), await at('12:30')]
    const elsewhere = await at('10:30', there)
    const cancelled = await at('09:30')
    await client.cancel(cancelled)
    const times = { starts_at: '2027-04-01T09:00:00Z', ends_at: '2027-04-01T12:00:00Z' }
    expect((await block({ location_id: here, ...times })).conflicting_booking_ids).toEqual([early, late])
    const ofBen = await block({ staff_id: ben, ...times })
    expect(ofBen.conflicting_booking_ids).toEqual([early, elsewhere, late])
    for (const id of [before, early, late, after, elsewhere]) {
      expect((await client.show(id)).body.status).toBe('confirmed')
    }
    await client.cancel(late)
    expect((await call('GET', `/blocks/${ofBen.id}`)).body.conflicting_booking_ids).toEqual([
      early,
      elsewhere,
    ])
    // times that only touch the block do not overlap it
    const touching = { starts_at: '2027-04-01T08:30:00Z', ends_at: '2027-04-01T08:30:01Z' }
    expect((await block({ location_id: here, ...touching })).conflicting_booking_ids).toEqual([early])
    const edge = { starts_at: '2027-04-01T09:30:00Z', ends_at: '2027-04-01T10:00:00Z' }
    expect((await block({ location_id: here, ...edge })).conflicting_booking_ids).toEqual([])
  })

  test('the list is in the order of their starts, page by page, narrowed by what they block and when', async () => {
    const own = await makeBusiness(service)
    const other = await makeLocation(service, own.id)
    const member = (await makeStaff(service, own.id, ['Cleo']))[0] ?? ''
    const days = [3, 1, 2]
    const ids = []
    for (const day of days) {
      const times = { starts_at: `2027-05-0${day}T08:00:00Z`, ends_at: `2027-05-0${day}T18:00:00Z` }
      const where = day === 2 ? { staff_id: member } : { location_id: other }
      ids[day] = (await call('POST', '/blocks', { ...where, ...times }, own.key)).body.id as string
    }
    const [, first, second, third] = ids
    expect(await listed('', own.key)).toEqual([first, second, third])
    expect(await listed(`location_id=${other}`, own.key)).toEqual([first, third])
    expect(await listed(`staff_id=${member}`, own.key)).toEqual([second])
    expect(await listed('from=2027-05-01T18:00:00Z', own.key)).toEqual([second, third])
    expect(await listed('from=2027-05-01T17:59:59Z&to=2027-05-03T08:00:00Z', own.key)).toEqual([
      first,
      second,
    ])
    const page = await call('GET', '/blocks?limit=2', undefined, own.key)
    expect(page.body.data).toHaveLength(2)
    const cursor = page.body.next_cursor as string
    expect(await listed(`limit=2&cursor=${cursor}`, own.key)).toEqual([third])
    expectErrors(await call('GET', '/blocks?cursor=x', undefined, own.key), '/cursor')
  })

  test('a deleted block is gone', async () => {
    const { id } = await block({ location_id: place, ...span })
    expect(await call('DELETE', `/blocks/${id}`)).toMatchObject({ status: 204, body: undefined })
    expectProblem(await call('GET', `/blocks/${id}`), 'not_found')
    expectProblem(await call('DELETE', `/blocks/${id}`), 'not_found')
  })

  test("a hub key's block is of the business of its location or staff member", async () => {
    const salon = businessOf(service.world, 'Salon Spree')
    for (const body of [{ location_id: salon.locations[0]?.id }, { staff_id: salon.staff[0]?.id }]) {
      const made = await call('POST', '/blocks', { ...body, ...span }, service.world.hub.key)
      expect(made).toMatchObject({ status: 201, body: { business_id: salon.id } })
      await call('DELETE', `/blocks/${made.body.id}`, undefined, service.world.hub.key)
    }
    const outside = await call('POST', '/blocks', { staff_id: anna, ...span }, service.world.hub.key)
    expectErrors(outside, '/staff_id')
  })

  test.each([
    ['neither a location nor a staff member', () => span, ['/location_id']],
    ['both', () => ({ ...span, location_id: place, staff_id: anna }), ['/staff_id']],
    ['an end at the start', () => ({ location_id: place, ...span, ends_at: span.starts_at }), ['/ends_at']],
    ['no times', () => ({ location_id: place }), ['/starts_at', '/ends_at']],
    [
      'times without an offset',
      () => ({ location_id: place, starts_at: '2027-03-01T09:00:00', ends_at: 'x' }),
      ['/starts_at', '/ends_at'],
    ],
    ['too many words', () => ({ location_id: place, ...span, reason: 'x'.repeat(501) }), ['/reason']],
    [
      'everything at once',
      () => ({ location_id: 'x', staff_id: anna, ...span, ends_at: span.starts_at, more: 1 }),
      ['/location_id', '/staff_id', '/ends_at', '/more'],
    ],
  ])('%s: 422', async (_what, body, pointers) => {
    const before = await service.rows('blocks')
    expectErrors(await call('POST', '/blocks', body()), ...pointers)
    expect(await service.rows('blocks')).toEqual(before)
  })

  test("another business's location, staff member or block looks like none", async () => {
    const salon = businessOf(service.world, 'Salon Spree')
    const theirs = await call(
      'POST',
      '/blocks',
      { location_id: salon.locations[0]?.id, ...span },
      salon.business_key,
    )
    expect(theirs.status).toBe(201)
    const before = await service.rows('blocks')
    for (const [member, id] of [
      ['location_id', salon.locations[0]?.id],
      ['staff_id', salon.staff[0]?.id],
      ['location_id', unknownId],
      ['staff_id', unknownId],
    ] as const) {
      const reply = await call('POST', '/blocks', { [member]: id, ...span })
      expectErrors(reply, `/${member}`)
      expect(reply.body.errors[0].code).toBe('unknown_reference')
    }
    expect(await service.rows('blocks')).toEqual(before)
    for (const id of [theirs.body.id as string, unknownId, 'x']) {
      expectProblem(await call('GET', `/blocks/${id}`), 'not_found')
      expectProblem(await call('DELETE', `/blocks/${id}`), 'not_found')
    }
    expect(await listed(`location_id=${salon.locations[0]?.id}`)).toEqual([])
    expect(await listed(`business_id=${salon.id}`)).toEqual([])
    const { hub } = service.world
    expect(await listed(`business_id=${salon.id}`, hub.key)).toEqual([theirs.body.id])
    expect((await call('DELETE', `/blocks/${theirs.body.id}`, undefined, hub.key)).status).toBe(204)
  })
})
