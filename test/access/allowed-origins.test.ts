import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createKey } from '../../src/catalogue/business-keys.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { bookingOf, nextStart, restrictOrigins, type Tenant, unknownId } from '../support/tenant-things.ts'
import { onOneEngine } from '../support/long.ts'
import { businessOf, offer, startTestService, type TestService } from '../support/test-service.ts'

const allowed = ['https://salon.example', 'http://localhost:8080']

onOneEngine('sqlite', 'allowed_origins', (engine) => {
  let service: TestService
  let salon: Tenant
  let key: string
  let token: string
  beforeAll(async () => {
    service = await startTestService(engine, { PUBLIC_URL: 'https://book.example/salon' })
    salon = businessOf(service.world, 'Salon Spree')
    key = (
      await createKey(service.context, { type: 'publishable', businessId: salon.id, allowedOrigins: allowed })
    ).key
    token = await service.session({ ...salon, publishable_key: key })
  })
  afterAll(() => service.stop())

  /** Sends every request of a widget from a website. */
  const callsFrom = async (origin: string | undefined) => {
    const headers = origin === undefined ? {} : { origin }
    const booking = await bookingOf(service, salon, { token })
    const body = { ...offer(salon, 'Haircut'), starts_at: nextStart() }
    return [
      await service.call('POST', '/session', { token: key, headers }),
      await service.call('GET', `/bookings/${booking}`, { token: key, headers }),
      await service.call('GET', '/services', { token, headers }),
      await service.call('POST', '/bookings/hold', { token, headers, body }),
      await service.call('GET', `/bookings/${booking}`, { token, headers }),
    ]
  }

  test.each(allowed)('let the website %s use the key and its sessions', async (origin) => {
    for (const { status } of await callsFrom(origin)) expect([200, 201]).toContain(status)
  })

  test.each(['https://book.example', 'http://127.0.0.1:3000'])(
    "let the server's own pages at %s use the key and its sessions",
    async (origin) => {
      for (const { status } of await callsFrom(origin)) expect([200, 201]).toContain(status)
    },
  )

  test('do not take the Host of a request for the server itself', async () => {
    const headers = { host: 'evil.example', origin: 'http://evil.example' }
    expectProblem(await service.call('POST', '/session', { token: key, headers }), 'origin_not_allowed')
    expectProblem(await service.call('GET', '/services', { token, headers }), 'origin_not_allowed')
  })

  test('let a caller without an Origin header in', async () => {
    for (const { status } of await callsFrom(undefined)) expect([200, 201]).toContain(status)
  })

  test.each([
    'https://evil.example',
    'http://book.example',
    'https://book.example/salon',
    'http://salon.example',
    'https://salon.example:8443',
    'https://sub.salon.example',
    'https://salon.example.evil.example',
    'https://salon.example/',
    'https://SALON.example',
    'http://localhost',
    'null',
    'https://salon.example, https://evil.example',
    allowed.join(' '),
    '*',
    '',
  ])('keep the website %j out, and browsers may read why', async (origin) => {
    for (const reply of await callsFrom(origin)) {
      expectProblem(reply, 'origin_not_allowed')
      expect(reply.headers['access-control-allow-origin']).toBe('*')
    }
  })

  test('do not keep its preflights out', async () => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' }
    expect((await service.call('OPTIONS', '/session', { headers })).status).toBe(204)
  })

  test('a refused exchange makes no session, a refused hold takes no slot', async () => {
    const before = [await service.rows('sessions'), await service.rows('claims')]
    const headers = { origin: 'https://evil.example' }
    const body = { ...offer(salon, 'Haircut'), starts_at: nextStart() }
    expect((await service.call('POST', '/session', { token: key, headers })).status).toBe(403)
    expect((await service.call('POST', '/bookings/hold', { token, headers, body })).status).toBe(403)
    expect([await service.rows('sessions'), await service.rows('claims')]).toEqual(before)
  })

  describe('of one key', () => {
    const headers = { origin: 'https://evil.example' }

    test('mean nothing to another key of the business, its sessions and its business key', async () => {
      const other = await service.session(salon, headers)
      expect((await service.call('GET', '/services', { token: other, headers })).status).toBe(200)
      expect((await service.call('GET', '/services', { token: salon.business_key, headers })).status).toBe(
        200,
      )
    })

    test('hold within five seconds for sessions that are there already', async () => {
      const studio = businessOf(service.world, 'Hudson Studio')
      const before = await service.session(studio, headers)
      expect((await service.call('GET', '/services', { token: before, headers })).status).toBe(200)
      await restrictOrigins(service, studio, allowed)
      service.clock.advance(5)
      expectProblem(await service.call('GET', '/services', { token: before, headers }), 'origin_not_allowed')
    })

    test('an empty list lets no website in but the server itself, and callers without one', async () => {
      const lotus = businessOf(service.world, 'Lotus Clinic')
      await restrictOrigins(service, lotus, [])
      const refused = await service.call('POST', '/session', { token: lotus.publishable_key, headers })
      expectProblem(refused, 'origin_not_allowed')
      const visitor = await service.session(lotus)
      await service.session(lotus, { origin: 'https://book.example' })
      expectProblem(
        await service.call('GET', `/bookings/${unknownId}`, { token: visitor, headers }),
        'origin_not_allowed',
      )
    })
  })

  test.each([
    'salon.example',
    'https://salon.example/path',
    'https://salon.example/',
    '*',
    'ftp://salon.example',
    'null',
  ])('a key cannot be made for %s, which no browser sends as an origin', async (origin) => {
    const request = { type: 'publishable', businessId: salon.id, allowedOrigins: [origin] } as const
    await expect(createKey(service.context, { ...request, allowedOrigins: [origin] })).rejects.toThrow(origin)
  })
})
