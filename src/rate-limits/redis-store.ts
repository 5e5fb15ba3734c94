import { Redis } from 'ioredis'
import type { Quota } from './quota-rules.ts'
import { hourMs, latestEndMs, minuteMs } from './window-rules.ts'
import type { Count, Window, WindowStore } from './window-types.ts'

/*
 * KEYS are the callers. ARGV: the time; then for each caller of its minute and of its hour the length, the latest end
 * that is believed and how many fit (-1: there is no limit), all in milliseconds since 1970. Gives whether the request
 * was counted, then for each caller of its minute and of its hour the end and the count (0 and 0 when it is not open).
 * A script runs alone, so it is exact over all servers.
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

/** The script as a command of the client, which sends its digest and only at first its text. */
interface Counting {
  countRequest(callers: number, ...parts: (string | number)[]): Promise<number[]>
}

/** A connection that is dead without having been closed is given up after so long without an answer. */
const silenceMs = 1_000
const longestPauseMs = 1_000

/** Keeps windows in Redis: exact over all servers that share it. Commands fail at once while it is away. */
export class RedisStore implements WindowStore {
  private readonly redis: Redis
  private readonly prefix: string

  constructor({ url, prefix }: { url: string; prefix: string }) {
    this.prefix = prefix
    this.redis = new Redis(url, {
      connectionName: 'holdfast',
      connectTimeout: silenceMs,
      socketTimeout: silenceMs,
      retryStrategy: (times) => Math.min(100 * times, longestPauseMs),
      // after a failover, the server at hand may be one that only reads
      reconnectOnError: (error) => error.message.startsWith('READONLY'),
      // a request that was not counted now is counted in memory, and must not be counted again later
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
    })
    this.redis.on('error', () => undefined) // the commands fail with it, and the client connects again
    this.redis.defineCommand('countRequest', { lua: countScript })
  }

  /** Resolves when it can be asked, or after so many milliseconds. */
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

  async count(quotas: readonly Quota[], nowMs: number): Promise<Count> {
    const part = (lengthMs: number, most: number | null) => [
      lengthMs,
      latestEndMs(lengthMs, nowMs),
      most ?? -1,
    ]
    const [counted, ...figures] = await (this.redis as unknown as Counting).countRequest(
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
