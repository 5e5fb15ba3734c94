import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SharedClock } from '../src/base/clock.ts'
import { instantFromMs } from '../src/base/instants.ts'

const hourMs = 3_600_000
const startMs = Date.UTC(2026, 10, 20, 9)

/** A database whose answers take as long as the test wants. */
let databaseAheadMs: number
let questionMs: number
let answerMs: number
let fails: boolean

function databaseMs(): number {
  return startMs + databaseAheadMs + performance.now()
}

async function readTime() {
  vi.advanceTimersByTime(questionMs)
  const time = instantFromMs(Math.floor(databaseMs()))
  vi.advanceTimersByTime(answerMs)
  if (fails) throw new Error('no answer')
  return Promise.resolve(time)
}

let clock: SharedClock
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance', 'Date'] })
  databaseAheadMs = questionMs = answerMs = 0
  fails = false
  clock = new SharedClock(readTime)
  await clock.start()
})
afterEach(() => {
  clock.stop()
  vi.useRealTimers()
})

/** Waits until the clock has read the database's time once more. */
async function nextReading(): Promise<void> {
  await vi.advanceTimersByTimeAsync(10_000)
}

const errorMs = () => Math.abs(clock.nowMs() - databaseMs())

test('shows the time of the database, and goes on between two readings', () => {
  expect(errorMs()).toBeLessThanOrEqual(1)
  vi.advanceTimersByTime(9_000)
  expect(errorMs()).toBeLessThanOrEqual(1)
})

test('is not moved by the wall clock of the machine', async () => {
  vi.setSystemTime(Date.now() + hourMs)
  expect(errorMs()).toBeLessThanOrEqual(1)
  await nextReading()
  expect(errorMs()).toBeLessThanOrEqual(1)
})

test.each([
  [800, 0],
  [0, 800],
])('is not moved by an answer that took long (%s ms there, %s ms back)', async (there, back) => {
  questionMs = there
  answerMs = back
  await nextReading()
  expect(errorMs()).toBeLessThanOrEqual(2)
})

test('follows a database whose time has jumped, forwards and backwards', async () => {
  databaseAheadMs = hourMs
  questionMs = answerMs = 5
  await nextReading()
  expect(errorMs()).toBeLessThanOrEqual(11)
  databaseAheadMs = -hourMs
  await nextReading()
  expect(errorMs()).toBeLessThanOrEqual(11)
})

test('keeps its time when a reading fails, and reads again later', async () => {
  fails = true
  await nextReading()
  expect(errorMs()).toBeLessThanOrEqual(1)
  fails = false
  databaseAheadMs = hourMs
  await nextReading()
  expect(errorMs()).toBeLessThanOrEqual(1)
})

test('tells no time before it has read any', () => {
  expect(() => new SharedClock(readTime).now()).toThrow('not been started')
})
