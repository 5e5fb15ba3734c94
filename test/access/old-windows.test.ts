import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { quotaOfKey, anonymousQuotas } from '../../src/access/rate-limit-rules.ts'
import { MemoryStore } from '../../src/access/rate-limit-stores.ts'
import { tidy } from '../../src/operate/housekeeping.ts'
import { jobs } from '../../src/server.ts'
import { type Client, sessionClient } from '../support/client.ts'
import { makeBusiness } from '../support/offers.ts'
import { changeRows } from '../support/tenant-things.ts'
import { engines, startTestService, type TestService } from '../support/test-service.ts'

describe.runIf(engines.includes('postgres'))('housekeeping of windows in PostgreSQL', () => {
  let service: TestService
  let session: Client
  beforeAll(async () => {
    service = await startTestService('postgres', { RATE_LIMIT_FACTOR: '1' })
    session = await sessionClient(service, await makeBusiness(service))
  })
  afterAll(() => service.stop())

  const kinds = async () => {
    const rows = await service.rows('rate_limits')
    return rows.map(({ caller }) => String(caller).split(':')[0]).toSorted()
  }

  test('deletes rows whose windows were all over a minute ago, and no others', async () => {
    const ask = () => service.call('GET', '/services', { token: session.token })
    await ask()
    await service.call('GET', '/services')
    // one key is that of the probe; a session counts for its address, too
    expect(await kinds()).toEqual(['exchange', 'key', 'key', 'sessions', 'stranger'])
    service.clock.advance(119.9)
    await tidy(service.context, jobs)
    expect(await kinds()).toHaveLength(5)
    service.clock.advance(0.2)
    await tidy(service.context, jobs)
    expect(await kinds()).toEqual(['key'])
    service.clock.advance(3_000)
    await ask()
    service.clock.advance(539) // the hour is over, but the minute was opened late in it
    await tidy(service.context, jobs)
    expect(await kinds()).toEqual(['key'])
    service.clock.advance(3_600)
    await tidy(service.context, jobs)
    expect(await kinds()).toEqual([])
  })

  test('deletes any number, in batches', async () => {
    await service.call('GET', '/services', { remoteAddress: '192.0.2.1' })
    await changeRows(
      service,
      sql`insert into rate_limits (caller, minute_ends_at, minute_used, hour_ends_at, hour_used)
            select caller || n, minute_ends_at, minute_used, hour_ends_at, hour_used
              from rate_limits, generate_series(1, 1099) as n`,
    )
    expect((await kinds()).length).toBe(1_100)
    service.clock.advance(3_600)
    await tidy(service.context, jobs)
    expect(await kinds()).toEqual([])
  })
})

describe('memory', () => {
  const nowMs = 1_800_000_000_000
  const stranger = (host: number) => anonymousQuotas({ network: `192.0.2.${host}`, widerNetwork: null }, 1)

  test('forgets the caller that was not heard of for the longest when there are too many', async () => {
    const memory = new MemoryStore(3)
    for (const host of [1, 2, 3, 1, 4]) await memory.count(stranger(host), nowMs)
    const used = []
    for (const host of [1, 2, 3, 4]) used.push(memory.peek(stranger(host), nowMs)[0]?.minute?.used)
    expect(used).toEqual([2, undefined, 1, 1])
  })

  test('keeps the counts of keys through a flood from ever new addresses', async () => {
    const memory = new MemoryStore(3)
    const key = [
      quotaOfKey(
        { type: 'business', keyId: 'x', plan: 'pro', ownLimits: { perMinute: null, perHour: null } },
        1,
      ),
    ]
    await memory.count(key, nowMs)
    for (let host = 0; host < 100; host += 1) await memory.count(stranger(host), nowMs)
    expect(await memory.count(key, nowMs)).toMatchObject({
      windows: [{ minute: { used: 2 }, hour: { used: 2 } }],
    })
  })
})
