import { afterAll, beforeAll, expect, test } from 'vitest'
import { changeBusiness } from '../../src/catalogue/business.ts'
import { addPerson } from '../../src/access/new-person.ts'
import { operator } from '../../src/access/actor.ts'
import { expectErrors, expectProblem } from '../support/expect-problem.ts'
import { onOneEngine } from '../support/long.ts'
import { goodPassword, type LoggedIn, logInNewPerson, sendForm } from '../support/person.ts'
import {
  ada,
  businessOf,
  offer,
  type Reply,
  startTestService,
  type TestService,
} from '../support/test-service.ts'

const enterprise = { required_plan: 'enterprise' }

onOneEngine('sqlite', 'what people may do', (engine) => {
  let service: TestService
  let businessId: string
  let [anna, ben]: string[] = []
  let staff: LoggedIn
  let owner: LoggedIn
  let manager: LoggedIn
  let day = 0
  beforeAll(async () => {
    service = await startTestService(engine)
    const salon = businessOf(service.world, 'Salon Spree')
    businessId = salon.id
    const idOf = (name: string) => salon.staff.find((one) => one.name === name)?.id ?? ''
    ;[anna, ben] = [idOf('Anna Weber'), idOf('Ben Fischer')]
    const place = { businessId }
    staff = await logInNewPerson(service, { email: 'anna@example.com', role: 'staff', staffId: anna, place })
    owner = await logInNewPerson(service, { email: 'owner@example.com', role: 'owner', place })
    manager = await logInNewPerson(service, { email: 'manager@example.com', role: 'manager', place })
  })
  afterAll(() => service.stop())

  const slot = () => `2026-12-${String((day += 1)).padStart(2, '0')}T12:00:00Z`
  const haircut = () => offer(businessOf(service.world, 'Salon Spree'), 'Haircut')
  const hold = (person: LoggedIn, staff_id?: string) =>
    person.call('POST', '/bookings/hold', { ...haircut(), starts_at: slot(), ...(staff_id && { staff_id }) })
  const book = async (person: LoggedIn, staffId: string): Promise<Reply['body']> => {
    const { body } = await hold(person, staffId)
    const booked = await person.call('POST', '/bookings', {
      hold_id: body.hold_id,
      client: ada,
      notes: 'secret',
    })
    expect(booked.status).toBe(201)
    return booked.body
  }

  test('staff see and change their own appointments', async () => {
    const booked = await book(staff, anna ?? '')
    expect(booked).toMatchObject({ staff: { id: anna }, client: ada, manage_url: expect.any(String) })
    const path = `/bookings/${booked.id}`
    expect((await staff.call('GET', path)).body).toMatchObject({ client: ada })
    expect(await staff.call('PATCH', path, { notes: 'short' })).toMatchObject({ status: 200 })
    expect(await staff.call('POST', `${path}/manage-link`)).toMatchObject({ status: 201 })
    expect(await staff.call('DELETE', path)).toMatchObject({ status: 200, body: { status: 'cancelled' } })
    const held = await hold(staff) // without a name, it is their own time
    const { body } = await staff.call('POST', '/bookings', { hold_id: held.body.hold_id, client: ada })
    expect(body.staff.id).toBe(anna)
  })

  test("staff see others' appointments masked, and cannot change or find them", async () => {
    const { id } = await book(owner, ben ?? '')
    const shown = await staff.call('GET', `/bookings/${id}`)
    expect(shown.body).toMatchObject({
      redacted: true,
      notes: null,
      client: { last_name: 'L.', phone: null },
    })
    expect(JSON.stringify(shown.body)).not.toContain(ada.email)
    expect(shown.body).not.toHaveProperty('manage_url')
    for (const [method, path, body] of [
      ['PATCH', `/bookings/${id}`, { notes: 'mine' }],
      ['PATCH', `/bookings/${id}`, { staff_id: anna }],
      ['DELETE', `/bookings/${id}`, undefined],
      ['POST', `/bookings/${id}/manage-link`, undefined],
    ] as const)
      expectProblem(await staff.call(method, path, body), 'not_found')
    const list = await staff.call('GET', '/bookings?limit=100')
    const row = (list.body.data as { id: string }[]).find((one) => one.id === id)
    expect(row).toMatchObject({ redacted: true })
    for (const query of [`email=${ada.email}`, 'q=lovelace', `q=lovelace&staff_id=${ben ?? ''}`]) {
      const { body } = await staff.call('GET', `/bookings?limit=100&${query}`)
      expect((body.data as { id: string }[]).map((one) => one.id)).not.toContain(id)
    }
    expect(await owner.call('GET', `/bookings/${id}`)).toMatchObject({
      body: { client: ada, notes: 'secret' },
    })
  })

  test("staff neither hold nor give away others' time, nor touch their holds", async () => {
    expectProblem(await hold(staff, ben), 'not_found')
    const others = await hold(owner, anna)
    expectProblem(await staff.call('GET', `/bookings/hold/${others.body.hold_id}`), 'hold_not_found')
    expectProblem(
      await staff.call('POST', '/bookings', { hold_id: others.body.hold_id, client: ada }),
      'hold_not_found',
    )
    const { id } = await book(staff, anna ?? '')
    for (const staff_id of [ben, null])
      expectProblem(await staff.call('PATCH', `/bookings/${id}`, { staff_id }), 'not_found')
  })

  test('staff block their own time, and see when others are away, but not why', async () => {
    const span = { starts_at: '2027-06-01T08:00:00Z', ends_at: '2027-06-01T09:00:00Z', reason: 'Dentist' }
    const own = await staff.call('POST', '/blocks', { staff_id: anna, ...span })
    expect(own).toMatchObject({ status: 201, body: { reason: 'Dentist' } })
    expectErrors(await staff.call('POST', '/blocks', { staff_id: ben, ...span }), '/staff_id')
    const { location_id } = haircut()
    expectErrors(await staff.call('POST', '/blocks', { location_id, ...span }), '/location_id')
    const others = await owner.call('POST', '/blocks', { staff_id: ben, ...span })
    const path = `/blocks/${others.body.id}`
    expect((await staff.call('GET', path)).body).toMatchObject({ staff_id: ben, reason: null })
    const { body } = await staff.call('GET', '/blocks?limit=100')
    expect((body.data as { reason: string | null }[]).map(({ reason }) => reason).toSorted()).toEqual([
      'Dentist',
      null,
    ])
    expectProblem(await staff.call('DELETE', path), 'not_found')
    expect(await staff.call('DELETE', `/blocks/${own.body.id}`)).toMatchObject({ status: 204 })
  })

  test('staff see of colleagues what visitors see', async () => {
    expect((await staff.call('GET', `/staff/${ben ?? ''}`)).body).toEqual({
      ...{ id: ben, name: 'Ben Fischer', slug: 'ben' },
      ...{ description: null, image_url: null, position: null },
    })
    expect((await staff.call('GET', `/staff/${anna ?? ''}`)).body).toHaveProperty('email')
  })

  test('of people, owners alone give a deposit back', async () => {
    const { id } = await book(owner, ben ?? '')
    expectProblem(await manager.call('DELETE', `/bookings/${id}?refund=full`), 'key_type_not_allowed', {
      allowed_key_types: ['business', 'hub'],
    })
    expectErrors(await owner.call('DELETE', `/bookings/${id}?refund=full`), '/refund') // none was paid
    expect(await manager.call('DELETE', `/bookings/${id}`)).toMatchObject({ status: 200 })
  })

  test('a lower plan locks nobody out, but ends what it does not include', async () => {
    const lotus = businessOf(service.world, 'Thames Barbers')
    const place = { businessId: lotus.id }
    const person = await logInNewPerson(service, { email: 'thames@example.com', role: 'owner', place })
    const paths = { key: `/businesses/${lotus.id}/keys`, hook: '/webhooks' }
    expectProblem(await person.call('GET', paths.hook), 'plan_required', enterprise)
    expectProblem(await person.call('POST', paths.key, { type: 'business' }), 'plan_required', enterprise)
    expect(await person.call('POST', paths.key, { type: 'publishable' })).toMatchObject({ status: 201 })
    await changeBusiness(service.context, lotus.id, { plan: 'enterprise' })
    expect(await person.call('GET', paths.hook)).toMatchObject({ status: 200 })
    await changeBusiness(service.context, lotus.id, { plan: 'growth' })
    expectProblem(await person.call('GET', paths.hook), 'plan_required', enterprise)
    expect(await person.call('GET', '/bookings')).toMatchObject({ status: 200 })
    expect(Number((await person.call('GET', '/bookings')).headers['x-ratelimit-limit'])).toBe(600_000)
  })

  test('the audit log names a person', async () => {
    const { id } = await book(owner, ben ?? '')
    const { body } = await owner.call('GET', `/audit?subject=${id}`)
    expect(body.data[0]).toMatchObject({
      actor: { type: 'person', id: owner.userId, name: 'owner' },
      action: 'booking.created',
      address: '127.0.0.1',
    })
  })

  test('an owner adds people, changes their role, and keeps them out at once', async () => {
    const add = (body: object) => owner.call('POST', '/users', body)
    expectErrors(await add({ email: 'new@example.com', role: 'staff' }), '/staff_id')
    const added = await add({ email: 'New@example.com', name: 'New', role: 'manager' })
    expect(added).toMatchObject({
      status: 201,
      body: { email: 'new@example.com', role: 'manager', business_id: businessId, has_password: false },
    })
    const token = String(added.body.link.url).replace(/^.*#/, '')
    const set = await sendForm(service, '/console/link', { token, password: goodPassword })
    const cookie = set.headers['set-cookie']?.split(';', 1)[0] ?? ''
    const call = (path: string) =>
      service.call('GET', path, { headers: { host: 'localhost', cookie, 'sec-fetch-site': 'same-origin' } })
    expectProblem(await call('/users'), 'key_type_not_allowed', { allowed_key_types: [] })
    const path = `/users/${added.body.id}`
    expect(await owner.call('PATCH', path, { role: 'owner' })).toMatchObject({
      status: 200,
      body: { role: 'owner' },
    })
    expect(await call('/users')).toMatchObject({ status: 200 })
    expect(await owner.call('PATCH', path, { disabled: true })).toMatchObject({
      body: { disabled_at: expect.any(String) },
    })
    expectProblem(await call('/users'), 'invalid_credentials')
    expect(await owner.call('PATCH', path, { disabled: false })).toMatchObject({
      body: { disabled_at: null },
    })
    expect(await call('/users')).toMatchObject({ status: 200 })
    const { body } = await owner.call('GET', `/audit?subject=${added.body.person_id}`)
    expect((body.data as { action: string }[]).map(({ action }) => action).toSorted()).toEqual([
      'user.created',
      'user.disabled',
      'user.enabled',
      'user.password_set',
      'user.updated',
    ])
    await owner.call('PATCH', path, { disabled: true })
  })

  test('an owner gets no hold of the people of another business', async () => {
    const other = { businessId: businessOf(service.world, 'Lotus Clinic').id }
    await addPerson(service.context, operator, { email: 'lotus@example.com', role: 'owner', place: other })
    expect(await owner.call('POST', '/users', { email: 'lotus@example.com', role: 'owner' })).toMatchObject({
      status: 202,
    })
    const { body } = await owner.call('GET', '/users')
    expect(JSON.stringify(body)).not.toContain('lotus@example.com')
  })

  test('of two owners who demote each other at once, one stays', async () => {
    const place = { businessId: businessOf(service.world, 'Lotus Clinic').id }
    const pair = [
      await logInNewPerson(service, { email: 'one@example.com', role: 'owner', place }),
      await logInNewPerson(service, { email: 'two@example.com', role: 'owner', place }),
    ] as const
    const { body } = await pair[0].call('GET', '/users')
    const idOf = (email: string) =>
      (body.data as { id: string; email: string }[]).find((one) => one.email === email)?.id
    await pair[0].call('PATCH', `/users/${idOf('lotus@example.com') ?? ''}`, { disabled: true })
    const replies = await Promise.all([
      pair[0].call('PATCH', `/users/${idOf('two@example.com') ?? ''}`, { role: 'manager' }),
      pair[1].call('PATCH', `/users/${idOf('one@example.com') ?? ''}`, { disabled: true }),
    ])
    expect(replies.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1)
    const places = await service.rows('user_places')
    const owners = places.filter(
      (one) => one.business_id === place.businessId && one.role === 'owner' && one.disabled_at === null,
    )
    expect(owners).toHaveLength(1)
  })
})
