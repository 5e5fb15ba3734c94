import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ProblemCode, problemKinds } from '../../src/base/errors.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { onOneEngine } from '../support/long.ts'
import {
  bookingOf,
  changeRows,
  holdOf,
  nextStart,
  restrictOrigins,
  unknownId,
} from '../support/tenant-things.ts'
import {
  ada,
  businessOf,
  type CallOptions,
  offer,
  type Reply,
  startTestService,
  type TestService,
} from '../support/test-service.ts'

onOneEngine('sqlite', 'problem documents', (engine) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(engine, {
      MAX_HOLDS_PER_SESSION: '1',
      RATE_LIMIT_FACTOR: '1',
      STRIPE_SECRET_KEY: 'sk_test_x',
      STRIPE_WEBHOOK_SECRET: 'whsec_x',
      STRIPE_API_URL: 'http://127.0.0.1:1', // nobody answers there
    })
    await restrictOrigins(service, business('Thames Barbers'), ['https://barbers.example'])
  })
  afterAll(() => service.stop())

  const business = (name: string) => businessOf(service.world, name)
  const salon = () => business('Salon Spree')
  const call = (method: string, path: string, options: CallOptions = {}) =>
    service.call(method, path, options)
  const book = (token: string, hold_id: string) =>
    call('POST', '/bookings', { token, body: { hold_id, client: ada } })
  const hold = async (token: string, wanted: object) =>
    call('POST', '/bookings/hold', { token, body: wanted })

  /** Creates a held slot of the meeting room, and a session that did not hold it. */
  const heldSlot = async () => {
    const owner = await service.session()
    const wanted = { ...offer(salon(), 'Meeting room'), starts_at: nextStart() }
    const held = await hold(owner, wanted)
    expect(held.status).toBe(201)
    return { owner, wanted, hold_id: held.body.hold_id as string, rival: await service.session() }
  }

  const cases: [code: ProblemCode, beside: Record<string, unknown>, provoke: () => Promise<Reply>][] = [
    [
      'malformed_json',
      {},
      () =>
        call('POST', '/bookings', {
          token: salon().business_key,
          rawBody: '{',
          headers: { 'content-type': 'application/json' },
        }),
    ],
    ['invalid_signature', {}, () => call('POST', '//payments/stripe/webhook', { rawBody: '{}' })],
    ['missing_credentials', {}, () => call('GET', '/services')],
    ['invalid_credentials', {}, () => call('GET', '/services', { token: 'cal_biz_none' })],
    [
      'session_expired',
      {},
      async () => {
        const token = await service.session()
        service.clock.advance(3600)
        return call('GET', '/services', { token })
      },
    ],
    [
      'key_type_not_allowed',
      { allowed_key_types: ['business', 'hub'] },
      async () => call('PATCH', `/bookings/${unknownId}`, { token: await service.session() }),
    ],
    [
      'plan_required',
      { required_plan: 'enterprise' },
      () => call('GET', '/services', { token: business('Lotus Clinic').business_key }),
    ],
    [
      'origin_not_allowed',
      {},
      () =>
        call('POST', '/session', {
          token: business('Thames Barbers').publishable_key,
          headers: { origin: 'https://evil.example' },
        }),
    ],
    ['not_found', {}, () => call('GET', `/services/${unknownId}`, { token: salon().business_key })],
    ['hold_not_found', {}, async () => book(await service.session(), unknownId)],
    [
      'hold_expired',
      {},
      async () => {
        const { owner, hold_id } = await heldSlot()
        service.clock.advance(600)
        return book(owner, hold_id)
      },
    ],
    ['method_not_allowed', {}, () => call('PUT', '/services')],
    [
      'hold_converted',
      { booking_id: expect.any(String) },
      async () => {
        const token = await service.session()
        const hold_id = await holdOf(service, salon(), { token })
        expect((await book(token, hold_id)).status).toBe(201)
        return book(token, hold_id)
      },
    ],
    [
      'version_conflict',
      { current_etag: '"1"' },
      async () => {
        const id = await bookingOf(service, salon(), { token: await service.session() })
        const headers = { 'if-match': '"7"' }
        return call('DELETE', `/bookings/${id}`, { token: salon().business_key, headers })
      },
    ],
    [
      'payload_too_large',
      {},
      () => call('POST', '/bookings', { token: salon().business_key, body: 'x'.repeat(70_000) }),
    ],
    [
      'unsupported_media_type',
      {},
      () =>
        call('POST', '/bookings', {
          token: salon().business_key,
          rawBody: 'x',
          headers: { 'content-type': 'text/plain' },
        }),
    ],
    [
      'hold_limit_reached',
      {},
      async () => {
        const token = await service.session()
        await holdOf(service, salon(), { token })
        return hold(token, { ...offer(salon(), 'Haircut'), starts_at: nextStart() })
      },
    ],
    [
      'booking_limit_reached',
      {},
      async () => {
        const { owner, hold_id } = await heldSlot()
        const options = { token: salon().business_key, body: { email: ada.email } }
        expect(await call('POST', '/clients/block', options)).toMatchObject({ status: 201 })
        const refused = await book(owner, hold_id)
        expect(await call('DELETE', '/clients/block', options)).toMatchObject({ status: 204 })
        return refused
      },
    ],
    [
      'unavailable',
      {},
      async () => {
        const token = await service.session()
        return book(token, await holdOf(service, salon(), { token, service: 'Treatment' }))
      },
    ],
  ]

  test.each(cases)(
    '%s has its status, its title, its page and a detail for people',
    async (code, beside, provoke) => {
      expectProblem(await provoke(), code, beside)
    },
  )

  test('slot_held, slot_booked and slot_not_offered have their codes and extensions', async () => {
    const { owner, wanted, hold_id, rival } = await heldSlot()
    expect(await hold(rival, wanted)).toMatchObject({
      status: 409,
      body: { code: 'slot_held', type: '/problems/slot_held' },
    })
    expect((await book(owner, hold_id)).status).toBe(201)
    expect(await hold(rival, wanted)).toMatchObject({ status: 409, body: { code: 'slot_booked' } })
    const past = await hold(rival, { ...wanted, starts_at: '2020-01-01T10:00:00Z' })
    expect(past).toMatchObject({ status: 422, body: { code: 'slot_not_offered', reason: 'in_the_past' } })
  })

  test('the booking that a hold became is named to the owner of the hold only', async () => {
    const { owner, hold_id, rival } = await heldSlot()
    const booked = await book(owner, hold_id)
    expect((await book(owner, hold_id)).body.booking_id).toBe(booked.body.id)
    expectProblem(await book(rival, hold_id), 'hold_not_found')
  })

  test('401 says how to authenticate, 429 and 503 when to come back', async () => {
    const challenge = async (token?: string) =>
      (await call('GET', '/services', token === undefined ? {} : { token })).headers['www-authenticate']
    expect(await challenge()).toBe('Bearer')
    expect(await challenge('cal_biz_none')).toBe('Bearer error="invalid_token"')
    const token = await service.session()
    service.clock.advance(3600)
    expect(await challenge(token)).toBe('Bearer error="invalid_token"')
    const [limited, full, unavailable] = cases.slice(-3)
    expect((await limited?.[2]())?.headers['retry-after']).toBe('600')
    expect((await full?.[2]())?.headers['retry-after']).toBe('3600')
    expect((await unavailable?.[2]())?.headers['retry-after']).toBe('1')
  })

  test('every code has the status of the contract', () => {
    const codesOf: Record<number, ProblemCode[]> = {
      400: ['malformed_json', 'malformed_request', 'invalid_signature'],
      401: ['missing_credentials', 'invalid_credentials', 'session_expired'],
      403: ['key_type_not_allowed', 'plan_required', 'origin_not_allowed'],
      404: ['not_found', 'hold_not_found', 'hold_expired'],
      405: ['method_not_allowed'],
      409: [
        'slot_held',
        'slot_booked',
        'hold_converted',
        'webhook_limit_reached',
        'calendar_limit_reached',
        'rotation_in_progress',
      ],
      412: ['version_conflict'],
      413: ['payload_too_large'],
      415: ['unsupported_media_type'],
      422: ['validation_failed', 'slot_not_offered'],
      429: ['rate_limited', 'hold_limit_reached', 'booking_limit_reached'],
      500: ['internal'],
      503: ['unavailable'],
    }
    for (const [status, codes] of Object.entries(codesOf)) {
      for (const code of codes) expect(problemKinds[code].status).toBe(Number(status))
    }
  })

  test('an error of ours is 500 internal and shows nothing of itself', async () => {
    const broken = await startTestService(engine)
    const tenant = businessOf(broken.world, 'Salon Spree')
    await changeRows(broken, sql`alter table services rename to gone_services`)
    await changeRows(broken, sql`alter table claims rename to gone_claims`)
    const token = await broken.session(tenant)
    const replies = [
      await broken.call('GET', '/services', { token }),
      await broken.call('GET', `/bookings/hold/${unknownId}`, { token }),
      await broken.call('POST', '/bookings/hold', {
        token,
        body: { ...offer(tenant, 'Haircut'), starts_at: nextStart() },
      }),
    ]
    await broken.stop()
    const failed = replies.filter(({ status }) => status === 500)
    expect(failed.length).toBeGreaterThanOrEqual(2)
    for (const reply of failed) {
      expectProblem(reply, 'internal')
      const shown = JSON.stringify([reply.body, reply.headers])
      expect(shown).not.toMatch(/gone|hold|claim|table|column|sql|select|relation|\/src\/|\.ts\b|\bat /i)
    }
  })
})
