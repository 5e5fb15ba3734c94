import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { reconcilePayments } from '../../src/payments/reconcile.ts'
import { depositWorld, type DepositWorld, stripeVariables } from '../support/deposits.ts'
import { demoWorld, runHoldfast } from '../support/holdfast-process.ts'
import { onOneEngine, testIn } from '../support/long.ts'
import { createTestDatabase } from '../support/test-database.ts'

onOneEngine('sqlite', 'holdfast payments reconcile', (engine) => {
  let world: DepositWorld
  beforeAll(async () => {
    world = await depositWorld(engine)
  })
  beforeEach(() => world.newSession())
  afterAll(() => world.stop())

  const reconcile = () => reconcilePayments(world.service.context)

  test('asks about all that is due, also within its life, and tells what came of it', async () => {
    const [paid, open] = [await world.due(), await world.due()]
    world.stripe.pay(paid.sessionId)
    expect(await reconcile()).toEqual({ paid: 1, expired: 0, refunded: 0, open: 1, unreachable: 0 })
    expect(await world.shown(paid.id)).toMatchObject({ status: 'confirmed', payment: { status: 'paid' } })
    expect(await world.shown(open.id)).toMatchObject({ status: 'pending', payment: { status: 'due' } })
    world.stripe.failure = { how: 'away', on: /./ }
    expect(await reconcile()).toMatchObject({ unreachable: 1 })
    world.stripe.failure = undefined
    world.service.clock.advance(35 * 60)
    expect(await reconcile()).toMatchObject({ expired: 1 })
    expect(await world.shown(open.id)).toMatchObject({ status: 'cancelled' })
    expect(await reconcile()).toEqual({ paid: 0, expired: 0, refunded: 0, open: 0, unreachable: 0 })
  })

  test('two at once do no harm, beside the server', async () => {
    const bookings = [await world.due(), await world.due(), await world.due()]
    for (const { sessionId } of bookings) world.stripe.pay(sessionId)
    for (const { id } of bookings) {
      await world.service.call('DELETE', `/bookings/${id}`, { token: world.key.token })
    }
    await Promise.all([reconcile(), reconcile(), world.settled()])
    await reconcile()
    const ids = bookings.map(({ sessionId }) => world.stripe.sessions.get(sessionId)?.payment_intent)
    const refunds = world.stripe.refunds.map(({ payment_intent }) => payment_intent)
    expect(refunds.toSorted()).toEqual(ids.toSorted())
  })

  testIn(engine === 'sqlite')(
    'runs beside a server, and says what is missing without a processor',
    async () => {
      const database = await createTestDatabase(engine)
      try {
        await demoWorld(database.url)
        const variables = { DATABASE_URL: database.url, ...stripeVariables(world.stripe.url) }
        const ran = await runHoldfast(['payments', 'reconcile'], { variables })
        expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('paid: 0\nexpired: 0\n') })
        const nobody = { DATABASE_URL: database.url, NODE_ENV: 'production' }
        const refused = await runHoldfast(['payments', 'reconcile'], { variables: nobody })
        expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('STRIPE_SECRET_KEY') })
      } finally {
        await database.drop()
      }
    },
  )
})
