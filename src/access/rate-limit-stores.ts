import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import { monotonicMs } from '../base/clock.ts'
import { type Instant, instantFromMs, toMs } from '../base/instants.ts'
import { together } from '../base/together.ts'
import { type DedicatedPool, DatabaseUnavailable, dedicatedPoolSize } from '../database/database.ts'
import { countRequests, type WantedCount, type WindowsRow } from './rate-limit-queries.ts'
import { countRequest, hourMs, latestEndMs, minuteMs, openWindows } from './rate-limit-rules.ts'
import type { CountResult, PeekableStore, Quota, Window, Windows, WindowStore } from './rate-limit-types.ts'

interface Parts {
  shared: WindowStore
  memory: MemoryStore
  /** The name of the shared store, for the log. */
  name: string
  log: Logger
  /** Called at the start and end of each outage. */
  onDegraded?: (degraded: boolean) => void
  nowMs: () => number
  /** Overrides both waiting limits in tests, because a busy machine is not an outage. */
  patienceMs?: number | undefined
}

interface Waiting {
  sinceMs: number
  reject: (error: Error) => void
}

interface PostgresRequest {
  quotas: readonly Quota[]
  nowMs: number
  owner: string
}

/** The shared store counts as failed after this long without a response to any request. */
const silenceMs = 250

/** The longest wait of one request while the store responds to others. A rush makes it slow, not failed. */
const maxWaitMs = 1_000

const probeIntervalMs = 500

/** Counted during an outage to find out if the shared store is back. */
const probe: Quota = { kind: 'key', id: 'probe', perMinute: Number.MAX_SAFE_INTEGER, perHour: null }

/** Limits the callers of each kind in the memory store, which evicts the least recently used. */
const maxCallers = 25_000

/**
 * Counts in a shared store. While that fails, counts in memory, starting from the counts that this process knows.
 * Probes the shared store in the background, so that no request waits for it.
 */
export class FallbackStore implements PeekableStore {
  private readonly parts: Parts
  private timer: NodeJS.Timeout | undefined
  private closed = false
  private lastResponseMs = 0
  /** Requests to the shared store without a response yet, the oldest first. */
  private readonly waiting = new Set<Waiting>()
  private watcher: NodeJS.Timeout | undefined
  /** True while requests are counted in memory. */
  degraded = false

  constructor(parts: Parts) {
    this.parts = parts
  }

  async count(quotas: readonly Quota[], nowMs: number, owner?: string): Promise<CountResult> {
    const count = await this.tryShared((store) => store.count(quotas, nowMs, owner))
    if (!count) return this.parts.memory.count(quotas, nowMs)
    this.parts.memory.remember(quotas, count)
    return count
  }

  peek(quotas: readonly Quota[], nowMs: number): Windows[] {
    return this.parts.memory.peek(quotas, nowMs)
  }

  /** Warms up every connection of the shared store, so that no request pays for it. */
  async start(): Promise<void> {
    const nowMs = Math.floor(this.parts.nowMs())
    await this.tryShared(async (store) => {
      await (store.start ? store.start([probe], nowMs) : store.count([probe], nowMs))
    })
  }

  async close(): Promise<void> {
    this.closed = true
    clearTimeout(this.timer)
    clearTimeout(this.watcher)
    await this.parts.shared.close()
    await this.parts.memory.close()
  }

  private async tryShared<T>(call: (store: WindowStore) => Promise<T>): Promise<T | undefined> {
    if (this.degraded) return undefined
    try {
      return await this.inTime(call(this.parts.shared))
    } catch (error) {
      this.degrade(error)
      return undefined
    }
  }

  private degrade(error: unknown): void {
    if (this.degraded || this.closed) return
    this.degraded = true
    const { log, name, onDegraded } = this.parts
    onDegraded?.(true)
    log.error(
      { err: error, store: name },
      `${name} is unavailable: each server counts rate limits in its own memory`,
    )
    this.probeLater()
  }

  private probeLater(): void {
    this.timer = setTimeout(() => {
      void this.probe()
    }, probeIntervalMs).unref()
  }

  private async probe(): Promise<void> {
    try {
      await this.inTime(this.parts.shared.count([probe], Math.floor(this.parts.nowMs())))
    } catch {
      if (!this.closed) this.probeLater()
      return
    }
    this.degraded = false
    this.parts.onDegraded?.(false)
    this.parts.log.info(
      { store: this.parts.name },
      `${this.parts.name} is available again: rate limits apply across all servers`,
    )
  }

  /** Rejects if the response takes too long. */
  private inTime<T>(response: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const waiting = { sinceMs: monotonicMs(), reject }
      this.waiting.add(waiting)
      this.watch()
      response
        .finally(() => this.waiting.delete(waiting))
        .then((result) => {
          this.lastResponseMs = monotonicMs()
          resolve(result)
        }, reject)
    })
  }

  /** Checks again when the request that has waited longest could be late. */
  private watch(): void {
    const [oldest] = this.waiting
    if (this.watcher || !oldest) return
    const inMs = Math.max(0, this.lateAtMs(oldest) - monotonicMs())
    // one more turn of the event loop: a response that arrived while it was busy is not late
    this.watcher = setTimeout(() => setImmediate(() => this.refuseLate()), inMs)
  }

  private refuseLate(): void {
    this.watcher = undefined
    const nowMs = monotonicMs()
    for (const waiting of this.waiting) {
      if (nowMs < this.lateAtMs(waiting)) break // the ones behind it came later
      this.waiting.delete(waiting)
      waiting.reject(new Error(`no answer after ${Math.round(nowMs - waiting.sinceMs)} ms`))
    }
    this.watch()
  }

  private lateAtMs({ sinceMs }: Waiting): number {
    const { patienceMs } = this.parts
    const silentSinceMs = Math.max(sinceMs, this.lastResponseMs)
    return Math.min(silentSinceMs + (patienceMs ?? silenceMs), sinceMs + (patienceMs ?? maxWaitMs))
  }
}

/** Counts in this process's memory. Exact if this is the only server. A restart forgets all counts. */
export class MemoryStore implements PeekableStore {
  /** One cache per kind, so that a flood from many new addresses evicts no count of a key. */
  private readonly callers: Record<Quota['kind'], LRUCache<string, Windows>>

  constructor(max = maxCallers) {
    // `max` would allocate room for every entry at startup; `maxSize` does not
    const newCache = () => new LRUCache<string, Windows>({ maxSize: max, sizeCalculation: () => 1 })
    this.callers = {
      ...{ key: newCache(), sessions: newCache(), exchange: newCache(), start: newCache() },
      ...{ feed: newCache(), page: newCache(), stranger: newCache(), login: newCache() },
      ...{ account: newCache(), mail: newCache(), push: newCache(), program: newCache() },
    }
  }

  async count(quotas: readonly Quota[], nowMs: number): Promise<CountResult> {
    const states = quotas.map((quota) => ({ quota, windows: this.callers[quota.kind].get(quota.id) }))
    const count = countRequest(states, nowMs)
    if (count.counted) this.remember(quotas, count)
    return count
  }

  peek(quotas: readonly Quota[], nowMs: number): Windows[] {
    return quotas.map(({ kind, id }) => openWindows(this.callers[kind].peek(id), nowMs))
  }

  /** Stores the counts of another store. */
  remember(quotas: readonly Quota[], { windows }: CountResult): void {
    for (const [index, { kind, id }] of quotas.entries()) {
      const counted = windows[index]
      if (counted) this.callers[kind].set(id, counted)
    }
  }

  async close(): Promise<void> {
    for (const callers of Object.values(this.callers)) callers.clear()
  }
}

/** Counts in a PostgreSQL table, exactly across all servers. Waiting requests share one statement. */
export class PostgresStore implements WindowStore {
  private readonly connections: DedicatedPool
  private readonly countTogether: (request: PostgresRequest) => Promise<CountResult>

  constructor(connections: DedicatedPool) {
    this.connections = connections
    this.countTogether = together((requests) => this.countGroup(requests), {
      ownerOf: ({ owner }) => owner,
      maxGroups: dedicatedPoolSize,
      maxGroupsOfOwner: 2,
      isWorthTrying: (error) => !(error instanceof DatabaseUnavailable),
    })
  }

  async start(quotas: readonly Quota[], nowMs: number): Promise<void> {
    const eachConnection = Array.from({ length: dedicatedPoolSize }, () =>
      this.countGroup([{ quotas, nowMs, owner: '' }]),
    )
    await Promise.all(eachConnection)
  }

  count(quotas: readonly Quota[], nowMs: number, owner = ''): Promise<CountResult> {
    return this.countTogether({ quotas, nowMs, owner })
  }

  close(): Promise<void> {
    return this.connections.close()
  }

  /**
   * Counts all requests if they fit. Otherwise counts one after the other those that fit, based on the windows found.
   */
  private async countGroup(requests: readonly PostgresRequest[]): Promise<CountResult[]> {
    const nowMs = Math.max(...requests.map((request) => request.nowMs))
    const times = {
      now: instantFromMs(nowMs),
      minute: limitsOf(minuteMs, nowMs),
      hour: limitsOf(hourMs, nowMs),
    }
    let found: ReadonlyMap<string, Windows> | undefined
    let isChosen = requests.map(() => true)
    for (let round = 1; round <= maxRounds; round += 1) {
      const rows = await countRequests(
        this.connections.queries,
        wantedCounts(requests, isChosen, found),
        times,
      )
      if (!rows) continue
      found = new Map(rows.map((row) => [row.caller, windowsOf(row)]))
      const isDone = rows.every(({ fits }) => fits)
      const results = countInTurn(isDone ? isChosen : requests.map(() => true), { requests, found, nowMs })
      isChosen = results.map(({ counted }) => counted)
      if (isDone || !isChosen.includes(true)) return results
    }
    throw new Error('other servers counted the same callers all the time')
  }
}

/** Limit of counts after other servers were faster. */
const maxRounds = 12

/**
 * Returns the counts that the chosen requests add to their callers. They fit in two cases: if the windows leave room
 * for all, or if they hold no more than when the requests were chosen.
 */
function wantedCounts(
  requests: readonly PostgresRequest[],
  isChosen: readonly boolean[],
  found: ReadonlyMap<string, Windows> | undefined,
): WantedCount[] {
  const members = requests.flatMap(({ quotas }, index) =>
    quotas.map((quota) => ({ quota, isChosen: isChosen[index] })),
  )
  const ofCallers = [...Map.groupBy(members, ({ quota }) => callerOf(quota))]
  return ofCallers.sort(byName).map(([caller, ofCaller]) => {
    const quotas = ofCaller.filter((member) => member.isChosen).map(({ quota }) => quota)
    const wanted = quotas.length
    const windows = found?.get(caller)
    const most = (limits: number[], window: Window | null | undefined) =>
      Math.max(Math.min(...limits) - wanted, found ? (window?.used ?? 0) : -wanted)
    const hours = quotas.flatMap(({ perHour }) => perHour ?? [])
    return {
      caller,
      wanted,
      minuteMost: most(
        quotas.map(({ perMinute }) => perMinute),
        windows?.minute,
      ),
      hourMost: hours.length === 0 ? null : most(hours, windows?.hour),
    }
  })
}

function callerOf({ kind, id }: Quota): string {
  return `${kind}:${id}`
}

/** One order for all servers. */
function byName([one]: readonly [string, ...unknown[]], [other]: readonly [string, ...unknown[]]): number {
  return one < other ? -1 : 1
}

/**
 * Returns the results of requests as if they had come one after the other. Requests that are not chosen count nothing.
 */
function countInTurn(
  isChosen: readonly boolean[],
  {
    requests,
    found,
    nowMs,
  }: { requests: readonly PostgresRequest[]; found: ReadonlyMap<string, Windows>; nowMs: number },
): CountResult[] {
  const windowsNow = new Map(found)
  return requests.map(({ quotas }, index) => {
    const states = quotas.map((quota) => ({ quota, windows: windowsNow.get(callerOf(quota)) }))
    if (!isChosen[index]) {
      return { counted: false, windows: states.map(({ windows }) => openWindows(windows, nowMs)) }
    }
    const result = countRequest(states, nowMs)
    for (const [place, quota] of quotas.entries()) {
      const windows = result.windows[place]
      if (windows) windowsNow.set(callerOf(quota), windows)
    }
    return result
  })
}

function windowsOf({ minute_ends_at, minute_used, hour_ends_at, hour_used }: WindowsRow): Windows {
  const windowOf = (endsAt: Instant | null, used: number): Window | null =>
    endsAt === null ? null : { used, endsAtMs: toMs(endsAt) }
  return { minute: windowOf(minute_ends_at, minute_used), hour: windowOf(hour_ends_at, hour_used) }
}

function limitsOf(lengthMs: number, nowMs: number) {
  return {
    endsAt: instantFromMs(nowMs + lengthMs),
    latestEnd: instantFromMs(latestEndMs(lengthMs, nowMs)),
  }
}
