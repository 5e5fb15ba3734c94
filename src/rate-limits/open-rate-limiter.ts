import type { Context } from '../context.ts'
import type { StatementListener } from '../database/database.ts'
import { openSideConnections, sideConnections } from '../database/postgres.ts'
import { MemoryStore } from './memory-store.ts'
import { PostgresStore } from './postgres-store.ts'
import { RateLimiter } from './rate-limiter.ts'
import { StoreWithReserve } from './store-with-reserve.ts'
import type { WindowStore } from './window-types.ts'

/** A start waits no longer than this for Redis; without it, limits begin in memory. */
const redisStartMs = 1_000

/**
 * Makes what counts requests: in Redis where REDIS_URL names one, else in PostgreSQL where that is the
 * database, else, as there is but one server then, in memory.
 */
export async function openRateLimiter(
  context: Pick<Context, 'config' | 'log' | 'clock' | 'metrics'>,
  onStatement?: StatementListener,
): Promise<RateLimiter> {
  const memory = new MemoryStore()
  const shared = await openSharedStore(context, onStatement)
  if (!shared) return new RateLimiter(memory, context.clock)
  const store = new StoreWithReserve({
    ...shared,
    memory,
    log: context.log,
    onAway: (away) => context.metrics.sharedLimitsAway(away),
    nowMs: () => context.clock.nowMs(),
  })
  await store.start()
  return new RateLimiter(store, context.clock)
}

async function openSharedStore(
  { config, log }: Pick<Context, 'config' | 'log'>,
  onStatement: StatementListener | undefined,
): Promise<{ shared: WindowStore; name: 'Redis' | 'PostgreSQL'; connections?: number } | undefined> {
  if (config.redisUrl !== '') {
    const { RedisStore } = await import('./redis-store.ts') // late: its client takes a while to load, and many do without
    const redis = new RedisStore({ url: config.redisUrl, prefix: config.redisKeyPrefix })
    await redis.connected(redisStartMs)
    return { shared: redis, name: 'Redis' }
  }
  if (config.database.engine === 'sqlite') return undefined
  const connections = openSideConnections({
    url: config.database.url,
    ...(onStatement && { onStatement }),
    onIdleError: (error) => {
      log.warn({ err: error }, 'an idle database connection was lost')
    },
  })
  return { shared: new PostgresStore(connections), name: 'PostgreSQL', connections: sideConnections }
}
