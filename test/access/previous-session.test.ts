import { afterAll, beforeAll, expect, test } from 'vitest'
import { newToken } from '../../src/access/token.ts'
import { systemIds } from '../../src/base/ids.ts'
import { createKey } from '../../src/catalogue/business-keys.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { bookingOf, holdOf, nextStart, type Tenant } from '../support/tenant-things.ts'
import { onOneEngine } from '../support/long.ts'
import { ada, businessOf, offer, startTestService, type TestService } from '../support/test-service.ts'

onOneEngine('sqlite', 'X-Previous-Session', (engine) => {
  let service: TestService
  let salon: Tenant
  beforeAll(async () => {
    service = await startTestService(engine, { HOLD_SECONDS: '7200' })
    salon = businessOf(service.world, 'Salon Spree')
  })
  afterAll(() => service.stop())

  const follow = (previous: string, tenant = salon) =>
    service.session(tenant, { 'x-previous-session': previous })
  const bodyOf = async (path: string, token: string) => (await service.call('GET', path, { token })).body

  /** Creates a session with a hold and a booking. */
  const begin = async (tenant = salon) => {
    const token = await service.session(tenant)
    const hold = `/bookings/hold/${await holdOf(service, tenant, { token })}`
    const booking = `/bookings/${await bookingOf(service, tenant, { token })}`
    return { token, hold, booking }
  }

  /** Returns true if the session owns the hold and the booking. */
  const owns = async (token: string, { hold, booking }: { hold: string; booking: string }) => {
    const seen = [
      (await bodyOf(hold, token)).status === 'active',
      (await bodyOf(booking, token)).redacted !== true,
    ]
    expect(seen[0]).toBe(seen[1])
    return seen[0]
  }

  test('hands the holds and bookings of a valid session over, and ends it', async () => {
    const first = await begin()
    const before = [await bodyOf(first.hold, first.token), await bodyOf(first.booking, first.token)]
    const token = await follow(first.token)
    expect([await bodyOf(first.hold, token), await bodyOf(first.booking, token)]).toEqual(before)
    expectProblem(await service.call('GET', '/services', { token: first.token }), 'session_expired')
  })

  test('lets the new session convert, replace and release what the old one held', async () => {
    const { token: old, hold } = await begin()
    const wanted = { ...offer(salon, 'Meeting room'), starts_at: nextStart() }
    const held = await service.call('POST', '/bookings/hold', { token: old, body: wanted })
    const token = await follow(old)
    const replaced = await service.call('POST', '/bookings/hold', { token, body: wanted })
    expect(replaced.status).toBe(201)
    expect((await bodyOf(`/bookings/hold/${held.body.hold_id}`, token)).status).toBe('released')
    const booked = await service.call('POST', '/bookings', {
      token,
      body: { hold_id: replaced.body.hold_id, client: ada },
    })
    expect(booked).toMatchObject({ status: 201, body: { client: ada } })
    expect((await service.call('DELETE', hold, { token })).status).toBe(204)
    expect((await bodyOf(hold, token)).status).toBe('released')
  })

  test('works over many refreshes', async () => {
    const first = await begin()
    let token = first.token
    for (let count = 0; count < 5; count += 1) {
      const next = await follow(token)
      expect(await owns(next, first)).toBe(true)
      token = next
    }
  })

  test.each([
    { seconds: 1, followed: true },
    { seconds: 899, followed: true },
    { seconds: 900, followed: true },
    { seconds: 901, followed: false },
  ])('a session that expired $seconds s ago is followed: $followed', async ({ seconds, followed }) => {
    const first = await begin()
    service.clock.advance(3600 + seconds)
    expect(await owns(await follow(first.token), first)).toBe(followed)
  })

  test('a session is followed once: the second to follow it gets nothing', async () => {
    const first = await begin()
    const next = await follow(first.token)
    expect(await owns(await follow(first.token), first)).toBe(false)
    expect(await owns(next, first)).toBe(true)
  })

  test('of two that follow a session at once, one gets what it had', async () => {
    const first = await begin()
    const tokens = await Promise.all(Array.from({ length: 8 }, () => follow(first.token)))
    const owning = await Promise.all(tokens.map((token) => owns(token, first)))
    expect(owning.filter(Boolean)).toHaveLength(1)
  })

  test('a session of another key is left alone, be it of another business or of the same', async () => {
    const first = await begin()
    const studio = businessOf(service.world, 'Hudson Studio')
    expect((await service.call('GET', first.hold, { token: await follow(first.token, studio) })).status).toBe(
      404,
    )
    const request = { type: 'publishable', businessId: salon.id } as const
    const { key } = await createKey(service.context, request)
    const other = await follow(first.token, { ...salon, publishable_key: key })
    expect(await owns(other, first)).toBe(false)
    expect(await owns(first.token, first)).toBe(true)
  })

  test.each([
    ['garbage', () => 'garbage'],
    ['nothing', () => ''],
    ['an unknown token', () => newToken('session', systemIds)],
    [
      'a token with a wrong checksum',
      (token: string) => `${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`,
    ],
    ['two tokens', (token: string) => `${token}, ${token}`],
    ['a bearer', (token: string) => `Bearer ${token}`],
    ['a business key', () => salon.business_key],
    ['its own publishable key', () => salon.publishable_key],
    ['a long text', () => 'cal_ses_'.repeat(1000)],
  ])('%s is ignored: the exchange succeeds, and the old session goes on', async (_what, header) => {
    const first = await begin()
    const next = await follow(header(first.token))
    expect(await owns(next, first)).toBe(false)
    expect(await owns(first.token, first)).toBe(true)
  })
})
