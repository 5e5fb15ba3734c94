import { test } from 'vitest'

/**
 * How much is done: `npm test` does little of what is slow by its proof, HOLDFAST_TEST_LONG=1 does it all
 * (`npm run test:long`), and HOLDFAST_TEST_LONG=part a fixed fiftieth (`npm run test:part`, in `.ci/run`).
 */
const asked = process.env['HOLDFAST_TEST_LONG'] ?? ''

/** Whether the long forms run, or a part of them. */
export const isLong = asked !== ''
/** Whether they run in their whole length, and from seeds of their own. */
export const isWhole = isLong && asked !== 'part'

/** A test of the long form alone, such as one whose subject is a timeout of real seconds. */
export const longTest = test.runIf(isLong)

/** How often something is done: seldom in `npm test`, often in the long form. */
export function rounds(short: number, long: number): number {
  if (isWhole) return long
  return isLong ? Math.ceil(short + (long - short) / 50) : short
}

/** Of several cases those that `npm test` tries; the long form tries all. */
export function cases<T>(short: number, all: readonly T[]): readonly T[] {
  return isLong ? all : all.slice(0, short)
}

/** Tells on stderr how far a long run is, at most once in half a minute: `tell(done)` after each part of `total`. */
export function tellProgress(name: string, total: number): (done: number) => void {
  let toldAt = performance.now()
  return (done) => {
    if (!isLong || performance.now() - toldAt < 30_000) return
    toldAt = performance.now()
    process.stderr.write(`${name}: ${String(done)} of ${String(total)}\n`)
  }
}
