import type { Context } from '../context.ts'
import { pause } from '../database/database.ts'
import { writeOutcomes, type Outcome } from './due-delivery-queries.ts'
import { disableWebhook } from './webhook-queries.ts'

const mostAtOnce = 500
/** What ends within this time is written together: nobody waits for an outcome, and each commit costs. */
const gatherMs = 25
/** Between tries while the database does not answer. */
const retryMs = 500
/** An outcome that could not be written for so long is given up: the lease ends, and the delivery is sent again. */
const mostTries = 30

/** An outcome to write, and the webhook that it disables. */
interface Recorded {
  outcome: Outcome
  disables: string | undefined
  done: () => void
}

/** Writes what came of attempts, many at once when many end at once. */
export class OutcomeRecorder {
  private readonly context: Context
  private readonly waiting: Recorded[] = []
  private isWriting = false

  constructor(context: Context) {
    this.context = context
  }

  /** Resolves when the outcome is written, or given up. */
  record(outcome: Outcome, disables?: string): Promise<void> {
    return new Promise((done) => {
      this.waiting.push({ outcome, disables, done })
      if (!this.isWriting) void this.writeAll()
    })
  }

  private async writeAll(): Promise<void> {
    this.isWriting = true
    while (this.waiting.length > 0) {
      if (this.waiting.length < mostAtOnce) await pause(gatherMs)
      const batch = this.waiting.splice(0, mostAtOnce)
      await this.write(batch)
      for (const { done } of batch) done()
    }
    this.isWriting = false
  }

  private async write(batch: Recorded[]): Promise<void> {
    const { db, log } = this.context
    for (let tries = 1; tries <= mostTries; tries += 1) {
      try {
        await db.transaction(async (tx) => {
          const outcomes = batch.map(({ outcome }) => outcome)
          await writeOutcomes(tx.db, db.engine, outcomes)
          for (const { disables } of batch) if (disables) await disableWebhook(tx.db, disables, tx.now)
        })
        return
      } catch (error) {
        if (tries === 1) log.warn({ err: error }, 'outcomes of deliveries cannot be written; trying again')
        await pause(retryMs)
      }
    }
  }
}
