import { setImmediate } from 'node:timers/promises'
import { monotonicMs } from '../clock.ts'

/** A computation that goes on for longer lets those that wait have their turn, in milliseconds. */
const turnMs = 4

/** Gives items of a long computation one by one, so that other requests wait for one item or a turn at most. */
export async function* inTurns<T>(items: Iterable<T>): AsyncGenerator<T> {
  let startedMs = monotonicMs()
  for (const item of items) {
    yield item
    if (monotonicMs() - startedMs < turnMs) continue
    await setImmediate()
    startedMs = monotonicMs()
  }
}
