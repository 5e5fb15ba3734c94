import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { tidy } from '../../src/operate/housekeeping.ts'
import { jobs } from '../../src/server.ts'
import { asKeysSee, eventItems } from '../support/event-body.ts'
import { clientOf, sessionClient, type Client } from '../support/client.ts'
import { makeBusiness, makeOffer, makeStaff, type OwnBusiness } from '../support/offers.ts'
import { eventsOf, rowOf, takenClaim } from '../support/records.ts'
import { pointersOf } from '../support/refusals.ts'
import { onOneEngine } from '../support/long.ts'
import { ada, startTestService, type Reply, type TestService } from '../support/test-service.ts'

const tenOClock = '2026-12-01T10:00:00+01:00'
const idOf = (held: Reply) => String(held.body.hold_id)

onOneEngine('sqlite', 'converting a hold', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let session: Client
  let key: Client
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    key = clientOf(service, business.key)
  })
  beforeEach(async () => {
    session = await sessionClient(service, business)
  })
  afterAll(() => service.stop())

  async function held(client = session): Promise<string> {
    return idOf(await client.hold(await makeOffer(service, business.id), tenOClock))
  }

  test('the booking has exactly the fields of the contract', async () => {
    const staffIds = await makeStaff(service, business.id, ['Kim Park'])
    const offer = await makeOffer(service, business.id, { name: 'Shiatsu', minutes: 45, staffIds })
    const id = idOf(await session.hold(offer, tenOClock))
    service.clock.advance(5)
    const booked = await session.book(id, {
      client: { ...ada, phone: '+49 30 (123) 45-67.8' },
      notes: 'By the window,\nplease.',
    })
    expect(booked.status).toBe(201)
    expect(booked.headers['etag']).toBe('"1"')
    expect(booked.body).toEqual({
      id,
      status: 'confirmed',
      starts_at: tenOClock,
      ends_at: '2026-12-01T10:45:00+01:00',
      party_size: 1,
      notes: 'By the window,\nplease.',
      cancelled_at: null,
      service: { id: offer.service_id, name: 'Shiatsu', duration_minutes: 45, price: null },
      location: {
        id: offer.location_id,
        name: 'Main street',
        address: null,
        timezone: 'Europe/Berlin',
        online_url: null,
      },
      client: { ...ada, phone: '+49 30 (123) 45-67.8' },
      staff: { id: staffIds[0], name: 'Kim Park' },
      items: [
        {
          id,
          service: { id: offer.service_id, name: 'Shiatsu', duration_minutes: 45 },
          staff: { id: staffIds[0], name: 'Kim Park' },
          ...{ starts_at: tenOClock, ends_at: '2026-12-01T10:45:00+01:00', party_size: 1, price: null },
        },
      ],
      custom_field_values: [],
      price: null,
      business_id: business.id,
      created_at: '2026-11-20T10:00:05+01:00',
      updated_at: '2026-11-20T10:00:05+01:00',
      manage_url: expect.stringMatching(/\/manage#cal_man_\w{38}$/),
    })
    expect((await session.show(id)).body).toEqual(booked.body)
    expect((await key.show(id)).body).toEqual(asKeysSee(booked.body))
    expect((await key.show(id)).headers['etag']).toBe('"1"')
  })

  test('what was not given is null', async () => {
    const booked = await session.book(await held())
    expect(booked.body).toMatchObject({ notes: null, staff: null, client: { ...ada, phone: null } })
    expect(booked.body.custom_field_values).toEqual([])
    expect(booked.body).not.toHaveProperty('redirect_url')
  })

  test('null is the same as not given', async () => {
    const booked = await session.book(await held(), {
      client: { ...ada, phone: null },
      notes: null,
      custom_field_values: null,
    })
    expect(booked).toMatchObject({ status: 201, body: { notes: null, client: { phone: null } } })
  })

  test('the claim lasts as long as the booking, the hold ends', async () => {
    const id = await held()
    const hold = await rowOf(service, 'claims', id)
    const booked = await session.book(id)
    // the record of the hold stays the same, except for the visitor's address, which counts only for holds
    expect(await rowOf(service, 'claims', id)).toEqual({
      ...hold,
      ...{ client_network: null, client_wider_network: null },
      booked_at: new Date(booked.body.created_at).toISOString(),
    })
    expect(hold).toMatchObject({ booked_at: null, ended_at: null })
    expect(await session.showHold(id)).toMatchObject({ body: { status: 'converted' } })
  })

  test('the event says that the booking was created, in its documented fields', async () => {
    const offer = await makeOffer(service, business.id, { name: 'Shiatsu' })
    const id = idOf(await session.hold(offer, tenOClock))
    const booked = await session.book(id, { notes: 'for nobody else', client: { ...ada, phone: '1' } })
    expect(await eventsOf(service, id)).toEqual([
      {
        type: 'booking.created',
        payload: {
          event: 'booking.created',
          timestamp: booked.body.created_at,
          data: {
            id,
            status: 'confirmed',
            service: { id: offer.service_id, name: 'Shiatsu' },
            client: ada,
            starts_at: tenOClock,
            ends_at: '2026-12-01T10:30:00+01:00',
            location: { id: offer.location_id, name: 'Main street' },
            items: eventItems(booked.body),
          },
        },
      },
    ])
  })

  test('what clients write is trimmed and in Unicode NFC', async () => {
    const booked = await session.book(await held(), {
      client: {
        first_name: '  Ade\u0301le ',
        last_name: '\tO’Neill\n',
        email: ' Ada@Example.COM ',
        phone: ' ',
      },
      notes: '  two\n\tlines  ',
    })
    expect(booked.body).toMatchObject({
      client: { first_name: 'Ad\u00e9le', last_name: 'O’Neill', email: 'Ada@Example.COM', phone: null },
      notes: 'two\n\tlines',
    })
  })

  test('notes have at most 1000 code points, names 100', async () => {
    const longest = { client: { ...ada, first_name: '🦀'.repeat(100), last_name: 'é'.repeat(100) } }
    const booked = await session.book(await held(), { ...longest, notes: '🦀'.repeat(1000) })
    expect(booked).toMatchObject({ status: 201, body: { ...longest, notes: '🦀'.repeat(1000) } })
    const refused = await session.book(await held(), {
      client: { ...ada, first_name: 'a'.repeat(101), last_name: '  ' },
      notes: '🦀'.repeat(1001),
    })
    expect(refused).toMatchObject({ status: 422, body: { code: 'validation_failed' } })
    expect(pointersOf(refused)).toEqual(['/client/first_name', '/client/last_name', '/notes'])
  })

  test.each([
    ['/client/email', { email: 'ada' }],
    ['/client/email', { email: 'ada@example' }],
    ['/client/email', { email: 'a@b@example.com' }],
    ['/client/email', { email: `${'a'.repeat(243)}@example.com` }],
    ['/client/phone', { phone: 'call me' }],
    ['/client/phone', { phone: '1'.repeat(33) }],
    ['/client/first_name', { first_name: 'A\u0000da' }],
    ['/client/last_name', { last_name: 7 }],
    ['/client/middle_name', { middle_name: 'B' }],
  ])('%s is refused when it is %j', async (pointer, part) => {
    const refused = await session.book(await held(), { client: { ...ada, ...part } })
    expect(refused).toMatchObject({ status: 422, body: { code: 'validation_failed', errors: [{ pointer }] } })
  })

  test('the longest e-mail address and phone number are fine', async () => {
    const client = { ...ada, email: `${'a'.repeat(242)}@example.com`, phone: '1'.repeat(32) }
    expect(await session.book(await held(), { client })).toMatchObject({ status: 201, body: { client } })
  })

  test('business and hub keys convert any hold in their reach', async () => {
    const inHub = await makeBusiness(service, { hubId: service.world.hub.id })
    const visitor = await sessionClient(service, inHub)
    const [one, two] = [await makeOffer(service, inHub.id), await makeOffer(service, inHub.id)]
    const first = await clientOf(service, inHub.key).book(idOf(await visitor.hold(one, tenOClock)))
    expect(first).toMatchObject({ status: 201, body: { client: ada } })
    const second = idOf(await visitor.hold(two, '2026-12-02T10:00:00+01:00'))
    expect(await clientOf(service, service.world.hub.key).book(second)).toMatchObject({ status: 201 })
    // the session that held the slot made the booking, so it sees all of it
    expect(await visitor.show(second)).toMatchObject({ body: { client: ada } })
  })

  test('a hold converts a millisecond before it expires', async () => {
    const id = await held()
    service.clock.advance(599.999)
    expect(await session.book(id)).toMatchObject({ status: 201 })
    service.clock.advance(0.001)
    await tidy(service.context, jobs)
    expect(await takenClaim(service, id)).toMatchObject({ booked_at: expect.any(String) })
  })

  test('a hold converts after its service, location and staff member have become inactive', async () => {
    const staffIds = await makeStaff(service, business.id, ['Kim Park'])
    const offer = await makeOffer(service, business.id, { staffIds })
    const id = idOf(await session.hold(offer, tenOClock))
    await service.context.db.transaction(async (tx) => {
      for (const [table, of] of [
        ['services', offer.service_id],
        ['locations', offer.location_id],
        ['staff', staffIds[0] ?? ''],
      ] as const) {
        await tx.db.updateTable(table).set({ deactivated_at: tx.now }).where('id', '=', of).execute()
      }
    })
    service.clock.advance(5)
    expect(await session.book(id)).toMatchObject({ status: 201, body: { staff: { name: 'Kim Park' } } })
  })

  test('one hold converted many times at once gives one booking and one event', async () => {
    const id = await held()
    const replies = await Promise.all(Array.from({ length: 20 }, () => session.book(id)))
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1)
    for (const reply of replies.filter(({ status }) => status !== 201)) {
      expect(reply).toMatchObject({ status: 409, body: { code: 'hold_converted', booking_id: id } })
    }
    expect(await eventsOf(service, id)).toHaveLength(1)
  })
})
