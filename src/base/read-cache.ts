import { LRUCache } from 'lru-cache'
import type { Clock } from './clock.ts'

/** A revoked key or a changed service takes effect within this time. */
const cacheLifeMs = 5_000
/** More than one server reads in that time. */
const maxEntries = 5_000

function isYoung(ageMs: number): boolean {
  return ageMs >= 0 && ageMs < cacheLifeMs
}

/**
 * Caches tokens, services and staff for at most five seconds. Its size is limited. It never caches a miss
 * (`undefined`), so readers find a new row at once.
 */
export class ReadCache {
  /** Hits since startup. */
  hits = 0
  misses = 0
  private readonly clock: Clock
  private readonly entries = new LRUCache<string, { value: object; readAtMs: number }>({ max: maxEntries })
  /** Current reads of `getTogether`. */
  private readonly underWay = new Map<string, { value: Promise<object | undefined>; startedMs: number }>()
  /** Counts calls of `forget`. One count covers all keys. At worst, a read is not cached because of another key. */
  private forgotten = 0

  constructor(clock: Clock) {
    this.clock = clock
  }

  /** Returns the cached value, or the result of `read`. The life of a value begins before it is read. */
  async get<T extends object>(key: string, read: () => Promise<T | undefined>): Promise<T | undefined> {
    const startedMs = this.clock.nowMs()
    const entry = this.entries.get(key)
    const ageMs = entry ? startedMs - entry.readAtMs : Infinity
    if (entry && isYoung(ageMs)) {
      this.hits += 1
      return entry.value as T // only values of this caller's type are stored under its key
    }
    this.misses += 1
    const { forgotten } = this
    const value = await read()
    if (!value) this.entries.delete(key)
    // a read that began before a change may return the state before it
    else if (forgotten === this.forgotten) this.entries.set(key, { value, readAtMs: startedMs })
    return value
  }

  /** Like `get`, but simultaneous callers share one read. Not for reads within a transaction. */
  getTogether<T extends object>(key: string, read: () => Promise<T | undefined>): Promise<T | undefined> {
    const startedMs = this.clock.nowMs()
    const joined = this.underWay.get(key)
    if (joined && isYoung(startedMs - joined.startedMs)) {
      this.hits += 1
      return joined.value as Promise<T | undefined>
    }
    const reading = { value: this.get(key, read), startedMs }
    const end = () => {
      if (this.underWay.get(key) === reading) this.underWay.delete(key)
    }
    this.underWay.set(key, reading)
    reading.value.then(end, end)
    return reading.value
  }

  /** Returns the last cached value of any age, without a read. */
  peek(key: string): object | undefined {
    return this.entries.peek(key)?.value
  }

  /** Drops one value on this server after a change. A current read does not bring it back. */
  forget(key: string): void {
    this.forgotten += 1
    this.entries.delete(key)
    this.underWay.delete(key)
  }
}
