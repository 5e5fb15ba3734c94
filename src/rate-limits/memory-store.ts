import { LRUCache } from 'lru-cache'
import type { Quota } from './quota-rules.ts'
import { countIn, openWindows } from './window-rules.ts'
import type { Count, KnowingStore, Windows } from './window-types.ts'

/** Callers of each kind that are remembered; then the one that was not heard of for the longest is forgotten. */
const mostCallers = 25_000

/** Keeps windows in this process: exact where it is the only one, and gone when it ends. */
export class MemoryStore implements KnowingStore {
  /** Apart, so that a flood from ever new addresses pushes out no count of a key. */
  private readonly callers: Record<Quota['kind'], LRUCache<string, Windows>>

  constructor(most = mostCallers) {
    // by size and not by number: for a number the cache makes room at once, which takes time and memory at the start
    const make = () => new LRUCache<string, Windows>({ maxSize: most, sizeCalculation: () => 1 })
    this.callers = { key: make(), sessions: make(), exchange: make(), stranger: make() }
  }

  async count(quotas: readonly Quota[], nowMs: number): Promise<Count> {
    const states = quotas.map((quota) => ({ quota, windows: this.callers[quota.kind].get(quota.id) }))
    const count = countIn(states, nowMs)
    if (count.counted) this.remember(quotas, count)
    return count
  }

  peek(quotas: readonly Quota[], nowMs: number): Windows[] {
    return quotas.map(({ kind, id }) => openWindows(this.callers[kind].peek(id), nowMs))
  }

  /** Takes over what another store has counted. */
  remember(quotas: readonly Quota[], { windows }: Count): void {
    for (const [index, { kind, id }] of quotas.entries()) {
      const counted = windows[index]
      if (counted) this.callers[kind].set(id, counted)
    }
  }

  async close(): Promise<void> {
    for (const callers of Object.values(this.callers)) callers.clear()
  }
}
