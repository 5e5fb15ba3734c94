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

/** What became of a request: counted in every window of its quota, or in none because one is full. */
export interface Count extends Windows {
  counted: boolean
}

/** Where windows are kept. Exact over all that count in it: of requests at once, no more are counted than fit. */
export interface WindowStore {
  /** Counts a request in both windows in one step, or in none when one is full. */
  count(quota: Quota, nowMs: number): Promise<Count>
  /** The windows as they are; counts nothing. */
  look(quota: Quota, nowMs: number): Promise<Windows>
  close(): Promise<void>
}
