import { plusSeconds } from '../base/instants.ts'
import { together } from '../base/together.ts'
import { traceExchange } from '../base/tracing.ts'
import { DatabaseUnavailable, type Listening, pause, type Transaction } from '../database/database.ts'
import type { Resolve } from './addresses.ts'
import type { Context } from './context.ts'
import {
  deliveriesChannel,
  isAnyDue,
  type LeasedDelivery,
  leaseDeliveries,
  planByKeys,
  writeResults,
} from './delivery-queries.ts'
import { afterAttempt, type DeliveryResult, outcomeOf, spanAttributes, withoutAttempt } from './delivery.ts'
import { type AttemptResult, Sender } from './send.ts'
import { disableWebhook, lockWebhooks } from './webhook-queries.ts'

/*
 * Sends due deliveries: on every server, beside its requests.
 *
 *   1. A round is one transaction: it writes the results that wait, and leases what is due, no more than there are places
 *      for. A commit in this process, a command's `NOTIFY` (PostgreSQL), a result or a poll asks for one; who asks while
 *      one is under way goes into the next.
 *   2. Every leased delivery is sent at once, and its result goes into a round.
 *
 *   mode      entered by          leases  attempts in flight
 *   running   –                   yes     end by themselves; their results are written
 *   draining  stop()              no      end by themselves; their results are written
 *   aborting  the grace is over   no      are cut off; their leases are released, and no attempt counts
 *
 * Guarantees: what a killed server had leased is due again after 30 seconds. This server sends at most four deliveries of a
 * webhook at once. A slow receiver delays no other: it gets one at a time, its attempts free their places after a second,
 * and where places are short webhooks take turns in the order of their ids. A result is written only under the lease of its attempt, or into the log of a delivery that failed
 * meanwhile with its webhook; only a written 410 disables a webhook.
 * Does not guarantee: four at once over several servers. Each has its own four.
 */

type Mode = 'running' | 'draining' | 'aborting'

/** Longer than an attempt takes, and writing its result. */
const leaseSeconds = 30
/** Limit of one attempt. */
const attemptMs = 10_000
const maxOfWebhook = 4
/** Attempts in their first second, over all webhooks. */
const maxQuick = 256
/** All deliveries between their lease and their written result. */
const maxInFlight = 512
/** From here on an attempt is slow. */
const slowMs = 1_000
/** Slow receivers that are remembered. */
const maxSlow = 1_000
/** Longest wait of a result for others of its webhook, as attempts that begin together end together; of all, where places are short. */
const gatherMs = 20
/** Retries and leases of killed servers become due without a signal. */
const usualPollMs = 1_000
/** While the database does not answer. */
const retryMs = 500

/** What tests replace. */
export interface DeliveryWorkerOptions {
  /** Of Holdfast, for `User-Agent`. */
  version: string
  attemptMs?: number
  pollMs?: number
  resolve?: Resolve
}

interface Round {
  /** Ids of the deliveries whose results were written. */
  written: Set<string>
  leased: LeasedDelivery[]
}

/** The worker of this process. */
export class DeliveryWorker {
  private readonly context: Context
  private readonly sender: Sender
  private readonly pollMs: number
  private mode: Mode = 'running'
  /** In flight. None rejects. */
  private readonly attempts = new Map<LeasedDelivery, Promise<AttemptResult | undefined>>()
  /** From the lease to the written result. None rejects. */
  private readonly deliveries = new Set<Promise<void>>()
  /** Of those in flight, the attempts in their first second. */
  private readonly quick = new Set<LeasedDelivery>()
  /** Webhooks whose latest attempt was slow. */
  private readonly slow = new Set<string>()
  /** Set where places are short: the webhook behind which the next lease begins. */
  private after: string | undefined
  private isDatabaseAway = false
  private listening: Listening | undefined
  private poll: NodeJS.Timeout | undefined
  private stopped: Promise<void> | undefined

  constructor(context: Context, options: DeliveryWorkerOptions) {
    const { config, clock } = context
    this.context = context
    this.pollMs = options.pollMs ?? usualPollMs
    this.sender = new Sender({
      ...{ version: options.version, timeoutMs: options.attemptMs ?? attemptMs, clock },
      ...{ isUnguarded: config.environment !== 'production', allowedRanges: config.webhookAllowCidr },
      ...(options.resolve && { resolve: options.resolve }),
    })
  }

  start(): void {
    const wake = () => this.wake()
    this.context.dueDeliveries.listen(wake)
    this.listening = this.context.db.listen(deliveriesChannel, wake)
    this.poll = setInterval(wake, this.pollMs)
    wake()
  }

  /** Begins a round, or has the next one look. */
  wake(): void {
    this.round(undefined).catch(() => undefined) // logged; the next poll tries again
  }

  /** Resolves when nothing is due, or can be leased, nothing is in flight, and every result is written. */
  async settled(): Promise<void> {
    this.wake()
    for (;;) {
      while (this.deliveries.size > 0) await Promise.all(this.deliveries)
      const round = await this.round(undefined).catch(() => pause(retryMs))
      if (round?.leased.length === 0 && this.deliveries.size === 0) return
    }
  }

  /** Leases nothing more. Attempts in flight end within the grace, or are cut off and made again later. */
  stop(graceMs: number): Promise<void> {
    this.stopped ??= this.finish(graceMs)
    return this.stopped
  }

  private async finish(graceMs: number): Promise<void> {
    this.mode = 'draining'
    this.context.dueDeliveries.listen(undefined)
    clearInterval(this.poll)
    const graceIsOver = setTimeout(() => {
      this.mode = 'aborting'
      void this.sender.close()
    }, graceMs)
    await this.round(undefined).catch(() => undefined) // the one under way may still lease
    await Promise.all(this.deliveries)
    clearTimeout(graceIsOver)
    await Promise.all([this.sender.close(), this.listening?.close()])
  }

  /** Asks for a round, with a result to write if there is one. Rejects when the database does not answer. */
  private readonly round = together<DeliveryResult | undefined, Round>(
    async (members) => {
      const round = await this.runRound(members.filter((member) => member !== undefined))
      return members.map(() => round)
    },
    {
      ...{ maxMembers: maxInFlight, maxGroups: 1 },
      isWorthTrying: (error) => !(error instanceof DatabaseUnavailable),
    },
  )

  private async runRound(results: DeliveryResult[]): Promise<Round> {
    const { db, log } = this.context
    const free = this.mode === 'running' ? this.freePlaces(results.length) : 0
    try {
      // most polls and signals find nothing to lease: to see that takes no transaction
      const isIdle = results.length === 0 && (free === 0 || !(await this.isAnyDue()))
      const round = isIdle
        ? { written: new Set<string>(), leased: [] }
        : await db.transaction(async (tx) => {
            if (db.engine === 'postgres') await planByKeys(tx.db)
            return { written: await this.write(tx, results), leased: await this.lease(tx, free) }
          })
      this.isDatabaseAway = false
      const isShort = round.leased.length === free
      this.after = isShort ? (round.leased.at(-1)?.webhook_id ?? this.after) : undefined
      for (const delivery of round.leased) this.begin(delivery)
      return round
    } catch (error) {
      if (!this.isDatabaseAway) log.warn({ err: error }, 'deliveries cannot be leased or recorded; retrying')
      this.isDatabaseAway = true
      throw error
    }
  }

  private freePlaces(written: number): number {
    return Math.max(Math.min(maxQuick - this.quick.size, maxInFlight - this.deliveries.size + written), 0)
  }

  private isAnyDue(): Promise<boolean> {
    const { db, clock } = this.context
    return isAnyDue(db.reads, { maxOfWebhook, inFlight: this.takenPlaces([]), now: clock.now() })
  }

  /** Gives the ids of the deliveries whose results were written. */
  private async write({ db: tx, now }: Transaction, results: DeliveryResult[]): Promise<Set<string>> {
    if (results.length === 0) return new Set()
    const disabling = results.filter(({ disablesWebhook }) => disablesWebhook)
    const webhooks = new Set(disabling.map(({ delivery }) => delivery.webhook_id))
    // first, as in every other transaction that locks both
    if (webhooks.size > 0) await lockWebhooks(tx, [...webhooks])
    const rows = results.map(({ row }) => row)
    const written = new Set(await writeResults(tx, rows))
    const disabled = disabling.filter(({ row }) => written.has(row.id))
    for (const id of new Set(disabled.map(({ delivery }) => delivery.webhook_id))) {
      await disableWebhook(tx, id, now)
    }
    return written
  }

  /** Leases up to `max`, webhook by webhook: those behind the last one that had its turn, then from the first. */
  private async lease({ db: tx, now }: Transaction, max: number): Promise<LeasedDelivery[]> {
    const leased: LeasedDelivery[] = []
    for (const after of this.after === undefined ? [undefined] : [this.after, undefined]) {
      if (leased.length === max) break
      const inFlight = this.takenPlaces(leased)
      const request = { after, inFlight, maxOfWebhook, max: max - leased.length, now }
      const until = plusSeconds(now, leaseSeconds)
      leased.push(...(await leaseDeliveries(tx, { ...request, until })))
    }
    return leased
  }

  /** Counts what is in flight and was leased just now, by webhook. A slow receiver has one place left. */
  private takenPlaces(leased: LeasedDelivery[]): Map<string, number> {
    const taken = new Map([...this.slow].map((id) => [id, maxOfWebhook - 1]))
    for (const { webhook_id: id } of [...this.attempts.keys(), ...leased]) {
      taken.set(id, (taken.get(id) ?? 0) + 1)
    }
    return taken
  }

  private begin(delivery: LeasedDelivery): void {
    const delivered = this.deliver(delivery).catch((error: unknown) => {
      const about = { err: error, delivery_id: delivery.id }
      this.context.log.error(about, 'a delivery could not be concluded or counted')
    })
    this.deliveries.add(delivered)
    void delivered.then(() => this.deliveries.delete(delivered))
  }

  /** Makes one attempt and has its result written. */
  private async deliver(delivery: LeasedDelivery): Promise<void> {
    const attempt = this.mode === 'running' ? this.send(delivery) : Promise.resolve(undefined)
    this.attempts.set(delivery, attempt)
    this.quick.add(delivery)
    const becomesSlow = setTimeout(() => this.noteSlow(delivery), slowMs)
    const result = await attempt
    clearTimeout(becomesSlow)
    this.attempts.delete(delivery)
    if (this.quick.delete(delivery)) this.slow.delete(delivery.webhook_id)
    const recorded = this.record(this.conclude(delivery, result))
    try {
      if (result) this.countAttempt(delivery, result)
    } finally {
      await recorded
    }
  }

  /** Gives undefined when the attempt was cut off. */
  private async send(delivery: LeasedDelivery): Promise<AttemptResult | undefined> {
    const { clock, log } = this.context
    const atMs = clock.nowMs()
    try {
      return await this.sender.send(delivery)
    } catch (error) {
      log.error({ err: error, delivery_id: delivery.id }, 'a delivery cannot be sent')
      return { atMs, tookMs: 0, responseStatus: null, error: 'connection_failed' }
    }
  }

  /** Gives its place to another. */
  private noteSlow(delivery: LeasedDelivery): void {
    this.quick.delete(delivery)
    if (this.slow.size < maxSlow) this.slow.add(delivery.webhook_id)
    this.wake()
  }

  private conclude(delivery: LeasedDelivery, result: AttemptResult | undefined): DeliveryResult {
    const { clock, config, ids } = this.context
    const now = clock.now()
    if (result === undefined) return withoutAttempt(delivery, now)
    const plan = { now, retrySeconds: config.webhookRetrySeconds, fraction: ids.fraction() }
    return afterAttempt(delivery, result, plan)
  }

  private countAttempt(delivery: LeasedDelivery, result: AttemptResult): void {
    const { url, traceparent } = delivery
    const attributes = () => spanAttributes(delivery)
    traceExchange({ method: 'POST', url, traceparent, attributes }, result)
    this.context.metrics.attempt(outcomeOf(result), result.tookMs / 1000)
  }

  /** Has a result written, as long as its lease lasts. */
  private async record(result: DeliveryResult): Promise<void> {
    const { delivery, attempt, row } = result
    const { clock, log } = this.context
    const others = [...this.attempts].filter(([{ webhook_id: id }]) => id === delivery.webhook_id)
    if (this.after !== undefined) {
      await pause(gatherMs) // places are short: a round for each that gets free would serve few
    } else if (others.length > 0) {
      await Promise.race([Promise.all(others.map(([, other]) => other)), pause(gatherMs)])
    }
    for (;;) {
      const round = await this.round(result).catch((error: unknown) => ({ error }))
      if ('written' in round) {
        this.report(result, round.written.has(row.id))
        return
      }
      if (this.mode === 'aborting' || delivery.leased_until <= clock.now()) {
        if (attempt === undefined) return // due again when its lease ends
        const about = { err: round.error, delivery_id: delivery.id, webhook_id: delivery.webhook_id }
        log.error(about, 'the result of an attempt could not be written; the delivery is sent again')
        return
      }
      await pause(retryMs)
    }
  }

  /** Logs and counts a result. */
  private report({ delivery, attempt, row }: DeliveryResult, isWritten: boolean): void {
    if (attempt === undefined) return
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
