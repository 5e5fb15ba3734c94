import type { Reads } from './database.ts'
import { isPostgres } from './json-rows.ts'

/*
 * The seats of a claim of several seats, in one column: a set that the overlap rules compare
 * (migrations/claim-rules.ts). PostgreSQL stores an int4multirange, SQLite a JSON array.
 */

/** Returns the set in the engine's format, or null for one seat, which the column `seat` names. */
export function writeSeats(db: Reads, seats: readonly number[]): string | null {
  if (seats.length === 1) return null
  return isPostgres(db)
    ? `{${seats.map((seat) => `[${seat},${seat + 1})`).join(',')}}`
    : JSON.stringify(seats)
}

/** Reads the seats of a set in either engine's format: `[0,4]`, `{[0,1),[4,6)}`. */
export function readSeats(text: string): number[] {
  const isRanges = text.startsWith('{')
  const numbers = Array.from(text.matchAll(/\d+/g), ([digits]) => Number(digits))
  if (!isRanges) return numbers
  return numbers.flatMap((from, index) =>
    index % 2 === 0
      ? Array.from({ length: (numbers[index + 1] ?? from) - from }, (_, step) => from + step)
      : [],
  )
}
