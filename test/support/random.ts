/** Random numbers that are the same for the same seed (mulberry32), so that failures can be replayed. */
export interface Random {
  /** Returns an integer from 0 to `below` - 1. */
  below(below: number): number
  /** Returns one of the entries. */
  of<T>(entries: readonly T[]): T
  chance(probability: number): boolean
}

export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  const fraction = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (max: number) => Math.floor(fraction() * max)
  return {
    below,
    of: (entries) => {
      if (entries.length === 0) throw new Error('there is nothing to choose from')
      return entries[below(entries.length)] as (typeof entries)[number]
    },
    chance: (probability) => fraction() < probability,
  }
}

/**
 * Returns `count` seeds, beginning with `first`. HOLDFAST_TEST_SEED replaces them by one seed, HOLDFAST_TEST_SEEDS by a
 * range (`201-400`).
 */
export function seeds(count: number, first = 1): number[] {
  const given = process.env['HOLDFAST_TEST_SEED'] || process.env['HOLDFAST_TEST_SEEDS']
  const [from = first, to = given ? from : first + count - 1] = given ? given.split('-').map(Number) : []
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}
