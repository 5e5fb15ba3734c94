import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { formValues, readConsole, textOf } from '../support/console.ts'
import { onOneEngine } from '../support/long.ts'
import { makeBusiness, type OwnBusiness } from '../support/offers.ts'
import { type LoggedIn, logInNewPerson, sendForm } from '../support/person.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { makeVisitSalon, type VisitSalon } from '../support/visit-salon.ts'

const date = '2026-12-01'
const client = { first_name: 'Grace', last_name: 'Hopper', email: 'grace@example.com' }

onOneEngine('sqlite', 'booking several services by the form of the console', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let salon: VisitSalon
  let owner: LoggedIn
  let people = 0
  beforeAll(async () => {
    service = await startTestService(engine)
  })
  beforeEach(async () => {
    business = await makeBusiness(service)
    owner = await logInNewPerson(service, {
      ...{ email: `o${(people += 1)}@example.com`, role: 'owner', place: { businessId: business.id } },
    })
    salon = await makeVisitSalon(service, business)
  })
  afterAll(() => service.stop())

  const send = (fields: Record<string, string>) => sendForm(service, '/console/book', fields, owner)
  /** Submits the form of a page with further values, as a browser without scripts does. */
  const go = (page: { body: unknown }, fields: Record<string, string>) =>
    send({ ...formValues(String(page.body), '/console/book'), ...fields })
  const open = () => readConsole(service, `/console/book?service=${salon.cut}&date=${date}`, owner)
  const itemsOf = async () => {
    const { body } = await service.call('GET', '/bookings', { token: business.key })
    const [booking] = body.data as {
      items: { service: { name: string }; staff: { name: string }; starts_at: string }[]
    }[]
    return booking?.items.map(
      (item) => `${item.starts_at.slice(11, 16)} ${item.service.name} ${item.staff.name}`,
    )
  }

  test('adds and removes services, and offers the times of the whole visit', async () => {
    const one = await open()
    expect(textOf(one)).toContain('Directly after')
    const two = await go(one, { who: salon.anna, do: 'add', add: salon.colour })
    expect(textOf(two)).toContain('Cut + Colour')
    expect(textOf(two)).toContain('2 h')
    expect(String(two.body)).toContain(`name="use" value="${date}T09:00:00.000Z"`)
    const chosen = new RegExp(`<option value="${salon.anna}"\\s+selected`, 'g')
    expect(String(two.body).match(chosen)).toHaveLength(2) // one person gives both
    const withAnna = { who: salon.anna, 'who-1': salon.anna }
    const block = {
      ...{ staff_id: salon.anna, starts_at: `${date}T11:30:00+01:00`, ends_at: `${date}T12:00:00+01:00` },
    }
    expect((await service.call('POST', '/blocks', { token: business.key, body: block })).status).toBe(201)
    const times = String((await go(two, { ...withAnna, do: 'times' })).body)
    expect(times).toContain(`name="use" value="${date}T08:00:00.000Z"`) // done by eleven in Berlin
    expect(times).not.toContain(`name="use" value="${date}T09:00:00.000Z"`) // Anna would finish the colour from half past eleven
    const again = await go({ body: times }, { drop: '1' })
    expect(textOf(again)).not.toContain('Cut + Colour')
    expect(formValues(String(again.body), '/console/book')).not.toHaveProperty('item-1')
  })

  test('books them after or together with each other, or names the one that is taken', async () => {
    const two = await go(await open(), { who: salon.anna, do: 'add', add: salon.colour })
    const together = { 'who-1': salon.ben, 'with-1': 'on', date, time: '10:00', ...client, do: 'book' }
    const booked = await go(two, together)
    expect(booked.status).toBe(303)
    expect(await itemsOf()).toEqual(['10:00 Cut Anna', '10:00 Colour Ben'])
    const { 'with-1': _, ...after } = together
    const refused = await go(two, { ...after, once: crypto.randomUUID(), time: '09:30' })
    expect(refused.status).toBe(422)
    expect(textOf(refused)).toContain('Colour: That time is already taken.')
    expect(String(refused.body)).toContain('name="at"')
    const later = await go(refused, { ...after, once: crypto.randomUUID(), time: '12:00' })
    expect(later.status).toBe(303)
    expect((await service.call('GET', '/bookings', { token: business.key })).body.data).toHaveLength(2)
  })

  test('an added service takes the number of people, where several can share it', async () => {
    const { body } = await service.call('POST', '/services', {
      token: business.key,
      body: { name: 'Class', duration_minutes: 30, capacity: 4, location_ids: [salon.locationId] },
    })
    const two = await go(await open(), { who: salon.anna, do: 'add', add: String(body['id']) })
    expect(textOf(two)).toContain('How many people')
    const booking = { who: salon.anna, date, time: '10:00', ...client, do: 'book' }
    const refused = await go(two, { ...booking, 'party-1': 'all' })
    expect(refused.status).toBe(422)
    expect(refused.body).toContain('id="party-1-fault"')
    const booked = await go(refused, { ...booking, once: crypto.randomUUID(), 'party-1': '3' })
    expect(booked.status).toBe(303)
    const { data } = (await service.call('GET', '/bookings', { token: business.key })).body
    expect(data).toMatchObject([{ items: [{ party_size: 1 }, { party_size: 3 }] }])
  })
})
