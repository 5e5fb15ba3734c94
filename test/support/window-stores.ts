import { describe, inject } from 'vitest'
import { RedisStore } from '../../src/access/rate-limit-redis.ts'
import { MemoryStore, PostgresStore } from '../../src/access/rate-limit-stores.ts'
import type { WindowStore } from '../../src/access/rate-limit-types.ts'
import type { Engine } from '../../src/database/database.ts'
import { openPostgres, openDedicatedPool } from '../../src/database/postgres.ts'
import { longDescribe } from './long.ts'
import { createTestDatabase } from './test-database.ts'
import { createTestRedis } from './test-redis.ts'
import { engines, startTestService, testClock, type TestService } from './test-service.ts'

type StoreName = 'memory' | 'postgres' | 'redis'

const hasRedis = inject('redisUrl') !== null

/** The stores on this machine. */
const storeNames: StoreName[] = [
  'memory',
  ...(engines.includes('postgres') ? (['postgres'] as const) : []),
  ...(hasRedis ? (['redis'] as const) : []),
]

export interface TestStore {
  /** The stores of two servers, each of which knows the other's counts. In memory there is one server. */
  servers: [WindowStore, WindowStore]
  close(): Promise<void>
}

const openers: Record<StoreName, () => Promise<TestStore>> = {
  memory: async () => {
    const store = new MemoryStore()
    return { servers: [store, store], close: () => store.close() }
  },
  postgres: async () => {
    const database = await createTestDatabase('postgres')
    const { db } = await openPostgres({
      urls: [database.url],
      poolSize: 1,
      fraction: () => 0.5,
      clock: testClock(),
    })
    await db.migrate()
    await db.close()
    const open = () => new PostgresStore(openDedicatedPool({ urls: [database.url] }))
    const servers: TestStore['servers'] = [open(), open()]
    return {
      servers,
      close: async () => {
        for (const store of servers) await store.close()
        await database.drop()
      },
    }
  },
  redis: async () => {
    const redis = createTestRedis()
    const open = () => new RedisStore({ url: redis.url, prefix: redis.prefix })
    const servers = [open(), open()] as [RedisStore, RedisStore]
    for (const store of servers) await store.connected(60_000)
    return {
      servers,
      close: async () => {
        for (const store of servers) await store.close()
        await redis.drop()
      },
    }
  },
}

/** Runs a suite once on each store, or on the given ones. */
export function onEachStore(
  name: string,
  suite: (open: () => Promise<TestStore>) => void,
  isMeant: (store: StoreName) => boolean = () => true,
): void {
  describe.each(storeNames.filter(isMeant))(`${name} (%s)`, (store) => suite(openers[store]))
}

/** Starts a service for a test, with its real limits. */
type StartLimited = (variables?: Record<string, string>) => Promise<TestService>

/** The store of a service: that of its engine, or Redis. */
const places: [engine: Engine, store: StoreName][] = engines.flatMap((engine) => [
  [engine, engine === 'sqlite' ? 'memory' : 'postgres'],
  ...(hasRedis ? ([[engine, 'redis']] as [Engine, StoreName][]) : []),
])

/** Runs a suite once on each engine with each possible store. */
export function onEachLimiter(name: string, suite: (start: StartLimited) => void): void {
  for (const [engine, store] of places) {
    // rate-limit-stores.test.ts and two-servers.test.ts test how Redis counts
    const run = store === 'redis' ? longDescribe : describe
    run(`${name} (${engine}, counted in ${store})`, () => {
      suite(async (variables = {}) => {
        const redis = store === 'redis' ? createTestRedis() : undefined
        const service = await startTestService(engine, {
          RATE_LIMIT_FACTOR: '1',
          ...(redis && { REDIS_URL: redis.url, REDIS_KEY_PREFIX: redis.prefix }),
          ...variables,
        })
        return {
          ...service,
          stop: async () => {
            await service.stop()
            await redis?.drop()
          },
        }
      })
    })
  }
}
