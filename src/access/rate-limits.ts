import { type Clock, realClock } from '../base/clock.ts'
import { plusSeconds } from '../base/instants.ts'
import type { CleanupJob } from '../database/context.ts'
import type { StatementListener } from '../database/database.ts'
import type { Context } from './context.ts'
import { deleteOldWindows } from './rate-limit-queries.ts'
import { retryAfterSeconds, tightestWindow, type TightestWindow } from './rate-limit-rules.ts'
import { FallbackStore, MemoryStore, PostgresStore } from './rate-limit-stores.ts'
import type { PeekableStore, Quota, Windows, WindowStore } from './rate-limit-types.ts'

/** The state of the limits that a response reports: that of the tightest window. */
export interface RateLimitResult extends Omit<TightestWindow, 'resetsAtMs'> {
  allowed: boolean
  /** End of the window in whole seconds since 1970, rounded up. */
  resetsAtSeconds: number
  /** Whole seconds, at least one, after which a refused request is allowed. */
  retryAfterSeconds: number
}

/** Startup waits this long for Redis. Without it, limits begin in memory. */
const redisStartMs = 1_000

/** Server clocks may differ a little. A window that has ended for one may still be open for another. */
const marginSeconds = 60

/** Counts requests by quotas, at the time of the injected clock. */
export class RateLimiter {
  private readonly store: PeekableStore
  private readonly clock: Clock

  constructor(store: PeekableStore, clock: Clock) {
    this.store = store
    this.clock = realClock(clock)
  }

  /** Counts a request of a tenant in all its quotas, or refuses it and counts it nowhere. */
  async count(quotas: readonly Quota[], owner?: string): Promise<RateLimitResult> {
    const nowMs = this.nowMs()
    const { counted, windows } = await this.store.count(quotas, nowMs, owner)
    return resultOf(quotas, windows, { allowed: counted, nowMs })
  }

  /** Returns the remaining requests as far as this process knows. Counts nothing and queries no shared store. */
  peek(quotas: readonly Quota[]): RateLimitResult {
    const nowMs = this.nowMs()
    return resultOf(quotas, this.store.peek(quotas, nowMs), { allowed: true, nowMs })
  }

  close(): Promise<void> {
    return this.store.close()
  }

  private nowMs(): number {
    return Math.floor(this.clock.nowMs())
  }
}

function resultOf(
  quotas: readonly Quota[],
  windows: readonly Windows[],
  { allowed, nowMs }: { allowed: boolean; nowMs: number },
): RateLimitResult {
  const tightest = tightestWindow(
    quotas.map((quota, index) => ({ quota, windows: windows[index] })),
    nowMs,
  )
  const { resetsAtMs, ...window } = tightest
  return {
    ...window,
    allowed,
    resetsAtSeconds: Math.ceil(resetsAtMs / 1000),
    retryAfterSeconds: retryAfterSeconds(tightest, nowMs),
  }
}

/** Opens the store of REDIS_URL, or else of PostgreSQL, or else memory, because SQLite has only one server. */
export async function openRateLimiter(
  context: Pick<Context, 'config' | 'log' | 'clock' | 'metrics'>,
  {
    onStatement,
    patienceMs,
  }: { onStatement?: StatementListener | undefined; patienceMs?: number | undefined } = {},
): Promise<RateLimiter> {
  const memory = new MemoryStore()
  const shared = await openSharedStore(context, onStatement)
  if (!shared) return new RateLimiter(memory, context.clock)
  const store = new FallbackStore({
    ...shared,
    memory,
    log: context.log,
    onDegraded: (degraded) => context.metrics.sharedLimitsDegraded(degraded),
    nowMs: () => realClock(context.clock).nowMs(),
    patienceMs,
  })
  await store.start()
  return new RateLimiter(store, context.clock)
}

async function openSharedStore(
  { config, log }: Pick<Context, 'config' | 'log'>,
  onStatement: StatementListener | undefined,
): Promise<{ shared: WindowStore; name: 'Redis' | 'PostgreSQL' } | undefined> {
  if (config.redisUrl !== '') {
    const { RedisStore } = await import('./rate-limit-redis.ts') // loads slowly, and many servers do not need it
    const redis = new RedisStore({ url: config.redisUrl, prefix: config.redisKeyPrefix })
    await redis.connected(redisStartMs)
    return { shared: redis, name: 'Redis' }
  }
  if (config.database.engine === 'sqlite') return undefined
  const { openDedicatedPool } = await import('../database/postgres.ts')
  const connections = openDedicatedPool({
    urls: config.database.urls,
    ...(onStatement && { onStatement }),
    onIdleError: (error) => {
      log.warn({ err: error }, 'an idle database connection was lost')
    },
  })
  return { shared: new PostgresStore(connections), name: 'PostgreSQL' }
}

/** Only PostgreSQL needs the job. In Redis windows expire, and memory evicts the oldest. */
export const oldWindows: CleanupJob = {
  name: 'old windows of rate limits',
  deleteBatch: async ({ db }, max) =>
    db.engine === 'postgres'
      ? db.transaction((tx) => deleteOldWindows(tx.db, plusSeconds(tx.now, -marginSeconds), max))
      : 0,
}
