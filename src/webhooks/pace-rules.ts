import type { AttemptError } from './delivery-types.ts'

/** Of a receiver that takes less more is claimed ahead, of one that takes longer than `slowMs` nothing. */
const fastMs = 100
const slowMs = 1_000

/** How an attempt went: a fast receiver may have more claimed ahead, a slow or failing one has less. */
export type AttemptPace = 'fast' | 'steady' | 'slow' | 'timeout'

/** The pace of an attempt that took so long, in milliseconds, and ended so. */
export function paceOf({ error, tookMs }: { error: AttemptError | null; tookMs: number }): AttemptPace {
  if (error === 'timeout') return 'timeout'
  if (error !== null || tookMs > slowMs) return 'slow'
  return tookMs < fastMs ? 'fast' : 'steady'
}

/** Whether what waits behind such an attempt is given up for now, since others would wait for it. */
export function isHoldUp(pace: AttemptPace): boolean {
  return pace === 'slow' || pace === 'timeout'
}
