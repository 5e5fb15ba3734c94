/** @module-tag long */
import { afterAll, beforeAll, describe, expect, inject } from 'vitest'
import type { Finding } from '../../src/operate/doctor-types.ts'
import { readRows } from '../support/checker.ts'
import { clientOf, slot, startCluster, type Cluster } from '../support/cluster.ts'
import { runCommand } from '../support/command-line.ts'
import { eventually, httpClients, openSessions } from '../support/http-client.ts'
import { isLong, longTest } from '../support/long.ts'
import {
  canReplicate,
  type ReplicatedPostgres,
  startReplicatedPostgres,
} from '../support/replicated-postgres.ts'
import { readScrape, scrape } from '../support/scrape.ts'
import { startServer } from '../support/server-process.ts'
import { execute } from '../support/statements.ts'
import { engines, offer, startTestService } from '../support/test-service.ts'

/* DATABASE_READ_URL: availability is read from a replica that lags by at most a second. */

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
  /** Returns the starts offered on the day of a start, and whether the caller holds them. */
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
  /** Its metric is then above one second or absent, as described in the guide. */
  const isBehind = () =>
    eventually('a replica that is behind', async () => ((await delay()) ?? 9) > 1 || undefined)

  longTest('answers, and shows within a second what was booked', async () => {
    await isFresh()
    // PostgreSQL shows the last statement of a connection only, and the loops also read
    await eventually('a question that the replica got', async () => {
      await offeredWith(key(), slot(0))
      const asked = await readRows(
        replica(),
        `select 1 from pg_stat_activity where application_name = 'holdfast reads' and query like '%claims%'`,
      )
      return asked.length > 0 || undefined
    })
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

  const doctor = async (readUrl = postgres.standbys()[0]?.url ?? '') => {
    const variables = { DATABASE_URL: postgres.url, DATABASE_READ_URL: readUrl }
    const { stdout } = await runCommand(['doctor', '--json'], variables)
    const found = JSON.parse(stdout) as Finding[]
    return (wanted: string) =>
      found.filter(({ check }) => check === wanted).map(({ state, detail }) => `${state}: ${detail}`)
  }

  longTest(
    'is judged by doctor: it follows, is behind, takes writes, is away, or of another cluster',
    async () => {
      await isFresh()
      const told = await doctor()
      expect(told('reads')).toEqual([expect.stringMatching(/^ok: 127\S+ is at most \d+ ms behind$/)])
      expect(told('servers')).toEqual([
        expect.stringMatching(/^ok: \S+ accepts writes, \S+ is a standby, \S+ is a standby$/),
      ])
      await replays('pause')
      try {
        expect((await clientOf(cluster, call).hold(0, key(), slot(9))).status).toBe(201)
        expect((await doctor())('reads')).toEqual([
          expect.stringMatching(/^warning: .* more than a second behind/),
        ])
      } finally {
        await replays('resume')
      }
      const other = inject('postgresUrl') ?? ''
      expect((await doctor(postgres.primary().url))('reads')).toEqual([
        expect.stringMatching(/^warning: .* accepts writes, so it is not a standby/),
      ])
      expect((await doctor('postgres://127.0.0.1:1/none'))('reads')).toEqual([
        expect.stringMatching(/^fault: .* at 127\.0\.0\.1:1 \(.*ECONNREFUSED.*\)/),
      ])
      expect((await doctor(other))('reads')).toEqual([expect.stringMatching(/^fault: .* of another cluster/)])
    },
  )

  longTest('and its primary have the connections that the guide "Scaling" tells', async () => {
    await isFresh()
    const of = async (url: string) => {
      const rows = await readRows(
        url,
        `select application_name as name, cast(count(*) as integer) as count from pg_stat_activity
          where application_name like 'holdfast%' and application_name <> 'holdfast doctor' group by 1`,
      )
      return Object.fromEntries(rows.map(({ name, count }) => [name, count])) as Record<string, number>
    }
    const servers = cluster.servers.length
    const [one, other] = postgres.standbys().map(({ ownUrl }) => ownUrl)
    const { holdfast = 0, 'holdfast side': side = 0, ...beside } = await of(postgres.primary().ownUrl)
    expect(side).toBeLessThanOrEqual(3 * servers) // as many as were ever busy at once
    expect(beside).toEqual({
      'holdfast listener': servers,
      'holdfast watch': (2 + 1) * servers, // one compares the replica
    })
    expect(holdfast).toBeLessThanOrEqual(10 * servers)
    expect((await of(one ?? ''))['holdfast watch']).toBe((2 + 1) * servers)
    expect(await of(other ?? '')).toEqual({ 'holdfast watch': 2 * servers })
    expect((await doctor())('connections')).toEqual([expect.stringMatching(/^ok: up to 18 of/)])
  })

  longTest('of several hosts is the one that answers', async () => {
    const [near, far] = postgres.standbys()
    if (!near || !far) throw new Error('there are no two standbys')
    const hosts = [postgres.primary(), near, far].map(({ url }) => new URL(url).host).join()
    const readUrl = postgres.primary().url.replace(/[^@]+(?=\/\w+$)/, hosts)
    const server = await startServer(postgres.url, { DATABASE_READ_URL: readUrl })
    const reads = async ({ ownUrl }: { ownUrl: string }) => {
      const day = slot(0).slice(0, 10)
      const query = new URLSearchParams({ ...offer(cluster.business, 'Meeting room'), from: day, to: day })
      await call(server.address, 'GET', `/availability?${query.toString()}`, { token: key() })
      const rows = await readRows(
        ownUrl,
        `select 1 from pg_stat_activity where application_name = 'holdfast reads' and query like '%claims%'`,
      )
      return rows.length > 0 || undefined
    }
    try {
      await eventually('a read at the first standby', () => reads(near))
      near.network.set('refuse')
      await eventually('a read at the second', () => reads(far))
      const found = (await doctor(readUrl))('reads')
      expect(found).toEqual([
        expect.stringMatching(/^ok: \S+ accepts writes, so Holdfast reads from another$/),
        expect.stringMatching(/^warning: DATABASE_READ_URL: no usable server answers/),
        expect.stringMatching(/^ok: \S+ is at most/),
      ])
    } finally {
      near.network.set('forward')
      await server.stop()
    }
  })

  longTest('of another cluster is never read', async () => {
    const stranger = await startReplicatedPostgres()
    const variables = { DATABASE_READ_URL: stranger.standbys()[0]?.url ?? '', LOG_LEVEL: 'error' }
    const server = await startServer(postgres.url, variables)
    try {
      await server.process.says(/is not a standby of \S+ but of another cluster/)
      const text = await (await fetch(`${server.address}/metrics`)).text()
      expect(readScrape(text).value('holdfast_database_replica_delay_seconds')).toBeUndefined()
    } finally {
      await server.stop()
      await stranger.stop()
    }
  })

  longTest('that does not answer, or is gone, is in nobody’s way', async () => {
    for (const mode of ['hang', 'refuse'] as const) {
      postgres.standbys()[0]?.network.set(mode)
      for (let turn = 0; turn < 5; turn += 1) await offeredWith(key(), slot(5))
      await isBehind()
      postgres.standbys()[0]?.network.set('forward')
      await isFresh()
    }
  })

  longTest(
    'that is promoted beside its primary makes two of them, which doctor, a start, and a running server say',
    { timeout: 120_000 },
    async () => {
      const service = await startTestService(
        'postgres',
        { DATABASE_URL: postgres.url },
        { empty: true, serversPauseMs: 100 },
      )
      const primaries = (count: number) =>
        eventually(`${count} that take writes`, async () => {
          const found = (await scrape(service)).value('holdfast_database_primaries')
          return found === count || undefined
        })
      const told = () => service.logLines.filter((line) => line.includes('TWO PRIMARIES'))
      await primaries(1)
      const [standby] = postgres.standbys()
      const statements = [
        `alter system set synchronous_standby_names = ''`, // none will follow it
        'select pg_reload_conf()',
        'select pg_promote()',
      ]
      for (const statement of statements) await execute(standby?.ownUrl ?? '', statement)
      const two = /TWO PRIMARIES: \S+ \(timeline 1\) and \S+ \(timeline 2\) accept writes/
      expect((await doctor())('servers')).toEqual([expect.stringMatching(two)])
      const server = await startServer(postgres.url, { LOG_LEVEL: 'error' })
      await server.process.says(two)
      await server.stop()
      // the server to leave answers first
      postgres.primary().network.delay(30)
      standby?.network.delay(60)
      expect((await doctor())('database')).toEqual(['ok: postgres answers'])
      for (const { network } of postgres.members) network.delay(0)
      // a running server, once for each time
      await primaries(2)
      await postgres.primary().process.halt('SIGINT')
      await primaries(1)
      const before = told() // a busy machine may miss a primary for a moment, and then say it again
      expect(before).toContainEqual(expect.stringContaining('"level":"error"'))
      await postgres.primary().process.startAgain()
      await primaries(2)
      expect(told().length).toBeGreaterThan(before.length)
      await service.stop()
    },
  )
})
