import { unavailable } from './errors.ts'
import { MemberGone } from './together.ts'

/** Limits for running and waiting work. */
export interface TurnLimits {
  /** Maximum number that wait for one owner's turn. */
  waiting: number
  /** Maximum number of owners with a turn at once. Unlimited by default. */
  owners?: number
  /** Maximum number that wait in all. */
  waitingInAll?: number
  /** A sentence for refused clients that says which work is running. */
  busy: string
}

interface Waiting {
  begin: () => void
  isGone: () => boolean
  leave: (error: Error) => void
}

/** Runs expensive work, one at a time for each owner, such as a business. Refuses work that would wait too long. */
export class Turns {
  private readonly limits: Required<TurnLimits>
  private readonly running = new Set<string>()
  /** Owners in the order of their turns. */
  private readonly waiting = new Map<string, Waiting[]>()
  private waitingInAll = 0

  constructor(limits: TurnLimits) {
    this.limits = { owners: Infinity, waitingInAll: 1_000, ...limits }
  }

  /** Throws unavailable if too much work is waiting, and MemberGone if the client disconnected while it waited. */
  async run<T>(owner: string, work: () => Promise<T>, isGone: () => boolean = () => false): Promise<T> {
    const release = await this.take(owner, isGone)
    try {
      return await work()
    } finally {
      release()
    }
  }

  /** Like `run`, for work that ends elsewhere. Call the returned function once. */
  async take(owner: string, isGone: () => boolean = () => false): Promise<() => void> {
    if (this.mayBegin(owner)) this.running.add(owner)
    else await this.wait(owner, isGone)
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      this.running.delete(owner)
      this.beginNext()
    }
  }

  /** True if work is waiting for an owner's turn. */
  waits(owner: string): boolean {
    return this.waiting.has(owner)
  }

  private mayBegin(owner: string): boolean {
    return !this.running.has(owner) && this.running.size < this.limits.owners
  }

  private wait(owner: string, isGone: () => boolean): Promise<void> {
    const queue = this.waiting.get(owner) ?? []
    if (queue.length >= this.limits.waiting || this.waitingInAll >= this.limits.waitingInAll)
      throw unavailable(`${this.limits.busy} Retry.`)
    this.waiting.set(owner, queue)
    this.waitingInAll += 1
    return new Promise((begin, leave) => queue.push({ begin, isGone, leave }))
  }

  private beginNext(): void {
    for (const [owner, queue] of this.waiting) {
      if (!this.mayBegin(owner)) continue
      this.waiting.delete(owner)
      const next = this.nextOf(queue)
      if (queue.length > 0) this.waiting.set(owner, queue) // behind the others
      if (!next) continue
      this.running.add(owner)
      next.begin()
    }
  }

  /** Returns the first one whose client is still connected. */
  private nextOf(queue: Waiting[]): Waiting | undefined {
    for (let next = queue.shift(); next; next = queue.shift()) {
      this.waitingInAll -= 1
      if (!next.isGone()) return next
      next.leave(new MemberGone())
    }
    return undefined
  }
}
