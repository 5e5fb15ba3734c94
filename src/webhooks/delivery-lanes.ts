import { toMs } from '../instants.ts'
import type { Claim } from './claim-deliveries.ts'
import { DeliveryLane, type Ended } from './delivery-lane.ts'
import type { DueDelivery, Wanted } from './due-delivery-queries.ts'
import { mostInFlightOfOne } from './sending-turns.ts'

/** Claimed together: what is with the thread that sends, and what waits for its outcome to be written. */
const mostClaimed = 4_096
/** Who has work in hand leases anew when no more than this is left of the lease. */
const renewMs = 20_000

/** Of which webhooks how much is to be claimed, and which of them, or of others, have to be leased for that first. */
export interface Choice {
  wanted: Wanted[]
  toLease: string[]
}

/** The lanes of all webhooks of which this server has claimed something. */
export class DeliveryLanes {
  private readonly lanes = new Map<string, DeliveryLane>()
  /** So much is claimed of one webhook at most: else the first few would have all the places, and be sent to alone. */
  private share = mostClaimed
  /** Where the next choice begins: those that had nothing this time come first. */
  private lastServed = ''
  /** Whether more would have been chosen if less were claimed. */
  isFull = false

  /** How many deliveries are with the thread that sends. */
  get handedOver(): number {
    let count = 0
    for (const lane of this.lanes.values()) count += lane.handedOver
    return count
  }

  /** The webhooks of which the last look has left something in the database, in the order of their ids. */
  haveMore(): string[] {
    return [...this.lanes].flatMap(([id, { mayHaveMore }]) => (mayHaveMore ? [id] : [])).toSorted()
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
        wanted.push(lane.wantedOf(id, most))
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

  /** What was chosen is leased. Gives what was claimed of each webhook, to be handed over. */
  accept({ wanted, toLease }: Choice, { leased, until, due }: Claim): DueDelivery[][] {
    const untilMs = toMs(until)
    const byWebhook = Map.groupBy(due, ({ webhook }) => webhook.id)
    const claimed = wanted.map((one) => this.laneOf(one.id).add(byWebhook.get(one.id) ?? [], one))
    for (const { id, fence } of leased) this.laneOf(id).leased({ fence, untilMs })
    this.lastServed = wanted.at(-1)?.id ?? ''
    this.endClaim({ wanted, toLease })
    return claimed.filter(({ length }) => length > 0)
  }

  /** Nothing came of what was chosen: the database is away. */
  endClaim({ wanted, toLease }: Choice): void {
    for (const id of [...wanted.map((webhook) => webhook.id), ...toLease]) this.laneOf(id).isClaiming = false
  }

  /** Until when this server alone sends to a webhook, in milliseconds since 1970-01-01T00:00:00Z. */
  leaseUntilMs(webhookId: string): number {
    return this.laneOf(webhookId).lease?.untilMs ?? 0
  }

  /** An attempt has ended; its delivery stays in hand until the outcome is written. */
  ended(webhookId: string, how: Ended): void {
    this.laneOf(webhookId).ended(how)
  }

  /** Something came back without an attempt: it is out of hand, and still due. */
  givenBack({ webhook, id }: DueDelivery): void {
    this.laneOf(webhook.id).givenBack(id)
  }

  /** Something is out of hand: its outcome is written. */
  forget({ webhook, id }: DueDelivery): void {
    this.laneOf(webhook.id).forget(id)
    this.forgetIfDone(webhook.id)
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
  endLeases(besides: DueDelivery[] = []): string[] {
    const counts = new Map<string, number>()
    for (const { webhook } of besides) counts.set(webhook.id, (counts.get(webhook.id) ?? 0) + 1)
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

  /** Nothing more is claimed: leases need not wait for it. */
  wantNoMore(): void {
    for (const lane of this.lanes.values()) lane.mayHaveMore = false
  }

  private get inHand(): number {
    let inHand = 0
    for (const lane of this.lanes.values()) inHand += lane.inHand.size
    return inHand
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
    if (!lane.mayHaveMore) this.lanes.delete(webhookId)
  }

  private forgetAllBut(due: Set<string>): void {
    for (const [id, lane] of this.lanes) {
      if (due.has(id)) continue
      lane.mayHaveMore = false
      this.forgetIfDone(id)
    }
  }
}
