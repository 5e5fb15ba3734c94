import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  deposit,
  depositWorld,
  type DepositWorld,
  sessionOf,
  startsAt,
  stripeVariables,
} from '../support/deposits.ts'
import { makeOffer } from '../support/offers.ts'
import { onOneEngine } from '../support/long.ts'
import { engines, startTestService } from '../support/test-service.ts'

onOneEngine('sqlite', 'a deposit in the place of another', (engine) => {
  let world: DepositWorld
  beforeAll(async () => {
    world = await depositWorld(engine)
  })
  beforeEach(async () => {
    world.stripe.refunds.length = 0
    await world.newSession()
  })
  afterAll(() => world.stop())

  const rowOf = (id: string) =>
    world.service.rows('bookings').then((rows) => rows.find((row) => row.id === id))
  /** Returns the text of a deposit's page, and the checkout at Stripe to which it leads. */
  const look = async (paymentId: unknown) => {
    world.service.clock.advance(4) // the processor is queried every three seconds
    const page = String((await world.service.call('GET', `//checkout/${String(paymentId)}`)).body)
    const [url] = /https:\/\/checkout\.stripe\.example\/[^"]+/.exec(page) ?? []
    return { page, session: [...world.stripe.sessions.values()].find((one) => one.url === url) }
  }
  const lapse = async () => {
    world.service.clock.advance(36 * 60)
    await world.settled()
  }
  const party = async (client = world.session) => {
    const offer = await makeOffer(world.service, world.business.id, { deposit, capacity: 5 })
    const held = await client.hold(offer, startsAt, { party_size: 2 })
    const reply = await client.book(String(held.body.hold_id))
    const [payment] = (await world.service.rows('payments')).filter((row) => row.booking_id === reply.body.id)
    return {
      offer,
      id: String(reply.body.id),
      reply,
      paymentId: String(payment?.id),
      sessionId: sessionOf(world.stripe, reply),
    }
  }

  test('a party that grows before it has paid pays for all, also by the link that it has', async () => {
    const { id, paymentId, sessionId } = await party()
    const grown = await world.key.change(id, { party_size: 3 })
    expect(grown.body).toMatchObject({
      ...{ status: 'pending', party_size: 3, payment: { status: 'due', amount: 7500 } },
      pay_url: expect.not.stringContaining(paymentId),
    })
    await world.settled()
    expect(world.stripe.sessions.get(sessionId)?.status).toBe('expired')
    expect(await world.shown(id)).toMatchObject({ status: 'pending' })
    const { session } = await look(paymentId)
    expect(session).toMatchObject({ status: 'open', amount_total: 7500 })
    await world.paid(session?.id ?? '')
    expect(await world.shown(id)).toMatchObject({
      status: 'confirmed',
      payment: { status: 'paid', amount: 7500 },
    })
    expect(await world.eventsOf(id)).toEqual(['booking.created'])
    expect((await world.key.change(id, { party_size: 1 })).body.payment).toMatchObject({ amount: 7500 })
  })

  test('a page that is loaded again within three seconds leads to the same checkout', async () => {
    const { paymentId, sessionId } = await party()
    const again = async () => String((await world.service.call('GET', `//checkout/${paymentId}`)).body)
    const { session } = await look(paymentId)
    expect(session?.id).toBe(sessionId)
    world.stripe.failure = { how: 'away', on: /./ } // it is not asked
    expect(await again()).toContain(`href="${session?.url ?? ''}"`)
    world.stripe.failure = undefined
    await world.paid(sessionId)
    expect(await again()).not.toContain(session?.url)
    const { id: lost } = await party()
    const [due] = (await world.service.rows('payments')).filter((row) => row.booking_id === lost)
    world.stripe.sessions.delete(String(due?.checkout_reference)) // so that the page opens another
    world.service.clock.advance(70)
    const opened = await look(String(due?.id))
    const page = await world.service.call('GET', `//checkout/${String(due?.id)}`)
    expect(String(page.body)).toContain(opened.session?.url)
  })

  test('what is paid for the smaller party all the same goes back, and confirms nothing', async () => {
    const { id, sessionId } = await party()
    await world.key.change(id, { party_size: 4 })
    await world.paid(sessionId)
    expect(await world.shown(id)).toMatchObject({
      status: 'pending',
      payment: { status: 'due', amount: 10_000 },
    })
    await world.settled()
    expect(world.stripe.refunds).toMatchObject([{ amount: 5000 }])
    await lapse()
    expect(await world.shown(id)).toMatchObject({ status: 'cancelled', payment: { status: 'expired' } })
  })

  test('of a booking by the business a party pays for all too, and it still stands', async () => {
    const { id, paymentId } = await party(world.key)
    expect((await world.key.change(id, { party_size: 3 })).body).toMatchObject({
      ...{ status: 'confirmed', payment: { status: 'due', amount: 7500 } },
    })
    await lapse()
    expect(await world.shown(id)).toMatchObject({ status: 'confirmed', payment: { status: 'due' } })
    const { session } = await look(paymentId)
    await world.paid(session?.id ?? '')
    expect(await world.shown(id)).toMatchObject({ payment: { status: 'paid', amount: 7500 } })
  })

  test('a lapsed booking that a key makes pending waits for its deposit again, and no longer', async () => {
    const { id, offer } = await world.due()
    await lapse()
    expect(await world.shown(id)).toMatchObject({ status: 'cancelled' })
    const again = await world.key.change(id, { status: 'pending' })
    expect(again.body).toMatchObject({
      status: 'pending',
      payment: { status: 'due' },
      pay_url: expect.any(String),
    })
    expect(await world.isFree(offer)).toBe(false)
    await lapse()
    expect(await world.shown(id)).toMatchObject({ status: 'cancelled', payment: { status: 'expired' } })
    expect(await world.isFree(offer)).toBe(true)
    expect(await world.eventsOf(id)).toEqual([])
  })

  test('and is confirmed by it; so is one whose first deposit went back', async () => {
    const { id, sessionId } = await world.due()
    await world.key.cancel(id)
    await world.paid(sessionId)
    await world.settled()
    expect(await world.shown(id)).toMatchObject({ status: 'cancelled', payment: { status: 'refunded' } })
    const again = await world.key.change(id, { status: 'pending' })
    const { session } = await look(new URL(String(again.body.pay_url)).pathname.split('/').at(-1))
    await world.paid(session?.id ?? '')
    expect(await world.shown(id)).toMatchObject({ status: 'confirmed', payment: { status: 'paid' } })
    expect(await rowOf(id)).toMatchObject({ version: 4 })
  })

  test('its client gives it up before a checkout is open', async () => {
    const { id } = await world.due()
    await lapse()
    const { body } = await world.key.change(id, { status: 'pending' })
    await world.service.call('POST', `/${new URL(String(body.pay_url)).pathname}/give-up`)
    expect(await world.shown(id)).toMatchObject({ status: 'cancelled' })
  })
})

describe.runIf(engines.includes('postgres'))('a cancellation while the payment arrives (postgres)', () => {
  test('waits for it, sees it, and gives the deposit back', async () => {
    const world = await depositWorld('postgres')
    const other = await startTestService('postgres', stripeVariables(world.stripe.url), {
      beside: world.service,
    })
    const rival = new pg.Client({ connectionString: world.service.databaseUrl })
    await rival.connect()
    try {
      const { id, reply, sessionId } = await world.due()
      await rival.query('begin')
      await rival.query('select 1 from payments where booking_id = $1 for update', [id])
      const waiting = async (count: number) => {
        for (;;) {
          const { rows } = await rival.query(
            `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          )
          if (rows[0].n >= count) return
          await pause(10)
        }
      }
      // the payment holds the booking, and waits for its own row
      const paying = world.paid(sessionId)
      await waiting(1)
      // the cancellation, on another server, reads the booking before the payment has committed
      const token = String(reply.body.manage_url).replace(/^.*#/, '')
      const cancelling = other.call('POST', '/manage/cancel', { token, body: {} })
      await waiting(2)
      await rival.query('commit')
      expect((await paying).status).toBe(200)
      expect((await cancelling).body).toMatchObject({ status: 'cancelled', payment: { status: 'paid' } })
      const [payment] = await world.service.rows('payments')
      expect(payment).toMatchObject({ refund_requested_at: expect.any(String) })
    } finally {
      await rival.end()
      await other.stop()
      await world.stop()
    }
  })
})
