import { monotonicMs } from '../base/clock.ts'
import type { Instant } from '../base/instants.ts'
import { repeat } from '../base/repeat.ts'
import { together } from '../base/together.ts'
import type { Context } from './context.ts'
import { DatabaseUnavailable, pause } from './database.ts'

/*
 * The loop of what is leased: deliveries, mails, payments, busy calendars. Each server runs it beside its requests.
 *
 *   1. A round writes the results that wait, and leases what is due, no more than there are places for. A signal of a commit
 *      in this process, a poll, or the end of a piece of work asks for one. Whoever asks during a round joins the next.
 *   2. Work on all that was leased begins at once. If it gives a result, a round writes it; if not, it has written its own.
 *
 *   mode      entered by          leases  work in flight
 *   running   –                   yes     ends by itself
 *   draining  stop()              no      ends by itself
 *   aborting  the grace is over   no      is cut off, and has two seconds to write that
 *
 * Guarantees: a loop never has more in flight than its limit. Work that fails stops no other work. A result is written only
 * where its lease still holds; while the database is away the loop tries again, until the lease ends. After a failure to
 * lease, the loop ignores signals for half a second, and logs the first failure of an outage. stop() resolves two seconds
 * after its grace at the latest. What a killed server had leased is due again when its lease ends.
 * Does not guarantee: that work happens only once, or the limit over several servers. Each server has its own.
 */

/** Between two attempts to lease, or to write a result, while the database does not answer. */
const retryMs = 500
/** Time to write what was cut off. */
const abortMs = 2_000

/** Tells the loop of this process that something is due. */
export class DueSignal {
  private hear: (() => void) | undefined

  /** Whether this process runs the loop: the command line does not. */
  get isHeard(): boolean {
    return this.hear !== undefined
  }

  /** Calls `hear` at each signal from now on; undefined ends that. */
  listen(hear: (() => void) | undefined): void {
    this.hear = hear
  }

  raise(): void {
    this.hear?.()
  }
}

/** The table of one kind of work. */
interface Policy {
  /** Counts everything between its lease and the end of its work, or its written result. */
  maxInFlight: number
  /** A poll finds what becomes due without a signal, such as retries and the leases of killed servers. */
  pollMs: number
  signal?: DueSignal
  /** The line in the log when a round fails. */
  failing: string
  /** The line in the log when work throws, with the name of its id. */
  failed: [level: 'warn' | 'error', id: string, message: string]
}

/** A result that a round writes. */
interface LeasedResult {
  row: { id: string; leased_until: Instant }
}

interface Round<Leased> {
  leased: Leased[]
  /** Ids of the results that were written. */
  written?: ReadonlySet<string>
}

/** Leases what is due, and works on it. Each kind of work extends it. */
export abstract class LeaseLoop<
  Needs extends Pick<Context, 'clock' | 'log'>,
  Leased extends { id: string },
  Result extends LeasedResult = never,
> {
  protected readonly context: Needs
  /** From the lease to the end of the work, or its written result. None rejects. */
  protected readonly inFlight = new Map<Leased, Promise<void>>()
  protected mode: 'running' | 'draining' | 'aborting' = 'running'
  private readonly policy: Policy
  /** Nothing is leased before. */
  private restsUntilMs = 0
  /** Whether somebody waits for the next round already: a burst of signals is one. */
  private isWoken = false
  private isFailing = false
  private poll: ReturnType<typeof repeat> | undefined
  private stopped: Promise<void> | undefined

  constructor(context: Needs, policy: Policy) {
    this.context = context
    this.policy = policy
  }

  /** Writes results, each only where its lease still holds, and leases up to `max` of what is due, as one transaction. */
  protected abstract lease(max: number, results: readonly Result[]): Promise<Round<Leased>>

  /** Works on what was leased. Writes what came of it, or leaves that to a round by giving a result. */
  protected abstract work(leased: Leased): Promise<Result | undefined>

  /** Logs a result that was written, dropped because its lease was lost, or given up after an error. */
  protected report?(result: Result, isWritten: boolean, error: unknown): void

  /** Cuts off the work in flight, and frees what it uses. */
  protected close?(): Promise<unknown> | undefined

  /** Leases from now on, at each signal and each poll. */
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

  /** Resolves when nothing is due, or can be leased, nothing is in flight, and every result is written. */
  async settled(): Promise<void> {
    this.wake()
    for (;;) {
      while (this.inFlight.size > 0) await Promise.all(this.inFlight.values())
      this.restsUntilMs = 0
      const round = await this.round(undefined).catch(() => pause(retryMs))
      if (round?.leased.length === 0 && this.inFlight.size === 0 && !this.isFailing) return
    }
  }

  /** Leases nothing more. Work in flight ends within the grace, or is cut off. */
  stop(graceMs = 0): Promise<void> {
    this.stopped ??= this.finish(graceMs)
    return this.stopped
  }

  /** Leases nothing for a while, in which a signal or a poll changes nothing. */
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
    const ended = lastRound.then(() => Promise.all(this.inFlight.values())) // the round under way may still lease
    await within(graceMs, ended)
    this.mode = 'aborting'
    await within(abortMs, Promise.all([ended, this.close?.()]))
  }

  /** Asks for a round, with a result to write if there is one. Rejects when the database does not answer. */
  private readonly round = together<Result | undefined, Round<Leased>>(
    async (members) => {
      const round = await this.runRound(members.filter((member) => member !== undefined))
      return members.map(() => round)
    },
    {
      ...{ maxMembers: Infinity, maxGroups: 1 }, // results are as many as may be in flight
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
      if (results.length === 0) this.rest(retryMs) // else it would fail at each signal
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

  /** Has a result written, as long as its lease lasts. */
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

/** Waits for something, but no longer than that. */
function within(milliseconds: number, work: Promise<unknown>): Promise<unknown> {
  let timer: NodeJS.Timeout
  const over = new Promise((resolve) => (timer = setTimeout(resolve, milliseconds)))
  return Promise.race([work, over]).finally(() => clearTimeout(timer))
}
