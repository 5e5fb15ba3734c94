import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { depositWorld, sessionOf, type DepositWorld, startsAt } from '../support/deposits.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { makeBusiness, makeOffer } from '../support/offers.ts'
import { type LoggedIn, logInNewPerson } from '../support/person.ts'
import { clientOf } from '../support/client.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService } from '../support/test-service.ts'

onOneEngine('sqlite', 'a booking with a deposit that the business makes', (engine) => {
  let world: DepositWorld
  let manager: LoggedIn
  let owner: LoggedIn
  beforeAll(async () => {
    world = await depositWorld(engine)
    const logIn = (role: 'owner' | 'manager') =>
      logInNewPerson(world.service, {
        ...{ email: `${role}@example.com`, role },
        place: { businessId: world.business.id },
      })
    manager = await logIn('manager')
    owner = await logIn('owner')
  })
  beforeEach(() => {
    world.stripe.failure = undefined
    world.stripe.refunds.length = 0
  })
  afterAll(() => world.stop())

  const due = () => world.due({ client: world.key })
  const pathOf = (url: unknown) => new URL(String(url)).pathname
  const look = async (url: unknown) => {
    world.service.clock.advance(4) // the processor is queried every three seconds
    return String((await world.service.call('GET', `/${pathOf(url)}`)).body)
  }
  /** Returns the checkout at Stripe to which the page of a deposit leads. */
  const checkoutOn = (page: string) => {
    const [url] = /https:\/\/checkout\.stripe\.example\/[^"]+/.exec(page) ?? []
    return [...world.stripe.sessions.values()].find((one) => one.url === url)?.id
  }
  const lapse = async () => {
    world.service.clock.advance(36 * 60)
    await world.settled()
  }

  test('is confirmed at once, announced, and payable by a link', async () => {
    const { id, reply } = await due()
    expect(reply.body).toMatchObject({
      status: 'confirmed',
      payment: { status: 'due', amount: 2500 },
      redirect_url: expect.stringMatching(/^https:\/\/checkout\.stripe\.example\//),
      pay_url: expect.stringMatching(/^https:\/\/book\.example\/checkout\/[0-9a-f-]{36}$/),
    })
    expect(await world.eventsOf(id)).toEqual(['booking.created'])
    expect(await world.shown(id)).toMatchObject({ pay_url: reply.body.pay_url })
    expect((await world.key.list({ limit: 1 })).body.data[0]).not.toHaveProperty('pay_url')
  })

  test('outlives its checkout; the link then opens another, as often as it takes, and that is paid', async () => {
    const { id, reply, offer } = await due()
    for (let round = 0; round < 3; round += 1) {
      await lapse()
      expect(await world.shown(id)).toMatchObject({ status: 'confirmed', payment: { status: 'due' } })
      expect(await world.isFree(offer)).toBe(false)
      const opened = world.stripe.sessions.size
      const page = await look(reply.body.pay_url)
      expect(world.stripe.sessions.size).toBe(opened + 1)
      expect(page).not.toContain('give-up')
      expect(checkoutOn(await look(reply.body.pay_url))).toBe(checkoutOn(page))
    }
    await world.paid(checkoutOn(await look(reply.body.pay_url)) ?? '')
    const { body } = await world.key.show(id)
    expect(body).toMatchObject({ status: 'confirmed', payment: { status: 'paid' } })
    expect(body).not.toHaveProperty('pay_url')
    expect(await world.eventsOf(id)).toEqual(['booking.created'])
    expect(await look(reply.body.pay_url)).toContain('Your booking is confirmed')
  })

  test('a late end of an earlier checkout closes no later one: nobody pays twice', async () => {
    const { reply, sessionId } = await due()
    await lapse()
    const page = await look(reply.body.pay_url)
    await world.tell('checkout.session.expired', sessionId)
    const opened = world.stripe.sessions.size
    expect(checkoutOn(await look(reply.body.pay_url))).toBe(checkoutOn(page))
    expect(world.stripe.sessions.size).toBe(opened)
  })

  test('two who open the link at the same moment get one checkout', async () => {
    const { reply } = await due()
    await lapse()
    const opened = world.stripe.sessions.size
    await Promise.all([look(reply.body.pay_url), look(reply.body.pay_url), look(reply.body.pay_url)])
    expect(world.stripe.sessions.size).toBe(opened + 1)
  })

  test('stands while the processor is away, and is paid later', async () => {
    world.stripe.failure = { how: 'away', on: /./ }
    const offer = await makeOffer(world.service, world.business.id, {
      deposit: { amount: 2500, currency: 'EUR' },
    })
    const held = await world.key.hold(offer, startsAt)
    const reply = await world.key.book(String(held.body.hold_id))
    expect(reply).toMatchObject({ status: 201, body: { status: 'confirmed', payment: { status: 'due' } } })
    expect(reply.body.redirect_url).toBe(reply.body.pay_url)
    expect(checkoutOn(await look(reply.body.pay_url))).toBeUndefined()
    world.stripe.failure = undefined
    world.service.clock.advance(60)
    await world.paid(checkoutOn(await look(reply.body.pay_url)) ?? '')
    expect(await world.shown(String(reply.body.id))).toMatchObject({ payment: { status: 'paid' } })
  })

  test('cancelled while it is due: nothing is due any more, and what is paid all the same goes back', async () => {
    const { id, sessionId, reply } = await due()
    world.stripe.pay(sessionId) // Stripe reports it after the cancellation
    expect((await world.key.cancel(id)).body).toMatchObject({
      status: 'cancelled',
      payment: { status: 'expired' },
    })
    expect(await world.eventsOf(id)).toEqual(['booking.created', 'booking.cancelled'])
    await world.tell('checkout.session.completed', sessionId)
    await world.settled()
    expect(await world.shown(id)).toMatchObject({ status: 'cancelled', payment: { status: 'refunded' } })
    expect(await look(reply.body.pay_url)).not.toContain('checkout.stripe')
  })

  test('its client cancels it in time and gets the paid deposit back', async () => {
    const { sessionId, reply } = await due()
    await world.paid(sessionId)
    const token = String(reply.body.manage_url).replace(/^.*#/, '')
    const manage = (method: string, path: string) =>
      world.service.call(method, path, { token, ...(method === 'POST' && { body: {} }) })
    expect((await manage('GET', '/manage')).body).toMatchObject({ policy: { refund: 'full' }, pay_url: null })
    await manage('POST', '/manage/cancel')
    await world.settled()
    expect(world.stripe.refunds).toHaveLength(1)
  })

  test('completed: nothing is due any more', async () => {
    const { id, sessionId } = await due()
    expect((await world.key.change(id, { status: 'completed' })).body).toMatchObject({
      payment: { status: 'expired' },
    })
    await world.settled()
    expect(world.stripe.sessions.get(sessionId)?.status).toBe('expired')
  })

  test('a key that makes it pending keeps it: it was confirmed', async () => {
    const { id } = await due()
    expect((await world.key.change(id, { status: 'pending' })).body).toMatchObject({
      status: 'pending',
      payment: { status: 'due' },
    })
    await lapse()
    expect(await world.shown(id)).toMatchObject({ status: 'pending', payment: { status: 'due' } })
  })

  test('a hold of a session that a key converts stands too', async () => {
    await world.newSession()
    const offer = await makeOffer(world.service, world.business.id, {
      deposit: { amount: 2500, currency: 'EUR' },
    })
    const held = await world.session.hold(offer, startsAt)
    const reply = await world.key.book(String(held.body.hold_id))
    expect(reply.body).toMatchObject({ status: 'confirmed' })
    expect(world.stripe.sessions.has(sessionOf(world.stripe, reply))).toBe(true)
  })

  test('people below owner see the link that gives deposits back neither now nor later', async () => {
    const offer = await makeOffer(world.service, world.business.id, {
      deposit: { amount: 2500, currency: 'EUR' },
    })
    const held = await manager.call('POST', '/bookings/hold', { ...offer, starts_at: startsAt })
    const booked = await manager.call('POST', '/bookings', {
      hold_id: held.body.hold_id,
      client: { first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.com' },
    })
    expect(booked).toMatchObject({ status: 201, body: { status: 'confirmed', pay_url: expect.any(String) } })
    expect(booked.body).not.toHaveProperty('manage_url')
    const path = `/bookings/${String(booked.body.id)}`
    for (const [method, body] of [['GET'], ['PATCH', { notes: 'Window' }]] as const)
      expect((await manager.call(method, path, body)).body).not.toHaveProperty('manage_url')
    expectProblem(await manager.call('POST', `${path}/manage-link`, {}), 'key_type_not_allowed', {
      allowed_key_types: ['business', 'hub'],
    })
    expect((await owner.call('GET', path)).body.manage_url).toMatch(/#cal_man_/)
    const free = await makeOffer(world.service, world.business.id)
    const other = await manager.call('POST', '/bookings/hold', { ...free, starts_at: startsAt })
    const { body } = await manager.call('POST', '/bookings', {
      hold_id: other.body.hold_id,
      client: { first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.com' },
    })
    expect(body.manage_url).toMatch(/#cal_man_/) // nothing to refund
  })
})

onOneEngine('sqlite', 'deposits in production without Stripe', (engine) => {
  test('the business books without; sessions get 503', async () => {
    const service = await startTestService(engine, {
      ...{ NODE_ENV: 'production', PUBLIC_URL: 'https://book.example' },
    })
    try {
      const business = await makeBusiness(service)
      const key = clientOf(service, business.key)
      const offer = await makeOffer(service, business.id, { deposit: { amount: 2500, currency: 'EUR' } })
      const held = await key.hold(offer, startsAt)
      const reply = await key.book(String(held.body.hold_id))
      expect(reply).toMatchObject({ status: 201, body: { status: 'confirmed' } })
      for (const member of ['payment', 'pay_url', 'redirect_url'])
        expect(reply.body).not.toHaveProperty(member)
      expect((await service.events()).map(({ type }) => type)).toEqual(['booking.created'])
    } finally {
      await service.stop()
    }
  })
})
