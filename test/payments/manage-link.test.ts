import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { agent } from '../agents/mcp-client.ts'
import { onOneEngine } from '../support/long.ts'
import { deposit, depositWorld, type DepositWorld } from '../support/deposits.ts'
import { startMailServer, type MailServer } from '../support/mail-server.ts'
import { mailVariables } from '../support/mail-world.ts'
import { makeOffer } from '../support/offers.ts'

onOneEngine('sqlite', 'a deposit of a booking that its client cancels', (engine) => {
  let world: DepositWorld
  let mailServer: MailServer
  beforeAll(async () => {
    mailServer = await startMailServer()
    world = await depositWorld(engine, mailVariables(mailServer.url))
  })
  beforeEach(async () => {
    world.service.clock.advance(3_601) // the hourly limits
    mailServer.mails.length = 0
    world.stripe.refunds.length = 0
    await world.newSession()
  })
  afterAll(async () => {
    await world.stop()
    await mailServer.close()
  })
  /** Returns the email to the client about the cancellation. */
  const cancellation = async () => {
    await world.service.app.mails.settled()
    return mailServer.mails.find(({ headers }) => headers.subject?.startsWith('Cancelled'))
  }

  const manage = (url: unknown, method = 'GET', path = '') =>
    world.service.call(method, `/manage${path}`, {
      token: String(url).replace(/^https:\/\/book\.example\/manage#/, ''),
      ...(method === 'POST' && { body: {} }),
    })

  test('goes back in full until the cut-off', async () => {
    const { sessionId, reply } = await world.due()
    const { manage_url: url } = reply.body
    expect((await manage(url)).body).toMatchObject({
      booking: { status: 'pending', payment: { status: 'due' } },
      policy: { can_cancel: true, refund: 'none' },
    })
    await world.paid(sessionId)
    expect((await manage(url)).body).toMatchObject({
      booking: { status: 'confirmed', payment: { status: 'paid', amount: 2500, currency: 'EUR' } },
      policy: { can_cancel: true, refund: 'full' },
    })
    expect((await manage(url, 'POST', '/cancel')).body).toMatchObject({ status: 'cancelled' })
    expect((await cancellation())?.text).toContain('Deposit, being refunded: €25')
    await world.settled()
    expect(world.stripe.refunds).toHaveLength(1)
    expect((await manage(url)).body.booking.payment).toMatchObject({ status: 'refunded' })
  })

  test("goes back when a visitor's agent cancels in time", async () => {
    const { id, sessionId } = await world.due()
    await world.paid(sessionId)
    const { tool } = agent(world.service, world.session.token)
    expect(await tool('cancel_booking', { id })).toMatchObject({
      isError: false,
      said: { status: 'cancelled', payment: { amount: 2500 } },
    })
    expect((await cancellation())?.text).toContain('Deposit, being refunded: €25')
    await world.settled()
    expect(world.stripe.refunds).toHaveLength(1)
    expect((await tool('get_booking', { id })).said.payment).toMatchObject({ status: 'refunded' })
  })

  test('of one that is not paid is due no more', async () => {
    const { id, offer, sessionId, reply } = await world.due()
    expect((await manage(reply.body.manage_url, 'POST', '/cancel')).body).toMatchObject({
      status: 'cancelled',
      payment: { status: 'expired' },
    })
    await world.settled()
    expect(world.stripe.sessions.get(sessionId)?.status).toBe('expired')
    expect(world.stripe.refunds).toEqual([])
    expect(await world.isFree(offer)).toBe(true)
    expect(await world.eventsOf(id)).toEqual([])
    expect((await cancellation())?.text).not.toContain('Deposit')
  })

  test('stays where the cut-off has passed but a pending booking can still be cancelled', async () => {
    const offer = await makeOffer(world.service, world.business.id, { deposit, cancelUntilMinutes: null })
    const { id, sessionId, reply } = await world.due({ offer })
    const { manage_url: url } = reply.body
    await world.paid(sessionId)
    expect((await manage(url)).body.policy).toMatchObject({ can_cancel: false, refund: 'none' })
    expect((await manage(url, 'POST', '/cancel')).body).toMatchObject({ reason: 'not_allowed' })
    await world.key.change(id, { status: 'pending' })
    expect((await manage(url, 'POST', '/cancel')).body).toMatchObject({ payment: { status: 'paid' } })
    expect((await cancellation())?.text).toContain('Deposit, paid')
    await world.settled()
    expect(world.stripe.refunds).toEqual([])
  })
})
