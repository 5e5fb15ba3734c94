import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLog } from '../src/base/log.ts'
import type { Context } from '../src/bookings/context.ts'
import type { CleanupJob } from '../src/database/context.ts'
import { startHousekeeping, tidy } from '../src/operate/housekeeping.ts'

const minuteMs = 60_000
let logLines: string[]
/** Chores get the context. Everything else uses only its log. */
let context: Context

beforeEach(() => {
  vi.useFakeTimers()
  logLines = []
  context = { log: createLog('info', { write: (line) => logLines.push(line) }) } as unknown as Context
})
afterEach(() => {
  vi.useRealTimers()
})

/** A chore that finds the given numbers, and waits in each batch until the test continues it. */
function slowChore(): CleanupJob & { begun: number; finish: (deleted?: number) => Promise<unknown> } {
  let finishBatch: (deleted: number) => void = () => undefined
  return {
    name: 'slow',
    begun: 0,
    deleteBatch() {
      this.begun += 1
      return new Promise((resolve) => (finishBatch = resolve))
    },
    finish: (deleted = 0) => {
      finishBatch(deleted)
      return vi.advanceTimersByTimeAsync(0)
    },
  }
}

/** A chore that deletes as much as it is asked to, for this many batches. */
function job(name: string, fullBatches: number): CleanupJob & { batches: number } {
  return {
    name,
    batches: 0,
    deleteBatch(_context, max) {
      this.batches += 1
      return Promise.resolve(this.batches <= fullBatches ? max : max - 1)
    },
  }
}

test('the first run comes after a minute, and each further one a minute after the last has ended', async () => {
  const slow = slowChore()
  const housekeeping = startHousekeeping(context, [slow])
  await vi.advanceTimersByTimeAsync(minuteMs - 1)
  expect(slow.begun).toBe(0)
  await vi.advanceTimersByTimeAsync(1)
  expect(slow.begun).toBe(1)
  await vi.advanceTimersByTimeAsync(5 * minuteMs)
  expect(slow.begun).toBe(1) // still busy: no second run starts
  await slow.finish()
  await vi.advanceTimersByTimeAsync(minuteMs - 1)
  expect(slow.begun).toBe(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(slow.begun).toBe(2)
  await slow.finish()
  await housekeeping.stop()
})

test('stopping waits for the batch in progress, and neither another batch nor another chore begins', async () => {
  const slow = slowChore()
  const next = job('next', 0)
  const housekeeping = startHousekeeping(context, [slow, next])
  await vi.advanceTimersByTimeAsync(minuteMs)
  let stopped = false
  const stopping = housekeeping.stop().then(() => (stopped = true))
  await vi.advanceTimersByTimeAsync(minuteMs)
  expect(stopped).toBe(false)
  await slow.finish(500) // a full batch means that there is more
  await stopping
  await vi.advanceTimersByTimeAsync(5 * minuteMs)
  expect([slow.begun, next.batches]).toEqual([1, 0])
})

test('stopping between two runs ends them', async () => {
  const quick = job('quick', 0)
  const housekeeping = startHousekeeping(context, [quick])
  await vi.advanceTimersByTimeAsync(minuteMs)
  await housekeeping.stop()
  await vi.advanceTimersByTimeAsync(5 * minuteMs)
  expect(quick.batches).toBe(1)
})

test('a chore goes on until a batch is not full, at most twenty in one run', async () => {
  const [small, endless] = [job('small', 3), job('endless', Infinity)]
  await tidy(context, [small, endless])
  expect([small.batches, endless.batches]).toEqual([4, 20])
})

test('a chore that fails is logged by its name, the others are done, and so is the next run', async () => {
  const failing: CleanupJob = { name: 'failing', deleteBatch: () => Promise.reject(new Error('no')) }
  const other = job('other', 0)
  const housekeeping = startHousekeeping(context, [failing, other])
  await vi.advanceTimersByTimeAsync(2 * minuteMs)
  expect(other.batches).toBe(2)
  expect(logLines).toHaveLength(2)
  expect(JSON.parse(logLines[0] ?? '')).toMatchObject({ level: 'warn', job: 'failing' })
  await housekeeping.stop()
})
