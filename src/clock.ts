import { instantFromMs, toMs, type Instant } from './instants.ts'

/** Where all code takes the time from. Injected, so that tests move it and nodes agree on it. */
export interface Clock {
  /** The present instant. */
  now(): Instant
  /** The present instant in milliseconds since 1970-01-01T00:00:00Z. */
  nowMs(): number
}

/** Makes a clock from a source of epoch milliseconds. */
export function clockFrom(nowMs: () => number): Clock {
  return { nowMs, now: () => instantFromMs(Math.floor(nowMs())) }
}

/** The clock of this machine. */
export const systemClock: Clock = clockFrom(() => Date.now())

/** Milliseconds that only ever grow, for durations. */
export function monotonicMs(): number {
  return performance.now()
}

/** Milliseconds between two readings of the database's time: a suspended machine is right again after them. */
const syncIntervalMs = 10_000

/**
 * A clock that shows the time of a shared database: its time at the last reading plus the
 * monotonic time since. All nodes of one database agree, and a wall clock that jumps does no harm.
 */
export class SharedClock implements Clock {
  private readonly readTime: () => Promise<Instant>
  /** Unknown before the first reading. */
  private offsetMs: number | undefined
  private timer: NodeJS.Timeout | undefined

  constructor(readTime: () => Promise<Instant>) {
    this.readTime = readTime
  }

  nowMs(): number {
    if (this.offsetMs === undefined) throw new Error('the shared clock has not been started')
    return performance.now() + this.offsetMs
  }

  now(): Instant {
    return instantFromMs(Math.floor(this.nowMs()))
  }

  /** Reads the database's time now and from then on every ten seconds; a failed later reading keeps the last. */
  async start(): Promise<void> {
    await this.sync()
    this.timer = setInterval(() => {
      this.sync().catch(() => undefined) // the next reading comes in ten seconds
    }, syncIntervalMs)
    this.timer.unref()
  }

  stop(): void {
    clearInterval(this.timer)
  }

  /**
   * The database told its time somewhere between question and answer. What the clock shows is moved only as
   * far as that makes certain: an answer that was long in coming (a busy pool, a busy process) says little,
   * and taking its middle would move the clock by half of the delay.
   */
  private async sync(): Promise<void> {
    const sentMs = performance.now()
    const time = toMs(await this.readTime())
    const receivedMs = performance.now()
    const middle = time - (sentMs + receivedMs) / 2
    this.offsetMs = Math.min(Math.max(this.offsetMs ?? middle, time - receivedMs), time + 1 - sentMs)
  }
}
