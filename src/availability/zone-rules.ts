import { offsetIntervalAt } from '../base/instants.ts'

/** In wall time, every day has 24 hours. */
export const dayMs = 86_400_000

/** Half-open, in milliseconds since 1970-01-01T00:00:00Z. */
export interface Interval {
  from: number
  to: number
}

/** Local days, counted from 1970-01-01, both included. */
export interface Days {
  first: number
  last: number
}

export function* eachDay({ first, last }: Days): Generator<number> {
  for (let day = first; day <= last; day += 1) yield day
}

/** An interval with one offset from UTC. */
interface OffsetInterval extends Interval {
  /** Wall time less UTC. */
  offsetMs: number
}

/**
 * The offsets of one IANA zone over an interval, read once: then wall times and instants convert by arithmetic. A wall
 * time is the epoch milliseconds at which a UTC clock shows the same.
 */
export class ZoneOffsets {
  private readonly intervals: OffsetInterval[]
  /** Index of the last result: most queries come in the order of time. */
  private hint = 0

  constructor(timeZone: string, { from, to }: Interval) {
    this.intervals = intervalsOf(timeZone, from, to)
  }

  wallTime(instantMs: number): number {
    return instantMs + this.offsetAt(instantMs)
  }

  /** The local day, as days since 1970-01-01. */
  dayAt(instantMs: number): number {
    return Math.floor(this.wallTime(instantMs) / dayMs)
  }

  /** From the first day's beginning to the last day's end. */
  spanOf({ first, last }: Days): Interval {
    const spans = this.instantsShowing({ from: first * dayMs, to: (last + 1) * dayMs })
    return { from: spans[0]?.from ?? first * dayMs, to: spans.at(-1)?.to ?? first * dayMs }
  }

  /** In milliseconds. Throws RangeError outside the interval of the constructor. */
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
   * Disjoint intervals of instants whose wall time lies from `from` up to `to`. Wall times that a clock change skips
   * have none; repeated ones have two.
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
