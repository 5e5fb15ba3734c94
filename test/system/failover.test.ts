/** @module-tag long */
import pg from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Finding } from '../../src/operate/doctor-types.ts'
import { blocksOf, documentAt } from '../docs/documents.ts'
import { findErrors, readRows } from '../support/checker.ts'
import { clientOf, slot, startCluster, type Cluster } from '../support/cluster.ts'
import { runCommand } from '../support/command-line.ts'
import { longestGapMs, moreHolds as moreHoldsOf, startWatched, tellGaps } from '../support/failover.ts'
import { eventually, httpClients, openSessions } from '../support/http-client.ts'
import { isLong, isWhole, longTest } from '../support/long.ts'
import { type NotedLoad, startNotedLoad } from '../support/noted-load.ts'
import {
  canReplicate,
  type Member,
  promised,
  type ReplicatedPostgres,
  startReplicatedPostgres,
} from '../support/replicated-postgres.ts'
import { makeSmallDisk } from '../support/small-disk.ts'
import { execute } from '../support/statements.ts'
import { engines } from '../support/test-service.ts'

/*
 * Two servers whose DATABASE_URL names three PostgreSQL servers. One accepts writes, two follow it, and a commit waits
 * for one of the two. Clients repeat requests with their Idempotency-Key until there is an answer.
 */

const runs = isLong && engines.includes('postgres') && canReplicate()
const call = httpClients()
const clients = 32
/** Without this pause, clients do not wait between requests, and 32 of them make about 200 visits a second. */
const pauseMs = 100

test('the guide has the settings that the servers have here', () => {
  const [block] = blocksOf(documentAt('docs/guides/high-availability.md'))
  const lines = Object.entries(promised).map(
    ([name, value]) => `${name} = ${/ /.test(value) ? `'${value}'` : value}`,
  )
  expect(block?.text).toBe(lines.join('\n'))
})

/**
 * Faults of the primary. Each resolves when the rig has promoted a standby, if it does. Partial runs include the first
 * two.
 */
const faults: Record<string, (postgres: ReplicatedPostgres, primary: Member) => Promise<void>> = {
  'is killed': async (postgres, primary) => {
    await primary.process.halt('SIGKILL')
    await postgres.promote()
  },
  'hangs, and wakes up beside its successor': async (postgres, primary) => {
    primary.freeze('SIGSTOP')
    await postgres.promote()
    await moreHolds()
    primary.freeze('SIGCONT')
    await moreHolds()
  },
  'is shut down': async (postgres, primary) => {
    await primary.process.halt('SIGINT')
    await postgres.promote()
  },
  'is cut off, and comes back beside its successor': async (postgres, primary) => {
    primary.network.set('hang')
    await postgres.promote()
    await moreHolds()
    primary.network.set('forward')
    await moreHolds()
  },
  'loses a standby': async (postgres) => {
    await postgres.standbys()[0]?.process.halt('SIGKILL')
  },
}

let load: NotedLoad

const moreHolds = () => moreHoldsOf(load)

describe.runIf(runs)('a database of three servers, of which one', () => {
  let postgres: ReplicatedPostgres
  let cluster: Cluster
  beforeAll(async () => {
    postgres = await startReplicatedPostgres()
    const watched = await startWatched(call, postgres)
    cluster = watched.cluster
    return watched.stop
  })

  for (const [name, fault] of Object.entries(faults).slice(0, isWhole ? undefined : 2)) {
    longTest(`${name} loses nothing that was acknowledged`, { timeout: 900_000 }, async () => {
      const gapsMs: number[] = []
      load = await startNotedLoad(cluster, call, { clients, pauseMs, repeats: true })
      for (let round = 0; round < (isWhole ? 20 : 1); round += 1) {
        await moreHolds()
        const primary = postgres.primary()
        const sinceMs = performance.now()
        await fault(postgres, primary)
        await moreHolds()
        gapsMs.push(longestGapMs(load, sinceMs))
        for (const member of postgres.members) {
          if (member !== postgres.primary() && !(await postgres.follows(member)))
            await postgres.rejoin(member)
        }
      }
      await load.stop()
      expect(load.unexpected).toEqual([])
      expect(await findErrors(postgres.primary().ownUrl, load.acknowledged)).toEqual([])
      for (const { process } of cluster.servers) expect(process.stderr()).toBe('')
      tellGaps(name, gapsMs, [load])
    })
  }
})

describe.runIf(runs)('a commit that waits for a standby', () => {
  let postgres: ReplicatedPostgres
  let cluster: Cluster
  beforeAll(async () => {
    postgres = await startReplicatedPostgres()
    const { url, stop } = postgres
    cluster = await startCluster('postgres', {}, { database: { url, drop: stop } })
    return cluster.stop
  })
  const hold = async (index: number) => {
    const key = cluster.business.publishable_key
    const [token = ''] = await openSessions(call, cluster.addresses, { key, count: 1 })
    return () => clientOf(cluster, call).hold(0, token, slot(index))
  }
  /** Returns each server's readiness once it has this status. */
  const readiness = (wanted: number) =>
    Promise.all(
      cluster.addresses.map((address) =>
        eventually(`the readiness ${wanted}`, async () => {
          const { status, body } = await call(address, 'GET', '//readyz')
          return status === wanted ? (body as object) : undefined
        }),
      ),
    )

  longTest('and is cancelled is not told to be a success', { timeout: 300_000 }, async () => {
    const ask = await hold(0)
    for (const standby of postgres.standbys()) await standby.process.halt('SIGINT')
    const answer = ask()
    await eventually('a commit that was cancelled', async () => {
      const cancelled = await readRows(
        postgres.primary().ownUrl,
        `select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep' and query = 'commit'`,
      )
      return cancelled.length > 0 || undefined
    })
    expect((await answer).status).toBe(503)
    for (const standby of postgres.standbys()) await standby.process.startAgain()
  })

  longTest('in vain makes no server ready, until one follows again', { timeout: 300_000 }, async () => {
    await readiness(200)
    const ask = await hold(1)
    for (const standby of postgres.standbys()) await standby.process.halt('SIGINT')
    expect((await ask()).status).toBe(503)
    const unready = { status: 'not_ready', reason: 'commits wait for a standby' }
    expect(await readiness(503)).toEqual([unready, unready])
    for (const standby of postgres.standbys()) await standby.process.startAgain()
    await readiness(200)
    expect((await (await hold(2))()).status).toBe(201)
  })
})

describe.runIf(runs)('commits that wait for a standby', () => {
  longTest(
    'wait in vain where only a base backup is taken, as doctor says',
    { timeout: 300_000 },
    async () => {
      const postgres = await startReplicatedPostgres()
      const { ownUrl } = postgres.primary() // one host
      const url = new URL(ownUrl)
      const sender = new pg.Client({ connectionString: ownUrl, replication: 'true' } as pg.ClientConfig)
      const failover = async (variables: Record<string, string>) => {
        const { stdout } = await runCommand(['doctor', '--json'], variables)
        const found = (JSON.parse(stdout) as Finding[]).find(({ check }) => check === 'failover')
        return `${found?.state}: ${found?.detail}`
      }
      try {
        await execute(ownUrl, `create role holdfast login password 'secret'`)
        Object.assign(url, { username: 'holdfast', password: 'secret' })
        expect(await failover({ DATABASE_URL: ownUrl })).toBe('ok: commits wait for a standby (ANY 1 (*))')
        const unseen = await failover({ DATABASE_URL: url.href })
        expect(unseen).toMatch(/^warning: .*; the role of DATABASE_URL may not see if one is connected$/)
        const [one, other] = postgres.standbys()
        await one?.process.halt('SIGINT')
        await execute(ownUrl, `alter system set synchronous_standby_names = 'ANY 2 (*)'`)
        await execute(ownUrl, 'select pg_reload_conf()')
        const tooFew = await failover({ DATABASE_URL: ownUrl })
        expect(tooFew).toBe(
          'fault: commits wait for 2 standbys (ANY 2 (*)), and only 1 of these is connected: every change gets 503',
        )
        await other?.process.halt('SIGINT')
        await sender.connect() // like pg_basebackup: it is listed, but follows nothing
        await eventually('the end of what followed', async () => {
          const listed = await readRows(ownUrl, 'select state from pg_stat_replication')
          return (listed.length === 1 && listed[0]?.['state'] === 'startup') || undefined
        })
        const vain = await failover({ DATABASE_URL: ownUrl })
        expect(vain).toMatch(/^fault: .* and none is connected: every change gets 503$/)
      } finally {
        await sender.end()
        await postgres.stop()
      }
    },
  )
})

describe.runIf(runs && isWhole)('a database whose primary has a full disk', () => {
  longTest('refuses until another is promoted, and loses nothing', { timeout: 1_800_000 }, async () => {
    const gapsMs: number[] = []
    const loads: NotedLoad[] = []
    for (let round = 0; round < 20; round += 1) {
      const disk = await makeSmallDisk(256)
      if (!disk) {
        console.warn('*** NOT TESTED: a full disk. This process may not mount a file system of its own.')
        return
      }
      const postgres = await startReplicatedPostgres(disk.directory)
      const watched = await startWatched(call, postgres)
      try {
        load = await startNotedLoad(watched.cluster, call, { clients, pauseMs, repeats: true })
        loads.push(load)
        await moreHolds()
        const sinceMs = performance.now()
        disk.fill()
        await eventually('refusals', () => load.refused.length > 20 || undefined)
        await postgres.promote()
        await moreHolds()
        gapsMs.push(longestGapMs(load, sinceMs))
        await load.stop()
        expect(load.unexpected).toEqual([])
        expect(await findErrors(postgres.primary().ownUrl, load.acknowledged)).toEqual([])
      } finally {
        disk.clear()
        await watched.stop()
        await disk.remove()
      }
    }
    tellGaps('has a full disk', gapsMs, loads)
  })
})
