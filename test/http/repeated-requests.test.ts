import { afterAll, beforeAll, expect, test } from 'vitest'
import { onOneEngine, rounds } from '../support/long.ts'
import { payInSandbox } from '../support/paid-booking.ts'
import {
  ada,
  businessOf,
  offer,
  startTestService,
  type Reply,
  type TestService,
} from '../support/test-service.ts'

onOneEngine('sqlite', 'a request that is repeated with its Idempotency-Key', (engine) => {
  let service: TestService
  let token: string
  let slots = 0

  beforeAll(async () => {
    service = await startTestService(engine, { RATE_LIMIT_FACTOR: '1000' })
    token = await service.session()
  })
  afterAll(() => service.stop())

  const nextSlot = () => ({
    ...offer(businessOf(service.world, 'Salon Spree'), 'Meeting room'),
    starts_at: new Date(Date.UTC(2027, 0, 1) + (slots += 2) * 3_600_000).toISOString(),
  })
  const post = (path: string, body: unknown, key: string, as = token): Promise<Reply> =>
    service.call('POST', path, { token: as, body, headers: { 'idempotency-key': key } })
  const held = async (): Promise<string> => {
    const reply = await service.call('POST', '/bookings/hold', { token, body: nextSlot() })
    return reply.body.hold_id as string
  }

  test('gets the first answer to the byte, marked, and has no second effect', async () => {
    const conversion = { hold_id: await held(), client: ada, notes: 'first' }
    const first = await post('/bookings', conversion, 'book-1')
    const events = await service.rows('events')
    const second = await post('/bookings', conversion, 'book-1')
    expect(first).toMatchObject({ status: 201, headers: { etag: '"1"' } })
    expect(first.headers).not.toHaveProperty('idempotent-replayed')
    expect(second).toEqual({ ...first, headers: second.headers })
    expect(second.headers).toMatchObject({
      etag: '"1"',
      'idempotent-replayed': 'true',
      'content-type': first.headers['content-type'],
      'content-length': first.headers['content-length'],
    })
    expect(await service.rows('events')).toEqual(events)
  })

  test('gives the hold that was placed, not another one', async () => {
    const slot = nextSlot()
    const first = await post('/bookings/hold', slot, 'hold-1')
    const second = await post('/bookings/hold', slot, 'hold-1')
    expect(second.body).toEqual(first.body)
    expect(second.headers['idempotent-replayed']).toBe('true')
  })

  test('does not mind the order of members, spaces and letter case of ids', async () => {
    const slot = nextSlot()
    const first = await post('/bookings/hold', slot, 'order-1')
    const rawBody = `{ "starts_at": ${JSON.stringify(slot.starts_at)}, "location_id": ${JSON.stringify(
      slot.location_id.toUpperCase(),
    )},  "service_id": ${JSON.stringify(slot.service_id)} }`
    const headers = { 'idempotency-key': 'order-1', 'content-type': 'application/json' }
    const second = await service.call('POST', '/bookings/hold', { token, rawBody, headers })
    expect(second.body).toEqual(first.body)
  })

  test('is refused when the same key comes with another request, and nothing changes', async () => {
    await post('/bookings/hold', nextSlot(), 'reused-1')
    const before = await service.rows('claims')
    const reply = await post('/bookings/hold', nextSlot(), 'reused-1')
    expect(reply).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } })
    expect(await service.rows('claims')).toEqual(before)
  })

  test('is another request for another caller and another route', async () => {
    const other = await service.session()
    const slot = nextSlot()
    expect(await post('/bookings/hold', slot, 'shared')).toMatchObject({ status: 201 })
    expect(await post('/bookings/hold', slot, 'shared', other)).toMatchObject({
      status: 409,
      body: { code: 'slot_held' },
    })
    expect(await post('/bookings', { hold_id: await held(), client: ada }, 'shared')).toMatchObject({
      status: 201,
      body: { status: 'confirmed' },
    })
  })

  test('does its work anew after a refusal: only success is kept', async () => {
    const slot = nextSlot()
    const rival = await service.session()
    const taken = await service.call('POST', '/bookings/hold', { token: rival, body: slot })
    expect(await post('/bookings/hold', slot, 'retry-1')).toMatchObject({ status: 409 })
    await service.call('DELETE', `/bookings/hold/${taken.body.hold_id}`, { token: rival })
    const again = await post('/bookings/hold', slot, 'retry-1')
    expect(again.status).toBe(201)
    expect(again.headers).not.toHaveProperty('idempotent-replayed')
  })

  test('counts for a session over its refreshes', async () => {
    const first = await service.session()
    const slot = nextSlot()
    const placed = await post('/bookings/hold', slot, 'refresh-1', first)
    const refreshed = await service.session(undefined, { 'x-previous-session': first })
    const repeated = await post('/bookings/hold', slot, 'refresh-1', refreshed)
    expect(repeated.body).toEqual(placed.body)
  })

  test('is forgotten after 24 hours, whether or not anything cleaned up', async () => {
    const key = businessOf(service.world, 'Salon Spree').business_key
    const slot = { ...nextSlot(), starts_at: '2028-05-01T10:00:00Z' }
    const first = await post('/bookings/hold', slot, 'day-1', key)
    service.clock.advance(86_399)
    expect((await post('/bookings/hold', slot, 'day-1', key)).body).toEqual(first.body)
    service.clock.advance(1)
    const later = await post('/bookings/hold', slot, 'day-1', key)
    expect(later).toMatchObject({ status: 201 })
    expect(later.body.hold_id).not.toBe(first.body.hold_id)
    token = await service.session()
  })

  test.each(['', 'x'.repeat(256)])('is refused with a key of %j', async (key) => {
    expect(await post('/bookings/hold', nextSlot(), key)).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/Idempotency-Key' }] },
    })
  })

  test.each(['line\nfeed', 'tab\tted', 'nul\u0000', 'schlüssel', '\u007f'])(
    'is refused with a key of other than ASCII letters, digits and signs: %j',
    async (key) => {
      expect(await post('/bookings/hold', nextSlot(), key)).toMatchObject({
        status: 422,
        body: { errors: [{ pointer: '/Idempotency-Key', code: 'invalid_format' }] },
      })
    },
  )

  test.each(['x', 'x'.repeat(255), '2f1c7a5e-9a0b-4d35-8a53-6f0f3d2b8a11', '"quoted" {key}: ~'])(
    'is taken with a key of %j',
    async (key) => {
      const slot = nextSlot()
      expect(await post('/bookings/hold', slot, key)).toMatchObject({ status: 201 })
      expect((await post('/bookings/hold', slot, key)).headers['idempotent-replayed']).toBe('true')
    },
  )

  const times = rounds(4, 20)

  test(`has one effect and identical answers, ${String(50 * times)} times and 50 at a time`, async () => {
    const conversion = { hold_id: await held(), client: ada }
    const bodies = new Set<string>()
    let fresh = 0
    for (let round = 0; round < times; round += 1) {
      const replies = await Promise.all(
        Array.from({ length: 50 }, () => post('/bookings', conversion, 'thousand')),
      )
      for (const reply of replies) {
        expect(reply.status).toBe(201)
        bodies.add(JSON.stringify(reply.body))
        if (!('idempotent-replayed' in reply.headers)) fresh += 1
      }
    }
    expect(bodies.size).toBe(1)
    expect(fresh).toBe(1)
    const created = (await service.events()).filter(({ booking_id }) => booking_id === conversion.hold_id)
    expect(created).toHaveLength(1)
  })

  let paid = ''
  /** The body of each creation, by the URL in the document. */
  const bodies: Record<string, () => Promise<object>> = {
    '/bookings/hold': () => Promise.resolve(nextSlot()),
    '/bookings': async () => ({ hold_id: await held(), client: ada }),
    '/bookings/batch': async () => ({ ids: [await held()], change: 'cancel' }),
    '/bookings/{id}/refund': async () => {
      const body = { hold_id: await held(), client: ada }
      const { id } = (await service.call('POST', '/bookings', { token, body })).body as { id: string }
      await payInSandbox(service, id)
      paid = id
      return { amount: 1_000 }
    },
    '/bookings/{id}/charge': async () => {
      const body = { hold_id: await held(), client: ada }
      const { id } = (await service.call('POST', '/bookings', { token, body })).body as { id: string }
      await payInSandbox(service, id)
      paid = id
      return { amount: 1_000, reason: 'Late' }
    },
    '/businesses': () => Promise.resolve({ name: 'Another', timezone: 'UTC' }),
    '/blocks': () =>
      Promise.resolve({
        location_id: offer(businessOf(service.world, 'Salon Spree'), 'Meeting room').location_id,
        starts_at: '2029-01-01T10:00:00Z',
        ends_at: '2029-01-01T11:00:00Z',
      }),
    '/services': () =>
      Promise.resolve({
        business_id: salonId(),
        name: 'Another',
        duration_minutes: 30,
        location_ids: [offer(businessOf(service.world, 'Salon Spree'), 'Meeting room').location_id],
      }),
    '/locations': () => Promise.resolve({ business_id: salonId(), name: 'Another' }),
    '/staff': () => Promise.resolve({ business_id: salonId(), name: 'Another' }),
    '/resources': () =>
      Promise.resolve({
        location_id: offer(businessOf(service.world, 'Salon Spree'), 'Meeting room').location_id,
        name: 'Another',
      }),
    '/busy-calendars': () =>
      Promise.resolve({
        staff_id: businessOf(service.world, 'Salon Spree').staff[0]?.id,
        url: 'https://calendar.example.com/anna.ics',
      }),
    '/waitlist': () =>
      Promise.resolve({
        ...offer(businessOf(service.world, 'Salon Spree'), 'Meeting room'),
        ...{ from: '2026-12-01', to: '2026-12-02', client: ada },
      }),
    '/coupons': () => Promise.resolve({ business_id: salonId(), code: 'TEN', percent: 10 }),
    '/clients': () => Promise.resolve({ business_id: salonId(), first_name: 'Eve' }),
    '/clients/block': () => Promise.resolve({ business_id: salonId(), email: 'eve@example.com' }),
  }
  const salonId = () => businessOf(service.world, 'Salon Spree').id

  test('gets the first answer of every route whose reference speaks of the header', async () => {
    const { paths } = (await service.call('GET', '//openapi.json')).body as {
      paths: Record<string, { post?: { parameters?: { name: string }[] } }>
    }
    const idempotent = Object.keys(paths).filter((path) =>
      paths[path]?.post?.parameters?.some(({ name }) => name === 'Idempotency-Key'),
    )
    expect(idempotent.map((path) => path.replace('/api/v1', '')).toSorted()).toEqual(
      Object.keys(bodies).toSorted(),
    )
    for (const [path, bodyOf] of Object.entries(bodies)) {
      const body = await bodyOf()
      const [first, second] = [
        await post(path.replace('{id}', paid), body, 'everywhere', service.world.hub.key),
        await post(path.replace('{id}', paid), body, 'everywhere', service.world.hub.key),
      ]
      const status = path === '/bookings/batch' ? 200 : 201
      expect([path, first.status, first.body]).toEqual([path, status, first.body])
      expect([path, second]).toMatchObject([
        path,
        { body: first.body, headers: { 'idempotent-replayed': 'true' } },
      ])
    }
  })

  test('is ignored where the answer shows a secret', async () => {
    const key = businessOf(service.world, 'Salon Spree').publishable_key
    const call = () => service.call('POST', '/session', { token: key, headers: { 'idempotency-key': 's' } })
    const [one, two] = [await call(), await call()]
    expect(two.body.session_token).not.toBe(one.body.session_token)
  })
})
