import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { sessionClient } from '../support/client.ts'
import { deposit, depositWorld, sessionOf, startsAt, type DepositWorld } from '../support/deposits.ts'
import { makeOffer } from '../support/offers.ts'
import { onOneEngine } from '../support/long.ts'
import { ada } from '../support/test-service.ts'

onOneEngine('sqlite', 'a booking with a deposit', (engine) => {
  let world: DepositWorld
  beforeAll(async () => {
    world = await depositWorld(engine)
  })
  beforeEach(() => world.newSession())
  afterAll(() => world.stop())

  test('is pending, sends the client to the checkout, keeps its slot, and nobody is told of it', async () => {
    const { id, reply, offer, sessionId } = await world.due()
    expect(reply.body).toMatchObject({
      status: 'pending',
      redirect_url: expect.stringMatching(/^https:\/\/checkout\.stripe\.example\//),
    })
    expect(reply.body.payment.status).toBe('due')
    expect(await world.shown(id)).toMatchObject({
      status: 'pending',
      payment: {
        kind: 'deposit',
        status: 'due',
        ...deposit,
        provider: 'stripe',
        paid_at: null,
        refunded_at: null,
        refunded_amount: 0,
      },
    })
    expect(await world.shown(id)).not.toHaveProperty('redirect_url')
    expect((await world.session.show(id)).body.payment.status).toBe('due')
    expect((await world.key.list({ limit: 1 })).body.data[0].payment.status).toBe('due')
    expect(await world.eventsOf(id)).toEqual([])
    expect(await world.isFree(offer)).toBe(false)
    expect(world.stripe.sessions.get(sessionId)).toMatchObject({
      amount_total: 2500,
      currency: 'eur',
      customer_email: ada.email,
      success_url: expect.stringMatching(/^https:\/\/book\.example\/checkout\/[0-9a-f-]{36}$/),
    })
  })

  test('of a client without an e-mail address is paid where they enter one', async () => {
    const offer = await makeOffer(world.service, world.business.id, { deposit })
    const held = await world.key.hold(offer, startsAt)
    const { email: _, ...client } = ada
    const reply = await world.key.book(String(held.body.hold_id), { client })
    expect(world.stripe.sessions.get(sessionOf(world.stripe, reply))).toMatchObject({ customer_email: null })
  })

  test('is confirmed by its payment: one event, which says confirmed', async () => {
    const { id, offer, sessionId } = await world.due()
    world.service.clock.advance(60)
    expect(await world.paid(sessionId)).toMatchObject({ status: 200, body: { received: true } })
    expect(await world.shown(id)).toMatchObject({
      status: 'confirmed',
      payment: { status: 'paid', paid_at: expect.stringMatching(/^2026-11-20T/) },
    })
    const events = (await world.service.events()).filter(({ booking_id }) => booking_id === id)
    expect(events).toMatchObject([
      { type: 'booking.created', payload: { data: { id, status: 'confirmed' } } },
    ])
    expect(await world.isFree(offer)).toBe(false)
  })

  test('an event that comes twice, or under another id, changes nothing more', async () => {
    const { id, sessionId } = await world.due()
    world.stripe.pay(sessionId)
    const event = world.stripe.event('checkout.session.completed', world.stripe.sessions.get(sessionId) ?? {})
    await world.send(event)
    const first = await world.shown(id)
    world.service.clock.advance(1)
    expect((await world.send(event)).status).toBe(200)
    expect((await world.tell('checkout.session.async_payment_succeeded', sessionId)).status).toBe(200)
    expect(await world.shown(id)).toEqual(first)
    expect(await world.eventsOf(id)).toEqual(['booking.created'])
    await world.settled()
    expect(world.stripe.refunds).toEqual([])
  })

  test('is confirmed at once when the event comes before the answer with its address', async () => {
    world.stripe.onCreated = async (created) => {
      world.stripe.onCreated = undefined
      world.stripe.pay(created.id)
      expect((await world.tell('checkout.session.completed', created.id)).status).toBe(200)
    }
    const offer = await makeOffer(world.service, world.business.id, { deposit })
    const held = await world.session.hold(offer, startsAt)
    const reply = await world.session.book(String(held.body.hold_id))
    expect(reply).toMatchObject({
      status: 201,
      body: { status: 'confirmed', redirect_url: expect.stringMatching(/^https:/) },
    })
    expect(await world.eventsOf(String(reply.body.id))).toEqual(['booking.created'])
    expect(await world.shown(String(reply.body.id))).toMatchObject({ payment: { status: 'paid' } })
  })

  test('a payment that takes days confirms when it has arrived, and not before', async () => {
    const { id, offer, sessionId } = await world.due()
    world.stripe.pay(sessionId, 'in days')
    await world.tell('checkout.session.completed', sessionId)
    expect(await world.shown(id)).toMatchObject({ status: 'pending', payment: { status: 'due' } })
    world.service.clock.advance(86_400)
    await world.settled()
    expect(await world.shown(id)).toMatchObject({ status: 'pending' })
    expect(await world.isFree(offer)).toBe(false)
    world.stripe.clear(sessionId, true)
    await world.tell('checkout.session.async_payment_succeeded', sessionId)
    expect(await world.shown(id)).toMatchObject({ status: 'confirmed', payment: { status: 'paid' } })
    expect(await world.eventsOf(id)).toEqual(['booking.created'])
  })

  test('a payment that fails in the end frees the slot and sends nothing', async () => {
    const { id, offer, sessionId } = await world.due()
    world.stripe.pay(sessionId, 'in days')
    await world.tell('checkout.session.completed', sessionId)
    await world.tell('checkout.session.async_payment_failed', sessionId)
    expect(await world.shown(id)).toMatchObject({ status: 'cancelled', payment: { status: 'expired' } })
    expect(await world.eventsOf(id)).toEqual([])
    expect(await world.isFree(offer)).toBe(true)
  })

  test('a checkout that lapses frees the slot in the transaction that cancels, and sends nothing', async () => {
    const { id, offer, sessionId } = await world.due()
    world.service.clock.advance(35 * 60)
    expect(await world.isFree(offer)).toBe(false)
    await world.tell('checkout.session.expired', sessionId)
    expect(await world.isFree(offer)).toBe(true)
    expect(await world.shown(id)).toMatchObject({
      status: 'cancelled',
      payment: { status: 'expired', paid_at: null },
    })
    expect(await world.eventsOf(id)).toEqual([])
  })

  test('an abandoned checkout whose event is lost is found by asking', async () => {
    const { id, offer } = await world.due()
    world.service.clock.advance(35 * 60)
    await world.settled()
    expect(await world.shown(id)).toMatchObject({ status: 'pending' }) // usually the processor sends an event itself
    world.service.clock.advance(60)
    await world.settled()
    expect(await world.shown(id)).toMatchObject({ status: 'cancelled', payment: { status: 'expired' } })
    expect(await world.eventsOf(id)).toEqual([])
    expect(await world.isFree(offer)).toBe(true)
  })

  test('a payment whose event is lost is found by asking', async () => {
    const { id, sessionId } = await world.due()
    world.stripe.pay(sessionId)
    world.service.clock.advance(36 * 60)
    await world.settled()
    expect(await world.shown(id)).toMatchObject({ status: 'confirmed', payment: { status: 'paid' } })
    expect(await world.eventsOf(id)).toEqual(['booking.created'])
  })

  test('a checkout that is still open past its life is closed there before the booking is cancelled', async () => {
    const { id, sessionId } = await world.due()
    const session = world.stripe.sessions.get(sessionId)
    if (session) session.expires_at += 3_600 // its clock is behind
    world.service.clock.advance(36 * 60)
    await world.settled()
    expect(session).toMatchObject({ status: 'expired' })
    expect(await world.shown(id)).toMatchObject({ status: 'cancelled' })
    expect(world.stripe.pay(sessionId)).toBe(false)
  })

  test('the answer to a repeated creation has the same address, and there is one checkout', async () => {
    const offer = await makeOffer(world.service, world.business.id, { deposit })
    const held = await world.session.hold(offer, startsAt)
    const before = world.stripe.sessions.size
    const request = {
      token: world.session.token,
      body: { hold_id: held.body.hold_id, client: ada },
      headers: { 'idempotency-key': 'deposit-1' },
    }
    const first = await world.service.call('POST', '/bookings', request)
    const again = await world.service.call('POST', '/bookings', request)
    expect(first.status).toBe(201)
    expect(again.body).toEqual(first.body)
    expect(again.headers['idempotent-replayed']).toBe('true')
    expect(sessionOf(world.stripe, again)).not.toBe('')
    expect(world.stripe.sessions.size).toBe(before + 1)
  })

  test('a request with a fault opens no checkout', async () => {
    const offer = await makeOffer(world.service, world.business.id, { deposit })
    const held = await world.session.hold(offer, startsAt)
    const before = world.stripe.requests.length
    const answers = [{ field_id: '018f0000-0000-7000-8000-000000000000', value: 'x' }]
    const refused = await world.session.book(String(held.body.hold_id), { custom_field_values: answers })
    expect(refused.status).toBe(422)
    const rival = await sessionClient(world.service, world.business)
    expect((await rival.book(String(held.body.hold_id))).status).toBe(404)
    await world.session.release(String(held.body.hold_id))
    expect((await world.session.book(String(held.body.hold_id))).status).toBe(404)
    expect(world.stripe.requests.length).toBe(before)
  })
})
