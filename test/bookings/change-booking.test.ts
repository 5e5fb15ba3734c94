import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { eventItems } from '../support/event-body.ts'
import { bookSlot, clientOf, sessionClient, type Client } from '../support/client.ts'
import { makeBusiness, makeOffer, type Offer, type OwnBusiness } from '../support/offers.ts'
import { eventsOf, eventTypesOf, snapshot } from '../support/records.ts'
import { expectRefusal } from '../support/refusals.ts'
import { onOneEngine } from '../support/long.ts'
import { ada, startTestService, type Reply, type TestService } from '../support/test-service.ts'

const tenOClock = '2026-12-01T10:00:00+01:00'
const unknownId = '018f0000-0000-7000-8000-000000000000'

onOneEngine('sqlite', 'changing a booking', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let key: Client
  let offer: Offer
  let id: string
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    key = clientOf(service, business.key)
  })
  beforeEach(async () => {
    offer = await makeOffer(service, business.id)
    id = String((await bookSlot(key, offer, tenOClock, { book: { notes: 'first' } })).id)
    service.clock.advance(1)
  })
  afterAll(() => service.stop())

  const refused = (attempt: () => Promise<Reply>, expected: Parameters<typeof expectRefusal>[2]) =>
    expectRefusal(service, attempt, expected)

  test.each([
    ['starts_at', { starts_at: '2026-12-01T11:00:00+01:00' }, { ends_at: '2026-12-01T11:30:00+01:00' }],
    ['ends_at', { ends_at: '2026-12-01T10:45:00+01:00' }, { starts_at: tenOClock }],
    [
      'both times',
      { starts_at: '2026-12-01T09:00:00Z', ends_at: '2026-12-01T11:00:00Z' },
      { starts_at: tenOClock, ends_at: '2026-12-01T12:00:00+01:00' },
    ],
    ['notes', { notes: 'second' }, { notes: 'second' }],
    ['notes to null', { notes: null }, { notes: null }],
    ['everything', { starts_at: '2026-12-03T10:00:00+01:00', notes: 'x', status: 'pending' }, { notes: 'x' }],
  ])('%s: one booking.updated, the next version', async (_what, change, expected) => {
    const changed = await key.change(id, change)
    expect(changed).toMatchObject({ status: 200, body: expected, headers: { etag: '"2"' } })
    expect(Date.parse(changed.body.updated_at)).toBe(service.clock.nowMs())
    expect((await key.show(id)).body).toEqual(changed.body)
    const events = await eventsOf(service, id)
    expect(events.map(({ type }) => type)).toEqual(['booking.created', 'booking.updated'])
    expect(events[1]?.payload).toEqual({
      event: 'booking.updated',
      timestamp: changed.body.updated_at,
      data: {
        id,
        status: changed.body.status,
        service: { id: offer.service_id, name: 'Massage' },
        client: ada,
        starts_at: changed.body.starts_at,
        ends_at: changed.body.ends_at,
        location: { id: offer.location_id, name: 'Main street' },
        items: eventItems(changed.body),
      },
    })
  })

  test.each([
    ['nothing', {}],
    ['what it is already', { notes: 'first', status: 'confirmed' }],
    ['the times it has', { starts_at: '2026-12-01T09:00:00.9Z', ends_at: '2026-12-01T10:30:00+01:00' }],
    ['the end it has', { ends_at: '2026-12-01T09:30:00Z' }],
  ])('a change to %s is 200, no event and no new version', async (_what, change) => {
    const [before, shown] = [await snapshot(service), await key.show(id)]
    const changed = await key.change(id, change)
    expect(changed).toMatchObject({ status: 200, body: shown.body, headers: { etag: '"1"' } })
    expect(await snapshot(service)).toEqual(before)
  })

  test('notes are trimmed, in NFC and have at most 1000 code points', async () => {
    const changed = await key.change(id, { notes: `  e\u0301${'🦀'.repeat(999)}\n` })
    expect(changed.body.notes).toBe(`\u00e9${'🦀'.repeat(999)}`)
    await refused(() => key.change(id, { notes: '🦀'.repeat(1001) }), {
      status: 422,
      body: { errors: [{ pointer: '/notes', code: 'too_long' }] },
    })
  })

  test.each([
    ['/starts_at', { starts_at: null }],
    ['/ends_at', { ends_at: null }],
    ['/status', { status: null }],
    ['/status', { status: 'done' }],
    ['/status', { status: 'Confirmed' }],
    ['/starts_at', { starts_at: '2026-12-01T10:00:00' }],
    ['/starts_at', { starts_at: '2026-12-01' }],
    ['/ends_at', { ends_at: 1796115600 }],
    ['/notes', { notes: 7 }],
    ['/cancelled_at', { cancelled_at: null }],
    ['/ends_at', { ends_at: tenOClock }],
    ['/ends_at', { ends_at: '2026-12-01T09:00:00+01:00' }],
    ['/ends_at', { ends_at: '2026-12-02T10:00:01+01:00' }],
    ['/ends_at', { starts_at: '2026-12-01T11:00:00+01:00', ends_at: '2026-12-01T11:00:00+01:00' }],
    ['/starts_at', { starts_at: '9999-12-31T23:59:00Z' }],
    ['/starts_at', { starts_at: '9999-12-31T23:59:59Z' }],
  ])('%s is refused in %j', async (pointer, change) => {
    await refused(() => key.change(id, change), {
      status: 422,
      body: { code: 'validation_failed', errors: [{ pointer }] },
    })
  })

  test('exactly 24 hours is the longest that a booking may be', async () => {
    expect(await key.change(id, { ends_at: '2026-12-02T10:00:00+01:00' })).toMatchObject({ status: 200 })
  })

  test('a new start must be in the future, the old one may lie in the past', async () => {
    const start = new Date(service.clock.nowMs() + 10_000).toISOString()
    const { id: near } = await bookSlot(key, await makeOffer(service, business.id), start)
    service.clock.advance(20)
    const past = { status: 422, body: { code: 'slot_not_offered', reason: 'in_the_past' } }
    await refused(() => key.change(String(near), { starts_at: service.clock.now() }), past)
    await refused(() => key.change(String(near), { starts_at: '2026-11-20T08:00:00Z' }), past)
    const later = new Date(Date.parse(start) + 3_600_000).toISOString()
    const changed = await key.change(String(near), { starts_at: start, ends_at: later, status: 'completed' })
    expect(changed.status).toBe(200)
    expect(Date.parse(changed.body.ends_at)).toBe(Date.parse(later))
  })

  test('an unknown booking, another business’s and a malformed id are not found', async () => {
    const other = await makeBusiness(service)
    const stranger = clientOf(service, other.key)
    const notFound = { status: 404, body: { code: 'not_found' } }
    for (const [client, of] of [
      [key, unknownId],
      [key, 'x'],
      [stranger, id],
      [clientOf(service, service.world.hub.key), id],
    ] as const) {
      await refused(() => client.change(of, { notes: 'mine' }), notFound)
      await refused(() => client.cancel(of), notFound)
      expect(await client.show(of)).toMatchObject(notFound)
    }
  })

  test('a request with faults of its own is 422 whether the booking exists or not', async () => {
    const change = { starts_at: '2026-12-01T11:00:00Z', ends_at: '2026-12-01T10:00:00Z' }
    await refused(() => key.change(unknownId, change), { status: 422, body: { code: 'validation_failed' } })
  })

  test('a session may not change or cancel a booking, not even its own', async () => {
    const session = await sessionClient(service, business)
    const own = await bookSlot(session, await makeOffer(service, business.id), tenOClock)
    const forbidden = { status: 403, body: { code: 'key_type_not_allowed' } }
    await refused(() => session.change(String(own.id), { notes: 'x' }), forbidden)
    await refused(() => session.cancel(String(own.id)), forbidden)
    await refused(() => session.change(unknownId, { nonsense: true }), forbidden)
  })

  test('a hub key changes bookings of all its businesses', async () => {
    const hub = clientOf(service, service.world.hub.key)
    const inHub = await makeBusiness(service, { hubId: service.world.hub.id })
    const booking = await bookSlot(hub, await makeOffer(service, inHub.id), tenOClock)
    expect(await hub.change(String(booking.id), { notes: 'seen' })).toMatchObject({ status: 200 })
    expect(await hub.cancel(String(booking.id))).toMatchObject({ status: 200 })
    expect(await eventTypesOf(service, String(booking.id))).toHaveLength(3)
  })

  test('an event is a picture of its moment: later changes do not touch it', async () => {
    const before = await eventsOf(service, id)
    await key.change(id, { starts_at: '2026-12-05T10:00:00+01:00', notes: 'other' })
    expect((await eventsOf(service, id)).slice(0, 1)).toEqual(before)
  })

  test('changes at once come one after the other: each has its version and its event', async () => {
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, index) => key.change(id, { notes: `number ${index}` })),
    )
    expect(replies.map(({ headers }) => headers['etag']).toSorted()).toEqual(
      Array.from({ length: 8 }, (_, index) => `"${index + 2}"`),
    )
    expect(await eventTypesOf(service, id)).toHaveLength(9)
  })
})
