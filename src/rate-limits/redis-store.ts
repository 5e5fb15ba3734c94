import { Redis } from 'ioredis'
import type { Quota } from './quota-rules.ts'
import { hourMs, latestEndMs, minuteMs, openWindows } from './window-rules.ts'
import type { Count, Window, Windows, WindowStore } from './window-types.ts'

/*
 * KEYS[1] is the caller. ARGV: the time; then for each window its length, the latest end that is believed and
 * how many fit, all in milliseconds since 1970. Gives whether the request was counted, then of each window its
 * end and its count (0 and 0 when it is not open). A script runs alone, so it is exact over all servers.
 */
const countScript = `
  local now, fits, windows = tonumber(ARGV[1]), true, {}
  for at = 2, #ARGV, 3 do
    local name = at == 2 and 'minute' or 'hour'
    local stored = redis.call('HMGET', KEYS[1], name .. '_ends', name .. '_used')
    local ends, used = tonumber(stored[1] or 0), tonumber(stored[2] or 0)
    local open = ends > now and ends <= tonumber(ARGV[at + 1])
    if open and used >= tonumber(ARGV[at + 2]) then fits = false end
    windows[#windows + 1] = { name, open and ends or 0, open and used or 0, now + tonumber(ARGV[at]) }
  end
  local reply, last = { fits and 1 or 0 }, 0
  for _, window in ipairs(windows) do
    local name, ends, used, newEnd = unpack(window)
    if fits then
      if ends == 0 then ends = newEnd end
      used = used + 1
      redis.call('HSET', KEYS[1], name .. '_ends', string.format('%.0f', ends), name .. '_used', string.format('%.0f', used))
    end
    reply[#reply + 1] = ends
    reply[#reply + 1] = used
    last = math.max(last, ends)
  end
  if fits then redis.call('PEXPIRE', KEYS[1], last - now + 60000) end
  return reply`

/** The script as a command of the client, which sends its digest and only at first its text. */
interface Counting {
  countRequest(key: string, ...parts: number[]): Promise<number[]>
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
    this.redis.defineCommand('countRequest', { numberOfKeys: 1, lua: countScript })
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

  async count(quota: Quota, nowMs: number): Promise<Count> {
    const part = (lengthMs: number, most: number) => [lengthMs, latestEndMs(lengthMs, nowMs), most]
    const [counted, ...windows] = await (this.redis as unknown as Counting).countRequest(
      this.keyOf(quota),
      nowMs,
      ...part(minuteMs, quota.perMinute),
      ...(quota.perHour === null ? [] : part(hourMs, quota.perHour)),
    )
    return {
      counted: counted === 1,
      minute: windowFrom(windows[0], windows[1]),
      hour: windowFrom(windows[2], windows[3]),
    }
  }

  async look(quota: Quota, nowMs: number): Promise<Windows> {
    const fields = ['minute_ends', 'minute_used', 'hour_ends', 'hour_used'] as const
    const stored = await this.redis.hmget(this.keyOf(quota), ...fields)
    const [minuteEnds, minuteUsed, hourEnds, hourUsed] = stored.map(Number)
    return openWindows(
      { minute: windowFrom(minuteEnds, minuteUsed), hour: windowFrom(hourEnds, hourUsed) },
      nowMs,
    )
  }

  async close(): Promise<void> {
    this.redis.disconnect()
  }

  private keyOf({ kind, id }: Quota): string {
    return `${this.prefix}${kind}:${id}`
  }
}

function windowFrom(endsAtMs: number | undefined, used: number | undefined): Window | null {
  return endsAtMs ? { endsAtMs, used: used ?? 0 } : null
}
