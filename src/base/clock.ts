import { AsyncLocalStorage } from 'node:async_hooks'
import { type Instant, instantFromMs, toMs } from './instants.ts'

/** The only source of time. It is injected, so that tests can move it and all servers agree on it. */
export interface Clock {
  now(): Instant
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  nowMs(): number
}

/**
 * Milliseconds between two readings of the database's time. A reading also corrects the clock after the machine was
 * suspended.
 */
const syncIntervalMs = 10_000

/** Creates a clock from a source of epoch milliseconds. */
export function clockFrom(nowMs: () => number): Clock {
  return { nowMs, now: () => instantFromMs(Math.floor(nowMs())) }
}

/** The clock of this machine. */
export const systemClock: Clock = clockFrom(() => Date.now())

/** The time of a test business, which stands still until it is moved. */
export interface TestTime {
  businessId: string
  now: Instant
}

const testTimes = new AsyncLocalStorage<(TestTime & { real: Clock }) | undefined>()

/** Shows the time of the test business for which the caller works, and otherwise the time of another clock. */
export class FollowingClock implements Clock {
  readonly real: Clock

  constructor(real: Clock) {
    this.real = real
  }

  now(): Instant {
    return testTimes.getStore()?.now ?? this.real.now()
  }

  nowMs(): number {
    const test = testTimes.getStore()
    return test ? toMs(test.now) : this.real.nowMs()
  }
}

/** Runs work, and everything that it starts, in the time of a test business. */
export function atTestTime<T>(clock: Clock, time: TestTime, work: () => T): T {
  return testTimes.run({ ...time, real: realClock(clock) }, work)
}

/** Runs work in real time, even if a test business caused it. */
export function inRealTime<T>(work: () => T): T {
  return testTimes.getStore() === undefined ? work() : testTimes.run(undefined, work)
}

/** Returns the test business in whose time the caller works. Undefined in real time. */
export function testTime(): TestTime | undefined {
  return testTimes.getStore()
}

/** Returns a clock that no test business moves. */
export function realClock(clock: Clock): Clock {
  return clock instanceof FollowingClock ? clock.real : clock
}

/** Returns the real time for a time read by the caller, which may be that of a test business. */
export function realNow(now: Instant): Instant {
  return testTimes.getStore()?.real.now() ?? now
}

/** Monotonic milliseconds, for durations. */
export function monotonicMs(): number {
  return performance.now()
}

/**
 * Shows the time of a shared database: its time at the last reading plus the monotonic time since. So all servers of
 * one database agree, and a jumping wall clock does no harm.
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

  /** Reads the database's time now and then every ten seconds. If a later reading fails, the last one stays in use. */
  async start(): Promise<void> {
    await this.sync()
    this.timer = setInterval(() => void this.sync().catch(() => undefined), syncIntervalMs).unref()
  }

  stop(): void {
    clearInterval(this.timer)
  }

  /**
   * The database read its time somewhere between query and reply. Moves the clock only as far as that proves. After a
   * slow reply (a busy pool or process), the midpoint could be wrong by half of the delay.
   */
  private async sync(): Promise<void> {
    const sentMs = performance.now()
    const time = toMs(await this.readTime())
    const receivedMs = performance.now()
    const middle = time - (sentMs + receivedMs) / 2
    this.offsetMs = Math.min(Math.max(this.offsetMs ?? middle, time - receivedMs), time + 1 - sentMs)
  }
}
