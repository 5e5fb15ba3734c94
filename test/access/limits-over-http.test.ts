import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { RateLimiter } from '../../src/access/rate-limits.ts'
import { newToken } from '../../src/access/token.ts'
import { systemIds } from '../../src/base/ids.ts'
import { sessionClient } from '../support/client.ts'
import { makeBusiness, type OwnBusiness } from '../support/offers.ts'
import { changeRows, nextAddress } from '../support/tenant-things.ts'
import type { CallOptions, Reply, TestService } from '../support/test-service.ts'
import { onEachLimiter } from '../support/window-stores.ts'
import { testIn } from '../support/long.ts'

const minute = 60
const hour = 3_600

/** Returns the limits in an answer: limit, remaining, seconds until the reset. */
const shown = (service: TestService, { headers }: Reply) => [
  Number(headers['x-ratelimit-limit']),
  Number(headers['x-ratelimit-remaining']),
  Number(headers['x-ratelimit-reset']) - service.clock.nowMs() / 1000,
]

const refused = (seconds: number) => ({
  status: 429,
  body: { code: 'rate_limited', type: '/problems/rate_limited', status: 429 },
  headers: { 'retry-after': String(seconds), 'x-ratelimit-remaining': '0' },
})

onEachLimiter('limits', (start) => {
  let service: TestService
  let businesses: Record<'growth' | 'pro' | 'enterprise', OwnBusiness>
  beforeAll(async () => {
    // longer than an hour, so that a session can use up its hour and continue
    service = await start({ SESSION_SECONDS: '86400' })
    businesses = {
      growth: await makeBusiness(service, { plan: 'growth' }),
      pro: await makeBusiness(service, { plan: 'pro' }),
      enterprise: await makeBusiness(service),
    }
  })
  afterAll(() => service.stop())

  const session = async (plan: keyof typeof businesses) =>
    (await sessionClient(service, businesses[plan], nextAddress())).token
  const ask = (token: string, options: CallOptions = {}) =>
    service.call('GET', '/services', { token, remoteAddress: nextAddress(), ...options })
  const askTimes = async (times: number, request: () => Promise<Reply>) => {
    const replies = []
    for (let time = 0; time < times; time += 1) replies.push(await request())
    return replies
  }
  const statuses = (replies: Reply[]) => replies.map(({ status }) => status)
  const all = (status: number, times: number) => Array<number>(times).fill(status)

  for (const [plan, perMinute, perHour] of [
    ['growth', 30, 300],
    ['pro', 60, 1_000],
  ] as const) {
    testIn(plan === 'growth')(
      `a session of the ${plan} plan makes ${perMinute} requests a minute and ${perHour} an hour, and its headers count down`,
      async () => {
        const token = await session(plan)
        let left = perHour
        for (let minutes = 0; left > 0; minutes += 1) {
          const times = Math.min(perMinute, left)
          for (let time = 1; time <= times; time += 1) {
            left -= 1
            const [ofMinute, ofHour] = [perMinute - time, left]
            expect(shown(service, await ask(token))).toEqual(
              ofMinute < ofHour ? [perMinute, ofMinute, minute] : [perHour, ofHour, hour - minutes * minute],
            )
          }
          const wait = left > 0 ? minute : hour - minutes * minute
          expect(await ask(token)).toMatchObject(refused(wait))
          if (left > 0) service.clock.advance(minute)
          else service.clock.advance(wait - 1)
        }
        expect(await ask(token)).toMatchObject(refused(1))
        service.clock.advance(1)
        expect(shown(service, await ask(token))).toEqual([perMinute, perMinute - 1, minute])
      },
    )
  }

  test('a key of the Enterprise plan makes 600 requests a minute', async () => {
    const key = businesses.enterprise.key
    expect(statuses(await askTimes(600, () => ask(key)))).toEqual(all(200, 600))
    expect(await ask(key)).toMatchObject(refused(minute))
  })

  test('an Enterprise business with figures of its own has these, for its keys and its sessions', async () => {
    const business = await makeBusiness(service)
    await changeRows(
      service,
      sql`update businesses set limit_per_minute = 3, limit_per_hour = 4 where id = ${business.id}`,
    )
    const { token } = await sessionClient(service, business, nextAddress())
    for (const caller of [business.key, token]) {
      expect(statuses(await askTimes(4, () => ask(caller)))).toEqual([200, 200, 200, 429])
      service.clock.advance(minute)
      expect(shown(service, await ask(caller))).toEqual([4, 0, hour - minute])
      expect(await ask(caller)).toMatchObject(refused(hour - minute))
    }
    await changeRows(service, sql`update businesses set plan = 'growth' where id = ${business.id}`)
    service.clock.advance(hour)
    expect(shown(service, await ask(token))).toEqual([30, 29, minute])
  })

  test('every key and every session token has counts of its own', async () => {
    const tokens = [await session('growth'), await session('growth')]
    for (const token of tokens) {
      expect(statuses(await askTimes(31, () => ask(token)))).toEqual([...all(200, 30), 429])
    }
  })

  test('requests that are refused do not eat the hour', async () => {
    const token = await session('growth')
    expect(statuses(await askTimes(330, () => ask(token)))).toEqual([...all(200, 30), ...all(429, 300)])
    service.clock.advance(minute)
    for (let minutes = 1; minutes < 10; minutes += 1) {
      expect(statuses(await askTimes(30, () => ask(token)))).toEqual(all(200, 30))
      service.clock.advance(minute)
    }
    expect(await ask(token)).toMatchObject(refused(hour - 10 * minute))
  })

  test('a clock that was a few minutes ahead and is set back keeps nobody out', async () => {
    const token = await session('growth')
    service.clock.advance(5 * minute)
    expect(statuses(await askTimes(31, () => ask(token)))).toEqual([...all(200, 30), 429])
    service.clock.advance(-5 * minute)
    expect(shown(service, await ask(token))).toEqual([30, 29, minute])
  })

  test('a request sent when Retry-After has passed is let through, whenever in a second the window opened', async () => {
    service.clock.advance(0.3)
    const token = await session('growth')
    await askTimes(30, () => ask(token))
    service.clock.advance(0.9)
    const reply = await ask(token)
    expect(reply).toMatchObject(refused(60))
    const resetMs = Number(reply.headers['x-ratelimit-reset']) * 1000
    service.clock.advance(59)
    expect(await ask(token)).toMatchObject(refused(1))
    service.clock.advance(1)
    expect(service.clock.nowMs()).toBeGreaterThanOrEqual(resetMs - 1000)
    expect((await ask(token)).status).toBe(200)
    service.clock.advance(0.8) // whole seconds again
  })

  test('what a valid key is refused for counts too, and 429 comes before 403', async () => {
    const { key } = businesses.growth
    const replies = await askTimes(31, () => ask(key))
    expect(replies.map(({ body }) => String(body.code))).toEqual([
      ...Array<string>(30).fill('plan_required'),
      'rate_limited',
    ])
    expect(shown(service, replies[0] as Reply)).toEqual([30, 29, minute])
  })

  test('the session exchange counts for its address alone: 20 a minute on every plan', async () => {
    const remoteAddress = nextAddress()
    const keys = Object.values(businesses).map(({ publishableKey }) => publishableKey)
    const exchange = (token: string, from = remoteAddress) =>
      service.call('POST', '/session', { token, remoteAddress: from })
    for (let time = 0; time < 20; time += 1) {
      const reply = await exchange(keys[time % 3] ?? '')
      expect([reply.status, ...shown(service, reply)]).toEqual([201, 20, 19 - time, minute])
    }
    for (const key of [...keys, businesses.enterprise.key]) {
      expect(await exchange(key)).toMatchObject(refused(minute))
    }
    expect((await exchange(keys[0] ?? '', nextAddress())).status).toBe(201)
    service.clock.advance(minute)
    expect((await exchange(keys[0] ?? '')).status).toBe(201)
    expect(
      statuses(await askTimes(40, () => exchange(keys[1] ?? '', nextAddress()))),
      'its key has no count there',
    ).toEqual(all(201, 40))
  })

  test('without a valid key an address makes 60 requests a minute, whatever is wrong with the key', async () => {
    const remoteAddress = nextAddress()
    const expired = await session('growth')
    const revoked = await makeBusiness(service)
    await changeRows(
      service,
      sql`update api_keys set revoked_at = ${service.clock.now()} where business_id = ${revoked.id}`,
    )
    service.clock.advance(24 * hour)
    const wrong: CallOptions[] = [
      {},
      { headers: { authorization: 'Basic YTpi' } },
      { token: 'cal_biz_nonsense' },
      { token: newToken('business', systemIds) },
      { token: newToken('session', systemIds) },
      { token: revoked.key },
      { token: expired },
    ]
    for (let time = 0; time < 60; time += 1) {
      const path = time % 2 ? '/services' : '/bookings/x'
      const reply = await service.call('GET', path, { remoteAddress, ...wrong[time % wrong.length] })
      expect([reply.status, ...shown(service, reply)]).toEqual([401, 60, 59 - time, minute])
    }
    for (const options of wrong) {
      const reply = await service.call('GET', '/services', { remoteAddress, ...options })
      expect(reply).toMatchObject(refused(minute))
      expect(reply.headers['www-authenticate']).toBeUndefined()
    }
    // a valid key has a separate count, and so does another address
    expect((await ask(await session('growth'), { remoteAddress })).status).toBe(200)
    expect((await service.call('GET', '/services', { remoteAddress: nextAddress() })).status).toBe(401)
    service.clock.advance(minute)
    expect((await service.call('GET', '/services', { remoteAddress })).status).toBe(401)
  })

  test('X-Forwarded-For of a peer that is not trusted changes nothing', async () => {
    const remoteAddress = nextAddress()
    const key = businesses.growth.publishableKey
    const replies = []
    for (let time = 0; time < 21; time += 1) {
      const headers = { 'x-forwarded-for': `192.0.2.${time}`, forwarded: `for=192.0.2.${time}` }
      replies.push(await service.call('POST', '/session', { token: key, remoteAddress, headers }))
    }
    expect(statuses(replies)).toEqual([...all(201, 20), 429])
  })

  test('addresses of one IPv6 /64 count together, those of another do not', async () => {
    const ask = (remoteAddress: string) => service.call('GET', '/services', { remoteAddress })
    const replies = []
    for (let time = 0; time < 61; time += 1) replies.push(await ask(`2001:db8:7:7:${time.toString(16)}::1`))
    expect(statuses(replies)).toEqual([...all(401, 60), 429])
    expect((await ask('2001:db8:7:8::1')).status).toBe(401)
  })

  test('a path or method that there is not counts like any other: for the key, or else for the address', async () => {
    const wrong: [method: string, path: string, status: number][] = [
      ['GET', '/nothing', 404],
      ['PUT', '/services', 405],
      ['DELETE', '/session', 405],
      ['POST', '/services/%zz', 404],
    ]
    const askWrong = async (time: number, options: CallOptions) => {
      const [method, path, status] = wrong[time % wrong.length] ?? ['GET', '/nothing', 404]
      const reply = await service.call(method, path, options)
      return { ...reply, expected: status }
    }
    const expectRefusal = (reply: Reply & { expected: number }, figures: number[]) =>
      expect([reply.status, ...shown(service, reply)]).toEqual([reply.expected, ...figures])

    const remoteAddress = nextAddress()
    const token = await session('growth')
    for (let time = 0; time < 30; time += 1) {
      expectRefusal(await askWrong(time, { token, remoteAddress }), [30, 29 - time, minute])
    }
    for (let time = 0; time < 4; time += 1) {
      expect(await askWrong(time, { token, remoteAddress })).toMatchObject(refused(minute))
    }
    expect(await ask(token)).toMatchObject(refused(minute))

    for (let time = 0; time < 60; time += 1) {
      const options = time % 2 ? { remoteAddress } : { remoteAddress, token: newToken('business', systemIds) }
      expectRefusal(await askWrong(time, options), [60, 59 - time, minute])
    }
    for (let time = 0; time < 4; time += 1) {
      expect(await askWrong(time, { remoteAddress })).toMatchObject(refused(minute))
    }
    expect(await service.call('GET', '/services', { remoteAddress })).toMatchObject(refused(minute))
  })

  describe('all sessions of one address', () => {
    /** Creates a business whose sessions make two requests a minute, so an address ten and a /48 forty. */
    const smallBusiness = async () => {
      const business = await makeBusiness(service)
      await changeRows(service, sql`update businesses set limit_per_minute = 2 where id = ${business.id}`)
      return business
    }
    const sessionOf = async (business: OwnBusiness) =>
      (await sessionClient(service, business, nextAddress())).token

    test('make five times the requests of one together, of each business, and what is refused counts nowhere', async () => {
      const remoteAddress = nextAddress()
      const tokens = await Promise.all(Array.from({ length: 6 }, () => session('growth')))
      const replies = []
      for (let time = 0; time < 150; time += 1) {
        replies.push(await ask(tokens[time % 6] ?? '', { remoteAddress }))
      }
      expect(statuses(replies)).toEqual(all(200, 150))
      // 25 of 30 of each session, and 150 of 150 of the address
      expect(shown(service, replies[149] as Reply)).toEqual([150, 0, minute])
      expect(shown(service, replies[0] as Reply)).toEqual([30, 29, minute])
      for (const token of tokens) {
        const reply = await ask(token, { remoteAddress })
        expect(reply).toMatchObject(refused(minute))
        expect(reply.body.detail).toMatch(/^All sessions from one address .* 150 requests a minute/)
        expect(shown(service, reply)).toEqual([150, 0, minute])
      }
      // from another address each session has the five that it did not use
      expect(shown(service, await ask(tokens[0] ?? ''))).toEqual([30, 4, minute])
      // other businesses and keys have separate windows
      expect((await ask(await session('pro'), { remoteAddress })).status).toBe(200)
      expect((await ask(businesses.enterprise.key, { remoteAddress })).status).toBe(200)
      service.clock.advance(minute)
      expect((await ask(tokens[1] ?? '', { remoteAddress })).status).toBe(200)
    })

    test('of one IPv6 /64 count together, and those of a /48 make four times as many', async () => {
      const business = await smallBusiness()
      const askFrom = async (remoteAddress: string) => ask(await sessionOf(business), { remoteAddress })
      for (let time = 0; time < 10; time += 1) {
        expect((await askFrom(`2001:db8:a:1:${time.toString(16)}::1`)).status).toBe(200)
      }
      expect((await askFrom('2001:db8:a:1:ffff::1')).status).toBe(429)
      for (let time = 0; time < 30; time += 1) {
        expect((await askFrom(`2001:db8:a:2${time.toString(16)}::1`)).status).toBe(200)
      }
      const reply = await askFrom('2001:db8:a:3::1')
      expect(reply).toMatchObject(refused(minute))
      expect(shown(service, reply)).toEqual([40, 0, minute])
      expect((await askFrom('2001:db8:b:3::1')).status).toBe(200)
    })

    test('from a network that the business trusts are counted one by one', async () => {
      const business = await smallBusiness()
      const trusted = { trusted_networks: ['10.200.0.0/16', '2001:db8:e::/48'] }
      const changed = await service.call('PATCH', `/businesses/${business.id}`, {
        token: business.key,
        body: trusted,
      })
      expect(changed.status).toBe(200)
      for (const remoteAddress of ['10.200.3.4', '2001:db8:e:1::1']) {
        const replies = await askTimes(15, async () => ask(await sessionOf(business), { remoteAddress }))
        expect(statuses(replies)).toEqual(all(200, 15))
      }
      const token = await sessionOf(business)
      const own = await askTimes(3, () => ask(token, { remoteAddress: '10.200.3.4' }))
      expect(statuses(own)).toEqual([200, 200, 429])
      const others = await askTimes(11, async () =>
        ask(await sessionOf(business), { remoteAddress: '10.201.3.4' }),
      )
      expect(statuses(others)).toEqual([...all(200, 10), 429])
    })

    test('of an Enterprise business with figures of its own have five times these', async () => {
      const business = await smallBusiness()
      const remoteAddress = nextAddress()
      const replies = await askTimes(11, async () => ask(await sessionOf(business), { remoteAddress }))
      expect(statuses(replies)).toEqual([...all(200, 10), 429])
    })
  })

  test('an IPv6 /48 exchanges keys for sessions four times as often as a /64, however many of these it has', async () => {
    const token = businesses.growth.publishableKey
    const exchange = (remoteAddress: string) => service.call('POST', '/session', { token, remoteAddress })
    const replies = []
    for (let time = 0; time < 120; time += 1) replies.push(await exchange(`2001:db8:c:${time % 40}::1`))
    expect(statuses(replies)).toEqual([...all(201, 80), ...all(429, 40)])
    expect(replies[100]).toMatchObject(refused(minute))
    expect((await exchange('2001:db8:d:1::1')).status).toBe(201)
  })
})

onEachLimiter('waiting', (start) => {
  test('requests are counted by business, so that those of a busy one do not keep others waiting', async () => {
    const service = await start({})
    const counted = vi.spyOn(RateLimiter.prototype, 'count')
    try {
      const business = await makeBusiness(service)
      counted.mockClear()
      await service.call('GET', '/services', { token: business.key })
      const { body } = await service.call('POST', '/session', { token: business.publishableKey })
      await service.call('GET', '/services', { token: (body as { session_token: string }).session_token })
      const owner = `business:${business.id}`
      expect(counted.mock.calls.map(([, whose]) => whose)).toEqual([owner, owner, owner])
    } finally {
      counted.mockRestore()
      await service.stop()
    }
  })
})

onEachLimiter('the factor', (start) => {
  test('RATE_LIMIT_FACTOR multiplies every limit, and none falls below one', async () => {
    for (const [RATE_LIMIT_FACTOR, expected] of [
      ['1.15', [690, 23, 69]],
      ['0.001', [1, 1, 1]],
    ] as const) {
      const service = await start({ RATE_LIMIT_FACTOR })
      try {
        const business = await makeBusiness(service)
        const replies = [
          await service.call('GET', '/services', { token: business.key }),
          await service.call('POST', '/session', { token: business.publishableKey }),
          await service.call('GET', '/services'),
        ]
        expect(replies.map((reply) => shown(service, reply)[0])).toEqual(expected)
      } finally {
        await service.stop()
      }
    }
  })

  test('behind a trusted proxy each client is counted by its own address', async () => {
    const service = await start({ TRUST_PROXY: '10.0.0.0/8' })
    try {
      const ask = (client: string) =>
        service.call('GET', '/services', {
          remoteAddress: '10.0.0.1',
          headers: { 'x-forwarded-for': client },
        })
      for (let time = 0; time < 60; time += 1) expect((await ask('192.0.2.1')).status).toBe(401)
      expect((await ask('192.0.2.1')).status).toBe(429)
      expect((await ask('192.0.2.2')).status).toBe(401)
    } finally {
      await service.stop()
    }
  })
})
