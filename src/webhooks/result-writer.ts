import type { Context } from '../context.ts'
import { pause, type Transaction } from '../database/database.ts'
import type { Attempted } from './delivery.ts'
import { releaseLeases, writeLateResults, writeResults, type LeasedDelivery } from './lease-queries.ts'
import { disableWebhook, lockWebhooks } from './webhook-queries.ts'

/*
 * Writes results of attempts, many in one statement.
 *
 * Guarantees: a result is written only under the lease of its attempt, and only such a result disables its webhook. One that
 * cannot be written while its lease lasts is logged as an error, and the delivery is sent again.
 */

/** Results that come within this time are written together: nobody waits for them, and each commit costs. */
const gatherMs = 20
const maxAtOnce = 500
/** Between tries while the database does not answer. */
const retryMs = 500

/** A leased delivery and what became of it. Undefined: no attempt was made to its end, and its lease is released. */
export interface Finished {
  delivery: LeasedDelivery
  attempted: Attempted | undefined
}

/** Who hears of results. An exception in one of them is logged, and changes nothing. */
export interface ResultListeners {
  /** A result was written, or dropped because its lease had ended. */
  onResult(attempted: Attempted, isWritten: boolean): void
  /** Everything is written. */
  onIdle(): void
}

/** Writes results in the background, in the order in which they come. */
export class ResultWriter {
  /** Whether anything is still to be written. */
  isBusy = false
  private readonly context: Context
  private readonly listeners: ResultListeners
  private readonly waiting: Finished[] = []
  private isAborted = false

  constructor(context: Context, listeners: ResultListeners) {
    this.context = context
    this.listeners = listeners
  }

  /** Has a result written. */
  add(finished: Finished): void {
    this.waiting.push(finished)
    if (!this.isBusy) void this.writeAll()
  }

  /** From now on nothing is tried again. */
  abort(): void {
    this.isAborted = true
  }

  private async writeAll(): Promise<void> {
    this.isBusy = true
    while (this.waiting.length > 0) {
      if (this.waiting.length < maxAtOnce) await pause(gatherMs)
      await this.write(this.waiting.splice(0, maxAtOnce))
    }
    this.isBusy = false
    this.listeners.onIdle()
  }

  /** Writes a group, trying again for as long as its leases last. */
  private async write(group: Finished[]): Promise<void> {
    const { db, log } = this.context
    for (let left = group; left.length > 0;) {
      try {
        const written = await db.transaction((tx) => this.writeOnce(tx, left))
        for (const { attempted } of left) if (attempted) this.tell(attempted, written.has(attempted.row.id))
        return
      } catch (error) {
        if (left === group) log.warn({ err: error }, 'results of attempts cannot be written; retrying')
        if (!this.isAborted) await pause(retryMs)
        left = this.withoutLost(left, error)
      }
    }
  }

  /** Gives up what can no longer be written. */
  private withoutLost(group: Finished[], error: unknown): Finished[] {
    const { clock, log } = this.context
    const now = clock.now()
    const isLost = ({ delivery }: Finished) => this.isAborted || delivery.leased_until <= now
    for (const { delivery, attempted } of group.filter(isLost)) {
      if (!attempted) continue // due again when its lease ends
      const about = { err: error, delivery_id: delivery.id, webhook_id: delivery.webhook_id }
      log.error(about, 'the result of an attempt could not be written; the delivery is sent again')
    }
    return group.filter((each) => !isLost(each))
  }

  /** Gives the ids of the deliveries whose results were written. */
  private async writeOnce({ db: tx, now }: Transaction, group: Finished[]): Promise<Set<string>> {
    const { engine } = this.context.db
    const results = group.flatMap(({ attempted }) => attempted ?? [])
    const disabling = results.filter(({ disablesWebhook }) => disablesWebhook)
    // first, as in every other transaction that locks both
    if (disabling.length > 0) await lockWebhooks(tx, webhooksOf(disabling))
    const rows = results.map(({ row }) => row)
    const written = new Set(rows.length > 0 ? await writeResults(tx, engine, rows) : [])
    const late = rows.filter(({ id }) => !written.has(id))
    const lateWritten = late.length > 0 ? await writeLateResults(tx, engine, late) : []
    for (const id of webhooksOf(disabling.filter(({ row }) => written.has(row.id)))) {
      await disableWebhook(tx, id, now)
    }
    const leases = group.flatMap(({ delivery, attempted }) => (attempted ? [] : delivery))
    if (leases.length > 0) await releaseLeases(tx, engine, { leases, now })
    return written.union(new Set(lateWritten))
  }

  private tell(attempted: Attempted, isWritten: boolean): void {
    try {
      this.listeners.onResult(attempted, isWritten)
    } catch (error) {
      this.context.log.error({ err: error }, 'a listener of results failed')
    }
  }
}

function webhooksOf(attempted: Attempted[]): string[] {
  return [...new Set(attempted.map(({ delivery }) => delivery.webhook_id))]
}
