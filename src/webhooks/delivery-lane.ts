import type { DueDelivery } from './due-delivery-queries.ts'

/** How many deliveries of one webhook are sent at once (contract: Webhooks). */
const mostInFlight = 4
/** So many are claimed ahead while the receiver answers fast. */
const mostAhead = 512
/** But no more than are sent in this time: what is changed about a webhook does not reach what is claimed. */
const aheadMs = 1_000

/** How an attempt went: a fast receiver may have more claimed ahead, a slow or failing one has less. */
export type AttemptPace = 'fast' | 'steady' | 'slow' | 'timeout'

/**
 * What this server has claimed for one webhook: what is being sent, and what waits for its turn. A receiver that answers
 * fast has more claimed ahead; of one that fails or is slow no more is claimed than is sent.
 */
export class DeliveryLane {
  readonly waiting: DueDelivery[] = []
  inFlight = 0
  /** Whether it is among those that wait for their turn. */
  isQueued = false
  /** Whether the last look left something of this webhook in the database. */
  mayHaveMore = false
  private ahead = mostInFlight

  /** How many more may be claimed now. Claims come in batches: not each delivery is worth a statement of its own. */
  get room(): number {
    const held = this.waiting.length + this.inFlight
    return this.waiting.length > this.ahead / 2 ? 0 : Math.max(this.ahead - held, 0)
  }

  get isIdle(): boolean {
    return this.waiting.length + this.inFlight === 0
  }

  /** The next delivery to send, when there is one and it may be sent. */
  next(): DueDelivery | undefined {
    if (this.inFlight >= Math.min(mostInFlight, this.ahead)) return undefined
    const delivery = this.waiting.shift()
    if (delivery) this.inFlight += 1
    return delivery
  }

  /** An attempt has ended, well and fast or not. */
  ended(how: AttemptPace, tookMs: number): void {
    this.inFlight -= 1
    if (how === 'fast') {
      const most = Math.min((mostInFlight * aheadMs) / tookMs, mostAhead)
      this.ahead = Math.max(Math.min(this.ahead * 2, Math.floor(most)), mostInFlight)
    } else if (how !== 'steady') this.ahead = how === 'slow' ? mostInFlight : 1
  }

  /** What would be claimed now would be less: takes out what is too much. */
  takeExcess(): DueDelivery[] {
    return this.waiting.splice(Math.max(this.ahead - this.inFlight, 0))
  }
}
