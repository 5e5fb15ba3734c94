import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { DatabaseUnavailable } from '../../src/database/database.ts'
import { deposit, depositWorld, sessionOf, startsAt, type DepositWorld } from '../support/deposits.ts'
import { onOneEngine, testIn } from '../support/long.ts'
import { makeOffer } from '../support/offers.ts'
import type { Failure } from '../support/stripe-server.ts'
import { ada, beforeTransactions } from '../support/test-service.ts'

onOneEngine('sqlite', 'a payment processor that does not answer', (engine) => {
  let world: DepositWorld
  beforeAll(async () => {
    world = await depositWorld(engine)
  })
  beforeEach(async () => {
    world.stripe.failure = undefined
    await world.newSession()
  })
  afterAll(() => world.stop())

  const held = async (at = startsAt) => {
    const offer = await makeOffer(world.service, world.business.id, { deposit })
    const reply = await world.session.hold(offer, at)
    return { offer, id: String(reply.body.hold_id) }
  }
  const payments = async (id: string) =>
    (await world.service.rows('payments')).filter(({ booking_id }) => booking_id === id)

  // the last waits twice for the timeout of a request, in real time
  const failures: Failure[] = ['away', 'error', 'answer lost', 'hangs']

  for (const how of failures) {
    testIn(how !== 'hangs')(
      `at the opening (${how}): 503, the hold stays, and trying again works with one checkout that counts`,
      async () => {
        const { id } = await held()
        const before = world.stripe.sessions.size
        world.stripe.failure = { how, on: /^POST \/v1\/checkout\/sessions$/ }
        const refused = await world.session.book(id)
        expect(refused).toMatchObject({
          status: 503,
          body: { code: 'unavailable' },
          headers: { 'retry-after': '1' },
        })
        expect((await world.session.showHold(id)).body).toMatchObject({ status: 'active' })
        expect(await world.service.rows('bookings')).not.toContainEqual(expect.objectContaining({ id }))
        world.stripe.failure = undefined
        const reply = await world.session.book(id)
        expect(reply).toMatchObject({ status: 201, body: { status: 'pending' } })
        expect(world.stripe.sessions.size).toBe(before + 1)
        await world.paid(sessionOf(world.stripe, reply))
        expect(await world.shown(id)).toMatchObject({ status: 'confirmed' })
        // the processor would repeat its own error for the same order
        expect(await payments(id)).toHaveLength(how === 'error' ? 2 : 1)
      },
    )
  }

  test('a second try with another e-mail address opens another checkout; the first is closed when its life ends', async () => {
    const { id } = await held()
    world.stripe.failure = { how: 'answer lost', on: /^POST \/v1\/checkout\/sessions$/ }
    await world.session.book(id)
    world.stripe.failure = undefined
    const client = { first_name: 'Ada', last_name: 'Lovelace', email: 'countess@example.com' }
    const reply = await world.session.book(id, { client })
    expect(reply.status).toBe(201)
    const [lost, used] = [...world.stripe.sessions.values()].slice(-2)
    expect(used?.id).toBe(sessionOf(world.stripe, reply))
    await world.paid(used?.id ?? '')
    world.service.clock.advance(36 * 60)
    await world.settled()
    expect(lost?.status).toBe('expired')
    expect(world.stripe.refunds).toEqual([])
    expect((await payments(id)).map(({ status }) => status).toSorted()).toEqual(['expired', 'paid'])
  })

  test('two checkouts of one hold that are both paid: one counts, the other goes back', async () => {
    const { id } = await held()
    world.stripe.failure = { how: 'answer lost', on: /^POST \/v1\/checkout\/sessions$/ }
    await world.session.book(id)
    world.stripe.failure = undefined
    const client = { first_name: 'Ada', last_name: 'Lovelace', email: 'countess@example.com' }
    const reply = await world.session.book(id, { client })
    const [lost] = [...world.stripe.sessions.values()].slice(-2)
    await world.paid(sessionOf(world.stripe, reply))
    await world.paid(lost?.id ?? '')
    await world.settled()
    expect(world.stripe.refunds).toMatchObject([
      { payment_intent: lost?.payment_intent, status: 'succeeded' },
    ])
    expect(await world.shown(id)).toMatchObject({ status: 'confirmed', payment: { status: 'paid' } })
    expect(await world.eventsOf(id)).toEqual(['booking.created'])
    world.stripe.refunds.length = 0
  })

  test('a checkout that was paid although its answer was lost confirms the next try', async () => {
    const { id } = await held()
    world.stripe.failure = { how: 'answer lost', on: /^POST \/v1\/checkout\/sessions$/ }
    await world.session.book(id)
    world.stripe.failure = undefined
    const [lost] = [...world.stripe.sessions.values()].slice(-1)
    await world.paid(lost?.id ?? '')
    const reply = await world.session.book(id)
    expect(reply).toMatchObject({
      status: 201,
      body: {
        status: 'confirmed',
        redirect_url: expect.stringMatching(/^https:\/\/book\.example\/checkout\//),
      },
    })
    expect(await world.eventsOf(id)).toEqual(['booking.created'])
  })

  /** Creates a hold with a checkout for each of some clients, none of whom received an answer. */
  async function lost(...emails: string[]) {
    const { id } = await held()
    const before = world.stripe.sessions.size
    world.stripe.failure = { how: 'answer lost', on: /^POST \/v1\/checkout\/sessions$/ }
    for (const email of emails) expect((await bookAs(id, email)).status).toBe(503)
    world.stripe.failure = undefined
    return { id, checkouts: [...world.stripe.sessions.values()].slice(before) }
  }
  const bookAs = (id: string, email: string) => world.session.book(id, { client: { ...ada, email } })

  test('whichever checkout of a hold was paid, the next try is confirmed by it, and opens none', async () => {
    const { id, checkouts } = await lost('one@example.com', 'two@example.com')
    expect(checkouts).toHaveLength(2)
    await world.paid(checkouts[1]?.id ?? '')
    const before = world.stripe.sessions.size
    expect(await bookAs(id, 'one@example.com')).toMatchObject({ status: 201, body: { status: 'confirmed' } })
    expect(world.stripe.sessions.size).toBe(before)
    expect(await world.shown(id)).toMatchObject({ payment: { status: 'paid' } })
    await world.settled()
    expect(world.stripe.refunds).toEqual([])
  })

  test('a payment at another checkout than the one that counts goes back, and confirms nothing', async () => {
    const { id, checkouts } = await lost('one@example.com')
    const reply = await bookAs(id, 'two@example.com')
    await world.paid(checkouts[0]?.id ?? '')
    await world.settled()
    expect(await world.shown(id)).toMatchObject({ status: 'pending', payment: { status: 'due' } })
    expect(world.stripe.refunds).toMatchObject([{ payment_intent: checkouts[0]?.payment_intent }])
    await world.paid(sessionOf(world.stripe, reply))
    expect(await world.shown(id)).toMatchObject({ status: 'confirmed', payment: { status: 'paid' } })
    world.stripe.refunds.length = 0
  })

  test('a payment that is on its way back confirms no other try: that one has a checkout of its own', async () => {
    const { id, checkouts } = await lost('one@example.com')
    const [paid] = checkouts
    await world.paid(paid?.id ?? '')
    const part = { payment_intent: paid?.payment_intent }
    await world.send(world.stripe.event('charge.refunded', { object: 'charge', ...part, refunded: true }))
    // the bank refused it, so it must be sent again
    await world.send(world.stripe.event('refund.failed', { object: 'refund', ...part, status: 'failed' }))
    const reply = await bookAs(id, 'one@example.com')
    expect(reply).toMatchObject({ status: 201, body: { status: 'pending' } })
    expect(sessionOf(world.stripe, reply)).not.toBe('')
    await world.settled()
    expect(world.stripe.refunds).toMatchObject([part])
    expect(await world.shown(id)).toMatchObject({ status: 'pending', payment: { status: 'due' } })
    world.stripe.refunds.length = 0
  })

  test('a refund that the bank refuses before anybody has checked the payment is sent again', async () => {
    const { id, checkouts } = await lost('one@example.com')
    const [paid] = checkouts
    await world.paid(paid?.id ?? '')
    await world.settled()
    const { due } = world.service.context.checkouts
    due.listen(undefined) // the worker comes after both events
    const part = { payment_intent: paid?.payment_intent }
    await world.send(world.stripe.event('charge.refunded', { object: 'charge', ...part, refunded: true }))
    await world.send(world.stripe.event('refund.failed', { object: 'refund', ...part, status: 'failed' }))
    due.listen(() => world.service.app.payments.wake())
    await world.settled()
    expect(world.stripe.refunds).toMatchObject([{ ...part, status: 'succeeded' }])
    expect(await payments(id)).toMatchObject([
      { status: 'refunded', refund_total: 2500, next_check_at: null },
    ])
    world.stripe.refunds.length = 0
  })

  test('a hold that is given up while its checkout is opened is refused, and the checkout closed at once', async () => {
    const { id } = await held()
    world.stripe.onCreated = async () => {
      world.stripe.onCreated = undefined
      await world.session.release(id)
    }
    expect(await world.session.book(id)).toMatchObject({ status: 404, body: { code: 'hold_not_found' } })
    await world.settled()
    expect([...world.stripe.sessions.values()].at(-1)).toMatchObject({ status: 'expired' })
    expect(await payments(id)).toMatchObject([{ status: 'expired', next_check_at: null }])
  })

  test('a database that is away when the booking is to be written: 503, and the next try has the same checkout', async () => {
    const { id } = await held()
    const before = world.stripe.sessions.size
    const end = beforeTransactions(world.service, () =>
      world.stripe.sessions.size > before
        ? Promise.reject(new DatabaseUnavailable('away'))
        : Promise.resolve(),
    )
    const refused = await world.session.book(id)
    end()
    expect(refused).toMatchObject({ status: 503, body: { code: 'unavailable' } })
    await world.settled()
    const reply = await world.session.book(id)
    expect(reply).toMatchObject({ status: 201, body: { status: 'pending' } })
    expect(world.stripe.sessions.size).toBe(before + 1)
    expect(world.stripe.sessions.get(sessionOf(world.stripe, reply))).toMatchObject({ status: 'open' })
  })

  test('and whose hold was released goes back at once', async () => {
    const { id, checkouts } = await lost('one@example.com')
    await world.session.release(id)
    await world.paid(checkouts[0]?.id ?? '')
    await world.settled()
    expect(world.stripe.refunds).toMatchObject([{ payment_intent: checkouts[0]?.payment_intent }])
    expect(await payments(id)).toMatchObject([{ status: 'refunded' }])
    world.stripe.refunds.length = 0
  })

  test('and that is never converted goes back when its hold has ended', async () => {
    const { id } = await held()
    world.stripe.failure = { how: 'answer lost', on: /^POST \/v1\/checkout\/sessions$/ }
    await world.session.book(id)
    world.stripe.failure = undefined
    const [lost] = [...world.stripe.sessions.values()].slice(-1)
    await world.paid(lost?.id ?? '')
    await world.settled()
    expect(world.stripe.refunds).toEqual([])
    world.service.clock.advance(600)
    await world.settled()
    expect(world.stripe.refunds).toMatchObject([{ payment_intent: lost?.payment_intent }])
    expect(await payments(id)).toMatchObject([{ status: 'refunded' }])
    expect((await world.key.book(id)).status).toBe(404)
    world.stripe.refunds.length = 0
  })

  test('at the end of a checkout: nothing is cancelled by time alone; it is asked again', async () => {
    const { id, offer, sessionId } = await world.due()
    world.stripe.failure = { how: 'away', on: /./ }
    world.service.clock.advance(60 * 60)
    await world.settled()
    expect(await world.shown(id)).toMatchObject({ status: 'pending', payment: { status: 'due' } })
    expect(await world.isFree(offer)).toBe(false)
    world.service.clock.advance(60 * 60)
    await world.settled()
    world.stripe.failure = undefined
    expect(world.stripe.sessions.get(sessionId)?.payment_status).toBe('unpaid')
    world.service.clock.advance(60 * 60)
    await world.settled()
    expect(await world.shown(id)).toMatchObject({ status: 'cancelled' })
    expect(await world.isFree(offer)).toBe(true)
  })

  test('at a refund: it is sent again until the processor confirms it, and once', async () => {
    const { id, sessionId } = await world.due()
    await world.paid(sessionId)
    world.stripe.failure = { how: 'answer lost', on: /refunds$/ }
    expect(
      (await world.service.call('DELETE', `/bookings/${id}?refund=full`, { token: world.key.token })).status,
    ).toBe(200)
    await world.settled()
    expect(await world.shown(id)).toMatchObject({ status: 'cancelled', payment: { status: 'paid' } })
    world.stripe.failure = undefined
    world.service.clock.advance(2 * 86_400) // by then the processor has forgotten the idempotency key
    await world.settled()
    expect(await world.shown(id)).toMatchObject({ payment: { status: 'refunded' } })
    expect(world.stripe.refunds).toHaveLength(1)
    world.stripe.refunds.length = 0
  })

  test('a key that it does not take is told to the operator, not to the client', async () => {
    const other = await depositWorld(engine, { STRIPE_SECRET_KEY: 'sk_test_wrong' })
    try {
      const offer = await makeOffer(other.service, other.business.id, { deposit })
      const hold = await other.session.hold(offer, startsAt)
      const refused = await other.session.book(String(hold.body.hold_id))
      expect(refused).toMatchObject({ status: 503, body: { code: 'unavailable' } })
      expect(JSON.stringify(refused.body)).not.toMatch(/key|sk_/i)
      const told = other.service.logLines.filter((line) => line.includes('opens no checkout'))
      expect(told).toHaveLength(1)
      expect(told[0]).toMatch(/StripeAuthenticationError/)
      expect(other.service.logLines.join()).not.toContain('sk_test_wrong')
    } finally {
      await other.stop()
    }
  })
})
