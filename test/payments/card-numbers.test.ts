import { afterAll, beforeAll, expect, test } from 'vitest'
import { onOneEngine } from '../support/long.ts'
import { depositWorld, type DepositWorld } from '../support/deposits.ts'
import { makeOffer } from '../support/offers.ts'

const number = '4242424242424242'

/** Every table that a payment, its events or its messages write to. */
const tables = [
  ...['payments', 'refunds', 'processor_events', 'bookings', 'clients', 'events', 'deliveries', 'mails'],
  ...['audit_entries', 'idempotency_records', 'sandbox_checkouts', 'own_stripe_accounts'],
]

onOneEngine('sqlite', 'a card number', (engine) => {
  let world: DepositWorld
  beforeAll(async () => {
    world = await depositWorld(engine)
  })
  afterAll(() => world.stop())

  test('is in no table, answer or log, even if the processor sends it', async () => {
    const { id, sessionId } = await world.due()
    expect(world.stripe.pay(sessionId)).toBe(true)
    const card = { number, exp_month: 12, exp_year: 2030, cvc: '987' }
    const object = { ...world.stripe.sessions.get(sessionId), payment_method_details: { type: 'card', card } }
    const sent = await world.send(world.stripe.event('checkout.session.completed', object))
    expect(sent.status).toBe(200)
    await world.settled()
    const booking = await world.shown(id)
    expect(booking).toMatchObject({ status: 'confirmed', payment: { status: 'paid' } })
    expect(JSON.stringify([sent.body, booking, world.service.logLines])).not.toContain(number)
    for (const table of tables) expect(JSON.stringify(await world.service.rows(table))).not.toContain(number)
  })

  test('is asked for on no page and in no request', async () => {
    const offer = await makeOffer(world.service, world.business.id, {
      deposit: { amount: 900, currency: 'EUR' },
    })
    const held = await world.key.hold(offer, '2026-12-02T10:00:00+01:00')
    const { body } = await world.key.book(String(held.body.hold_id))
    const page = await world.service.call('GET', `/${new URL(String(body['pay_url'])).pathname}`)
    expect(page.status).toBe(200)
    expect(String(page.body)).not.toMatch(/"cc-|<input(?![^>]*type="hidden")/)
    const document = await world.service.call('GET', '//openapi.json')
    expect(JSON.stringify(document.body)).not.toMatch(/card_number|cvc|exp_month|"pan"/i)
  })
})
