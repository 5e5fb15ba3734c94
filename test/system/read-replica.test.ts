import { afterAll, beforeAll, describe, expect } from 'vitest'
import { readRows } from '../support/checker.ts'
import { clientOf, slot, startCluster, type Cluster } from '../support/cluster.ts'
import { eventually, httpClients, openSessions } from '../support/http-client.ts'
import { isLong, longTest } from '../support/long.ts'
import {
  canReplicate,
  type ReplicatedPostgres,
  startReplicatedPostgres,
} from '../support/replicated-postgres.ts'
import { readScrape } from '../support/scrape.ts'
import { engines, offer } from '../support/test-service.ts'

/* DATABASE_READ_URL: availability is read at a replica while that is at most a second behind. */

const call = httpClients()

describe.runIf(isLong && engines.includes('postgres') && canReplicate())('a replica for reads', () => {
  let postgres: ReplicatedPostgres
  let cluster: Cluster
  beforeAll(async () => {
    postgres = await startReplicatedPostgres()
    const { url, stop } = postgres
    const readUrl = postgres.standbys()[0]?.url ?? ''
    cluster = await startCluster(
      'postgres',
      { DATABASE_READ_URL: readUrl },
      { database: { url, drop: stop } },
    )
  })
  afterAll(() => cluster.stop())

  const replica = () => postgres.standbys()[0]?.ownUrl ?? ''
  const key = () => cluster.business.business_key
  const replays = (word: 'pause' | 'resume') => readRows(replica(), `select pg_wal_replay_${word}()`)
  /** The starts that are offered on the day of a start, with whether the asker holds them. */
  const offeredWith = async (token: string, start: string) => {
    const day = start.slice(0, 10)
    const query = new URLSearchParams({ ...offer(cluster.business, 'Meeting room'), from: day, to: day })
    const { status, body } = await call(cluster.address(0), 'GET', `/availability?${query.toString()}`, {
      token,
    })
    expect(status).toBe(200)
    const days = body.days as { slots: { starts_at: string; held_by_you?: boolean }[] }[]
    return days.flatMap(({ slots }) => slots)
  }
  const find = async (token: string, start: string) =>
    (await offeredWith(token, start)).find(({ starts_at }) => Date.parse(starts_at) === Date.parse(start))
  const delay = async () => {
    const text = await (await fetch(`${cluster.address(0)}/metrics`)).text()
    return readScrape(text).value('holdfast_database_replica_delay_seconds')
  }
  const isFresh = () =>
    eventually('a replica that keeps up', async () => ((await delay()) ?? 9) < 1 || undefined)
  const isBehind = () =>
    eventually('a replica that is behind', async () => ((await delay()) ?? 9) > 1 || undefined)

  longTest('answers, and shows within a second what was booked', async () => {
    await isFresh()
    await offeredWith(key(), slot(0))
    const asked = await readRows(
      replica(),
      `select 1 from pg_stat_activity where application_name = 'holdfast reads' and query like '%claims%'`,
    )
    expect(asked).not.toEqual([])
    const client = clientOf(cluster, call)
    const [token = ''] = await openSessions(call, cluster.addresses, {
      key: cluster.business.publishable_key,
      count: 1,
    })
    expect((await client.hold(0, token, slot(0))).status).toBe(201)
    await eventually('the hold at the replica', async () =>
      (await find(key(), slot(0))) === undefined ? true : undefined,
    )
  })

  longTest('that is behind is not asked; a session sees its own holds at once', async () => {
    await isFresh()
    const client = clientOf(cluster, call)
    const sessions = { key: cluster.business.publishable_key, count: 1 }
    const [token = ''] = await openSessions(call, cluster.addresses, sessions)
    await replays('pause')
    try {
      expect((await client.hold(0, token, slot(3))).status).toBe(201)
      expect(await find(token, slot(3))).toMatchObject({ held_by_you: true })
      await isBehind()
      expect(await find(key(), slot(3))).toBeUndefined()
    } finally {
      await replays('resume')
    }
    await isFresh()
    expect(await find(key(), slot(3))).toBeUndefined()
  })

  longTest('that does not answer, or is gone, is in nobody’s way', async () => {
    for (const mode of ['hang', 'refuse'] as const) {
      postgres.standbys()[0]?.network.set(mode)
      for (let turn = 0; turn < 5; turn += 1) await offeredWith(key(), slot(5))
      postgres.standbys()[0]?.network.set('forward')
      await isFresh()
    }
  })
})
