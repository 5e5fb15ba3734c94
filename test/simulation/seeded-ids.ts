import { base62, type Ids, systemIds } from '../../src/base/ids.ts'
import { randomFrom } from '../support/random.ts'

/** IDs that are equal for equal seeds and different for different ones. A history is replayed to the last ID. */
interface SeededIds extends Ids {
  /** Starts over. If the seed is the same as before, the IDs are others, because the database has those of before. */
  restart(seed: number): void
}

/** Returns IDs in the format of the service: sorted by time, with random last digits. */
export function seededIds(): SeededIds {
  let seed = 0
  let repeats = 0
  let counter = 0
  let random = randomFrom(seed)
  const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0')
  return {
    request: () => systemIds.request(),
    bytes: (count) => Buffer.from(Array.from({ length: count }, () => random.below(256))),
    fraction: () => random.below(1_000_000) / 1_000_000,
    secret: (length) => {
      const digits = Array.from({ length }, () => base62.charAt(random.below(base62.length)))
      return digits.join('')
    },
    next: () => {
      counter += 1
      const end = `${hex(random.below(2 ** 24), 6)}${hex(random.below(2 ** 24), 6)}`
      return `${hex((seed + repeats * 2 ** 24) % 2 ** 32, 8)}-${hex(counter >>> 12, 4)}-7${hex(counter & 0xfff, 3)}-8000-${end}`
    },
    restart: (next) => {
      repeats = next === seed ? repeats + 1 : 0
      seed = next
      counter = 0
      random = randomFrom((next + repeats * 2 ** 24) * 7919 + 1) // a different stream from that of the steps
    },
  }
}
