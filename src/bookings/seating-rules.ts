import type { TakenSeats } from '../availability/seat-rules.ts'
import type { Interval } from '../availability/zone-rules.ts'

/*
 * Moves claims between alike seats, so that one more fits. It goes through them by their start and gives each any free
 * seats. That always succeeds if at most `capacity` seats are taken at each moment.
 */

/** A claim and its seats. */
export interface Seated extends TakenSeats {
  id: string
}

export interface SeatingQuestion {
  /** The time of the new claim, and its number of seats. */
  wanted: Interval
  size: number
  /** The claims that take seats then or later, by their start. */
  claims: readonly Seated[]
  /** Seats of the resource. */
  capacity: number
  /** All claims that start before this are given. */
  knownUntil: number
  /** Bounds the claims that move. */
  maxMoved: number
}

interface Seating {
  seats: number[]
  /** The claims that move, with their new seats. */
  moved: Seated[]
  /** From then on, all claims have the seats that they had. */
  changedUntil: number
}

/**
 * Gives seats to a claim that fits by number. Claims that started earlier keep their seats. Later ones keep theirs when
 * these are free. Undefined when that moves too many claims, or some that end too late.
 */
export function seatOneMore(question: SeatingQuestion): Seating | undefined {
  const { wanted, size, claims, capacity, knownUntil, maxMoved } = question
  const seats = new Seats(capacity)
  for (const claim of claims) if (claim.from < wanted.from) seats.take(claim.seats, claim.to)
  const later = claims.filter(({ from }) => from >= wanted.from && from < knownUntil)
  const chosen = seats.choose({ from: wanted.from, size, keeps: [], later })
  seats.take(chosen, wanted.to)
  const moved: Seated[] = []
  let changedUntil = wanted.to
  for (const [index, claim] of later.entries()) {
    if (claim.from >= changedUntil) break
    const next = later.slice(index + 1)
    const kept = seats.choose({ from: claim.from, size: claim.seats.length, keeps: claim.seats, later: next })
    seats.take(kept, claim.to)
    if (kept.every((seat) => claim.seats.includes(seat))) continue
    moved.push({ ...claim, seats: kept })
    changedUntil = Math.max(changedUntil, claim.to)
  }
  return changedUntil > knownUntil || moved.length > maxMoved
    ? undefined
    : { seats: chosen, moved, changedUntil }
}

interface SeatsWanted {
  from: number
  size: number
  /** Seats to keep where they are free. */
  keeps: readonly number[]
  /** Claims that have yet to get seats, by their start. */
  later: readonly Seated[]
}

/** Seats, and until when each is taken. */
class Seats {
  private readonly capacity: number
  private readonly takenUntil = new Map<number, number>()

  constructor(capacity: number) {
    this.capacity = capacity
  }

  take(seats: readonly number[], until: number): void {
    for (const seat of seats) this.takenUntil.set(seat, Math.max(until, this.takenUntil.get(seat) ?? until))
  }

  /** Chooses free seats, after those to keep the ones that a later claim needs last. */
  choose({ from, size, keeps, later }: SeatsWanted): number[] {
    const isFree = (seat: number) => (this.takenUntil.get(seat) ?? from) <= from
    const kept = keeps.filter(isFree)
    if (kept.length === size) return kept
    const others: number[] = []
    // beyond a lowered capacity only where it does not suffice
    for (let seat = 0; seat < this.capacity || kept.length + others.length < size; seat += 1) {
      if (isFree(seat) && !kept.includes(seat)) others.push(seat)
    }
    const neededAt = new Map<number, number>()
    for (const claim of later) {
      for (const seat of claim.seats) if (!neededAt.has(seat)) neededAt.set(seat, claim.from)
    }
    const need = (seat: number) => neededAt.get(seat) ?? Infinity
    others.sort((one, other) => (need(one) === need(other) ? one - other : need(other) - need(one)))
    return [...kept, ...others.slice(0, size - kept.length)].toSorted((one, other) => one - other)
  }
}
