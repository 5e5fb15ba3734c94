import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { depositWorld, type DepositWorld } from '../support/deposits.ts'
import { secretKey, webhookSecret } from '../support/stripe-server.ts'
import { onEachEngine, startTestService } from '../support/test-service.ts'

onEachEngine('the webhook of Stripe', (engine) => {
  let world: DepositWorld
  beforeAll(async () => {
    world = await depositWorld(engine)
  })
  beforeEach(() => world.newSession())
  afterAll(() => world.stop())

  async function paidEvent() {
    const due = await world.due()
    world.stripe.pay(due.sessionId)
    const session = world.stripe.sessions.get(due.sessionId)
    return { ...due, event: world.stripe.event('checkout.session.completed', session ?? {}) }
  }

  test.each<[string, (body: string) => [body: string, signature: string]]>([
    ['with another secret', (body) => [body, world.stripe.sign(body, 0, 'whsec_another')]],
    ['over another body', (body) => [body.replace('"paid"', '"paid" '), world.stripe.sign(body)]],
    ['more than five minutes ago', (body) => [body, world.stripe.sign(body, 301)]],
    ['not at all', (body) => [body, '']],
    ['by something else', (body) => [body, 't=1,v1=00']],
  ])('refuses an event that is signed %s, and nothing changes', async (_how, make) => {
    const { id, event } = await paidEvent()
    const [body, signature] = make(event.body)
    expect(await world.send({ body }, signature)).toMatchObject({
      status: 400,
      body: { code: 'invalid_signature' },
    })
    expect(await world.shown(id)).toMatchObject({ status: 'pending', payment: { status: 'due' } })
    expect(await world.eventsOf(id)).toEqual([])
  })

  test('takes an event within five minutes, and each event once', async () => {
    const { id, event } = await paidEvent()
    expect((await world.send(event, world.stripe.sign(event.body, 299))).status).toBe(200)
    expect(await world.shown(id)).toMatchObject({ status: 'confirmed' })
    const noted = await world.service.rows('processor_events')
    expect(noted.filter(({ event_id }) => event_id === event.id)).toHaveLength(1)
  })

  test('the same event many times at once has one effect', async () => {
    const { id, event } = await paidEvent()
    const replies = await Promise.all(Array.from({ length: 8 }, () => world.send(event)))
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await world.eventsOf(id)).toEqual(['booking.created'])
    expect(await world.shown(id)).toMatchObject({ payment: { status: 'paid' } })
  })

  test('answers 200 to what it does not know or is about something else, and changes nothing', async () => {
    const before = await world.service.rows('payments')
    const session = { object: 'checkout.session', payment_status: 'paid', payment_intent: 'pi_1' }
    const unknown = { holdfast_payment_id: '018f0000-0000-7000-8000-000000000000' }
    for (const event of [
      world.stripe.event('customer.created', { object: 'customer' }),
      world.stripe.event('checkout.session.completed', { ...session, metadata: {} }),
      world.stripe.event('checkout.session.completed', { ...session, metadata: null }),
      world.stripe.event('checkout.session.completed', {
        ...session,
        metadata: { holdfast_payment_id: 'x' },
      }),
      world.stripe.event('checkout.session.completed', { ...session, metadata: unknown }),
      world.stripe.event('checkout.session.expired', { ...session, metadata: unknown }),
      world.stripe.event('charge.refunded', {
        object: 'charge',
        payment_intent: 'pi_unknown',
        refunded: true,
      }),
      world.stripe.event('charge.refunded', { object: 'charge', payment_intent: null, refunded: true }),
    ]) {
      expect((await world.send(event)).status).toBe(200)
    }
    expect(await world.service.rows('payments')).toEqual(before)
  })

  test('a signed text that is no JSON is refused, and one that is too long too', async () => {
    expect(await world.send({ body: 'Hello' })).toMatchObject({
      status: 400,
      body: { code: 'malformed_json' },
    })
    const long = await world.send({ body: `"${'x'.repeat(300_000)}"` })
    expect(long).toMatchObject({ status: 413, body: { code: 'payload_too_large' } })
  })

  test('is not there without Stripe, and says what is missing without its secret', async () => {
    const service = await startTestService(engine)
    const half = await startTestService(engine, { STRIPE_SECRET_KEY: secretKey })
    try {
      const request = { rawBody: '{}', headers: { 'stripe-signature': 't=1,v1=00' } }
      expect((await service.call('POST', '//payments/stripe/webhook', request)).status).toBe(404)
      expect(await half.call('POST', '//payments/stripe/webhook', request)).toMatchObject({
        status: 503,
        body: { detail: expect.stringContaining('STRIPE_WEBHOOK_SECRET') },
      })
    } finally {
      await service.stop()
      await half.stop()
    }
  })

  test('neither the log nor the database holds a secret, a card or an object of Stripe', async () => {
    const { sessionId } = await world.due()
    await world.paid(sessionId)
    world.stripe.failure = { how: 'error', on: /./ }
    const other = await world.due().catch(() => undefined)
    world.stripe.failure = undefined
    expect(other).toBeUndefined()
    const kept = [
      ...(await world.service.rows('payments')),
      ...(await world.service.rows('processor_events')),
    ]
    const text = JSON.stringify(kept) + world.service.logLines.join()
    for (const secret of [
      secretKey,
      webhookSecret,
      'ada@example.com',
      'Name on the card',
      'checkout.session',
    ]) {
      expect(text).not.toContain(secret)
    }
    expect(world.service.logLines.join()).not.toContain('checkout.stripe.example')
  })
})
