import { toMs } from '../instants.ts'
import type { Claim } from './claim-deliveries.ts'
import { DeliveryLane, mostInFlightOfOne } from './delivery-lane.ts'
import type { DueDelivery, Wanted } from './due-delivery-queries.ts'

/** Sent at once, over all webhooks. */
const mostInFlight = 256
/** Claimed together: what is sent, what waits for that, and what waits for its outcome to be written. */
const mostClaimed = 2_048
/** Who has work in hand leases anew when no more than this is left of the lease. */
const renewMs = 20_000

/** Of which webhooks how much is to be claimed, and which of them, or of others, have to be leased for that first. */
export interface Choice {
  wanted: Wanted[]
  toLease: string[]
}

/** The lanes of all webhooks of which this server has claimed something, and whose turn it is. */
export class DeliveryLanes {
  private readonly lanes = new Map<string, DeliveryLane>()
  /** Webhooks that may have something to send, in turns. */
  private readonly turns: string[] = []
  private inFlight = 0
  /** So much is claimed of one webhook at most: else the first few would have all the places, and be sent to alone. */
  private share = mostClaimed
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

  /** Of which of the webhooks that have something due how much is to be claimed. Ends with `accept` or `endClaim`. */
  choose(due: string[], nowMs: number): Choice {
    this.forgetAllBut(new Set(due))
    this.share = Math.max(Math.floor(mostClaimed / due.length), mostInFlightOfOne)
    const start = due.findIndex((id) => id > this.lastServed)
    const inTurn = start > 0 ? [...due.slice(start), ...due.slice(0, start)] : due
    let free = mostClaimed - this.inHand
    const wanted: Wanted[] = []
    for (const id of inTurn) {
      const lane = this.laneOf(id)
      const most = lane.isEnding ? 0 : Math.min(lane.roomWithin(this.share), free)
      if (most > 0) {
        wanted.push({ id, most, inHand: [...lane.inHand] })
        lane.isClaiming = true
      } else lane.mayHaveMore = true
      free -= Math.max(most, 0)
    }
    this.isFull = free <= 0
    return { wanted, toLease: this.chooseLeases(nowMs) }
  }

  private chooseLeases(nowMs: number): string[] {
    const toLease: string[] = []
    for (const [id, lane] of this.lanes) {
      const isNeeded = lane.isClaiming || (lane.lease !== undefined && !lane.isIdle && !lane.isEnding)
      if (!isNeeded || (lane.lease?.untilMs ?? 0) - nowMs > renewMs) continue
      lane.isClaiming = true
      toLease.push(id)
    }
    return toLease
  }

  /** What was chosen is leased, and what was claimed of it begins to wait for its turn. */
  accept({ wanted, toLease }: Choice, { leased, until, due }: Claim): void {
    const untilMs = toMs(until)
    for (const { id, fence } of leased) {
      const lane = this.laneOf(id)
      if (lane.lease && lane.lease.fence !== fence) lane.giveUp() // another server had it meanwhile
      lane.lease = { fence, untilMs }
    }
    const byWebhook = Map.groupBy(due, (delivery) => delivery.webhook_id)
    for (const { id, most } of wanted) {
      const own = byWebhook.get(id) ?? []
      const lane = this.laneOf(id)
      lane.mayHaveMore = own.length === most
      lane.add(own)
      this.queue(id, lane)
    }
    this.lastServed = wanted.at(-1)?.id ?? ''
    this.endClaim({ wanted, toLease })
  }

  /** Nothing came of what was chosen: the database is away. */
  endClaim({ wanted, toLease }: Choice): void {
    for (const id of [...wanted.map((webhook) => webhook.id), ...toLease]) this.laneOf(id).isClaiming = false
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

  /** Until when this server alone sends to a webhook, in milliseconds since 1970-01-01T00:00:00Z. */
  leaseUntilMs(webhookId: string): number {
    return this.laneOf(webhookId).lease?.untilMs ?? 0
  }

  /**
   * Something that `next` gave has ended, and stays in hand. What is not to be sent now, since the receiver is slow, fails,
   * or is gone (when nothing more is sent at all), goes out of hand.
   */
  ended(webhookId: string, how: Parameters<DeliveryLane['ended']>[0]): void {
    const lane = this.laneOf(webhookId)
    lane.ended(how)
    this.inFlight -= 1
    this.queue(webhookId, lane)
  }

  /** Something that has ended is out of hand: its outcome is written, or no attempt was made. */
  forget({ webhook_id, id }: Pick<DueDelivery, 'webhook_id' | 'id'>): void {
    this.laneOf(webhook_id).forget(id)
    this.forgetIfDone(webhook_id)
  }

  /** Whether it is time to claim more of a webhook, or to leave its lease to others. */
  wantsLook(webhookId: string): boolean {
    const lane = this.lanes.get(webhookId)
    if (!lane) return false
    return (lane.mayHaveMore && lane.roomWithin(this.share) > 0) || (lane.isIdle && lane.mayEnd)
  }

  /**
   * Webhooks of which nothing is in hand once these deliveries are out of it, so that their leases can be ended: until
   * `haveEnded` nothing more is claimed of them.
   */
  endLeases(besides: Iterable<Pick<DueDelivery, 'webhook_id' | 'id'>> = []): string[] {
    const counts = new Map<string, number>()
    for (const { webhook_id } of besides) counts.set(webhook_id, (counts.get(webhook_id) ?? 0) + 1)
    const ending: string[] = []
    for (const [id, lane] of this.lanes) {
      if (!lane.mayEnd || lane.inHand.size > (counts.get(id) ?? 0)) continue
      lane.isEnding = true
      ending.push(id)
    }
    return ending
  }

  /** Leases were ended, or could not be. */
  haveEnded(webhookIds: string[], isDone: boolean): void {
    for (const id of webhookIds) {
      const lane = this.laneOf(id)
      lane.isEnding = false
      if (isDone) lane.lease = undefined
      this.forgetIfDone(id)
    }
  }

  /** What waits for its turn, which now does not come, goes out of hand. */
  giveUp(): void {
    for (const lane of this.lanes.values()) {
      lane.giveUp()
      lane.mayHaveMore = false
    }
  }

  private get inHand(): number {
    let inHand = 0
    for (const lane of this.lanes.values()) inHand += lane.inHand.size
    return inHand
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
    if (!lane?.isIdle || lane.lease || lane.isClaiming || lane.isEnding) return
    if (!lane.mayHaveMore && !lane.isQueued) this.lanes.delete(webhookId)
  }

  private forgetAllBut(due: Set<string>): void {
    for (const [id, lane] of this.lanes) {
      if (due.has(id)) continue
      lane.mayHaveMore = false
      this.forgetIfDone(id)
    }
  }
}
