import { afterAll, beforeAll, expect, test } from 'vitest'
import { findOfferingParts } from '../../src/catalogue/offering-queries.ts'
import { findWholeCatalogue } from '../../src/catalogue/offering.ts'
import { expectErrors } from '../support/expect-problem.ts'
import { sql } from 'kysely'
import { changeRows, unknownId } from '../support/tenant-things.ts'
import { makeBusiness, makeLocation, makeStaff, type OwnBusiness } from '../support/offers.ts'
import { onOneEngine } from '../support/long.ts'
import { ada, startTestService, type TestService } from '../support/test-service.ts'

type Body = Record<string, unknown>

onOneEngine('sqlite', 'resources, steps, needs and terms', (engine) => {
  let service: TestService
  let spa: OwnBusiness
  let rival: OwnBusiness
  let place: string
  let elsewhere: string
  let anna: string
  let ben: string
  let room: string

  beforeAll(async () => {
    service = await startTestService(engine)
    spa = await makeBusiness(service)
    rival = await makeBusiness(service)
    place = await makeLocation(service, spa.id)
    elsewhere = await makeLocation(service, spa.id, { name: 'Elsewhere' })
    ;[anna = '', ben = ''] = await makeStaff(service, spa.id, ['Anna', 'Ben'])
    room = (await make('/resources', { location_id: place, name: 'Room', quantity: 2 }))['id'] as string
  })
  afterAll(() => service.stop())

  const call = (method: string, path: string, body?: object, token = spa.key) =>
    service.call(method, path, { token, ...(body && { body }) })
  const make = async (path: string, body: object): Promise<Body> => {
    const reply = await call('POST', path, body)
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 201 })
    return reply.body
  }
  const colour = () => ({
    name: 'Colour',
    steps: [
      { minutes: 30, staffed: true },
      { minutes: 35, staffed: false },
      { minutes: 25, staffed: true },
    ],
    price: { amount: 9_000, currency: 'EUR' },
    location_ids: [place],
    staff_ids: [anna, ben],
    needs: [{ resource_ids: [room] }],
    terms: [{ staff_id: anna, price: { amount: 9_500, currency: 'EUR' }, duration_minutes: 80 }],
  })
  const versionOf = async () => {
    const row = (await service.rows('businesses')).find(({ id }) => id === spa.id)
    return Number(row?.['catalogue_version'])
  }

  test('a service with steps lasts their sum, and its needs have defaults', async () => {
    const made = await make('/services', colour())
    const shown = { ...colour(), needs: [{ resource_ids: [room], quantity: 1, during: 'all' }] }
    expect(made).toMatchObject({ ...shown, duration_minutes: 90, slot_interval_minutes: 90 })
    expect((await call('GET', `/services/${String(made['id'])}`)).body).toEqual(made)
  })

  test('an offering has the resources that its service needs at the location', async () => {
    const chair = (await make('/resources', { location_id: elsewhere, name: 'Chair' }))['id'] as string
    const needs = [{ resource_ids: [room, chair], quantity: 2, during: 'staffed' }]
    const made = await make('/services', { ...colour(), needs, location_ids: [place, elsewhere] })
    await call('DELETE', `/resources/${chair}`)
    const ids = { serviceId: String(made['id']), locationId: elsewhere }
    const read = (locationId: string) =>
      findOfferingParts(service.context.db.reads, { businessId: spa.id }, { ...ids, locationId })
    expect(await read(elsewhere)).toMatchObject({
      resources: [{ id: chair, quantity: 1, active: false }],
      maxGapMinutes: 0,
      service: { needs },
    })
    expect((await read(place)).resources).toMatchObject([{ id: room, location_id: place, quantity: 2 }])
    const whole = await findWholeCatalogue(service.context.db.reads, spa.id)
    expect(whole?.resources.map(({ id }) => id)).toEqual(expect.arrayContaining([room, chair]))
  })

  test('the longest pause belongs to the version of the catalogue', async () => {
    const before = await versionOf()
    const reply = await call('PATCH', `/businesses/${spa.id}`, { max_gap_minutes: 15 })
    expect(reply.body).toMatchObject({ max_gap_minutes: 15 })
    expect(await versionOf()).toBe(before + 1)
    await call('PATCH', `/businesses/${spa.id}`, { max_gap_minutes: 15 })
    expect(await versionOf()).toBe(before + 1)
    expectErrors(await call('PATCH', `/businesses/${spa.id}`, { max_gap_minutes: 121 }), '/max_gap_minutes')
    await call('PATCH', `/businesses/${spa.id}`, { max_gap_minutes: 0 })
  })

  const change = async (body: object, parts: object = {}) => {
    const { id } = await make('/services', { ...colour(), ...parts })
    return call('PATCH', `/services/${String(id)}`, body)
  }
  const steps = (...parts: [minutes: number, staffed: boolean][]) =>
    parts.map(([minutes, staffed]) => ({ minutes, staffed }))

  test('steps and duration must agree, and one of them is required', async () => {
    const { steps: own, ...rest } = colour()
    expectErrors(await call('POST', '/services', rest), '/duration_minutes')
    expectErrors(
      await call('POST', '/services', { ...rest, steps: own, duration_minutes: 60 }),
      '/duration_minutes',
    )
    expect(await make('/services', { ...rest, steps: own, duration_minutes: 90 })).toMatchObject({
      steps: own,
    })
    expectErrors(await change({ duration_minutes: 60 }), '/duration_minutes')
    const shorter = steps([20, true])
    expect((await change({ steps: shorter })).body).toMatchObject({ steps: shorter, duration_minutes: 20 })
    expect((await change({ steps: null })).body).toMatchObject({ steps: null, duration_minutes: 90 })
    expect((await change({ steps: null, duration_minutes: 60 })).body).toMatchObject({ duration_minutes: 60 })
  })

  test.each([
    ['no step', [], ['/steps']],
    ['ten steps', Array.from({ length: 10 }, () => ({ minutes: 5, staffed: true })), ['/steps']],
    ['a day and a minute', [1_440, 1].map((minutes) => ({ minutes, staffed: true })), ['/steps']],
    ['an empty step', [{ minutes: 0, staffed: true }], ['/steps/0/minutes']],
    ['a step without an end', [{ staffed: true }], ['/steps/0/minutes']],
    ['an unknown member', [{ minutes: 5, staffed: true, name: 'x' }], ['/steps/0/name']],
    [
      'an end without staff',
      [false, true, false].map((staffed) => ({ minutes: 5, staffed })),
      ['/steps/0/staffed', '/steps/2/staffed'],
    ],
  ])('%s: refused with the step', async (_name, given, pointers) => {
    expectErrors(await call('POST', '/services', { ...colour(), steps: given }), ...pointers)
  })

  test('only a service without staff begins or ends with an unstaffed step', async () => {
    const alone = { steps: steps([30, false]), staff_ids: [], terms: [] }
    const { id } = await make('/services', { ...colour(), ...alone })
    expectErrors(await call('PATCH', `/services/${String(id)}`, { staff_ids: [anna] }), '/staff_ids')
    const both = { staff_ids: [anna], steps: steps([30, true]) }
    expect((await call('PATCH', `/services/${String(id)}`, both)).status).toBe(200)
  })

  test('needs name resources at a location of the service', async () => {
    const other = String((await make('/resources', { location_id: elsewhere, name: 'Sink' }))['id'])
    const needs = [{ resource_ids: [room] }, { resource_ids: [room, other] }]
    expectErrors(await call('POST', '/services', { ...colour(), needs }), '/needs/1/resource_ids/1')
    expectErrors(await change({ location_ids: [elsewhere] }), '/location_ids')
    const moved = await change({ location_ids: [elsewhere], needs: [{ resource_ids: [other] }] })
    expect(moved).toMatchObject({ status: 200, body: { location_ids: [elsewhere] } })
  })

  test('resources of another business are unknown, as are those that do not exist', async () => {
    const theirs = await makeLocation(service, rival.id)
    const reply = await call('POST', '/resources', { location_id: theirs, name: 'Theirs' }, rival.key)
    const foreign = String(reply.body.id)
    expectErrors(await call('POST', '/resources', { location_id: theirs, name: 'Mine' }), '/location_id')
    const needs = [{ resource_ids: [foreign] }, { resource_ids: [unknownId] }]
    const pointers = ['/needs/0/resource_ids/0', '/needs/1/resource_ids/0']
    expectErrors(await call('POST', '/services', { ...colour(), needs }), ...pointers)
    expectErrors(await change({ needs }), ...pointers)
    for (const method of ['GET', 'PATCH', 'DELETE'])
      expect(
        await call(method, `/resources/${foreign}`, method === 'PATCH' ? { name: 'x' } : undefined),
      ).toMatchObject({ status: 404 })
    const { data } = (await call('GET', '/resources')).body
    expect((data as Body[]).map(({ id }) => id)).not.toContain(foreign)
    expect((data as Body[]).map(({ name }) => name)).toEqual(
      (data as Body[]).map(({ name }) => name).toSorted(),
    )
  })

  test.each([
    ['six needs', Array.from({ length: 6 }, () => ({ resource_ids: [unknownId] })), ['/needs']],
    ['no resource', [{ resource_ids: [] }], ['/needs/0/resource_ids']],
    ['one twice', [{ resource_ids: [unknownId, unknownId] }], ['/needs/0/resource_ids/1']],
    ['none of it', [{ resource_ids: [unknownId], quantity: 0 }], ['/needs/0/quantity']],
    ['an unknown time', [{ resource_ids: [unknownId], during: 'first' }], ['/needs/0/during']],
  ])('a need for %s is refused with its member', async (_name, needs, pointers) => {
    expectErrors(await call('POST', '/services', { ...colour(), needs }), ...pointers)
  })

  test('terms name staff of the service, each once, in its currency, and at least the deposit', async () => {
    const price = (amount: number, currency = 'EUR') => ({ price: { amount, currency } })
    const offered = (terms: object[], parts: object = {}) =>
      call('POST', '/services', { ...colour(), terms, ...parts })
    const other = { staff_id: unknownId, ...price(1) }
    expectErrors(await offered([other]), '/terms/0/staff_id')
    const twice = [
      { staff_id: anna, ...price(1) },
      { staff_id: anna, duration_minutes: 5 },
    ]
    expectErrors(await offered(twice), '/terms/1/staff_id')
    expectErrors(await offered([{ staff_id: anna, ...price(1, 'USD') }]), '/terms/0/price/currency')
    const different = [
      { staff_id: anna, ...price(1, 'USD') },
      { staff_id: ben, ...price(1) },
    ]
    expectErrors(await offered(different, { price: null }), '/terms/1/price/currency')
    expectErrors(await offered([{ staff_id: anna }]), '/terms/0')
    expectErrors(
      await offered([{ staff_id: anna, duration_minutes: 1, steps: steps([1, true]) }]),
      '/terms/0/duration_minutes',
    )
    expectErrors(
      await offered([{ staff_id: anna, steps: steps([5, true], [5, false]) }]),
      '/terms/0/steps/1/staffed',
    )
    const deposit = { amount: 500, currency: 'EUR' }
    expectErrors(await offered([{ staff_id: anna, ...price(499) }], { deposit }), '/terms/0/price/amount')
    expectErrors(
      await change(
        { deposit: { ...deposit, amount: 9_000 } },
        { terms: [{ staff_id: anna, ...price(8_999) }] },
      ),
      '/deposit',
    )
    expectErrors(await change({ price: { amount: 9_000, currency: 'USD' } }), '/price')
    expectErrors(await change({ staff_ids: [ben] }), '/staff_ids')
    expect(await change({ staff_ids: [ben], terms: [] })).toMatchObject({ status: 200, body: { terms: [] } })
  })

  test('the schema keeps needs and terms within business, locations and staff', async () => {
    const { id } = await make('/services', colour())
    const theirs = await makeLocation(service, rival.id)
    const foreign = (await call('POST', '/resources', { location_id: theirs, name: 'X' }, rival.key)).body.id
    const link = (businessId: string, locationId: string, resourceId: unknown) =>
      changeRows(
        service,
        sql`insert into service_resources values (${businessId}, ${id}, ${locationId}, ${resourceId})`,
      )
    await expect(link(spa.id, theirs, foreign)).rejects.toThrow(/foreign key/i)
    await expect(link(rival.id, theirs, foreign)).rejects.toThrow(/foreign key/i)
    const sink = (await make('/resources', { location_id: elsewhere, name: 'Far' }))['id']
    await expect(link(spa.id, elsewhere, sink)).rejects.toThrow(/foreign key/i)
    const leave = changeRows(service, sql`delete from service_locations where service_id = ${id}`)
    await expect(leave).rejects.toThrow(/foreign key/i)
    const quit = changeRows(service, sql`delete from service_staff where service_id = ${id}`)
    await expect(quit).rejects.toThrow(/foreign key/i)
  })

  test('a resource is added, changed, deleted and found again, each with its audit entry and version', async () => {
    const version = await versionOf()
    const made = await make('/resources', { location_id: place, name: 'Bath' })
    expect(made).toEqual({
      id: expect.any(String),
      business_id: spa.id,
      location_id: place,
      name: 'Bath',
      quantity: 1,
      weekly_hours: null,
      date_overrides: [],
      active: true,
    })
    const path = `/resources/${String(made['id'])}`
    const hours = { weekly_hours: [{ weekday: 'monday', opens: '09:00', closes: '12:00' }] }
    const changed = { ...made, ...hours, quantity: 500, name: 'Baths' }
    expect((await call('PATCH', path, { ...hours, quantity: 500, name: 'Baths' })).body).toEqual(changed)
    expect((await call('DELETE', path)).status).toBe(204)
    expect((await call('GET', path)).body).toEqual({ ...changed, active: false })
    expect((await call('PATCH', path, { active: true })).body).toEqual(changed)
    expect(await versionOf()).toBe(version + 4)
    const entries = (await service.rows('audit_entries')).filter(
      ({ subject_id }) => subject_id === made['id'],
    )
    expect(entries.map(({ action }) => String(action)).toSorted()).toEqual([
      ...['resource.created', 'resource.deactivated', 'resource.updated', 'resource.updated'],
    ])
    expectErrors(await call('PATCH', path, { location_id: elsewhere }), '/location_id')
    for (const quantity of [0, 501, 1.5]) expectErrors(await call('PATCH', path, { quantity }), '/quantity')
    expectErrors(await call('POST', '/resources', { name: 'Nowhere' }), '/location_id')
  })

  test('a plan limits resources', async () => {
    const small = await makeBusiness(service)
    const location_id = await makeLocation(service, small.id)
    await changeRows(service, sql`update businesses set max_resources = 1 where id = ${small.id}`)
    const add = (name: string) => call('POST', '/resources', { location_id, name }, small.key)
    const first = await add('One')
    expect(await add('Two')).toMatchObject({ status: 409, body: { code: 'catalogue_limit_reached' } })
    await call('DELETE', `/resources/${String(first.body.id)}`, undefined, small.key)
    expect((await add('Two')).status).toBe(201)
  })

  test('a block names a resource alone, is shown in the zone of its location, and lists by it', async () => {
    const far = await makeLocation(service, spa.id, { name: 'Far', timezone: 'America/New_York' })
    const resource_id = String((await make('/resources', { location_id: far, name: 'Pool' }))['id'])
    const span = { starts_at: '2027-03-01T09:00:00Z', ends_at: '2027-03-01T12:00:00Z' }
    const made = await make('/blocks', { resource_id, ...span, reason: 'Painting' })
    expect(made).toEqual({
      id: expect.any(String),
      business_id: spa.id,
      ...{ location_id: null, staff_id: null, resource_id },
      ...{ starts_at: '2027-03-01T04:00:00-05:00', ends_at: '2027-03-01T07:00:00-05:00' },
      reason: 'Painting',
      created_at: expect.stringMatching(/-05:00$/),
      conflicting_booking_ids: [],
    })
    const { data } = (await call('GET', `/blocks?resource_id=${resource_id}`)).body
    expect((data as Body[]).map(({ id }) => id)).toEqual([made['id']])
    expectErrors(await call('POST', '/blocks', { resource_id, location_id: far, ...span }), '/resource_id')
    expectErrors(await call('POST', '/blocks', { resource_id, staff_id: anna, ...span }), '/resource_id')
    expectErrors(await call('POST', '/blocks', { resource_id: unknownId, ...span }), '/resource_id')
    expectErrors(await call('POST', '/blocks', { resource_id, ...span }, rival.key), '/resource_id')
    expect(await call('GET', `/blocks/${String(made['id'])}`, undefined, rival.key)).toMatchObject({
      status: 404,
    })
    expect((await call('DELETE', `/blocks/${String(made['id'])}`)).status).toBe(204)
  })

  test('a block of a resource lists the bookings that take it then, and no others', async () => {
    const made = await make('/services', { ...colour(), terms: [] })
    const book = async (starts_at: string) => {
      const body = { service_id: made['id'], location_id: place, staff_id: anna, starts_at }
      const { hold_id } = await make('/bookings/hold', body)
      return String((await make('/bookings', { hold_id, client: ada }))['id'])
    }
    const [early, late] = [await book('2026-12-07T09:00:00Z'), await book('2026-12-07T12:00:00Z')]
    const blocked = (from: string, until: string) =>
      make('/blocks', {
        resource_id: room,
        starts_at: `2026-12-07T${from}:00Z`,
        ends_at: `2026-12-07T${until}:00Z`,
      })
    expect(await blocked('08:00', '13:00')).toMatchObject({ conflicting_booking_ids: [early, late] })
    expect(await blocked('10:30', '12:01')).toMatchObject({ conflicting_booking_ids: [late] })
    await call('DELETE', `/bookings/${late}`)
    expect(await blocked('10:30', '12:01')).toMatchObject({ conflicting_booking_ids: [] })
  })

  test('the schema lets a block name exactly one thing', async () => {
    const insert = (location: string | null, resource: string | null) =>
      changeRows(
        service,
        sql`insert into blocks (id, business_id, location_id, resource_id, starts_at, ends_at, created_at)
            values (${service.context.ids.next()}, ${spa.id}, ${location}, ${resource}, '2027-03-01T09:00:00.000Z', '2027-03-01T10:00:00.000Z', '2027-03-01T09:00:00.000Z')`,
      )
    await expect(insert(null, null)).rejects.toThrow(/check/i)
    await expect(insert(place, room)).rejects.toThrow(/check/i)
    await expect(insert(null, anna)).rejects.toThrow(/foreign key/i)
  })
})
