import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventItems } from '../support/event-body.ts'
import { bookSlot, clientOf, type Client } from '../support/client.ts'
import { makeBusiness, makeOffer, type Offer, type OwnBusiness } from '../support/offers.ts'
import { eventsOf, eventTypesOf, snapshot, takenClaim } from '../support/records.ts'
import { expectRefusal } from '../support/refusals.ts'
import { onOneEngine } from '../support/long.ts'
import { ada, startTestService, type TestService } from '../support/test-service.ts'

const statuses = ['pending', 'confirmed', 'in_progress', 'completed', 'cancelled'] as const
const table = statuses.flatMap((from) => statuses.map((to) => [from, to] as const))

/** The event of a change to a status that differs. */
const eventOf = {
  pending: 'booking.updated',
  confirmed: 'booking.updated',
  in_progress: 'booking.updated',
  completed: 'booking.completed',
  cancelled: 'booking.cancelled',
}

const tenOClock = '2026-12-01T10:00:00+01:00'

onOneEngine('sqlite', 'the status of a booking', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let key: Client
  let offer: Offer
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    key = clientOf(service, business.key)
  })
  afterAll(() => service.stop())

  /** Creates a booking with this status, in a separate offer. */
  async function bookingWith(status: (typeof statuses)[number]): Promise<string> {
    offer = await makeOffer(service, business.id, { name: 'Shiatsu' })
    const { id } = await bookSlot(key, offer, tenOClock)
    if (status !== 'confirmed') await key.change(String(id), { status })
    return String(id)
  }

  /** Returns true if the slot of the booking is free for others. */
  async function isFree(): Promise<boolean> {
    const held = await key.hold(offer, tenOClock)
    if (held.status === 201) await key.release(String(held.body.hold_id))
    return held.status === 201
  }

  test.each(table.filter(([from, to]) => from !== to))('from %s to %s', async (from, to) => {
    const id = await bookingWith(from)
    const before = await eventTypesOf(service, id)
    const etag = (await key.show(id)).headers['etag']
    service.clock.advance(1)
    const changed = await key.change(id, { status: to })
    expect(changed).toMatchObject({ status: 200, body: { status: to, starts_at: tenOClock } })
    expect(changed.headers['etag']).not.toBe(etag)
    expect((await key.show(id)).body).toEqual(changed.body)
    const cancelledAt = to === 'cancelled' ? changed.body.updated_at : null
    expect(changed.body.cancelled_at).toBe(cancelledAt)
    expect(changed.body.updated_at > changed.body.created_at).toBe(true)
    const events = await eventsOf(service, id)
    expect(events.map(({ type }) => type)).toEqual([...before, eventOf[to]])
    expect(events.at(-1)?.payload).toEqual({
      event: eventOf[to],
      timestamp: changed.body.updated_at,
      data: {
        id,
        status: to,
        service: { id: offer.service_id, name: 'Shiatsu' },
        client: ada,
        starts_at: tenOClock,
        ends_at: '2026-12-01T10:30:00+01:00',
        location: { id: offer.location_id, name: 'Main street' },
        items: eventItems(changed.body),
      },
    })
    expect(await isFree()).toBe(to === 'cancelled')
  })

  test.each(statuses)('from %s to itself nothing changes and nothing is sent', async (status) => {
    const id = await bookingWith(status)
    service.clock.advance(1)
    const [before, shown] = [await snapshot(service), await key.show(id)]
    const changed = await key.change(id, { status })
    expect(changed).toMatchObject({ status: 200, body: shown.body })
    expect(changed.headers['etag']).toBe(shown.headers['etag'])
    expect(await snapshot(service)).toEqual(before)
  })

  test('completed together with something else is two events of the same moment', async () => {
    const id = await bookingWith('confirmed')
    const changed = await key.change(id, { status: 'completed', notes: 'all well' })
    expect(changed).toMatchObject({ status: 200, headers: { etag: '"2"' } })
    const [, updated, completed, ...more] = await eventsOf(service, id)
    expect([updated?.type, completed?.type, more]).toEqual(['booking.updated', 'booking.completed', []])
    expect({ ...updated?.payload, event: '' }).toEqual({ ...completed?.payload, event: '' })
  })

  test('another status together with something else is one event', async () => {
    const id = await bookingWith('confirmed')
    await key.change(id, { status: 'in_progress', notes: 'late' })
    expect(await eventTypesOf(service, id)).toEqual(['booking.created', 'booking.updated'])
  })

  test('cancelled together with something else is a cancellation', async () => {
    const id = await bookingWith('confirmed')
    const cancelled = await key.change(id, { status: 'cancelled', notes: 'ill' })
    expect(cancelled).toMatchObject({ body: { status: 'cancelled', notes: 'ill' } })
    expect(await eventTypesOf(service, id)).toEqual(['booking.created', 'booking.cancelled'])
  })

  test('DELETE and PATCH to cancelled leave the same booking behind', async () => {
    const [one, two] = [await bookingWith('confirmed'), await bookingWith('confirmed')]
    const [deleted, patched] = [await key.cancel(one), await key.change(two, { status: 'cancelled' })]
    expect(deleted.status).toBe(200)
    const parts = ({ body }: typeof deleted) => ({
      ...body,
      id: '',
      manage_url: '',
      service: {},
      location: {},
      items: [],
    })
    expect(parts(deleted)).toEqual(parts(patched))
    expect(deleted.headers['etag']).toBe(patched.headers['etag'])
    expect(await eventTypesOf(service, one)).toEqual(await eventTypesOf(service, two))
  })

  test('cancelling records when, frees the slot and sends one event; repeating it changes nothing', async () => {
    const id = await bookingWith('confirmed')
    service.clock.advance(61)
    const cancelled = await key.cancel(id)
    expect(Date.parse(cancelled.body.cancelled_at)).toBe(service.clock.nowMs())
    expect(await takenClaim(service, id)).toBeUndefined()
    const before = await snapshot(service)
    service.clock.advance(61)
    const again = await key.cancel(id)
    expect(again).toMatchObject({ status: 200, body: cancelled.body })
    expect(again.headers['etag']).toBe(cancelled.headers['etag'])
    expect(await snapshot(service)).toEqual(before)
  })

  test('a cancelled booking comes back into its slot', async () => {
    const id = await bookingWith('cancelled')
    expect(await takenClaim(service, id)).toBeUndefined()
    const back = await key.change(id, { status: 'confirmed' })
    expect(back).toMatchObject({ status: 200, body: { status: 'confirmed', cancelled_at: null } })
    expect(await takenClaim(service, id)).toMatchObject({ booked_at: expect.any(String) })
  })

  test.each([
    ['slot_held', false],
    ['slot_booked', true],
  ])('it stays cancelled when its slot is gone: %s', async (code, booked) => {
    const id = await bookingWith('cancelled')
    const held = await key.hold(offer, '2026-12-01T10:15:00+01:00')
    if (booked) await key.book(String(held.body.hold_id))
    for (const status of ['pending', 'confirmed', 'in_progress', 'completed']) {
      await expectRefusal(service, () => key.change(id, { status }), { status: 409, body: { code } })
    }
  })

  test('an expired hold in its slot does not keep it out', async () => {
    const id = await bookingWith('cancelled')
    await key.hold(offer, tenOClock)
    service.clock.advance(600)
    expect(await key.change(id, { status: 'confirmed' })).toMatchObject({ status: 200 })
  })

  test('a cancelled booking of the past may become a completed one', async () => {
    const own = await makeOffer(service, business.id)
    const start = new Date(service.clock.nowMs() + 60_000).toISOString()
    const { id } = await bookSlot(key, own, start)
    await key.cancel(String(id))
    service.clock.advance(86_400)
    expect(await key.change(String(id), { status: 'completed' })).toMatchObject({
      status: 200,
      body: { status: 'completed', cancelled_at: null },
    })
  })

  test('a cancelled booking is moved only when it comes back', async () => {
    const id = await bookingWith('cancelled')
    const refused = { status: 409, body: { code: 'change_not_allowed', reason: 'not_allowed' } }
    for (const change of [
      { starts_at: '2026-12-02T10:00:00+01:00' },
      { ends_at: '2026-12-01T11:00:00+01:00', notes: 'longer', status: 'cancelled' },
    ]) {
      await expectRefusal(service, () => key.change(id, change), refused)
    }
    expect(await key.change(id, { starts_at: tenOClock, notes: 'ill' })).toMatchObject({ status: 200 })
    const back = await key.change(id, { starts_at: '2026-12-02T10:00:00+01:00', status: 'confirmed' })
    expect(back).toMatchObject({ status: 200, body: { starts_at: '2026-12-02T10:00:00+01:00' } })
    expect(await takenClaim(service, id)).toMatchObject({ booked_at: expect.any(String) })
  })

  test('of a move and a cancellation at once, one may be refused; a moved booking is never left cancelled', async () => {
    const id = await bookingWith('confirmed')
    const [moved, cancelled] = await Promise.all([
      key.change(id, { starts_at: '2026-12-03T10:00:00+01:00' }),
      key.cancel(id),
    ])
    expect(cancelled).toMatchObject({ status: 200, body: { status: 'cancelled' } })
    expect([200, 409]).toContain(moved.status)
    const events = [
      'booking.created',
      ...(moved.status === 200 ? ['booking.updated'] : []),
      'booking.cancelled',
    ]
    expect(await eventTypesOf(service, id)).toEqual(events)
  })
})
