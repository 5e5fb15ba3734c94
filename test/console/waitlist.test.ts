import { afterAll, beforeAll, expect, test } from 'vitest'
import { entryPath } from '../../src/access/entry-link.ts'
import { readConsole, textOf } from '../support/console.ts'
import { mailWorld, nextClient, type MailWorld } from '../support/mail-world.ts'
import { makeBusiness, makeOffer } from '../support/offers.ts'
import { type LoggedIn, logInNewPerson, sendForm } from '../support/person.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService } from '../support/test-service.ts'

onOneEngine('sqlite', 'the waiting list in the console', (engine) => {
  let world: MailWorld
  let desk: LoggedIn
  beforeAll(async () => {
    world = await mailWorld(engine)
    desk = await logInNewPerson(world.service, {
      ...{ email: 'desk@example.com', role: 'front_desk', place: { businessId: world.business.id } },
    })
  })
  afterAll(() => world.stop())

  test('shows who waits, offers a time by hand, passes it on and removes a client', async () => {
    const offer = await makeOffer(world.service, world.business.id, { name: 'Balayage', weeklyHours: [] })
    const added = await sendForm(
      world.service,
      '/console/waitlist/new',
      { ...offer, from: '2026-12-01', to: '2026-12-05', first_name: 'Grace', last_name: 'Hopper' },
      desk,
    )
    expect([added.status, added.headers['location']]).toEqual([
      303,
      expect.stringContaining('/console/waitlist?'),
    ])
    const client = nextClient()
    const { body } = await world.call('POST', '/waitlist', {
      ...{ ...offer, from: '2026-12-01', to: '2026-12-05', client },
    })
    const page = async () => textOf(await readConsole(world.service, '/console/waitlist', desk))
    expect(await page()).toMatch(/Grace Hopper.*No email.*number 1 in line.*Ada Lovelace.*number 2 in line/)
    const act = (fields: Record<string, string>) =>
      sendForm(world.service, `/console/waitlist/${body.id}`, fields, desk)
    // nobody works then, which does not bind people
    await act({ action: 'offer', date: '2026-12-02', time: '10:00' })
    expect(await page()).toContain('is kept until')
    const entry = async () => (await world.call('GET', `/waitlist/${body.id}`)).body
    expect(await entry()).toMatchObject({
      status: 'offered',
      offer: { starts_at: '2026-12-02T10:00:00+01:00' },
    })
    const twice = await act({ action: 'offer', date: '2026-12-02', time: '12:00' })
    expect(twice.status).toBe(409)
    await act({ action: 'skip' })
    expect(await entry()).toMatchObject({ status: 'waiting' })
    await act({ action: 'remove' })
    expect(await entry()).toMatchObject({ status: 'ended', ended_because: 'removed' })
  })

  test('says that clients cannot join on the booking page, unless emails or texts reach them', async () => {
    const service = await startTestService(engine, { SMS_URL: 'http://key:secret@127.0.0.1:9/texts' })
    try {
      const pageOf = async (body: object) => {
        const { id, key, publishableKey } = await makeBusiness(service)
        const { status } = await service.call('PATCH', `/businesses/${id}`, { token: key, body })
        expect(status).toBe(200)
        const email = `desk-${id}@example.com`
        const person = await logInNewPerson(service, { email, role: 'front_desk', place: { businessId: id } })
        const start = await service.call('GET', `//book/${publishableKey}/start`)
        const page = textOf(await readConsole(service, '/console/waitlist', person))
        const isClosed = page.includes('Clients cannot join on your booking page')
        expect('sends_offers' in (start.body.business as object)).toBe(!isClosed)
        return isClosed
      }
      expect(await pageOf({ text_kinds: [] })).toBe(true)
      expect(await pageOf({ text_kinds: ['confirmed', 'changed', 'cancelled', 'reminder'] })).toBe(true)
      expect(await pageOf({ text_kinds: ['offered'] })).toBe(false)
    } finally {
      await service.stop()
    }
    expect(textOf(await readConsole(world.service, '/console/waitlist', desk))).not.toContain('cannot join')
  })

  test('books the offered time for a client on the phone, with what the service asks', async () => {
    const { service, business } = world
    const offer = await makeOffer(service, business.id, { name: 'Colour' })
    const { body: changed } = await world.call('PATCH', `/services/${offer.service_id}`, {
      ...{ custom_fields: [{ key: 'allergies', label: 'Any allergies?', type: 'text', required: true }] },
      client_fields: { phone: 'required' },
    })
    const [question] = changed.custom_fields as { id: string }[]
    const { body } = await world.call('POST', '/waitlist', {
      ...{
        ...offer,
        from: '2026-12-01',
        to: '2026-12-05',
        client: { first_name: 'Tove', last_name: 'Dahl' },
      },
    })
    const act = (fields: Record<string, string>) =>
      sendForm(service, `/console/waitlist/${body.id}`, fields, desk)
    await act({ action: 'offer', date: '2026-12-02', time: '11:00' })
    const entry = async () => (await world.call('GET', `/waitlist/${body.id}`)).body
    const offerId = String((await entry()).offer.hold_id)
    const page = String((await readConsole(service, '/console/waitlist', desk)).body)
    expect(page).toContain(`name="answer-${question?.id}"`)
    expect(textOf({ body: page })).toContain('Book for the client')
    const refused = await act({ action: 'take', offer: offerId, phone: '+49 30 555 01' })
    expect(refused.status).toBe(422)
    expect(String(refused.body)).toMatch(/<details class="more" open/)
    expect(String(refused.body)).toContain('value="+49 30 555 01"')
    const answer = { [`answer-${question?.id}`]: 'None' }
    expect((await act({ action: 'take', offer: offerId, ...answer })).status).toBe(422) // no phone
    const taken = await act({ action: 'take', offer: offerId, phone: '+49 30 555 01', ...answer })
    expect([taken.status, taken.headers['location']]).toEqual([
      303,
      `/console/bookings/${offerId}?done=booked`,
    ])
    expect(await entry()).toMatchObject({ status: 'booked' })
    expect((await world.call('GET', `/bookings/${offerId}`)).body).toMatchObject({
      ...{ status: 'confirmed', starts_at: '2026-12-02T11:00:00+01:00' },
      client: { first_name: 'Tove', phone: '+49 30 555 01' },
      custom_field_values: [{ value: 'None' }],
    })
    const again = await act({ action: 'take', offer: offerId, phone: '+49 30 555 01', ...answer })
    expect(again.status).toBe(422)
    expect(textOf(again)).toContain('This offer is over.')
  })

  test('is in the reports with the gaps that it filled and their price', async () => {
    const { service, business } = world
    const place = { businessId: business.id }
    const manager = await logInNewPerson(service, { email: 'manager@example.com', role: 'manager', place })
    const report = async (query = '') =>
      readConsole(service, `/console/numbers${query}`, manager, { 'accept-language': 'en' })
    const days = 'range=own&from=2026-12-07&to=2026-12-13'
    const offer = await makeOffer(service, business.id, { name: 'Balayage' })
    await world.call('PATCH', `/services/${offer.service_id}`, { price: { amount: 9_000, currency: 'EUR' } })
    await world.book(offer, '2026-12-09T12:00:00+01:00')
    expect(textOf(await report(`?${days}`))).not.toContain('Gaps filled')
    const { body } = await world.call('POST', '/waitlist', {
      ...{ ...offer, from: '2026-12-08', to: '2026-12-08', client: nextClient() },
    })
    service.clock.advance(31)
    await service.app.offers.settled()
    const { hold_id } = (await world.call('GET', `/waitlist/${body.id}`)).body.offer
    await sendForm(service, `${await entryPath(service.context, body.id)}/take`, { offer: hold_id })
    const text = textOf(await report(`?${days}`))
    expect(text).toContain(
      'Gaps filled from the waiting list The waiting list filled one gap and brought in €90.',
    )
    expect((await report(`.csv?${days}&report=waitlist`)).body).toBe(
      '\uFEFFFrom,To,Bookings,Revenue (EUR),Lost to no-shows (EUR)\r\n2026-12-07,2026-12-13,1,90.00,0.00\r\n',
    )
  })
})
