import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectErrors, expectProblem } from '../support/expect-problem.ts'
import { onOneEngine } from '../support/long.ts'
import {
  bookingOf,
  deactivate,
  holdOf,
  makeThings,
  nextStart,
  unknownId,
  type Tenant,
} from '../support/tenant-things.ts'
import { ada, businessOf, offer, startTestService, type TestService } from '../support/test-service.ts'

onOneEngine('sqlite', 'names, fields, null and ids', (engine) => {
  let service: TestService
  let salon: Tenant
  let token: string
  let key: string
  beforeAll(async () => {
    service = await startTestService(engine)
    salon = businessOf(service.world, 'Salon Spree')
    token = await service.session(salon)
    key = salon.business_key
  })
  afterAll(() => service.stop())

  const hold = (body: object) => service.call('POST', '/bookings/hold', { token, body })
  const book = (body: object) => service.call('POST', '/bookings', { token, body })
  const wanted = () => ({ ...offer(salon, 'Haircut'), starts_at: nextStart() })

  test('every operation that needs a key lives under /api/v1, but the address of agents', () => {
    const withKey = service.app.server.knownRoutes.filter(({ access }) => access)
    expect(withKey.length).toBeGreaterThan(10)
    expect(withKey.filter(({ url }) => !url.startsWith('/api/v1/')).map(({ url }) => url)).toEqual(['/mcp'])
  })

  test('every field of every answer is in snake_case, and every id is a UUID', async () => {
    const { hold_id, booking_id } = await makeThings(service, salon, token)
    const paths = [
      ...['/services?limit=100', '/locations', '/staff', '/bookings'],
      ...[`/bookings/hold/${hold_id}`, `/bookings/${booking_id}`],
    ]
    const answers = await Promise.all(paths.map((path) => service.call('GET', path, { token: key })))
    answers.push(await service.call('POST', '/session', { token: salon.publishable_key }), await hold({}))
    const members = answers.flatMap(({ body }) => membersOf(body))
    expect(members.length).toBeGreaterThan(100)
    expect(members.filter(([name]) => !/^[a-z]+(_[a-z]+)*$/.test(name))).toEqual([])
    const ids = members.filter(([name, value]) => /(^|_)id$/.test(name) && value !== null)
    expect(
      ids.filter(([, value]) => !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(String(value))),
    ).toEqual([])
  })

  test('unknown fields are refused by name, at every depth and whatever their value', async () => {
    const [hold_id, field_id] = [unknownId, unknownId]
    expectErrors(await hold({ ...wanted(), color: 'red' }), '/color')
    expectErrors(await hold({ ...wanted(), color: null }), '/color')
    expectErrors(
      await book({ hold_id, client: { ...ada, age: 36, title: null } }),
      '/client/age',
      '/client/title',
    )
    expectErrors(
      await book({ hold_id, client: ada, custom_field_values: [{ field_id, value: 'x', extra: 1 }] }),
      '/custom_field_values/0/extra',
    )
    const patched = await service.call('PATCH', `/bookings/${unknownId}`, {
      token: key,
      body: { id: unknownId },
    })
    expectErrors(patched, '/id')
    expectErrors(await hold({ ...wanted(), 'a/b~c': 1 }), '/a~1b~0c')
  })

  test.each([
    ['POST', '/session'],
    ['DELETE', `/bookings/${unknownId}`],
    ['DELETE', `/bookings/hold/${unknownId}`],
  ])('%s %s needs no body and refuses a field by name', async (method, path) => {
    const caller = path === '/session' ? salon.publishable_key : key
    expectErrors(await service.call(method, path, { token: caller, body: { reason: 'x' } }), '/reason')
  })

  test.each([
    ['POST', '/bookings/hold'],
    ['POST', '/bookings'],
    ['GET', '/bookings'],
    ['GET', `/bookings/${unknownId}`],
    ['PATCH', `/bookings/${unknownId}`],
    ['DELETE', `/bookings/${unknownId}`],
    ['GET', `/bookings/hold/${unknownId}`],
    ['DELETE', `/bookings/hold/${unknownId}`],
    ...['services', 'locations', 'staff'].flatMap((name) => [
      ['GET', `/${name}`],
      ['GET', `/${name}/${unknownId}`],
    ]),
  ])('%s %s refuses an unknown query parameter by name', async (method, path) => {
    const reply = await service.call(method, `${path}?colour=red`, {
      token: key,
      ...(method === 'PATCH' && { body: {} }),
    })
    expect(reply.status).toBe(422)
    expect((reply.body.errors as { pointer: string }[]).map(({ pointer }) => pointer)).toContain('/colour')
  })

  test('all faults are told at once: of the body, of its parts and of the query', async () => {
    const body = { service_id: 7, location_id: 'x', staff_id: '', starts_at: 'soon', note: 1 }
    const reply = await service.call('POST', '/bookings/hold?page=2', { token, body })
    expectErrors(reply, '/service_id', '/location_id', '/staff_id', '/starts_at', '/note', '/page')
    const client = { first_name: '', email: 'ada', phone: 'call me' }
    expectErrors(
      await book({ client, notes: 5 }),
      ...['/hold_id', '/client/first_name', '/client/email', '/client/phone', '/notes'],
    )
  })

  test.each([
    ['notes', 5],
    ['notes', true],
    ['notes', ['text']],
    ['hold_id', 7],
    ['client', 'Ada'],
    ['client', [ada]],
    ['custom_field_values', {}],
    ['custom_field_values', '[]'],
  ])('nothing is coerced: %s is not %j', async (field, value) => {
    expectErrors(await book({ hold_id: unknownId, client: ada, [field]: value }), `/${field}`)
  })

  test('an optional null is the same as absent on creation, a required one a fault', async () => {
    const held = await hold({ ...wanted(), staff_id: null })
    expect(held.status).toBe(201)
    const { hold_id } = held.body
    const booked = await book({
      hold_id,
      client: { ...ada, phone: null },
      notes: null,
      custom_field_values: null,
    })
    expect(booked).toMatchObject({ status: 201, body: { notes: null, client: { phone: null } } })
    expectErrors(await hold({ ...wanted(), starts_at: null }), '/starts_at')
    expectErrors(
      await book({ hold_id: null, client: { ...ada, first_name: null } }),
      '/hold_id',
      '/client/first_name',
    )
    expectErrors(await book({ hold_id, client: null }), '/client')
  })

  test('on PATCH null clears what may be empty and is a fault elsewhere', async () => {
    const path = `/bookings/${await bookingOf(service, salon, { token, body: { notes: 'Ring twice.' } })}`
    const patch = (body: object) => service.call('PATCH', path, { token: key, body })
    expect(await patch({ notes: null })).toMatchObject({ status: 200, body: { notes: null } })
    expectErrors(
      await patch({ status: null, starts_at: null, ends_at: null }),
      '/status',
      '/starts_at',
      '/ends_at',
    )
  })

  test('PATCH {} is 200 and changes nothing', async () => {
    const path = `/bookings/${await bookingOf(service, salon, { token })}`
    const before = await service.call('GET', path, { token: key })
    const events = await service.events()
    const patched = await service.call('PATCH', path, { token: key, body: {} })
    expect(patched).toMatchObject({ status: 200, body: before.body, headers: { etag: before.headers.etag } })
    expect(await service.events()).toEqual(events)
  })

  test('ids in upper case are the same ids, in a path, a body and a query', async () => {
    const ids = offer(salon, 'Haircut')
    const held = await hold({
      service_id: ids.service_id.toUpperCase(),
      location_id: ids.location_id.toUpperCase(),
      staff_id: salon.staff[0]?.id.toUpperCase(),
      starts_at: nextStart(),
    })
    expect(held).toMatchObject({ status: 201, body: ids })
    const booked = await book({ hold_id: String(held.body.hold_id).toUpperCase(), client: ada })
    expect(booked).toMatchObject({ status: 201, body: { id: held.body.hold_id } })
    const read = (path: string) => service.call('GET', path, { token: key })
    expect((await read(`/bookings/${String(booked.body.id).toUpperCase()}`)).body).toMatchObject(booked.body)
    expect((await read(`/services/${ids.service_id.toUpperCase()}`)).body.id).toBe(ids.service_id)
    const listed = await read(
      `/bookings?service_id=${ids.service_id.toUpperCase()}&business_id=${salon.id.toUpperCase()}`,
    )
    const { manage_url: _, ...booking } = booked.body // lists omit it
    expect(listed.body.data[0]).toMatchObject(booking)
  })

  test.each([
    'x',
    '123',
    `${unknownId}0`,
    unknownId.slice(1),
    `{${unknownId}}`,
    unknownId.replaceAll('-', ''),
    '%20',
    'a'.repeat(5000),
  ])('the malformed id %s is 404 in a path and a named fault in a body or query', async (id) => {
    for (const path of ['/services', '/locations', '/staff', '/bookings']) {
      expectProblem(await service.call('GET', `${path}/${id}`, { token: key }), 'not_found')
    }
    expectProblem(await service.call('GET', `/bookings/hold/${id}`, { token }), 'hold_not_found')
    expectProblem(await service.call('PATCH', `/bookings/${id}`, { token: key, body: {} }), 'not_found')
    expectErrors(await hold({ ...wanted(), service_id: id, staff_id: id }), '/service_id', '/staff_id')
    expectErrors(await book({ hold_id: id, client: ada }), '/hold_id')
    const listed = await service.call('GET', `/bookings?service_id=${id}&business_id=${id}`, { token: key })
    expectErrors(listed, '/service_id', '/business_id')
  })

  test('an unknown service, location or staff member is 404', async () => {
    for (const field of ['service_id', 'location_id', 'staff_id']) {
      expectProblem(await hold({ ...wanted(), [field]: unknownId }), 'not_found')
    }
  })

  test('an inactive service, location or staff member is 422 slot_not_offered', async () => {
    const studio = businessOf(service.world, 'Hudson Studio')
    const visitor = await service.session(studio)
    const [first, second] = studio.staff
    const place = (body: object) => service.call('POST', '/bookings/hold', { token: visitor, body })
    const at = (name: string, location = 'Online') => ({
      ...offer(studio, name, location),
      starts_at: nextStart(),
    })
    await deactivate(service, 'services', offer(studio, 'Meeting room').service_id)
    await deactivate(service, 'locations', offer(studio, 'Haircut', 'Chelsea').location_id)
    await deactivate(service, 'staff', first?.id ?? '')
    const refusals = [
      await place(at('Meeting room')),
      await place(at('Haircut', 'Chelsea')),
      await place({ ...at('Haircut'), staff_id: first?.id }),
    ]
    for (const refusal of refusals) {
      expect(refusal).toMatchObject({
        status: 422,
        body: { code: 'slot_not_offered', reason: 'not_offered_here' },
      })
    }
    // a time of the week at which the second one works
    const working = { ...at('Haircut'), staff_id: second?.id, starts_at: '2027-06-01T15:00:00Z' }
    expect((await place(working)).status).toBe(201)
    const later = { token: visitor, starts_at: '2027-06-01T16:00:00Z' }
    expect(await holdOf(service, studio, later)).toMatch(/-/)
  })
})

/** Returns every name and value of every object in a JSON value. */
function membersOf(value: unknown): [name: string, value: unknown][] {
  if (Array.isArray(value)) return value.flatMap(membersOf)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => [
    [name, member] as [string, unknown],
    ...membersOf(member),
  ])
}
