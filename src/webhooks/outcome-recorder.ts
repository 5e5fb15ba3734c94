import type { Context } from '../context.ts'
import { pause } from '../database/database.ts'
import type { DeliveryLanes } from './delivery-lanes.ts'
import type { Sent } from './attempt-rules.ts'
import { writeOutcomes, type DueDelivery } from './due-delivery-queries.ts'
import { endLeases, keepLeases, type LeasedWebhook } from './lease-queries.ts'
import { disableWebhook } from './webhook-queries.ts'

const mostAtOnce = 500
/** What ends within this time is written together: nobody waits for an outcome, and each commit costs. */
const gatherMs = 50
/** Between tries while the database does not answer. */
const retryMs = 500
/** An outcome that could not be written for so long is given up: the delivery is sent again. */
const mostTries = 30

/** A delivery, and what came of an attempt: what is to be written of it. */
export interface Recorded {
  delivery: DueDelivery
  sent: Sent
}

/** Under whose leases outcomes are written, and who hears of those that are written, or given up. */
interface Surroundings {
  by: string
  lanes: DeliveryLanes
  written: (batch: Recorded[]) => void
}

/** Writes what came of attempts, many at once when many end at once. */
export class OutcomeRecorder {
  private readonly context: Context
  private readonly by: string
  private readonly lanes: DeliveryLanes
  private readonly written: Surroundings['written']
  private readonly waiting: Recorded[] = []
  private isWriting = false

  /** Writes under the leases of the server `by`, and ends those that serve nothing afterwards. */
  constructor(context: Context, { by, lanes, written }: Surroundings) {
    this.context = context
    this.by = by
    this.lanes = lanes
    this.written = written
  }

  /** Has an outcome written. When it is, or is given up, the delivery is out of hand, and that is told. */
  record(recorded: Recorded): void {
    this.waiting.push(recorded)
    if (!this.isWriting) void this.writeAll()
  }

  private async writeAll(): Promise<void> {
    this.isWriting = true
    while (this.waiting.length > 0) {
      if (this.waiting.length < mostAtOnce) await pause(gatherMs)
      const batch = this.waiting.splice(0, mostAtOnce)
      const ending = this.lanes.endLeases(batch.map(({ delivery }) => delivery))
      const isWritten = await this.write(batch, ending)
      this.lanes.haveEnded(ending, isWritten)
      for (const { delivery } of batch) this.lanes.forget(delivery)
      this.written(batch)
    }
    this.isWriting = false
  }

  private async write(batch: Recorded[], ending: string[]): Promise<boolean> {
    const { log } = this.context
    for (let tries = 1; tries <= mostTries; tries += 1) {
      try {
        await this.writeOnce(batch, ending)
        return true
      } catch (error) {
        if (tries === 1) log.warn({ err: error }, 'outcomes of deliveries cannot be written; trying again')
        await pause(retryMs)
      }
    }
    return false
  }

  private writeOnce(batch: Recorded[], ending: string[]): Promise<void> {
    const { db } = this.context
    const webhooks: LeasedWebhook[] = []
    const byWebhook = Map.groupBy(batch, ({ delivery }) => delivery.webhook.id)
    for (const [id, own] of byWebhook) {
      for (const fence of new Set(own.map(({ delivery }) => delivery.webhook.fence)))
        webhooks.push({ id, fence })
    }
    return db.transaction(async (tx) => {
      const kept = await keepLeases(tx.db, db.engine, { by: this.by, webhooks })
      const fences = new Map(kept.map(({ id, fence }) => [id, fence]))
      const outcomes = batch
        .filter(({ delivery: { webhook } }) => fences.get(webhook.id) === webhook.fence)
        .map(({ sent }) => sent.outcome)
      if (outcomes.length > 0) await writeOutcomes(tx.db, db.engine, outcomes)
      for (const { delivery, sent } of batch) {
        if (sent.disables) await disableWebhook(tx.db, delivery.webhook.id, tx.now)
      }
      if (ending.length > 0) await endLeases(tx.db, db.engine, { ids: ending, by: this.by })
    })
  }
}
