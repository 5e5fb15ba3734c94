import { type Random, randomFrom } from '../support/random.ts'

/** One kind of random histories, with its service. */
export interface Play {
  /** Number of steps of a history. */
  steps: number
  /**
   * Runs the steps with these numbers, in their order. A step does the same whatever the others are, if what it needs
   * is there. Throws {@link HistoryError} if an answer or the end is wrong. Returns the milliseconds that passed on
   * the clock of the service.
   */
  run(seed: number, numbers: readonly number[]): Promise<number>
  stop(): Promise<void>
}

/** A history that went wrong, with a line for each thing that was done. */
export class HistoryError extends Error {
  readonly log: readonly string[]

  constructor(log: readonly string[], cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.log = log
  }
}

export const allSteps = ({ steps }: Play): number[] => Array.from({ length: steps }, (_, index) => index)

/** Returns the random numbers of one step, which do not depend on earlier ones. */
export const randomOfStep = (seed: number, number: number): Random => randomFrom(seed * 1_009 + number)

/**
 * Leaves out steps of a failing history as long as it fails without them (delta debugging, Zeller and Hildebrandt
 * 2002). Ends after so many tries, too.
 */
export async function shortest(
  numbers: readonly number[],
  fails: (numbers: readonly number[]) => Promise<boolean>,
  tries = 200,
): Promise<readonly number[]> {
  let [kept, left] = [numbers, tries]
  for (let size = Math.ceil(kept.length / 2); size >= 1;) {
    let shorter: readonly number[] | undefined
    for (let at = 0; at < kept.length && left > 0 && !shorter; at += size) {
      const without = kept.toSpliced(at, size)
      left -= 1
      if (await fails(without)) shorter = without
    }
    if (left <= 0) return shorter ?? kept
    if (shorter) kept = shorter
    else size = size === 1 ? 0 : Math.ceil(size / 2)
  }
  return kept
}
