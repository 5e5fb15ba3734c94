/** Milliseconds of a day of 24 hours: on the line of wall times all days have as many. */
export const dayMs = 86_400_000

/** A half-open time in milliseconds since 1970-01-01T00:00:00Z. */
export interface MsSpan {
  from: number
  to: number
}

/** Local days, counted from 1970-01-01, both included. */
export interface Days {
  first: number
  last: number
}

/** Days one after the other. */
export function* eachDay({ first, last }: Days): Generator<number> {
  for (let day = first; day <= last; day += 1) yield day
}

/** A time in which the clocks of a zone show the same offset from UTC. */
interface Stretch extends MsSpan {
  /** What the clocks show, less UTC. */
  offsetMs: number
}

/**
 * The offsets of one IANA zone over a time, asked for once: from then on wall times and instants turn into each
 * other by arithmetic alone. A wall time is a number too: the milliseconds that a clock showing UTC would have
 * counted since 1970 when it shows the same.
 */
export class ZoneOffsets {
  private readonly stretches: Stretch[]
  /** Where the last answer lay: most questions come in the order of time. */
  private hint = 0

  constructor(timeZone: string, { from, to }: MsSpan) {
    this.stretches = stretchesOf(timeZone, from, to)
  }

  /** What clocks in the zone show at an instant. */
  wallTime(instantMs: number): number {
    return instantMs + this.offsetAt(instantMs)
  }

  /** Local day at an instant, as the number of days since 1970-01-01. */
  dayAt(instantMs: number): number {
    return Math.floor(this.wallTime(instantMs) / dayMs)
  }

  /** From the first moment of some local days until their end. */
  spanOf({ first, last }: Days): MsSpan {
    const spans = this.instantsShowing({ from: first * dayMs, to: (last + 1) * dayMs })
    return { from: spans[0]?.from ?? first * dayMs, to: spans.at(-1)?.to ?? first * dayMs }
  }

  /** The offset from UTC at an instant. A RangeError outside the time for which the zone was asked. */
  offsetAt(instantMs: number): number {
    const { stretches } = this
    const within = (at: number) => {
      const stretch = stretches[at]
      return stretch !== undefined && instantMs >= stretch.from && instantMs < stretch.to
    }
    if (!within(this.hint)) this.hint = stretches.findIndex((_, at) => within(at))
    const stretch = stretches[this.hint]
    if (!stretch) throw new RangeError('the instant lies outside the time for which the zone was asked')
    return stretch.offsetMs
  }

  /**
   * All instants at which the clocks show a wall time from `from` up to `to`, as spans that do not touch. Wall
   * times that a change of the clocks skips have none; those that it repeats have two.
   */
  instantsShowing({ from, to }: MsSpan): MsSpan[] {
    const spans: MsSpan[] = []
    for (const stretch of this.stretches) {
      const start = Math.max(from - stretch.offsetMs, stretch.from)
      const end = Math.min(to - stretch.offsetMs, stretch.to)
      if (start >= end) continue
      const last = spans.at(-1)
      if (last?.to === start) last.to = end
      else spans.push({ from: start, to: end })
    }
    return spans
  }
}

function stretchesOf(timeZone: string, from: number, to: number): Stretch[] {
  const stretches: Stretch[] = []
  let here = Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(timeZone)
  for (let start = from; start < to;) {
    const next = here.getTimeZoneTransition('next')
    const end = Math.min(next?.epochMilliseconds ?? Infinity, to)
    stretches.push({ from: start, to: end, offsetMs: here.offsetNanoseconds / 1e6 })
    if (!next) break
    here = next
    start = end
  }
  return stretches
}
