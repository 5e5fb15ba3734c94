import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { type Instant, plusSeconds } from '../../src/base/instants.ts'
import { createLog } from '../../src/base/log.ts'
import { DueSignal, LeaseLoop } from '../../src/database/lease-loop.ts'

const hourMs = 3_600_000
const leaseSeconds = 30

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

interface Result {
  row: { id: string; leased_until: Instant; outcome: string }
}

/** Jobs in a separate table, whose work ends when the test decides. */
class Jobs extends LeaseLoop<Pick<ConstructorParameters<typeof LeaseLoop>[0], 'clock' | 'log'>, Job, Result> {
  readonly signal: DueSignal
  readonly logLines: string[]
  readonly table = new Map<string, { dueAt: Instant; outcome?: string }>()
  /** Ends the work on a job: with a result, without one, or with an error. */
  readonly working = new Map<string, PromiseWithResolvers<string | undefined>>()
  readonly begun: string[] = []
  readonly reports: [id: string, isWritten: boolean, error: unknown][] = []
  rounds = 0
  away: Error | undefined
  isClosed = false

  constructor({ maxInFlight = 10, pollMs = hourMs } = {}) {
    const [signal, logLines] = [new DueSignal(), [] as string[]]
    const log = createLog('info', { write: (line) => logLines.push(line) })
    super(
      { clock: systemClock, log },
      { maxInFlight, pollMs, signal, failing: 'no lease', failed: ['warn', 'job_id', 'work failed'] },
    )
    this.signal = signal
    this.logLines = logLines
    this.start()
  }

  add(...ids: string[]): void {
    for (const id of ids) this.table.set(id, { dueAt: systemClock.now() })
  }

  outcomes() {
    return [...this.table.values()].map(({ outcome }) => outcome)
  }

  protected override lease(max: number, results: readonly Result[]) {
    this.rounds += 1
    if (this.away) return Promise.reject(this.away)
    const written = new Set<string>()
    for (const { row } of results) {
      if (this.table.get(row.id)?.dueAt !== row.leased_until) continue
      this.table.set(row.id, { dueAt: '9999' as Instant, outcome: row.outcome })
      written.add(row.id)
    }
    const now = systemClock.now()
    const due = [...this.table].filter(([, { dueAt }]) => dueAt <= now).slice(0, max)
    const leased = due.map(([id, job]) => ({ id, leasedUntil: (job.dueAt = plusSeconds(now, leaseSeconds)) }))
    return Promise.resolve({ leased, written })
  }

  protected override async work({ id, leasedUntil }: Job): Promise<Result | undefined> {
    const end = Promise.withResolvers<string | undefined>()
    this.working.set(id, end)
    this.begun.push(id)
    const outcome = await end.promise.finally(() => this.working.delete(id))
    return outcome === undefined ? undefined : { row: { id, leased_until: leasedUntil, outcome } }
  }

  protected override report({ row }: Result, isWritten: boolean, error: unknown): void {
    this.reports.push([row.id, isWritten, error])
  }

  protected override close(): undefined {
    this.isClosed = true
  }
}

interface Job {
  id: string
  leasedUntil: Instant
}

/** Advances the time and lets the consequences happen. */
async function later(milliseconds = 0): Promise<void> {
  for (let left = milliseconds; left >= 0; left -= 500) {
    await vi.advanceTimersByTimeAsync(Math.min(left, 500))
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate)
  }
}

async function signal(jobs: Jobs): Promise<void> {
  jobs.signal.raise()
  await later()
}

async function end(jobs: Jobs, id: string, outcome?: string): Promise<void> {
  jobs.working.get(id)?.resolve(outcome)
  await later()
}

test('a signal begins a round at once, and a burst of signals is one round', async () => {
  const jobs = new Jobs()
  jobs.add('a', 'b')
  for (let raised = 0; raised < 100; raised += 1) jobs.signal.raise()
  await later()
  expect([jobs.begun, jobs.rounds]).toEqual([['a', 'b'], 1])
})

test('a poll finds what no signal told of', async () => {
  const jobs = new Jobs({ pollMs: 1_000 })
  jobs.add('a')
  await later(999)
  expect(jobs.begun).toEqual([])
  await later(1)
  expect(jobs.begun).toEqual(['a'])
})

test('no more is in flight than the limit, and each end makes room for one more', async () => {
  const jobs = new Jobs({ maxInFlight: 3 })
  jobs.add('a', 'b', 'c', 'd', 'e')
  await signal(jobs)
  await signal(jobs)
  expect([...jobs.working.keys()]).toEqual(['a', 'b', 'c'])
  await end(jobs, 'b', 'with a result')
  expect([...jobs.working.keys()]).toEqual(['a', 'c', 'd'])
  await end(jobs, 'a') // without a result
  expect([...jobs.working.keys()]).toEqual(['c', 'd', 'e'])
})

test('a result whose lease another server has by now is not written', async () => {
  const jobs = new Jobs()
  jobs.add('a')
  await signal(jobs)
  await later(leaseSeconds * 1_000)
  const others = plusSeconds(systemClock.now(), leaseSeconds)
  jobs.table.set('a', { dueAt: others })
  await end(jobs, 'a', 'late')
  expect(jobs.table.get('a')).toEqual({ dueAt: others })
  expect(jobs.reports).toEqual([['a', false, undefined]])
})

test('a result is written once the database is back, while its lease lasts, and given up after that', async () => {
  const jobs = new Jobs()
  jobs.add('a')
  await signal(jobs)
  jobs.away = new Error('away')
  await end(jobs, 'a', 'done')
  await later(5_000)
  jobs.away = undefined
  await later(500)
  expect(jobs.reports).toEqual([['a', true, undefined]])
  expect(jobs.outcomes()).toEqual(['done'])

  jobs.add('b')
  await signal(jobs)
  const away = (jobs.away = new Error('away'))
  await end(jobs, 'b', 'done')
  await later(leaseSeconds * 1_000)
  expect(jobs.reports[1]).toEqual(['b', false, away])
  jobs.away = undefined
  await later(leaseSeconds * 1_000)
  expect(jobs.outcomes()).toEqual(['done', undefined])
})

test('work that fails is logged, and stops no other', async () => {
  const jobs = new Jobs()
  jobs.add('a', 'b')
  await signal(jobs)
  jobs.working.get('a')?.reject(new Error('broken'))
  await end(jobs, 'b', 'done')
  jobs.add('c')
  await signal(jobs)
  await end(jobs, 'c', 'done')
  expect(jobs.outcomes()).toEqual([undefined, 'done', 'done'])
  expect(jobs.logLines.join('')).toMatch(/broken.*"job_id":"a".*work failed/)
})

test('after a failure to lease, signals change nothing for half a second, and one outage is one line in the log', async () => {
  const jobs = new Jobs()
  jobs.add('a')
  jobs.away = new Error('away')
  for (let raised = 0; raised < 10; raised += 1) await signal(jobs)
  expect(jobs.rounds).toBe(1)
  await later(500)
  await signal(jobs)
  expect([jobs.rounds, jobs.logLines.length]).toEqual([2, 1])
  jobs.away = undefined
  await later(500)
  await signal(jobs)
  expect(jobs.begun).toEqual(['a'])
  jobs.away = new Error('away again')
  await signal(jobs)
  expect(jobs.logLines).toHaveLength(2)
})

test('a loop that stops leases nothing more, and waits for what is in flight', async () => {
  const jobs = new Jobs({ pollMs: 1_000 })
  jobs.add('a')
  await signal(jobs)
  let hasStopped = false
  void jobs.stop(10_000).then(() => (hasStopped = true))
  jobs.add('b')
  await signal(jobs)
  await later(9_999)
  expect([hasStopped, jobs.isClosed]).toEqual([false, false])
  await end(jobs, 'a', 'done')
  expect([hasStopped, jobs.isClosed]).toEqual([true, true])
  await later(60_000)
  expect(jobs.outcomes()).toEqual(['done', undefined])
  expect(jobs.begun).toEqual(['a'])
})

test('what does not end within the grace is cut off, and after two more seconds the loop gives up', async () => {
  const jobs = new Jobs()
  jobs.add('a', 'b')
  await signal(jobs)
  let hasStopped = false
  void jobs.stop(1_000).then(() => (hasStopped = true))
  await later(999)
  expect(jobs.isClosed).toBe(false)
  await later(1)
  expect(jobs.isClosed).toBe(true)
  await end(jobs, 'a', 'cut off')
  expect(jobs.outcomes()).toEqual(['cut off', undefined])
  await later(1_999)
  expect(hasStopped).toBe(false)
  await later(1)
  expect(hasStopped).toBe(true)
})

test('a result that cannot be written when the loop is cut off is not tried again', async () => {
  const jobs = new Jobs()
  jobs.add('a')
  await signal(jobs)
  const away = (jobs.away = new Error('away'))
  const stopped = jobs.stop(0)
  await later()
  await end(jobs, 'a', 'cut off')
  expect(jobs.reports).toEqual([['a', false, away]])
  await stopped
})

test('a loop has settled when nothing is due or in flight, and asks again what failed just now', async () => {
  const jobs = new Jobs({ maxInFlight: 1 })
  jobs.add('a', 'b')
  jobs.away = new Error('away')
  let hasSettled = false
  void jobs.settled().then(() => (hasSettled = true))
  await later()
  jobs.away = undefined
  await later(500)
  await end(jobs, 'a', 'done')
  expect([jobs.begun, hasSettled]).toEqual([['a', 'b'], false])
  await end(jobs, 'b', 'done')
  expect(hasSettled).toBe(true)
})
