import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { deposit, depositWorld, type DepositWorld, startsAt } from '../support/deposits.ts'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import { mailVariables } from '../support/mail-world.ts'
import { makeOffer } from '../support/offers.ts'
import { onEachEngine } from '../support/test-service.ts'

const askedAfter = 300

onEachEngine('the mail that asks for a deposit', (engine) => {
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
    expect(await sent(1)).toEqual(['Deposit needed'])
    expect(mailServer.mails[0]?.text).toContain('https://book.example/checkout/')
    expect(await sent(askedAfter)).toEqual(['Deposit needed'])
  })

  test('of a booking that is moved later is sent at once, and of one that is cancelled never', async () => {
    const { id } = await world.due()
    await sent(askedAfter)
    await world.key.change(id, { starts_at: '2026-12-01T12:00:00+01:00' })
    expect(await sent()).toEqual(['Deposit needed', 'Deposit needed'])
    const other = await world.due({ startsAt: '2026-12-02T12:00:00+01:00' })
    await world.key.cancel(other.id)
    expect(await sent(askedAfter)).toEqual(['Deposit needed', 'Deposit needed', 'Cancelled'])
  })

  test('follows the confirmation of what the business books, and says that it stands', async () => {
    await world.due({ client: world.key })
    expect(await sent()).toEqual(['Confirmed'])
    expect(await sent(askedAfter)).toEqual(['Confirmed', 'Deposit needed'])
    expect(mailServer.mails[1]?.text).toContain('Your appointment is confirmed.')
  })

  test('is not lost when the confirmation was late itself', async () => {
    await world.due({ client: world.key })
    world.service.clock.advance(askedAfter)
    expect(await sent()).toEqual(['Confirmed', 'Deposit needed'])
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
