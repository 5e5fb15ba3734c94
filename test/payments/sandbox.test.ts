import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { clientOf, sessionClient, type Client } from '../support/client.ts'
import { deposit, startsAt } from '../support/deposits.ts'
import { makeBusiness, makeLocation, makeOffer, type Offer, type OwnBusiness } from '../support/offers.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type Reply, type TestService } from '../support/test-service.ts'

onOneEngine('sqlite', 'the sandbox', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let key: Client
  let session: Client
  beforeAll(async () => {
    service = await startTestService(engine, { PUBLIC_URL: 'http://127.0.0.1:3000' })
    business = await makeBusiness(service)
    key = clientOf(service, business.key)
  })
  beforeEach(async () => {
    session = await sessionClient(service, business)
  })
  afterAll(() => service.stop())

  async function due(): Promise<{ id: string; offer: Offer; path: string }> {
    const offer = await makeOffer(service, business.id, { name: 'Massage & more', deposit })
    const held = await session.hold(offer, startsAt)
    const { body } = await session.book(String(held.body.hold_id))
    const path = new URL(String(body.redirect_url)).pathname
    return { id: String(body.id), offer, path }
  }
  const open = (path: string) => service.call('GET', `/${path}`)
  /** As a browser sends a form without fields. */
  const press = (path: string) =>
    service.call('POST', `/${path}`, { headers: { 'content-type': 'application/x-www-form-urlencoded' } })
  const follow = (reply: Reply) => open(String(reply.headers.location))
  const eventsOf = async (id: string) =>
    (await service.events()).filter(({ booking_id }) => booking_id === id).map(({ type }) => type)

  test('shows what is to be paid, in a page without scripts whose forms go nowhere else', async () => {
    const { path } = await due()
    const page = await open(path)
    expect(page).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
    })
    expect(page.headers['content-security-policy']).toContain("form-action 'self'")
    expect(page.body).toContain('Massage &amp; more')
    expect(page.body).toContain('€25')
    expect(page.body).not.toContain('<header>')
    expect(page.body).toContain('<html lang="en" dir="ltr">')
    expect(String(page.body).match(/<button type="submit"/g)).toHaveLength(3)
    expect(page.body).not.toMatch(/<script|onclick|style=|ada@example\.com|Lovelace/)
  })

  test('speaks to a client in their language, amounts too', async () => {
    const { path } = await due()
    const { body } = await service.call('GET', `/${path}`, { headers: { 'accept-language': 'de-DE' } })
    for (const part of ['<html lang="de', '25 € bezahlen']) expect(body).toContain(part)
    expect(body).not.toMatch(/<header|Problems|25\.00|EUR/)
  })

  test('paying confirms the booking, and its page says so', async () => {
    const { id, path } = await due()
    const paid = await press(`${path}/pay`)
    expect(paid.status).toBe(303)
    expect((await follow(paid)).body).toContain('Your booking is confirmed')
    expect((await key.show(id)).body).toMatchObject({
      status: 'confirmed',
      payment: { status: 'paid', ...deposit, provider: 'sandbox' },
    })
    expect(await eventsOf(id)).toEqual(['booking.created'])
    expect((await press(`${path}/pay`)).status).toBe(303)
    expect(await eventsOf(id)).toEqual(['booking.created'])
    expect((await open(path)).body).not.toContain('<button')
  })

  test('a payment that fails changes nothing, and can be tried again', async () => {
    const { id, path } = await due()
    expect((await follow(await press(`${path}/fail`))).body).toContain('role="alert"')
    expect((await key.show(id)).body).toMatchObject({ status: 'pending', payment: { status: 'due' } })
    await press(`${path}/pay`)
    expect((await key.show(id)).body).toMatchObject({ status: 'confirmed' })
  })

  test('giving up cancels the booking and frees its slot; nobody is told', async () => {
    const { id, offer, path } = await due()
    expect((await follow(await press(`${path}/give-up`))).body).toContain('This booking is cancelled')
    expect((await key.show(id)).body).toMatchObject({ status: 'cancelled', payment: { status: 'expired' } })
    expect(await eventsOf(id)).toEqual([])
    expect((await key.hold(offer, startsAt)).status).toBe(201)
    await press(`${path}/pay`)
    expect((await key.show(id)).body).toMatchObject({ status: 'cancelled', payment: { status: 'expired' } })
  })

  test('a checkout that nobody paid lapses', async () => {
    const { id, path } = await due()
    service.clock.advance(36 * 60)
    await service.app.payments.settled()
    expect((await key.show(id)).body).toMatchObject({ status: 'cancelled', payment: { status: 'expired' } })
    await press(`${path}/pay`)
    expect((await key.show(id)).body).toMatchObject({ status: 'cancelled' })
  })

  test('a deposit goes back', async () => {
    const { id, path } = await due()
    await press(`${path}/pay`)
    await service.call('DELETE', `/bookings/${id}?refund=full`, { token: key.token })
    await service.app.payments.settled()
    expect((await key.show(id)).body).toMatchObject({ status: 'cancelled', payment: { status: 'refunded' } })
  })

  test('the page of the booking leads back to the payment, and lets the client give up', async () => {
    const { id, path } = await due()
    const [payment] = (await service.rows('payments')).filter(({ booking_id }) => booking_id === id)
    const page = await open(`/checkout/${String(payment?.id)}`)
    expect(page.body).toContain('Not paid yet')
    expect(page.body).toContain(`href="http://127.0.0.1:3000${path}"`)
    expect(page.body).not.toMatch(/Ada|Lovelace|ada@example\.com/)
    const reply = await press(`/checkout/${String(payment?.id)}/give-up`)
    expect((await follow(reply)).body).toContain('This booking is cancelled')
    expect((await key.show(id)).body).toMatchObject({ status: 'cancelled' })
  })

  test('a card that fails later does so within seconds', async () => {
    const location_id = await makeLocation(service, business.id)
    const { body: made } = await service.call('POST', '/services', {
      token: business.key,
      body: {
        ...{ name: 'Massage', duration_minutes: 30, location_ids: [location_id], payment: 'card' },
        ...{ price: { amount: 6_000, currency: 'EUR' }, no_show_percent: 50 },
      },
    })
    const held = await session.hold({ service_id: String(made.id), location_id }, startsAt)
    const { body } = await session.book(String(held.body.hold_id), { fee_consent: 'Fees' })
    expect(body, JSON.stringify(body)).toHaveProperty('redirect_url')
    const { pathname } = new URL(String(body.redirect_url))
    await press(`${pathname}/pay?card=fails_later`)
    const charge = { amount: 500, reason: 'Tea' }
    await service.call('POST', `/bookings/${String(body.id)}/charge`, { token: business.key, body: charge })
    await service.app.payments.settled()
    const fee = async () =>
      ((await key.show(String(body.id))).body.payments as { kind: string }[]).find(
        ({ kind }) => kind === 'fee',
      )
    expect(await fee()).toMatchObject({ status: 'charging', failure: null })
    service.clock.advance(5)
    await service.app.payments.settled()
    expect(await fee()).toMatchObject({ status: 'due', failure: 'card_declined' })
  })

  test('an address that nobody was given is not found', async () => {
    for (const path of ['/sandbox/x', '/checkout/x', '/checkout/018f0000-0000-7000-8000-000000000000']) {
      expect((await open(path)).status).toBe(404)
    }
    expect((await press('/sandbox/x/pay')).status).toBe(404)
    expect((await press('/checkout/018f0000-0000-7000-8000-000000000000/give-up')).status).toBe(404)
  })

  test('is refused in production: without a processor a deposit is 503, and the hold stays', async () => {
    const production = await startTestService(engine, { NODE_ENV: 'production' })
    try {
      const own = await makeBusiness(production)
      const client = await sessionClient(production, own)
      const held = await client.hold(await makeOffer(production, own.id, { deposit }), startsAt)
      expect(await client.book(String(held.body.hold_id))).toMatchObject({
        status: 503,
        body: { code: 'unavailable', detail: expect.stringContaining('STRIPE_SECRET_KEY') },
      })
      expect((await client.showHold(String(held.body.hold_id))).body.status).toBe('active')
    } finally {
      await production.stop()
    }
  })
})
