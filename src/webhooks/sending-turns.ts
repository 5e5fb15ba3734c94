/** How many deliveries of one webhook are sent at once (contract: Webhooks). */
export const mostInFlightOfOne = 4
/** Sent at once, over all webhooks. */
const mostInFlight = 256

/** What of one webhook waits for its turn, and how much of it is being sent. */
interface Lane<T> {
  webhookId: string
  waiting: T[]
  inFlight: number
  /** Whether it is among those that wait for their turn. */
  isQueued: boolean
}

/**
 * In which order what waits is sent: each webhook has a lane of its own, with at most four in flight, and lanes have
 * their turns one after the other, so that a receiver that hangs delays nobody else's.
 */
export class SendingTurns<T> {
  private readonly lanes = new Map<string, Lane<T>>()
  private readonly queued: Lane<T>[] = []
  private inFlight = 0

  add(webhookId: string, deliveries: T[]): void {
    const lane = this.lanes.get(webhookId) ?? { webhookId, waiting: [], inFlight: 0, isQueued: false }
    this.lanes.set(webhookId, lane)
    lane.waiting.push(...deliveries)
    this.queue(lane)
  }

  /** The next to send, one of each webhook after the other; undefined when none may be sent now. */
  next(): T | undefined {
    if (this.inFlight >= mostInFlight) return undefined
    for (let lane = this.queued.shift(); lane; lane = this.queued.shift()) {
      lane.isQueued = false
      const delivery = lane.inFlight < mostInFlightOfOne ? lane.waiting.shift() : undefined
      if (delivery === undefined) continue
      lane.inFlight += 1
      this.inFlight += 1
      this.queue(lane)
      return delivery
    }
    return undefined
  }

  /** Something that `next` gave has ended. */
  ended(webhookId: string): void {
    const lane = this.lanes.get(webhookId)
    if (!lane) return
    lane.inFlight -= 1
    this.inFlight -= 1
    if (lane.inFlight === 0 && lane.waiting.length === 0) this.lanes.delete(webhookId)
    else this.queue(lane)
  }

  /** What of a webhook waits for its turn, which now does not come. */
  giveUp(webhookId: string): T[] {
    return this.lanes.get(webhookId)?.waiting.splice(0) ?? []
  }

  /** What of any webhook waits for its turn, which now does not come. */
  giveUpAll(): T[] {
    return [...this.lanes.values()].flatMap(({ waiting }) => waiting.splice(0))
  }

  /** It has its turn after those that are queued already; once, however often it is said. */
  private queue(lane: Lane<T>): void {
    if (!lane.isQueued) this.queued.push(lane)
    lane.isQueued = true
  }
}
