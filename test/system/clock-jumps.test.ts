/** @module-tag long */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findErrors } from '../support/checker.ts'
import { clientOf, slot, startCluster, type Cluster } from '../support/cluster.ts'
import { project } from '../support/holdfast-process.ts'
import { eventually, httpClients, openSessions, tally } from '../support/http-client.ts'
import { onOneEngine, rounds } from '../support/long.ts'
import { startNotedLoad } from '../support/noted-load.ts'

const preloads = [pathToFileURL(join(project, 'test/support/jumping-clock.mjs')).href]
const call = httpClients()

onOneEngine('sqlite', 'a wall clock that jumps by an hour, forwards and far back', (engine) => {
  let cluster: Cluster
  let client: ReturnType<typeof clientOf>
  let owner: string
  let rival: string
  beforeAll(async () => {
    cluster = await startCluster(engine, { SESSION_SECONDS: '86400' }, { preloads })
    client = clientOf(cluster, call)
    const key = cluster.business.publishable_key
    const [one = '', other = ''] = await openSessions(call, cluster.addresses, { key, count: 2 })
    owner = one
    rival = other
  })
  afterAll(() => cluster.stop())

  /** Sets the clock of the first server: an hour ahead, or from there to an hour behind. */
  async function jump(to: 'ahead' | 'behind'): Promise<void> {
    const [server] = cluster.servers
    server?.process.signal(to === 'ahead' ? 'SIGUSR2' : 'SIGHUP')
    await server?.process.says(to === 'ahead' ? /off by 1 h/ : /off by -1 h/)
  }

  test('refuses nothing, sells nothing twice, and loses nothing', async () => {
    const load = await startNotedLoad(cluster, call)
    const moreLoad = () => {
      const before = load.answered()
      return eventually('load', () => load.answered() > before + rounds(60, 1_000) || undefined)
    }
    const wanted = slot(-1) // before those of the load
    const hold = await client.hold(0, owner, wanted)
    expect(tally([hold])).toEqual({ '201': 1 })
    const id = String(hold.body.hold_id)
    await moreLoad()
    await jump('ahead')
    await moreLoad()
    const other = await client.hold(0, rival, wanted)
    await jump('behind')
    await moreLoad()
    const [conversion, rivals] = [
      await client.convert(0, owner, id),
      other.status === 201 ? await client.convert(0, rival, String(other.body.hold_id)) : undefined,
    ]
    // PostgreSQL uses its server's time, SQLite the machine's: an expired hold stays expired
    expect(tally([other, conversion])).toEqual(
      engine === 'postgres' ? { '409 slot_held': 1, '201': 1 } : { '201': 1, '404 hold_expired': 1 },
    )
    expect(rivals?.status).toBe(engine === 'postgres' ? undefined : 201)
    await load.stop()
    expect([load.unexpected, load.refused]).toEqual([[], []])
    if (engine === 'sqlite') {
      // By the machine's clock, holds expired or were released when they had. Now that the clock is set back, they are
      // valid again until their time. Nobody else has their slots.
      for (const [id, { state }] of load.acknowledged) {
        if (state === 'held' || state === 'released') load.acknowledged.delete(id)
      }
    }
    expect(await findErrors(cluster.databaseUrl, load.acknowledged)).toEqual([])
  })
})
