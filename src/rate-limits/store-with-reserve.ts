import type { Logger } from 'pino'
import { monotonicMs } from '../clock.ts'
import type { MemoryStore } from './memory-store.ts'
import type { Quota } from './quota-rules.ts'
import type { Count, KnowingStore, Windows, WindowStore } from './window-types.ts'

/** The shared store is away when it has answered nobody for so long. */
const silenceMs = 250
/** Nor does a request wait longer than this while it answers others. */
const longestWaitMs = 1_000
const pauseMs = 500

/** Counted while the shared store is away, to see whether it counts again. */
const probe: Quota = { kind: 'key', id: 'probe', perMinute: Number.MAX_SAFE_INTEGER, perHour: null }

interface Parts {
  /** What the servers count in together. */
  shared: WindowStore
  memory: MemoryStore
  /** The name of the shared store, for people. */
  name: string
  /** How many connections the shared store has; 1 if absent. */
  connections?: number
  log: Logger
  /** Told of the beginning and the end of each outage. */
  onAway?: (away: boolean) => void
  nowMs: () => number
}

/**
 * A shared store with the memory of this process behind it. When the shared one fails, or is silent for a
 * quarter of a second (being slow in a rush is not being away), requests are counted in memory, from what it knows of the counts so far, until the
 * shared one answers again: it is asked beside the requests, which do not wait for it. The log tells of the
 * beginning and the end.
 */
export class StoreWithReserve implements KnowingStore {
  private readonly parts: Parts
  private timer: NodeJS.Timeout | undefined
  private closed = false
  private lastAnswerMs = 0
  /** Whether requests are counted in memory at present. */
  away = false

  constructor(parts: Parts) {
    this.parts = parts
  }

  async count(quotas: readonly Quota[], nowMs: number): Promise<Count> {
    const count = await this.ask((store) => store.count(quotas, nowMs))
    if (!count) return this.parts.memory.count(quotas, nowMs)
    this.parts.memory.remember(quotas, count)
    return count
  }

  peek(quotas: readonly Quota[], nowMs: number): Windows[] {
    return this.parts.memory.peek(quotas, nowMs)
  }

  /** Asks the shared store on all of its connections; what the first question on one costs is not laid upon a request. */
  async start(): Promise<void> {
    const nowMs = Math.floor(this.parts.nowMs())
    const { connections = 1 } = this.parts
    await Promise.all(
      Array.from({ length: connections }, () => this.ask((store) => store.count([probe], nowMs))),
    )
  }

  async close(): Promise<void> {
    this.closed = true
    clearTimeout(this.timer)
    await this.parts.shared.close()
    await this.parts.memory.close()
  }

  private async ask<T>(question: (store: WindowStore) => Promise<T>): Promise<T | undefined> {
    if (this.away) return undefined
    try {
      return await this.answerOf(question(this.parts.shared))
    } catch (error) {
      this.goAway(error)
      return undefined
    }
  }

  private goAway(error: unknown): void {
    if (this.away || this.closed) return
    this.away = true
    const { log, name, onAway } = this.parts
    onAway?.(true)
    log.error(
      { err: error, store: name },
      `${name} does not count requests: rate limits go on in the memory of each server`,
    )
    this.probeLater()
  }

  private probeLater(): void {
    this.timer = setTimeout(() => {
      void this.probe()
    }, pauseMs).unref()
  }

  private async probe(): Promise<void> {
    try {
      await this.answerOf(this.parts.shared.count([probe], Math.floor(this.parts.nowMs())))
    } catch {
      if (!this.closed) this.probeLater() // the log has told already
      return
    }
    this.away = false
    this.parts.onAway?.(false)
    this.parts.log.info(
      { store: this.parts.name },
      `${this.parts.name} counts requests again: rate limits hold over all servers`,
    )
  }

  /** The answer, or an error when it is too long in coming. */
  private async answerOf<T>(answer: Promise<T>): Promise<T> {
    const askedMs = monotonicMs()
    let timer: NodeJS.Timeout | undefined
    let settled = false
    const tooLate = new Promise<never>((_resolve, reject) => {
      const judge = () => {
        if (settled) return
        const now = monotonicMs()
        const silentSince = Math.max(askedMs, this.lastAnswerMs)
        if (now - silentSince >= silenceMs || now - askedMs >= longestWaitMs) {
          reject(new Error(`no answer after ${Math.round(now - askedMs)} ms`))
        } else wait(Math.min(silentSince + silenceMs, askedMs + longestWaitMs) - now)
      }
      const wait = (milliseconds: number) => {
        // once more through the event loop: an answer that has come while it was busy is not late
        timer = setTimeout(() => setImmediate(judge), milliseconds)
      }
      wait(silenceMs)
    })
    try {
      const answered = await Promise.race([answer, tooLate])
      this.lastAnswerMs = monotonicMs()
      return answered
    } finally {
      settled = true
      clearTimeout(timer)
    }
  }
}
