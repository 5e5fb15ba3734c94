import { afterAll, beforeAll, expect, test } from 'vitest'
import { findErrors } from '../support/checker.ts'
import { type Client, sessionClient } from '../support/client.ts'
import { type DepositWorld, depositWorld, sessionOf } from '../support/deposits.ts'
import { type OwnBusiness, makeLocation } from '../support/offers.ts'
import { onOneEngine } from '../support/long.ts'
import { ada, type Reply, type TestService } from '../support/test-service.ts'

/* Deposits, questions, deadlines and caps of several services together. */

const at = (time: string) => `2026-12-01T${time}:00+01:00`
const euros = (amount: number) => ({ amount, currency: 'EUR' })

onOneEngine('sqlite', 'the terms of a visit', (engine) => {
  let world: DepositWorld
  let service: TestService
  let business: OwnBusiness
  let key: Client
  let session: Client
  beforeAll(async () => {
    world = await depositWorld(engine)
    ;({ service, business, key, session } = world)
  })
  afterAll(() => world.stop())

  async function create(path: string, body: Record<string, unknown>): Promise<string> {
    const reply = await service.call('POST', path, { token: business.key, body })
    if (reply.status !== 201) throw new Error(`${path}: ${JSON.stringify(reply.body)}`)
    return String(reply.body['id'])
  }

  /** Two services of one person at a separate location, and a way to hold both. */
  async function makePair(first: Record<string, unknown> = {}, second: Record<string, unknown> = {}) {
    const location_id = await makeLocation(service, business.id)
    const person = await create('/staff', { name: 'Kim' })
    const offered = { location_ids: [location_id], staff_ids: [person], duration_minutes: 30 }
    const ids = [
      await create('/services', { ...offered, name: 'Cut', ...first }),
      await create('/services', { ...offered, name: 'Colour', ...second }),
    ] as const
    const items = ids.map((service_id) => ({ service_id }))
    const hold = (client: Client, startsAt: string, headers: Record<string, string> = {}) =>
      service.call('POST', '/bookings/hold', {
        token: client.token,
        body: { location_id, starts_at: startsAt, items },
        headers,
      })
    return { location_id, person, ids, items, hold }
  }

  const idOf = (reply: Reply) => {
    expect(reply.status, JSON.stringify(reply.body)).toBe(201)
    return String(reply.body['hold_id'])
  }
  const whole = async () => expect(await findErrors(service.databaseUrl)).toEqual([])

  test('the deposit is the sum, is paid once and is refunded as a whole', async () => {
    const { hold } = await makePair({ deposit: euros(1000) }, { deposit: euros(2500) })
    const held = idOf(await hold(session, at('10:00')))
    const { body, status } = await session.book(held)
    expect([status, body.status, body.payment]).toMatchObject([
      201,
      'pending',
      { amount: 3500, status: 'due' },
    ])
    await world.paid(sessionOf(world.stripe, { body } as Reply))
    await world.settled()
    expect(await world.shown(held)).toMatchObject({ status: 'confirmed', payment: { status: 'paid' } })
    await service.call('DELETE', `/bookings/${held}?refund=full`, { token: business.key })
    await world.settled()
    expect(await world.shown(held)).toMatchObject({ status: 'cancelled', payment: { status: 'refunded' } })
    expect(await hold(session, at('10:00'))).toMatchObject({ status: 201 })
    await whole()
  })

  test('a payment that comes late takes the time of all services again, or goes back', async () => {
    const { hold } = await makePair({ deposit: euros(1000) }, { deposit: euros(2500) })
    const lapsed = async (time: string) => {
      const held = idOf(await hold(session, at(time)))
      const sessionId = sessionOf(world.stripe, { body: (await session.book(held)).body } as Reply)
      await world.send(
        world.stripe.event('checkout.session.expired', world.stripe.sessions.get(sessionId) ?? {}),
      )
      expect(await world.shown(held)).toMatchObject({ status: 'cancelled' })
      world.stripe.pay(sessionId)
      return { held, sessionId }
    }
    const late = await lapsed('13:00')
    await world.tell('checkout.session.completed', late.sessionId)
    await world.settled()
    expect(await world.shown(late.held)).toMatchObject({ status: 'confirmed', items: [{}, {}] })
    for (const time of ['13:00', '13:30']) expect((await hold(key, at(time))).status, time).toBe(409)
    const tooLate = await lapsed('15:00')
    const rival = await hold(key, at('15:30')) // the time of the second service
    expect((await key.book(idOf(rival))).status).toBe(201)
    await world.tell('checkout.session.completed', tooLate.sessionId)
    await world.settled()
    expect(await world.shown(tooLate.held)).toMatchObject({
      ...{ status: 'cancelled', payment: { status: 'refunded' } },
    })
    await whole()
  })

  test('a due deposit follows the services', async () => {
    const { hold, ids } = await makePair({ deposit: euros(1000) }, { deposit: euros(2500) })
    const held = idOf(await hold(key, at('10:00')))
    expect((await key.book(held)).body.payment).toMatchObject({ amount: 3500, status: 'due' })
    const dropped = await key.change(held, { items: [{ id: held }] })
    expect(dropped.body.payment).toMatchObject({ amount: 1000, status: 'due' })
    const again = await key.change(held, { items: [{ id: held }, { service_id: ids[1] }] })
    expect(again.body.payment).toMatchObject({ amount: 3500, status: 'due' })
    await whole()
  })

  test('the questions are those of all services, and each is asked once', async () => {
    const question = { key: 'allergies', label: 'Allergies', type: 'text', required: true }
    const { hold, ids } = await makePair(
      { custom_fields: [question], client_fields: { phone: 'optional' } },
      { custom_fields: [question], client_fields: { phone: 'required' } },
    )
    const held = idOf(await hold(session, at('10:00')))
    const refused = await session.book(held)
    expect(refused.body.errors).toMatchObject([
      { pointer: '/client/phone', code: 'required' },
      { pointer: '/custom_field_values', code: 'required' },
      { pointer: '/custom_field_values', code: 'required' },
    ])
    const fields = await Promise.all(
      ids.map(async (id) => (await service.call('GET', `/services/${id}`, { token: business.key })).body),
    )
    const custom_field_values = fields.map(({ custom_fields }) => ({
      field_id: (custom_fields as { id: string }[])[0]?.id,
      value: 'none',
    }))
    const booked = await session.book(held, { client: { ...ada, phone: '1' }, custom_field_values })
    expect(booked.status, JSON.stringify(booked.body)).toBe(201)
    expect(booked.body.custom_field_values).toMatchObject(custom_field_values)
    const others = custom_field_values.map((answer) => ({ ...answer, value: 'nuts' }))
    const changed = await key.change(held, { custom_field_values: others })
    expect(changed.body.custom_field_values, JSON.stringify(changed.body)).toMatchObject(others)
    const without = await key.change(held, { client: { phone: null } })
    expect(without.body.errors).toMatchObject([{ pointer: '/client/phone', code: 'required' }])
  })

  test('clients cancel and move by the strictest service', async () => {
    const { hold } = await makePair(
      { cancel_until_minutes: 60, reschedule_until_minutes: 60, max_reschedules: 5 },
      { cancel_until_minutes: 2880, reschedule_until_minutes: 60, max_reschedules: 1 },
    )
    const held = idOf(await hold(session, at('10:00')))
    const { body } = await session.book(held)
    const token = String(body.manage_url).split('#')[1] ?? ''
    const manage = (method: string, path: string, given?: unknown) =>
      service.call(method, `/manage${path}`, { token, ...(given !== undefined && { body: given }) })
    expect((await manage('GET', '')).body).toMatchObject({
      policy: { can_cancel: true, cancel_until: '2026-11-29T10:00:00+01:00', reschedules_left: 1 },
    })
    const moved = await manage('POST', '/reschedule', { starts_at: at('12:00') })
    expect(moved.status, JSON.stringify(moved.body)).toBe(200)
    const shown = (await key.show(held)).body
    expect(shown).toMatchObject({ starts_at: at('12:00'), ends_at: at('13:00') })
    expect(shown.items).toMatchObject([{ starts_at: at('12:00') }, { starts_at: at('12:30') }])
    expect((await manage('POST', '/reschedule', { starts_at: at('14:00') })).body).toMatchObject({
      code: 'change_not_allowed',
      reason: 'too_many',
    })
    await whole()
  })

  test('one visit is one hold under the caps, and a session replaces its own', async () => {
    const { hold } = await makePair()
    const own = await sessionClient(service, business, '192.0.2.77')
    const first = idOf(await hold(own, at('10:00')))
    const second = idOf(await hold(own, at('10:30')))
    expect((await own.showHold(first)).body).toMatchObject({ status: 'released' })
    expect((await own.showHold(second)).body).toMatchObject({ status: 'active' })
    const claims = (await service.rows('claims')).filter(({ owner_sequence }) => owner_sequence !== null)
    expect(
      claims.filter(({ id, visit_id }) => [first, second].includes(String(visit_id ?? id))),
    ).toHaveLength(2)
    await whole()
  })

  test('a repeated request gets the same answer', async () => {
    const { hold } = await makePair()
    const headers = { 'idempotency-key': 'visit-1' }
    const first = await hold(key, at('10:00'), headers)
    const again = await hold(key, at('10:00'), headers)
    expect(again.body).toEqual(first.body)
    expect(again.body['items']).toHaveLength(2)
    const booked = await service.call('POST', '/bookings', {
      ...{ token: key.token, headers: { 'idempotency-key': 'visit-2' } },
      body: { hold_id: first.body['hold_id'], client: ada },
    })
    const repeated = await service.call('POST', '/bookings', {
      ...{ token: key.token, headers: { 'idempotency-key': 'visit-2' } },
      body: { hold_id: first.body['hold_id'], client: ada },
    })
    expect(repeated.body['items']).toEqual(booked.body['items'])
  })
})
