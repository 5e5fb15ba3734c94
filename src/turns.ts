import { setImmediate, setTimeout } from 'node:timers/promises'
import { monotonicMs } from './clock.ts'
import type { Engine } from './database/database.ts'

/** A long computation that goes on for longer lets others have their turn, in milliseconds. */
const turnMs = 4
/** Nothing counts for more: a turn in which a busy database was waited for has not taken the thread for so long. */
const mostTurnMs = 8
/** It gives way to at most so many others: beside more, it still gets this share, so that it comes to an end. */
const mostOthers = 16
/**
 * What a request that computes costs in all, by what its turns cost: receiving and authenticating it, tagging and sending
 * its answer come on top, and what PostgreSQL computes for it in processes of its own.
 */
const costByTurns: Record<Engine, number> = { sqlite: 2, postgres: 2.2 }
/** Timers know no less. */
const leastPauseMs = 1

/** Where time and waiting come from; tests put their own in place. */
export interface TurnsTime {
  nowMs: () => number
  /** Lets everything run that has arrived. */
  yield: () => Promise<unknown>
  pause: (milliseconds: number) => Promise<unknown>
}

/** The first of the two comes before the loop has asked again who has arrived, when an arrival began the turn. */
async function yieldToAll(): Promise<void> {
  await setImmediate()
  await setImmediate()
}

const realTime: TurnsTime = { nowMs: monotonicMs, yield: yieldToAll, pause: setTimeout }

/**
 * Shares the one thread of this process between requests: who computes for long pauses, after each turn, for as long as
 * it has cost again for every other request in flight. So a client that asks for availability in a loop leaves most of the
 * processor to those who hold slots; alone it waits for nobody.
 */
export class Turns {
  /** How many requests have arrived and are not answered. */
  inFlight = 0
  private computing = 0
  private readonly costByTurns: number
  private readonly time: TurnsTime

  constructor(engine: Engine, time = realTime) {
    this.costByTurns = costByTurns[engine]
    this.time = time
  }

  /** A request has arrived; the function given is to be called once, when its answer is sent or its client gone. */
  arrived(): () => void {
    this.inFlight += 1
    return () => {
      this.inFlight -= 1
    }
  }

  /** Does a long computation, which asks `turn.over()` between its steps and may give way for the rest at its end. */
  async share<T>(work: (turn: Turn) => Promise<T>): Promise<T> {
    this.computing += 1
    const turn = new Turn(this.time, () => this.others() * this.costByTurns)
    try {
      return await work(turn)
    } finally {
      this.computing -= 1
    }
  }

  /** How many others want to be served; those that compute for long themselves only count where somebody does not. */
  private others(): number {
    const waitsForSomebody = this.inFlight > this.computing
    return waitsForSomebody ? Math.min(this.inFlight - 1, mostOthers) : 0
  }
}

/** What one long computation has taken and owes. */
export class Turn {
  private readonly time: TurnsTime
  /** How many times as long as a turn takes others are to have after it. */
  private readonly timesOwed: () => number
  private startedMs: number
  /** Below zero when a pause took longer than it was to. */
  private owedMs = 0

  constructor(time: TurnsTime, timesOwed: () => number) {
    this.time = time
    this.timesOwed = timesOwed
    this.startedMs = time.nowMs()
  }

  /** To be awaited between steps of less than a millisecond or so: gives way when the turn is over. */
  over(): Promise<void> | undefined {
    return this.time.nowMs() - this.startedMs < turnMs ? undefined : this.giveWay()
  }

  /** Ends the turn and begins the next one after those of the others. */
  async giveWay(): Promise<void> {
    const spentMs = Math.min(this.time.nowMs() - this.startedMs, mostTurnMs)
    // those who waited for this turn may be answered all at once now, and be back a moment later
    const waited = this.timesOwed()
    await this.time.yield() // only then is it known who has come meanwhile
    this.owedMs += spentMs * Math.max(waited, this.timesOwed())
    if (this.owedMs >= leastPauseMs) {
      const pausedMs = this.time.nowMs()
      await this.time.pause(this.owedMs)
      this.owedMs -= this.time.nowMs() - pausedMs
    }
    this.startedMs = this.time.nowMs()
  }
}
