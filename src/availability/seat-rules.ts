import type { Interval } from './zone-rules.ts'

/** A time in which a claim takes seats. */
export interface TakenSeats extends Interval {
  seats: readonly number[]
}

/**
 * Counts the seats that are taken at once, at the fullest moment of an interval. Seats of one resource are alike, so
 * their number decides what fits. Holds move other claims between them where necessary (decision 27).
 */
export function mostTaken(claims: readonly TakenSeats[], { from, to }: Interval): number {
  let throughout = 0
  const changes: { at: number; by: number }[] = []
  for (const claim of claims) {
    const { length } = claim.seats
    if (claim.from <= from && claim.to >= to) throughout += length
    else if (claim.from < to && claim.to > from) {
      changes.push({ at: Math.max(claim.from, from), by: length }, { at: claim.to, by: -length })
    }
  }
  // at one instant the claims that end come first: times are half-open
  changes.sort((one, other) => one.at - other.at || one.by - other.by)
  let most = 0
  let present = 0
  for (const { by } of changes) most = Math.max(most, (present += by))
  return throughout + most
}
