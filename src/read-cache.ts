import { LRUCache } from 'lru-cache'
import type { Clock } from './clock.ts'

/** No reader sees anything older than this: a revoked key or a changed service takes effect within it. */
export const cacheLifeMs = 5_000

/** More than one server reads in that time, so that none is forgotten too soon; the rest only takes memory. */
const mostEntries = 5_000

/**
 * Remembers what was read for at most five seconds: tokens, services, staff. Bounded in size.
 * A miss (`undefined`) is never remembered, so what was just created is found at once.
 */
export class ReadCache {
  /** How often a value was there, since the start. */
  hits = 0
  /** How often it had to be read, since the start. */
  misses = 0
  private readonly clock: Clock
  private readonly entries = new LRUCache<string, { value: object; readAtMs: number }>({ max: mostEntries })
  /** How often anything was forgotten. One count for all keys: a read that is thrown away for another's costs one read. */
  private forgotten = 0

  constructor(clock: Clock) {
    this.clock = clock
  }

  /** The remembered value, or what `read` gives now. The life of a value counts from before its reading. */
  async get<T extends object>(key: string, read: () => Promise<T | undefined>): Promise<T | undefined> {
    const startedMs = this.clock.nowMs()
    const entry = this.entries.get(key)
    const ageMs = entry ? startedMs - entry.readAtMs : Infinity
    if (entry && ageMs >= 0 && ageMs < cacheLifeMs) {
      this.hits += 1
      return entry.value as T // only this caller's type is stored under its key
    }
    this.misses += 1
    const { forgotten } = this
    const value = await read()
    if (!value) this.entries.delete(key)
    // a read that began before a change may give what was there before it
    else if (forgotten === this.forgotten) this.entries.set(key, { value, readAtMs: startedMs })
    return value
  }

  /** The value that was remembered last, however old, without reading anything. */
  peek(key: string): object | undefined {
    return this.entries.peek(key)?.value
  }

  /** Forgets one value, on this node, after a change made by it. A read under way does not bring it back. */
  forget(key: string): void {
    this.forgotten += 1
    this.entries.delete(key)
  }
}
