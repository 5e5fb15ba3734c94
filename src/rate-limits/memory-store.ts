import { LRUCache } from 'lru-cache'
import type { Quota } from './quota-rules.ts'
import { countIn, openWindows } from './window-rules.ts'
import type { Count, Windows, WindowStore } from './window-types.ts'

/** Callers of each kind that are remembered; then the one that was not heard of for the longest is forgotten. */
const mostCallers = 25_000

/** Keeps windows in this process: exact where it is the only one, and gone when it ends. */
export class MemoryStore implements WindowStore {
  /** Apart, so that a flood from ever new addresses pushes out no count of a key. */
  private readonly callers: Record<Quota['kind'], LRUCache<string, Windows>>

  constructor(most = mostCallers) {
    // by size and not by number: for a number the cache makes room at once, which takes time and memory at the start
    const make = () => new LRUCache<string, Windows>({ maxSize: most, sizeCalculation: () => 1 })
    this.callers = { key: make(), exchange: make(), stranger: make() }
  }

  async count(quota: Quota, nowMs: number): Promise<Count> {
    const count = countIn(this.callers[quota.kind].get(quota.id), quota, nowMs)
    if (count.counted) this.remember(quota, count)
    return count
  }

  async look(quota: Quota, nowMs: number): Promise<Windows> {
    return openWindows(this.callers[quota.kind].get(quota.id), nowMs)
  }

  /** Takes over what another store has counted. */
  remember({ kind, id }: Quota, { minute, hour }: Windows): void {
    this.callers[kind].set(id, { minute, hour })
  }

  async close(): Promise<void> {
    for (const callers of Object.values(this.callers)) callers.clear()
  }
}
