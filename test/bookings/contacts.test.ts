import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { exportCatalogue } from '../../src/catalogue/export.ts'
import { importCatalogue } from '../../src/catalogue/import.ts'
import { commandLine } from '../support/command-line.ts'
import { bookSlot, type Client, clientOf, sessionClient } from '../support/client.ts'
import { makeBusiness, makeOffer, type Offer, type OwnBusiness } from '../support/offers.ts'
import { expectRefusal, pointersOf } from '../support/refusals.ts'
import { nextStart } from '../support/tenant-things.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const terms = 'I accept the [terms](https://example.com/terms) of the salon.'

onOneEngine('sqlite', 'what a booking asks of its client', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let session: Client
  let key: Client
  let offer: Offer
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    key = clientOf(service, business.key)
  })
  beforeEach(async () => {
    offer = await makeOffer(service, business.id)
    session = await sessionClient(service, business)
  })
  afterAll(() => service.stop())

  const call = (method: string, path: string, body?: object) =>
    service.call(method, path, { token: business.key, ...(body && { body }) })
  const change = async (body: object) => {
    const reply = await call('PATCH', `/services/${offer.service_id}`, body)
    service.clock.advance(5) // sessions see the change
    return reply
  }
  const held = async (by: Client = session) => String((await by.hold(offer, nextStart())).body.hold_id)
  const ask = async (...custom_fields: object[]) => {
    const { body } = await change({ custom_fields })
    return (body.custom_fields as { id: string }[]).map(({ id }) => id)
  }
  const refusedWith = (errors: object[], book: () => ReturnType<Client['book']>) =>
    expectRefusal(service, book, { status: 422, body: { code: 'validation_failed', errors } })

  describe('a required yes', () => {
    test('has to be true', async () => {
      const [field_id] = await ask({ key: 'fit', label: 'I am fit', type: 'boolean', required: true })
      const id = await held()
      const pointer = '/custom_field_values/0/value'
      await refusedWith([{ pointer, code: 'must_be_true' }], () =>
        session.book(id, { custom_field_values: [{ field_id, value: false }] }),
      )
      await refusedWith([{ pointer: '/custom_field_values', code: 'required' }], () => session.book(id))
      const booked = await session.book(id, { custom_field_values: [{ field_id, value: true }] })
      expect(booked).toMatchObject({
        status: 201,
        body: { custom_field_values: [{ field_id, value: true }] },
      })
    })

    test('may stay false where it was given before it had to be true', async () => {
      const [field_id] = await ask({ key: 'fit', label: 'I am fit', type: 'boolean' })
      const { id } = await bookSlot(session, offer, nextStart(), {
        book: { custom_field_values: [{ field_id, value: false }] },
      })
      await ask({ id: field_id, key: 'fit', label: 'I am fit', type: 'boolean', required: true })
      const custom_field_values = [{ field_id, value: false }]
      expect((await key.change(id, { notes: 'x', custom_field_values })).status).toBe(200)
    })
  })

  describe('a consent', () => {
    const consent = { key: 'terms', label: terms, type: 'consent' }

    test('is kept with the text that was shown and the time', async () => {
      const [field_id] = await ask(consent)
      const booked = await session.book(await held(), {
        custom_field_values: [{ field_id, value: true, text: terms }],
      })
      const kept = {
        field_id,
        value: true,
        text: terms,
        agreed_at: expect.stringMatching(/^2026-.*\+01:00$/),
      }
      expect(booked.body.custom_field_values).toEqual([kept])
      const id = String(booked.body.id)
      const [given] = booked.body.custom_field_values as object[]
      await ask({ id: field_id, ...consent, label: 'Something else.' })
      service.clock.advance(60)
      expect((await key.show(id)).body.custom_field_values).toEqual([given])
      const again = { custom_field_values: [{ field_id, value: true }] }
      expect((await key.change(id, again)).body).toMatchObject({ custom_field_values: [given] })
    })

    test('is always required, and its text is the present one', async () => {
      const [field_id] = await ask(consent)
      const id = await held()
      const answered = (answer: object) => () =>
        session.book(id, { custom_field_values: [{ field_id, ...answer }] })
      await refusedWith([{ pointer: '/custom_field_values', code: 'required' }], () => session.book(id))
      const at = '/custom_field_values/0'
      await refusedWith([{ pointer: `${at}/value`, code: 'must_be_true' }], answered({ value: false }))
      await refusedWith([{ pointer: `${at}/value`, code: 'wrong_value' }], answered({ value: 'yes' }))
      await refusedWith(
        [{ pointer: `${at}/text`, code: 'text_changed' }],
        answered({ value: true, text: 'I accept the old terms.' }),
      )
      expect((await answered({ value: true })()).body.custom_field_values).toMatchObject([{ text: terms }])
    })

    test('has at most one link, by https, and is never optional', async () => {
      const refused = async (more: object, pointer: string) => {
        const reply = await change({ custom_fields: [{ ...consent, ...more }] })
        expect([reply.status, pointersOf(reply)]).toEqual([422, [`/custom_fields/0${pointer}`]])
      }
      await refused({ label: '[a](https://a.example) and [b](https://b.example)' }, '/label')
      await refused({ label: 'the [terms](http://example.com)' }, '/label')
      await refused({ label: 'the [terms](javascript:alert(1))' }, '/label')
      await refused({ required: false }, '/required')
      await refused({ options: ['a'] }, '/options')
      expect(
        (await change({ custom_fields: [{ ...consent, label: 'No link at all.' }] })).body,
      ).toMatchObject({
        custom_fields: [{ type: 'consent', required: true }],
      })
    })

    test('that is asked for later does not stop the business from correcting a booking', async () => {
      const { id } = await bookSlot(session, offer, nextStart())
      const [field_id] = await ask(consent)
      expect((await key.change(id, { custom_field_values: [], notes: 'later' })).status).toBe(200)
      const given = { custom_field_values: [{ field_id, value: true }] }
      expect((await key.change(id, given)).body).toMatchObject({ custom_field_values: [{ text: terms }] })
      await refusedWith([{ pointer: '/custom_field_values', code: 'required' }], () =>
        key.change(id, { custom_field_values: [] }),
      )
    })
  })

  describe('the fields of a service', () => {
    const ada = { first_name: 'Ada', email: 'ada@example.com' }

    test('are a required last name and an optional phone unless it says otherwise', async () => {
      expect((await call('GET', `/services`)).body.data).toContainEqual(
        expect.objectContaining({ client_fields: { phone: 'optional', last_name: 'required' } }),
      )
      const id = await held()
      await refusedWith([{ pointer: '/client/last_name', code: 'required' }], () =>
        session.book(id, { client: ada }),
      )
      const changed = await change({ client_fields: { phone: 'required' } })
      expect(changed.body).toMatchObject({ client_fields: { phone: 'required', last_name: 'required' } })
      await refusedWith([{ pointer: '/client/phone', code: 'required' }], () => session.book(id))
      await change({ client_fields: { phone: 'hidden', last_name: 'hidden' } })
      const booked = await session.book(id, { client: ada })
      expect(booked).toMatchObject({
        status: 201,
        body: { client: { first_name: 'Ada', last_name: '', phone: null } },
      })
      expect((await change({ client_fields: { phone: 'maybe' } })).status).toBe(422)
    })

    test('are set on the command line, and go through a file', async () => {
      const holdfast = commandLine(service.databaseUrl)
      const args = ['--phone', 'required', '--last-name', 'hidden']
      const updated = await holdfast.json('service', 'update', offer.service_id, ...args)
      const client_fields = { phone: 'required', last_name: 'hidden' }
      expect(updated).toMatchObject({ client_fields })
      await ask({ key: 'terms', label: terms, type: 'consent' })
      const file = await exportCatalogue(service.context, business.id)
      const entry = file.services?.find(({ id }) => id === offer.service_id)
      expect(entry).toMatchObject({ client_fields, custom_fields: [{ type: 'consent', label: terms }] })
      await change({ client_fields: { phone: 'optional', last_name: 'required' }, custom_fields: [] })
      await importCatalogue(service.context, file, {
        businessId: business.id,
        dryRun: false,
        overwriteBusiness: false,
      })
      service.clock.advance(5)
      expect((await call('GET', `/services/${offer.service_id}`)).body).toMatchObject({
        client_fields,
        custom_fields: [{ type: 'consent', required: true }],
      })
    })

    test('bind a change that takes something away, and no other', async () => {
      const { id } = await bookSlot(session, offer, nextStart())
      await change({ client_fields: { phone: 'required', last_name: 'optional' } })
      const taken = await key.change(id, { client: { phone: null } })
      expect([taken.status, pointersOf(taken)]).toEqual([422, ['/client/phone']])
      const named = await key.change(id, { client: { last_name: null } })
      expect(named.body.client).toMatchObject({ first_name: 'Ada', last_name: '' })
    })
  })

  describe('a client without an e-mail address', () => {
    const peter = { first_name: 'Peter', last_name: 'Lustig', phone: '+49 30 4930 123' }

    test('is booked by keys, never by sessions, and is shown without any', async () => {
      const id = await held()
      const { email: _, ...nobody } = { email: '', ...peter }
      await refusedWith([{ pointer: '/client/email', code: 'required' }], () =>
        session.book(id, { client: nobody }),
      )
      const booked = await key.book(await held(key), { client: peter })
      expect(booked).toMatchObject({ status: 201, body: { client: { ...peter, email: '' } } })
      const bookingId = String(booked.body.id)
      expect((await key.show(bookingId)).body.client).toMatchObject({ email: '' })
      expect((await session.show(bookingId)).body.client).toMatchObject({ last_name: 'L.', email: '' })
      const [event] = (await service.events()).filter(({ booking_id }) => booking_id === bookingId)
      expect(event?.payload).toMatchObject({ data: { client: { email: '' } } })
      const day = String(booked.body.starts_at).slice(0, 10)
      const calendar = await call('GET', `/calendar?date=${day}&location_id=${offer.location_id}`)
      expect(JSON.stringify(calendar.body)).not.toContain('no-email')
    })

    test('is one client by phone, else a client of that booking', async () => {
      const name = `Q${String(service.clock.now()).slice(-8, -1)}`
      const named = { ...peter, first_name: 'Phoned', last_name: name, phone: '030 77 88 99' }
      for (const phone of ['030 77 88 99', '+49 (30) 778899'])
        await bookSlot(key, offer, nextStart(), { book: { client: { ...named, phone } } })
      for (const first_name of ['Walker', 'Walker'])
        await bookSlot(key, offer, nextStart(), { book: { client: { first_name, last_name: name } } })
      const { data } = (await call('GET', `/clients?q=${name}`)).body as unknown as {
        data: { first_name: string; email: string | null; booking_count: number }[]
      }
      const shown = data.map(({ first_name, email, booking_count }) => [first_name, email, booking_count])
      expect(shown.toSorted()).toEqual([
        ['Phoned', null, 2],
        ['Walker', null, 1],
        ['Walker', null, 1],
      ])
    })

    test('gets an address by a correction, and loses it by another', async () => {
      const { id } = await bookSlot(key, offer, nextStart(), { book: { client: peter } })
      const corrected = async (client: object) => (await key.change(id, { client })).body.client
      expect(await corrected({ first_name: 'Pit' })).toMatchObject({ first_name: 'Pit', email: '' })
      expect(await corrected({ email: 'pit@example.com' })).toMatchObject({ email: 'pit@example.com' })
      expect(await corrected({ email: null })).toMatchObject({ first_name: 'Pit', email: '' })
      const { version } = { version: (await key.show(id)).headers['etag'] }
      expect(await corrected({ email: null })).toMatchObject({ email: '' })
      expect((await key.show(id)).headers['etag']).toBe(version)
    })

    test('is exported and erased by a booking', async () => {
      const first = await bookSlot(key, offer, nextStart(), {
        book: { client: { ...peter, phone: '030 5550 1' } },
      })
      await bookSlot(key, offer, nextStart(), { book: { client: { ...peter, phone: '030 5550 1' } } })
      const named = { booking_id: first.id }
      const exported = await call('POST', '/clients/export', named)
      expect(exported).toMatchObject({ status: 200, body: { email: '' } })
      expect(exported.body.bookings).toHaveLength(2)
      const holdfast = commandLine(service.databaseUrl)
      const args = ['client', 'export', '--booking', first.id, '--business', business.id]
      expect((await holdfast.json(...args)).bookings).toHaveLength(2)
      expect(pointersOf(await call('POST', '/clients/erase', {}))).toEqual(['/email'])
      expect(pointersOf(await call('POST', '/clients/erase', { ...named, email: 'a@b.example' }))).toEqual([
        '/booking_id',
      ])
      expect((await call('POST', '/clients/erase', named)).body).toMatchObject({ bookings: 2 })
      expect((await call('POST', '/clients/erase', named)).status).toBe(404)
    })
  })
})
