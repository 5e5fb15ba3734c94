/** @module-tag long */
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { changeDirectly } from '../support/change-directly.ts'
import { readRows } from '../support/checker.ts'
import { type Cluster, replaceByDying, slot, startCluster } from '../support/cluster.ts'
import { sessionOf, stripeVariables } from '../support/deposits.ts'
import { eventually, patientClients } from '../support/http-client.ts'
import { longTest, onOneEngine, testFirstOf } from '../support/long.ts'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import { mailVariables } from '../support/mail-world.ts'
import { type FakeStripe, startFakeStripe } from '../support/stripe-server.ts'
import { offer, type Reply } from '../support/test-service.ts'

const call = patientClients()

/** Statements between the steps of a charge: recorded, asked, answered, written, mailed. */
const steps = [
  ['after the card was charged, before that is on record', 'update "payments" set "status"'],
  ['before the charge is on record', 'insert into "payments"'],
  ['before its beginning is on record', 'update "payments" set "charge_begun_at"'],
  ['after the card was charged, before the receipt is recorded', 'w.client_kind is not null'],
  ['after the card was charged, before its event is recorded', 'into events'],
  ['before the receipt is leased', 'due as materialized'],
  ['after the receipt was sent, before that is on record', 'update "mails" set "status"'],
] as const
const past = '2020-01-01T00:00:00.000Z'

onOneEngine('sqlite', 'a server that is killed while it charges a card', (engine) => {
  let stripe: FakeStripe
  let mails: MailServer
  let cluster: Cluster
  let variables: Record<string, string>
  let service = ''
  let slots = 0
  beforeAll(async () => {
    stripe = await startFakeStripe(() => Date.now())
    mails = await startMailServer()
    variables = { NODE_ENV: 'test', ...mailVariables(mails.url), ...stripeVariables(stripe.url) }
    cluster = await startCluster(engine, variables)
    const { location_id } = offer(cluster.business, 'Treatment')
    const { body } = await request('POST', '/services', {
      ...{ name: 'Massage', duration_minutes: 30, location_ids: [location_id] },
      ...{ price: { amount: 6_000, currency: 'EUR' }, payment: 'card', no_show_percent: 50 },
    })
    service = String(body.id)
  })
  beforeEach(() => {
    stripe.card = 'works'
    stripe.failure = undefined
    stripe.ledger.length = 0
    mails.mails.length = 0
  })
  afterAll(async () => {
    await cluster.stop()
    await mails.close()
    await stripe.stop()
  })

  const request = (method: 'POST' | 'GET', path: string, body?: object, key?: string) =>
    call(cluster.address(0), method, path, {
      ...{ token: cluster.business.business_key, ...(body && { body }) },
      ...(key !== undefined && { headers: { 'idempotency-key': key } }),
    })
  const replace = async () => {
    await Promise.all(cluster.servers.map((server) => server.stop()))
    cluster.servers.splice(0, Infinity, await cluster.start())
  }

  /** Books, and saves a card. */
  const booked = async () => {
    const key = cluster.business.publishable_key
    const session = await call(cluster.address(0), 'POST', '/session', { token: key })
    const token = String(session.body.session_token)
    const { location_id } = offer(cluster.business, 'Treatment')
    const wanted = { service_id: service, location_id, starts_at: slot((slots += 1)) }
    const held = await call(cluster.address(0), 'POST', '/bookings/hold', { token, body: wanted })
    const client = { first_name: 'Ada', last_name: 'Lovelace', email: `ada${slots}@example.com` }
    const body = { hold_id: held.body.hold_id, client, fee_consent: 'Fees' }
    const reply = await call(cluster.address(0), 'POST', '/bookings', { token, body })
    expect(reply.status, JSON.stringify([held.body, reply.body])).toBe(201)
    const id = sessionOf(stripe, reply)
    stripe.pay(id)
    const event = stripe.event('checkout.session.completed', stripe.sessions.get(id) ?? {})
    const headers = { 'content-type': 'application/json', 'stripe-signature': stripe.sign(event.body) }
    const told = { rawBody: event.body, headers }
    expect((await call(cluster.address(0), 'POST', '//payments/stripe/webhook', told)).status).toBe(200)
    const booking = String(reply.body.id)
    await eventually('the confirmation', async () => {
      const mail = `select id from mails where booking_id = '${booking}' and kind = 'confirmed' and status = 'sent'`
      return (await readRows(cluster.databaseUrl, mail)).length > 0 || undefined
    })
    return booking
  }
  const charge = (id: string): Promise<Reply | undefined> =>
    request('POST', `/bookings/${id}/charge`, { amount: 1_500, reason: 'Vase' }, `charge ${id}`).catch(
      () => undefined,
    )

  /** Repeats the request after a kill. Leases of the killed server have ended. */
  const takeOver = async (id: string) => {
    expect(await cluster.servers[0]?.process.ended).toMatchObject({ signal: 'SIGKILL' })
    cluster.servers.length = 0
    const lease = `update payments set next_check_at = created_at where status = 'charging'`
    await changeDirectly(cluster.databaseUrl, lease)
    await changeDirectly(
      cluster.databaseUrl,
      `update mails set next_attempt_at = '${past}' where status = 'queued'`,
    )
    await replace()
    expect(await charge(id)).toMatchObject({ status: 201, body: { kind: 'fee', amount: 1_500 } })
  }
  const settled = async (id: string, status: string) => {
    await eventually(`the fee is ${status}`, async () => {
      const { body } = await request('GET', `/bookings/${id}`)
      const fees = (body.payments as { kind: string; status: string }[]).filter(({ kind }) => kind === 'fee')
      return (fees.length === 1 && fees[0]?.status === status) || undefined
    })
    await eventually('the mail', async () => {
      const [mail] = await readRows(
        cluster.databaseUrl,
        `select status from mails where booking_id = '${id}' and kind in ('fee_paid', 'fee_due')`,
      )
      return mail?.['status'] === 'sent' || undefined
    })
  }

  /** Expects the same end as if nothing had happened. */
  const expectOutcome = async (id: string, outcome: 'paid' | 'due') => {
    await settled(id, outcome)
    const taken = stripe.ledger.map(({ amount, currency }) => [amount, currency])
    expect(taken).toEqual(outcome === 'paid' ? [[1_500, 'eur']] : [])
    const type = outcome === 'paid' ? 'payment.paid' : 'payment.failed'
    const events = await readRows(cluster.databaseUrl, `select type from events where booking_id = '${id}'`)
    const told = events.filter((event) => event['type'] === type)
    expect(told).toHaveLength(outcome === 'paid' ? 2 : 1) // the saved card is one
    const about = mails.mails.filter(({ text }) => text.includes('Vase'))
    expect(new Set(about.map(({ headers }) => headers['message-id'])).size).toBe(1)
    const history = await request('GET', `/bookings/${id}/history`)
    const actions = (history.body.data as { action: string }[]).map(({ action }) => action)
    const made = actions.filter((action) => /charge/.test(action)).toSorted()
    const end = outcome === 'paid' ? 'booking.charged' : 'booking.charge_failed'
    expect(made).toEqual(['booking.charge_requested', end].toSorted())
  }

  testFirstOf(steps)('%s: it is charged once', async (_when, text) => {
    const id = await booked()
    await replaceByDying(cluster, text, variables)
    await charge(id)
    await takeOver(id)
    await expectOutcome(id, 'paid')
  })

  longTest('while the processor answers: it is charged once', async () => {
    const id = await booked()
    stripe.onCharged = async () => {
      stripe.onCharged = undefined
      await cluster.servers[0]?.kill()
    }
    await charge(id)
    await takeOver(id)
    await expectOutcome(id, 'paid')
  })

  longTest('while the processor is asked: it is charged once', async () => {
    const id = await booked()
    stripe.failure = { how: 'hangs', on: /POST \/v1\/payment_intents/ }
    const before = stripe.requests.length
    await charge(id)
    await eventually(
      'the try',
      () => stripe.requests.slice(before).some((name) => name.startsWith('POST')) || undefined,
    )
    await cluster.servers[0]?.kill()
    stripe.failure = undefined
    await takeOver(id)
    await expectOutcome(id, 'paid')
  })

  longTest('after the card was declined, before that is on record: it is due once', async () => {
    stripe.card = 'card_declined'
    const id = await booked()
    await replaceByDying(cluster, 'update "payments" set "status"', variables)
    await charge(id)
    await takeOver(id)
    await expectOutcome(id, 'due')
  })
})
