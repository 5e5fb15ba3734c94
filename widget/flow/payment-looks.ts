const firstPauseMs = 3_000
const growth = 1.4
const longestPauseMs = 60_000
/** Somewhat longer than a checkout lives, in milliseconds: past it only the visitor asks. */
const givenUpAfterMs = 45 * 60_000

/**
 * The pauses, in milliseconds, between looks whether a payment has arrived: it is told to the service a moment after
 * the visitor has paid, or never.
 */
export const lookPausesMs: readonly number[] = pauses()

function pauses(): number[] {
  const all: number[] = []
  let sumMs = 0
  for (let pause = firstPauseMs; sumMs < givenUpAfterMs; pause = Math.min(pause * growth, longestPauseMs)) {
    all.push(Math.round(pause))
    sumMs += pause
  }
  return all
}
