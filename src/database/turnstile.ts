import { DatabaseUnavailable } from './database.ts'

/** How long a transaction on SQLite waits for its turn, and for other processes that write to the file. */
export const writeTimeoutMs = 4_000

/** Lets one holder in at a time, in order of arrival. */
export class Turnstile {
  /** How many wait for their turn. */
  waiting = 0
  /** How many wait or are inside. */
  present = 0
  private last: Promise<void> = Promise.resolve()

  /** Resolves when it is the caller's turn, with the function that ends it. Rejects after the time limit. */
  async enter(): Promise<() => void> {
    const before = this.last
    this.waiting += 1
    this.present += 1
    let letNextIn: () => void = () => undefined
    this.last = new Promise((resolve) => {
      letNextIn = resolve
    })
    let timer: NodeJS.Timeout | undefined
    const tooLate = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        reject(new DatabaseUnavailable('too many writers wait for the database file'))
      }, writeTimeoutMs)
    })
    try {
      await Promise.race([before, tooLate])
      return () => {
        this.present -= 1
        letNextIn()
      }
    } catch (error) {
      this.present -= 1
      void before.then(letNextIn) // those behind still wait for those before
      throw error
    } finally {
      clearTimeout(timer)
      this.waiting -= 1
    }
  }
}
