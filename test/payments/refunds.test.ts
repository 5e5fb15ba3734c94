import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { applyChargeFailed, waiveCharges } from '../../src/payments/charge.ts'
import {
  after,
  applyExpired,
  applyPaid,
  applyRefundReport,
  type PaymentEvent,
  type PaymentState,
  paymentState,
  paymentStates,
} from '../../src/payments/payment.ts'
import { findPayment, type PaymentRow, updatePayment } from '../../src/payments/payment-queries.ts'
import { onOneEngine } from '../support/long.ts'
import { depositWorld, type DepositWorld } from '../support/deposits.ts'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import { mailVariables } from '../support/mail-world.ts'

onOneEngine('sqlite', 'a refund', (engine) => {
  let world: DepositWorld
  let mailServer: MailServer
  beforeAll(async () => {
    mailServer = await startMailServer()
    world = await depositWorld(engine, mailVariables(mailServer.url))
  })
  beforeEach(async () => {
    await world.newSession()
    await world.settled()
    world.stripe.refunds.length = 0
    world.stripe.refundStatus = 'succeeded'
    mailServer.mails.length = 0
  })
  afterAll(async () => {
    await world.stop()
    await mailServer.close()
  })

  const paid = async (money = { amount: 6_000, currency: 'EUR' }) => {
    const { id, sessionId } = await world.due({ money })
    await world.paid(sessionId)
    return { id, sessionId }
  }
  const refund = (id: string, body: object = {}, key?: string) =>
    world.service.call('POST', `/bookings/${id}/refund`, {
      ...{ token: world.business.key, body },
      ...(key !== undefined && { headers: { 'idempotency-key': key } }),
    })
  const payment = async (id: string) => (await world.shown(id)).payments[0]
  const report = (sessionId: string, type: string, more: object) => {
    const payment_intent = world.stripe.sessions.get(sessionId)?.payment_intent
    return world.send(world.stripe.event(type, { object: 'charge', payment_intent, ...more }))
  }

  test('of a part leaves the booking and the rest, and is reported and mailed', async () => {
    const { id, sessionId } = await paid()
    await world.service.app.mails.settled()
    mailServer.mails.length = 0
    const reply = await refund(id, { amount: 2_000, reason: 'The colour did not hold' })
    expect(reply).toMatchObject({
      status: 201,
      body: { kind: 'deposit', amount: 6_000, status: 'paid', refunded_amount: 0, refunding_amount: 2_000 },
    })
    await world.settled()
    expect(world.stripe.refunds).toMatchObject([{ amount: 2_000, status: 'succeeded' }])
    expect(await world.shown(id)).toMatchObject({
      status: 'confirmed',
      payment: { status: 'paid', refunded_at: null, refunded_amount: 2_000 },
      payments: [{ status: 'paid', refunded_amount: 2_000, refunding_amount: 0 }],
    })
    expect(await world.session.show(id)).not.toHaveProperty('body.payments')
    await world.service.app.mails.settled()
    expect(mailServer.mails[0]?.headers.subject).toMatch(/^Refund: /)
    expect(mailServer.mails[0]?.text).toContain('We are refunding €20. It can take')
    expect(mailServer.mails[0]?.text).toMatch(/Refunded: €20/)
    expect(mailServer.mails[0]?.text).toContain('Left of your payment: €40')
    expect(mailServer.mails[0]?.text).not.toContain('in total')
    expect(mailServer.mails[0]?.text).not.toContain('The colour')
    // a second one names its own part, also if both emails are sent at once
    await Promise.all([refund(id, { amount: 1_000 }), refund(id, { amount: 500 })])
    await world.settled()
    await world.service.app.mails.settled()
    const texts = mailServer.mails.slice(1).map(({ text }) => text)
    expect(texts).toHaveLength(2)
    for (const part of ['We are refunding €10.', 'We are refunding €5.', 'total: €35', 'payment: €25'])
      expect(texts.join('\n')).toContain(part)
    // its event changes nothing more
    await report(sessionId, 'charge.refunded', { refunded: false, amount_refunded: 2_000 })
    await world.settled()
    expect(await payment(id)).toMatchObject({ refunded_amount: 3_500, refunding_amount: 0 })
    const history = await world.service.call('GET', `/bookings/${id}/history`, { token: world.business.key })
    expect(JSON.stringify(history.body)).toContain('booking.refunded')
  })

  test('is at most what is left, and the last one makes it whole', async () => {
    const { id } = await paid()
    await refund(id, { amount: 2_000 })
    expect(await refund(id, { amount: 4_001 })).toMatchObject({
      ...{ status: 422, body: { errors: [{ pointer: '/amount', code: 'out_of_range' }] } },
    })
    const { body: last } = await refund(id)
    expect([last.status, Number(last.refunded_amount) + Number(last.refunding_amount)]).toEqual([
      'paid',
      6_000,
    ])
    expect((await refund(id)).body).toMatchObject({ errors: [{ pointer: '/amount', code: 'not_allowed' }] })
    await world.settled()
    expect(world.stripe.refunds.map(({ amount }) => amount)).toEqual([2_000, 4_000])
    expect(await world.shown(id)).toMatchObject({ payment: { status: 'refunded' } })
    const { id: unpaid } = await world.due()
    expect((await refund(unpaid)).status).toBe(422)
    expect(await refund('00000000-0000-7000-8000-000000000000')).toMatchObject({ status: 404 })
  })

  test('with a key is made once, and ten at once never exceed what was paid', async () => {
    const { id } = await paid()
    const [one, again] = [await refund(id, { amount: 500 }, id), await refund(id, { amount: 500 }, id)]
    expect(again).toMatchObject({ status: 201, headers: { 'idempotent-replayed': 'true' } })
    expect(again.body).toEqual(one.body)
    const { id: other } = await paid()
    expect((await refund(other, { amount: 500 }, id)).status).toBe(422) // another address under the same key
    const all = await Promise.all(Array.from({ length: 10 }, () => refund(other, { amount: 1_000 })))
    expect(all.filter(({ status }) => status === 201)).toHaveLength(6)
    await world.settled()
    const sum = world.stripe.refunds.slice(1).reduce((total, { amount }) => total + amount, 0)
    expect(sum).toBe(6_000)
  })

  test('cancelling later refunds what is left', async () => {
    const { id } = await paid()
    await refund(id, { amount: 1_500 })
    await world.service.call('DELETE', `/bookings/${id}?refund=full`, { token: world.business.key })
    await world.settled()
    expect(world.stripe.refunds.map(({ amount }) => amount)).toEqual([1_500, 4_500])
    expect(await payment(id)).toMatchObject({ status: 'refunded', refunded_amount: 6_000 })
  })

  test('by hand at the processor counts, in any order of its events, and ours takes the rest', async () => {
    const { id, sessionId } = await paid()
    world.stripe.refundByHand(sessionId, 1_000)
    world.stripe.refundByHand(sessionId, 2_000)
    await report(sessionId, 'charge.refunded', { refunded: false, amount_refunded: 3_000 })
    await world.settled()
    await report(sessionId, 'charge.refunded', { refunded: false, amount_refunded: 1_000 })
    await world.settled()
    expect(await payment(id)).toMatchObject({ status: 'paid', refunded_amount: 3_000 })
    world.stripe.refundByHand(sessionId, 2_500) // its event is late
    await refund(id, { amount: 3_000 })
    await world.settled()
    expect(await payment(id)).toMatchObject({ status: 'paid', refunded_amount: 5_500 })
    for (let round = 0; round < 3; round += 1) {
      world.service.clock.advance(3_601)
      await world.settled()
    }
    // all that was left had been asked back
    expect(await payment(id)).toMatchObject({ status: 'refunded', refunded_amount: 6_000 })
    expect(world.stripe.refunds.map(({ amount }) => amount)).toEqual([1_000, 2_000, 2_500, 500])
  })

  test('that the bank sends back is made again, and a pending one is waited for', async () => {
    world.stripe.refundStatus = 'pending'
    const { id, sessionId } = await paid()
    await refund(id, { amount: 2_000 })
    await world.settled()
    expect(await payment(id)).toMatchObject({ refunded_amount: 0, refunding_amount: 2_000 })
    const [first] = world.stripe.refunds
    if (!first) throw new Error('no refund was sent')
    first.status = 'failed'
    world.stripe.refundStatus = 'succeeded'
    const { payment_intent } = world.stripe.sessions.get(sessionId) ?? {}
    await world.send(world.stripe.event('refund.failed', { ...first, payment_intent }))
    await world.settled()
    expect(world.stripe.refunds.map(({ amount, status }) => [amount, status])).toEqual([
      [2_000, 'failed'],
      [2_000, 'succeeded'],
    ])
    expect(await payment(id)).toMatchObject({ refunded_amount: 2_000, refunding_amount: 0 })
  })

  test('whose answer is lost is found, not made twice', async () => {
    const { id } = await paid()
    world.stripe.failure = { how: 'answer lost', on: /POST .*refunds/ }
    await refund(id, { amount: 2_000 })
    await world.settled()
    world.stripe.failure = undefined
    world.service.clock.advance(3_601)
    await world.settled()
    expect(world.stripe.refunds.map(({ amount }) => amount)).toEqual([2_000])
    expect(await payment(id)).toMatchObject({ refunded_amount: 2_000, refunding_amount: 0 })
  })

  test.each([
    [{ amount: 500, currency: 'JPY' }, 200, 200],
    [{ amount: 5_120, currency: 'KWD' }, 1_230, 1_230],
    [{ amount: 5, currency: 'ISK' }, 2, 200],
  ])('of %o by %i is %i at the processor', async (money, amount, atStripe) => {
    const { id } = await paid(money)
    expect((await refund(id, { amount })).status).toBe(201)
    await world.settled()
    expect(world.stripe.refunds).toMatchObject([{ amount: atStripe }])
    expect(await payment(id)).toMatchObject({ refunded_amount: amount })
    if (money.currency === 'KWD')
      expect(await refund(id, { amount: 1_231 })).toMatchObject({
        body: { errors: [{ pointer: '/amount' }] },
      })
  })

  describe('in the table of states', () => {
    const events: PaymentEvent[] = [
      ...(['paid', 'checkout ended', 'confirmed otherwise', 'cancelled'] as const),
      ...(['part refund asked', 'whole refund asked', 'all refunded', 'refund failed'] as const),
      ...(['charge failed', 'waived'] as const),
    ]
    const rows = (Object.keys(paymentStates) as PaymentState[]).flatMap((state) =>
      events.map((event) => [state, event, paymentStates[state][event] ?? state] as const),
    )

    test('each event makes of each state what the table says', async () => {
      const { context } = world.service
      let counter = 0
      let [id, paymentId] = ['', '']
      const due = async () => {
        const { id } = await world.due({ money: { amount: 6_000, currency: 'EUR' } })
        return [id, String((await world.shown(id)).payments[0].id)]
      }
      // the end of a checkout ends the booking that waits for it, so that row has another
      const [shared, waiting] = [await due(), await due()]
      const read = async () => {
        const found = await findPayment(context.db.reads, paymentId)
        if (!found) throw new Error('the payment is gone')
        return found
      }
      const unpaid = { paid_at: null, payment_reference: null, refund_requested_at: null, refunded_at: null }
      const none = {
        ...unpaid,
        refund_total: 0,
        refunded_amount: 0,
        next_check_at: null,
        closed_because: null,
        kind: 'deposit' as const,
        charge_begun_at: null,
      }
      const now = context.clock.now()
      const arrived = { paid_at: now, payment_reference: 'pi_0' }
      const asked = { ...arrived, refund_requested_at: now, refund_total: 6_000 }
      const columns: Record<PaymentState, Partial<PaymentRow>> = {
        ...{ preparing: { status: 'preparing' }, due: { status: 'due' }, expired: { status: 'expired' } },
        ...{ paid: { status: 'paid', ...arrived }, refunding: { status: 'paid', ...asked } },
        ...{ charging: { status: 'charging', kind: 'fee' }, waived: { status: 'waived', kind: 'fee' } },
        refunded: { status: 'refunded', ...asked, refunded_amount: 6_000, refunded_at: now },
      }
      const note = () => ({ provider: 'stripe' as const, id: `evt_${(counter += 1)}` })
      const settle = (booking: 'confirmed' | 'cancelled' | undefined, whole: boolean) =>
        context.db.transaction((tx) => context.checkouts.settle(tx, { paymentId, booking, refund: whole }))
      const act: Record<(typeof events)[number], () => Promise<unknown>> = {
        paid: () => applyPaid(context, { paymentId, paymentReference: 'pi_1', event: note() }),
        'checkout ended': async () =>
          applyExpired(context, { paymentId, checkout: await read(), event: note() }),
        'confirmed otherwise': () => settle('confirmed', false),
        cancelled: () => settle('cancelled', false),
        'part refund asked': () => refund(id, { amount: 10 }),
        'whole refund asked': () => settle(undefined, true).catch(() => undefined), // refused if nothing was paid
        'part refunded': () => Promise.resolve(),
        'all refunded': () => applyRefundReport(context, { paymentId, report: 'whole', event: note() }),
        'refund failed': () => applyRefundReport(context, { paymentId, report: 'failed', event: note() }),
        'charge failed': () => applyChargeFailed(context, paymentId, 'card_declined'),
        waived: async () => {
          const payment = await read()
          await context.db.transaction((tx) => waiveCharges(context.checkouts, tx, [payment]))
        },
      }
      world.stripe.failure = { how: 'away', on: /./ } // the worker of this process changes nothing
      for (const [state, event, next] of rows) {
        ;[id = '', paymentId = ''] = state === 'due' && event === 'checkout ended' ? waiting : shared
        await context.db.transaction(async (tx) => {
          await tx.db.deleteFrom('refunds').where('payment_id', '=', paymentId).execute()
          await updatePayment(tx.db, paymentId, { ...none, ...columns[state] })
        })
        expect(paymentState(await read()), state).toBe(state)
        expect(after(await read(), event) ?? state, `${event} in ${state}`).toBe(next)
        await act[event]()
        expect(paymentState(await read()), `${event} in ${state}`).toBe(next)
      }
      world.stripe.failure = undefined
    })
  })
})
