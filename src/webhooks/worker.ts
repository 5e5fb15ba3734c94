import { plusSeconds } from '../base/instants.ts'
import { traceExchange } from '../base/tracing.ts'
import { type Listening, pause, type Transaction } from '../database/database.ts'
import { LeaseLoop } from '../database/lease-loop.ts'
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
import { outageChanges, type TellOwner, writeOutages } from './outage.ts'
import { disableWebhook, lockWebhooks } from './webhook-queries.ts'

/*
 * Sends due deliveries with a lease loop (database/lease-loop.ts), in which one transaction writes results and leases
 * work. A command's `NOTIFY` (PostgreSQL) requests a round as well. While the loop aborts, it releases the leases of
 * aborted attempts, which do not count.
 *
 * Guarantees, in addition to those of the loop: deliveries leased by a killed server are due again after 30 seconds.
 * This server sends at most four deliveries of a webhook at once. A slow receiver delays no other: it gets one delivery
 * at a time, and its attempts release their capacity after a second. If capacity is short, webhooks take turns in the
 * order of their IDs. A result is written only under the lease of its attempt. If the delivery failed meanwhile with
 * its webhook, the result goes into its log. Only a written 410 disables a webhook.
 * Does not guarantee: a limit of four across servers. Each server has its own.
 */

/** Longer than an attempt and the write of its result. */
const leaseSeconds = 30
/** Limit of one attempt. */
const attemptMs = 10_000
const maxOfWebhook = 4
/** Attempts in their first second, over all webhooks. */
const maxQuick = 256
/** All deliveries between their lease and their written result. */
const maxInFlight = 512
/** An attempt is slow from this time on. */
const slowMs = 1_000
/** Limits the slow receivers in memory. */
const maxSlow = 1_000
/**
 * Longest wait of a result for others of its webhook, because attempts that begin together end together. If capacity is
 * short, it waits for all webhooks.
 */
const gatherMs = 20

/** Replacements for tests. */
export interface DeliveryWorkerOptions {
  /** Version of Holdfast, for `User-Agent`. */
  version: string
  /** Default: outages cause no email. */
  tellOwner?: TellOwner
  attemptMs?: number
  pollMs?: number
  resolve?: Resolve
}

/** The worker of this process. */
export class DeliveryWorker extends LeaseLoop<Context, LeasedDelivery, DeliveryResult> {
  private readonly sender: Sender
  /** In flight. None rejects. */
  private readonly attempts = new Map<LeasedDelivery, Promise<AttemptResult | undefined>>()
  /** The attempts in flight that are in their first second. */
  private readonly quick = new Set<LeasedDelivery>()
  /** Webhooks whose latest attempt was slow. */
  private readonly slow = new Set<string>()
  /** Set if capacity is short: the webhook after which the next lease begins. */
  private after: string | undefined
  private readonly tellOwner: TellOwner
  private listening: Listening | undefined

  constructor(context: Context, options: DeliveryWorkerOptions) {
    super(context, {
      ...{ maxInFlight, pollMs: options.pollMs ?? 1_000, signal: context.dueDeliveries },
      failing: 'deliveries cannot be leased or recorded; retrying',
      failed: ['error', 'delivery_id', 'a delivery could not be concluded or counted'],
    })
    this.tellOwner = options.tellOwner ?? (() => Promise.resolve())
    const { config, clock } = context
    this.sender = new Sender({
      ...{ version: options.version, timeoutMs: options.attemptMs ?? attemptMs, clock },
      ...{ isUnguarded: config.environment !== 'production', allowedRanges: config.webhookAllowCidr },
      ...(options.resolve && { resolve: options.resolve }),
    })
  }

  override start(): void {
    super.start()
    this.listening = this.context.db.listen(deliveriesChannel, () => this.wake())
    this.wake()
  }

  protected override close(): Promise<unknown> {
    return Promise.all([this.sender.close(), this.listening?.close()])
  }

  protected override async lease(free: number, results: readonly DeliveryResult[]) {
    const { db } = this.context
    const max = Math.max(Math.min(free, maxQuick - this.quick.size), 0)
    // most polls and signals find nothing to lease, which takes no transaction
    const isIdle = results.length === 0 && (max === 0 || !(await this.isAnyDue()))
    const round = isIdle
      ? { leased: [] }
      : await db.transaction(async (tx) => {
          if (db.engine === 'postgres') await planByKeys(tx.db)
          return { written: await this.write(tx, results), leased: await this.leaseInTurn(tx, max) }
        })
    const isShort = round.leased.length === max
    this.after = isShort ? (round.leased.at(-1)?.webhook_id ?? this.after) : undefined
    return round
  }

  private isAnyDue(): Promise<boolean> {
    const { db, clock } = this.context
    return isAnyDue(db.reads, { maxOfWebhook, inFlight: this.takenPlaces([]), now: clock.now() })
  }

  /** Returns the IDs of the deliveries whose results were written. */
  private async write(transaction: Transaction, results: readonly DeliveryResult[]): Promise<Set<string>> {
    if (results.length === 0) return new Set()
    const { db: tx, now } = transaction
    const disabling = results.filter(({ disablesWebhook }) => disablesWebhook)
    const { working, failing } = outageChanges(transaction, results)
    const webhooks = new Set([
      ...disabling.map(({ delivery }) => delivery.webhook_id),
      ...working,
      ...failing,
    ])
    // first, as in every other transaction that locks both
    if (webhooks.size > 0) await lockWebhooks(tx, [...webhooks])
    await writeOutages(this.context, transaction, { working, failing, tellOwner: this.tellOwner })
    const rows = results.map(({ row }) => row)
    const written = new Set(await writeResults(tx, rows))
    const disabled = disabling.filter(({ row }) => written.has(row.id))
    for (const id of new Set(disabled.map(({ delivery }) => delivery.webhook_id))) {
      await disableWebhook(tx, id, now)
    }
    return written
  }

  /** Leases up to `max` webhook by webhook, first those after the last served one, then from the beginning. */
  private async leaseInTurn({ db: tx, now }: Transaction, max: number): Promise<LeasedDelivery[]> {
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

  /** Counts deliveries in flight and those just leased, by webhook. A slow receiver has room for only one. */
  private takenPlaces(leased: LeasedDelivery[]): Map<string, number> {
    const taken = new Map([...this.slow].map((id) => [id, maxOfWebhook - 1]))
    for (const { webhook_id: id } of [...this.attempts.keys(), ...leased]) {
      taken.set(id, (taken.get(id) ?? 0) + 1)
    }
    return taken
  }

  protected override async work(delivery: LeasedDelivery): Promise<DeliveryResult> {
    const attempt = this.mode === 'running' ? this.send(delivery) : Promise.resolve(undefined)
    this.attempts.set(delivery, attempt)
    this.quick.add(delivery)
    const becomesSlow = setTimeout(() => this.noteSlow(delivery), slowMs)
    const result = await attempt
    clearTimeout(becomesSlow)
    this.attempts.delete(delivery)
    if (this.quick.delete(delivery)) this.slow.delete(delivery.webhook_id)
    const concluded = this.conclude(delivery, result)
    try {
      if (result) this.countAttempt(delivery, result)
    } catch (error) {
      this.failed(delivery, error) // its result is written nevertheless
    }
    await this.gather(delivery)
    return concluded
  }

  /** Returns undefined if the attempt was aborted. */
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

  /** Releases its capacity for another attempt. */
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

  /** Waits for others that end soon, so that one round writes many results. */
  private async gather({ webhook_id }: LeasedDelivery): Promise<void> {
    const others = [...this.attempts].filter(([{ webhook_id: id }]) => id === webhook_id)
    if (this.after !== undefined) {
      await pause(gatherMs) // capacity is short: a round after each attempt would serve few
    } else if (others.length > 0) {
      await Promise.race([Promise.all(others.map(([, other]) => other)), pause(gatherMs)])
    }
  }

  /** Logs and counts a result. */
  protected override report(
    { delivery, attempt, row }: DeliveryResult,
    isWritten: boolean,
    cause: unknown,
  ): void {
    if (attempt === undefined) return // aborted, and due again when its lease ends
    const { log, metrics } = this.context
    const { error, response_status, number } = attempt
    const { id: delivery_id, webhook_id, url } = delivery
    const about = { delivery_id, webhook_id, host: URL.parse(url)?.host, number, error, response_status }
    if (cause !== undefined) {
      const lost = { err: cause, delivery_id, webhook_id }
      log.error(lost, 'the result of an attempt could not be written; the delivery is sent again')
      return
    }
    if (!isWritten) {
      log.warn(about, 'the lease of a delivery ended before its result came; the result is dropped')
      return
    }
    if (error !== null) log[row.status === 'failed' ? 'warn' : 'info'](about, 'an attempt to deliver failed')
    if (row.status !== 'pending') metrics.delivery(outcomeOf(attempt))
  }
}
