import { sql } from 'kysely'
import { afterEach, describe, expect, inject, test } from 'vitest'
import { sessionClient } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { testIn } from '../support/long.ts'
import { makeBusiness } from '../support/offers.ts'
import { createTestRedis, type TestRedis } from '../support/test-redis.ts'
import { startProxy, type ProxyMode, type TcpProxy } from '../support/tcp-proxy.ts'
import { engines, startTestService, type Reply, type TestService } from '../support/test-service.ts'

/** The waiting limits of production for a silent store. */
const asInstalled = { limiterPatienceMs: undefined }
const away = 'is unavailable: each server counts rate limits in its own memory'
const modes: ProxyMode[] = ['hang', 'refuse', 'reset']
const back = 'is available again: rate limits apply across all servers'

describe.runIf(inject('redisUrl') !== null).each(engines)('a Redis that is away (%s)', (engine) => {
  let service: TestService
  let redis: TestRedis
  let proxy: TcpProxy
  const start = async (mode: ProxyMode = 'forward') => {
    redis = createTestRedis()
    const { hostname, port } = new URL(redis.url)
    proxy = await startProxy(`http://${hostname}:${port || '6379'}`)
    proxy.set(mode)
    service = await startTestService(
      engine,
      {
        RATE_LIMIT_FACTOR: '1',
        REDIS_URL: proxy.url.replace('http:', 'redis:'),
        REDIS_KEY_PREFIX: redis.prefix,
      },
      asInstalled,
    )
  }
  afterEach(async () => {
    await service.stop()
    await proxy.close()
    await redis.drop()
  })

  const told = (text: string) => service.logLines.filter((line) => line.includes(text))
  const isBack = (times = 1) =>
    eventually('counting in Redis', () => (told(back).length === times ? true : undefined))
  const gauge = async () => {
    const { body } = await service.call('GET', '//metrics')
    return /^holdfast_shared_rate_limits_away (\d)$/m.exec(String(body))?.[1]
  }
  const growthSession = async () => {
    const business = await makeBusiness(service, { plan: 'growth' })
    return (await sessionClient(service, business)).token
  }
  const askTimes = async (token: string, times: number) => {
    const replies: Reply[] = []
    for (let time = 0; time < times; time += 1)
      replies.push(await service.call('GET', '/services', { token }))
    return replies
  }
  const statuses = (replies: Reply[]) => replies.map(({ status }) => status)
  const all = (status: number, times: number) => Array<number>(times).fill(status)

  for (const mode of modes)
    testIn(engine === 'sqlite' && mode === 'refuse')(
      `because its network does "${mode}": requests are served and limited, the log tells once, and it is used again`,
      async () => {
        await start()
        const token = await growthSession()
        expect(statuses(await askTimes(token, 20))).toEqual(all(200, 20))
        proxy.set(mode)
        const startedMs = performance.now()
        // the remaining ten: memory continues from this server's known counts
        expect(statuses(await askTimes(token, 12))).toEqual([...all(200, 10), 429, 429])
        expect(performance.now() - startedMs).toBeLessThan(11_000) // if each waited, twelve seconds at least
        expect([told(away).length, told(back).length, await gauge()]).toEqual([1, 0, '1'])
        proxy.set('forward')
        await isBack()
        expect(await gauge()).toBe('0')
        expect([told(away).length, told(back).length]).toEqual([1, 1])
        const other = await growthSession()
        expect(statuses(await askTimes(other, 31))).toEqual([...all(200, 30), 429])
        expect(await redis.keys()).not.toEqual([])
        expect([told(away).length, told(back).length]).toEqual([1, 1])
      },
    )

  // the rest is independent of the engine
  const once = testIn(engine === 'sqlite')

  once('a second outage is told again', async () => {
    await start()
    const token = await growthSession()
    for (const times of [1, 2]) {
      proxy.set('reset')
      await askTimes(token, 3)
      expect(told(away)).toHaveLength(times)
      proxy.set('forward')
      await isBack(times)
    }
  })

  once('a server starts without it, serves, limits, and uses it when it comes', async () => {
    await start('refuse')
    expect(told(away)).toHaveLength(1)
    const token = await growthSession()
    expect(statuses(await askTimes(token, 31))).toEqual([...all(200, 30), 429])
    proxy.set('forward')
    await isBack()
    const other = await growthSession()
    await askTimes(other, 1)
    expect((await redis.keys()).some((key) => key.includes(':key:'))).toBe(true)
  })

  once('the log shows no password of its address', async () => {
    await start('refuse')
    expect(service.logLines.join('\n')).not.toContain(proxy.url.slice('http://'.length))
  })
})

describe.runIf(engines.includes('postgres'))('a PostgreSQL that counts no requests', () => {
  test('leaves counting to memory, and is used again when it counts', async () => {
    const service = await startTestService('postgres', { RATE_LIMIT_FACTOR: '1' }, asInstalled)
    const told = (text: string) => service.logLines.filter((line) => line.includes(text)).length
    const change = (statement: string) =>
      service.context.db.transaction((tx) => sql.raw(statement).execute(tx.db))
    try {
      const business = await makeBusiness(service, { plan: 'growth' })
      const { token } = await sessionClient(service, business)
      const ask = async () => (await service.call('GET', '/services', { token })).status
      await change('alter table rate_limits rename to elsewhere')
      const statuses = []
      for (let time = 0; time < 31; time += 1) statuses.push(await ask())
      expect(statuses).toEqual([...Array<number>(30).fill(200), 429])
      expect([told(away), told(back)]).toEqual([1, 0])
      await change('alter table elsewhere rename to rate_limits')
      await eventually('counting in PostgreSQL', () => (told(back) === 1 ? true : undefined))
      expect(await ask()).toBe(200) // counts made only in memory are forgotten
      const rows = await service.rows('rate_limits')
      expect(rows.some(({ caller }) => String(caller).startsWith('key:'))).toBe(true)
    } finally {
      await service.stop()
    }
  })

  test('that takes long over it holds up no request', async () => {
    const service = await startTestService('postgres', { RATE_LIMIT_FACTOR: '1' }, asInstalled)
    const locked = Promise.withResolvers<undefined>()
    const release = Promise.withResolvers<undefined>()
    try {
      const { token } = await sessionClient(service, await makeBusiness(service))
      const holder = service.context.db.transaction(async (tx) => {
        await sql`lock table rate_limits in access exclusive mode`.execute(tx.db)
        locked.resolve(undefined)
        await release.promise
      })
      await locked.promise
      const startedMs = performance.now()
      for (let time = 0; time < 25; time += 1) {
        expect((await service.call('GET', '/services', { token })).status).toBe(200)
      }
      expect(performance.now() - startedMs).toBeLessThan(24_000) // if each waited, 25 seconds at least
      release.resolve(undefined)
      await holder
    } finally {
      release.resolve(undefined)
      await service.stop()
    }
  })
})
