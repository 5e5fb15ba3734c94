import { afterAll, beforeAll, expect, test } from 'vitest'
import { derivedId } from '../../src/base/ids.ts'
import { bookSlot, type Client, clientOf, sessionClient } from '../support/client.ts'
import { expectErrors, expectProblem } from '../support/expect-problem.ts'
import { onOneEngine } from '../support/long.ts'
import {
  makeBusiness,
  makeLocation,
  makeOffer,
  makeService,
  makeStaff,
  type OwnBusiness,
} from '../support/offers.ts'
import { logInNewPerson, type LoggedIn } from '../support/person.ts'
import { ada, startTestService, type TestService } from '../support/test-service.ts'

/* A business's records of bookings and clients: answers, history, clients, and the permissions of its people. */

const at = (time: string) => `2026-12-01T${time}:00+01:00`
const grace = {
  first_name: 'Grace',
  last_name: 'Hopper',
  email: 'Grace+hair@example.com',
  phone: '+49 30 1234',
}

onOneEngine('sqlite', 'records of bookings', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let key: Client
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    key = clientOf(service, business.key)
  })
  afterAll(() => service.stop())

  test('answers are corrected together; those that stay fit, whatever became of their field', async () => {
    const field = (name: string, required = false) => ({
      ...{ id: derivedId('field', name), key: name, label: name, type: 'text' as const, required },
    })
    const offer = await makeOffer(service, business.id, { customFields: [field('wish'), field('old')] })
    const answer = (name: string, value: unknown) => ({ field_id: derivedId('field', name), value })
    const given = [answer('wish', 'Shorter'), answer('old', 'gone soon')]
    const { id } = await bookSlot(key, offer, at('10:00'), { book: { custom_field_values: given } })
    const fields = { custom_fields: [field('wish', true)] }
    await service.call('PATCH', `/services/${offer.service_id}`, { token: business.key, body: fields })
    expect((await key.change(id, { custom_field_values: given })).headers['etag']).toBe('"1"')
    const changed = [answer('wish', 'Longer'), answer('old', 'gone soon')]
    expect(await key.change(id, { custom_field_values: changed })).toMatchObject({
      headers: { etag: '"2"' },
      body: { custom_field_values: changed },
    })
    expect((await key.show(id)).body.custom_field_values).toEqual(changed)
    expectErrors(
      await key.change(id, { custom_field_values: [answer('wish', 5)] }),
      '/custom_field_values/0/value',
    )
    expectErrors(await key.change(id, { custom_field_values: [] }), '/custom_field_values')
    expectErrors(
      await key.change(id, { custom_field_values: [answer('wish', 'x'), answer('old', 'other')] }),
      '/custom_field_values/1/field_id',
    )
  })

  test('a business says why it cancels', async () => {
    const { id } = await bookSlot(key, await makeOffer(service, business.id), at('10:00'))
    expectErrors(await key.change(id, { cancel_reason: 'Ill' }), '/cancel_reason')
    expect((await key.change(id, { status: 'cancelled', cancel_reason: 'Ill' })).body).toMatchObject({
      status: 'cancelled',
      cancel_reason: 'Ill',
    })
  })

  test('the history of a booking tells who did what, and from when it was moved', async () => {
    const session = await sessionClient(service, business)
    const { id, manage_url } = await bookSlot(session, await makeOffer(service, business.id), at('10:00'))
    service.clock.advance(1)
    await key.change(id, { starts_at: at('12:00') })
    service.clock.advance(1)
    await key.change(id, { notes: 'Ring twice' })
    service.clock.advance(1)
    const [, link = ''] = String(manage_url).split('#')
    await service.call('POST', '/manage/cancel', { token: link, body: {} })
    const history = (query = '') =>
      service.call('GET', `/bookings/${id}/history${query}`, { token: business.key })
    const { body } = await history()
    expect(body).toMatchObject({
      data: [
        { action: 'booking.cancelled', actor: { type: 'manage_link' } },
        { action: 'booking.updated', actor: { type: 'key' } },
        { action: 'booking.updated', moved: { from: at('10:00'), to: at('12:00') } },
        { action: 'booking.created', actor: { type: 'session' }, at: expect.stringContaining('+01:00') },
      ],
      next_cursor: null,
    })
    expect((body.data as object[]).map((entry) => 'moved' in entry)).toEqual([false, false, true, false])
    const { next_cursor } = (await history('?limit=3')).body
    expect((await history(`?limit=3&cursor=${next_cursor}`)).body.data).toEqual(
      (body.data as object[]).slice(3),
    )
    expectErrors(await history('?cursor=nonsense'), '/cursor')
  })

  test('clients are counted by e-mail and name, whatever their capitals, and found by name and phone', async () => {
    const own = await makeBusiness(service)
    const token = clientOf(service, own.key)
    const offer = await makeOffer(service, own.id)
    const book = async (time: string, client: object) =>
      String((await bookSlot(token, offer, at(time), { book: { client } })).id)
    await book('10:00', grace)
    const second = await book('11:00', { ...grace, first_name: 'GRÂCE', email: 'grace+HAIR@example.com' })
    await book('12:00', ada)
    const fourth = await book('13:00', grace)
    await token.change(fourth, { status: 'cancelled' })
    await token.change(second, { starts_at: '2026-11-27T10:00:00+01:00' })
    const clients = async (query = '') =>
      (await service.call('GET', `/clients?${query}`, { token: own.key })).body
    const hers = {
      ...{ email: grace.email, first_name: 'Grace', last_name: 'Hopper', phone: '+49 30 1234' },
      ...{ booking_count: 2, no_show_count: 0, last_booking_at: at('10:00') },
      ...{ blocked: false, business_id: own.id },
    }
    expect(await clients()).toMatchObject({
      data: [{ email: 'ada@example.com', booking_count: 1, phone: null }, hers],
      next_cursor: null,
    })
    for (const query of ['q=hopper', 'q=49301', 'q=GRAC', 'email=GRACE%2Bhair@example.com', 'q=%2Bhair'])
      expect(await clients(query), query).toMatchObject({ data: [hers], next_cursor: null })
    expect(await clients('q=%25%25%25')).toEqual({ data: [], next_cursor: null })
    const first = await clients('limit=1')
    expect(first).toMatchObject({ data: [{ email: 'ada@example.com' }], next_cursor: expect.any(String) })
    expect(await clients(`cursor=${first.next_cursor}`)).toMatchObject({ data: [hers], next_cursor: null })
    await service.call('POST', '/clients/block', { token: own.key, body: { email: grace.email } })
    expect((await clients('q=hopper')).data).toMatchObject([{ ...hers, blocked: true }])
    expectErrors(await service.call('GET', '/clients?cursor=nonsense', { token: own.key }), '/cursor')
    expectErrors(await service.call('GET', '/clients?q=ab', { token: own.key }), '/q')
  })

  test('a family with one address is listed by name, each with their own visits', async () => {
    const own = await makeBusiness(service)
    const token = clientOf(service, own.key)
    const offer = await makeOffer(service, own.id)
    const book = async (time: string, first_name: string, email: string) =>
      String(
        (await bookSlot(token, offer, at(time), { book: { client: { ...grace, first_name, email } } })).id,
      )
    await book('10:00', 'Zoë', 'home@example.com')
    await book('11:00', 'Ärne', 'zz@example.com')
    await book('12:00', 'Bea', 'home@example.com')
    await book('13:00', 'Zoe', 'HOME@example.com')
    const clients = async (query = '') =>
      (await service.call('GET', `/clients?${query}`, { token: own.key })).body as {
        data: { first_name: string; booking_count: number }[]
        next_cursor: string | null
      }
    const names = async (query = '') => (await clients(query)).data.map(({ first_name }) => first_name)
    expect(await names()).toEqual(['Ärne', 'Bea', 'Zoë'])
    expect((await clients()).data[2]).toMatchObject({ booking_count: 2 })
    expect(await names('email=home@example.com')).toEqual(['Bea', 'Zoë'])
    expect(await names('q=hopper')).toEqual(['Ärne', 'Bea', 'Zoë'])
    expect(await names('q=home@')).toEqual(['Bea', 'Zoë'])
    const paged: string[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await clients(`limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`)
      paged.push(...page.data.map(({ first_name }) => first_name))
      cursor = page.next_cursor
    }
    expect(paged).toEqual(['Ärne', 'Bea', 'Zoë'])
    const erased = await service.call('POST', '/clients/erase', {
      token: own.key,
      body: { email: 'home@example.com' },
    })
    expect(erased.body).toMatchObject({ bookings: 3 })
    expect(await names()).toEqual(['Ärne'])
  })

  test('clients are found by plain letters, and by those that their names have', async () => {
    const own = await makeBusiness(service)
    const token = clientOf(service, own.key)
    const offer = await makeOffer(service, own.id)
    const names = [
      'Łukasiewicz',
      'Đặng',
      'Sørensen',
      'Weiß',
      'Ægir',
      'Işıl',
      'Müller',
      'Παπαδόπουλος',
      '山田が一',
    ]
    for (const [index, last_name] of names.entries())
      await bookSlot(token, offer, at(`${String(9 + index).padStart(2, '0')}:00`), {
        book: { client: { first_name: 'Kim', last_name, email: `k${index}@example.com` } },
      })
    const found = async (list: string, q: string) => {
      const path = `/${list}?q=${encodeURIComponent(q)}`
      const { data } = (await service.call('GET', path, { token: own.key })).body as {
        data: { last_name?: string; client?: { last_name: string } }[]
      }
      return data.map(({ last_name, client }) => last_name ?? client?.last_name)
    }
    const searched: [string, string[]][] = [
      ...names.map((name): [string, string[]] => [name, [name]]),
      ['luk', ['Łukasiewicz']],
      ['ŁUKASIEWICZ', ['Łukasiewicz']],
      ['dang', ['Đặng']],
      ['sorensen', ['Sørensen']],
      ['weiss', ['Weiß']],
      ['WEISS', ['Weiß']],
      ['aegir', ['Ægir']],
      ['isil', ['Işıl']],
      ['muller', ['Müller']],
      ['παπαδοπουλος', ['Παπαδόπουλος']],
      ['山田か', []],
    ]
    for (const [q, expected] of searched)
      for (const list of ['bookings', 'clients'])
        expect(await found(list, q), `${list} ${q}`).toEqual(expected)
  })

  test('staff change only their own appointments, and see nothing of the clients of others', async () => {
    const locationId = await makeLocation(service, business.id)
    const people = await makeStaff(service, business.id, ['Anna', 'Ben'], [locationId])
    const [mine = '', other = ''] = people
    const serviceId = await makeService(service, business.id, {
      locationIds: [locationId],
      staffIds: people,
    })
    const offer = { service_id: serviceId, location_id: locationId }
    const bookWith = async (staff_id: string) =>
      String((await bookSlot(key, offer, at('15:00'), { hold: { staff_id }, book: { client: grace } })).id)
    const [own, foreign] = [await bookWith(mine), await bookWith(other)]
    const place = { businessId: business.id }
    const staff = await logInNewPerson(service, {
      ...{ email: 'mine@example.com', role: 'staff' as const, place, staffId: mine },
    })
    expect(await staff.call('PATCH', `/bookings/${own}`, { notes: 'mine' })).toMatchObject({ status: 200 })
    expectProblem(await staff.call('PATCH', `/bookings/${foreign}`, { notes: 'not mine' }), 'not_found')
    expectProblem(await staff.call('DELETE', `/bookings/${foreign}`), 'not_found')
    expect((await staff.call('GET', `/bookings/${own}/history`)).body.data).toMatchObject([
      { actor: { type: 'person', name: 'mine' } },
      {},
    ])
    expectProblem(await staff.call('GET', `/bookings/${foreign}/history`), 'not_found')
    const found = async (query: string) =>
      ((await staff.call('GET', `/bookings?${query}`)).body.data as { id: string }[]).map(({ id }) => id)
    expect(await found('q=hopper')).toEqual([own])
    expect(await found(`email=${encodeURIComponent(grace.email)}`)).toEqual([own])
    expect(await found(`q=hopper&staff_id=${other}`)).toEqual([])
    expect(await found(`staff_id=${other}`)).toEqual([foreign])
    expectProblem(await staff.call('GET', '/clients'), 'key_type_not_allowed', {
      allowed_key_types: ['business', 'hub'],
    })
    const owners = async (role: 'manager' | 'owner'): Promise<LoggedIn> =>
      logInNewPerson(service, { email: `${role}@example.com`, role, place })
    const manager = await owners('manager')
    expectProblem(await manager.call('DELETE', `/bookings/${own}?refund=full`), 'key_type_not_allowed', {
      allowed_key_types: ['business', 'hub'],
    })
    expect(await manager.call('GET', '/clients')).toMatchObject({ status: 200 })
    const owner = await owners('owner')
    expectErrors(await owner.call('DELETE', `/bookings/${own}?refund=full`), '/refund') // nothing was paid
  })
})
