import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { depositWorld, type DepositWorld } from '../support/deposits.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { secretKey, webhookSecret } from '../support/stripe-server.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService } from '../support/test-service.ts'

/** Returns a signature with the right secret, at a time that is no number. */
const signedAt = (time: string, body: string) =>
  `t=${time},v1=${createHmac('sha256', webhookSecret).update(`NaN.${body}`).digest('hex')}`

onOneEngine('sqlite', 'the webhook of Stripe', (engine) => {
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
    ['more than five minutes ahead', (body) => [body, world.stripe.sign(body, -301)]],
    ['a day ahead', (body) => [body, world.stripe.sign(body, -86_400)]],
    ['a day ago', (body) => [body, world.stripe.sign(body, 86_400)]],
    ['at no time', (body) => [body, signedAt('NaN', body)]],
    ['at an empty time', (body) => [body, signedAt('', body)]],
    ['at two times', (body) => [body, `t=NaN,${world.stripe.sign(body)}`]],
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

  test.each([299, -299])('takes an event signed within five minutes (%s s), once', async (secondsAgo) => {
    const { id, event } = await paidEvent()
    expect((await world.send(event, world.stripe.sign(event.body, secondsAgo))).status).toBe(200)
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

  const event = { id: 'evt_1', type: 'checkout.session.completed', data: { object: {} } }
  test.each<[string, unknown]>([
    ['null', null],
    ['a number', 5],
    ['a text', 'evt_1'],
    ['a list', [event]],
    ['nothing', {}],
    ['an event without an id', { ...event, id: undefined }],
    ['an event whose id is no text', { ...event, id: 7 }],
    ['an event whose id has other signs', { ...event, id: 'evt\u0000' }],
    ['an event without a type', { ...event, type: undefined }],
    ['an event without data', { ...event, data: undefined }],
    ['an event with data null', { ...event, data: null }],
    ['an event without an object', { ...event, data: {} }],
    ['an event whose object is null', { ...event, data: { object: null } }],
    ['an event whose object is a list', { ...event, data: { object: [] } }],
  ])('refuses %s that is signed', async (_what, value) => {
    expectProblem(await world.send({ body: JSON.stringify(value) }), 'malformed_request')
  })

  const others: [string, object][] = [
    ['less', { amount_total: 2499 }],
    ['more', { amount_total: 250_000 }],
    ['an amount that nobody tells', { amount_total: null }],
    ['another currency', { currency: 'usd' }],
    ['no currency', { currency: null }],
    ['another reference', { client_reference_id: '018f0000-0000-7000-8000-000000000000' }],
    ['no reference', { client_reference_id: null }],
  ]
  test.each(others)(
    '%s than was ordered confirms nothing: it stays due, and the log tells',
    async (_what, other) => {
      const { id, sessionId } = await world.due()
      world.stripe.pay(sessionId)
      const session = world.stripe.sessions.get(sessionId)
      if (!session) throw new Error('there is no checkout')
      const paymentId = session.client_reference_id
      Object.assign(session, other)
      const told = () =>
        world.service.logLines.filter(
          (line) => line.includes('what was ordered') && line.includes(paymentId) && line.includes('"error"'),
        ).length
      for (const type of ['checkout.session.completed', 'checkout.session.async_payment_succeeded']) {
        expect((await world.send(world.stripe.event(type, session))).status).toBe(200)
      }
      expect(told()).toBe(2)
      world.service.clock.advance(3_600) // nor does a check of the checkout
      await world.settled()
      expect(told()).toBe(3)
      expect(await world.shown(id)).toMatchObject({ status: 'pending', payment: { status: 'due' } })
      expect(await world.eventsOf(id)).toEqual([])
      expect(world.stripe.refunds).toEqual([])
      // the business decides
      expect((await world.key.change(id, { status: 'confirmed' })).status).toBe(200)
    },
  )

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
