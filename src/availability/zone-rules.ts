import { offsetIntervalAt } from '../base/instants.ts'

/** Milliseconds in a day. In wall time, every day has 24 hours. */
export const dayMs = 86_400_000

/** A half-open interval in milliseconds since 1970-01-01T00:00:00Z. */
export interface Interval {
  from: number
  to: number
}

/** A range of local days, counted from 1970-01-01, both included. */
export interface Days {
  first: number
  last: number
}

export function* eachDay({ first, last }: Days): Generator<number> {
  for (let day = first; day <= last; day += 1) yield day
}

/** An interval with one offset from UTC. */
interface OffsetInterval extends Interval {
  /** Wall time minus UTC. */
  offsetMs: number
}

/**
 * The offsets of one IANA zone over an interval, read once. Arithmetic then converts between wall times and
 * instants. A wall time is the epoch milliseconds at which a UTC clock shows the same.
 */
export class ZoneOffsets {
  private readonly intervals: OffsetInterval[]
  /** Index of the last result, because most queries come in chronological order. */
  private hint = 0

  constructor(timeZone: string, { from, to }: Interval) {
    this.intervals = intervalsOf(timeZone, from, to)
  }

  wallTime(instantMs: number): number {
    return instantMs + this.offsetAt(instantMs)
  }

  /** Returns the local day, in days since 1970-01-01. */
  dayAt(instantMs: number): number {
    return Math.floor(this.wallTime(instantMs) / dayMs)
  }

  /** Returns the interval from the beginning of the first day to the end of the last. */
  spanOf({ first, last }: Days): Interval {
    const spans = this.instantsShowing({ from: first * dayMs, to: (last + 1) * dayMs })
    return { from: spans[0]?.from ?? first * dayMs, to: spans.at(-1)?.to ?? first * dayMs }
  }

  /** Returns the offset in milliseconds. Throws RangeError outside the constructor's interval. */
  offsetAt(instantMs: number): number {
    const { intervals } = this
    const within = (at: number) => {
      const interval = intervals[at]
      return interval !== undefined && instantMs >= interval.from && instantMs < interval.to
    }
    if (!within(this.hint)) this.hint = intervals.findIndex((_, at) => within(at))
    const interval = intervals[this.hint]
    if (!interval) throw new RangeError('the instant lies outside the interval of the zone')
    return interval.offsetMs
  }

  /**
   * Returns disjoint intervals of instants whose wall time is at least `from` and before `to`. Wall times
   * that a clock change skips have none; repeated ones have two.
   */
  instantsShowing({ from, to }: Interval): Interval[] {
    const spans: Interval[] = []
    for (const interval of this.intervals) {
      const start = Math.max(from - interval.offsetMs, interval.from)
      const end = Math.min(to - interval.offsetMs, interval.to)
      if (start >= end) continue
      const last = spans.at(-1)
      if (last?.to === start) last.to = end
      else spans.push({ from: start, to: end })
    }
    return spans
  }
}

function intervalsOf(timeZone: string, from: number, to: number): OffsetInterval[] {
  const intervals: OffsetInterval[] = []
  for (let start = from; start < to;) {
    const { toMs, offsetMs } = offsetIntervalAt(start, timeZone)
    const end = Math.min(toMs, to)
    intervals.push({ from: start, to: end, offsetMs })
    start = end
  }
  return intervals
}
