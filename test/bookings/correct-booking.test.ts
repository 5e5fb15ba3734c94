import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { bookSlot, clientOf, sessionClient, type Client } from '../support/client.ts'
import { expectErrors, expectProblem } from '../support/expect-problem.ts'
import { onOneEngine } from '../support/long.ts'
import {
  deactivate,
  makeBusiness,
  makeLocation,
  makeOffer,
  makeService,
  makeStaff,
  type Offer,
  type OwnBusiness,
} from '../support/offers.ts'
import { eventsOf, eventTypesOf, rowOf, snapshot, takenClaim } from '../support/records.ts'
import { expectRefusal } from '../support/refusals.ts'
import { unknownId } from '../support/tenant-things.ts'
import { ada, startTestService, type Reply, type TestService } from '../support/test-service.ts'

const at = (time: string) => `2026-12-01T${time}:00+01:00`

onOneEngine('sqlite', 'correcting a booking', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let key: Client
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    key = clientOf(service, business.key)
  })
  afterAll(() => service.stop())

  const refused = (attempt: () => Promise<Reply>, expected: Parameters<typeof expectRefusal>[2]) =>
    expectRefusal(service, attempt, expected)
  const book = async (offer: Offer, time: string, more: Parameters<typeof bookSlot>[3] = {}) =>
    String((await bookSlot(key, offer, at(time), more)).id)

  describe('its client', () => {
    let id: string
    beforeEach(async () => {
      const client = { ...ada, phone: '030 1' }
      id = await book(await makeOffer(service, business.id), '10:00', { book: { client } })
    })

    test.each([
      ['first_name', { first_name: ' Augusta ' }, { first_name: 'Augusta' }],
      ['last_name', { last_name: 'King' }, { last_name: 'King' }],
      ['email', { email: 'countess@example.com' }, { email: 'countess@example.com' }],
      ['phone', { phone: '+44 1' }, { phone: '+44 1' }],
      ['phone, cleared', { phone: null }, { phone: null }],
      ['several', { first_name: 'A', email: 'a@example.com' }, { first_name: 'A', email: 'a@example.com' }],
    ])('%s alone is changed, with one booking.updated', async (_what, client, expected) => {
      const changed = await key.change(id, { client }, { 'if-match': '"1"' })
      expect(changed).toMatchObject({ status: 200, headers: { etag: '"2"' } })
      expect(changed.body.client).toEqual({ id: expect.any(String), ...ada, phone: '030 1', ...expected })
      expect((await key.show(id)).body).toEqual(changed.body)
      const events = await eventsOf(service, id)
      expect(events.map(({ type }) => type)).toEqual(['booking.created', 'booking.updated'])
      const { phone: _1, id: _2, ...told } = changed.body.client
      expect(events[1]?.payload['data']).toMatchObject({ client: told })
    })

    test.each([{}, { first_name: 'Ada' }, { ...ada, phone: '030 1' }])(
      '%j makes no difference',
      async (client) => {
        const before = await snapshot(service)
        expect(await key.change(id, { client })).toMatchObject({ status: 200, headers: { etag: '"1"' } })
        expect(await snapshot(service)).toEqual(before)
      },
    )

    test.each([
      ['/client', null],
      ['/client', 'Ada'],
      ['/client/first_name', { first_name: null }],
      ['/client/first_name', { first_name: '' }],
      ['/client/last_name', { last_name: 'x'.repeat(101) }],
      ['/client/email', { email: 'ada' }],
      ['/client/last_name', { last_name: null }],
      ['/client/phone', { phone: 'call me' }],
      ['/client/age', { age: 36 }],
    ])('%s is refused in %j', async (pointer, client) => {
      const before = await snapshot(service)
      expectErrors(await key.change(id, { client }), pointer)
      expect(await snapshot(service)).toEqual(before)
    })

    test('another version is refused', async () => {
      await refused(() => key.change(id, { client: { first_name: 'B' } }, { 'if-match': '"7"' }), {
        status: 412,
        body: { code: 'version_conflict', current_etag: '"1"' },
      })
    })
  })

  describe('who gives it', () => {
    let one: string
    let two: string
    let offer: Offer
    let id: string
    beforeEach(async () => {
      const staffIds = await makeStaff(service, business.id, ['One', 'Two'])
      ;[one = '', two = ''] = staffIds
      offer = await makeOffer(service, business.id, { staffIds, bufferAfter: 10, intervalMinutes: 30 })
      id = await book(offer, '10:00', { hold: { staff_id: one } })
    })
    const staffOf = async (booking: string) => (await key.show(booking)).body.staff?.id as unknown

    test('is changed in one step: the one is free and the other taken, buffers included', async () => {
      const changed = await key.change(id, { staff_id: two.toUpperCase() }, { 'if-match': '"1"' })
      expect(changed).toMatchObject({ status: 200, headers: { etag: '"2"' } })
      expect(changed.body.staff).toEqual({ id: two, name: expect.any(String) })
      expect((await key.show(id)).body).toEqual(changed.body)
      expect(await eventTypesOf(service, id)).toEqual(['booking.created', 'booking.updated'])
      expect(await rowOf(service, 'claims', id)).toMatchObject({
        resource_id: two,
        booked_at: expect.any(String),
        ended_at: null,
        taken_until: '2026-12-01T09:40:00.000Z',
      })
      expect(await key.hold(offer, at('10:00'), { staff_id: two })).toMatchObject({ status: 409 })
      expect(await key.hold(offer, at('10:00'), { staff_id: one })).toMatchObject({ status: 201 })
    })

    test('is the same as before: no new version', async () => {
      const before = await snapshot(service)
      for (const staff_id of [one, null]) {
        expect(await key.change(id, { staff_id })).toMatchObject({ status: 200, headers: { etag: '"1"' } })
      }
      expect(await snapshot(service)).toEqual(before)
    })

    test('must be free: a conflict changes nothing, and names times of that person', async () => {
      await book(offer, '10:00', { hold: { staff_id: two } })
      const session = await sessionClient(service, business)
      await refused(() => key.change(id, { staff_id: two }), {
        status: 409,
        body: {
          code: 'slot_booked',
          alternatives: [
            { starts_at: at('11:00'), staff_ids: [two] },
            { starts_at: at('09:00'), staff_ids: [two] },
            { starts_at: at('11:30'), staff_ids: [two] },
          ],
        },
      })
      await session.hold(offer, at('14:00'), { staff_id: two })
      await refused(() => key.change(id, { starts_at: at('14:00'), staff_id: two }), {
        status: 409,
        body: { code: 'slot_held' },
      })
      expect(await key.change(id, { starts_at: at('14:00') })).toMatchObject({ status: 200 })
    })

    test('may be changed with the time, and outside of hours and in blocks', async () => {
      const body = { staff_id: two, starts_at: at('11:00'), ends_at: at('13:00') }
      await service.call('POST', '/blocks', { token: business.key, body })
      expect(await key.change(id, { staff_id: two, starts_at: at('12:05') })).toMatchObject({
        status: 200,
        body: { starts_at: at('12:05'), staff: { id: two } },
      })
    })

    test('is known, active, gives the service and works there', async () => {
      const other = await makeBusiness(service)
      const [foreign] = await makeStaff(service, other.id, ['Foreign'])
      for (const staff_id of [unknownId, foreign]) {
        await refused(() => key.change(id, { staff_id }), { status: 404, body: { code: 'not_found' } })
      }
      const elsewhere = await makeLocation(service, business.id)
      const [stranger] = await makeStaff(service, business.id, ['Gives other things'])
      const [left = '', stays = ''] = await makeStaff(service, business.id, ['Left', 'Stays'])
      const [away = ''] = await makeStaff(service, business.id, ['Away'], [elsewhere])
      const location_id = await makeLocation(service, business.id)
      const staffIds = [left, stays, away]
      const service_id = await makeService(service, business.id, { locationIds: [location_id], staffIds })
      await deactivate(service, 'staff', left)
      const its = await book({ service_id, location_id }, '10:00')
      for (const staff_id of [stranger, left, away]) {
        await refused(() => key.change(its, { staff_id }), {
          status: 422,
          body: { code: 'slot_not_offered', reason: 'not_offered_here' },
        })
      }
      for (const staff_id of ['x', 7]) expectErrors(await key.change(its, { staff_id }), '/staff_id')
    })

    test('null: anyone who is free, before all those who work then', async () => {
      const other = await book(offer, '10:00', { hold: { staff_id: two } })
      await key.change(id, { starts_at: at('12:00') })
      // one has no time at 10:00, so the other gets it, and keeps it where possible
      await key.cancel(other)
      await book(offer, '10:00', { hold: { staff_id: one } })
      const moved = await key.change(id, { starts_at: at('10:00'), staff_id: null })
      expect(moved).toMatchObject({ status: 200, body: { staff: { id: two } } })
      expect(await staffOf(id)).toBe(two)
      const back = await key.change(id, { starts_at: at('15:00'), staff_id: null })
      expect(back.body.staff.id).toBe(two)
      const ill = { staff_id: two, starts_at: at('14:00'), ends_at: at('18:00') }
      await service.call('POST', '/blocks', { token: business.key, body: ill })
      const given = await key.change(id, { staff_id: null })
      expect(given).toMatchObject({ status: 200, body: { starts_at: at('15:00'), staff: { id: one } } })
      expect(await eventTypesOf(service, id)).toHaveLength(5)
    })

    test('null: 409 when nobody is free, with times at which anyone is', async () => {
      await book(offer, '14:00', { hold: { staff_id: one } })
      await book(offer, '14:00', { hold: { staff_id: two } })
      const reply = await key.change(id, { starts_at: at('14:00'), staff_id: null })
      expect(reply).toMatchObject({ status: 409, body: { code: 'slot_booked' } })
      expect(reply.body.alternatives[0].staff_ids).toEqual([one, two])
      expect(await staffOf(id)).toBe(one)
    })

    test('null: nobody, where nobody is needed', async () => {
      const plain = await book(await makeOffer(service, business.id), '10:00')
      expect(await key.change(plain, { staff_id: null })).toMatchObject({
        status: 200,
        headers: { etag: '"1"' },
      })
      await refused(() => key.change(plain, { staff_id: one }), {
        status: 422,
        body: { reason: 'not_offered_here' },
      })
    })

    test('of a cancelled booking is noted, and asked for when it takes its slot again', async () => {
      await key.cancel(id)
      expect((await key.change(id, { staff_id: two })).body).toMatchObject({
        status: 'cancelled',
        staff: { id: two },
      })
      expect(await takenClaim(service, id)).toBeUndefined()
      expect(await key.change(id, { status: 'confirmed' })).toMatchObject({ body: { staff: { id: two } } })
      expect(await takenClaim(service, id)).toMatchObject({ resource_id: two })
    })

    test('two bookings that are given to one person at once: one gets them', async () => {
      const staffIds = await makeStaff(service, business.id, ['A', 'B', 'Wanted'])
      const own = await makeOffer(service, business.id, { staffIds })
      const [first, second] = [
        await book(own, '10:00', { hold: { staff_id: staffIds[0] } }),
        await book(own, '10:00', { hold: { staff_id: staffIds[1] } }),
      ]
      const replies = await Promise.all(
        [first, second].map((of) => key.change(of, { staff_id: staffIds[2] })),
      )
      expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409])
    })
  })

  describe('a client who did not come', () => {
    let offer: Offer
    /** Creates a booking that has begun. */
    const begun = async (more: Parameters<typeof bookSlot>[3] = {}) => {
      const start = Math.ceil((service.clock.nowMs() + 1_000) / 300_000) * 300_000
      const { id } = await bookSlot(key, offer, new Date(start).toISOString(), more)
      service.clock.advance((start - service.clock.nowMs()) / 1_000)
      return String(id)
    }
    beforeEach(async () => {
      offer = await makeOffer(service, business.id, { capacity: 50 })
    })

    test('is marked: the booking is completed, with its event', async () => {
      const id = await begun()
      const marked = await key.change(id, { no_show: true }, { 'if-match': '"1"' })
      expect(marked).toMatchObject({ status: 200, body: { status: 'completed', no_show: true } })
      expect((await key.show(id)).body).toEqual(marked.body)
      expect(await eventTypesOf(service, id)).toEqual(['booking.created', 'booking.completed'])
      const before = await snapshot(service)
      expect(await key.change(id, { no_show: true, status: 'completed' })).toMatchObject({
        headers: { etag: '"2"' },
      })
      expect(await snapshot(service)).toEqual(before)
    })

    test('of a completed booking too, and not any more: each is booking.updated', async () => {
      const id = await begun()
      await key.change(id, { status: 'completed' })
      expect((await key.change(id, { no_show: true })).body).toMatchObject({
        no_show: true,
        status: 'completed',
      })
      expect((await key.change(id, { no_show: false })).body).toMatchObject({
        no_show: false,
        status: 'completed',
      })
      expect(await eventTypesOf(service, id)).toEqual([
        ...['booking.created', 'booking.completed', 'booking.updated', 'booking.updated'],
      ])
      const history = await service.call('GET', `/bookings/${id}/history`, { token: key.token })
      expect((history.body.data as { action: string }[]).map(({ action }) => action)).toEqual([
        ...['booking.no_show_removed', 'booking.no_show', 'booking.completed', 'booking.created'],
      ])
    })

    test('another status, or a start that lies ahead, takes the mark away', async () => {
      for (const change of [
        { status: 'confirmed' },
        { status: 'cancelled' },
        { starts_at: at('10:00') },
        { status: 'in_progress', no_show: false },
      ]) {
        const id = await begun()
        await key.change(id, { no_show: true })
        expect((await key.change(id, change)).body).toMatchObject({ no_show: false })
      }
    })

    test('is refused before it has begun, with another status, and as no truth value', async () => {
      const id = await book(offer, '10:00')
      const past = await begun()
      const before = await snapshot(service)
      expectErrors(await key.change(id, { no_show: true }), '/no_show')
      expectErrors(await key.change(past, { no_show: true, starts_at: at('12:00') }), '/no_show')
      expectErrors(await key.change(past, { no_show: true, status: 'confirmed' }), '/status')
      expectErrors(await key.change(past, { no_show: null }), '/no_show')
      expectErrors(await key.change(past, { no_show: 'yes' }), '/no_show')
      expect(await snapshot(service)).toEqual(before)
    })

    test('is told to keys alone', async () => {
      const session = await sessionClient(service, business)
      const { id } = await bookSlot(session, offer, at('10:00'))
      expect((await session.show(String(id))).body).not.toHaveProperty('no_show')
      expect((await key.show(String(id))).body).toMatchObject({ no_show: false })
      expect((await key.list({ limit: 1 })).body.data[0]).toHaveProperty('no_show')
      expectProblem(await session.change(String(id), { no_show: true }), 'key_type_not_allowed', {
        allowed_key_types: ['business', 'hub'],
      })
    })
  })
})
