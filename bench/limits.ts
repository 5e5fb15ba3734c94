import { Pool } from 'undici'
import { createApp } from '../src/app.ts'
import { makeDemoWorld } from '../src/catalogue/make-demo-world.ts'
import { monotonicMs } from '../src/clock.ts'
import { readConfig } from '../src/config.ts'
import type { Context } from '../src/context.ts'
import { createContext } from '../src/create-context.ts'
import { openSideConnections } from '../src/database/postgres.ts'
import { MemoryStore } from '../src/rate-limits/memory-store.ts'
import { PostgresStore } from '../src/rate-limits/postgres-store.ts'
import { RateLimiter } from '../src/rate-limits/rate-limiter.ts'
import { RedisStore } from '../src/rate-limits/redis-store.ts'
import { StoreWithReserve } from '../src/rate-limits/store-with-reserve.ts'
import type { WindowStore } from '../src/rate-limits/window-types.ts'
import { findPostgres } from '../test/support/postgres-server.ts'
import { deleteKeys, findRedis } from '../test/support/redis-server.ts'
import { ownDatabase } from './support/own-database.ts'

/*
 * What counting a request against its rate limits costs: the same cheap request (a list of services, by key) to
 * servers that differ in nothing but where they count, over one PostgreSQL. They take turns in short rounds, so
 * that whatever else the machine does meets all of them. A figure is that of the quickest tenth of the rounds:
 * what a request costs when little else is in its way.
 */

const mostRounds = 60
/** No round begins later: on a busy machine there are fewer. */
const limitMs = 30_000
const manyAtOnce = 16
const requestsOneByOne = 40
const requestsAtOnce = 160

const redisPrefix = `holdfast-bench-${process.pid}:`

/** Counts nothing: what the others are compared with. */
const none: WindowStore = {
  count: async (_quota, nowMs) => ({
    counted: true,
    minute: { used: 1, endsAtMs: nowMs + 60_000 },
    hour: null,
  }),
  look: async () => ({ minute: null, hour: null }),
  close: async () => {},
}

interface Contender {
  name: string
  /** Milliseconds per request of each round. */
  oneByOne: number[]
  atOnce: number[]
  send: () => Promise<void>
  close: () => Promise<void>
}

async function contender(
  context: Context,
  key: string,
  [name, store]: [string, WindowStore],
): Promise<Contender> {
  const limiter = new RateLimiter(store, context.clock)
  const { server, deliveries } = await createApp(context, { limiter })
  const pool = new Pool(await server.listen({ host: '127.0.0.1', port: 0 }), { connections: manyAtOnce })
  return {
    name,
    oneByOne: [],
    atOnce: [],
    send: async () => {
      const { statusCode, headers, body } = await pool.request({
        path: '/api/v1/services',
        method: 'GET',
        headers: { authorization: `Bearer ${key}` },
      })
      await body.dump()
      if (statusCode !== 200 || !headers['x-ratelimit-remaining']) throw new Error(`answered ${statusCode}`)
    },
    close: async () => {
      await pool.close()
      await server.close()
      await deliveries.stop(0)
      await limiter.close()
    },
  }
}

async function msPerRequest(send: () => Promise<void>, requests: number, atOnce: number): Promise<number> {
  const startedMs = monotonicMs()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let sent = 0; sent < requests / atOnce; sent += 1) await send()
    }),
  )
  return (monotonicMs() - startedMs) / requests
}

/** The value below which a tenth of them lie. */
function quickTenth(values: number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 10)] ?? NaN
}

function row({ name, oneByOne, atOnce }: Contender, base: Contender) {
  const figures = (own: number[], others: number[]) => [
    `${quickTenth(own).toFixed(3)} ms`,
    `×${(quickTenth(own) / quickTenth(others)).toFixed(2)}`,
  ]
  const [oneMs, oneRatio] = figures(oneByOne, base.oneByOne)
  const [manyMs, manyRatio] = figures(atOnce, base.atOnce)
  return {
    'counted in': name,
    'one by one': oneMs,
    'to none': oneRatio,
    [`${manyAtOnce} at once`]: manyMs,
    'to none ': manyRatio,
  }
}

async function stores(
  context: Context,
  databaseUrl: string,
  redisUrl: string | undefined,
): Promise<[string, WindowStore][]> {
  const redis = redisUrl === undefined ? undefined : new RedisStore({ url: redisUrl, prefix: redisPrefix })
  await redis?.connected(5_000)
  // as the service has them, with the memory of the process behind
  const shared = (name: string, store: WindowStore): [string, WindowStore] => [
    name,
    new StoreWithReserve({
      shared: store,
      memory: new MemoryStore(),
      name,
      log: context.log,
      nowMs: () => context.clock.nowMs(),
    }),
  ]
  return [
    ['nowhere', none],
    ['memory', new MemoryStore()],
    shared('PostgreSQL', new PostgresStore(openSideConnections({ url: databaseUrl }))),
    ...(redis ? [shared('Redis', redis)] : []),
  ]
}

async function compare(databaseUrl: string, redisUrl: string | undefined): Promise<void> {
  const config = readConfig({
    NODE_ENV: 'test',
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: 'error',
    RATE_LIMIT_FACTOR: '999999',
  })
  const context = await createContext(config)
  await context.db.migrate()
  const world = await makeDemoWorld(context)
  const key = world.businesses[0]?.business_key ?? ''
  const contenders: Contender[] = []
  for (const store of await stores(context, databaseUrl, redisUrl)) {
    contenders.push(await contender(context, key, store))
  }
  for (const { send } of contenders) await msPerRequest(send, 500, manyAtOnce) // warm
  const startedMs = monotonicMs()
  for (let round = 0; round < mostRounds && monotonicMs() - startedMs < limitMs; round += 1) {
    for (let turn = 0; turn < contenders.length; turn += 1) {
      const one = contenders[(turn + round) % contenders.length]
      one?.oneByOne.push(await msPerRequest(one.send, requestsOneByOne, 1))
      one?.atOnce.push(await msPerRequest(one.send, requestsAtOnce, manyAtOnce))
    }
  }
  const [base] = contenders
  if (base) console.table(contenders.map((one) => row(one, base)))
  for (const { close } of contenders) await close()
  await context.db.close()
}

const postgres = await findPostgres(process.env)
if (!postgres) throw new Error('this needs a PostgreSQL server; see CONTRIBUTING.md')
const redis = await findRedis(process.env)
if (!redis) console.warn('There is no Redis here: it is left out.')
const database = await ownDatabase(postgres.url)
try {
  await compare(database.url, redis?.url)
} finally {
  if (redis) await deleteKeys(redis.url, redisPrefix)
  await redis?.stop()
  await database.drop()
  await postgres.stop()
}
