/** @module-tag long */
import { resolve } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { readRows } from '../support/checker.ts'
import { changeDirectly } from '../support/change-directly.ts'
import { slot, startCluster, type Cluster } from '../support/cluster.ts'
import { sessionOf, stripeVariables } from '../support/deposits.ts'
import { builtServer, project } from '../support/holdfast-process.ts'
import { eventually, patientClients } from '../support/http-client.ts'
import { longTest, onOneEngine, testFirstOf } from '../support/long.ts'
import { startServer } from '../support/server-process.ts'
import { startFakeStripe, type FakeStripe } from '../support/stripe-server.ts'
import { ada, offer, type Reply } from '../support/test-service.ts'

const call = patientClients()
const preload = resolve(project, 'test/support/die-at-text.ts')

/** Statements between the steps from a hold to its paid booking, and the server's work at that time. */
const steps = {
  booking: [
    ['before the checkout is on record', 'insert into "payments"'],
    ['before the checkout is that of the booking', 'update "payments" set "status"'],
  ],
  payment: [
    ['before the event is noted', 'insert into "processor_events"'],
    ['before the booking is confirmed', 'update bookings\n'], // a trigger of the schema has it with a space
    ['before its event is recorded', 'into events'],
    ['before the payment is on record', 'update "payments" set "status"'],
  ],
  refund: [
    ['before the refund is on record', 'insert into "refunds"'],
    ['before the payment has it', 'update "payments" set "refund_total"'],
    ['after the processor made it, before its row says so', 'update "refunds"'],
    ['before the payment says so', 'update "payments" set "refunded_amount"'],
    ['before its event is recorded', 'into events'],
  ],
} as const

onOneEngine('sqlite', 'a server that is killed between a hold and its paid booking', (engine) => {
  let stripe: FakeStripe
  let cluster: Cluster
  let variables: Record<string, string>
  let slots = 0
  beforeAll(async () => {
    stripe = await startFakeStripe(() => Date.now())
    variables = stripeVariables(stripe.url)
    cluster = await startCluster(engine, variables)
  })
  afterAll(async () => {
    await cluster.stop()
    await stripe.stop()
  })

  const token = () => cluster.business.business_key
  let session = ''
  const replace = async (more: Record<string, string> = {}) => {
    await Promise.all(cluster.servers.map((server) => server.stop()))
    const options = more.DIE_AT_TEXT === undefined ? {} : { preloads: [preload], program: builtServer }
    cluster.servers.splice(
      0,
      Infinity,
      await startServer(cluster.databaseUrl, { ...variables, ...more }, options),
    )
  }

  const hold = async () => {
    const key = cluster.business.publishable_key
    session = String((await call(cluster.address(0), 'POST', '/session', { token: key })).body.session_token)
    const body = { ...offer(cluster.business, 'Treatment'), starts_at: slot((slots += 1)) }
    const reply = await call(cluster.address(0), 'POST', '/bookings/hold', { token: session, body })
    expect(reply.status).toBe(201)
    return String(reply.body.hold_id)
  }
  const book = (id: string): Promise<Reply | undefined> =>
    call(cluster.address(0), 'POST', '/bookings', {
      token: session,
      body: { hold_id: id, client: ada },
      headers: { 'idempotency-key': id },
    }).catch(() => undefined)
  const pay = async (sessionId: string): Promise<Reply | undefined> => {
    stripe.pay(sessionId)
    const { body } = stripe.event('checkout.session.completed', stripe.sessions.get(sessionId) ?? {})
    const headers = { 'content-type': 'application/json', 'stripe-signature': stripe.sign(body) }
    const request = { rawBody: body, headers }
    return call(cluster.address(0), 'POST', '//payments/stripe/webhook', request).catch(() => undefined)
  }
  const dies = async () => {
    expect(await cluster.servers[0]?.process.ended).toMatchObject({ signal: 'SIGKILL' })
    cluster.servers.length = 0
    await replace()
  }

  /** Expects the same end as if nothing had happened. */
  async function expectConfirmed(id: string): Promise<void> {
    const shown = await call(cluster.address(0), 'GET', `/bookings/${id}`, { token: token() })
    expect(shown.body).toMatchObject({ status: 'confirmed', payment: { status: 'paid' } })
    const events = await readRows(cluster.databaseUrl, `select type from events where booking_id = '${id}'`)
    expect(events.map(({ type }) => type)).toEqual(['booking.created', 'payment.paid'])
    const payments = await readRows(
      cluster.databaseUrl,
      `select status from payments where booking_id = '${id}'`,
    )
    expect(payments.map(({ status }) => status)).toEqual(['paid'])
    expect(stripe.refunds).toEqual([])
  }

  longTest.each(steps.booking)('%s: the same request again leads to the same end', async (_when, text) => {
    const id = await hold()
    await replace({ DIE_AT_TEXT: text })
    expect(await book(id)).toBeUndefined()
    await dies()
    const reply = await book(id)
    expect(reply).toMatchObject({ status: 201, body: { status: 'pending' } })
    if (reply) await pay(sessionOf(stripe, reply))
    await expectConfirmed(id)
  })

  longTest('while the processor opens the checkout: the same request again finds it', async () => {
    const id = await hold()
    const before = stripe.sessions.size
    stripe.onCreated = async () => {
      stripe.onCreated = undefined
      await cluster.servers[0]?.kill()
    }
    await replace()
    expect(await book(id)).toBeUndefined()
    await dies()
    const reply = await book(id)
    expect(reply).toMatchObject({ status: 201, body: { status: 'pending' } })
    if (reply) await pay(sessionOf(stripe, reply))
    await expectConfirmed(id)
    expect(stripe.sessions.size).toBe(before + 1)
  })

  testFirstOf(steps.payment)('%s: the event that Stripe sends again confirms it', async (_when, text) => {
    const id = await hold()
    const reply = await book(id)
    const sessionId = reply ? sessionOf(stripe, reply) : ''
    await replace({ DIE_AT_TEXT: text })
    expect(await pay(sessionId)).toBeUndefined()
    await dies()
    const waiting = await call(cluster.address(0), 'GET', `/bookings/${id}`, { token: token() })
    expect(waiting.body).toMatchObject({ status: 'pending', payment: { status: 'due' } })
    expect(await pay(sessionId)).toMatchObject({ status: 200 })
    await expectConfirmed(id)
  })

  longTest.each(steps.refund)('%s: a part is refunded once', async (_when, text) => {
    const id = await hold()
    const reply = await book(id)
    await pay(reply ? sessionOf(stripe, reply) : '')
    const refund = () =>
      call(cluster.address(0), 'POST', `/bookings/${id}/refund`, {
        ...{ token: token(), body: { amount: 1_000 }, headers: { 'idempotency-key': `refund ${id}` } },
      }).catch(() => undefined)
    await replace({ DIE_AT_TEXT: text })
    await refund()
    await dies()
    expect(await refund()).toMatchObject({ status: 201 })
    const command = 'update payments set next_check_at = created_at where refund_total > refunded_amount'
    await changeDirectly(cluster.databaseUrl, command) // the lease of the killed server has ended
    await eventually('the refund', async () => {
      const { body } = await call(cluster.address(0), 'GET', `/bookings/${id}`, { token: token() })
      return body.payment.refunded_amount === 1_000 || undefined
    })
    expect(stripe.refunds).toMatchObject([{ amount: 1_000 }])
    const events = await readRows(cluster.databaseUrl, `select type from events where booking_id = '${id}'`)
    expect(events.filter(({ type }) => type === 'payment.refunded')).toHaveLength(1)
    stripe.refunds.length = 0
  })

  longTest('before a refund is sent: the next server sends it, once', async () => {
    const id = await hold()
    const reply = await book(id)
    await pay(reply ? sessionOf(stripe, reply) : '')
    stripe.failure = { how: 'hangs', on: /refunds/ }
    const cancelled = await call(cluster.address(0), 'DELETE', `/bookings/${id}?refund=full`, {
      token: token(),
    })
    expect(cancelled.status).toBe(200)
    await eventually('the try', () => stripe.requests.some((name) => name.includes('refunds')) || undefined)
    await cluster.servers[0]?.kill()
    cluster.servers.length = 0
    stripe.failure = undefined
    await replace()
    const command = 'update payments set next_check_at = created_at where refund_requested_at is not null'
    await changeDirectly(cluster.databaseUrl, command) // the lease of the killed server has ended
    await eventually('the refund', async () => {
      const [row] = await readRows(
        cluster.databaseUrl,
        `select status from payments where booking_id = '${id}'`,
      )
      return row?.status === 'refunded' || undefined
    })
    expect(stripe.refunds).toHaveLength(1)
    stripe.refunds.length = 0
  })
})
