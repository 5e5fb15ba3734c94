const firstPauseMs = 3_000
const growth = 1.4
const maxPauseMs = 60_000
/** Longer than a checkout lives; after this, only the visitor triggers a check. In milliseconds. */
const givenUpAfterMs = 45 * 60_000

/**
 * The pauses, in milliseconds, between checks for a payment: the processor reports it a moment after
 * the visitor pays, or never.
 */
export const lookPausesMs: readonly number[] = pauses()

function pauses(): number[] {
  const all: number[] = []
  let sumMs = 0
  for (let pause = firstPauseMs; sumMs < givenUpAfterMs; pause = Math.min(pause * growth, maxPauseMs)) {
    all.push(Math.round(pause))
    sumMs += pause
  }
  return all
}
