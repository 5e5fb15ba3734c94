import type { Context } from '../context.ts'
import type { DeliveryOutcome } from '../metrics/metrics.ts'
import { traceExchange } from '../tracing.ts'
import { consignmentOf, sentOf, type Sent } from './attempt-rules.ts'
import { leaseSeconds } from './claim-deliveries.ts'
import type { DeliveryLanes } from './delivery-lanes.ts'
import type { AttemptError } from './delivery-types.ts'
import type { DueDelivery } from './due-delivery-queries.ts'
import { OutcomeRecorder, type Recorded } from './outcome-recorder.ts'
import { paceOf } from './pace-rules.ts'
import { SendingThread } from './sending-thread.ts'
import type { Made, Returned } from './sending-types.ts'

/** A receiver has so long for the whole exchange (specification: Delivery). */
const exchangeMs = 10_000
/** What has not begun so long before the end of its lease is read again: sending and writing takes time too. */
const leftToSendMs = 15_000

/** What tests put in the place of the real thing. */
export interface SenderOptions {
  version: string
  exchangeMs?: number
  /** Options of Node for the thread that sends. */
  execArgv?: string[]
}

/** Whose deliveries are sent, and who hears that something of these webhooks is done with. */
interface Surroundings {
  by: string
  lanes: DeliveryLanes
  changed: (webhookIds: string[]) => void
}

/** Has what was claimed sent by the thread, and what came of it written. */
export class DeliverySender {
  private readonly context: Context
  private readonly lanes: DeliveryLanes
  private readonly changed: Surroundings['changed']
  private readonly recorder: OutcomeRecorder
  private readonly thread: SendingThread
  /** What is with the thread, by the number that it was given there. */
  private readonly handedOver = new Map<number, DueDelivery>()
  private nextNumber = 0
  /** How many outcomes are being written. */
  private recording = 0

  constructor(context: Context, options: SenderOptions, { by, lanes, changed }: Surroundings) {
    const { config } = context
    this.context = context
    this.lanes = lanes
    this.changed = changed
    this.recorder = new OutcomeRecorder(context, { by, lanes, written: (batch) => this.noteWritten(batch) })
    this.thread = new SendingThread(
      {
        version: options.version,
        timeoutMs: options.exchangeMs ?? exchangeMs,
        isUnguarded: config.environment !== 'production',
        allowedRanges: config.webhookAllowCidr,
      },
      { returned: (batch) => this.takeBack(batch), lost: (error) => this.lose(error) },
      options.execArgv,
    )
  }

  /** Gets ready: else the first delivery would wait for the thread. */
  prepare(): void {
    this.thread.start()
  }

  /** How many deliveries are with the thread. */
  get sending(): number {
    return this.handedOver.size
  }

  /** Whether anything is being sent, or its outcome being written. */
  get isBusy(): boolean {
    return this.handedOver.size + this.recording > 0
  }

  /** Begins nothing more. What is in flight goes on. */
  drain(): void {
    this.thread.drain()
  }

  /** Ends what is in flight: it counts as not tried. */
  end(): void {
    this.thread.end()
  }

  close(): Promise<void> {
    return this.thread.close()
  }

  /** Has the thread send what was claimed, of each webhook. */
  send(claimed: DueDelivery[][]): void {
    const { clock } = this.context
    const [now, nowMs] = [clock.now(), clock.nowMs()]
    const consignments = claimed.flatMap((deliveries) => {
      const [first] = deliveries
      if (!first) return []
      const { webhook } = first
      const firstNumber = this.nextNumber
      for (const [index, delivery] of deliveries.entries()) this.handedOver.set(firstNumber + index, delivery)
      this.nextNumber += deliveries.length
      const inTimeMs = this.lanes.leaseUntilMs(webhook.id) - nowMs - leftToSendMs
      return [consignmentOf(webhook, deliveries, { now, inTimeMs, firstNumber })]
    })
    if (consignments.length > 0) this.thread.send(consignments, nowMs)
  }

  /** Takes back what the thread is done with. */
  private takeBack(batch: Returned[]): void {
    const webhookIds = new Set<string>()
    for (const { number, made, fault } of batch) {
      const delivery = this.handedOver.get(number)
      if (!delivery) continue
      this.handedOver.delete(number)
      webhookIds.add(delivery.webhook.id)
      if (made) this.conclude(delivery, made)
      else if (fault === undefined) this.lanes.givenBack(delivery)
      else this.setAside([delivery], fault)
    }
    this.changed([...webhookIds])
  }

  /** Of what was handed over when the thread ended nobody knows whether it was sent. */
  private lose(error: unknown): void {
    const lost = [...this.handedOver.values()]
    this.handedOver.clear()
    this.setAside(lost, error)
    this.changed([])
  }

  /** What could not be handled is sent again later, not at once: it would fail again and again. */
  private setAside(deliveries: DueDelivery[], error: unknown): void {
    const { log } = this.context
    log.error({ err: error }, 'deliveries of webhooks could not be handled; they are sent again later')
    const giveBack = () => {
      for (const delivery of deliveries) this.lanes.givenBack(delivery)
      this.changed(deliveries.map(({ webhook }) => webhook.id))
    }
    setTimeout(giveBack, leaseSeconds * 1000).unref()
  }

  /** Works out what follows from an attempt, and has it written. */
  private conclude(delivery: DueDelivery, made: Made): void {
    const { metrics } = this.context
    const { traceparent, webhook } = delivery
    const attributes = () => attributesOf(delivery)
    traceExchange({ method: 'POST', url: webhook.url, traceparent, attributes }, made)
    metrics.attempt(resultOf(made), made.tookMs / 1000)
    let sent: Sent
    try {
      sent = this.sentOf(delivery, made)
    } catch (error) {
      this.setAside([delivery], error)
      return
    }
    this.lanes.ended(webhook.id, { pace: paceOf(made), tookMs: made.tookMs, isGone: sent.disables })
    this.recording += 1
    this.recorder.record({ delivery, sent })
  }

  private sentOf(delivery: DueDelivery, made: Made): Sent {
    const { clock, config, ids } = this.context
    const plan = { now: clock.now(), retrySeconds: config.webhookRetrySeconds, fraction: ids.fraction() }
    return sentOf(delivery, made, plan)
  }

  /** Outcomes are written: deliveries that are over count as such. */
  private noteWritten(batch: Recorded[]): void {
    const { metrics } = this.context
    const webhookIds = new Set<string>()
    for (const { delivery, sent } of batch) {
      if (sent.outcome.status !== 'pending') metrics.delivery(resultOf(sent.attempt))
      if (sent.attempt.error !== null) this.logFailure(delivery, sent)
      webhookIds.add(delivery.webhook.id)
    }
    this.recording -= batch.length
    this.changed([...webhookIds])
  }

  private logFailure({ id, webhook }: DueDelivery, { attempt, outcome }: Sent): void {
    const { error, response_status, number } = attempt
    const about = {
      delivery_id: id,
      webhook_id: webhook.id,
      host: new URL(webhook.url).host,
      number,
      error,
      response_status,
    }
    this.context.log[outcome.status === 'failed' ? 'warn' : 'info'](about, 'an attempt to deliver failed')
  }
}

function resultOf({ error }: { error: AttemptError | null }): DeliveryOutcome {
  return error === null ? 'succeeded' : 'failed'
}

/** What the span of an attempt shows. */
function attributesOf({ id, webhook, event_id, attempts_made }: DueDelivery) {
  return {
    'holdfast.delivery_id': id,
    'holdfast.event_id': event_id,
    'holdfast.webhook_id': webhook.id,
    ...(attempts_made > 0 && { 'http.request.resend_count': attempts_made }),
  }
}
