import { monotonicMs } from '../../src/clock.ts'
import { startHoldfast } from '../support/processes.ts'
import type { Stores } from './stores.ts'

/** Milliseconds from the start of the process until /readyz answers 200, in the median. */
export interface Starts {
  existingMs: number
  emptyMs: number
}

/** Starts the service several times on a database that is there, and on an empty one as `npm start` does. */
export async function measureStarts(stores: Stores, template: string, times: number): Promise<Starts> {
  const existing: number[] = []
  const empty: number[] = []
  for (let index = 0; index < times; index += 1) {
    existing.push(await startOn(stores, await stores.make(template), 'production'))
    empty.push(await startOn(stores, await stores.make(), 'development'))
  }
  return { existingMs: median(existing), emptyMs: median(empty) }
}

async function startOn(stores: Stores, url: string, environment: string): Promise<number> {
  const startedMs = monotonicMs()
  const server = await startHoldfast(url, { NODE_ENV: environment })
  const { status } = await fetch(`${server.address}/readyz`)
  const tookMs = monotonicMs() - startedMs
  if (status !== 200) throw new Error(`/readyz answered ${status} after the start`)
  await server.stop()
  await stores.drop(url)
  return tookMs
}

function median(values: number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? NaN
}
