import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { onOneEngine } from '../support/long.ts'
import { depositWorld, type DepositWorld } from '../support/deposits.ts'
import { expectErrors, expectProblem } from '../support/expect-problem.ts'
import { makeBusiness, makeLocation } from '../support/offers.ts'
import { type LoggedIn, logInNewPerson } from '../support/person.ts'
import { ownKey, ownWebhookSecret, secretKey } from '../support/stripe-server.ts'

const account = { secret_key: ownKey, webhook_secret: ownWebhookSecret }

onOneEngine('sqlite', "a business's own Stripe account", (engine) => {
  let world: DepositWorld
  let owner: LoggedIn
  const path = () => `/businesses/${world.business.id}/stripe`
  beforeAll(async () => {
    world = await depositWorld(engine)
    owner = await logInNewPerson(world.service, {
      ...{ email: 'owner@example.com', role: 'owner' },
      place: { businessId: world.business.id },
    })
  })
  beforeEach(() => world.newSession())
  afterAll(() => world.stop())

  /** Sends the event about a checkout to an address, signed with a secret. */
  const tell = (sessionId: string, secret = ownWebhookSecret, to = world.business.id) =>
    send('checkout.session.completed', world.stripe.sessions.get(sessionId) ?? {}, { secret, to })
  const send = (type: string, object: object, { secret = ownWebhookSecret, to = world.business.id } = {}) => {
    const { stripe, service } = world
    const event = stripe.event(type, object)
    return service.call('POST', `//payments/stripe/webhook/${to}`, {
      rawBody: event.body,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'stripe-signature': stripe.sign(event.body, 0, secret),
      },
    })
  }
  const lastKey = () => world.stripe.keys.at(-1)

  test('is tried first, and stored encrypted only if Stripe accepts the key', async () => {
    const wrong = { ...account, secret_key: 'rk_test_wrong12345678' }
    expectErrors(await owner.call('PUT', path(), wrong), '/secret_key')
    expectErrors(
      await owner.call('PUT', path(), { ...account, secret_key: 'pk_test_12345678' }),
      '/secret_key',
    )
    expect(await owner.call('GET', path())).toMatchObject({ status: 404 })
    expect((await tell('none')).status).toBe(404)
    const stored = await owner.call('PUT', path(), account)
    const webhook_url = `https://book.example/payments/stripe/webhook/${world.business.id}`
    expect(stored).toMatchObject({ status: 200, body: { key_last_four: 'abcd', webhook_url } })
    expect((await owner.call('GET', path())).body).toEqual(stored.body)
    const tables = ['own_stripe_accounts', 'audit_entries']
    const rows = JSON.stringify(await Promise.all(tables.map((table) => world.service.rows(table))))
    expect(rows).toContain('business.stripe_set')
    for (const secret of [ownKey, ownWebhookSecret])
      for (const text of [rows, JSON.stringify(stored.body)]) expect(text).not.toContain(secret)
  })

  test('takes new deposits, hears of payments at its own address, and refunds them', async () => {
    const { id, sessionId } = await world.due()
    expect(lastKey()).toBe(ownKey)
    world.stripe.pay(sessionId)
    expect((await tell(sessionId)).status).toBe(200)
    expect(await world.shown(id)).toMatchObject({ status: 'confirmed', payment: { status: 'paid' } })
    expect((await owner.call('DELETE', `/bookings/${id}?refund=full`)).status).toBe(200)
    await world.settled()
    expect(await world.shown(id)).toMatchObject({ payment: { status: 'refunded' } })
    expect(lastKey()).toBe(ownKey)
  })

  test("events signed with one account's secret change no payment of another account", async () => {
    const { id, sessionId } = await world.due()
    world.stripe.pay(sessionId)
    expectProblem(await tell(sessionId, 'whsec_another12345678'), 'invalid_signature')
    expect((await world.tell('checkout.session.completed', sessionId)).status).toBe(200) // the server's account
    const other = await makeBusiness(world.service)
    const stranger = await logInNewPerson(world.service, {
      ...{ email: 'stranger@example.com', role: 'owner' },
      place: { businessId: other.id },
    })
    await stranger.call('PUT', `/businesses/${other.id}/stripe`, account)
    expect((await tell(sessionId, ownWebhookSecret, other.id)).status).toBe(200)
    expect(await world.shown(id)).toMatchObject({ status: 'pending', payment: { status: 'due' } })
    expect((await tell(sessionId)).status).toBe(200)
    expect(await world.shown(id)).toMatchObject({ status: 'confirmed' })
  })

  test('saves cards, charges fees, and hears of declined charges and disputes at its own address', async () => {
    const { stripe, service, business, key } = world
    const location = await makeLocation(service, business.id)
    const { body: made } = await service.call('POST', '/services', {
      token: business.key,
      body: {
        ...{ name: 'Massage', duration_minutes: 30, location_ids: [location], cancel_until_minutes: 0 },
        ...{ price: { amount: 6_000, currency: 'EUR' }, payment: 'full' },
        ...{ fees: [{ within_minutes: 43_200, percent: 50 }], no_show_percent: 100 },
      },
    })
    const begins = stripe.keys.length
    const { id, sessionId } = await world.due({
      offer: { service_id: String(made.id), location_id: location },
      consent: 'Fees',
    })
    stripe.card = 'takes time'
    stripe.pay(sessionId)
    expect((await tell(sessionId)).status).toBe(200)
    await world.settled()
    expect((await key.show(id)).body.payments).toMatchObject([
      { kind: 'full', status: 'paid', card: { brand: 'Visa', last_four: '4242' } },
    ])
    const charge = (reason: string) =>
      service.call('POST', `/bookings/${id}/charge`, {
        token: business.key,
        body: { amount: 500, reason },
      })
    const feeFor = async (reason: string) =>
      ((await key.show(id)).body.payments as { reason: string | null; status: string }[]).find(
        (one) => one.reason === reason,
      )
    for (const [reason, accepts] of [
      ['Tea', true],
      ['Colour', false],
    ] as const) {
      await charge(reason)
      await world.settled()
      expect(await feeFor(reason)).toMatchObject({ status: 'charging' })
      const intent = [...stripe.intents.values()].at(-1)
      stripe.bankDecides(intent?.id ?? '', accepts)
      await send(`payment_intent.${accepts ? 'succeeded' : 'payment_failed'}`, intent ?? {})
      await world.settled()
    }
    expect(await feeFor('Tea')).toMatchObject({ status: 'paid' })
    expect(await feeFor('Colour')).toMatchObject({ status: 'due', failure: 'card_declined' })
    stripe.card = 'works'
    const dispute = {
      ...{ object: 'dispute', status: 'needs_response' },
      payment_intent: stripe.sessions.get(sessionId)?.payment_intent,
    }
    await world.send(stripe.event('charge.dispute.created', dispute)) // the server's account
    expect((await key.show(id)).body.payments).toMatchObject([{ dispute: null }, {}, {}])
    await send('charge.dispute.created', dispute)
    expect((await key.show(id)).body.payments).toMatchObject([{ dispute: 'open' }, {}, {}])
    expect(new Set(stripe.keys.slice(begins))).toEqual(new Set([ownKey]))
  })

  test('is removed, and open checkouts and refunds stay with it', async () => {
    const before = await world.due()
    expect(await owner.call('DELETE', path())).toMatchObject({ status: 204 })
    expect(await owner.call('GET', path())).toMatchObject({ status: 404 })
    const after = await world.due()
    expect(lastKey()).toBe(secretKey)
    world.stripe.pay(before.sessionId)
    expect((await tell(before.sessionId)).status).toBe(200)
    expect(await world.shown(before.id)).toMatchObject({ status: 'confirmed' })
    expect((await owner.call('DELETE', `/bookings/${before.id}?refund=full`)).status).toBe(200)
    await world.settled()
    expect(await world.shown(before.id)).toMatchObject({ payment: { status: 'refunded' } })
    expect(lastKey()).toBe(ownKey)
    await world.paid(after.sessionId)
    expect(await world.shown(after.id)).toMatchObject({ status: 'confirmed' })
  })

  test('that was removed still finds out at the end of a checkout whether it was paid', async () => {
    await owner.call('PUT', path(), account)
    const { id, sessionId } = await world.due()
    await owner.call('DELETE', path())
    world.stripe.pay(sessionId)
    world.service.clock.advance(40 * 60)
    await world.settled()
    expect(await world.shown(id)).toMatchObject({ status: 'confirmed', payment: { status: 'paid' } })
    expect(lastKey()).toBe(ownKey)
  })
})
