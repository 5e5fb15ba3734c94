import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { FallbackStore, MemoryStore } from '../../src/access/rate-limit-stores.ts'
import type { CountResult, Quota, WindowStore } from '../../src/access/rate-limit-types.ts'
import { createLog } from '../../src/base/log.ts'

const quota: Quota = { kind: 'key', id: 'one', perMinute: 5, perHour: 50 }
const nowMs = 1_800_000_000_000
/** The answer of the shared store. Memory would answer 1. */
const fromShared: CountResult = {
  counted: true,
  windows: [{ minute: { used: 3, endsAtMs: nowMs + 9_000 }, hour: { used: 9, endsAtMs: nowMs + 9_000 } }],
}

let logLines: string[]
let memory: MemoryStore
/** The duration of each next answer, in milliseconds. Later the store answers at once. */
let delays: number[]
let store: FallbackStore

beforeEach(() => {
  vi.useFakeTimers()
  logLines = []
  delays = []
  memory = new MemoryStore()
  const shared: WindowStore = {
    count: () => new Promise((resolve) => setTimeout(() => resolve(fromShared), delays.shift() ?? 0)),
    close: async () => {},
  }
  const log = createLog('info', { write: (line) => logLines.push(line) })
  store = new FallbackStore({ shared, memory, name: 'The store', log, nowMs: () => nowMs })
})
afterEach(async () => {
  await store.close()
  vi.useRealTimers()
})

/** Sends this many requests at once. Returns the count of each once it arrives. */
function countAtOnce(times: number) {
  const used: (number | undefined)[] = []
  for (let index = 0; index < times; index += 1) {
    void store.count([quota], nowMs).then(({ windows }) => (used[index] = windows[0]?.minute?.used))
  }
  return used
}

test('a store that answers one after the other in a rush is not away', async () => {
  delays = [200, 400, 600, 800]
  const used = countAtOnce(4)
  await vi.advanceTimersByTimeAsync(900)
  expect([used, store.degraded, logLines]).toEqual([[3, 3, 3, 3], false, []])
})

test('a store that is silent for a quarter of a second is away for all who wait', async () => {
  delays = [200, 60_000, 60_000]
  const used = countAtOnce(3)
  await vi.advanceTimersByTimeAsync(440)
  expect([used, store.degraded]).toEqual([[3], false])
  await vi.advanceTimersByTimeAsync(20)
  expect([used, store.degraded]).toEqual([[3, 4, 5], true]) // memory continues from its known counts
  expect(logLines).toHaveLength(1)
})

test('nobody waits longer than a second, however many others are answered', async () => {
  delays = [60_000, ...Array.from({ length: 20 }, (_, index) => index * 100)]
  const used = countAtOnce(21)
  await vi.advanceTimersByTimeAsync(990)
  expect(used[0]).toBeUndefined()
  await vi.advanceTimersByTimeAsync(20)
  expect(used[0]).toBeDefined()
})

test('while it is away no request asks it, and one probe at a time finds out when it is back', async () => {
  delays = [60_000, 60_000, 0]
  countAtOnce(1)
  await vi.advanceTimersByTimeAsync(300)
  expect(store.degraded).toBe(true)
  countAtOnce(10)
  expect(delays).toHaveLength(2)
  await vi.advanceTimersByTimeAsync(800) // the first probe, half a second later, gets no answer either
  expect([store.degraded, delays.length]).toEqual([true, 1])
  await vi.advanceTimersByTimeAsync(600)
  expect([store.degraded, delays.length]).toEqual([false, 0])
  expect(logLines.map((line) => (JSON.parse(line) as { level: string }).level)).toEqual(['error', 'info'])
})

test('what is known is told at once, from what any request has learnt', async () => {
  delays = [0, 60_000]
  countAtOnce(1)
  expect(store.peek([quota], nowMs)).toEqual([{ minute: null, hour: null }])
  await vi.advanceTimersByTimeAsync(1)
  countAtOnce(1)
  expect(store.peek([quota], nowMs)).toEqual(fromShared.windows)
  expect(store.peek([quota], nowMs + 9_000)).toEqual([{ minute: null, hour: null }])
})

test('once it is closed it asks no more and says no more', async () => {
  delays = [60_000, 60_000, 60_000]
  countAtOnce(1)
  await vi.advanceTimersByTimeAsync(300)
  await store.close()
  await vi.advanceTimersByTimeAsync(10_000)
  expect([delays.length, logLines.length]).toEqual([2, 1])
})
