import type { DueDelivery, DuePlace, Wanted } from './due-delivery-queries.ts'
import type { AttemptPace } from './pace-rules.ts'
import { mostInFlightOfOne } from './sending-turns.ts'

/** So many are claimed ahead while the receiver answers fast. */
const mostAhead = 2_048
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
  /** How far the last look came, where it left something: the next goes on there instead of over all that is in hand. */
  private reached: DuePlace | undefined
  /** Whether, since the last look began, something before that place has come to be looked for. */
  private startsOver = false
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

  /** What the look that now begins is for, with room for so many. */
  wantedOf(id: string, most: number): Wanted {
    this.startsOver = false
    return { id, most, inHand: new Set(this.inHand), after: this.reached }
  }

  /**
   * Takes what was found, the oldest first. What of it was not in hand when it was looked for now is, and is to be handed
   * over: what has gone out of hand since may have been read as it was before.
   */
  add(found: DueDelivery[], { most, inHand, after }: Wanted): DueDelivery[] {
    const added = found.filter(({ id }) => !inHand.has(id))
    for (const { id } of added) this.inHand.add(id)
    this.handedOver += added.length
    const last = found.length === most ? found.at(-1) : undefined
    this.reached = last && !this.startsOver ? { due_at: last.due_at, id: last.id } : undefined
    // the last look of a row begins with the oldest: something may have come in before that place
    this.mayHaveMore = last !== undefined || after !== undefined || this.startsOver
    return added
  }

  /** A lease was got, or renewed: from time to time all that is due is looked at. */
  leased(lease: LaneLease): void {
    this.lease = lease
    this.reached = undefined
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
    this.reached = undefined
    this.startsOver = true
  }

  /** Something is out of hand: its outcome is written. */
  forget(id: string): void {
    this.inHand.delete(id)
    if (this.isIdle) this.isGone = false
  }
}
