import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BookingsTable, ClaimsTable } from '../../src/database/tables.ts'
import { settleOne } from '../../src/payments/reconcile.ts'
import { clientOf, sessionClient } from '../support/client.ts'
import { deposit, depositWorld, type DepositWorld, sessionOf } from '../support/deposits.ts'
import { onOneEngine, rounds as countOf } from '../support/long.ts'
import { makeOffer, type Offer } from '../support/offers.ts'
import { type Random, randomFrom } from '../support/random.ts'
import { type Reply, startOfTime } from '../support/test-service.ts'

/*
 * At the end of a checkout everything possible happens at once, in random order. The client pays, events arrive twice
 * and late, and two servers query the processor and close the checkout. A rival wants the slot, and the business
 * decides.
 */
const atOnce = 30
const rounds = countOf(1, 200)
const lifeSeconds = 35 * 60

interface Duel {
  id: string
  sessionId: string
  startsAt: string
  /** The decisions of the business in the meantime. */
  decisions: Set<unknown>
}

type Row = Record<string, unknown>
type Booking = Pick<BookingsTable, 'id' | 'status' | 'confirmed_at'>

onOneEngine('sqlite', 'at the moment at which a checkout ends', (engine) => {
  let world: DepositWorld
  let offer: Offer
  beforeAll(async () => {
    world = await depositWorld(engine, { RATE_LIMIT_FACTOR: '1000' })
    offer = await makeOffer(world.service, world.business.id, { deposit })
  })
  afterAll(() => world.stop())

  /** Returns one of the half hours from thirty days ahead on. */
  const slotOf = (index: number) => new Date(startOfTime + 30 * 86_400_000 + index * 1_800_000).toISOString()

  async function start(index: number): Promise<Duel> {
    const startsAt = slotOf(index)
    const client = await sessionClient(world.service, world.business)
    const held = await client.hold(offer, startsAt)
    const reply = await client.book(String(held.body.hold_id))
    expect(reply.status).toBe(201)
    const sessionId = sessionOf(world.stripe, reply)
    const session = world.stripe.sessions.get(sessionId)
    if (!session) throw new Error('there is no checkout')
    session.expires_at += 120 // its clock is behind: payment is still possible unless the checkout is closed
    return { id: String(reply.body.id), sessionId, startsAt, decisions: new Set() }
  }

  async function fight(duel: Duel, paymentId: string, random: Random): Promise<void> {
    const { id, sessionId, startsAt, decisions } = duel
    const { service, stripe } = world
    const rival = clientOf(service, world.business.key)
    const pay = async () => {
      if (!stripe.pay(sessionId)) return
      if (random.chance(0.3)) return // its event is lost
      await world.tell('checkout.session.completed', sessionId)
      if (random.chance(0.3)) await world.tell('checkout.session.completed', sessionId)
    }
    const ended = async () => {
      if (stripe.sessions.get(sessionId)?.status === 'expired') {
        await world.tell('checkout.session.expired', sessionId)
      }
    }
    const steal = async () => {
      const held = await rival.hold(offer, startsAt)
      if (held.status === 201 && random.chance(0.5)) await rival.release(String(held.body.hold_id))
    }
    const decide = async (answer: Promise<Reply>) => {
      const { status, body } = await answer
      if (status === 200) decisions.add(body.status)
    }
    const actions: (() => Promise<unknown>)[] = [
      pay,
      () => settleOne(service.context, paymentId),
      ended,
      steal,
    ]
    if (random.chance(0.8)) actions.push(() => settleOne(service.context, paymentId))
    if (random.chance(0.1)) actions.push(() => decide(world.key.change(id, { status: 'confirmed' })))
    if (random.chance(0.25)) actions.push(() => decide(world.key.cancel(id)))
    await Promise.all(
      actions.map(async (act) => {
        for (let turns = random.below(40); turns > 0; turns -= 1) await new Promise(setImmediate)
        await act()
      }),
    )
  }

  /** Finishes all remaining work with the processor, and all waits. */
  async function calm(): Promise<void> {
    for (let round = 0; round < 10; round += 1) {
      await world.settled()
      if (!(await world.service.rows('payments')).some(({ next_check_at }) => next_check_at !== null)) return
      world.service.clock.advance(3_700)
    }
    throw new Error('something is left to do for ever')
  }

  test(
    'a client who pays has the booking or the money back, and nobody has the slot twice',
    { timeout: 600_000 },
    async () => {
      const outcomes = new Map<string, number>()
      const random = randomFrom(engine === 'sqlite' ? 7 : 11)
      for (let round = 0; round < rounds; round += 1) {
        const duels = await Promise.all(
          Array.from({ length: atOnce }, (_, index) => start(round * atOnce + index)),
        )
        world.service.clock.advance(lifeSeconds)
        const payments = await world.service.rows('payments')
        const paymentOf = (id: string, rows: Row[]) => rows.find(({ booking_id }) => booking_id === id) ?? {}
        await Promise.all(
          duels.map((duel) =>
            fight(duel, String(paymentOf(duel.id, payments).id), randomFrom(random.below(2 ** 31))),
          ),
        )
        await calm()
        const rows = {
          payments: await world.service.rows('payments'),
          bookings: (await world.service.rows('bookings')) as unknown as Booking[],
          claims: (await world.service.rows('claims')) as unknown as ClaimsTable[],
          events: await world.service.events(),
        }
        for (const duel of duels) {
          const booking = rows.bookings.find(({ id }) => id === duel.id)
          if (!booking) throw new Error('a booking is lost')
          const events = rows.events
            .filter(({ booking_id }) => booking_id === duel.id)
            .map(({ type }) => type)
          const outcome = judge(duel, {
            booking,
            events,
            payment: paymentOf(duel.id, rows.payments),
            hasClaim: rows.claims.some(({ id, ended_at }) => id === duel.id && ended_at === null),
          })
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
        }
      }
      console.log(`${engine}, when a checkout ends: ${JSON.stringify(Object.fromEntries(outcomes))}`)
      const inTwoSeats =
        world.stripe.refunds.length - new Set(world.stripe.refunds.map((one) => one.payment_intent)).size
      expect(inTwoSeats, 'refunds that were sent twice').toBe(0)
    },
  )

  /** Returns the outcome in words. Throws if a promise is broken. */
  function judge(
    { id, sessionId, decisions }: Duel,
    found: { booking: Booking; events: string[]; payment: Row; hasClaim: boolean },
  ): string {
    const { booking, events, payment, hasClaim } = found
    const session = world.stripe.sessions.get(sessionId)
    const wasPaid = session?.payment_status === 'paid'
    const wasRefunded = world.stripe.refunds.some((one) => one.payment_intent === session?.payment_intent)
    const isConfirmed = booking.confirmed_at !== null
    const created = events.filter((type) => type === 'booking.created').length
    const about = JSON.stringify({ id, booking, events, payment, hasClaim, wasPaid, wasRefunded })
    expect(hasClaim, about).toBe(booking.status !== 'cancelled')
    expect(created, about).toBe(isConfirmed ? 1 : 0)
    expect(session?.status, about).not.toBe('open')
    expect(payment.status, about).toBe(wasRefunded ? 'refunded' : wasPaid ? 'paid' : 'expired')
    if (wasPaid && booking.status === 'cancelled' && !wasRefunded) {
      // the business has cancelled a confirmed booking without requesting a refund
      expect(events, about).toEqual(['booking.created', 'booking.cancelled'])
      return 'paid, confirmed, then cancelled by the business'
    }
    if (wasRefunded && isConfirmed && booking.status === 'confirmed') {
      // the business has cancelled it, which caused the refund, and then changed its mind
      expect(decisions, about).toEqual(new Set(['cancelled', 'confirmed']))
      return 'cancelled, paid and refunded, then confirmed by the business'
    }
    if (wasRefunded) {
      expect(booking.status, about).toBe('cancelled')
      return isConfirmed ? 'waived, cancelled, then paid and refunded' : 'paid and refunded'
    }
    if (wasPaid) return 'paid and confirmed'
    return isConfirmed ? 'never paid, confirmed by the business' : 'never paid, cancelled'
  }
})
