import { unavailable } from './errors.ts'
import { MemberGone } from './together.ts'

/** How much may be under way, and wait. */
export interface TurnLimits {
  /** How many may wait for one owner's turn. */
  waiting: number
  /** How many owners may have a turn at once; any number by default. */
  owners?: number
  /** How many may wait in all. */
  waitingInAll?: number
  /** Says in a sentence to whom there was no room what is under way. */
  busy: string
}

interface Waiting {
  begin: () => void
  isGone: () => boolean
  leave: (error: Error) => void
}

/** Runs costly work: one at a time for each owner, such as a business. What would wait too long is refused. */
export class Turns {
  private readonly limits: Required<TurnLimits>
  private readonly running = new Set<string>()
  /** Owners in the order of their turns. */
  private readonly waiting = new Map<string, Waiting[]>()
  private waitingInAll = 0

  constructor(limits: TurnLimits) {
    this.limits = { owners: Infinity, waitingInAll: 1_000, ...limits }
  }

  /** Throws unavailable when too much waits already, and MemberGone for a client that went away while it waited. */
  async run<T>(owner: string, work: () => Promise<T>, isGone: () => boolean = () => false): Promise<T> {
    const release = await this.take(owner, isGone)
    try {
      return await work()
    } finally {
      release()
    }
  }

  /** As `run`, for work that ends elsewhere: call what it returns, once. */
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

  /** Whether somebody waits for an owner's turn. */
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

  /** The first whose client is still there. */
  private nextOf(queue: Waiting[]): Waiting | undefined {
    for (let next = queue.shift(); next; next = queue.shift()) {
      this.waitingInAll -= 1
      if (!next.isGone()) return next
      next.leave(new MemberGone())
    }
    return undefined
  }
}
