import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { reconcilePayments } from '../../src/payments/reconcile.ts'
import { depositWorld, type DepositWorld, startsAt, stripeVariables } from '../support/deposits.ts'
import { onOneEngine } from '../support/long.ts'
import { makeOffer } from '../support/offers.ts'
import { startTestService } from '../support/test-service.ts'

onOneEngine('postgres', 'a booking with a deposit, changed by its business', (engine) => {
  let world: DepositWorld
  beforeAll(async () => {
    world = await depositWorld(engine)
  })
  beforeEach(async () => {
    world.stripe.refunds.length = 0
    await world.newSession()
  })
  afterAll(() => world.stop())

  const cancel = (id: string, refund?: string) =>
    world.service.call('DELETE', `/bookings/${id}${refund === undefined ? '' : `?refund=${refund}`}`, {
      token: world.key.token,
    })

  test.each([
    ['confirmed', ['booking.created']],
    ['in_progress', ['booking.created']],
    ['completed', ['booking.created', 'booking.completed']],
  ])('%s before it was paid is its first confirmation; the checkout is closed', async (status, events) => {
    const { id, sessionId } = await world.due()
    expect((await world.key.change(id, { status, notes: 'Paid in cash' })).body).toMatchObject({
      status,
      payment: { status: 'expired' },
    })
    expect(await world.eventsOf(id)).toEqual(events)
    await world.settled()
    expect(world.stripe.sessions.get(sessionId)?.status).toBe('expired')
    expect((await world.key.change(id, { notes: 'Or by card' })).status).toBe(200)
    expect(await world.eventsOf(id)).toEqual([...events, 'booking.updated'])
    world.service.clock.advance(3_600)
    await world.settled()
    expect(await world.shown(id)).toMatchObject({ status })
  })

  test('changes of time and notes while it waits send nothing, and it still lapses', async () => {
    const { id, offer } = await world.due()
    await world.key.change(id, { notes: 'Later', starts_at: '2026-12-01T11:00:00+01:00' })
    expect(await world.eventsOf(id)).toEqual([])
    expect(await world.isFree(offer)).toBe(true)
    expect(await world.isFree(offer, '2026-12-01T11:00:00+01:00')).toBe(false)
    world.service.clock.advance(3_600)
    await world.settled()
    expect(await world.shown(id)).toMatchObject({ status: 'cancelled', payment: { status: 'expired' } })
    expect(await world.eventsOf(id)).toEqual([])
  })

  test('cancelled before it was paid: no event, the slot is free, the checkout is closed', async () => {
    const { id, offer, sessionId } = await world.due()
    expect((await cancel(id)).body).toMatchObject({ status: 'cancelled', payment: { status: 'expired' } })
    expect(await world.isFree(offer)).toBe(true)
    await world.settled()
    expect(world.stripe.sessions.get(sessionId)?.status).toBe('expired')
    expect(await world.eventsOf(id)).toEqual([])
    expect(await cancel(id)).toMatchObject({ status: 200 })
  })

  test('a checkout that cannot be closed at once is closed later', async () => {
    const { id, sessionId } = await world.due()
    world.stripe.failure = { how: 'away', on: /./ }
    await cancel(id)
    await world.settled()
    world.stripe.failure = undefined
    expect(world.stripe.sessions.get(sessionId)?.status).toBe('open')
    world.service.clock.advance(180)
    await world.settled()
    expect(world.stripe.sessions.get(sessionId)?.status).toBe('expired')
  })

  test.each([undefined, 'none'])(
    'cancelled after it was paid (refund %s): the deposit stays',
    async (refund) => {
      const { id, sessionId } = await world.due()
      await world.paid(sessionId)
      expect((await cancel(id, refund)).body).toMatchObject({
        status: 'cancelled',
        payment: { status: 'paid' },
      })
      await world.settled()
      expect(world.stripe.refunds).toEqual([])
      expect(await world.eventsOf(id)).toEqual(['booking.created', 'booking.cancelled'])
    },
  )

  test('cancelled with its deposit: it goes back, once, however often it is asked for', async () => {
    const { id, sessionId } = await world.due()
    await world.paid(sessionId)
    expect((await cancel(id, 'full')).body).toMatchObject({ status: 'cancelled' })
    expect((await cancel(id, 'full')).status).toBe(200)
    await world.settled()
    expect((await cancel(id, 'full')).body).toMatchObject({
      payment: { status: 'refunded', refunded_at: expect.any(String) },
    })
    await world.settled()
    expect(world.stripe.refunds).toMatchObject([{ amount: 2500, status: 'succeeded' }])
    expect(await world.eventsOf(id)).toEqual(['booking.created', 'booking.cancelled'])
  })

  test('a deposit that was kept at first can go back later', async () => {
    const { id, sessionId } = await world.due()
    await world.paid(sessionId)
    const kept = await cancel(id)
    expect((await cancel(id, 'full')).headers.etag).toBe(kept.headers.etag)
    await world.settled()
    expect(await world.shown(id)).toMatchObject({ payment: { status: 'refunded' } })
  })

  test('a refund where nothing was paid is refused, and nothing is cancelled', async () => {
    const { id } = await world.due()
    const offer = await makeOffer(world.service, world.business.id)
    const held = await world.session.hold(offer, startsAt)
    const free = await world.session.book(String(held.body.hold_id))
    for (const booking of [id, String(free.body.id)]) {
      expect(await cancel(booking, 'full')).toMatchObject({
        status: 422,
        body: { code: 'validation_failed', errors: [{ pointer: '/refund', code: 'not_allowed' }] },
      })
      expect((await world.shown(booking)).status).not.toBe('cancelled')
      expect((await cancel(booking, 'half')).status).toBe(422)
      expect((await cancel(booking, 'none')).status).toBe(200)
    }
  })

  test('a refund that takes days is refunded when it has arrived; one that fails is sent again', async () => {
    const { id, sessionId } = await world.due()
    await world.paid(sessionId)
    world.stripe.refundStatus = 'pending'
    await cancel(id, 'full')
    await world.settled()
    expect(await world.shown(id)).toMatchObject({ payment: { status: 'paid', refunded_at: null } })
    const [first] = world.stripe.refunds
    if (!first) throw new Error('no refund was sent')
    first.status = 'failed'
    world.stripe.refundStatus = 'succeeded'
    await world.send(world.stripe.event('refund.failed', first))
    await world.settled()
    expect(await world.shown(id)).toMatchObject({ payment: { status: 'refunded' } })
    expect(world.stripe.refunds.map(({ status }) => status)).toEqual(['failed', 'succeeded'])
  })

  test('a refund that is on its way is not asked for again, and paid until it has arrived', async () => {
    const { id, sessionId } = await world.due()
    await world.paid(sessionId)
    world.stripe.refundStatus = 'pending'
    const asked = world.stripe.refundKeys.length
    await cancel(id, 'full')
    for (let hour = 0; hour < 3; hour += 1) {
      await world.settled()
      world.service.clock.advance(3_600)
    }
    expect(world.stripe.refundKeys).toHaveLength(asked + 1)
    expect(await world.shown(id)).toMatchObject({ payment: { status: 'paid', refunded_at: null } })
    for (const refund of world.stripe.refunds) refund.status = 'succeeded'
    await world.settled()
    expect(await world.shown(id)).toMatchObject({ payment: { status: 'refunded' } })
    expect(world.stripe.refundKeys).toHaveLength(asked + 1)
    world.stripe.refundStatus = 'succeeded'
  })

  test('two servers that send one refund at once send it under one key', async () => {
    const other = await startTestService(engine, stripeVariables(world.stripe.url), { beside: world.service })
    try {
      const { id, sessionId } = await world.due()
      await world.paid(sessionId)
      const [asked, refused] = [world.stripe.refundKeys.length, world.stripe.refused.length]
      // neither sees the refund of the other
      let listed = 0
      const both = new Promise<void>((resolve) => {
        world.stripe.onRefundsListed = () => {
          if ((listed += 1) === 2) resolve()
          return both
        }
      })
      await cancel(id, 'full')
      await Promise.all([world.settled(), reconcilePayments(other.context)])
      world.stripe.onRefundsListed = undefined
      const keys = world.stripe.refundKeys.slice(asked)
      expect(keys.length).toBeGreaterThan(1)
      expect(new Set(keys).size).toBe(1)
      expect(world.stripe.refused.slice(refused)).not.toContain('charge_already_refunded')
      world.service.clock.advance(60)
      await world.settled()
      expect(world.stripe.refunds).toHaveLength(1)
      expect(await world.shown(id)).toMatchObject({ payment: { status: 'refunded' } })
    } finally {
      world.stripe.onRefundsListed = undefined
      await other.stop()
    }
  })

  test('a refund that arrived and came back from the bank is sent again', async () => {
    const { id, sessionId } = await world.due()
    await world.paid(sessionId)
    await cancel(id, 'full')
    await world.settled()
    const [first] = world.stripe.refunds
    if (!first) throw new Error('no refund was sent')
    first.status = 'failed'
    await world.send(world.stripe.event('refund.failed', first))
    await world.settled()
    expect(world.stripe.refunds.map(({ status }) => status)).toEqual(['failed', 'succeeded'])
    expect(await world.shown(id)).toMatchObject({ payment: { status: 'refunded' } })
  })

  test('a refund by hand at the processor is on record', async () => {
    const { id, sessionId } = await world.due()
    await world.paid(sessionId)
    const payment_intent = world.stripe.sessions.get(sessionId)?.payment_intent
    await world.send(
      world.stripe.event('charge.refunded', { object: 'charge', payment_intent, refunded: false }),
    )
    expect(await world.shown(id)).toMatchObject({ payment: { status: 'paid' } })
    world.stripe.refundByHand(sessionId, 2_500)
    await world.send(
      world.stripe.event('charge.refunded', { object: 'charge', payment_intent, refunded: true }),
    )
    expect(await world.shown(id)).toMatchObject({ status: 'confirmed', payment: { status: 'refunded' } })
    await world.settled()
    expect(await world.shown(id)).toMatchObject({
      payments: [{ status: 'refunded', refunded_amount: 2_500 }],
    })
    expect(world.stripe.refunds).toHaveLength(1)
  })
})
