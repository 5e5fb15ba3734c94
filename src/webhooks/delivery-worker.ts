import { monotonicMs } from '../clock.ts'
import type { Context } from '../context.ts'
import type { Listening } from '../database/database.ts'
import { plusSeconds } from '../instants.ts'
import { claimDeliveries, dueWebhooks } from './claim-deliveries.ts'
import { DeliveryLane, type AttemptPace } from './delivery-lane.ts'
import { deliveriesChannel, type AttemptError } from './delivery-types.ts'
import type { DueDelivery, Wanted } from './due-delivery-queries.ts'
import { guardedAgent, type Resolve } from './guarded-agent.ts'
import { OutcomeRecorder } from './outcome-recorder.ts'
import { sendDelivery, type Sender } from './send-delivery.ts'

/** A receiver has so long for the whole exchange (specification: Delivery). */
const exchangeMs = 10_000
/** Without any signal the database is asked so often what is due: for retries, and for what a killed server left. */
const pollMs = 1_000
const mostInFlight = 256
/** Claimed together, sent or waiting. */
const mostClaimedInAll = 1_024
/** Of a receiver that takes less more is claimed ahead, of one that takes longer than this nothing. */
const fastMs = 250
const slowMs = 1_000
/** What still waits so late in its lease is given back: sending and writing takes time too. */
const leftToSendSeconds = 15

/** What tests put in the place of the real thing. */
export interface WorkerOptions {
  version: string
  exchangeMs?: number
  resolve?: Resolve
}

/**
 * Sends what is due, on every server beside its requests. Each webhook has a lane of its own, with at most four
 * deliveries in flight: a receiver that hangs delays nobody else's.
 */
export class DeliveryWorker {
  private readonly context: Context
  private readonly id: string
  private readonly recorder: OutcomeRecorder
  private readonly sender: Sender
  private readonly stopping = new AbortController()
  private readonly close: () => Promise<void>
  private readonly lanes = new Map<string, DeliveryLane>()
  private inFlight = 0
  private isDraining = false
  /** Where the next look begins: those that had nothing this time come first. */
  private lastServed = ''
  private isWoken = false
  private wakeUp: () => void = () => undefined
  private isDatabaseAway = false
  private readonly whenIdle: (() => void)[] = []
  private listening: Listening | undefined
  private running: Promise<void> = Promise.resolve()
  private stopped: Promise<void> | undefined

  constructor(context: Context, options: WorkerOptions) {
    this.context = context
    this.id = context.ids.next()
    this.recorder = new OutcomeRecorder(context)
    const timeoutMs = options.exchangeMs ?? exchangeMs
    const agent = guardedAgent(context, { timeoutMs, ...(options.resolve && { resolve: options.resolve }) })
    this.sender = { dispatcher: agent, timeoutMs, stopping: this.stopping.signal, version: options.version }
    this.close = () => agent.destroy()
  }

  start(): void {
    const { db, dueDeliveries } = this.context
    dueDeliveries.listen(() => this.wake())
    this.listening = db.listen(deliveriesChannel, () => this.wake())
    this.running = this.run()
  }

  /** Looks at once for what is due. */
  wake(): void {
    this.isWoken = true
    this.wakeUp()
  }

  /** Resolves when nothing is due and nothing in flight. */
  settled(): Promise<void> {
    return new Promise((resolve) => {
      this.whenIdle.push(resolve)
      this.wake()
    })
  }

  /** Claims nothing more. What is in flight finishes within the grace, or is given back and sent again later. */
  stop(graceMs: number): Promise<void> {
    this.stopped ??= this.finish(graceMs)
    return this.stopped
  }

  private async finish(graceMs: number): Promise<void> {
    this.context.dueDeliveries.listen(undefined)
    this.isDraining = true
    this.wake()
    await this.running
    const giveBack = setTimeout(() => this.stopping.abort(), graceMs)
    for (const lane of this.lanes.values()) {
      for (const delivery of lane.waiting.splice(0)) this.track(lane, this.giveBack(delivery))
    }
    await this.emptied()
    clearTimeout(giveBack)
    await Promise.all([this.close(), this.listening?.close()])
  }

  private async emptied(): Promise<void> {
    while (this.inFlight > 0) await new Promise<void>((resolve) => (this.wakeUp = resolve))
  }

  private async run(): Promise<void> {
    while (!this.isDraining) {
      this.isWoken = false
      const claimed = await this.look()
      if (claimed > 0) continue
      if (this.inFlight === 0) for (const resolve of this.whenIdle.splice(0)) resolve()
      await this.nextReason()
    }
  }

  private async nextReason(): Promise<void> {
    if (this.isWoken) return
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      this.wakeUp = resolve
      timer = setTimeout(resolve, pollMs).unref()
    })
    clearTimeout(timer)
  }

  /** Claims what is due as far as there is room for it, and begins to send. Tells how much was claimed. */
  private async look(): Promise<number> {
    try {
      const wanted = this.choose(await dueWebhooks(this.context))
      if (wanted.length === 0) return 0
      const claimed = await claimDeliveries(this.context, { wanted, by: this.id })
      this.isDatabaseAway = false
      this.accept(wanted, claimed)
      return claimed.length
    } catch (error) {
      if (!this.isDatabaseAway)
        this.context.log.warn({ err: error }, 'deliveries cannot be claimed; trying again')
      this.isDatabaseAway = true
      this.isWoken = false // signals of what cannot be read would be answered at once, again and again
      return 0
    }
  }

  private choose(due: string[]): Wanted[] {
    const start = due.findIndex((id) => id > this.lastServed)
    const inTurn = start > 0 ? [...due.slice(start), ...due.slice(0, start)] : due
    let free = mostClaimedInAll
    for (const lane of this.lanes.values()) free -= lane.waiting.length + lane.inFlight
    const wanted: Wanted[] = []
    for (const id of inTurn) {
      const lane = this.laneOf(id)
      const most = Math.min(lane.room, free)
      if (most > 0) wanted.push({ id, most })
      else lane.mayHaveMore = true
      free -= most
    }
    return wanted
  }

  private accept(wanted: Wanted[], claimed: DueDelivery[]): void {
    const byWebhook = Map.groupBy(claimed, (delivery) => delivery.webhook_id)
    for (const { id, most } of wanted) {
      const lane = this.laneOf(id)
      const own = byWebhook.get(id) ?? []
      lane.mayHaveMore = own.length === most
      lane.waiting.push(...own)
    }
    this.lastServed = wanted.at(-1)?.id ?? ''
    for (const { id } of wanted) this.send(id)
  }

  private laneOf(webhookId: string): DeliveryLane {
    const lane = this.lanes.get(webhookId) ?? new DeliveryLane()
    this.lanes.set(webhookId, lane)
    return lane
  }

  /** Sends of one lane what may be sent now. */
  private send(webhookId: string): void {
    const lane = this.laneOf(webhookId)
    while (this.inFlight < mostInFlight) {
      const delivery = lane.next()
      if (!delivery) break
      this.track(lane, this.attempt(lane, delivery))
    }
    // with more to come it keeps what it knows of the receiver
    if (lane.isIdle && !lane.mayHaveMore) this.lanes.delete(webhookId)
  }

  /** Counts what is in flight; when it has ended, the lane goes on, and so do those that waited for any to end. */
  private track(lane: DeliveryLane, sending: Promise<void>): void {
    this.inFlight += 1
    const ended = () => {
      const wasFull = this.inFlight >= mostInFlight
      this.inFlight -= 1
      if (wasFull && !this.isDraining) for (const id of this.lanes.keys()) this.send(id)
      const wantsMore = lane.mayHaveMore && lane.room > 0
      const isLast = this.inFlight === 0 && this.whenIdle.length > 0
      if (wantsMore || wasFull || this.isDraining || isLast) this.wake()
    }
    sending.then(ended, (error: unknown) => {
      this.context.log.error({ err: error }, 'a delivery could not be handled; its lease will end')
      ended()
    })
  }

  private async attempt(lane: DeliveryLane, delivery: DueDelivery): Promise<void> {
    const { clock, metrics, log } = this.context
    if (plusSeconds(clock.now(), leftToSendSeconds) > delivery.leased_until) {
      lane.ended('slow')
      return this.giveBack(delivery)
    }
    const startedMs = monotonicMs()
    const sent = await sendDelivery(this.context, this.sender, delivery)
    const tookMs = monotonicMs() - startedMs
    if (!sent) {
      lane.ended('slow')
      return this.giveBack(delivery)
    }
    const { attempt, outcome, disables } = sent
    const failed = attempt.error !== null
    lane.ended(paceOf(attempt.error, tookMs))
    if (!this.isDraining) this.send(delivery.webhook_id)
    metrics.attempt(failed ? 'failed' : 'succeeded', tookMs / 1000)
    await this.recorder.record(outcome, disables ? delivery.webhook_id : undefined)
    if (outcome.status !== 'pending') metrics.delivery(failed ? 'failed' : 'succeeded')
    if (failed) {
      const { id, webhook_id, url } = delivery
      const { error, response_status, number } = attempt
      const about = { delivery_id: id, webhook_id, host: new URL(url).host, number, error, response_status }
      log[outcome.status === 'failed' ? 'warn' : 'info'](about, 'an attempt to deliver failed')
    }
  }

  /** Ends a lease as if it had never been. */
  private async giveBack(delivery: DueDelivery): Promise<void> {
    const { id, fence, attempts_json, attempts_made, attempts_left, next_attempt_at } = delivery
    const unchanged = { id, fence, attempts_json, attempts_made, attempts_left, next_attempt_at }
    await this.recorder.record({ ...unchanged, status: 'pending' })
  }
}

function paceOf(error: AttemptError | null, tookMs: number): AttemptPace {
  if (error === 'timeout') return 'timeout'
  if (error !== null || tookMs > slowMs) return 'slow'
  return tookMs < fastMs ? 'fast' : 'steady'
}
