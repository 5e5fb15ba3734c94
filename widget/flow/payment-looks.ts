const firstPauseMs = 3_000
const growth = 1.4
const maxPauseMs = 60_000
/** Milliseconds after which only the visitor triggers a check, longer than a checkout lives. */
const givenUpAfterMs = 45 * 60_000

/**
 * Pauses in milliseconds between checks for a payment. The processor reports it a moment after the visitor
 * pays, or never.
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
