import { createHook } from 'node:async_hooks'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeBusiness, makeOffer, type OwnBusiness } from '../support/offers.ts'
import type { Asked } from '../support/slots.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

onOneEngine('sqlite', 'compressed answers', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let offer: Asked
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    offer = await makeOffer(service, business.id, {
      weeklyHours: [{ weekday: 'tuesday', opens: '09:00', closes: '17:00' }],
      intervalMinutes: 5,
    })
  })
  afterAll(() => service.stop())

  const get = (path: string, headers: Record<string, string>) =>
    service.app.server.inject({
      url: `/api/v1${path}`,
      headers: { authorization: `Bearer ${business.key}`, ...headers },
    })
  const month = () => {
    const { service_id, location_id } = offer
    const query = new URLSearchParams({ service_id, location_id, from: '2026-12-01', to: '2026-12-30' })
    return `/availability?${query.toString()}`
  }

  test.each(['gzip', 'br, GZIP;q=0.5', '*'])('a month is compressed for who accepts %j', async (accepted) => {
    const plain = await get(month(), {})
    const compressed = await get(month(), { 'accept-encoding': accepted })
    expect(compressed.headers).toMatchObject({
      'content-encoding': 'gzip',
      'content-type': plain.headers['content-type'],
      'content-length': String(compressed.rawPayload.length),
      etag: `W/${String(plain.headers.etag)}`,
      vary: 'Accept-Encoding',
    })
    expect(gunzipSync(compressed.rawPayload).toString()).toBe(plain.body)
    expect(compressed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 5)
  })

  test.each(['', 'identity', 'gzip;q=0', 'gzip; q=0.0, br', 'xgzip'])(
    'a month stays as it is for who accepts %j',
    async (accepted) => {
      const { headers, body } = await get(month(), { 'accept-encoding': accepted })
      expect(headers['content-encoding']).toBeUndefined()
      expect(headers).toMatchObject({ etag: expect.stringMatching(/^"/), vary: 'Accept-Encoding' })
      expect(JSON.parse(body)).toHaveProperty('days')
    },
  )

  test('who has the compressed answer already gets 304 without a body', async () => {
    const first = await get(month(), { 'accept-encoding': 'gzip' })
    const again = await get(month(), {
      'accept-encoding': 'gzip',
      'if-none-match': String(first.headers.etag),
    })
    expect(again.statusCode).toBe(304)
    expect(again.rawPayload).toHaveLength(0)
    expect(again.headers).toMatchObject({ vary: 'Accept-Encoding', etag: first.headers.etag })
    expect(again.headers['content-encoding']).toBeUndefined()
    const plain = await get(month(), {})
    const unchanged = await get(month(), { 'if-none-match': String(plain.headers.etag) })
    expect(unchanged.headers.etag).toBe(plain.headers.etag)
  })

  test('a short list and a refusal stay as they are', async () => {
    for (const path of ['/services?limit=1', '/services?limit=x']) {
      const { headers } = await get(path, { 'accept-encoding': 'gzip' })
      expect(headers['content-encoding']).toBeUndefined()
    }
  })

  test('what shows a token, or guards changes by its tag, is never compressed', async () => {
    const headers = { authorization: `Bearer ${business.publishableKey}`, 'accept-encoding': 'gzip' }
    const session = await service.app.server.inject({ method: 'POST', url: '/api/v1/session', headers })
    expect(session.statusCode).toBe(201)
    const one = await get(`/services/${offer.service_id}`, { 'accept-encoding': 'gzip' })
    expect(one.statusCode).toBe(200)
    for (const reply of [session, one]) {
      expect(reply.headers['content-encoding']).toBeUndefined()
      expect(reply.headers.vary).toBeUndefined()
    }
  })

  test.each(['/openapi.json', '/docs'])('%s is compressed, once for all who accept it', async (url) => {
    const ask = (headers: Record<string, string>, method: 'GET' | 'HEAD' = 'GET') =>
      service.app.server.inject({ method, url, headers })
    const accepts = { 'accept-encoding': 'gzip, br' }
    const plain = await ask({})
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(plain.headers).toMatchObject({ vary: expect.stringContaining('Accept-Encoding') })
    let compressions = 0
    const hook = createHook({ init: (_id, type) => (compressions += type === 'ZLIB' ? 1 : 0) }).enable()
    const first = await ask(accepts)
    const second = await ask(accepts)
    hook.disable()
    expect(compressions).toBe(1)
    for (const reply of [first, second]) {
      expect(reply.headers).toMatchObject({
        'content-encoding': 'gzip',
        'content-type': plain.headers['content-type'],
        'content-length': String(reply.rawPayload.length),
        vary: plain.headers.vary,
      })
      expect(gunzipSync(reply.rawPayload).equals(plain.rawPayload)).toBe(true)
      expect(reply.rawPayload.length).toBeLessThan(plain.rawPayload.length / 8)
    }
    const head = await ask(accepts, 'HEAD')
    expect(head.headers).toMatchObject({ 'content-length': String(first.rawPayload.length) })
    expect(head.rawPayload).toHaveLength(0)
  })
})
