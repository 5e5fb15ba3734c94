import { Redis } from 'ioredis'
import { hourMs, latestEndMs, minuteMs } from './rate-limit-rules.ts'
import type { CountResult, Quota, Window, WindowStore } from './rate-limit-types.ts'

/** The script as a command. The client sends its digest, and its text only the first time. */
interface ScriptCommands {
  countRequest(callers: number, ...parts: (string | number)[]): Promise<number[]>
}

/** A connection without a response for this long counts as dead. */
const silenceMs = 1_000
const maxReconnectMs = 1_000

/*
 * KEYS: callers. ARGV: the time, then three numbers for the minute and three for the hour of each caller. They are the
 * length, the latest valid end and the limit (-1: none). Times are in milliseconds since 1970. Returns 1 if the request
 * was counted. Then follow the end and the count for the minute and the hour of each caller (0 and 0: not open). Redis
 * runs scripts one at a time, so counts are exact across all servers.
 */
const countScript = `
  local now, fits, windows = tonumber(ARGV[1]), true, {}
  for index, key in ipairs(KEYS) do
    for place, name in ipairs({ 'minute', 'hour' }) do
      local at = 6 * index + 3 * place - 7
      local stored = redis.call('HMGET', key, name .. '_ends', name .. '_used')
      local ends, used, most = tonumber(stored[1] or 0), tonumber(stored[2] or 0), tonumber(ARGV[at + 2])
      if ends <= now or ends > tonumber(ARGV[at + 1]) or most < 0 then ends, used = 0, 0 end
      if most >= 0 and used >= most then fits = false end
      windows[#windows + 1] = { key, name, ends, used, now + tonumber(ARGV[at]), most }
    end
  end
  local reply = { fits and 1 or 0 }
  for _, window in ipairs(windows) do
    local key, name, ends, used, newEnd, most = unpack(window)
    if fits and most >= 0 then
      if ends == 0 then ends = newEnd end
      used = used + 1
      redis.call('HSET', key, name .. '_ends', string.format('%.0f', ends), name .. '_used', string.format('%.0f', used))
      if redis.call('PTTL', key) < ends - now + 60000 then redis.call('PEXPIRE', key, ends - now + 60000) end
    end
    reply[#reply + 1] = ends
    reply[#reply + 1] = used
  end
  return reply`

/** Counts in Redis, exactly across all servers that share it. Commands fail at once while it is unreachable. */
export class RedisStore implements WindowStore {
  private readonly redis: Redis
  private readonly prefix: string

  constructor({ url, prefix }: { url: string; prefix: string }) {
    this.prefix = prefix
    this.redis = new Redis(url, {
      connectionName: 'holdfast',
      connectTimeout: silenceMs,
      socketTimeout: silenceMs,
      retryStrategy: (times) => Math.min(100 * times, maxReconnectMs),
      // after a failover, this server may be a read-only replica
      reconnectOnError: (error) => error.message.startsWith('READONLY'),
      // the memory store counts requests during an outage; sending them later would count them twice
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
    })
    this.redis.on('error', () => undefined) // each command rejects anyway, and the client reconnects
    this.redis.defineCommand('countRequest', { lua: countScript })
  }

  /** Resolves when Redis is ready or the timeout has passed. */
  async connected(withinMs: number): Promise<void> {
    if (this.redis.status === 'ready') return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, withinMs)
      this.redis.once('ready', () => {
        clearTimeout(timer)
        resolve()
      })
    })
  }

  async count(quotas: readonly Quota[], nowMs: number): Promise<CountResult> {
    const part = (lengthMs: number, max: number | null) => [lengthMs, latestEndMs(lengthMs, nowMs), max ?? -1]
    const [counted, ...figures] = await (this.redis as unknown as ScriptCommands).countRequest(
      quotas.length,
      ...quotas.map(({ kind, id }) => `${this.prefix}${kind}:${id}`),
      nowMs,
      ...quotas.flatMap(({ perMinute, perHour }) => [...part(minuteMs, perMinute), ...part(hourMs, perHour)]),
    )
    const windows = quotas.map((_quota, index) => ({
      minute: windowFrom(figures[4 * index], figures[4 * index + 1]),
      hour: windowFrom(figures[4 * index + 2], figures[4 * index + 3]),
    }))
    return { counted: counted === 1, windows }
  }

  async close(): Promise<void> {
    this.redis.disconnect()
  }
}

function windowFrom(endsAtMs: number | undefined, used: number | undefined): Window | null {
  return endsAtMs ? { endsAtMs, used: used ?? 0 } : null
}

/** Checks if a Redis accepts commands. Returns the error without the URL, or undefined if it does. */
export async function askRedis(url: string, withinMs: number): Promise<string | undefined> {
  const redis = new Redis(url, {
    connectionName: 'holdfast doctor',
    lazyConnect: true,
    connectTimeout: withinMs,
    commandTimeout: withinMs,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
  })
  let first: Error | undefined
  redis.on('error', (error) => (first ??= error)) // more precise than the later "connection is closed"
  try {
    await redis.connect()
    await redis.ping()
    return undefined
  } catch (error) {
    return first?.message ?? (error instanceof Error ? error.message : 'unknown error')
  } finally {
    redis.disconnect()
  }
}
