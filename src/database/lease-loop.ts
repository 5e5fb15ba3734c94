import { inRealTime, monotonicMs } from '../base/clock.ts'
import type { Instant } from '../base/instants.ts'
import { repeat } from '../base/repeat.ts'
import { together } from '../base/together.ts'
import type { Context } from './context.ts'
import { DatabaseUnavailable, pause } from './database.ts'

/*
 * The loop for leased work: deliveries, emails, payments, busy calendars. Each server runs it in addition to its
 * requests.
 *
 *   1. A round writes the waiting results and leases due work, up to the limit. A signal of a commit in this process, a
 *      poll, or finished work requests a round. Requests during a round join the next one.
 *   2. All leased work begins at once. If it returns a result, a round writes it. If not, it has written its own
 *      result.
 *
 * Modes:
 *   - running: leases work. Work in flight ends by itself.
 *   - draining, after stop(): leases nothing. Work in flight ends by itself.
 *   - aborting, after the grace: leases nothing. Work in flight is cut off and has two seconds to write that.
 *
 * Guarantees: a loop never exceeds its limit of work in flight. Work that fails stops no other work. A result is
 * written only while its lease holds. If the database is unavailable, the loop retries until the lease ends. After a
 * failed lease, the loop ignores signals for half a second. It logs the first failure of an outage. stop() resolves two
 * seconds after its grace at the latest. Work leased by a killed server is due again when the lease ends.
 * Does not guarantee: that work happens only once, or a limit across servers. Each server has its own.
 */

/** Pause between attempts to lease or to write a result while the database does not answer. */
const retryMs = 500
/** Time in which aborted work can write its result. */
const abortMs = 2_000

/** Notifies the loop of this process of due work. */
export class DueSignal {
  private hear: (() => void) | undefined

  /** Returns true if this process runs the loop. The command line does not. */
  get isHeard(): boolean {
    return this.hear !== undefined
  }

  /** Calls `hear` at each signal from now on. Undefined stops that. */
  listen(hear: (() => void) | undefined): void {
    this.hear = hear
  }

  raise(): void {
    inRealTime(() => this.hear?.())
  }
}

/** The settings of one kind of work. */
interface Policy {
  /** Counts everything from the lease to the end of the work or its written result. */
  maxInFlight: number
  /** A poll finds work that becomes due without a signal, such as retries and expired leases of killed servers. */
  pollMs: number
  signal?: DueSignal
  /** The log line when a round fails. */
  failing: string
  /** The log line when work throws, with the name of its ID. */
  failed: [level: 'warn' | 'error', id: string, message: string]
}

/** A result that a round writes. */
interface LeasedResult {
  row: { id: string; leased_until: Instant }
}

interface Round<Leased> {
  leased: Leased[]
  /** IDs of the written results. */
  written?: ReadonlySet<string>
}

/** Leases due work and runs it. Each kind of work extends this class. */
export abstract class LeaseLoop<
  Needs extends Pick<Context, 'clock' | 'log'>,
  Leased extends { id: string },
  Result extends LeasedResult = never,
> {
  protected readonly context: Needs
  /** From the lease to the end of the work or its written result. These promises never reject. */
  protected readonly inFlight = new Map<Leased, Promise<void>>()
  protected mode: 'running' | 'draining' | 'aborting' = 'running'
  private readonly policy: Policy
  /** Nothing is leased before this time. */
  private restsUntilMs = 0
  /** True while a request waits for the next round. A burst of signals counts as one. */
  private isWoken = false
  private isFailing = false
  private poll: ReturnType<typeof repeat> | undefined
  private stopped: Promise<void> | undefined

  constructor(context: Needs, policy: Policy) {
    this.context = context
    this.policy = policy
  }

  /** Writes results whose leases still hold and leases up to `max` items of due work, in one transaction. */
  protected abstract lease(max: number, results: readonly Result[]): Promise<Round<Leased>>

  /** Does the leased work. Writes the outcome itself, or returns a result for a round to write. */
  protected abstract work(leased: Leased): Promise<Result | undefined>

  /** Logs a result that was written, dropped after its lease was lost, or given up after an error. */
  protected report?(result: Result, isWritten: boolean, error: unknown): void

  /** Aborts the work in flight and frees its resources. */
  protected close?(): Promise<unknown> | undefined

  /** Leases work from now on, at each signal and each poll. */
  start(): void {
    this.policy.signal?.listen(() => this.wake())
    this.poll = repeat(() => this.round(undefined).then(ignore, ignore), this.policy.pollMs)
  }

  /** Begins a round, or joins the next one. */
  wake(): void {
    if (this.isWoken) return
    this.isWoken = true
    this.round(undefined).catch(ignore) // logged; the next poll tries again
  }

  /** Resolves when no due work can be leased, nothing is in flight, and every result is written. */
  async settled(): Promise<void> {
    this.wake()
    for (;;) {
      while (this.inFlight.size > 0) await Promise.all(this.inFlight.values())
      this.restsUntilMs = 0
      const round = await this.round(undefined).catch(() => pause(retryMs))
      if (round?.leased.length === 0 && this.inFlight.size === 0 && !this.isFailing) return
    }
  }

  /** Stops leasing. Work in flight ends within the grace or is aborted. */
  stop(graceMs = 0): Promise<void> {
    this.stopped ??= this.finish(graceMs)
    return this.stopped
  }

  /** Leases nothing for a while. Signals and polls have no effect meanwhile. */
  protected rest(milliseconds: number): void {
    this.restsUntilMs = Math.max(this.restsUntilMs, monotonicMs() + milliseconds)
  }

  protected failed({ id }: Leased, error: unknown): void {
    const [level, name, message] = this.policy.failed
    this.context.log[level]({ err: error, [name]: id }, message)
  }

  private async finish(graceMs: number): Promise<void> {
    this.mode = 'draining'
    this.policy.signal?.listen(undefined)
    const lastRound = Promise.all([this.round(undefined).catch(ignore), this.poll?.stop()])
    const ended = lastRound.then(() => Promise.all(this.inFlight.values())) // the current round may still lease work
    await within(graceMs, ended)
    this.mode = 'aborting'
    await within(abortMs, Promise.all([ended, this.close?.()]))
  }

  /** Requests a round, with a result to write if there is one. Rejects if the database does not answer. */
  private readonly round = together<Result | undefined, Round<Leased>>(
    async (members) => {
      const round = await this.runRound(members.filter((member) => member !== undefined))
      return members.map(() => round)
    },
    {
      ...{ maxMembers: Infinity, maxGroups: 1 }, // there are at most as many results as work in flight
      isWorthTrying: (error) => !(error instanceof DatabaseUnavailable),
    },
  )

  private async runRound(results: Result[]): Promise<Round<Leased>> {
    this.isWoken = false
    const mayLease = this.mode === 'running' && monotonicMs() >= this.restsUntilMs
    const max = mayLease ? this.policy.maxInFlight - this.inFlight.size + results.length : 0
    if (max === 0 && results.length === 0) return { leased: [] }
    try {
      const round = await this.lease(max, results)
      this.isFailing = false
      for (const leased of round.leased) this.inFlight.set(leased, this.carryOut(leased))
      return round
    } catch (error) {
      if (results.length === 0) this.rest(retryMs) // otherwise each signal would fail
      if (!this.isFailing) this.context.log.warn({ err: error }, this.policy.failing)
      this.isFailing = true
      throw error
    }
  }

  private async carryOut(leased: Leased): Promise<void> {
    let result: Result | undefined
    try {
      result = await this.work(leased)
      if (result) await this.persist(result)
    } catch (error) {
      this.failed(leased, error)
    }
    this.inFlight.delete(leased)
    if (!result) this.wake() // a round that writes a result also leases
  }

  /** Requests rounds until the result is written or its lease ends. */
  private async persist(result: Result): Promise<void> {
    const { id, leased_until } = result.row
    for (;;) {
      let error: unknown
      const round = await this.round(result).catch((reason: unknown) => void (error = reason))
      if (round || this.mode === 'aborting' || leased_until <= this.context.clock.now()) {
        this.report?.(result, round?.written?.has(id) ?? false, error)
        return
      }
      await pause(retryMs)
    }
  }
}

const ignore = () => undefined

/** Waits for work, but no longer than the given time. */
function within(milliseconds: number, work: Promise<unknown>): Promise<unknown> {
  let timer: NodeJS.Timeout
  const over = new Promise((resolve) => (timer = setTimeout(resolve, milliseconds)))
  return Promise.race([work, over]).finally(() => clearTimeout(timer))
}
