import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { PostgresStore } from '../../src/access/rate-limit-stores.ts'
import type { Quota } from '../../src/access/rate-limit-types.ts'
import { openDedicatedPool } from '../../src/database/postgres.ts'
import { createMigratedDatabase, type TestDatabase } from '../support/test-database.ts'
import { engines, startOfTime } from '../support/test-service.ts'

/* Another server counts the same caller at the same moment, simulated by an open transaction. */

describe.runIf(engines.includes('postgres'))(
  'a caller that another server counts just now (postgres)',
  () => {
    let database: TestDatabase
    let store: PostgresStore
    let other: pg.Client
    let lastCaller = 0
    beforeAll(async () => {
      database = await createMigratedDatabase('postgres')
      store = new PostgresStore(openDedicatedPool({ urls: [database.url] }))
      other = new pg.Client(database.url)
      await other.connect()
    })
    afterAll(async () => {
      await other.end()
      await store.close()
      await database.drop()
    })

    const quotaOf = (perMinute: number): Quota => ({
      kind: 'key',
      id: `caller-${(lastCaller += 1)}`,
      perMinute,
      perHour: null,
    })
    const waits = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    const minuteEnd = new Date(startOfTime + 60_000).toISOString()
    /** Counts while the other transaction holds a change, which it commits once the count waits for it. */
    const countDuring = async (quotas: Quota[], statement: string, values: unknown[]) => {
      await other.query('begin')
      await other.query(statement, values)
      const counting = store.count(quotas, startOfTime)
      await vi.waitFor(async () => {
        const { rows } = await other.query(waits)
        expect(rows.length).toBeGreaterThan(0)
      }, 10_000)
      await other.query('commit')
      return counting
    }
    const usedOf = async ({ kind, id }: Quota) => {
      const { rows } = await other.query<{ minute_used: string }>(
        'select minute_used from rate_limits where caller = $1',
        [`${kind}:${id}`],
      )
      return rows.map(({ minute_used }) => Number(minute_used))
    }
    const makes = `insert into rate_limits (caller, minute_ends_at, minute_used, hour_used) values ($1, $2, $3, 0)`
    const adds = `update rate_limits set minute_used = minute_used + $2 where caller = $1`

    test('has both counts', async () => {
      const quota = quotaOf(10)
      await store.count([quota], startOfTime)
      const count = await countDuring([quota], adds, [`key:${quota.id}`, 4])
      expect(count).toMatchObject({ counted: true, windows: [{ minute: { used: 6 } }] })
      expect(await usedOf(quota)).toEqual([6])
    })

    test('has both counts, also of the first', async () => {
      const quota = quotaOf(10)
      const count = await countDuring([quota], makes, [`key:${quota.id}`, minuteEnd, 4])
      expect(count).toMatchObject({ counted: true, windows: [{ minute: { used: 5 } }] })
      expect(await usedOf(quota)).toEqual([5])
    })

    test('is refused when the other took the last, and nothing is counted for those beside it', async () => {
      const [known, unknown, beside] = [quotaOf(10), quotaOf(10), quotaOf(10)]
      await store.count([known], startOfTime)
      const refused = { counted: false, windows: [{ minute: { used: 10 } }, { minute: null }] }
      expect(await countDuring([known, beside], adds, [`key:${known.id}`, 9])).toMatchObject(refused)
      expect(await countDuring([unknown, beside], makes, [`key:${unknown.id}`, minuteEnd, 10])).toMatchObject(
        refused,
      )
      expect([await usedOf(known), await usedOf(unknown), await usedOf(beside)]).toEqual([[10], [10], []])
    })
  },
)
