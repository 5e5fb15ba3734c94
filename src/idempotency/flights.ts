import { monotonicMs } from '../clock.ts'

/** Lets only one of those with the same name work at a time, on this node. Names are forgotten when nobody works. */
export class Flights {
  private readonly running = new Map<string, Promise<unknown>>()

  /**
   * Waits until nobody with this name works, then works. Undefined when that took longer than
   * `longestWaitMs` milliseconds.
   */
  async alone<T extends object>(
    name: string,
    longestWaitMs: number,
    work: () => Promise<T>,
  ): Promise<T | undefined> {
    const deadlineMs = monotonicMs() + longestWaitMs
    for (let first = this.running.get(name); first; first = this.running.get(name)) {
      const leftMs = deadlineMs - monotonicMs()
      if (leftMs <= 0 || !(await endsWithin(first, leftMs))) return undefined
    }
    const flight = work()
    this.running.set(name, flight)
    try {
      return await flight
    } finally {
      this.running.delete(name)
    }
  }
}

/** Whether a promise settles, either way, within so many milliseconds. */
async function endsWithin(promise: Promise<unknown>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, milliseconds, false)
  })
  const ended = promise.then(
    () => true,
    () => true, // its failure is told to those who asked for it
  )
  try {
    return await Promise.race([ended, tooLate])
  } finally {
    clearTimeout(timer)
  }
}
