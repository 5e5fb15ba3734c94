import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { onOneEngine } from '../support/long.ts'
import { deposit, depositWorld, type DepositWorld, startsAt } from '../support/deposits.ts'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import { mailVariables } from '../support/mail-world.ts'
import { makeOffer } from '../support/offers.ts'

const askedAfter = 300

onOneEngine('sqlite', 'the mail that asks for a deposit', (engine) => {
  let world: DepositWorld
  let mailServer: MailServer
  beforeAll(async () => {
    mailServer = await startMailServer()
    world = await depositWorld(engine, mailVariables(mailServer.url))
  })
  beforeEach(async () => {
    for (let round = 0; round < 2; round += 1) {
      world.service.clock.advance(3_601) // the hourly limits, and unpaid bookings
      await world.settled()
      await world.service.app.mails.settled()
    }
    mailServer.mails.length = 0
    await world.newSession()
  })
  afterAll(async () => {
    await world.stop()
    await mailServer.close()
  })

  /** Returns the first words of the subjects sent so far. */
  const sent = async (seconds = 0) => {
    world.service.clock.advance(seconds)
    await world.service.app.mails.settled()
    return mailServer.mails.map(({ headers }) => headers.subject?.split(/[:,]/)[0])
  }

  const priced = async () => {
    const offer = await makeOffer(world.service, world.business.id, { deposit })
    const body = { price: { amount: 6_000, currency: 'EUR' } }
    const path = `/services/${offer.service_id}`
    const { status } = await world.service.call('PATCH', path, { token: world.business.key, body })
    expect(status).toBe(200)
    return offer
  }

  test('is not sent to a client who pays within five minutes, and holds up no other mail', async () => {
    const { sessionId } = await world.due()
    expect(await sent(askedAfter - 1)).toEqual([])
    await world.paid(sessionId)
    expect(await sent()).toEqual(['Confirmed'])
    expect(await sent(askedAfter)).toEqual(['Confirmed'])
  })

  test('is sent after five minutes, once, with the page from which it is paid', async () => {
    await world.due()
    expect(await sent(askedAfter - 1)).toEqual([])
    expect(await sent(1)).toEqual(['Payment needed'])
    expect(mailServer.mails[0]?.text).toContain('https://book.example/checkout/')
    expect(await sent(askedAfter)).toEqual(['Payment needed'])
  })

  test('of a booking that is moved later is sent at once, and of one that is cancelled never', async () => {
    const { id } = await world.due()
    await sent(askedAfter)
    await world.key.change(id, { starts_at: '2026-12-01T12:00:00+01:00' })
    expect(await sent()).toEqual(['Payment needed', 'Payment needed'])
    const other = await world.due({ startsAt: '2026-12-02T12:00:00+01:00' })
    await world.key.cancel(other.id)
    expect(await sent(askedAfter)).toEqual(['Payment needed', 'Payment needed', 'Cancelled'])
  })

  test('is the confirmation of what the business books, and the payment has one, too', async () => {
    const { id, sessionId } = await world.due({ client: world.key, offer: await priced() })
    expect(await sent()).toEqual(['Payment needed'])
    const asking = mailServer.mails[0]
    expect(asking?.text).toContain('Your appointment is confirmed.')
    expect(asking?.text).toMatch(/Please pay by Tue 1 Dec, 10:00\./) // the start
    expect(asking?.text).toContain('https://book.example/checkout/')
    expect(asking?.text).toMatch(/Price: €60\s+Deposit, due now: €25\s+To pay on site: €35/)
    expect(asking?.calendar).toContain('STATUS:CONFIRMED')
    expect(await sent(askedAfter)).toEqual(['Payment needed'])
    await world.paid(sessionId)
    await sent()
    await world.tell('checkout.session.completed', sessionId)
    expect(await sent(askedAfter)).toEqual(['Payment needed', 'Payment received'])
    const thanks = mailServer.mails[1]
    expect(thanks?.text).toContain('Thank you, your payment has arrived. Your appointment is confirmed.')
    expect(thanks?.text).toMatch(/Price: €60\s+Deposit, paid: €25\s+To pay on site: €35/)
    expect(thanks?.text).not.toContain('/checkout/')
    expect(thanks?.text).toContain('If you cancel by then, your payment is refunded in full.')
    await world.key.change(id, { starts_at: '2026-12-01T12:00:00+01:00' })
    expect(await sent()).toEqual(['Payment needed', 'Payment received', 'Changed'])
  })

  test('is one with an email about a change', async () => {
    const { id } = await world.due({ client: world.key })
    await sent()
    await world.key.change(id, { starts_at: '2026-12-04T12:00:00+01:00' })
    await sent()
    expect(await sent(askedAfter)).toEqual(['Payment needed', 'Changed'])
    expect(mailServer.mails[1]?.text).toContain('Please pay by Fri 4 Dec, 12:00.')
  })

  test('is not sent if it is late and paid by then: one email confirms both', async () => {
    mailServer.answer = () => 451
    const { sessionId } = await world.due({ client: world.key })
    await sent()
    await world.paid(sessionId)
    await sent()
    mailServer.answer = () => undefined
    expect(await sent(askedAfter)).toEqual(['Payment received'])
  })

  test('does not follow where the business wants no mail', async () => {
    const offer = await makeOffer(world.service, world.business.id, { deposit })
    const held = await world.key.hold(offer, startsAt)
    await world.key.book(String(held.body.hold_id), { notify: false })
    expect(await sent(askedAfter)).toEqual([])
  })

  test('is sent again for a party that grew, with what all pay', async () => {
    const offer = await makeOffer(world.service, world.business.id, { deposit, capacity: 3 })
    const { id } = await world.due({ offer })
    await sent(askedAfter)
    await world.key.change(id, { party_size: 3 })
    await sent()
    expect(mailServer.mails.at(-1)?.text).toContain('€75')
  })
})
