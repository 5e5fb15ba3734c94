/** @module-tag long */
import { afterEach, beforeEach, describe, expect } from 'vitest'
import { findErrors } from '../support/checker.ts'
import { book, clientOf, slot, startCluster, type Cluster } from '../support/cluster.ts'
import { eventually, httpClients, openSessions, tally } from '../support/http-client.ts'
import { isWhole, longTest, rounds } from '../support/long.ts'
import { startNotedLoad } from '../support/noted-load.ts'
import { startOwnPostgres, type OwnPostgres } from '../support/postgres-server.ts'
import { engines } from '../support/test-service.ts'

const call = httpClients()

describe.runIf(engines.includes('postgres'))('a PostgreSQL server that ends beneath two servers', () => {
  let postgres: OwnPostgres
  let cluster: Cluster
  beforeEach(async () => {
    // the commits of this server must last, as a user's do
    const started = await startOwnPostgres({ synchronous_commit: 'on' })
    if (!started)
      throw new Error('no PostgreSQL can be started here: install one, or run npm ci with optional packages')
    postgres = started
    cluster = await startCluster(
      'postgres',
      {},
      { database: { url: postgres.url, drop: () => postgres.stop() } },
    )
  })
  afterEach(() => cluster.stop())

  longTest(
    'by kill -9, again and again under load, loses nothing that was acknowledged',
    { timeout: 300_000 },
    async () => {
      const load = await startNotedLoad(cluster, call)
      const moreLoad = () => {
        const before = load.answered() - load.refused.length
        return eventually('load on the servers', () =>
          load.answered() - load.refused.length > before + 200 ? true : undefined,
        )
      }
      for (let round = 0; round < rounds(1, 25); round += 1) {
        await moreLoad()
        const refused = load.refused.length
        await postgres.halt('SIGKILL')
        await eventually(
          'requests that meet the dead database',
          () => load.refused.length > refused || undefined,
        )
        await postgres.startAgain()
      }
      await moreLoad()
      await load.stop()
      expect(load.unexpected).toEqual([])
      expect(await findErrors(cluster.databaseUrl, load.acknowledged)).toEqual([])
      for (const { process } of cluster.servers) expect(process.stderr()).toBe('')
    },
  )

  longTest('and stays away: 503, not ready, alive; back after its return', async () => {
    const client = clientOf(cluster, call)
    const key = cluster.business.publishable_key
    const [token = ''] = await openSessions(call, cluster.addresses, { key, count: 1 })
    const booked = await book(client, token, slot(0))
    await postgres.halt('SIGINT')
    const awaySinceMs = performance.now()
    for (let turn = 0; turn < 4 || (isWhole && performance.now() - awaySinceMs < 30_000); turn += 1) {
      const reply = await client.hold(turn, token, slot(1 + turn))
      expect(tally([reply])).toEqual({ '503 unavailable': 1 })
      const [ready, alive] = await Promise.all(
        ['//readyz', '//healthz'].map((path) => call(cluster.address(turn), 'GET', path)),
      )
      expect([ready?.status, alive?.status]).toEqual([503, 200])
    }
    await postgres.startAgain()
    for (const address of cluster.addresses) {
      await eventually('readiness', async () =>
        (await call(address, 'GET', '//readyz')).status === 200 ? true : undefined,
      )
    }
    for (const turn of [0, 1]) {
      await eventually('a hold', async () =>
        (await client.hold(turn, token, slot(100 + turn))).status === 201 ? true : undefined,
      )
      expect((await client.change(turn, booked, { notes: `turn ${turn}` })).status).toBe(200)
    }
    expect(await findErrors(cluster.databaseUrl)).toEqual([])
  })
})
