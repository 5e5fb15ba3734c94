import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConsole, textOf } from '../support/console.ts'
import { deposit, depositWorld, type DepositWorld } from '../support/deposits.ts'
import { onOneEngine } from '../support/long.ts'
import { startMailServer, type MailServer } from '../support/mail-server.ts'
import { mailVariables } from '../support/mail-world.ts'
import { makeBusiness, makeOffer, type Offer } from '../support/offers.ts'
import { type LoggedIn, logInNewPerson, sendForm } from '../support/person.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const fieldsOf = (offer: Offer, time: string) => ({
  once: crypto.randomUUID(),
  ...{ service: offer.service_id, location: offer.location_id },
  ...{ date: '2026-12-01', time, first_name: 'Grace', last_name: 'Hopper', email: 'grace@example.com' },
  ...{ phone: '', notes: '', tell: 'on', do: 'book' },
})

const logIn = (service: TestService, businessId: string, role: 'owner' | 'manager') =>
  logInNewPerson(service, { email: `${role}@example.com`, role, place: { businessId } })

onOneEngine('sqlite', 'a deposit of what the console books', (engine) => {
  let world: DepositWorld
  let mailServer: MailServer
  let manager: LoggedIn
  let owner: LoggedIn
  let offer: Offer
  beforeAll(async () => {
    mailServer = await startMailServer()
    world = await depositWorld(engine, mailVariables(mailServer.url))
    manager = await logIn(world.service, world.business.id, 'manager')
    owner = await logIn(world.service, world.business.id, 'owner')
    offer = await makeOffer(world.service, world.business.id, { deposit })
  })
  afterAll(async () => {
    await world.stop()
    await mailServer.close()
  })

  const book = async (time: string, person = manager) => {
    const booked = await sendForm(world.service, '/console/book', fieldsOf(offer, time), person)
    expect(booked.status).toBe(303)
    return new URL(String(booked.headers.location), 'http://localhost')
  }
  const read = async (path: string, person = manager) =>
    String((await readConsole(world.service, path, person)).body)

  test('is due on the page of the booking, with the link to pay it', async () => {
    const { pathname, search } = await book('10:00')
    const page = await read(`${pathname}${search}`)
    expect(textOf({ body: page })).toMatch(/Booked\. The deposit is due.*Confirmed.*Deposit €25 due/)
    expect(page).toMatch(/id="pay" readonly value="https:\/\/book\.example\/checkout\/[0-9a-f-]{36}"/)
  })

  test('is not due on site again, whether it is due or paid', async () => {
    const priced = await makeOffer(world.service, world.business.id, { deposit })
    const [path, body] = [`/services/${priced.service_id}`, { price: { amount: 6_000, currency: 'EUR' } }]
    expect((await owner.call('PATCH', path, body)).status).toBe(200)
    const { id, sessionId } = await world.due({ client: world.key, offer: priced })
    const money = async () => textOf({ body: await read(`/console/bookings/${id}`) })
    expect(await money()).toContain('Deposit €25 due €35 due on site')
    await world.paid(sessionId)
    expect(await money()).toMatch(/Deposit €25 paid by card, .* €35 due on site/)
    expect(await money()).not.toContain('€60 due on site')
  })

  test.each([
    ['card', '10:00', 'Card not saved'],
    ['full', '11:00', 'Full price due'],
  ])('is named in calendar and list: %s', async (payment, time, words) => {
    const other = await makeOffer(world.service, world.business.id)
    const body = { payment, price: { amount: 6_000, currency: 'EUR' } }
    expect((await owner.call('PATCH', `/services/${other.service_id}`, body)).status).toBe(200)
    await world.due({ client: world.key, offer: other, startsAt: `2026-12-02T${time}:00+01:00` })
    for (const path of [
      '/console?date=2026-12-02',
      '/console?date=2026-12-02&view=list',
      '/console/bookings',
    ])
      expect(await read(path)).toContain(words)
    expect(await read('/console?date=2026-12-02')).not.toContain('Deposit due')
  })

  test('is news for the owner, unless the owner has booked it', async () => {
    const news = async () =>
      (await world.service.rows('mails')).filter(
        ({ kind, to_email }) => kind === 'booked' && to_email === owner.email,
      )
    const before = await news()
    await book('12:00', owner)
    expect(await news()).toHaveLength(before.length)
    await book('13:00')
    expect(await news()).toHaveLength(before.length + 1)
  })

  test('goes back by a link that managers cannot read, but mail to the client', async () => {
    const { pathname } = await book('11:00')
    const link = await read(`${pathname}/link`)
    expect(link).not.toMatch(/cal_man_|Create new link/)
    expect(link).toContain('only owners see it')
    await world.service.app.mails.settled()
    mailServer.mails.length = 0
    const sent = await sendForm(
      world.service,
      `${pathname}/link`,
      { once: crypto.randomUUID(), do: 'send' },
      manager,
    )
    expect(sent).toMatchObject({ status: 303 })
    expect(await read(String(sent.headers.location))).toContain('The link is on its way to the client.')
    await world.service.app.mails.settled()
    expect(mailServer.to('grace@example.com').map(({ text }) => /manage#cal_man_/.test(text))).toEqual([true])
    const renewed = await sendForm(world.service, `${pathname}/link`, { once: crypto.randomUUID() }, manager)
    expect(renewed.status).not.toBe(303)
    expect(await read(`${pathname}/link`, owner)).toMatch(/manage#cal_man_[^]*Create new link/)
  })
})

onOneEngine('sqlite', 'a deposit that nobody can take', (engine) => {
  test('leaves the booking as it is, and the page says so', async () => {
    const service = await startTestService(engine, {
      ...{ NODE_ENV: 'production', PUBLIC_URL: 'http://localhost' },
    })
    try {
      const business = await makeBusiness(service)
      const offer = await makeOffer(service, business.id, { deposit })
      const owner = await logIn(service, business.id, 'owner')
      const booked = await sendForm(service, '/console/book', fieldsOf(offer, '10:00'), owner)
      expect(booked.status).toBe(303)
      const page = await readConsole(service, String(booked.headers.location), owner)
      expect(textOf(page)).toMatch(/Booked\. Nobody can pay the deposit online.*Confirmed/)
      expect(page.body).not.toContain('id="pay"')
    } finally {
      await service.stop()
    }
  })
})
