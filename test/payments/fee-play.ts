import { expect } from 'vitest'
import type { Engine } from '../../src/database/database.ts'
import { depositWorld } from '../support/deposits.ts'
import { makeLocation } from '../support/offers.ts'
import { HistoryError, type Play, randomOfStep } from '../simulation/play.ts'
import { type Random, randomFrom } from '../support/random.ts'
import type { CardBehaviour, Failure } from '../support/stripe-server.ts'
import { beforeTransactions } from '../support/test-service.ts'

const behaviours: readonly CardBehaviour[] = [
  ...(['works', 'works', 'takes time', 'authentication_required', 'card_declined'] as const),
  ...(['insufficient_funds', 'resource_missing'] as const),
]
const failures: readonly (Failure | undefined)[] = [undefined, undefined, 'away', 'answer lost']
const day = 86_400
/** Requests to the processor end within this time, so more never passes while one is in flight. */
const requestSeconds = 150

interface Payment {
  id: string
  kind: string
  status: string
  amount: number
  reason: string | null
  refunded_amount: number
  refunding_amount: number
}

/**
 * Random histories of a booking with fees: cancellations, no-shows, charges and waivers, while the processor fails and
 * the server is killed between any two transactions. At the end, the sums of the payments are those of the processor.
 */
export async function startFeePlay(engine: Engine): Promise<Play> {
  const world = await depositWorld(engine)
  const location = await makeLocation(world.service, world.business.id)
  /** The number of the next transactions after which the server is killed. */
  let killIn = Infinity
  const stopKilling = beforeTransactions(world.service, () => {
    killIn -= 1
    return killIn === 0 ? Promise.reject(new Error('killed')) : Promise.resolve()
  })

  const call = (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) =>
    world.service.call(method, path, { token: world.business.key, ...(body && { body }) })
  const paymentsOf = async (id: string) => (await world.shown(id)).payments as Payment[]

  const booked = async (random: Random) => {
    await world.newSession()
    const mode = random.of([
      { payment: 'card' },
      { payment: 'full' },
      { deposit: { amount: 2_500, currency: 'EUR' } },
    ])
    const { body: service } = await call('POST', '/services', {
      ...{ name: 'Massage', duration_minutes: 30, location_ids: [location] },
      ...{ price: { amount: 6_001, currency: 'EUR' }, ...mode, cancel_until_minutes: 0 },
      ...{ fees: [{ within_minutes: 1_440, percent: 50 }], no_show_percent: 80 },
    })
    const startsAt = new Date(world.service.clock.nowMs() + 3 * day * 1_000).toISOString()
    const held = await world.session.hold(
      { service_id: String(service.id), location_id: location },
      startsAt.replace(/T.*/, 'T10:00:00Z'),
    )
    const { body } = await world.session.book(String(held.body.hold_id), { fee_consent: 'Fees' })
    const session = [...world.stripe.sessions.values()].find(({ url }) => url === body.redirect_url)
    world.stripe.card = random.of(behaviours)
    await world.paid(session?.id ?? '')
    return String(body.id)
  }

  /** Pays a fee by the link in the client's email. */
  const payLink = async (id: string) => {
    const due = (await paymentsOf(id)).find(({ kind, status }) => kind === 'fee' && status === 'due')
    if (!due) return
    await world.service.call('GET', `//checkout/${due.id}`)
    const open = [...world.stripe.sessions.values()].find(
      ({ client_reference_id, status }) => client_reference_id === due.id && status === 'open',
    )
    if (open && world.stripe.pay(open.id)) await world.tell('checkout.session.completed', open.id)
  }

  const decide = (random: Random) => {
    for (const { id, status, object } of world.stripe.intents.values())
      if (object === 'payment_intent' && status === 'processing')
        world.stripe.bankDecides(id, random.chance(0.5))
  }

  const steps: Record<string, (id: string, random: Random) => Promise<unknown>> = {
    charge: (id, random) =>
      call('POST', `/bookings/${id}/charge`, {
        ...{ amount: 700, reason: random.of(['Tea', 'Colour']) },
      }),
    waive: async (id, random) => {
      const fees = (await paymentsOf(id)).filter(({ kind }) => kind === 'fee')
      if (fees.length > 0) await call('POST', `/bookings/${id}/payments/${random.of(fees).id}/waive`, {})
    },
    cancel: async (id) => {
      const { manage_url } = await world.shown(id)
      const token = new URL(String(manage_url)).hash.slice(1)
      await world.service.call('POST', '/manage/cancel', { token, body: {} })
    },
    restore: (id) => call('PATCH', `/bookings/${id}`, { status: 'confirmed' }),
    missed: (id) => call('PATCH', `/bookings/${id}`, { no_show: true }),
    came: (id) => call('PATCH', `/bookings/${id}`, { no_show: false }),
    pass: async (_id, random) => {
      const seconds = random.of([30, 200, 7_200, day])
      if (seconds > requestSeconds) await world.settled()
      world.service.clock.advance(seconds)
    },
    fail: (_id, random) => {
      const how = random.of(failures)
      world.stripe.failure = how && { how, on: random.of([/./, /POST/, /POST \/v1\/payment_intents/]) }
      return Promise.resolve()
    },
    kill: (_id, random) => {
      killIn = 1 + random.below(6)
      return Promise.resolve()
    },
    work: () => world.settled(),
    bank: (_id, random) => {
      decide(random)
      return Promise.resolve()
    },
    pay: (id) => payLink(id),
  }

  /** Ends all failures and all that is open, and lets days pass. */
  const settleAll = async (random: Random) => {
    killIn = Infinity
    world.stripe.failure = undefined
    await world.settled()
    for (let round = 0; round < 5; round += 1) {
      world.service.clock.advance(2 * 3_600)
      await world.settled()
      decide(random)
    }
    await world.settled()
  }

  const check = async (id: string) => {
    const payments = await paymentsOf(id)
    const about = JSON.stringify(payments)
    for (const { id: paymentId, kind, status, amount, refunded_amount, refunding_amount } of payments) {
      const moves = world.stripe.ledger.filter((entry) => entry.paymentId === paymentId)
      const sum = moves.reduce((total, entry) => total + entry.amount, 0)
      const took = status === 'paid' || status === 'refunded' ? amount - refunded_amount : 0
      expect(sum, about).toBe(kind === 'card' ? 0 : took)
      expect(moves.filter((entry) => entry.amount > 0).length, about).toBeLessThanOrEqual(1)
      expect([status, refunding_amount], about).not.toContain('charging')
      expect(refunding_amount, about).toBe(0)
    }
    const { status, no_show } = await world.shown(id)
    const kept = (reason: string) =>
      payments.filter((one) => one.reason === reason && ['paid', 'due'].includes(one.status)).length
    if (status !== 'cancelled') expect(kept('late_cancel'), about).toBe(0)
    if (no_show !== true) expect(kept('no_show'), about).toBe(0)
    expect(Math.max(kept('late_cancel'), kept('no_show'), kept('Tea'), kept('Colour')), about).toBeLessThan(2)
  }

  const names = Object.keys(steps)
  return {
    steps: 14,
    run: async (seed, numbers) => {
      const random = randomFrom(seed)
      const begin = world.service.clock.nowMs()
      const id = await booked(random)
      const log: string[] = []
      try {
        for (const number of numbers) {
          const randomNow = randomOfStep(seed, number)
          const name = randomNow.of(names)
          log.push(name)
          // a request that is killed is refused; its client may repeat it
          await steps[name]?.(id, randomNow).catch((error: unknown) => {
            if (!String(error).includes('killed') && killIn > 0) throw error
          })
        }
        await settleAll(random)
        await check(id)
      } catch (error) {
        throw new HistoryError(log, error)
      } finally {
        killIn = Infinity
      }
      return world.service.clock.nowMs() - begin
    },
    stop: async () => {
      stopKilling()
      await world.stop()
    },
  }
}
