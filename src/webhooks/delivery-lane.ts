import type { DueDelivery } from './due-delivery-queries.ts'

/** How many deliveries of one webhook are sent at once (contract: Webhooks). */
export const mostInFlightOfOne = 4
/** So many are claimed ahead while the receiver answers fast. */
const mostAhead = 512
/** But no more than are sent in this time: what is changed about a webhook does not reach what is claimed. */
const aheadMs = 1_000

/** How an attempt went: a fast receiver may have more claimed ahead, a slow or failing one has less. */
export type AttemptPace = 'fast' | 'steady' | 'slow' | 'timeout'

/** Until when this server alone sends to a webhook. */
export interface LaneLease {
  fence: number
  /** In milliseconds since 1970-01-01T00:00:00Z. */
  untilMs: number
}

/**
 * What this server has claimed for one webhook: what is being sent, and what waits for its turn. A receiver that answers
 * fast has more claimed ahead; of one that fails or is slow no more is claimed than is sent.
 */
export class DeliveryLane {
  readonly waiting: DueDelivery[] = []
  /** What waits, is sent, or whose outcome is not written yet. In the database all of it is still due. */
  readonly inHand = new Set<string>()
  inFlight = 0
  lease: LaneLease | undefined
  /** Whether the database is being asked for more, or for a lease. */
  isClaiming = false
  /** Whether the lease is being ended. Never while something is claimed under it. */
  isEnding = false
  /** Whether it is among those that wait for their turn. */
  isQueued = false
  /** Whether the last look left something of this webhook in the database. */
  mayHaveMore = false
  /** Whether the receiver has said that it is gone for good, and that is not written yet. */
  private isGone = false
  private ahead = mostInFlightOfOne

  /**
   * How many more may be claimed now, so that it has at most `share` of them. Claims come in batches: not each delivery is
   * worth a statement of its own.
   */
  roomWithin(share: number): number {
    const ahead = Math.min(this.ahead, share)
    const held = this.waiting.length + this.inFlight
    return this.isGone || this.waiting.length > ahead / 2 ? 0 : Math.max(ahead - held, 0)
  }

  get isIdle(): boolean {
    return this.inHand.size === 0
  }

  /** Whether its lease serves nothing any more. */
  get mayEnd(): boolean {
    return this.lease !== undefined && !this.isClaiming && !this.isEnding && !this.mayHaveMore
  }

  /** What was claimed waits for its turn. */
  add(deliveries: DueDelivery[]): void {
    for (const delivery of deliveries) {
      if (this.inHand.has(delivery.id)) continue
      this.inHand.add(delivery.id)
      this.waiting.push(delivery)
    }
  }

  /** The next delivery to send, when there is one and it may be sent. */
  next(): DueDelivery | undefined {
    if (this.inFlight >= Math.min(mostInFlightOfOne, this.ahead)) return undefined
    const delivery = this.waiting.shift()
    if (delivery) this.inFlight += 1
    return delivery
  }

  /** An attempt has ended, well and fast or not. What is not to be sent now goes out of hand. */
  ended({ pace, tookMs, isGone = false }: { pace: AttemptPace; tookMs: number; isGone?: boolean }): void {
    this.inFlight -= 1
    if (pace === 'fast') {
      const most = Math.min((mostInFlightOfOne * aheadMs) / tookMs, mostAhead)
      this.ahead = Math.max(Math.min(this.ahead * 2, Math.floor(most)), mostInFlightOfOne)
    } else if (pace !== 'steady') {
      this.ahead = pace === 'slow' ? mostInFlightOfOne : 1
      this.giveUp(Math.max(this.ahead - this.inFlight, 0))
    }
    if (isGone) {
      this.isGone = true
      this.giveUp()
    }
  }

  /** Something is out of hand: its outcome is written, or it was not sent. */
  forget(id: string): void {
    this.inHand.delete(id)
    if (this.isIdle) this.isGone = false
  }

  /** What waits behind the first few is not sent now; it is still due. */
  giveUp(from = 0): void {
    for (const { id } of this.waiting.splice(from)) {
      this.forget(id)
      this.mayHaveMore = true
    }
  }
}
