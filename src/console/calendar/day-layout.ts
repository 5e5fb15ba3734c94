import { dayOf } from '../../availability/hours-rules.ts'
import { zoneAround } from '../../availability/offer-rules.ts'
import { dayMs, type Interval } from '../../availability/zone-rules.ts'
import { offsetIntervalAt } from '../../base/instants.ts'

/*
 * Positions of times in a grid with rows of five minutes. Rows follow wall time. A single day has exactly its
 * hours, 23 or 25 on a clock change. A week has the hours of all its days, including one that a day repeats.
 */

const minuteMs = 60_000
const minutesPerRow = 5
const rowsPerHour = 60 / minutesPerRow
/** Rows of a day with 25 hours. */
const maxRows = 25 * rowsPerHour

/** Continuous wall time, in minutes from midnight. */
interface WallSpan {
  from: number
  to: number
}

interface AxisPart extends WallSpan {
  /** The row at which it begins. */
  row: number
}

/** A part of a day with one offset from UTC. */
interface DayPart extends Interval {
  wall: WallSpan
}

/** A local day and its hours. */
interface ShownDay extends Interval {
  date: string
  parts: DayPart[]
}

/** An hour of the grid. */
interface HourLabel {
  row: number
  /** An instant at which the clock shows this hour. */
  atMs: number
  /** True if the day repeats it, so that it needs a zone abbreviation. */
  isRepeated: boolean
}

/** A half-open range of rows, counted from 0. */
export interface Rows {
  first: number
  end: number
}

/** The rows of some days. */
export class DayGrid {
  readonly days: ShownDay[]
  private readonly axis: AxisPart[]
  /** The day whose parts define the axis. */
  private readonly leading: ShownDay | undefined

  constructor(dates: readonly string[], timeZone: string) {
    this.days = dates.map((date) => dayIn(date, timeZone))
    this.leading =
      this.days.find(({ parts }) => hasRepeats(parts)) ?? (dates.length === 1 ? this.days[0] : undefined)
    let row = 0
    this.axis = (this.leading?.parts.map(({ wall }) => wall) ?? [{ from: 0, to: 24 * 60 }]).map((wall) => {
      const part = { ...wall, row }
      row += Math.ceil((wall.to - wall.from) / minutesPerRow)
      return part
    })
  }

  /** Number of rows of the days. */
  get rows(): number {
    const last = this.axis.at(-1)
    return last ? last.row + Math.ceil((last.to - last.from) / minutesPerRow) : 0
  }

  /** Returns the rows of an interval on a day; undefined if it lies on other days. */
  rowsOf({ from, to }: Interval, day: ShownDay): Rows | undefined {
    const start = Math.max(from, day.from)
    const end = Math.min(to, day.to)
    if (start >= end) return undefined
    const first = this.rowAt(start, day)
    return { first, end: Math.max(first + 1, this.endRowAt(end, day)) }
  }

  /**
   * Returns the times of a day's rows: parts without a clock change, each with its first row, the row after
   * it, and its start.
   */
  runsOf(day: ShownDay): { first: number; end: number; atMs: number }[] {
    return day.parts.flatMap(({ from, to }) => {
      const rows = this.rowsOf({ from, to }, day)
      return rows ? [{ ...rows, atMs: from }] : []
    })
  }

  /** Returns the hours of the grid within some rows. */
  hours({ first, end }: Rows): HourLabel[] {
    const day = this.leading ?? this.days[0]
    if (!day) return []
    return this.axis.flatMap((part, index) => {
      const hours: HourLabel[] = []
      for (let wall = Math.ceil(part.from / 60) * 60; wall < part.to; wall += 60) {
        const row = part.row + (wall - part.from) / minutesPerRow
        if (row < first || row >= end) continue
        const own = this.leading
          ? day.parts[index]
          : day.parts.find(({ wall: { from, to } }) => from <= wall && wall < to)
        const atMs = own ? own.from + (wall - own.wall.from) * minuteMs : day.from + wall * minuteMs
        const isRepeated = this.axis.some((other) => other !== part && other.from <= wall && wall < other.to)
        hours.push({ row, atMs, isRepeated })
      }
      return hours
    })
  }

  private rowAt(instantMs: number, day: ShownDay): number {
    const index = day.parts.findIndex(({ from, to }) => from <= instantMs && instantMs < to)
    const part = day.parts[index]
    if (!part) return 0
    const wall = part.wall.from + (instantMs - part.from) / minuteMs
    const on =
      day === this.leading ? this.axis[index] : this.axis.find(({ from, to }) => from <= wall && wall < to)
    return on ? on.row + Math.floor((wall - on.from) / minutesPerRow) : 0
  }

  private endRowAt(instantMs: number, day: ShownDay): number {
    const isOnRow = instantMs % (minutesPerRow * minuteMs) === 0
    return this.rowAt(instantMs - 1, day) + (isOnRow ? 1 : 0)
  }
}

/** Returns whole hours that contain all given rows. */
export function windowOf(rows: readonly Rows[], all: number): Rows {
  const first = Math.min(...rows.map((one) => one.first))
  const end = Math.max(...rows.map((one) => one.end))
  return {
    first: Math.floor(first / rowsPerHour) * rowsPerHour,
    end: Math.min(all, Math.ceil(end / rowsPerHour) * rowsPerHour),
  }
}

/**
 * Places overlapping entries next to each other. Each gets a lane, and the number of lanes at its position.
 */
export function inLanes<T>(
  entries: readonly (T & { rows: Rows })[],
): (T & { rows: Rows; lane: number; lanes: number })[] {
  const sorted = entries.toSorted((one, other) => one.rows.first - other.rows.first)
  const placed: (T & { rows: Rows; lane: number; lanes: number })[] = []
  let group: typeof placed = []
  let ends: number[] = []
  const close = () => {
    for (const one of group) one.lanes = ends.length
    placed.push(...group)
    group = []
    ends = []
  }
  for (const entry of sorted) {
    if (ends.every((end) => end <= entry.rows.first)) close()
    const free = ends.findIndex((end) => end <= entry.rows.first)
    const lane = free === -1 ? ends.length : free
    ends[lane] = entry.rows.end
    group.push({ ...entry, lane, lanes: 1 })
  }
  close()
  return placed
}

function dayIn(date: string, timeZone: string): ShownDay {
  const day = dayOf(date)
  const { from, to } = zoneAround(timeZone, { first: day, last: day }).spanOf({ first: day, last: day })
  const parts: DayPart[] = []
  for (let at = from; at < to;) {
    const offset = offsetIntervalAt(at, timeZone)
    const end = Math.min(offset.toMs, to)
    const wall = (ms: number) => (ms + offset.offsetMs - day * dayMs) / minuteMs
    parts.push({ from: at, to: end, wall: { from: wall(at), to: wall(end) } })
    at = end
  }
  return { date, from, to, parts }
}

function hasRepeats(parts: readonly DayPart[]): boolean {
  return parts.some(({ wall }, index) => (parts[index + 1]?.wall.from ?? Infinity) < wall.to)
}

/** Maximum number of lanes. The last one takes the rest. */
const maxLanes = 6

/**
 * Returns the classes for a position in the grid: rows and lane. The page's policy allows no style
 * attributes.
 */
export function placeOf({ first, end }: Rows, start: number, { lane = 0, lanes = 1 } = {}): string {
  const shown = Math.min(lanes, maxLanes)
  const rows = `r${first - start} n${end - first}`
  return shown === 1 ? rows : `${rows} w${shown}-${Math.min(lane, shown - 1)}`
}

/** Returns the class for the number of hours shown, from which the style sheet computes the height of a row. */
export function hoursClass({ first, end }: Rows): string {
  return `f${Math.ceil((end - first) / rowsPerHour)}`
}

/**
 * Returns the styles of all classes from `placeOf` and `hoursClass`. Uses positions, because browsers lay out hundreds of them
 * faster than a grid.
 */
export function placeStyles(): string {
  const rules = [
    ':is(.cal-rows,.cal-rows>*){height:calc(var(--n)*var(--row))}',
    '.cal-rows>*{top:calc(var(--r)*var(--row))}',
  ]
  for (let rows = 0; rows <= maxRows; rows += 1)
    rules.push(`.r${rows}{--r:${rows}}`, `.n${rows}{--n:${rows}}`)
  for (let hours = 0; hours <= maxRows / rowsPerHour; hours += 1) rules.push(`.f${hours}{--hours:${hours}}`)
  const percent = (lanes: number, all: number) => `${Number(((lanes / all) * 100).toFixed(3))}%`
  for (let lanes = 2; lanes <= maxLanes; lanes += 1)
    for (let lane = 0; lane < lanes; lane += 1)
      rules.push(
        `.cal-rows>.w${lanes}-${lane}{inset-inline:${percent(lane, lanes)} ${percent(lanes - lane - 1, lanes)}}`,
      )
  return rules.join('\n')
}
