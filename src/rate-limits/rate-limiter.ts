import type { Clock } from '../clock.ts'
import type { Quota } from './quota-rules.ts'
import { secondsToWait, windowToShow } from './window-rules.ts'
import type { KnowingStore, Windows } from './window-types.ts'

/** What an answer tells of the limits, and whether its request was let through. */
export interface Verdict {
  allowed: boolean
  limit: number
  remaining: number
  /** Whole seconds since 1970, rounded up: at that second the window is over. */
  resetsAtSeconds: number
  /** Whole seconds, at least one, after which a request is let through again, if this one was not. */
  retryAfterSeconds: number
  /** Whose window is shown, and its length. */
  kind: Quota['kind']
  unit: 'minute' | 'hour'
}

/** Counts requests by quotas, at the time of the injected clock. */
export class RateLimiter {
  private readonly store: KnowingStore
  private readonly clock: Clock

  constructor(store: KnowingStore, clock: Clock) {
    this.store = store
    this.clock = clock
  }

  /** Counts a request by all its quotas, or refuses it and counts it nowhere. */
  async count(quotas: readonly Quota[]): Promise<Verdict> {
    const nowMs = this.nowMs()
    const { counted, windows } = await this.store.count(quotas, nowMs)
    return { allowed: counted, ...verdictOf(quotas, windows, nowMs) }
  }

  /** Tells what is left, as far as this process knows, without counting and without asking a store. */
  peek(quotas: readonly Quota[]): Verdict {
    const nowMs = this.nowMs()
    return { allowed: true, ...verdictOf(quotas, this.store.peek(quotas, nowMs), nowMs) }
  }

  close(): Promise<void> {
    return this.store.close()
  }

  private nowMs(): number {
    return Math.floor(this.clock.nowMs())
  }
}

function verdictOf(
  quotas: readonly Quota[],
  windows: readonly Windows[],
  nowMs: number,
): Omit<Verdict, 'allowed'> {
  const states = quotas.map((quota, index) => ({ quota, windows: windows[index] }))
  const shown = windowToShow(states, nowMs)
  return {
    limit: shown.limit,
    remaining: shown.remaining,
    resetsAtSeconds: Math.ceil(shown.resetsAtMs / 1000),
    retryAfterSeconds: secondsToWait(shown, nowMs),
    kind: shown.kind,
    unit: shown.unit,
  }
}
