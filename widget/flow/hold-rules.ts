/** The longest hold, with some tolerance for an inaccurate clock. */
const usualHoldMs = 600_000
const toleranceMs = 60_000

/**
 * Returns the expiry of a hold placed now, by the clock of this device. That clock may be wrong, so replaces
 * an impossible expiry by ten minutes from now.
 */
export function deadlineOf(expiresAt: string, nowMs: number): number {
  const endsAtMs = Date.parse(expiresAt)
  const likely = endsAtMs > nowMs && endsAtMs <= nowMs + usualHoldMs + toleranceMs
  return likely ? Math.min(endsAtMs, nowMs + usualHoldMs) : nowMs + usualHoldMs
}

/** Returns the whole seconds left until a deadline, rounded up. */
export function secondsLeft(deadlineMs: number, nowMs: number): number {
  return Math.max(0, Math.ceil((deadlineMs - nowMs) / 1000))
}
