import { monotonicMs } from '../clock.ts'
import type { Context } from '../context.ts'
import { pause, type Listening } from '../database/database.ts'
import { claimDeliveries, dueWebhooks, leaseSeconds, leaveLeases } from './claim-deliveries.ts'
import type { AttemptPace } from './delivery-lane.ts'
import { DeliveryLanes, type Choice } from './delivery-lanes.ts'
import { deliveriesChannel, type AttemptError } from './delivery-types.ts'
import type { DueDelivery } from './due-delivery-queries.ts'
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
/** What still waits so late in its lease is read again: sending and writing takes time too. */
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
  private readonly stopping = new Set<() => void>()
  private readonly close: () => Promise<void>
  private readonly lanes = new DeliveryLanes()
  /** What has a delivery in hand: sends it, or waits for its outcome to be written. */
  private busy = 0
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
    this.recorder = new OutcomeRecorder(context, { by: this.id, lanes: this.lanes })
    const timeoutMs = options.exchangeMs ?? exchangeMs
    const agent = guardedAgent(context, { timeoutMs, ...(options.resolve && { resolve: options.resolve }) })
    this.sender = { dispatcher: agent, timeoutMs, stopping: this.stopping, version: options.version }
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
    const giveBack = setTimeout(() => {
      for (const stop of this.stopping) stop()
    }, graceMs)
    this.lanes.giveUp()
    await this.emptied()
    clearTimeout(giveBack)
    // a database that hangs would hold up the stop; then leases end by themselves
    if (!this.isDatabaseAway) {
      await this.leaveLeases().catch((error: unknown) => {
        this.context.log.warn({ err: error }, 'leases of webhooks could not be ended; they end by themselves')
      })
    }
    await Promise.all([this.close(), this.listening?.close()])
  }

  private async emptied(): Promise<void> {
    while (this.busy > 0) await new Promise<void>((resolve) => (this.wakeUp = resolve))
  }

  private async run(): Promise<void> {
    while (!this.isDraining) {
      this.isWoken = false
      const claimed = await this.look()
      if (this.lanes.held > plenty) await pause(breathMs)
      if (claimed > 0) continue
      this.tellIfIdle()
      await this.nextReason()
    }
  }

  /** Those who have asked since the last look began are told after the next. */
  private tellIfIdle(): void {
    if (this.busy > 0 || this.isWoken) return
    for (const resolve of this.whenIdle.splice(0)) resolve()
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
      const choice = this.lanes.choose(await dueWebhooks(this.context), this.context.clock.nowMs())
      const claimed = await this.claim(choice)
      this.isDatabaseAway = false
      this.send()
      await this.leaveLeases()
      return claimed
    } catch (error) {
      if (!this.isDatabaseAway)
        this.context.log.warn({ err: error }, 'deliveries cannot be claimed; trying again')
      this.isDatabaseAway = true
      this.inVain = 0
      this.isWoken = false // signals of what cannot be read would be answered at once, again and again
      return 0
    }
  }

  private async claim(choice: Choice): Promise<number> {
    if (choice.wanted.length + choice.toLease.length === 0) {
      this.inVain = 0
      return 0
    }
    try {
      const claim = await claimDeliveries(this.context, { ...choice, by: this.id })
      this.lanes.accept(choice, claim)
      const isRefused = claim.leased.length < choice.toLease.length
      this.inVain = isRefused && claim.due.length === 0 ? this.inVain + 1 : 0
      return claim.due.length
    } catch (error) {
      this.lanes.endClaim(choice)
      throw error
    }
  }

  /** Ends the leases of webhooks of which nothing is in hand, so that other servers need not wait for them. */
  private async leaveLeases(): Promise<void> {
    const ids = this.lanes.endLeases()
    if (ids.length === 0) return
    let isDone = false
    try {
      await leaveLeases(this.context, { ids, by: this.id })
      isDone = true
    } finally {
      this.lanes.haveEnded(ids, isDone)
    }
  }

  /** Sends what may be sent now. */
  private send(): void {
    while (!this.isDraining) {
      const delivery = this.lanes.next()
      if (!delivery) return
      if (this.isInTime(delivery)) {
        this.track(this.attempt(delivery), delivery)
      } else {
        this.lanes.ended(delivery.webhook_id, { pace: 'slow', tookMs: 0 })
        this.lanes.forget(delivery)
      }
    }
  }

  private isInTime({ webhook_id }: DueDelivery): boolean {
    return this.lanes.leaseUntilMs(webhook_id) - this.context.clock.nowMs() >= leftToSendMs
  }

  /** Counts what has something in hand, and tells those who wait for the end of it. */
  private track(work: Promise<void>, delivery: DueDelivery): void {
    this.busy += 1
    const ended = () => {
      this.busy -= 1
      const isLast = this.busy === 0 && this.whenIdle.length > 0
      const isWanted = this.lanes.isFull || this.lanes.wantsLook(delivery.webhook_id)
      if (isWanted || this.isDraining || isLast) this.wake()
    }
    work.then(ended, (error: unknown) => {
      this.context.log.error({ err: error }, 'a delivery could not be handled; it is sent again later')
      setTimeout(() => this.lanes.forget(delivery), leaseSeconds * 1000).unref()
      ended()
    })
  }

  private async attempt(delivery: DueDelivery): Promise<void> {
    const { metrics } = this.context
    const sent = await this.sendInTurn(delivery)
    if (!sent) {
      this.lanes.forget(delivery) // as if it had never been in hand
      return
    }
    const { attempt, outcome, disables } = sent
    const failed = attempt.error !== null
    metrics.attempt(failed ? 'failed' : 'succeeded', sent.tookMs / 1000)
    await this.recorder.record({ delivery, outcome, disables })
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
      this.lanes.ended(webhook_id, how)
      if (this.lanes.wantsLook(webhook_id)) this.wake()
      this.send()
    }
  }

  private logFailure({ id, webhook_id, url }: DueDelivery, { attempt, outcome }: Sent): void {
    const { error, response_status, number } = attempt
    const about = { delivery_id: id, webhook_id, host: new URL(url).host, number, error, response_status }
    this.context.log[outcome.status === 'failed' ? 'warn' : 'info'](about, 'an attempt to deliver failed')
  }
}

function paceOf(error: AttemptError | null, tookMs: number): AttemptPace {
  if (error === 'timeout') return 'timeout'
  if (error !== null || tookMs > slowMs) return 'slow'
  return tookMs < fastMs ? 'fast' : 'steady'
}
