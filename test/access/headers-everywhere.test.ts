import { afterAll, beforeAll, expect, test } from 'vitest'
import { newToken } from '../../src/access/token.ts'
import { systemIds } from '../../src/base/ids.ts'
import { DatabaseUnavailable } from '../../src/database/database.ts'
import { type Client, clientOf, sessionClient } from '../support/client.ts'
import { makeBusiness, makeOffer, type Offer, type OwnBusiness } from '../support/offers.ts'
import { nextAddress, nextStart, unknownId } from '../support/tenant-things.ts'
import type { Reply, TestService } from '../support/test-service.ts'
import { onEachLimiter } from '../support/window-stores.ts'

const names = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']

/** The end of a request, and the limit that its answer must show: of its key, of its address, or of the exchange. */
interface Ending {
  what: string
  status: number
  limit: number
  request: () => Promise<Reply>
}

onEachLimiter('the three headers', (start) => {
  let service: TestService
  let business: OwnBusiness
  let growth: OwnBusiness
  let offer: Offer
  let key: Client
  let session: Client
  beforeAll(async () => {
    service = await start({ MAX_HOLDS_PER_SESSION: '2' })
    business = await makeBusiness(service)
    growth = await makeBusiness(service, { plan: 'growth' })
    offer = await makeOffer(service, business.id)
    key = clientOf(service, business.key)
    session = await sessionClient(service, business)
  })
  afterAll(() => service.stop())

  const post = (path: string, rawBody: string, type = 'application/json') =>
    service.call('POST', path, { token: key.token, rawBody, headers: { 'content-type': type } })
  const newHold = async () => String((await key.hold(offer, nextStart())).body.hold_id)
  const newBooking = async () => String((await key.book(await newHold())).body.id)
  const heldTwice = async () => {
    const startsAt = nextStart()
    await key.hold(offer, startsAt)
    return key.hold(offer, startsAt)
  }
  const tooManyHolds = async () => {
    for (let count = 0; count < 2; count += 1) await session.hold(offer, nextStart())
    return session.hold(offer, nextStart())
  }
  const tooManyRequests = async () => {
    const { token } = await sessionClient(service, growth, '192.0.2.30')
    for (let count = 0; count < 30; count += 1) await service.call('GET', '/services', { token })
    return service.call('GET', '/services', { token })
  }
  /** Sends a request while one part of the database does not answer. */
  const without = async (part: 'transaction' | 'reads', request: () => Promise<Reply>) => {
    const gone = () => {
      throw new DatabaseUnavailable('gone')
    }
    const { db } = service.context
    const own = Object.getOwnPropertyDescriptor(db, part)
    Object.defineProperty(db, part, { get: gone, configurable: true })
    try {
      return await request()
    } finally {
      if (own) Object.defineProperty(db, part, own)
      else Reflect.deleteProperty(db, part) // the class has it
    }
  }

  const endings: Ending[] = [
    { what: 'a list', status: 200, limit: 600, request: () => key.list() },
    {
      what: 'a new session',
      status: 201,
      limit: 20,
      request: () => service.call('POST', '/session', { token: business.publishableKey }),
    },
    { what: 'a new hold', status: 201, limit: 600, request: () => key.hold(offer, nextStart()) },
    { what: 'a release', status: 204, limit: 600, request: async () => key.release(await newHold()) },
    {
      what: 'a HEAD',
      status: 200,
      limit: 600,
      request: () => service.call('HEAD', '/services', { token: key.token }),
    },
    { what: 'broken JSON', status: 400, limit: 600, request: () => post('/bookings', '{') },
    { what: 'no key', status: 401, limit: 60, request: () => service.call('GET', '/services') },
    {
      what: 'a wrong key',
      status: 401,
      limit: 60,
      request: () => service.call('GET', '/services', { token: 'x' }),
    },
    { what: 'a wrong type of key', status: 403, limit: 600, request: () => session.change(unknownId, {}) },
    {
      what: 'a plan without it',
      status: 403,
      limit: 30,
      request: () => service.call('GET', '/services', { token: growth.key }),
    },
    {
      what: 'a wrong key type at the exchange',
      status: 403,
      limit: 20,
      request: () => service.call('POST', '/session', { token: key.token }),
    },
    { what: 'an unknown booking', status: 404, limit: 600, request: () => key.show(unknownId) },
    {
      what: 'an unknown path',
      status: 404,
      limit: 600,
      request: () => service.call('GET', '/nothing', { token: key.token }),
    },
    { what: 'the bare base path', status: 404, limit: 60, request: () => service.call('GET', '//api/v1') },
    {
      what: 'a path that cannot be decoded',
      status: 404,
      limit: 60,
      request: () => service.call('GET', '/services/%zz'),
    },
    {
      what: 'an unknown path without a key',
      status: 404,
      limit: 60,
      request: () => service.call('GET', '/no'),
    },
    {
      what: 'a wrong method',
      status: 405,
      limit: 600,
      request: () => service.call('PUT', '/services', { token: key.token }),
    },
    { what: 'a slot that is held', status: 409, limit: 600, request: heldTwice },
    {
      what: 'another version',
      status: 412,
      limit: 600,
      request: async () => key.change(await newBooking(), { notes: 'x' }, { 'if-match': '"9"' }),
    },
    {
      what: 'too long a body',
      status: 413,
      limit: 600,
      request: () => post('/bookings', ' '.repeat(70_000)),
    },
    {
      what: 'a body that is no JSON',
      status: 415,
      limit: 600,
      request: () => post('/bookings', 'x', 'text/plain'),
    },
    { what: 'missing fields', status: 422, limit: 600, request: () => post('/bookings', '{}') },
    { what: 'too many holds', status: 429, limit: 600, request: tooManyHolds },
    { what: 'too many requests', status: 429, limit: 30, request: tooManyRequests },
    {
      what: 'a database that does not answer',
      status: 503,
      limit: 600,
      request: () => without('transaction', () => key.hold(offer, nextStart())),
    },
    {
      what: 'a database that does not answer about the key',
      status: 503,
      limit: 60,
      request: () =>
        without('reads', () => service.call('GET', '/services', { token: newToken('business', systemIds) })),
    },
  ]

  test.each(endings)('stand on the answer to $what ($status)', async ({ status, limit, request }) => {
    const reply = await request()
    expect(reply.status).toBe(status)
    const [shownLimit, remaining, reset] = names.map((name) => reply.headers[name])
    expect(Number(shownLimit)).toBe(limit)
    for (const number of [remaining, reset]) expect(String(number)).toMatch(/^\d+$/)
    expect(Number(remaining)).toBeLessThanOrEqual(limit)
    const untilReset = Number(reset) - service.clock.nowMs() / 1000
    expect(untilReset).toBeGreaterThan(0)
    expect(untilReset).toBeLessThanOrEqual(60)
  })

  test('of a 503 that comes before the key is looked up are the last known ones, and no store is asked', async () => {
    const { token } = await sessionClient(service, growth, nextAddress())
    const ask = () => service.call('GET', '/services', { token, remoteAddress: nextAddress() })
    for (let count = 0; count < 3; count += 1) await ask()
    service.clock.advance(6) // the cached key has expired
    service.statements.length = 0
    const refused = await without('reads', ask)
    expect(refused).toMatchObject({
      status: 503,
      headers: { 'x-ratelimit-limit': '30', 'x-ratelimit-remaining': '27' },
    })
    expect(service.statements.filter((text) => text.includes('count_request'))).toEqual([])
    expect((await ask()).headers['x-ratelimit-remaining']).toBe('26')
  })

  test('of an unknown path are known while the database is away', async () => {
    const { token } = await sessionClient(service, growth, nextAddress())
    const [reply] = [await without('reads', () => service.call('GET', '/nothing', { token }))]
    expect(reply).toMatchObject({ status: 404, headers: { 'x-ratelimit-limit': '60' } })
  })

  test.each([
    ['GET', '//healthz'],
    ['GET', '//readyz'],
    ['GET', '//api/v2/services'],
    ['GET', '//api/v1x'],
    ['GET', '//api/v10'],
    ['GET', '//api/v10/services'],
    ['GET', '//nothing'],
    ['OPTIONS', '/services'],
  ])('do not stand on %s %s, which counts for nobody', async (method, path) => {
    const remoteAddress = nextAddress()
    for (let time = 0; time < 70; time += 1) {
      const { status, headers } = await service.call(method, path, { remoteAddress })
      expect(status).not.toBe(429)
      for (const name of names) expect(headers[name]).toBeUndefined()
    }
    const { headers } = await service.call('GET', '/nothing', { remoteAddress })
    expect(headers['x-ratelimit-remaining']).toBe('59')
  })
})
