import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { exportCatalogue } from '../../src/catalogue/export.ts'
import { onOneEngine } from '../support/long.ts'
import { sessionClient } from '../support/client.ts'
import { depositWorld, sessionOf, startsAt, type DepositWorld } from '../support/deposits.ts'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import { mailVariables } from '../support/mail-world.ts'
import { makeLocation, makeStaff, type Offer } from '../support/offers.ts'

const eur = (amount: number) => ({ amount, currency: 'EUR' })

onOneEngine('sqlite', 'a service whose price is paid when booking', (engine) => {
  let world: DepositWorld
  let mailServer: MailServer
  let location: string
  beforeAll(async () => {
    mailServer = await startMailServer()
    world = await depositWorld(engine, mailVariables(mailServer.url))
    location = await makeLocation(world.service, world.business.id)
  })
  beforeEach(() => world.newSession())
  afterAll(async () => {
    await world.stop()
    await mailServer.close()
  })

  const call = (method: 'POST' | 'PATCH' | 'GET', path: string, body?: object) =>
    world.service.call(method, path, { token: world.business.key, ...(body && { body }) })
  const make = (parts: object) =>
    call('POST', '/services', {
      ...{ name: 'Massage', duration_minutes: 30, location_ids: [location] },
      ...{ payment: 'full', price: eur(6_000), ...parts },
    })
  const offer = async (parts: object = {}): Promise<Offer> => {
    const { status, body } = await make(parts)
    expect(status).toBe(201)
    return { service_id: String(body.id), location_id: location }
  }
  const checkout = (sessionId: string) => world.stripe.sessions.get(sessionId)

  test('charges it for the whole party, and says so at the processor, in the API and by mail', async () => {
    const own = await offer({ capacity: 3 })
    const held = await world.session.hold(own, startsAt, { party_size: 3 })
    const reply = await world.session.book(String(held.body.hold_id))
    const id = String(reply.body.id)
    const sessionId = sessionOf(world.stripe, reply)
    expect(checkout(sessionId)).toMatchObject({ amount_total: 18_000, currency: 'eur' })
    expect(world.stripe.lines.get(sessionId)).toBe('Massage')
    expect(reply.body).toMatchObject({ status: 'pending', payment: { kind: 'full', ...eur(18_000) } })
    mailServer.mails.length = 0
    await world.paid(sessionId)
    await world.service.app.mails.settled()
    expect(await world.shown(id)).toMatchObject({
      status: 'confirmed',
      payment: { kind: 'full', status: 'paid', ...eur(18_000) },
    })
    expect(mailServer.mails[0]?.text).toMatch(/Price: €180\s+Paid: €180/)
    expect(mailServer.mails[0]?.text).not.toMatch(/Deposit|on site/)
  })

  test('charges the price of the person who gives it', async () => {
    const [anna = '', ben = ''] = await makeStaff(world.service, world.business.id, ['Anna', 'Ben'])
    const terms = [{ staff_id: ben, price: eur(4_500) }]
    const own = await offer({ staff_ids: [anna, ben], terms })
    for (const [staff_id, amount] of [
      [anna, 6_000],
      [ben, 4_500],
    ] as const) {
      const held = await world.session.hold(own, startsAt, { staff_id })
      const reply = await world.session.book(String(held.body.hold_id))
      expect(reply.body.payment).toMatchObject({ kind: 'full', amount })
    }
  })

  test('adds up with the deposit of another service of a visit, and with another full price', async () => {
    const full = await offer()
    const deposit = await offer({ name: 'Cut', payment: 'deposit', price: eur(4_000), deposit: eur(1_000) })
    const free = await offer({ name: 'Talk', payment: 'none', price: eur(2_000) })
    const booked = async (offers: Offer[], at: string) => {
      const body = {
        ...{ location_id: location, starts_at: at },
        items: offers.map(({ service_id }) => ({ service_id })),
      }
      const held = await world.service.call('POST', '/bookings/hold', { token: world.session.token, body })
      expect(held.status).toBe(201)
      return (await world.session.book(String(held.body.hold_id))).body.payment
    }
    expect(await booked([full, deposit], '2026-12-03T10:00:00+01:00')).toMatchObject({
      ...{ kind: 'deposit', amount: 7_000 },
    })
    expect(await booked([full, free], '2026-12-03T12:00:00+01:00')).toMatchObject({
      ...{ kind: 'deposit', amount: 6_000 },
    })
    const other = await offer({ price: eur(1_500) })
    expect(await booked([full, other], '2026-12-03T14:00:00+01:00')).toMatchObject({
      ...{ kind: 'full', amount: 7_500 },
    })
  })

  test('charges the price at the moment of the booking, not that of the hold', async () => {
    const own = await offer()
    const held = await world.session.hold(own, startsAt)
    await call('PATCH', `/services/${own.service_id}`, { price: eur(7_000) })
    const reply = await world.session.book(String(held.body.hold_id))
    expect(reply.body).toMatchObject({ price: eur(7_000), payment: { amount: 7_000 } })
    expect(checkout(sessionOf(world.stripe, reply))).toMatchObject({ amount_total: 7_000 })
  })

  test('is due and payable by link if the business books it, and nothing is due if it is free', async () => {
    const own = await offer()
    const held = await world.key.hold(own, startsAt)
    const reply = await world.key.book(String(held.body.hold_id))
    expect(reply.body).toMatchObject({ status: 'confirmed', payment: { kind: 'full', status: 'due' } })
    expect((await world.shown(String(reply.body.id))).pay_url).toMatch(/\/checkout\//)
    const free = await offer({ price: eur(0) })
    const other = await world.session.hold(free, startsAt)
    const booked = await world.session.book(String(other.body.hold_id))
    expect(booked.body.status).toBe('confirmed')
    expect(booked.body).not.toHaveProperty('payment')
  })

  test('charges a larger party for all of them', async () => {
    const own = await offer({ capacity: 4 })
    const held = await world.key.hold(own, startsAt)
    const id = String((await world.key.book(String(held.body.hold_id))).body.id)
    await world.key.change(id, { party_size: 2 })
    expect((await world.shown(id)).payment).toMatchObject({ kind: 'full', status: 'due', amount: 12_000 })
  })

  test.each([
    [{ amount: 500, currency: 'JPY' }, 500],
    [{ amount: 5_120, currency: 'KWD' }, 5_120],
  ])('charges %o as %i', async (price, atStripe) => {
    const { sessionId } = await world.due({ offer: await offer({ price }) })
    expect(checkout(sessionId)).toMatchObject({ amount_total: atStripe })
  })

  test('needs a price that can be paid, and has no deposit', async () => {
    const refusals = [
      [{ price: undefined }, '/price', 'required'],
      [{ price: { amount: 5_124, currency: 'KWD' } }, '/price/amount', 'not_allowed'],
      [{ deposit: eur(1_000) }, '/deposit', 'not_allowed'],
      [{ payment: 'none', deposit: eur(1_000) }, '/deposit', 'not_allowed'],
      [{ payment: 'deposit' }, '/deposit', 'required'],
      [{ payment: 'later' }, '/payment', 'not_allowed'],
    ] as const
    for (const [parts, pointer, code] of refusals)
      expect(await make(parts)).toMatchObject({ status: 422, body: { errors: [{ pointer, code }] } })
    const { service_id: id } = await offer()
    expect(await call('PATCH', `/services/${id}`, { price: null })).toMatchObject({
      ...{ status: 422, body: { errors: [{ pointer: '/price' }] } },
    })
    const changes = [
      [{ deposit: eur(1_000) }, 'deposit', eur(1_000)],
      [{ payment: 'full' }, 'full', null],
      [{ price: eur(5_000) }, 'full', null],
      [{ deposit: eur(1_000), payment: 'deposit' }, 'deposit', eur(1_000)],
      [{ deposit: null }, 'none', null],
      [{ payment: 'full' }, 'full', null],
      [{ payment: 'none' }, 'none', null],
    ] as const
    for (const [change, payment, deposit] of changes)
      expect((await call('PATCH', `/services/${id}`, change)).body).toMatchObject({ payment, deposit })
  })

  test('cannot be repeated by visitors, and stands in the exported catalogue', async () => {
    const { service_id: id } = await offer({ max_repeats: 4, name: 'Course' })
    const session = await sessionClient(world.service, world.business)
    const held = await session.hold({ service_id: id, location_id: location }, startsAt, {
      repeat: { every: 'week', count: 2 },
    })
    expect(held).toMatchObject({ status: 422, body: { errors: [{ pointer: '/repeat' }] } })
    const { services = [] } = await exportCatalogue(world.service.context, world.business.id)
    expect(services.find(({ name }) => name === 'Course')).toMatchObject({ payment: 'full' })
  })
})
