import type { MsSpan } from './zone-rules.ts'

/** A claim on a resource, buffers included. */
export interface Claimed extends MsSpan {
  seat: number
  occurrenceId: string
  /** It is a hold; else it is booked. */
  held: boolean
}

const none: readonly Claimed[] = []

/** The claims on one resource that obstruct the caller, ready to be asked about one time after the other. */
export class Occupancy {
  private readonly claims: Claimed[]
  private readonly longestMs: number
  private hint = 0

  constructor(claims: Claimed[]) {
    this.claims = claims.toSorted((one, other) => one.from - other.from)
    this.longestMs = claims.reduce((longest, { from, to }) => Math.max(longest, to - from), 0)
  }

  /** Claims that overlap a time. A list, since a month of slots asks thousands of times and a generator costs more. */
  during({ from, to }: MsSpan): readonly Claimed[] {
    let found: Claimed[] | undefined
    for (let at = this.firstAfter(from - this.longestMs); ; at += 1) {
      const claim = this.claims[at]
      if (!claim || claim.from >= to) return found ?? none
      if (claim.to > from) (found ??= []).push(claim)
    }
  }

  /** How many of so many seats are free for the whole of a time, to those of one occurrence. */
  freeSeats(taken: MsSpan, seats: number, occurrenceId: () => string): number {
    const inTheWay = this.during(taken)
    if (inTheWay.length === 0) return seats
    // spares the occurrence, which costs a digest
    if (seats === 1 && inTheWay.some(({ seat }) => seat === 0)) return 0
    const own = occurrenceId()
    const used = new Set<number>()
    for (const claim of inTheWay) {
      if (claim.occurrenceId !== own) return 0
      if (claim.seat < seats) used.add(claim.seat)
    }
    return seats - used.size
  }

  private firstAfter(instantMs: number): number {
    const startsBy = (at: number) => (this.claims[at]?.from ?? Infinity) <= instantMs
    if (this.hint > 0 && !startsBy(this.hint - 1)) this.hint = 0
    while (startsBy(this.hint)) this.hint += 1
    return this.hint
  }
}
