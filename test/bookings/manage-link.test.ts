import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bookSlot, clientOf, sessionClient, type Client } from '../support/client.ts'
import { expectErrors, expectProblem } from '../support/expect-problem.ts'
import { onOneEngine } from '../support/long.ts'
import {
  deactivate,
  makeBusiness,
  makeOffer,
  makeStaff,
  type Offer,
  type OwnBusiness,
  type ServiceParts,
} from '../support/offers.ts'
import { eventTypesOf, rowOf, snapshot } from '../support/records.ts'
import { expectRefusal } from '../support/refusals.ts'
import { type Reply, startTestService, type TestService } from '../support/test-service.ts'

const at = (time: string, day = '2026-12-01') => `${day}T${time}:00+01:00`

/** Returns the calls of one manage token. */
function managerOf(service: TestService, token: string) {
  const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    service.call(method, `/manage${path}`, { token, ...(body !== undefined && { body }), headers })
  return {
    token,
    show: () => call('GET', ''),
    slots: async (from: string, to = from) => {
      const reply = await call('GET', `/availability?from=${from}&to=${to}`)
      expect(reply.status).toBe(200)
      const days = reply.body.days as { slots: { starts_at: string; staff_ids: string[] }[] }[]
      return days.flatMap(({ slots }) => slots)
    },
    move: (startsAt: string, headers?: Record<string, string>) =>
      call('POST', '/reschedule', { starts_at: startsAt }, headers),
    cancel: (reason?: string, headers?: Record<string, string>) =>
      call('POST', '/cancel', reason === undefined ? {} : { reason }, headers),
    file: () => call('GET', '/calendar.ics'),
  }
}

function tokenIn(url: unknown): string {
  const [, token = ''] = /^http:\/\/[^/]+\/manage#(cal_man_[0-9A-Za-z]{38})$/.exec(String(url)) ?? []
  expect(token).not.toBe('')
  return token
}

onOneEngine('sqlite', 'the manage link', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let key: Client
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    key = clientOf(service, business.key)
  })
  afterAll(() => service.stop())

  const book = async (offer: Offer, startsAt: string, hold: Record<string, unknown> = {}) => {
    const session = await sessionClient(service, business)
    const booking = await bookSlot(session, offer, startsAt, { hold })
    const id = String(booking.id)
    return { session, id, booking, client: managerOf(service, tokenIn(booking.manage_url)) }
  }
  const booked = async (parts: Partial<Omit<ServiceParts, 'locationIds'>> = {}, startsAt = at('10:00')) => {
    const offer = await makeOffer(service, business.id, parts)
    return { offer, ...(await book(offer, startsAt)) }
  }
  const clockAt = (instant: string) => {
    service.clock.advance((Date.parse(instant) - service.clock.nowMs()) / 1000)
  }
  const keepingTime = async (work: () => Promise<void>) => {
    const nowMs = service.clock.nowMs()
    try {
      await work()
    } finally {
      service.clock.advance((nowMs - service.clock.nowMs()) / 1000)
    }
  }
  const expectNotAllowed = (request: () => Promise<Reply>, reason: string) =>
    expectRefusal(service, request, { status: 409, body: { code: 'change_not_allowed', reason } })

  describe('the address', () => {
    test('is shown to the session that booked and to keys, but in no list', async () => {
      const { id, session, booking } = await booked()
      const url = booking.manage_url as string
      expect(await session.show(id)).toMatchObject({ body: { manage_url: url } })
      expect(await key.show(id)).toMatchObject({ body: { manage_url: url } })
      const stranger = await sessionClient(service, business)
      for (const token of [stranger.token, business.publishableKey]) {
        const { body } = await clientOf(service, token).show(id)
        expect(body).toMatchObject({ redacted: true })
        expect(body).not.toHaveProperty('manage_url')
      }
      expect(await key.change(id, { notes: 'x' })).toMatchObject({ body: { manage_url: url } })
      expect((await key.list({ limit: 1 })).body.data[0]).not.toHaveProperty('manage_url')
    })

    test('is in no table, and its token in none but as a digest', async () => {
      const offer = await makeOffer(service, business.id)
      const session = await sessionClient(service, business)
      const held = await session.hold(offer, at('10:00'))
      const creation = {
        token: session.token,
        headers: { 'idempotency-key': 'book once' },
        body: {
          hold_id: held.body.hold_id as string,
          client: { first_name: 'A', last_name: 'B', email: 'a@b.example' },
        },
      }
      const first = await service.call('POST', '/bookings', creation)
      const again = await service.call('POST', '/bookings', creation)
      expect(first.status).toBe(201)
      expect(again).toMatchObject({ status: 201, headers: { 'idempotent-replayed': 'true' } })
      expect(again.body).toEqual(first.body)
      const token = tokenIn(first.body.manage_url)
      for (const table of ['idempotency_records', 'bookings', 'events']) {
        expect(JSON.stringify(await service.rows(table)), table).not.toContain(token.slice(8, 40))
      }
      // a repeated request gets the later link
      const renewed = await service.call('POST', `/bookings/${String(first.body.id)}/manage-link`, {
        token: business.key,
      })
      expect(renewed.status).toBe(201)
      expect((await service.call('POST', '/bookings', creation)).body).toEqual({
        ...first.body,
        manage_url: renewed.body.manage_url as string,
      })
    })

    test('of a new link ends the one before, on every server', async () => {
      const { id, client } = await booked()
      expect((await client.show()).status).toBe(200)
      const beside = await startTestService(engine, {}, { beside: service })
      try {
        const elsewhere = managerOf(beside, client.token)
        expect((await elsewhere.show()).status).toBe(200)
        const renewed = await service.call('POST', `/bookings/${id}/manage-link`, { token: business.key })
        const next = managerOf(service, tokenIn(renewed.body.manage_url))
        expect((await next.show()).status).toBe(200)
        expectProblem(await client.show(), 'invalid_credentials')
        service.clock.advance(5)
        expectProblem(await elsewhere.show(), 'invalid_credentials')
        expect((await key.show(id)).body.manage_url).toBe(renewed.body.manage_url)
      } finally {
        await beside.stop()
      }
    })

    test('answers that show it, or the booking by it, are never kept by a cache nor compressed', async () => {
      const keys = ['one', 'two', 'three', 'four', 'five']
      const customFields = keys.map((name) => ({
        ...{ id: service.context.ids.next(), key: name, label: name },
        ...{ type: 'textarea' as const, required: false },
      }))
      const offer = await makeOffer(service, business.id, { customFields })
      const session = await sessionClient(service, business)
      const custom_field_values = customFields.map(({ id }) => ({ field_id: id, value: 'x'.repeat(1000) }))
      const { id, manage_url } = await bookSlot(session, offer, at('10:00'), {
        book: { custom_field_values },
      })
      const headers = { 'accept-encoding': 'gzip' }
      for (const [path, token] of [
        [`/bookings/${String(id)}`, session.token],
        ['/manage', tokenIn(manage_url)],
      ] as const) {
        const shown = await service.call('GET', path, { token, headers })
        expect(shown.headers).toMatchObject({ 'cache-control': 'no-store', etag: '"1"' })
        expect(shown.headers).not.toHaveProperty('content-encoding')
        expect(JSON.stringify(shown.body).length).toBeGreaterThan(4096) // a list of that length is compressed
      }
    })
  })

  describe('its token', () => {
    test('shows the client its booking whole, with what may be done', async () => {
      const { id, client } = await booked()
      const { status, body, headers } = await client.show()
      expect(status).toBe(200)
      expect(headers['etag']).toBe('"1"')
      expect(body).toMatchObject({
        booking: {
          id,
          client: { first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.com' },
          service: { name: 'Massage', price: null },
          location: { name: 'Main street', address: null },
        },
        policy: {
          can_cancel: true,
          cancel_until: at('10:00', '2026-11-30'),
          can_reschedule: true,
          reschedule_until: at('10:00', '2026-11-30'),
          reschedules_left: 3,
          refund: 'none',
        },
        business: { name: 'Corner Spa', brand_name: null },
      })
      expect(body.booking).not.toHaveProperty('redacted')
      expect(body.booking).not.toHaveProperty('no_show')
      expect(body.booking).not.toHaveProperty('manage_url')
    })

    test('fifty looks at everything that can be looked at change nothing', async () => {
      const { client } = await booked()
      const before = await snapshot(service)
      for (let looks = 0; looks < 50; looks += 1) {
        expect((await client.show()).status).toBe(200)
        if (looks % 10 === 0) expect(await client.slots('2026-12-01')).not.toEqual([])
        if (looks % 10 === 0) expect((await client.file()).status).toBe(200)
      }
      expect(await snapshot(service)).toEqual(before)
    })

    test('wrong, ended and foreign ones are refused alike', async () => {
      const { client } = await booked({}, at('10:00', '2026-11-25'))
      const { client: other } = await booked()
      const wrong = `${client.token.slice(0, -1)}${client.token.endsWith('a') ? 'b' : 'a'}`
      const elsewhere = await startTestService(engine)
      try {
        await keepingTime(async () => {
          clockAt('2026-11-26T09:29:59Z')
          expect((await client.show()).status).toBe(200)
          clockAt('2026-11-26T09:30:00Z') // a day after its end
          const replies = [
            await client.show(),
            await managerOf(service, wrong).show(),
            await managerOf(elsewhere, other.token).show(),
          ]
          for (const reply of replies) {
            expectProblem(reply, 'invalid_credentials')
            expect(reply.headers['www-authenticate']).toBe('Bearer error="invalid_token"')
          }
          expect(new Set(replies.map(({ body }) => body.detail as string)).size).toBe(1)
          expectProblem(await client.cancel(), 'invalid_credentials')
        })
      } finally {
        await elsewhere.stop()
      }
    })

    test('is in no line of the log and in no metric', async () => {
      const { client } = await booked()
      await client.show()
      await client.move('never')
      await client.cancel('x'.repeat(501))
      await client.cancel()
      const metrics = await service.call('GET', '//metrics')
      const secret = client.token.slice(8, 40)
      expect(service.logLines.join('\n')).not.toContain(secret)
      expect(service.logLines.join('\n')).toContain('"key_type":"manage"')
      expect(String(metrics.body)).not.toContain(secret)
      expect(service.statements.join('\n')).not.toContain(secret)
    })

    test('survives a change of HOLDFAST_SECRET, but is then shown no more until a new link is made', async () => {
      const { id, client } = await booked()
      const variables = { HOLDFAST_SECRET: Buffer.alloc(32, 7).toString('base64') }
      const beside = await startTestService(engine, variables, { beside: service })
      try {
        const there = clientOf(beside, business.key)
        expect((await managerOf(beside, client.token).show()).status).toBe(200)
        expect((await there.show(id)).body).not.toHaveProperty('manage_url')
        const renewed = await beside.call('POST', `/bookings/${id}/manage-link`, { token: business.key })
        expect((await there.show(id)).body.manage_url).toBe(renewed.body.manage_url)
      } finally {
        await beside.stop()
      }
    })
  })

  describe('moving', () => {
    test('takes an offered slot, frees the old one, counts, and tells webhooks', async () => {
      const { client, id, offer } = await booked({ maxReschedules: 2 })
      const offered = await client.slots('2026-12-02')
      expect(offered.map(({ starts_at }) => starts_at)).toContain(at('12:00', '2026-12-02'))
      const moved = await client.move(at('12:00', '2026-12-02'), { 'if-match': '"1"' })
      expect(moved).toMatchObject({
        status: 200,
        headers: { etag: '"2"' },
        body: { id, starts_at: at('12:00', '2026-12-02'), ends_at: at('12:30', '2026-12-02') },
      })
      expect(await eventTypesOf(service, id)).toEqual(['booking.created', 'booking.updated'])
      expect((await key.hold(offer, at('10:00'))).status).toBe(201)
      expect((await client.show()).body.policy).toMatchObject({ reschedules_left: 1 })
      // already at that time: nothing happens, and nothing is counted
      expect((await client.move(at('12:00', '2026-12-02'))).headers['etag']).toBe('"2"')
      expect((await client.move(at('13:00', '2026-12-02'))).status).toBe(200)
      expect((await client.show()).body.policy).toMatchObject({ can_reschedule: false, reschedules_left: 0 })
      await expectNotAllowed(() => client.move(at('14:00', '2026-12-02')), 'too_many')
      // no limit applies to the business, and its moves do not count
      expect((await key.change(id, { starts_at: at('15:00') })).status).toBe(200)
      expect(await rowOf(service, 'bookings', id)).toMatchObject({ client_reschedules: 2 })
    })

    test('is possible until the last second before the cut-off, and not from it on', async () => {
      const { client } = await booked({ rescheduleUntilMinutes: 90 })
      await keepingTime(async () => {
        clockAt(at('08:30'))
        expect((await client.show()).body.policy).toMatchObject({ can_reschedule: false, can_cancel: false })
        await expectNotAllowed(() => client.move(at('12:00')), 'too_late')
        service.clock.advance(-1)
        expect((await client.show()).body.policy).toMatchObject({ can_reschedule: true, can_cancel: false })
        expect((await client.move(at('12:00'))).status).toBe(200)
      })
    })

    test('is never possible where the service says so', async () => {
      const { client } = await booked({ rescheduleUntilMinutes: null, cancelUntilMinutes: null })
      expect((await client.show()).body.policy).toMatchObject({
        ...{ can_reschedule: false, reschedule_until: null, can_cancel: false, cancel_until: null },
      })
      await expectNotAllowed(() => client.move(at('12:00')), 'not_allowed')
      await expectNotAllowed(() => client.cancel(), 'not_allowed')
    })

    test('twice at once: one moves it, and the other hears that it has changed', async () => {
      const { client } = await booked()
      const replies = await Promise.all(
        ['11:00', '12:00'].map((time) => client.move(at(time), { 'if-match': '"1"' })),
      )
      const [done, refused] = replies.toSorted((one, other) => one.status - other.status)
      expect(done).toMatchObject({ status: 200, headers: { etag: '"2"' } })
      expectProblem(refused as Reply, 'version_conflict', { current_etag: '"2"' })
      expect((await client.show()).body.booking.starts_at).toBe(done?.body.starts_at)
    })

    test('goes only to what sessions are offered: not in the notice, beyond the horizon, off the grid or taken', async () => {
      const { client, offer } = await booked({ intervalMinutes: 30, noticeMinutes: 60, horizonDays: 30 })
      await bookSlot(key, offer, at('11:00'))
      const refused = async (startsAt: string, code: string, reason?: string) => {
        const body = { code, ...(reason !== undefined && { reason }) }
        const status = code === 'slot_not_offered' ? 422 : 409
        await expectRefusal(service, () => client.move(startsAt), { status, body })
        const day = startsAt.slice(0, 10)
        const offered = (await client.slots(day)).map(({ starts_at }) => starts_at)
        expect(offered).not.toContain(startsAt)
      }
      await refused(at('10:30', '2026-11-20'), 'slot_not_offered', 'too_soon')
      await refused(at('09:00', '2026-11-20'), 'slot_not_offered', 'in_the_past')
      await refused(at('10:00', '2027-01-15'), 'slot_not_offered', 'beyond_horizon')
      await refused(at('12:10'), 'slot_not_offered', 'not_on_grid')
      await refused(at('11:00'), 'slot_booked')
      const taken = await client.move(at('11:00'))
      expect(taken.body.alternatives).toHaveLength(3)
      // its own time does not block it
      expect((await client.slots('2026-12-01')).map(({ starts_at }) => starts_at)).toContain(at('10:00'))
    })

    test('goes to no blocked time, and to none after the service has ended', async () => {
      const { client, offer } = await booked()
      const block = { location_id: offer.location_id, starts_at: at('12:00'), ends_at: at('13:00') }
      expect((await service.call('POST', '/blocks', { token: business.key, body: block })).status).toBe(201)
      await expectRefusal(service, () => client.move(at('12:30')), {
        status: 422,
        body: { code: 'slot_not_offered', reason: 'blocked' },
      })
      await deactivate(service, 'services', offer.service_id)
      await expectRefusal(service, () => client.move(at('14:00')), {
        status: 422,
        body: { code: 'slot_not_offered', reason: 'not_offered_here' },
      })
    })

    test('keeps the person that the client chose, and only that one', async () => {
      const staffIds = await makeStaff(service, business.id, ['Kim', 'Lee'])
      const offer = await makeOffer(service, business.id, { staffIds })
      const [kim = '', lee = ''] = staffIds
      const { client } = await book(offer, at('10:00'), { staff_id: kim })
      await bookSlot(key, { ...offer, staff_id: kim } as Offer, at('12:00'))
      const offered = await client.slots('2026-12-01')
      expect(new Set(offered.flatMap(({ staff_ids }) => staff_ids))).toEqual(new Set([kim]))
      await expectRefusal(service, () => client.move(at('12:00')), {
        status: 409,
        body: { code: 'slot_booked' },
      })
      expect((await client.move(at('13:00'))).body.staff.id).toBe(kim)
      // without a choice: any free staff member, the same one first
      const any = await book(offer, at('15:00'))
      const first = String(any.booking.staff.id)
      expect((await any.client.move(at('16:00'))).body.staff.id).toBe(first)
      await bookSlot(key, { ...offer, staff_id: first } as Offer, at('17:00'))
      const second = first === kim ? lee : kim
      expect((await any.client.move(at('17:00'))).body.staff.id).toBe(second)
    })

    test('keeps the length that the business gave the booking', async () => {
      const { client, id } = await booked({ minutes: 30, intervalMinutes: 30 })
      await key.change(id, { ends_at: at('11:30') })
      expect((await client.move(at('14:00'))).body).toMatchObject({ ends_at: at('15:30') })
      const offered = (await client.slots('2026-12-01')).map(({ starts_at }) => starts_at)
      expect(offered).toContain(at('13:00'))
    })
  })

  describe('cancelling', () => {
    test('frees the slot, keeps the reason for the business, and leaves a link that only shows', async () => {
      const { client, id, offer } = await booked()
      const cancelled = await client.cancel('A cold.\nSorry!', { 'if-match': '"1"' })
      expect(cancelled).toMatchObject({
        status: 200,
        body: { status: 'cancelled', cancel_reason: 'A cold.\nSorry!' },
      })
      expect(await eventTypesOf(service, id)).toEqual(['booking.created', 'booking.cancelled'])
      expect((await key.show(id)).body.cancel_reason).toBe('A cold.\nSorry!')
      expect((await key.hold(offer, at('10:00'))).status).toBe(201)
      expect((await client.show()).body).toMatchObject({
        booking: { status: 'cancelled' },
        policy: { can_cancel: false, can_reschedule: false },
      })
      await expectNotAllowed(() => client.cancel(), 'not_allowed')
      await expectNotAllowed(() => client.move(at('12:00')), 'not_allowed')
      // for a page with outdated contents, the version is checked first
      const stale = await client.move(at('12:00'), { 'if-match': '"1"' })
      expectProblem(stale, 'version_conflict', { current_etag: '"2"' })
    })

    test('is possible until the last second before the cut-off, and not from it on', async () => {
      const { client } = await booked({ cancelUntilMinutes: 0 })
      await keepingTime(async () => {
        clockAt(at('10:00'))
        await expectNotAllowed(() => client.cancel(), 'too_late')
        service.clock.advance(-1)
        expect((await client.cancel()).status).toBe(200)
      })
    })

    test('is always possible while the booking is pending, and never once it has begun or is over', async () => {
      const { client, id } = await booked({ cancelUntilMinutes: null })
      for (const status of ['in_progress', 'completed']) {
        await key.change(id, { status })
        await expectNotAllowed(() => client.cancel(), 'not_allowed')
      }
      await key.change(id, { status: 'pending' })
      expect((await client.show()).body.policy).toMatchObject({ can_cancel: true, cancel_until: null })
      expect((await client.cancel()).body.status).toBe('cancelled')
    })

    test('of a version that has changed since is refused, and a reason is at most 500 characters', async () => {
      const { client, id } = await booked()
      await key.change(id, { notes: 'changed' })
      expectProblem(await client.cancel(undefined, { 'if-match': '"1"' }), 'version_conflict', {
        current_etag: '"2"',
      })
      expectErrors(await client.cancel('x'.repeat(501)), '/reason')
      expect((await client.cancel('x'.repeat(500), { 'if-match': '"2"' })).status).toBe(200)
      // booked again by the business: the reason no longer applies
      expect((await key.change(id, { status: 'confirmed' })).body).not.toHaveProperty('cancel_reason')
    })
  })

  test('its calendar file is one that calendars replace after a change', async () => {
    const staffIds = await makeStaff(service, business.id, [
      'Kim; Köhler, née Übermäßig-Lang von und zu Hohenstein',
    ])
    const offer = await makeOffer(service, business.id, { staffIds })
    const { client, id } = await book(offer, at('10:00'))
    const file = await client.file()
    expect(file.headers).toMatchObject({
      'content-type': 'text/calendar; charset=utf-8',
      'content-disposition': 'attachment; filename="appointment.ics"',
      'cache-control': 'no-store',
    })
    const text = String(file.body)
    for (const line of text.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75)
    const lines = text.replaceAll('\r\n ', '').split('\r\n')
    expect(lines).toEqual(
      expect.arrayContaining([
        ...[`UID:${id}@holdfast`, 'SEQUENCE:0', 'METHOD:PUBLISH', 'STATUS:CONFIRMED'],
        ...['DTSTART:20261201T090000Z', 'DTEND:20261201T093000Z', 'LOCATION:Main street'],
        'SUMMARY:Massage – Corner Spa',
        expect.stringMatching(
          /^DESCRIPTION:Kim\\; Köhler\\, née Übermäßig-Lang von und zu Hohenstein\\n.*manage#cal_man_/,
        ),
      ]),
    )
    await client.cancel()
    expect(String((await client.file()).body)).toMatch(/SEQUENCE:1\r\n[^]*STATUS:CANCELLED/)
  })

  test('a service takes the three rules, and null for never', async () => {
    const locations = await makeOffer(service, business.id)
    const body = { name: 'Ruled', duration_minutes: 30, location_ids: [locations.location_id] }
    const call = (method: string, path: string, sent: object) =>
      service.call(method, path, { token: business.key, body: sent })
    const made = await call('POST', '/services', body)
    expect(made.body).toMatchObject({
      ...{ cancel_until_minutes: 1440, reschedule_until_minutes: 1440, max_reschedules: 3 },
    })
    const rules = { cancel_until_minutes: 0, reschedule_until_minutes: 43_200, max_reschedules: 0 }
    expect((await call('POST', '/services', { ...body, ...rules })).body).toMatchObject(rules)
    const never = { cancel_until_minutes: null, reschedule_until_minutes: null }
    expect((await call('PATCH', `/services/${String(made.body.id)}`, never)).body).toMatchObject(never)
    const wrong = { cancel_until_minutes: 43_201, reschedule_until_minutes: -1, max_reschedules: 101 }
    expectErrors(
      await call('PATCH', `/services/${String(made.body.id)}`, wrong),
      ...['/cancel_until_minutes', '/reschedule_until_minutes', '/max_reschedules'],
    )
  })
})
