import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { ReadCache } from '../../src/base/read-cache.ts'
import { RetryTransaction } from '../../src/database/database.ts'
import type { Context } from '../../src/bookings/context.ts'
import { openMetrics, type OpenMetrics } from '../../src/watch/metrics.ts'
import { clientOf } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { makeBusiness, makeOffer, type OwnBusiness } from '../support/offers.ts'
import { growthOf, readScrape, scrape } from '../support/scrape.ts'
import {
  onEachEngine,
  startTestService,
  testClock,
  type TestService,
  withoutLimiter,
} from '../support/test-service.ts'

const tenOClock = '2027-03-01T10:00:00+01:00'

onEachEngine('what the service stands on', (engine) => {
  let service: TestService
  let business: OwnBusiness
  beforeAll(async () => {
    service = await startTestService(engine, { DATABASE_POOL_SIZE: '7' })
    business = await makeBusiness(service)
  })
  afterAll(() => service.stop())

  test('the build is told', async () => {
    const build = { version: packageJson.version, engine, node: process.versions.node }
    expect((await scrape(service)).value('holdfast_build_info', build)).toBe(1)
  })

  test('nobody waits on an idle server, though a scrape asks several things at once', async () => {
    service.clock.advance(5) // cached values expire
    expect((await scrape(service)).value('holdfast_database_waiting')).toBe(0)
  })

  test('active holds are those that have neither lapsed nor ended', async () => {
    const key = clientOf(service, business.key)
    const active = async () => {
      service.clock.advance(5) // the count is cached for this long
      return (await scrape(service)).value('holdfast_active_holds')
    }
    const offer = await makeOffer(service, business.id, { capacity: 3 })
    expect(await active()).toBe(0)
    const ids: string[] = []
    for (let turn = 0; turn < 3; turn += 1) ids.push(String((await key.hold(offer, tenOClock)).body.hold_id))
    expect(await active()).toBe(3)
    await key.release(String(ids[0]))
    await key.book(String(ids[1]))
    expect(await active()).toBe(1)
    service.clock.advance(600)
    expect(await active()).toBe(0)
  })

  test('however often it is scraped, the database is asked for them once in five seconds', async () => {
    service.clock.advance(5)
    service.statements.length = 0
    const ofScrape = () => service.statements.filter((text) => /count\(\*\).*from "claims"/.test(text)).length
    await Promise.all(Array.from({ length: 20 }, () => scrape(service)))
    service.clock.advance(4.999)
    await scrape(service)
    expect(ofScrape()).toBe(1)
    // waiting holds, deliveries and emails, and the oldest calendar
    expect(withoutLimiter(service.statements)).toHaveLength(4)
    service.clock.advance(0.001)
    await scrape(service)
    expect(ofScrape()).toBe(2)
  })

  test('a transaction that is run again is counted', async () => {
    const repeat = () =>
      service.context.db.transaction((tx) =>
        tx.attempt < 2 ? Promise.reject(new RetryTransaction('lost a race')) : Promise.resolve(),
      )
    const metric = 'holdfast_transaction_repetitions_total'
    expect(await growthOf(service, { metric, by: [] }, repeat)).toEqual({ '': 2 })
    const plain = () => service.context.db.transaction(() => Promise.resolve())
    expect(await growthOf(service, { metric, by: [] }, plain)).toEqual({})
  })

  test('reads are counted as hits and misses of the memory', async () => {
    service.clock.advance(5)
    const read = () => service.call('GET', '/services', { token: business.key })
    const metric = { metric: 'holdfast_cache_reads_total', by: ['result'] }
    expect(await growthOf(service, metric, read)).toEqual({ miss: 1 })
    expect(await growthOf(service, metric, read)).toEqual({ hit: 1 })
  })

  test('who holds a connection or waits is seen', async () => {
    const { db } = service.context
    let finish: () => void = () => undefined
    const work = new Promise<void>((resolve) => (finish = resolve))
    const transactions = Array.from({ length: 9 }, () => db.transaction(() => work))
    const waiting = engine === 'sqlite' ? 8 : 2
    const seen = await eventually('the transactions have begun', async () => {
      const now = await scrape(service)
      return now.value('holdfast_database_waiting') === waiting ? now : undefined
    }).finally(finish)
    await Promise.all(transactions)
    const connections = (state: string) => seen.value('holdfast_database_connections', { state })
    const max = seen.value('holdfast_database_connections_max')
    expect([connections('in_use'), connections('idle'), max]).toEqual(
      engine === 'sqlite' ? [undefined, undefined, undefined] : [7, 0, 7],
    )
    expect((await scrape(service)).value('holdfast_database_waiting')).toBe(0)
  })

  test('the process is measured under the names that others use', async () => {
    const now = await scrape(service)
    expect(now.value('process_resident_memory_bytes')).toBeGreaterThan(10e6)
    expect(now.value('nodejs_heap_size_used_bytes')).toBeGreaterThan(1e6)
    expect(now.value('process_cpu_seconds_total')).toBeGreaterThan(0.1)
    const startedMs = (now.value('process_start_time_seconds') ?? 0) * 1000
    expect(Math.abs(Date.now() - performance.now() - startedMs)).toBeLessThan(60_000)
  })

  test('an event loop that was held up shows it', async () => {
    await eventually('the lag shows', async () => {
      const until = performance.now() + 80
      while (performance.now() < until);
      await new Promise((resolve) => setTimeout(resolve)) // the loop turns and notices
      const now = (await scrape(service)).value('nodejs_eventloop_lag_max_seconds') ?? 0
      return now > 0.05 || undefined
    })
  })

  test('a scrape answers when the database is gone, says so, and leaves the count of holds out', async () => {
    const lost = await startTestService(engine)
    expect((await scrape(lost)).value('holdfast_database_up')).toBe(1)
    await lost.context.db.close()
    lost.clock.advance(5)
    const now = await scrape(lost)
    expect(now.value('holdfast_database_up')).toBe(0)
    expect(now.value('holdfast_active_holds')).toBeUndefined()
    expect(now.value('process_resident_memory_bytes')).toBeGreaterThan(0)
  })
})

describe('a database that hangs', () => {
  let reads: number
  let answer: (count: number) => void
  let metrics: OpenMetrics
  const clock = testClock()

  beforeEach(() => {
    vi.useFakeTimers()
    reads = 0
    const db = { engine: 'sqlite', load: () => ({ waiting: 0, retries: 0 }) } as unknown as Context['db']
    metrics = openMetrics(
      { db, clock, cache: new ReadCache(clock) },
      {
        version: '1.2.3',
        countPendingDeliveries: () => Promise.resolve(0),
        readOldestCalendar: () => Promise.resolve(0),
        countPrimaries: () => undefined,
        readWaitingMails: () => Promise.resolve({ count: 0, oldestSeconds: 0 }),
        countActiveHolds: () => {
          reads += 1
          return new Promise((resolve) => (answer = resolve))
        },
      },
    )
  })
  afterEach(() => {
    metrics.close()
    vi.useRealTimers()
  })

  const scrapeOnce = async () => {
    const text = metrics.scrape()
    await vi.advanceTimersByTimeAsync(1000)
    return readScrape(await text)
  }

  test('keeps no scrape waiting for more than a second, and is not asked again meanwhile', async () => {
    for (let turn = 0; turn < 3; turn += 1) {
      expect((await scrapeOnce()).value('holdfast_database_up')).toBe(0)
      clock.advance(60)
    }
    expect(reads).toBe(1)
  })

  test('is asked again when it has answered after all', async () => {
    await scrapeOnce()
    answer(1)
    await vi.advanceTimersByTimeAsync(0)
    clock.advance(5)
    const scraped = scrapeOnce()
    answer(2)
    expect((await scraped).value('holdfast_active_holds')).toBe(2)
    expect(reads).toBe(2)
  })
})
