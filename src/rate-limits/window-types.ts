import type { Quota } from './quota-rules.ts'

/** A fixed window: it opened with its first counted request and is over at its end. */
export interface Window {
  used: number
  endsAtMs: number
}

/** The windows of a quota; null for one that is not open (or that the quota does not have). */
export interface Windows {
  minute: Window | null
  hour: Window | null
}

/** What became of a request: counted in every window of its quotas, or in none because one is full. */
export interface Count {
  counted: boolean
  /** Of each quota, in their order, as they are now. */
  windows: Windows[]
}

/** Where windows are kept. Exact over all that count in it: of requests at once, no more are counted than fit. */
export interface WindowStore {
  /** Counts a request in all windows of its quotas in one step, or in none when one is full. */
  count(quotas: readonly Quota[], nowMs: number): Promise<Count>
  close(): Promise<void>
}

/** A store that tells without asking anybody what was counted through it last. */
export interface KnowingStore extends WindowStore {
  /** The open windows of each quota, as far as this process knows of them; counts nothing. */
  peek(quotas: readonly Quota[], nowMs: number): Windows[]
}
