import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { onOneEngine } from '../support/long.ts'
import { sessionClient } from '../support/client.ts'
import { depositWorld, startsAt, type DepositWorld, type Due } from '../support/deposits.ts'

onOneEngine('sqlite', 'a payment that comes late', (engine) => {
  let world: DepositWorld
  beforeAll(async () => {
    world = await depositWorld(engine)
  })
  beforeEach(async () => {
    world.stripe.refunds.length = 0
    await world.newSession()
  })
  afterAll(() => world.stop())

  /** Creates a booking that was cancelled because its checkout seemed to have expired, although the client has paid. */
  async function lapsedYetPaid(at = startsAt): Promise<Due> {
    const due = await world.due({ startsAt: at })
    const session = world.stripe.sessions.get(due.sessionId)
    await world.send(world.stripe.event('checkout.session.expired', session ?? {}))
    expect(await world.shown(due.id)).toMatchObject({ status: 'cancelled', payment: { status: 'expired' } })
    world.stripe.pay(due.sessionId)
    return due
  }

  test('takes the slot again if it is free: one booking, confirmed, with its one event', async () => {
    const { id, offer, sessionId } = await lapsedYetPaid()
    await world.tell('checkout.session.completed', sessionId)
    await world.settled()
    expect(await world.shown(id)).toMatchObject({
      status: 'confirmed',
      cancelled_at: null,
      payment: { status: 'paid' },
    })
    expect(await world.isFree(offer)).toBe(false)
    expect(await world.eventsOf(id)).toEqual(['booking.created'])
    expect(world.stripe.refunds).toEqual([])
  })

  test.each(['held', 'booked'])(
    'goes back when the slot is %s by somebody else; both are on record',
    async (how) => {
      const { id, offer, sessionId } = await lapsedYetPaid()
      const rival = await sessionClient(world.service, world.business)
      const hold = await rival.hold(offer, startsAt)
      expect(hold.status).toBe(201)
      if (how === 'booked') expect((await rival.book(String(hold.body.hold_id))).status).toBe(201)
      await world.tell('checkout.session.completed', sessionId)
      await world.settled()
      expect(await world.shown(id)).toMatchObject({
        status: 'cancelled',
        payment: {
          status: 'refunded',
          paid_at: expect.any(String),
          refunded_at: expect.any(String),
        },
      })
      expect(await world.eventsOf(id)).toEqual([])
      expect(world.stripe.refunds).toHaveLength(1)
    },
  )

  test('goes back when the time of the booking is over', async () => {
    const { id, sessionId } = await lapsedYetPaid('2026-11-20T10:30:00+01:00')
    world.service.clock.advance(1_800)
    await world.tell('checkout.session.completed', sessionId)
    await world.settled()
    expect(await world.shown(id)).toMatchObject({ status: 'cancelled', payment: { status: 'refunded' } })
  })

  test('goes back when the business cancelled before it came', async () => {
    const { id, sessionId } = await world.due()
    world.stripe.pay(sessionId)
    await world.key.cancel(id)
    await world.tell('checkout.session.completed', sessionId)
    await world.settled()
    expect(await world.shown(id)).toMatchObject({ status: 'cancelled', payment: { status: 'refunded' } })
    expect(world.stripe.refunds).toHaveLength(1)
    expect(await world.eventsOf(id)).toEqual([])
  })

  test('is on record when the business confirmed before it came: nothing is sent twice', async () => {
    const { id, sessionId } = await world.due()
    world.stripe.pay(sessionId)
    await world.key.change(id, { status: 'confirmed' })
    await world.tell('checkout.session.completed', sessionId)
    await world.settled()
    expect(await world.shown(id)).toMatchObject({ status: 'confirmed', payment: { status: 'paid' } })
    expect(await world.eventsOf(id)).toEqual(['booking.created'])
    expect(world.stripe.refunds).toEqual([])
  })

  test('is seen without an event too, when the closed checkout turns out to be paid', async () => {
    const { id, sessionId } = await world.due()
    world.stripe.pay(sessionId)
    await world.key.cancel(id)
    await world.settled()
    expect(await world.shown(id)).toMatchObject({ status: 'cancelled', payment: { status: 'refunded' } })
    expect(world.stripe.refunds).toHaveLength(1)
  })

  test('is on record after the booking was lapsed and taken up again by the business', async () => {
    const { id, sessionId } = await lapsedYetPaid()
    await world.key.change(id, { status: 'confirmed' })
    await world.tell('checkout.session.completed', sessionId)
    await world.settled()
    expect(await world.shown(id)).toMatchObject({ status: 'confirmed', payment: { status: 'paid' } })
    expect(await world.eventsOf(id)).toEqual(['booking.created'])
  })

  test('an event about the end of a checkout that comes after its payment changes nothing', async () => {
    const { id, sessionId } = await world.due()
    const ended = world.stripe.event('checkout.session.expired', world.stripe.sessions.get(sessionId) ?? {})
    await world.paid(sessionId)
    await world.send(ended)
    expect(await world.shown(id)).toMatchObject({ status: 'confirmed', payment: { status: 'paid' } })
  })
})
