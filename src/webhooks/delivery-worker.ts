import { monotonicMs } from '../clock.ts'
import type { Context } from '../context.ts'
import { pause, type Listening } from '../database/database.ts'
import { toMs } from '../instants.ts'
import { claimDeliveries, dueWebhooks } from './claim-deliveries.ts'
import type { AttemptPace } from './delivery-lane.ts'
import { DeliveryLanes } from './delivery-lanes.ts'
import { deliveriesChannel, type AttemptError } from './delivery-types.ts'
import type { DueDelivery, Outcome } from './due-delivery-queries.ts'
import { guardedAgent, type Resolve } from './guarded-agent.ts'
import { OutcomeRecorder } from './outcome-recorder.ts'
import { sendDelivery, type Sender, type Sent } from './send-delivery.ts'

/** A receiver has so long for the whole exchange (specification: Delivery). */
const exchangeMs = 10_000
/** Without any signal the database is asked so often what is due: for retries, and for what a killed server left. */
const pollMs = 1_000
/** After this it is asked again for what another server had at that moment; then after twice as long, and so on. */
const soonMs = 50
/** With so many claimed there is no haste to claim more: the next look then finds more at once. */
const plenty = 64
const breathMs = 25
/** Of a receiver that takes less more is claimed ahead, of one that takes longer than this nothing. */
const fastMs = 100
const slowMs = 1_000
/** What still waits so late in its lease is given back: sending and writing takes time too. */
const leftToSendMs = 15_000

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
  private readonly lanes = new DeliveryLanes()
  /** What has a delivery in hand: sends it, or waits for its outcome to be written. */
  private busy = 0
  private recording = 0
  /** How often in a row others had all that was wanted. */
  private inVain = 0
  private isDraining = false
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
    for (const delivery of this.lanes.giveUp()) this.track(this.giveBack(delivery))
    await this.emptied()
    clearTimeout(giveBack)
    await Promise.all([this.close(), this.listening?.close()])
  }

  private async emptied(): Promise<void> {
    while (this.busy > 0) await new Promise<void>((resolve) => (this.wakeUp = resolve))
  }

  private async run(): Promise<void> {
    while (!this.isDraining) {
      this.isWoken = false
      const claimed = await this.look()
      if (claimed > 0) {
        if (this.lanes.held > plenty) await pause(breathMs)
        continue
      }
      if (this.busy === 0) for (const resolve of this.whenIdle.splice(0)) resolve()
      await this.nextReason()
    }
  }

  private patienceMs(): number {
    return this.inVain === 0 ? pollMs : Math.min(soonMs * 2 ** (this.inVain - 1), pollMs)
  }

  private async nextReason(): Promise<void> {
    if (this.isWoken) return
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      this.wakeUp = resolve
      timer = setTimeout(resolve, this.patienceMs()).unref()
    })
    clearTimeout(timer)
  }

  /** Claims what is due as far as there is room for it, and begins to send. Tells how much was claimed. */
  private async look(): Promise<number> {
    try {
      const wanted = this.lanes.choose(await dueWebhooks(this.context), this.recording)
      const isAny = wanted.length > 0
      const claimed = isAny ? await claimDeliveries(this.context, { wanted, by: this.id }) : []
      this.isDatabaseAway = false
      this.inVain = isAny && claimed.length === 0 ? this.inVain + 1 : 0
      if (isAny) this.lanes.accept(wanted, claimed)
      this.send()
      return claimed.length
    } catch (error) {
      if (!this.isDatabaseAway)
        this.context.log.warn({ err: error }, 'deliveries cannot be claimed; trying again')
      this.isDatabaseAway = true
      this.inVain = 0
      this.isWoken = false // signals of what cannot be read would be answered at once, again and again
      return 0
    }
  }

  /** Sends what may be sent now. */
  private send(): void {
    while (!this.isDraining) {
      const delivery = this.lanes.next()
      if (!delivery) return
      if (this.isInTime(delivery)) {
        this.track(this.attempt(delivery))
      } else {
        const others = this.lanes.ended(delivery.webhook_id, { pace: 'slow', tookMs: 0 })
        for (const late of [delivery, ...others]) this.track(this.giveBack(late))
      }
    }
  }

  private isInTime({ leased_until }: DueDelivery): boolean {
    return toMs(leased_until) - this.context.clock.nowMs() >= leftToSendMs
  }

  /** Counts what has something in hand, and tells those who wait for the end of it. */
  private track(work: Promise<void>): void {
    this.busy += 1
    const ended = () => {
      this.busy -= 1
      const isLast = this.busy === 0 && this.whenIdle.length > 0
      if (this.lanes.isFull || this.isDraining || isLast) this.wake()
    }
    work.then(ended, (error: unknown) => {
      this.context.log.error({ err: error }, 'a delivery could not be handled; its lease will end')
      ended()
    })
  }

  private async attempt(delivery: DueDelivery): Promise<void> {
    const { metrics } = this.context
    const sent = await this.sendInTurn(delivery)
    if (!sent) return this.giveBack(delivery)
    const { attempt, outcome, disables } = sent
    const failed = attempt.error !== null
    metrics.attempt(failed ? 'failed' : 'succeeded', sent.tookMs / 1000)
    await this.record(outcome, disables ? delivery.webhook_id : undefined)
    if (outcome.status !== 'pending') metrics.delivery(failed ? 'failed' : 'succeeded')
    if (failed) this.logFailure(delivery, sent)
  }

  /** Sends, and when that has ended whatever is next. */
  private async sendInTurn(delivery: DueDelivery): Promise<(Sent & { tookMs: number }) | undefined> {
    const startedMs = monotonicMs()
    const { webhook_id } = delivery
    let how: Parameters<DeliveryLanes['ended']>[1] = { pace: 'slow', tookMs: 0 }
    try {
      const sent = await sendDelivery(this.context, this.sender, delivery)
      if (!sent) return undefined
      const tookMs = monotonicMs() - startedMs
      how = { pace: paceOf(sent.attempt.error, tookMs), tookMs, isGone: sent.disables }
      return { ...sent, tookMs }
    } finally {
      // given back before the outcome is written: what a 410 disables then fails without being sent
      for (const other of this.lanes.ended(webhook_id, how)) this.track(this.giveBack(other))
      if (this.lanes.wantsMore(webhook_id)) this.wake()
      this.send()
    }
  }

  private logFailure({ id, webhook_id, url }: DueDelivery, { attempt, outcome }: Sent): void {
    const { error, response_status, number } = attempt
    const about = { delivery_id: id, webhook_id, host: new URL(url).host, number, error, response_status }
    this.context.log[outcome.status === 'failed' ? 'warn' : 'info'](about, 'an attempt to deliver failed')
  }

  /** Ends a lease as if it had never been. */
  private async giveBack(delivery: DueDelivery): Promise<void> {
    const { id, fence, attempts_json, attempts_made, attempts_left, next_attempt_at } = delivery
    const unchanged = { id, fence, attempts_json, attempts_made, attempts_left, next_attempt_at }
    await this.record({ ...unchanged, status: 'pending' })
  }

  private async record(outcome: Outcome, disables?: string): Promise<void> {
    this.recording += 1
    await this.recorder.record(outcome, disables)
    this.recording -= 1
  }
}

function paceOf(error: AttemptError | null, tookMs: number): AttemptPace {
  if (error === 'timeout') return 'timeout'
  if (error !== null || tookMs > slowMs) return 'slow'
  return tookMs < fastMs ? 'fast' : 'steady'
}
