import type { DueDelivery } from './due-delivery-queries.ts'
import type { AttemptPace } from './pace-rules.ts'
import { mostInFlightOfOne } from './sending-turns.ts'

/** So many are claimed ahead while the receiver answers fast. */
const mostAhead = 1_024
/** But no more than are sent in this time: what is changed about a webhook does not reach what is claimed. */
const aheadMs = 1_000

/** Until when this server alone sends to a webhook. */
export interface LaneLease {
  fence: number
  /** In milliseconds since 1970-01-01T00:00:00Z. */
  untilMs: number
}

/** An attempt that was made. */
export interface Ended {
  pace: AttemptPace
  tookMs: number
  /** Whether the receiver said that it is gone for good. */
  isGone?: boolean
}

/**
 * What this server has claimed for one webhook. Of a receiver that answers fast more is claimed ahead; of one that fails or
 * is slow no more than is sent.
 */
export class DeliveryLane {
  /** What is with the thread that sends, or whose outcome is not written yet. In the database all of it is still due. */
  readonly inHand = new Set<string>()
  /** How much of it is with the thread that sends. */
  handedOver = 0
  lease: LaneLease | undefined
  /** Whether the database is being asked for more, or for a lease. */
  isClaiming = false
  /** Whether the lease is being ended. Never while something is claimed under it. */
  isEnding = false
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
    const waiting = this.handedOver - mostInFlightOfOne
    return this.isGone || waiting > ahead / 2 ? 0 : Math.max(ahead - this.handedOver, 0)
  }

  get isIdle(): boolean {
    return this.inHand.size === 0
  }

  /** Whether its lease serves nothing any more. */
  get mayEnd(): boolean {
    return this.lease !== undefined && !this.isClaiming && !this.isEnding && !this.mayHaveMore
  }

  /** What of the claimed deliveries was not in hand before, and now is: it is to be handed over. */
  add(deliveries: DueDelivery[]): DueDelivery[] {
    const added = deliveries.filter(({ id }) => !this.inHand.has(id))
    for (const { id } of added) this.inHand.add(id)
    this.handedOver += added.length
    return added
  }

  /** An attempt has ended; its delivery stays in hand until the outcome is written. */
  ended({ pace, tookMs, isGone = false }: Ended): void {
    this.handedOver -= 1
    if (pace === 'fast') {
      const most = Math.min((mostInFlightOfOne * aheadMs) / tookMs, mostAhead)
      this.ahead = Math.max(Math.min(this.ahead * 2, Math.floor(most)), mostInFlightOfOne)
    } else if (pace !== 'steady') {
      this.ahead = pace === 'slow' ? mostInFlightOfOne : 1
    }
    this.isGone ||= isGone
  }

  /** Something came back without an attempt: it is out of hand, and still due. */
  givenBack(id: string): void {
    this.handedOver -= 1
    this.forget(id)
    this.mayHaveMore = true
  }

  /** Something is out of hand: its outcome is written. */
  forget(id: string): void {
    this.inHand.delete(id)
    if (this.isIdle) this.isGone = false
  }
}
