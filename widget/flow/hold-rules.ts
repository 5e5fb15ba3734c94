/** How long a hold lasts at most by the contract, in milliseconds, and a little for a clock that is not quite right. */
const usualHoldMs = 600_000
const toleranceMs = 60_000

/**
 * When a hold that was placed now ends, by the clock of this device. That clock may be wrong: an end that cannot be
 * is taken for ten minutes from now.
 */
export function deadlineOf(expiresAt: string, nowMs: number): number {
  const endsAtMs = Date.parse(expiresAt)
  const likely = endsAtMs > nowMs && endsAtMs <= nowMs + usualHoldMs + toleranceMs
  return likely ? Math.min(endsAtMs, nowMs + usualHoldMs) : nowMs + usualHoldMs
}

/** Whole seconds left until a deadline, rounded up. */
export function secondsLeft(deadlineMs: number, nowMs: number): number {
  return Math.max(0, Math.ceil((deadlineMs - nowMs) / 1000))
}
