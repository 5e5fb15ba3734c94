import type { Clock } from '../clock.ts'
import type { Quota } from './quota-rules.ts'
import { secondsToWait, windowToShow } from './window-rules.ts'
import type { WindowStore } from './window-types.ts'

/** What an answer tells of the limits, and whether its request was let through. */
export interface Verdict {
  allowed: boolean
  limit: number
  remaining: number
  /** Whole seconds since 1970, rounded up: at that second the window is over. */
  resetsAtSeconds: number
  /** Whole seconds, at least one, after which a request is let through again, if this one was not. */
  retryAfterSeconds: number
  /** The length of the window that is shown. */
  unit: 'minute' | 'hour'
}

/** Counts requests by quotas, at the time of the injected clock. */
export class RateLimiter {
  private readonly store: WindowStore
  private readonly clock: Clock

  constructor(store: WindowStore, clock: Clock) {
    this.store = store
    this.clock = clock
  }

  /** Counts a request, or refuses it and counts it nowhere. */
  async count(quota: Quota): Promise<Verdict> {
    const nowMs = this.nowMs()
    const { counted, ...windows } = await this.store.count(quota, nowMs)
    return { allowed: counted, ...verdictOf(windowToShow(windows, quota, nowMs), nowMs) }
  }

  /** Tells what is left without counting. */
  async look(quota: Quota): Promise<Verdict> {
    const nowMs = this.nowMs()
    const windows = await this.store.look(quota, nowMs)
    return { allowed: true, ...verdictOf(windowToShow(windows, quota, nowMs), nowMs) }
  }

  close(): Promise<void> {
    return this.store.close()
  }

  private nowMs(): number {
    return Math.floor(this.clock.nowMs())
  }
}

function verdictOf(shown: ReturnType<typeof windowToShow>, nowMs: number): Omit<Verdict, 'allowed'> {
  return {
    limit: shown.limit,
    remaining: shown.remaining,
    resetsAtSeconds: Math.ceil(shown.resetsAtMs / 1000),
    retryAfterSeconds: secondsToWait(shown, nowMs),
    unit: shown.unit,
  }
}
