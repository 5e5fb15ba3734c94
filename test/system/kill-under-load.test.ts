import { afterAll, beforeAll, expect, test } from 'vitest'
import { findFaults } from '../support/checker.ts'
import { startCluster, type Cluster } from '../support/cluster.ts'
import { eventually, httpClients } from '../support/http-client.ts'
import { startNotedLoad } from '../support/noted-load.ts'
import { onEachEngine } from '../support/test-service.ts'

const kills = 5
const call = httpClients()

onEachEngine('a server that is killed while it serves', (engine) => {
  let cluster: Cluster
  beforeAll(async () => {
    // each client leaves many holds behind, all of which have to be there afterwards
    cluster = await startCluster(engine)
  })
  afterAll(() => cluster.stop())

  test('loses nothing that it has acknowledged, and starts again', { timeout: 120_000 }, async () => {
    const load = await startNotedLoad(cluster, call)
    for (let kill = 0; kill < kills; kill += 1) {
      const before = load.answered()
      await eventually('load on the servers', 20_000, () => load.answered() > before + 200 || undefined)
      const victim = kill % cluster.servers.length
      await cluster.servers[victim]?.kill()
      cluster.servers[victim] = await cluster.start()
    }
    const before = load.answered()
    await eventually('load after the last start', 20_000, () => load.answered() > before + 200 || undefined)
    await load.stop()
    expect(load.unexpected).toEqual([])
    const states = Object.groupBy(load.acknowledged.values(), ({ state }) => state)
    for (const state of ['held', 'released', 'booked', 'cancelled'] as const) {
      expect(states[state]?.length, `some are ${state}`).toBeGreaterThan(20)
    }
    expect(await findFaults(cluster.databaseUrl, load.acknowledged)).toEqual([])
  })
})
