import { monotonicMs } from '../clock.ts'
import type { Context } from '../context.ts'
import type { Listening } from '../database/database.ts'
import { plusSeconds } from '../instants.ts'
import { traceExchange } from '../tracing.ts'
import type { Resolve } from './addresses.ts'
import { afterAttempt, outboundOf, outcomeOf, spanAttributes, type Attempted } from './delivery.ts'
import { deliveriesChannel } from './delivery-queries.ts'
import { isAnyDue, leaseDeliveries, type LeasedDelivery } from './lease-queries.ts'
import { ResultWriter } from './result-writer.ts'
import { Sender, type AttemptResult } from './send.ts'

/*
 * Leases due deliveries and sends them: on every server, beside its requests.
 *
 *   mode      entered by              leases  in flight
 *   new       –                       no      nothing
 *   running   start()                 yes     is sent, and its result written
 *   draining  stop()                  no      ends by itself, and its result is written
 *   aborting  the grace is over       no      is cut off: its lease is released, no attempt counts
 *   stopped   nothing is in flight    no      nothing
 *
 * Guarantees: what a killed server had leased is due again after 30 seconds. Of one webhook this server sends at most four at
 * once, and nothing is leased that is not sent at once. A slow receiver delays no other: it gets one at a time, an attempt takes
 * nobody's place after its first second, and where places are short webhooks have their turns in the order of their ids.
 * Does not guarantee: four at once over several servers. Each has its own four.
 * Signals: `DeliverySignal` of this process, `NOTIFY` of commands (PostgreSQL), the end of an attempt, and a poll.
 */

/** How far the worker is in its life: the table above. */
type Mode = 'new' | 'running' | 'draining' | 'aborting' | 'stopped'

/** Longer than an attempt takes, and writing its result. */
const leaseSeconds = 30
/** Limit of one attempt. */
const attemptMs = 10_000
const maxOfWebhook = 4
/** Attempts in their first second, over all webhooks. */
const maxQuick = 256
const quickMs = 1_000
/** Freed places are leased for together, and where places are short not for fewer than these. */
const refillDelayMs = 2
const minRefill = 32
/** Attempts in flight, with those that wait for slow receivers. */
const maxInFlight = 512
/** Slow receivers that are remembered. */
const maxSlow = 1_000
/** Without a signal the database is polled this often, for retries and for leases that ended. */
const pollMs = 1_000
/** With every place taken, places are counted this often: that attempts become slow is no signal. */
const fullPollMs = 50

/** What tests replace. */
export interface DeliveryWorkerOptions {
  /** Of Holdfast, for `User-Agent`. */
  version: string
  attemptMs?: number
  resolve?: Resolve
}

/** The worker of this process. */
export class DeliveryWorker {
  private readonly context: Context
  private readonly sender: Sender
  private readonly results: ResultWriter
  private mode: Mode = 'new'
  /** When each attempt in flight began, on the clock of `monotonicMs`. */
  private readonly inFlight = new Map<LeasedDelivery, number>()
  /** The webhook behind which the next lease begins. Undefined: with the first one. */
  private after: string | undefined
  /** Webhooks of which more may be due than was leased. */
  private backlogged = new Set<string>()
  /** Webhooks whose latest attempt was slow. */
  private readonly slow = new Set<string>()
  private refilling: NodeJS.Timeout | undefined
  private isNudged = false
  private wakeUp: () => void = () => undefined
  private isDatabaseAway = false
  private readonly whenSettled: (() => void)[] = []
  private listening: Listening | undefined
  private running: Promise<void> = Promise.resolve()
  private stopped: Promise<void> | undefined

  constructor(context: Context, options: DeliveryWorkerOptions) {
    const { config, clock } = context
    this.context = context
    this.sender = new Sender({
      version: options.version,
      timeoutMs: options.attemptMs ?? attemptMs,
      isUnguarded: config.environment !== 'production',
      allowedRanges: config.webhookAllowCidr,
      nowMs: () => clock.nowMs(),
      ...(options.resolve && { resolve: options.resolve }),
    })
    this.results = new ResultWriter(context, {
      onResult: (attempted, isWritten) => this.report(attempted, isWritten),
      onIdle: () => {
        if (this.isAwaited) this.wake()
      },
    })
  }

  start(): void {
    const { db, dueDeliveries } = this.context
    this.mode = 'running'
    dueDeliveries.listen(() => this.wake())
    this.listening = db.listen(deliveriesChannel, () => this.wake())
    this.running = this.run()
  }

  /** Leases at once what is due. */
  wake(): void {
    this.isNudged = true
    this.wakeUp()
  }

  /** Resolves when nothing is due, or can be leased, nothing in flight and every result written. */
  settled(): Promise<void> {
    return new Promise((resolve) => {
      this.whenSettled.push(resolve)
      this.wake()
    })
  }

  /** Leases nothing more. Attempts in flight end within the grace, or are cut off and made again later. */
  stop(graceMs: number): Promise<void> {
    this.stopped ??= this.finish(graceMs)
    return this.stopped
  }

  private async finish(graceMs: number): Promise<void> {
    this.mode = 'draining'
    this.context.dueDeliveries.listen(undefined)
    const graceIsOver = setTimeout(() => {
      this.mode = 'aborting'
      this.sender.abortAll()
      this.results.abort()
    }, graceMs)
    this.wake()
    await this.running
    while (this.isBusy) await new Promise<void>((resolve) => (this.wakeUp = resolve))
    clearTimeout(graceIsOver)
    this.mode = 'stopped'
    await Promise.all([this.sender.close(), this.listening?.close()])
  }

  private get isBusy(): boolean {
    return this.inFlight.size > 0 || this.results.isBusy
  }

  /** Whether somebody waits until nothing is in flight. */
  private get isAwaited(): boolean {
    return this.mode !== 'running' || this.whenSettled.length > 0
  }

  private async run(): Promise<void> {
    while (this.mode === 'running') {
      const patienceMs = await this.leaseAndSend()
      if (patienceMs === 0 || this.isNudged) continue
      if (!this.isBusy) for (const resolve of this.whenSettled.splice(0)) resolve()
      await this.nextSignal(patienceMs)
    }
  }

  private async nextSignal(patienceMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      this.wakeUp = resolve
      timer = setTimeout(resolve, patienceMs).unref()
    })
    clearTimeout(timer)
  }

  /** Leases what there are places for and begins to send it. Tells how long to wait for a signal, in milliseconds. */
  private async leaseAndSend(): Promise<number> {
    const max = this.freePlaces()
    this.isNudged = false
    if (max <= 0 || (this.after !== undefined && max < minRefill)) return fullPollMs
    const { db, clock, log } = this.context
    try {
      // most signals find nothing more: to see that takes no transaction
      const isDue = this.after !== undefined || (await isAnyDue(db.reads, clock.now()))
      const leased = isDue ? await this.lease(max) : []
      this.isDatabaseAway = false
      for (const delivery of leased) void this.attempt(delivery)
      if (leased.length === max) this.after = webhooksOf(leased).toSorted().at(-1)
      else if (this.after === undefined) return pollMs
      else this.after = undefined
      return 0
    } catch (error) {
      if (!this.isDatabaseAway) log.warn({ err: error }, 'deliveries cannot be leased; retrying')
      this.isDatabaseAway = true
      this.isNudged = false // with a signal it would be tried again at once, again and again
      return pollMs
    }
  }

  private freePlaces(): number {
    const nowMs = monotonicMs()
    let quick = 0
    for (const beganMs of this.inFlight.values()) if (nowMs - beganMs < quickMs) quick += 1
    return Math.min(maxQuick - quick, maxInFlight - this.inFlight.size)
  }

  private async lease(max: number): Promise<LeasedDelivery[]> {
    const [{ db }, after] = [this.context, this.after]
    const slow = new Map([...this.slow].map((id) => [id, maxOfWebhook - 1])) // one place is left
    const inFlight = countedOn(slow, webhooksOf(this.inFlight.keys()))
    const leased = await db.transaction((tx) => {
      const until = plusSeconds(tx.now, leaseSeconds)
      return leaseDeliveries(tx.db, db.engine, { max, maxOfWebhook, inFlight, after, now: tx.now, until })
    })
    const full = [...countedOn(inFlight, webhooksOf(leased))].filter(([, count]) => count >= maxOfWebhook)
    this.backlogged = new Set(full.map(([id]) => id))
    return leased
  }

  /** Makes an attempt and has its result written. */
  private async attempt(delivery: LeasedDelivery): Promise<void> {
    this.inFlight.set(delivery, monotonicMs())
    const result = this.mode === 'running' ? await this.send(delivery) : undefined
    try {
      this.results.add({ delivery, attempted: result && this.conclude(delivery, result) })
      if (result) this.countAttempt(delivery, result)
    } catch (error) {
      const about = { err: error, delivery_id: delivery.id }
      this.context.log.error(about, 'a delivery could not be concluded or counted')
    }
    this.inFlight.delete(delivery)
    if (result) this.noteSpeed(delivery.webhook_id, result.tookMs)
    if (this.isAwaited) this.wake()
    else if (this.backlogged.has(delivery.webhook_id) || this.after !== undefined) this.refill()
  }

  /** Leases again a moment later: attempts that begin together end together. */
  private refill(): void {
    this.refilling ??= setTimeout(() => {
      this.refilling = undefined
      this.wake()
    }, refillDelayMs).unref()
  }

  private noteSpeed(webhookId: string, tookMs: number): void {
    this.slow.delete(webhookId)
    if (tookMs < quickMs) return
    if (this.slow.size >= maxSlow) this.slow.clear()
    this.slow.add(webhookId)
  }

  private async send(delivery: LeasedDelivery): Promise<AttemptResult | undefined> {
    const { clock, log } = this.context
    const atMs = clock.nowMs()
    try {
      return await this.sender.send(outboundOf(delivery, clock.now()))
    } catch (error) {
      log.error({ err: error, delivery_id: delivery.id }, 'a delivery cannot be sent')
      return { atMs, tookMs: 0, responseStatus: null, error: 'connection_failed' }
    }
  }

  private conclude(delivery: LeasedDelivery, result: AttemptResult): Attempted {
    const { clock, config, ids } = this.context
    const plan = { now: clock.now(), retrySeconds: config.webhookRetrySeconds, fraction: ids.fraction() }
    return afterAttempt(delivery, result, plan)
  }

  private countAttempt(delivery: LeasedDelivery, result: AttemptResult): void {
    const { url, traceparent } = delivery
    const attributes = () => spanAttributes(delivery)
    traceExchange({ method: 'POST', url, traceparent, attributes }, result)
    this.context.metrics.attempt(outcomeOf(result), result.tookMs / 1000)
  }

  private report({ delivery, attempt, row }: Attempted, isWritten: boolean): void {
    const { log, metrics } = this.context
    const { error, response_status, number } = attempt
    const { id: delivery_id, webhook_id, url } = delivery
    const about = { delivery_id, webhook_id, host: URL.parse(url)?.host, number, error, response_status }
    if (!isWritten) {
      log.warn(about, 'the lease of a delivery ended before its result came; the result is dropped')
      return
    }
    if (error !== null) log[row.status === 'failed' ? 'warn' : 'info'](about, 'an attempt to deliver failed')
    if (row.status !== 'pending') metrics.delivery(outcomeOf(attempt))
  }
}

function webhooksOf(deliveries: Iterable<LeasedDelivery>): string[] {
  return Array.from(deliveries, ({ webhook_id }) => webhook_id)
}

/** Gives counts of ids, each with how often it is added. */
function countedOn(counts: ReadonlyMap<string, number>, added: string[]): Map<string, number> {
  const sums = new Map(counts)
  for (const id of added) sums.set(id, (sums.get(id) ?? 0) + 1)
  return sums
}
