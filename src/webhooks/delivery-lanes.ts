import { DeliveryLane, type AttemptPace } from './delivery-lane.ts'
import type { DueDelivery, Wanted } from './due-delivery-queries.ts'

/** Sent at once, over all webhooks. */
const mostInFlight = 256
/** Claimed together: what is sent, what waits for that, and what waits for its outcome to be written. */
const mostClaimed = 2_048

/** The lanes of all webhooks of which this server has claimed something, and whose turn it is. */
export class DeliveryLanes {
  private readonly lanes = new Map<string, DeliveryLane>()
  /** Webhooks that may have something to send, in turns. */
  private readonly turns: string[] = []
  private inFlight = 0
  /** Where the next choice begins: those that had nothing this time come first. */
  private lastServed = ''
  /** Whether more would have been chosen if less were claimed. */
  isFull = false

  /** How many deliveries are sent or wait for that. */
  get held(): number {
    let held = this.inFlight
    for (const lane of this.lanes.values()) held += lane.waiting.length
    return held
  }

  /** Of which of the webhooks that have something due how much is to be claimed. `beside` are claimed and not held. */
  choose(due: string[], beside: number): Wanted[] {
    this.forgetAllBut(new Set(due))
    const start = due.findIndex((id) => id > this.lastServed)
    const inTurn = start > 0 ? [...due.slice(start), ...due.slice(0, start)] : due
    let free = mostClaimed - this.held - beside
    const wanted: Wanted[] = []
    for (const id of inTurn) {
      const lane = this.laneOf(id)
      const most = Math.min(lane.room, free)
      if (most > 0) wanted.push({ id, most })
      else lane.mayHaveMore = true
      free -= Math.max(most, 0)
    }
    this.isFull = free <= 0
    return wanted
  }

  /** What was claimed of what was chosen begins to wait for its turn. */
  accept(wanted: Wanted[], claimed: DueDelivery[]): void {
    const byWebhook = Map.groupBy(claimed, (delivery) => delivery.webhook_id)
    for (const { id, most } of wanted) {
      const own = byWebhook.get(id) ?? []
      const lane = this.laneOf(id)
      lane.mayHaveMore = own.length === most
      lane.waiting.push(...own)
      this.queue(id, lane)
    }
    this.lastServed = wanted.at(-1)?.id ?? ''
  }

  /** The next delivery to send, one of each webhook after the other; undefined when none may be sent now. */
  next(): DueDelivery | undefined {
    if (this.inFlight >= mostInFlight) return undefined
    for (let id = this.turns.shift(); id !== undefined; id = this.turns.shift()) {
      const lane = this.laneOf(id)
      lane.isQueued = false
      const delivery = lane.next()
      if (delivery) {
        this.queue(id, lane)
        this.inFlight += 1
        return delivery
      }
      this.forgetIfDone(id)
    }
    return undefined
  }

  /**
   * Something that `next` gave has ended. Gives what is not to be sent now, since the receiver is slow, fails, or is gone
   * (when nothing more is sent at all).
   */
  ended(webhookId: string, how: { pace: AttemptPace; tookMs: number; isGone?: boolean }): DueDelivery[] {
    const lane = this.laneOf(webhookId)
    lane.ended(how.pace, how.tookMs)
    this.inFlight -= 1
    this.queue(webhookId, lane)
    if (how.isGone) return lane.waiting.splice(0)
    return how.pace === 'slow' || how.pace === 'timeout' ? lane.takeExcess() : []
  }

  /** Whether it is time to claim more of a webhook. */
  wantsMore(webhookId: string): boolean {
    const lane = this.lanes.get(webhookId)
    return lane !== undefined && lane.mayHaveMore && lane.room > 0
  }

  /** What waits for its turn, which now does not come. */
  giveUp(): DueDelivery[] {
    return this.lanes
      .values()
      .toArray()
      .flatMap((lane) => lane.waiting.splice(0))
  }

  /** It has its turn after those that are queued already; once, however often it is said. */
  private queue(webhookId: string, lane: DeliveryLane): void {
    if (!lane.isQueued) this.turns.push(webhookId)
    lane.isQueued = true
  }

  private laneOf(webhookId: string): DeliveryLane {
    const lane = this.lanes.get(webhookId) ?? new DeliveryLane()
    this.lanes.set(webhookId, lane)
    return lane
  }

  /** With more to come, a lane keeps what it knows of the receiver. */
  private forgetIfDone(webhookId: string): void {
    const lane = this.lanes.get(webhookId)
    if (lane?.isIdle && !lane.mayHaveMore && !lane.isQueued) this.lanes.delete(webhookId)
  }

  private forgetAllBut(due: Set<string>): void {
    for (const [id, lane] of this.lanes) {
      if (due.has(id)) continue
      lane.mayHaveMore = false
      this.forgetIfDone(id)
    }
  }
}
