import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { readRows } from '../support/checker.ts'
import { createTestRedis, type TestRedis } from '../support/test-redis.ts'
import {
  businessOf,
  type CallOptions,
  engines,
  type Reply,
  startTestService,
  type TestService,
} from '../support/test-service.ts'
import { longDescribe } from '../support/long.ts'

const stores = ['PostgreSQL', ...(inject('redisUrl') === null ? [] : ['Redis'])]

const suiteIn = (store: string) => (store === 'PostgreSQL' ? describe : longDescribe)

const suite = (store: string) => {
  let servers: TestService[] = []
  let redis: TestRedis | undefined
  let lastHost = 0
  beforeAll(async () => {
    redis = store === 'Redis' ? createTestRedis() : undefined
    const variables = {
      RATE_LIMIT_FACTOR: '1',
      TRUST_PROXY: '127.0.0.0/8',
      ...(redis && { REDIS_URL: redis.url, REDIS_KEY_PREFIX: redis.prefix }),
    }
    // they wait for the store however busy the machine is, and never count by themselves (see store-away.test.ts)
    const first = await startTestService('postgres', variables)
    servers = [first, await startTestService('postgres', variables, { beside: first })]
  })
  afterAll(async () => {
    for (const server of servers.toReversed()) await server.stop()
    await redis?.drop()
  })

  /** Sends a request to the next server. */
  const call = (turn: number, method: string, path: string, options: CallOptions) => {
    const server = servers[turn % servers.length]
    if (!server) throw new Error('there is no server')
    return server.call(method, path, options)
  }
  const ofDemo = (business: string) => businessOf((servers[0] as TestService).world, business)

  const nextClient = () => `192.0.2.${(lastHost += 1)}`
  const from = (client: string) => ({ 'x-forwarded-for': client })
  const session = async (business: string) => {
    const token = ofDemo(business).publishable_key
    const reply = await call(0, 'POST', '/session', { token, headers: from(nextClient()) })
    return String(reply.body.session_token)
  }

  /** Sends this many requests at once, each to the next server. */
  const atOnce = (count: number, method: string, path: string, options: CallOptions) =>
    Promise.all(Array.from({ length: count }, (_, turn) => call(turn, method, path, options)))

  /** Expects exactly `most` of them to pass. The remaining counts have no gap, and the others have to wait. */
  const expectPassed = (replies: Reply[], max: number, status = 200) => {
    const passed = replies.filter((reply) => reply.status === status)
    const refused = replies.filter((reply) => reply.status === 429)
    expect([passed.length, refused.length]).toEqual([max, replies.length - max])
    const left = passed.map(({ headers }) => Number(headers['x-ratelimit-remaining']))
    expect(left.toSorted((one, other) => one - other)).toEqual([...Array(max).keys()])
    for (const { body, headers } of refused) {
      expect(body.code).toBe('rate_limited')
      expect(headers['x-ratelimit-remaining']).toBe('0')
      expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    }
    const resets = new Set(replies.map(({ headers }) => headers['x-ratelimit-reset']))
    expect(resets.size).toBe(1)
  }

  test('let through exactly 30 requests of a Growth session, 60 of a Pro session, 600 of a key', async () => {
    for (const [token, max] of [
      [await session('Thames Barbers'), 30],
      [await session('Lotus Clinic'), 60],
      [ofDemo('Hudson Studio').business_key, 600],
    ] as const) {
      expectPassed(await atOnce(max + 1, 'GET', '/services', { token }), max)
      expect(await call(1, 'GET', '/services', { token })).toMatchObject({ status: 429 })
    }
  })

  test('let through exactly 150 requests of all Growth sessions from one address, and 600 from a /48', async () => {
    const asked = async (sessions: number, times: number, clientOf: (turn: number) => string) => {
      const tokens = await Promise.all(Array.from({ length: sessions }, () => session('Thames Barbers')))
      const replies = await Promise.all(
        Array.from({ length: times }, (_, turn) =>
          call(turn, 'GET', '/services', {
            token: tokens[turn % sessions] ?? '',
            headers: from(clientOf(turn)),
          }),
        ),
      )
      const with200 = replies.filter(({ status }) => status === 200)
      const with429 = replies.filter(({ status }) => status === 429)
      return [with200.length, with429.length]
    }
    const client = nextClient()
    expect(await asked(6, 165, () => client)).toEqual([150, 15])
    expect(await asked(24, 640, (turn) => `2001:db8:7:${turn.toString(16)}::1`)).toEqual([600, 40])
  })

  test('let through exactly 20 exchanges and 60 requests without a key from one address', async () => {
    const headers = from(nextClient())
    const { publishable_key: token } = ofDemo('Lotus Clinic')
    expectPassed(await atOnce(50, 'POST', '/session', { token, headers }), 20, 201)
    expectPassed(await atOnce(100, 'GET', '/services', { headers }), 60, 401)
  })

  test('count where they share it, and nowhere else', async () => {
    const client = nextClient()
    for (let turn = 0; turn < 3; turn += 1) {
      await call(turn, 'GET', '/services', { headers: from(client) })
    }
    const rows = await readRows(
      servers[0]?.databaseUrl ?? '',
      `select minute_used from rate_limits where caller = 'stranger:${client}'`,
    )
    const keys = (await redis?.keys()) ?? []
    expect([rows, keys.filter((key) => key.endsWith(`stranger:${client}`)).length]).toEqual(
      store === 'Redis' ? [[], 1] : [[{ minute_used: '3' }], 0],
    )
    if (redis) {
      const lifeMs = await redis.lifeOf(`stranger:${client}`)
      expect(lifeMs).toBeGreaterThan(60_000)
      expect(lifeMs).toBeLessThanOrEqual(120_000)
    }
  })
}

if (engines.includes('postgres')) {
  for (const store of stores) suiteIn(store)(`two servers that count in ${store}`, () => suite(store))
}
